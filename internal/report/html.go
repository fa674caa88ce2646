package report

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
)

var (
	//go:embed page.html
	pageTemplate string
	//go:embed page.css
	pageStyle string
)

// pageForm is parsed when the first report is written as HTML.
var pageForm = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("report").Parse(strings.NewReplacer("POLICY", HTMLPolicy(), "STYLE", pageStyle,
		"AGAIN", checkedAgain).Replace(pageTemplate)))
})

// HTMLPolicy is the Content-Security-Policy of the pages that HTML makes, for servers
// that send them; they carry it too.
func HTMLPolicy() string {
	style := sha256.Sum256([]byte(pageStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(style[:]) +
		"'; base-uri 'none'; form-action 'none'"
}

// A htmlPage is what the page shows, as words; the template escapes them.
type htmlPage struct {
	Language   string
	Title      string
	Made       string
	Outcome    string
	Reason     string
	Remarks    []string
	Judge      string
	Confidence string
	Lens       string
	Task       string
	ID         string
	Content    template.HTML
	Headings   []Heading
	Glyphs     template.HTML
	Counts     []Count
	Unverified []citewell.UnverifiedPhrase
	Removed    int
	Sources    []htmlSource
	References []string
}

// A Count is how many citations of a report have a verdict.
type Count struct {
	VerdictWord
	Number int
}

// Glyph is the shape of the verdict.
func (c Count) Glyph() template.HTML { return template.HTML(Glyph(c.Verdict)) }

// Counts are how the citations of a report stand, those that a judge alone supports apart; where none
// is contradicted, that none is.
func Counts(r citewell.Report) (counts []Count, all int) {
	citations := Citations(r)
	for _, word := range Verdicts {
		n := 0
		for _, c := range citations {
			if c.Stands == word.Verdict {
				n++
			}
		}
		if n > 0 || word.Verdict == citewell.VerdictContradicted && len(citations) > 0 {
			counts = append(counts, Count{word, n})
		}
	}
	return counts, len(citations)
}

type htmlSource struct {
	N                                int
	Title, Link, Address, Date, Read string
	Publication                      []PublicationLine
	Warning, Hash, Lang              string
	Quotes                           []htmlQuote
}

type htmlQuote struct {
	K                               int
	Statement, Where, Reason, Judge string
	Caveat                          string
	Quote                           []Piece
	Verdict                         VerdictWord
}

// Glyph is the shape of the verdict.
func (q htmlQuote) Glyph() template.HTML { return template.HTML(Glyph(q.Verdict.Verdict)) }

var languageForm = lazyregexp.New(`^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*$`)

// checkedAgain stands between the run's id and the same id at the end of a page.
const checkedAgain = ". Every citation can be checked again: citewell verify "

var pageOfRun = lazyregexp.New(`<p>Run ([A-Za-z0-9][A-Za-z0-9_.-]{0,199})` + regexp.QuoteMeta(checkedAgain))

// RunOf returns the id of the run whose report a page of [HTML] is. It is empty for other pages.
func RunOf(page string) string {
	all := pageOfRun.FindAllStringSubmatch(page, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}

const htmlTime = "2 January 2006, 15:04 UTC"

// HTML gives a report as one page that stands alone. Nothing is loaded and nothing runs: a Content-Security-Policy in
// the page forbids all but its own style. A number of a source in the text leads to the words below that its sentence
// leans on, with the verdict and the time they were fetched. Links go to cited sources on the web and nowhere else. It
// reads on a phone, in the dark and on paper.
func HTML(r citewell.Report) string {
	p := htmlPage{Title: cmp.Or(plain(r.Title), untitled), Made: r.CreatedAt.UTC().Format(htmlTime),
		Outcome: plain(strings.ReplaceAll(r.Outcome, "_", " ")), Reason: plain(r.Reason),
		Confidence: plain(r.Confidence), Lens: plain(r.Lens),
		Task: plain(r.Task), ID: plain(r.ID), Glyphs: Glyphs(), Removed: len(r.Removed)}
	p.Content, p.Headings = Content(r, func(c Cited) string { return fmt.Sprintf("#c%d", c.K) })
	p.Counts, _ = Counts(r)
	if languageForm.MatchString(r.Language) {
		p.Language = r.Language
	}
	for _, u := range r.Unverified {
		p.Unverified = append(p.Unverified, citewell.UnverifiedPhrase{Text: plain(u.Text), Detail: plain(u.Detail)})
	}
	if r.Judge != nil {
		p.Judge = judgeLine(*r.Judge)
	}
	for _, remark := range r.Remarks {
		p.Remarks = append(p.Remarks, plain(remark))
	}
	citations := Citations(r)
	for _, s := range r.Sources {
		p.Sources = append(p.Sources, htmlSourceOf(s, r, citations))
	}
	if r.References != nil {
		for _, entry := range r.References.Entries {
			p.References = append(p.References, plain(entry))
		}
	}
	var w strings.Builder
	if err := pageForm().Execute(&w, p); err != nil {
		panic(err) // the template is ours, and a Builder takes all
	}
	return w.String()
}

func htmlSourceOf(s citewell.Source, r citewell.Report, citations []Cited) htmlSource {
	url := landing(s)
	h := htmlSource{N: s.N, Title: cmp.Or(text.ShortenAtWord(plain(s.Title), maxTitle),
		cmp.Or(plain(s.Host), untitled)), Address: plain(url), Date: plain(s.Date),
		Warning: text.ShortenAtWord(plain(s.Warning), maxWarning), Hash: plain(s.PageSHA256)}
	if webURL.MatchString(url) {
		h.Link = url
	}
	for _, line := range Publication(s) {
		h.Publication = append(h.Publication, PublicationLine{plain(line.Words), plain(line.Address)})
	}
	switch {
	case !WasRead(s):
		h.Read, h.Hash = "the page was not read; the words are a search provider's", ""
	case s.FetchedAt.IsZero():
		h.Read = "read, at a time that is not known"
	default:
		h.Read = "fetched " + s.FetchedAt.UTC().Format(htmlTime)
	}
	if WasRead(s) && !s.Archived.IsZero() {
		h.Read += ", in an archive's copy of " + s.Archived.At.UTC().Format(htmlTime)
	}
	if s.Outcome == citewell.FetchTruncated {
		h.Read += ", not to its end"
	}
	var quotes strings.Builder
	for _, c := range citations {
		if c.N != s.N {
			continue
		}
		quotes.WriteString(c.Quote + "\n")
		h.Quotes = append(h.Quotes, htmlQuote{K: c.K, Statement: plain(r.Findings[c.Finding].Text),
			Quote: quotePieces(c.Citation), Verdict: Said(c.Stands), Reason: plain(c.Reason), Judge: plain(c.By),
			Where: plain(c.Where), Caveat: plain(c.Caveat)})
	}
	h.Lang = text.Language(quotes.String())
	return h
}

// quotePieces are a quote with its lines, as code and tables have them.
func quotePieces(c citewell.Citation) []Piece {
	pieces := QuotePieces(c)
	for i := range pieces {
		pieces[i].Text = tidied(pieces[i].Text)
	}
	if last := len(pieces) - 1; last >= 0 {
		pieces[0].Text, pieces[last].Text = trimmedLeft(pieces[0].Text),
			strings.TrimRightFunc(pieces[last].Text, unicode.IsSpace)
	}
	return pieces
}

// Style is the style of reports, for pages that show one.
func Style() string { return pageStyle }
