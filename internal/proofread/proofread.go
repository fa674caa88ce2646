// Package proofread reads a written text with the pages and files that it cites, and says which of its sentences they
// support.
//
// Flow: Markdown → every citation as [n] with its target (citations.go) → each target read once → agent.Sentences →
// claim.Check of each that cites → Report.
// Units: lines are counted from 1, spans are bytes of the cited page's text.
// Errors: citations_failed (the text cites nothing), canceled. A page that cannot be read keeps its error and stops
// nothing: its sentences have the verdict no-source.
// Concurrency: a few pages are read at once, sentences are checked on every processor.
package proofread

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/claim"
	"github.com/citewell/citewell/internal/quantity"
	"github.com/citewell/citewell/internal/text"
	"golang.org/x/sync/errgroup"
)

const (
	readAtOnce = 4
	maxPages   = 200 // of one text; of the others it is said that they were not read
	// of one text, some 15 ms of a processor each; of the others it is said that they were not checked
	maxSentences = 5000
)

// A Reader reads what a text cites: a URL, or a path that is relative to the text. It is
// called from several goroutines.
type Reader func(ctx context.Context, target string) (citewell.Page, citewell.Document, error)

// A Report says how the sentences of a text stand.
type Report struct {
	Summary   Summary    `json:"summary"`
	Sentences []Sentence `json:"sentences"` // those that cite, in the order of the text
	Uncited   []Words    `json:"uncited"`   // those that state something and cite nothing
	// those of footnotes, references and links alone that only name a page, as far as code can tell
	Named []Words `json:"named"`
	Pages []Page  `json:"pages"` // each once, in the order of their first citation
}

// A Summary counts the sentences by their verdict.
type Summary struct {
	Cited        int `json:"cited"`
	Supported    int `json:"supported"`
	Partly       int `json:"partly"`
	Undecided    int `json:"undecided"` // words cannot tell, and no judge was asked
	Contradicted int `json:"contradicted"`
	Unsupported  int `json:"unsupported"`
	NoSource     int `json:"no_source"` // what they cite could not be read
	Uncited      int `json:"uncited"`
	Named        int `json:"named"`
	Pages        int `json:"pages"`
	Unread       int `json:"unread"` // pages that could not be read
}

// A Sentence is one that cites. Its verdict is no-source where what it cites could not be
// read, or not all of it and what was read does not bear it out.
type Sentence struct {
	Line    int              `json:"line"`
	Text    string           `json:"text"`
	Verdict citewell.Verdict `json:"verdict"`
	By      string           `json:"by,omitempty"`
	Reason  string           `json:"reason"`
	Quote   string           `json:"quote,omitempty"`
	Start   *int             `json:"start,omitempty"`
	End     *int             `json:"end,omitempty"`
	Where   string           `json:"where,omitempty"` // the page or slide of the quote
	Pages   []int            `json:"pages"`           // numbers of the pages that it cites
	Page    int              `json:"page,omitempty"`  // number of the one that the quote is from

	marked string // Text, with a sign on either side of the words of a link
	beside bool   // it may only name what it cites
	answer claim.Answer
}

// Words are a sentence that was not held against anything.
type Words struct {
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
	Truncated  bool                  `json:"truncated,omitempty"` // its text was read in part
	Note       string                `json:"note,omitempty"`      // what of it was not read, and why

	text claim.Text
	err  error
}

// A Teller hears how far a check is.
type Teller struct {
	Read    func(Page)         // of each page that was read
	Checked func(done, of int) // of each sentence
	// Judge is asked of sentences that words leave undecided; nil asks nobody.
	Judge claim.Ask
	// Unjudged hears why sentences were not judged.
	Unjudged func(error)
}

// Check reads what content cites and says which of its sentences hold.
func Check(ctx context.Context, content string, read Reader, tell Teller) (Report, error) {
	r := takeApart(content)
	none := &citewell.Error{Code: citewell.CodeCitationsFailed, Op: "check",
		Message: "no sentence of the text cites a page, so there is nothing to check",
		Hint: "a citation is a link, an address, [1] with a list of references at the end, or [^1] with its " +
			"footnote; " +
			"code between fences is not read"}
	if len(r.Sentences) == 0 {
		return r, none
	}
	if err := r.fetchPages(ctx, read, tell.Read); err != nil {
		return r, err
	}
	if err := r.judge(ctx, tell.Checked); err != nil {
		return r, err
	}
	if err := r.askJudge(ctx, tell.Judge); err != nil && tell.Unjudged != nil {
		tell.Unjudged(err)
	}
	if r.count(); len(r.Sentences) == 0 {
		return r, none
	}
	return r, nil
}

// judge holds the sentences against their pages, and takes out those that only name one.
func (r *Report) judge(ctx context.Context, tell func(done, of int)) error {
	var g errgroup.Group
	var telling sync.Mutex
	done := 0
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range r.Sentences {
		g.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if r.Sentences[i].judge(r.Pages, i < maxSentences); tell != nil {
				telling.Lock()
				defer telling.Unlock()
				done++
				tell(done, len(r.Sentences))
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	r.Sentences = slices.DeleteFunc(r.Sentences, func(s Sentence) bool {
		if s.onlyNames(r.Pages) {
			r.Named = append(r.Named, Words{s.Line, s.Text})
			return true
		}
		return false
	})
	slices.SortStableFunc(r.Named, func(a, b Words) int { return a.Line - b.Line })
	return nil
}

// askJudge puts the sentences that words leave undecided to the judge.
func (r *Report) askJudge(ctx context.Context, judge claim.Ask) error {
	answers := make([]claim.Answer, len(r.Sentences))
	for i, s := range r.Sentences {
		answers[i] = s.answer
	}
	judged, err := claim.Judge(ctx, judge, answers)
	for i, a := range judged {
		if s := &r.Sentences[i]; s.Verdict == citewell.VerdictUndecided && a.Verdict != citewell.VerdictUndecided {
			s.take(a)
		}
	}
	return err
}

// take shows what came of holding the sentence against its pages.
func (s *Sentence) take(a claim.Answer) {
	s.answer = a
	s.Verdict, s.Reason, s.By, s.Quote, s.Where = a.Verdict, a.Reason, a.By, a.Quote, a.Where
	if a.Quote != "" {
		s.Start, s.End = &a.Start, &a.End
	}
}

// onlyNames says whether a sentence beside a source says nothing that the source bears out
// or denies, as a title or the name of a journal, and gives no quantity. What is the title
// of the page names it.
func (s Sentence) onlyNames(pages []Page) bool {
	switch {
	case !s.beside:
		return false
	case slices.ContainsFunc(s.Pages, func(n int) bool {
		return strings.Contains(text.Fold(pages[n-1].Title), strings.Trim(text.Fold(s.Text), ". -–—:|"))
	}):
		return true
	case s.Verdict == citewell.VerdictSupported, s.Verdict == citewell.VerdictContradicted:
		return false
	}
	return s.Verdict == citewell.VerdictNoSource || !slices.ContainsFunc(
		quantity.Figures(text.Read(s.Text, text.LikelyLanguage(s.Text))), func(f quantity.Figure) bool {
			return f.Dimension != quantity.DimensionCount
		})
}

// fetchPages reads every page that a sentence cites.
func (r *Report) fetchPages(ctx context.Context, read Reader, tell func(Page)) error {
	var telling sync.Mutex
	var g errgroup.Group
	g.SetLimit(readAtOnce)
	for i := range r.Pages {
		p := &r.Pages[i]
		g.Go(func() error {
			switch {
			case p.unexplained():
				p.fail(&citewell.Error{Code: citewell.CodeNotFound, Op: "check",
					Message: "the text does not say what " + p.Cited + " is"})
			case i >= maxPages:
				p.fail(&citewell.Error{Code: citewell.CodeBudgetExhausted, Op: "check",
					Message: fmt.Sprintf("it was not read: the text cites more than %d pages", maxPages)})
			default:
				p.fetch(ctx, read)
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

// unexplained says whether the text cites something and does not say what it is.
func (p *Page) unexplained() bool { return strings.HasPrefix(p.Cited, "[") }

// fetch reads one page.
func (p *Page) fetch(ctx context.Context, read Reader) {
	page, doc, err := read(ctx, p.Cited)
	if err == nil && strings.TrimSpace(doc.Text) == "" {
		err = &citewell.Error{Code: citewell.CodeExtractionFailed, Op: "check", Message: "the page holds no text"}
	}
	if err != nil {
		p.fail(err)
		return
	}
	sources := claim.OfPage(ctx, page, doc, func(ctx context.Context, address string) (citewell.Document, error) {
		_, said, err := read(ctx, address)
		return said, err
	})
	p.URL, p.Title, p.TextSHA256, p.Outcome, p.text = page.FinalURL, doc.Title, doc.TextSHA256, page.Outcome,
		sources.Text
	p.Note = sources.Note
	p.Truncated = page.Outcome == citewell.FetchTruncated || doc.Truncated
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
func (s *Sentence) judge(pages []Page, inTime bool) {
	if !inTime {
		s.Verdict, s.Reason = citewell.VerdictNoSource, fmt.Sprintf("it was not checked: the text has more than %d "+
			"sentences that cite", maxSentences)
		return
	}
	var unread *Page // or in part
	var a claim.Answer
	for _, n := range s.Pages {
		p := &pages[n-1]
		if p.err != nil {
			unread = p
			continue
		}
		if p.Truncated && unread == nil {
			unread = p
		}
		if own := claim.Check(s.claim(p.Title), p.text); s.Page == 0 || better(own.Verdict, a.Verdict) {
			a, s.Page = own, n
		}
	}
	if s.take(a); a.Quote == "" {
		s.Page = 0
	}
	if unread != nil && a.Verdict != citewell.VerdictSupported && a.Verdict != citewell.VerdictContradicted {
		s.Verdict = citewell.VerdictNoSource
		switch {
		case unread.err == nil:
			s.Reason = fmt.Sprintf("only the first part of %s was read, and that does not bear it out", unread.Cited)
		case unread.unexplained():
			s.Reason = unread.Error.Message
		default:
			s.Reason = fmt.Sprintf("%s could not be read: %s", unread.Cited, unread.Outcome)
		}
	}
}

// claim is what the sentence says of a page: a link at its end whose words are the title of
// the page, two or more, only names it, but where a function word leads to them.
func (s *Sentence) claim(title string) string {
	end := strings.TrimRight(s.marked, ".!?。！？ ")
	links := linked.FindAllStringIndex(end, -1)
	if links == nil || len(text.Words(title)) < 2 {
		return s.Text
	}
	last := links[len(links)-1]
	before := strings.TrimRight(asText.Replace(end[:last[0]]), " (")
	said := text.Words(before)
	if last[1] < len(end) || text.Fold(asText.Replace(end[last[0]:])) != text.Fold(title) || len(said) == 0 ||
		text.IsStop(text.LikelyLanguage(before), said[len(said)-1].Text) {
		return s.Text
	}
	return before + "."
}

// better says whether one page's verdict says more of a sentence than another's.
func better(a, b citewell.Verdict) bool {
	order := []citewell.Verdict{citewell.VerdictUnsupported, citewell.VerdictUndecided, citewell.VerdictContradicted,
		citewell.VerdictPartly, citewell.VerdictSupported}
	return slices.Index(order, a) > slices.Index(order, b)
}

// count makes the summary.
func (r *Report) count() {
	c := Summary{Cited: len(r.Sentences), Uncited: len(r.Uncited), Named: len(r.Named), Pages: len(r.Pages)}
	for _, s := range r.Sentences {
		switch s.Verdict {
		case citewell.VerdictSupported:
			c.Supported++
		case citewell.VerdictPartly:
			c.Partly++
		case citewell.VerdictUndecided:
			c.Undecided++
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
	case c.Partly+c.Contradicted+c.Unsupported > 0:
		return &citewell.Error{Code: citewell.CodeCitationsFailed, Op: "check",
			Message: fmt.Sprintf("%s not borne out by what they cite",
				text.Count(c.Partly+c.Contradicted+c.Unsupported, "sentence"))}
	case c.NoSource > 0:
		return &citewell.Error{Code: citewell.CodeRunIncomplete, Op: "check",
			Message: fmt.Sprintf("%s could not be checked", text.Count(c.NoSource, "sentence"))}
	case c.Undecided > 0:
		return &citewell.Error{Code: citewell.CodeRunIncomplete, Op: "check",
			Message: fmt.Sprintf("%s undecided: words cannot tell whether the sources say it",
				text.Count(c.Undecided, "sentence")),
			Hint: "set llm or judge, so that a model is asked"}
	}
	return nil
}
