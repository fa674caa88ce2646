package report

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"github.com/citewell/citewell"
)

var (
	//go:embed page.html
	pageTemplate string
	//go:embed page.css
	pageStyle string

	pageForm = template.Must(template.New("report").Parse(strings.NewReplacer("POLICY", HTMLPolicy(), "STYLE", pageStyle).Replace(pageTemplate)))
)

// styleHash is what the policy of the page lets through.
func styleHash() string {
	sum := sha256.Sum256([]byte(pageStyle))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// HTMLPolicy is the Content-Security-Policy of the pages that HTML makes, for servers
// that send them; they carry it too.
func HTMLPolicy() string {
	return "default-src 'none'; style-src '" + styleHash() + "'; base-uri 'none'; form-action 'none'"
}

// A htmlPage is what the page shows, as words; the template escapes them.
type htmlPage struct {
	Language   string
	Title      string
	Made       string
	Outcome    string
	Reason     string
	Remarks    []string
	Confidence string
	Task       string
	ID         string
	Content    template.HTML
	Unverified []citewell.UnverifiedPhrase
	Removed    int
	Sources    []htmlSource
}

type htmlSource struct {
	N                                int
	Title, Link, Address, Date, Read string
	Warning, Hash                    string
	Quotes                           []htmlQuote
}

type htmlQuote struct {
	Statement, Quote, Where, Verdict, Class, Reason, Judge string
}

var languageForm = regexp.MustCompile(`^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*$`)

const htmlTime = "2 January 2006, 15:04 UTC"

// HTML gives a report as one page that stands alone. Nothing is loaded and nothing
// runs: a Content-Security-Policy in the page forbids all but its own style. A number
// of a source in the text leads to the source below, with what it was quoted with, the
// verdict and the time it was fetched. Links go to cited sources on the web and nowhere
// else. It reads on a phone, in the dark and on paper.
func HTML(r citewell.Report) string {
	p := htmlPage{Title: cmp.Or(plain(r.Title), untitled), Made: r.CreatedAt.UTC().Format(htmlTime), Outcome: plain(strings.ReplaceAll(r.Outcome, "_", " ")), Reason: plain(r.Reason), Confidence: plain(r.Confidence),
		Task: plain(r.Task), ID: plain(r.ID), Content: template.HTML(contentHTML(r)), Removed: len(r.Removed)}
	if languageForm.MatchString(r.Language) {
		p.Language = r.Language
	}
	for _, u := range r.Unverified {
		p.Unverified = append(p.Unverified, citewell.UnverifiedPhrase{Text: plain(u.Text), Detail: plain(u.Detail)})
	}
	for _, remark := range r.Remarks {
		p.Remarks = append(p.Remarks, plain(remark))
	}
	for _, s := range r.Sources {
		p.Sources = append(p.Sources, htmlSourceOf(s, r))
	}
	var w strings.Builder
	if err := pageForm.Execute(&w, p); err != nil {
		panic(err) // the template is ours, and a Builder takes all
	}
	return w.String()
}

func htmlSourceOf(s citewell.Source, r citewell.Report) htmlSource {
	url := address(s)
	h := htmlSource{N: s.N, Title: cmp.Or(cut(plain(s.Title), maxTitle), cmp.Or(plain(s.Host), untitled)), Address: plain(url), Date: plain(s.Date), Warning: cut(plain(s.Warning), maxWarning), Hash: plain(s.PageSHA256)}
	if webURL.MatchString(url) {
		h.Link = url
	}
	switch {
	case !wasRead(s):
		h.Read, h.Hash = "the page was not read; the words are a search provider's", ""
	case s.FetchedAt.IsZero():
		h.Read = "read, at a time that is not known"
	default:
		h.Read = "fetched " + s.FetchedAt.UTC().Format(htmlTime)
	}
	if s.Outcome == citewell.FetchTruncated {
		h.Read += ", not to its end"
	}
	for _, f := range r.Findings {
		for _, c := range f.Citations {
			if c.N != s.N {
				continue
			}
			q := htmlQuote{Statement: plain(f.Text), Quote: plain(c.Quote), Verdict: cmp.Or(plain(string(c.Verdict)), string(citewell.VerdictNoSource)), Reason: plain(c.Reason), Judge: plain(c.Judge)}
			q.Where = plain(c.Where)
			if slices.Contains(knownVerdicts, citewell.Verdict(q.Verdict)) {
				q.Class = q.Verdict
			}
			h.Quotes = append(h.Quotes, q)
		}
	}
	return h
}

var knownVerdicts = []citewell.Verdict{citewell.VerdictSupported, citewell.VerdictWeak, citewell.VerdictContradicted,
	citewell.VerdictUnsupported, citewell.VerdictSnippetOnly, citewell.VerdictNoSource}
