package webpage

import (
	"cmp"
	"context"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/imprint"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/extract/internal/tree"
	"github.com/citewell/citewell/internal/weburl"
)

// A track is where a page says that the words of a recording are.
type track struct {
	address  string // absolute
	language string
	captions bool // of the recording's own language, where subtitles may be a translation
	first    bool // it is shown where nobody chooses
}

// maxTracks bounds what is looked at of one page.
const maxTracks = 200

// recordingTypes are the types of structured data that have a transcript.
var recordingTypes = []string{"videoobject", "audioobject", "podcastepisode"}

// tracksOf are the captions and subtitles of the first <video> or <audio> of a page that has any.
func tracksOf(root *html.Node, base *url.URL) []track {
	var all []track
	var of *html.Node
	for n := range root.Descendants() {
		if n.DataAtom != atom.Track || len(all) == maxTracks {
			continue
		}
		kind := strings.ToLower(strings.TrimSpace(cmp.Or(tree.Attribute(n, "kind"), "subtitles")))
		player := playerOf(n)
		if player == nil || of != nil && of != player || kind != "captions" && kind != "subtitles" {
			continue
		}
		if address := addressIn(base, tree.Attribute(n, "src")); address != "" {
			of = player
			all = append(all, track{address, imprint.Language(tree.Attribute(n, "srclang")), kind == "captions",
				slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "default" })})
		}
	}
	return all
}

func playerOf(n *html.Node) *html.Node {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == atom.Video || p.DataAtom == atom.Audio {
			return p
		}
	}
	return nil
}

// addressIn is a web address in a page, or of a file beside or below one that is a file itself; else empty.
func addressIn(base *url.URL, raw string) string {
	u, err := base.Parse(strings.TrimSpace(raw))
	if err != nil || raw == "" {
		return ""
	}
	u.Fragment = ""
	if base.Scheme == "file" && u.Scheme == "file" {
		if u.Host != base.Host || u.Path != path.Clean(u.Path) ||
			!strings.HasPrefix(u.Path, strings.TrimSuffix(path.Dir(base.Path), "/")+"/") {
			return ""
		}
		u.RawQuery = ""
		return u.String()
	}
	if _, err := weburl.Parse(u.String()); err != nil {
		return ""
	}
	return u.String()
}

// bestTrack is the address of captions in the page's language, else of those shown, else of any; or empty.
func bestTrack(tracks []track, language string) string {
	worth := func(t track) int {
		points := 0
		if language != "" && t.language == language {
			points += 4
		}
		if t.first {
			points += 2
		}
		if t.captions {
			points++
		}
		return points
	}
	best := track{}
	for i, t := range tracks {
		if i == 0 || worth(t) > worth(best) {
			best = t
		}
	}
	return best.address
}

// recordings reads from structured data the words of the first recording that has them, and where captions are.
func (m *metadata) recordings(value any, base *url.URL, depth int) {
	if depth > 8 {
		return
	}
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			m.recordings(one, base, depth+1)
		}
	case map[string]any:
		if slices.ContainsFunc(imprint.Texts(v["@type"]), func(kind string) bool {
			return slices.Contains(recordingTypes, schemaName(kind))
		}) {
			if said := strings.Join(imprint.Texts(v["transcript"]), "\n"); m.transcript == "" && len(said) <= 1<<20 {
				m.transcript = said
			}
			m.captioned(v["caption"], base)
		}
		for _, key := range []string{"@graph", "mainEntity", "mainEntityOfPage", "video", "audio", "associatedMedia",
			"subjectOf", "hasPart", "itemListElement", "item"} {
			m.recordings(v[key], base, depth+1)
		}
	}
}

// captioned takes in captions that are files of their own; words beside a picture are none.
func (m *metadata) captioned(value any, base *url.URL) {
	if all, several := value.([]any); several {
		for _, one := range all[:min(len(all), maxTracks)] {
			m.captioned(one, base)
		}
		return
	}
	file, _ := value.(map[string]any)
	kind := strings.ToLower(strings.Join(imprint.Texts(file["encodingFormat"]), " "))
	if kind != "" && !strings.Contains(kind, "vtt") && kind != citewell.MediaSRT || len(m.tracks) >= maxTracks {
		return
	}
	if address := addressIn(base, cmp.Or(imprint.Texts(file["contentUrl"])...)); address != "" {
		m.tracks = append(m.tracks, track{address: address, language: imprint.Language(
			cmp.Or(imprint.Texts(file["inLanguage"])...)), captions: true})
	}
}

// maxHeld is how many letters of a transcript are looked for in what a page shows.
const maxHeld = 120

// transcriptBlocks are the words of a recording in structured data, below a heading, unless the page shows them.
func (m *metadata) transcriptBlocks(ctx context.Context, shown []block.Block) []block.Block {
	if len(m.transcript) < media.LowYield {
		return nil
	}
	said := letters(m.transcript, maxHeld)
	var all strings.Builder
	for _, b := range shown {
		all.WriteString(letters(b.Text, len(b.Text)))
	}
	if strings.Contains(all.String(), said) {
		return nil
	}
	told := metadata{body: m.transcript}
	return append([]block.Block{{Kind: block.Heading, Level: 2, Text: "Transcript"}}, told.structuredBlocks(ctx)...)
}

// letters are the first bytes of words in small letters, without what is between the words.
func letters(s string, most int) string {
	var b strings.Builder
	for word := range strings.FieldsSeq(strings.ToLower(plain.OneLine(s))) {
		if b.Len() >= most {
			break
		}
		b.WriteString(word)
	}
	return b.String()
}
