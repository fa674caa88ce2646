package report

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell/internal/lazyregexp"
)

// A cdxjEntry is a line of the index: the key by which replay programs look for a URL,
// the time, and where the record stands.
type cdxjEntry struct {
	key, stamp string
	fields     cdxjFields
}

type cdxjFields struct {
	URL      string `json:"url"`
	Mime     string `json:"mime"`
	Status   string `json:"status,omitempty"`
	Digest   string `json:"digest"`
	Length   string `json:"length"`
	Offset   string `json:"offset"`
	Filename string `json:"filename"`
}

func cdxjEntryOf(r warcRecord, mime string, status int, at warcWritten) cdxjEntry {
	e := cdxjEntry{key: surt(r.target), stamp: r.at.UTC().Format("20060102150405"),
		fields: cdxjFields{URL: r.target, Mime: mime,
			Digest: at.digest, Length: fmt.Sprint(at.length), Offset: fmt.Sprint(at.offset), Filename: warcName}}
	if status > 0 {
		e.fields.Status = fmt.Sprint(status)
	}
	return e
}

// cdxj gives the index, its lines sorted by their bytes.
func cdxj(entries []cdxjEntry) string {
	lines := make([]string, len(entries))
	for i, e := range entries {
		fields, err := json.Marshal(e.fields)
		if err != nil {
			panic(err) // strings only
		}
		lines[i] = fmt.Sprintf("%s %s %s\n", e.key, e.stamp, fields)
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

var surtWWW = lazyregexp.New(`^www\d*\.`)

// surt gives the sort-friendly form of a URL, as in "test,example)/page?a=1": in small letters, the host turned round
// and without www, escapes as few as possible, no empty or dot segments, no slash at the end, the query's parts sorted,
// no fragment. What is no web address is its own key. Replay programs look for a URL in this form, so it is that of the
// surt package which most of them use.
func surt(target string) string {
	u, err := url.Parse(target)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return strings.ToLower(strings.Replace(target, ":///", ":/", 1))
	}
	key := surtWWW.ReplaceAllString(strings.Trim(strings.ToLower(u.Hostname()), "."), "")
	if !strings.Contains(key, ":") { // an IPv6 address stays
		labels := strings.Split(key, ".")
		slices.Reverse(labels)
		key = strings.Join(labels, ",")
	}
	if port := u.Port(); port != "" && (u.Scheme != "http" || port != "80") && (u.Scheme != "https" || port != "443") {
		key += ":" + port
	}
	key += ")" + strings.ToLower(path.Clean("/"+surtEscapes(u.EscapedPath())))
	if u.RawQuery != "" {
		parts := strings.Split(strings.ToLower(surtEscapes(u.RawQuery)), "&")
		slices.Sort(parts)
		key += "?" + strings.Join(parts, "&")
	}
	return key
}

var surtEscape = lazyregexp.New(`%[0-9A-Fa-f]{2}`)

// surtEscapes takes escapes off as often as there are any, and escapes what must be.
func surtEscapes(s string) string {
	for before := ""; s != before; {
		before = s
		s = surtEscape.ReplaceAllStringFunc(s, func(code string) string {
			c, _ := strconv.ParseUint(code[1:], 16, 8) // two hex digits
			return string([]byte{byte(c)})
		})
	}
	return percentEncoded(s, "#%")
}

// pageLine is a line of pages.jsonl, but for its first.
type pageLine struct {
	ID    string `json:"id"`
	URL   string `json:"url"`
	TS    string `json:"ts"`
	Title string `json:"title"`
}

// pageHeader is the first line of pages.jsonl.
type pageHeader struct {
	Format      string `json:"format"`
	ID          string `json:"id"`
	Title       string `json:"title"`
	HasText     bool   `json:"hasText"`
	Description string `json:"description,omitempty"`
}

func pageList(header pageHeader, pages []pageLine) string {
	var b strings.Builder
	// a line for each value, and nothing fails but a value of a kind that none of these is
	encoder := json.NewEncoder(&b)
	encoder.Encode(header)
	for _, p := range pages {
		encoder.Encode(p)
	}
	return b.String()
}

func rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339) }
