// Package proofread reads a text that somebody wrote, with the pages and files that it
// cites, and says which of its sentences these bear out.
//
// Flow: Markdown → every citation as [n] with its target (citations.go) → each target read
// once → agent.Sentences → claim.Check of each that cites → Report.
// Units: lines are counted from 1, spans are bytes of the cited page's text.
// Errors: citations_failed (the text cites nothing), canceled. A page that cannot be read
// keeps its error and stops nothing: its sentences have the verdict no-source.
// Concurrency: a few pages are read at once, sentences are checked on every processor.
package proofread

import (
	"context"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/agent"
	"github.com/citewell/citewell/internal/claim"
	"github.com/citewell/citewell/text"
	"golang.org/x/sync/errgroup"
)

const (
	readAtOnce = 4
	maxPages   = 200 // of one text; of the others it is said that they were not read
)

// A Reader reads what a text cites: a URL, or a path that is relative to the text. It is
// called from several goroutines.
type Reader func(ctx context.Context, target string) (citewell.Page, citewell.Document, error)

// A Report says how the sentences of a text stand.
type Report struct {
	Summary   Summary    `json:"summary"`
	Sentences []Sentence `json:"sentences"` // those that cite, in the order of the text
	Uncited   []Uncited  `json:"uncited"`   // those that state something and cite nothing
	Pages     []Page     `json:"pages"`     // each once, in the order of their first citation
}

// A Summary counts the sentences by their verdict.
type Summary struct {
	Cited        int `json:"cited"`
	Supported    int `json:"supported"`
	Weak         int `json:"weak"`
	Contradicted int `json:"contradicted"`
	Unsupported  int `json:"unsupported"`
	NoSource     int `json:"no_source"` // what they cite could not be read
	Uncited      int `json:"uncited"`
	Pages        int `json:"pages"`
	Unread       int `json:"unread"` // pages that could not be read
}

// A Sentence is one that cites. Its verdict is no-source where what it cites could not be
// read, or not all of it and the rest does not bear it out.
type Sentence struct {
	Line    int              `json:"line"`
	Text    string           `json:"text"`
	Verdict citewell.Verdict `json:"verdict"`
	Reason  string           `json:"reason"`
	Quote   string           `json:"quote,omitempty"`
	Start   *int             `json:"start,omitempty"`
	End     *int             `json:"end,omitempty"`
	Where   string           `json:"where,omitempty"` // the page or slide of the quote
	Pages   []int            `json:"pages"`           // numbers of the pages that it cites
	Page    int              `json:"page,omitempty"`  // number of the one that the quote is from
}

// An Uncited is a sentence that states something and cites nothing.
type Uncited struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// A Page is what became of one cited page or file.
type Page struct {
	N          int                   `json:"n"`
	Cited      string                `json:"cited"` // as the text has it
	URL        string                `json:"url,omitempty"`
	Title      string                `json:"title,omitempty"`
	TextSHA256 string                `json:"text_sha256,omitempty"`
	Outcome    citewell.FetchOutcome `json:"outcome"`
	Error      *citewell.ErrorView   `json:"error,omitempty"`

	text claim.Text
	err  error
}

// Check reads what content cites and says which of its sentences hold. Tell hears of each
// page that was read; nil does not want to.
func Check(ctx context.Context, content string, read Reader, tell func(Page)) (Report, error) {
	plain, cited := numbered(content)
	r := Report{Sentences: []Sentence{}, Uncited: []Uncited{}, Pages: []Page{}}
	line, counted := 1, 0
	for _, s := range agent.Sentences(plain) {
		line, counted = line+strings.Count(plain[counted:s.Start], "\n"), s.Start
		own := asText.Replace(s.Text)
		switch {
		case onlyLinks(s.Text): // it names a page and says nothing of it
		case len(s.Marks) > 0:
			r.Sentences = append(r.Sentences, Sentence{Line: line, Text: own, Pages: r.cite(s.Marks, cited)})
		case s.Factual:
			r.Uncited = append(r.Uncited, Uncited{line, own})
		}
	}
	if len(r.Sentences) == 0 {
		return r, &citewell.Error{Code: citewell.CodeCitationsFailed, Op: "check", Message: "no sentence of the text cites a page, so there is nothing to check",
			Hint: "a citation is a link, an address, [1] with a list of references at the end, or [^1] with its footnote"}
	}
	if err := r.read(ctx, read, tell); err != nil {
		return r, err
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range r.Sentences {
		g.Go(func() error {
			if ctx.Err() == nil {
				r.Sentences[i].judge(r.Pages)
			}
			return ctx.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return r, err
	}
	r.count()
	return r, nil
}

var linked = regexp.MustCompile(linkOpens + "[^" + linkCloses + "]*" + linkCloses)

// onlyLinks says whether words are links and nothing that says more than where to look. A
// title has no full stop; a sentence that is a link as a whole has one.
func onlyLinks(words string) bool {
	rest := strings.TrimSpace(linked.ReplaceAllString(words, ""))
	before := strings.TrimRight(rest, ".。 ")
	return linked.MatchString(words) && (strings.HasSuffix(before, ":") || before == rest && len(text.Terms(rest, "")) == 0)
}

// cite gives the numbers of the pages that the marks of a sentence stand for.
func (r *Report) cite(marks []int, cited []citewell.Source) []int {
	var pages []int
	for _, n := range marks {
		target := fmt.Sprintf("[%d]", n)
		if i := slices.IndexFunc(cited, func(s citewell.Source) bool { return s.N == n }); i >= 0 {
			target = cited[i].URL
		}
		at := slices.IndexFunc(r.Pages, func(p Page) bool { return p.Cited == target })
		if at < 0 {
			at, r.Pages = len(r.Pages), append(r.Pages, Page{N: len(r.Pages) + 1, Cited: target})
		}
		pages = append(pages, at+1)
	}
	return pages
}

// read reads every page that a sentence cites.
func (r *Report) read(ctx context.Context, read Reader, tell func(Page)) error {
	var telling sync.Mutex
	var g errgroup.Group
	g.SetLimit(readAtOnce)
	for i := range r.Pages {
		p := &r.Pages[i]
		g.Go(func() error {
			switch {
			case strings.HasPrefix(p.Cited, "["):
				p.fail(&citewell.Error{Code: citewell.CodeNotFound, Op: "check", Message: "the text does not say what " + p.Cited + " is"})
			case i >= maxPages:
				p.fail(&citewell.Error{Code: citewell.CodeBudgetExhausted, Op: "check", Message: fmt.Sprintf("it was not read: the text cites more than %d pages", maxPages)})
			default:
				p.read(ctx, read)
			}
			if tell != nil {
				telling.Lock()
				defer telling.Unlock()
				tell(*p)
			}
			return ctx.Err()
		})
	}
	return g.Wait()
}

func (p *Page) read(ctx context.Context, read Reader) {
	page, doc, err := read(ctx, p.Cited)
	if err == nil && strings.TrimSpace(doc.Text) == "" {
		err = &citewell.Error{Code: citewell.CodeExtractionFailed, Op: "check", Message: "the page holds no text"}
	}
	if err != nil {
		p.fail(err)
		return
	}
	p.URL, p.Title, p.TextSHA256, p.Outcome, p.text = page.FinalURL, doc.Title, doc.TextSHA256, page.Outcome, claim.Read(doc)
}

// fail notes why the page was not read. What never ends a fetch, as a file that is not
// there, is named by its code.
func (p *Page) fail(err error) {
	view := citewell.View(err)
	p.err, p.Error, p.Outcome = err, &view, view.Code.Row().Fetch
	if p.Outcome == "" {
		p.Outcome = citewell.FetchOutcome(strings.ReplaceAll(string(view.Code), "_", "-"))
	}
}

// judge holds the sentence against the pages that it cites.
func (s *Sentence) judge(pages []Page) {
	var unread *Page
	var a claim.Answer
	for _, n := range s.Pages {
		p := &pages[n-1]
		if p.err != nil {
			unread = p
			continue
		}
		if own := claim.Check(s.Text, p.text); s.Page == 0 || better(own.Verdict, a.Verdict) {
			a, s.Page = own, n
		}
	}
	s.Verdict, s.Reason, s.Quote, s.Where = a.Verdict, a.Reason, a.Quote, a.Where
	if a.Quote == "" {
		s.Page = 0
	} else {
		s.Start, s.End = &a.Start, &a.End
	}
	if unread != nil && a.Verdict != citewell.VerdictSupported && a.Verdict != citewell.VerdictContradicted {
		s.Verdict, s.Reason = citewell.VerdictNoSource, fmt.Sprintf("%s could not be read: %s", unread.Cited, unread.Outcome)
	}
}

// better says whether one page's verdict says more of a sentence than another's.
func better(a, b citewell.Verdict) bool {
	order := []citewell.Verdict{citewell.VerdictUnsupported, citewell.VerdictContradicted, citewell.VerdictWeak, citewell.VerdictSupported}
	return slices.Index(order, a) > slices.Index(order, b)
}

// count makes the summary.
func (r *Report) count() {
	c := Summary{Cited: len(r.Sentences), Uncited: len(r.Uncited), Pages: len(r.Pages)}
	for _, s := range r.Sentences {
		switch s.Verdict {
		case citewell.VerdictSupported:
			c.Supported++
		case citewell.VerdictWeak:
			c.Weak++
		case citewell.VerdictContradicted:
			c.Contradicted++
		case citewell.VerdictUnsupported:
			c.Unsupported++
		default:
			c.NoSource++
		}
	}
	for _, p := range r.Pages {
		if p.err != nil {
			c.Unread++
		}
	}
	r.Summary = c
}

// Err is nil where every sentence that cites is borne out; run_incomplete where some could
// not be checked and none of the others fails; else citations_failed.
func (r Report) Err() error {
	c := r.Summary
	switch {
	case c.Weak+c.Contradicted+c.Unsupported > 0:
		return &citewell.Error{Code: citewell.CodeCitationsFailed, Op: "check", Message: fmt.Sprintf("%s not borne out by what they cite", text.Count(c.Weak+c.Contradicted+c.Unsupported, "sentence"))}
	case c.NoSource > 0:
		return &citewell.Error{Code: citewell.CodeRunIncomplete, Op: "check", Message: fmt.Sprintf("%s could not be checked", text.Count(c.NoSource, "sentence"))}
	}
	return nil
}
