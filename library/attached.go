package library

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"path"
	"strings"
	"time"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
)

// maxAttachedName bounds what is shown of a sent file's name, in bytes.
const maxAttachedName = 120

// AttachedPrefix is what the addresses of files begin with that somebody sent.
const AttachedPrefix = "file:///attached/"

// Attached gives a file that somebody sent as the page of a file of the user's own, and its
// name as it may be shown: its bounds, its readers and its media types are those of
// ReadFile. Where the name says nothing of its content, the media type that it was sent
// with counts, which may be empty. Its address holds its hash, and leads to no file of this
// machine.
func Attached(name, sentAs string, body []byte) (page citewell.Page, shown string, err error) {
	if len(body) > maxFileBytes {
		return page, "", refuse(citewell.CodeResponseTooLarge, fmt.Sprintf("it is larger than %d MiB",
			maxFileBytes>>20), nil)
	}
	body, err = wholeText(bytes.NewReader(body))
	inner, compressed := withoutGzip(name)
	if err == nil && compressed {
		body, err = unzipped(body)
	}
	if err != nil {
		return page, "", err
	}
	visible := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(path.Base("/"+strings.ReplaceAll(name, `\`, "/")), ""))
	shown = cmp.Or(tool.Shorten(text.OneLine(strings.Trim(visible, "/")), maxAttachedName), "file")
	sum := citewell.SHA256(body)
	address := AttachedPrefix + sum[:32] + (&url.URL{Path: "/" + shown}).EscapedPath()
	return citewell.Page{URL: address, FinalURL: address, ContentType: cmp.Or(extract.MediaType(inner), sentAs),
		FetchedAt: time.Now().UTC(), Body: body, SHA256: sum, Outcome: citewell.FetchOK}, shown, nil
}
