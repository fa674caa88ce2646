package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/text"
)

// A work is a cited source as a bibliography has it.
type work struct {
	key      string
	title    string
	author   string
	host     string
	date     []int  // year, month, day, as far as they are known
	accessed []int  // where the page was read
	url      string // empty where it is none that others can open
	result   bool   // of a tool's call: no page
	note     string
}

// works are the cited sources of a report, in the order of their numbers.
func works(r citewell.Report, authors Authors) []work {
	all := make([]work, 0, len(r.Sources))
	used := map[string]bool{}
	for _, s := range r.Sources {
		w := work{title: cmp.Or(plain(s.Title), plain(cmp.Or(s.Host, address(s)))), author: plain(authors[s.N]), host: plain(s.Host), date: dateParts(s.Date), result: s.Class == citewell.ClassTool}
		if wasRead(s) && !s.FetchedAt.IsZero() {
			w.accessed = dateParts(s.FetchedAt.UTC().Format(time.DateOnly))
		}
		if url := address(s); webURL.MatchString(url) || strings.HasPrefix(url, "file:///") {
			w.url = wholeURL(url)
		}
		switch {
		case w.result:
			w.note = "sha256 of the result: " + plain(s.PageSHA256)
		case wasRead(s):
			w.note = "sha256 of the page: " + plain(s.PageSHA256)
		case s.PageSHA256 != "":
			w.note = "the page was not read; sha256 of what a search provider said of it: " + plain(s.PageSHA256)
		default:
			w.note = "the page was not read"
		}
		if warning := plain(s.Warning); warning != "" {
			w.note += "; " + text.ShortenAtWord(warning, maxWarning)
		}
		w.key = workKey(s)
		if used[w.key] {
			w.key += "-" + strconv.Itoa(s.N)
		}
		used[w.key] = true
		all = append(all, w)
	}
	return all
}

var notInKey = lazyregexp.New(`[^a-z0-9]+`)

// workKey is the same wherever the same page is cited: its host, its year, and the
// beginning of a hash over its address and its bytes.
func workKey(s citewell.Source) string {
	host := strings.Trim(notInKey.ReplaceAllString(strings.ToLower(strings.TrimPrefix(s.Host, "www.")), "-"), "-")
	if len(host) > 40 {
		host = strings.Trim(host[:40], "-")
	}
	year := "nd"
	if date := dateParts(s.Date); len(date) > 0 {
		year = fmt.Sprintf("%04d", date[0])
	}
	return fmt.Sprintf("%s-%s-%s", cmp.Or(host, "source"), year, citewell.SHA256([]byte(address(s) + "\n" + s.PageSHA256))[:8])
}

// dateParts reads YYYY, YYYY-MM or YYYY-MM-DD; what is no date has no parts.
func dateParts(s string) []int {
	for n, layout := range []string{"2006", "2006-01", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() > 0 {
			return []int{t.Year(), int(t.Month()), t.Day()}[:n+1]
		}
	}
	return nil
}

// wholeURL percent-encodes what no URL has and what would end a field early.
func wholeURL(url string) string { return percentEncoded(strings.ToValidUTF8(url, ""), `{}\"<>^|`+"`") }

// percentEncoded writes spaces, controls, what is no ASCII and the bytes of also as %XX.
func percentEncoded(s, also string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(also, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// BibTeX gives the cited sources as @online entries for biblatex, and what tools answered
// as @misc, in UTF-8. Titles and
// authors are as the pages have them, which is why they stand in double braces: no
// program makes small letters of a name or takes "The Society" apart. The url field is
// verbatim, as biblatex and the url package want it.
func BibTeX(r citewell.Report, authors Authors) string {
	var b strings.Builder
	for i, w := range works(r, authors) {
		if i > 0 {
			b.WriteByte('\n')
		}
		kind := "online"
		if w.result {
			kind = "misc"
		}
		fmt.Fprintf(&b, "@%s{%s", kind, w.key)
		field := func(name, value string) {
			if value != "" {
				fmt.Fprintf(&b, ",\n  %-12s = {%s}", name, value)
			}
		}
		field("title", "{"+latex(w.title)+"}")
		if w.author != "" {
			field("author", "{"+latex(w.author)+"}")
		}
		field("organization", latex(w.host))
		field("date", isoDate(w.date))
		field("url", w.url)
		field("urldate", isoDate(w.accessed))
		field("note", latex(w.note))
		b.WriteString("\n}\n")
	}
	return b.String()
}

func isoDate(parts []int) string {
	if len(parts) == 0 {
		return ""
	}
	s := fmt.Sprintf("%04d", parts[0])
	for _, part := range parts[1:] {
		s += fmt.Sprintf("-%02d", part)
	}
	return s
}

// latexEscapes are the characters that mean something to TeX. Braces are named: BibTeX
// counts those that stand behind a backslash too.
var latexEscapes = strings.NewReplacer(`\`, `\textbackslash{}`, `{`, `\textbraceleft{}`, `}`, `\textbraceright{}`,
	`%`, `\%`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `_`, `\_`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`)

// latex writes words as TeX that sets just these. Signs that make another one together,
// as two hyphens make a dash, are kept apart.
func latex(s string) string {
	var b strings.Builder
	var before rune
	for _, r := range plain(s) {
		if r == before && strings.ContainsRune("-`',<>", r) || r == '`' && (before == '!' || before == '?') {
			b.WriteString("{}")
		}
		b.WriteString(latexEscapes.Replace(string(r)))
		before = r
	}
	return b.String()
}

// CSLJSON gives the cited sources as CSL data, a list of webpages, and of documents where a
// tool answered. A program that sets
// them may read <i>, <b>, <sup> and <sub> in a title as type; the format has no way to
// say that they are words.
func CSLJSON(r citewell.Report, authors Authors) string {
	type name struct {
		Literal string `json:"literal"`
	}
	type date struct {
		Parts [][]int `json:"date-parts"`
	}
	type item struct {
		ID        string `json:"id"`
		Type      string `json:"type"`
		Title     string `json:"title"`
		Author    []name `json:"author,omitempty"`
		Container string `json:"container-title,omitempty"`
		Issued    *date  `json:"issued,omitempty"`
		Accessed  *date  `json:"accessed,omitempty"`
		URL       string `json:"URL,omitempty"`
		Note      string `json:"note,omitempty"`
	}
	items := []item{}
	for _, w := range works(r, authors) {
		it := item{ID: w.key, Type: "webpage", Title: w.title, Container: w.host, URL: w.url, Note: w.note}
		if w.result {
			it.Type = "document"
		}
		if w.author != "" {
			it.Author = []name{{w.author}}
		}
		if len(w.date) > 0 {
			it.Issued = &date{[][]int{w.date}}
		}
		if len(w.accessed) > 0 {
			it.Accessed = &date{[][]int{w.accessed}}
		}
		items = append(items, it)
	}
	encoded, err := json.MarshalIndent(items, "", "  ")
	if err != nil {
		panic(err) // strings and numbers only
	}
	return string(encoded) + "\n"
}
