package page

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/evidence"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/text"
)

// A citation is one of a report, as it is shown.
type citation struct {
	report.Cited
	Run       string
	Statement string
	Said      report.VerdictWord
}

func citationsOf(run string, r citewell.Report) []citation {
	var all []citation
	for _, c := range report.Citations(r) {
		all = append(all, citation{c, run, r.Findings[c.Finding].Text, report.Said(c.Stands)})
	}
	return all
}

// A pane shows the words behind a citation, in the text that was kept.
type pane struct {
	citation
	Lang             string // of the report
	All              int
	Before, After    int // the K of its neighbours; 0 where it has none
	Doubtful         int // the next that is not supported; 0 where none is
	Source           *citewell.Source
	Read             bool // the page was read, and not a search provider's words of it
	Address, Passage string
	Text             excerpt
	Trouble          string // why there is no text
	Elsewhere        []citation
}

// An excerpt is a piece of a source's text.
type excerpt struct {
	Pieces        []piece
	Start, End    int // in the whole text
	Total         int
	SkippedBefore int
	SkippedAfter  int
	TextSHA256    string
	Lang          string // as far as it can be told
}

// A piece is cited, or is not.
type piece struct {
	Words []report.Piece
	K     int // of the citation; 0 where none cites it
	Main  bool
}

// around is how many bytes of the text are shown on each side of a cited span; a paragraph is not cut for so many more.
const (
	around = 2000
	slack  = 600
)

// citation is GET /runs/{id}/c/{k}: the report with a citation open.
func (s *Site) citation(w http.ResponseWriter, r *http.Request, status job.Status) error {
	if !status.State.Ended() {
		seeOther(w, "/runs/"+status.ID)
		return nil
	}
	p, err := s.reportPage(r, status)
	if err != nil {
		return err
	}
	if p.Pane, err = s.paneOf(r, p.Result); err != nil {
		return err
	}
	return show(w, http.StatusOK, "report.html", p)
}

// pane is the part of citation that a page that is there already wants.
func (s *Site) pane(w http.ResponseWriter, r *http.Request, status job.Status) error {
	result, err := s.o.Desk.Result(r.Context(), status.ID)
	if err != nil {
		return err
	}
	p, err := s.paneOf(r, result)
	if err != nil {
		return err
	}
	return show(w, http.StatusOK, "pane", p)
}

func (s *Site) paneOf(r *http.Request, result agent.Result) (*pane, error) {
	if result.Report == nil {
		return nil, notFound("the run has no report", "what it read is on its page")
	}
	all := citationsOf(result.ID, *result.Report)
	k, err := strconv.Atoi(r.PathValue("k"))
	if err != nil || k < 1 || k > len(all) {
		return nil, notFound(fmt.Sprintf("the report has no citation %.20q", r.PathValue("k")),
			fmt.Sprintf("its citations are 1 to %d", len(all)))
	}
	p := &pane{citation: all[k-1], Lang: result.Report.Language, All: len(all), Before: k - 1}
	if k < len(all) {
		p.After = k + 1
	}
	for i := range all {
		if next := all[(k+i)%len(all)]; next.Verdict != citewell.VerdictSupported && p.Doubtful == 0 && next.K != k {
			p.Doubtful = next.K
		}
	}
	i := slices.IndexFunc(result.Sources, func(s citewell.Source) bool { return s.N == p.N })
	if i < 0 {
		p.Trouble = fmt.Sprintf("The run has no source %d: nothing was read that this sentence could lean on.", p.N)
		return p, nil
	}
	source := result.Sources[i]
	p.Source, p.Read, p.Address = &source, report.WasRead(source), report.LiveAddress(source, p.Quote)
	for _, c := range all {
		if c.N == p.N && c.K != k {
			p.Elsewhere = append(p.Elsewhere, c)
		}
	}
	p.Text, p.Trouble, err = s.excerpt(r, result, p.citation, p.Elsewhere)
	return p, err
}

// excerpt is the text around a citation; trouble says why there is none.
func (s *Site) excerpt(r *http.Request, result agent.Result, main citation,
	others []citation) (e excerpt, trouble string, err error) {
	from := max(0, main.Start-around-slack)
	t, err := s.o.Evidence.Text(r.Context(), result, main.N, from, main.End+around+slack)
	if trouble, err = untold(err); err != nil || trouble != "" {
		return e, trouble, err
	}
	start, end := main.Start-t.Start, main.End-t.Start
	if start < 0 || end > len(t.Text) || start >= end || t.Text[start:end] != main.Quote {
		return e, "The quoted words do not stand where they were found in the text that is kept. Nothing is marked.",
			nil
	}
	first, last := cutBefore(t.Text, start, t.Start > 0), cutAfter(t.Text, end, t.End < t.Total)
	e = excerpt{Start: t.Start + first, End: t.Start + last, Total: t.Total, TextSHA256: t.TextSHA256}
	e.SkippedBefore, e.SkippedAfter = e.Start, e.Total-e.End
	e.Pieces, e.Lang = piecesOf(t.Text, t.Start, first, last, main, others), text.Language(t.Text[first:last])
	return e, "", nil
}

// untold says in words why a text cannot be shown that a reader may ask for.
func untold(err error) (trouble string, other error) {
	switch citewell.CodeOf(err) {
	case "":
		return "", nil
	case citewell.CodeNotFound:
		return "No text of this source is kept: " + citewell.View(err).Message + ".", nil
	case citewell.CodeStoreFailed: // it says of itself whether it was altered, is gone or could not be read
		return "The kept text cannot be shown: " + citewell.View(err).Message + ". Nothing is marked.", nil
	}
	return "", err
}

// cutBefore is where an excerpt begins: at a paragraph, where one begins within slack.
func cutBefore(text string, start int, cut bool) int {
	if start-around <= slack && !cut {
		return 0
	}
	from := max(0, start-around)
	if at := strings.LastIndex(text[:from], "\n\n"); at >= 0 && from-at <= slack {
		return at + 2
	}
	if at := strings.IndexAny(text[from:start], " \n"); at >= 0 {
		return from + at + 1
	}
	for from < start && !utf8.RuneStart(text[from]) {
		from++
	}
	return from
}

// cutAfter is where it ends.
func cutAfter(text string, end int, cut bool) int {
	if len(text)-end <= around+slack && !cut {
		return len(text)
	}
	to := min(len(text), end+around)
	if at := strings.Index(text[to:], "\n\n"); at >= 0 && at <= slack {
		return to + at
	}
	if at := strings.LastIndexAny(text[end:to], " \n"); at >= 0 {
		return end + at
	}
	for to > end && to < len(text) && !utf8.RuneStart(text[to]) {
		to--
	}
	return to
}

// piecesOf takes text[first:last] apart, by what cites it. offset is where text begins in the whole. What the main
// citation cites is one piece; of others what does not overlap with what was cited before.
func piecesOf(text string, offset, first, last int, main citation, others []citation) []piece {
	type span struct{ start, end, k int }
	spans := []span{{main.Start - offset, main.End - offset, main.K}}
	for _, c := range others {
		spans = append(spans, span{c.Start - offset, c.End - offset, c.K})
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	words := func(from, to int) []report.Piece {
		return shownPieces(report.Pieces(text[from:to], offset+from, main.Citation))
	}
	var pieces []piece
	at := first
	for _, sp := range spans {
		start, end := max(sp.start, at), min(sp.end, last)
		if sp.k != main.K {
			if start < main.End-offset && end > main.Start-offset { // the main one is shown whole
				if end = min(end, main.Start-offset); start >= end {
					continue
				}
			}
		} else {
			start = max(sp.start, first)
		}
		if start >= end || start < at || !utf8.RuneStart(text[start]) || end < len(text) && !utf8.RuneStart(text[end]) {
			continue
		}
		if start > at {
			pieces = append(pieces, piece{Words: words(at, start)})
		}
		pieces = append(pieces, piece{words(start, end), sp.k, sp.k == main.K})
		at = end
	}
	if at < last {
		pieces = append(pieces, piece{Words: words(at, last)})
	}
	return pieces
}

// A sourcePage is the whole text of a source, with all that is cited of it.
type sourcePage struct {
	head
	Source  citewell.Source
	Read    bool
	Address string
	Text    excerpt
	Trouble string
	Cites   []citation
	More    int // where the text goes on; 0 at its end
}

// sourcePiece is how many bytes of a source one page shows.
const sourcePiece = 100_000

// langPiece is how many of them say in which language the text is.
const langPiece = 10_000

// source is GET /runs/{id}/s/{n}.
func (s *Site) source(w http.ResponseWriter, r *http.Request, status job.Status) error {
	if !status.State.Ended() {
		seeOther(w, "/runs/"+status.ID)
		return nil
	}
	result, err := s.o.Desk.Result(r.Context(), status.ID)
	if err != nil {
		return err
	}
	n, _ := strconv.Atoi(r.PathValue("n"))
	i := slices.IndexFunc(result.Sources, func(s citewell.Source) bool { return s.N == n })
	if i < 0 {
		return notFound(fmt.Sprintf("the run has no source %.20q", r.PathValue("n")),
			"its sources are on the page of the run")
	}
	p := sourcePage{head: s.head(r, status), Source: result.Sources[i]}
	p.Title, p.Read, p.Address = cmp.Or(p.Source.Title, p.Source.Host), report.WasRead(p.Source),
		report.WebAddress(p.Source)
	if result.Report != nil {
		for _, c := range citationsOf(result.ID, *result.Report) {
			if c.N == n {
				p.Cites = append(p.Cites, c)
			}
		}
	}
	start, _ := strconv.Atoi(r.URL.Query().Get("start"))
	t, err := s.o.Evidence.Text(r.Context(), result, n, start, max(start, 0)+sourcePiece)
	if p.Trouble, err = untold(err); err != nil {
		return err
	}
	if p.Trouble == "" {
		p.Text = wholeText(t, p.Cites)
		if t.End < t.Total {
			p.More = t.End
		}
	}
	return show(w, http.StatusOK, "source.html", p)
}

func wholeText(t evidence.Text, cites []citation) excerpt {
	nothing := citation{}
	nothing.Start, nothing.End = t.End, t.End
	return excerpt{Pieces: piecesOf(t.Text, t.Start, 0, len(t.Text), nothing, cites), Start: t.Start, End: t.End,
		Total: t.Total, TextSHA256: t.TextSHA256, Lang: text.Language(t.Text[:min(len(t.Text), langPiece)]),
		SkippedBefore: t.Start, SkippedAfter: t.Total - t.End}
}
