// Package evidence shows the evidence behind a run's result: the kept texts of its sources, and a fresh check of each
// citation.
//
// Flow: agent.Result → kept texts by hash → a piece of one, or a check of all citations. The caller checks first whose
// run it is.
// Units: offsets are bytes of a source's canonical text, half-open.
// Limits: a piece of text has at most MaxText bytes; checksAtOnce reports are checked at once, by turns. A check takes
// a quarter of a millisecond for each statement.
// Errors: not_found for a source that does not exist or was not read, and for a result without a report; store_failed
// for a text that does not fit its hash.
// Concurrency: a Desk serves many goroutines.
package evidence

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/turns"
)

// MaxText bounds a piece of text in bytes.
const MaxText = 1 << 20

// checksAtOnce bounds what checks take of the processors.
const checksAtOnce = 4

// A Desk is where evidence is asked for.
type Desk struct {
	kept   cite.Archive
	checks *turns.Turns
}

// New returns a Desk over what is kept. Its turns are those of the desk beside it; nil has
// its own.
func New(kept cite.Archive, beside *Desk) *Desk {
	d := &Desk{kept, turns.New(checksAtOnce)}
	if beside != nil {
		d.checks = beside.checks
	}
	return d
}

// A Text is a piece of the text of a source.
type Text struct {
	N          int    `json:"n"`
	TextSHA256 string `json:"text_sha256"`
	Total      int    `json:"total"` // bytes of the whole text
	Start      int    `json:"start"`
	End        int    `json:"end"`
	Text       string `json:"text"`
}

// Text gives the bytes [start, end) of the text of source n, drawn in to whole characters;
// end below start is the end of the text. At most MaxText bytes are given.
func (d *Desk) Text(ctx context.Context, result agent.Result, n, start, end int) (Text, error) {
	i := slices.IndexFunc(result.Sources, func(s citewell.Source) bool { return s.N == n })
	if i < 0 {
		return Text{}, &citewell.Error{Code: citewell.CodeNotFound, Op: "runs",
			Message: fmt.Sprintf("the run has no source %d", n), Hint: "GET /v1/runs/ID/sources lists them"}
	}
	s := result.Sources[i]
	if s.TextSHA256 == "" {
		return Text{}, &citewell.Error{Code: citewell.CodeNotFound, Op: "runs",
			Message: fmt.Sprintf("source %d was not read, so no text of it is kept", s.N),
			Hint:    "its snippet is what a search provider said of it"}
	}
	whole, err := d.kept.Blob(ctx, s.TextSHA256)
	if err != nil {
		return Text{}, err
	}
	if end < start {
		end = len(whole)
	}
	t := Text{N: s.N, TextSHA256: s.TextSHA256, Total: len(whole)}
	t.Start, t.End = Span(whole, start, end)
	t.Text = string(whole[t.Start:t.End])
	return t, nil
}

// Span gives those bytes of [start, end) that a text has, drawn in to whole characters and to
// MaxText bytes.
func Span[T string | []byte](text T, start, end int) (from, to int) {
	from = min(max(start, 0), len(text))
	to = min(max(end, from), len(text), from+MaxText)
	for from < to && !utf8.RuneStart(text[from]) {
		from++
	}
	for to > from && to < len(text) && !utf8.RuneStart(text[to]) {
		to--
	}
	return from, to
}

// A Verification is what checking every citation of a report again found, and when.
type Verification struct {
	cite.Verification
	CheckedAt time.Time `json:"checked_at"`
}

// Verify checks every citation of a result's report again, against what is kept.
func (d *Desk) Verify(ctx context.Context, result agent.Result) (Verification, error) {
	if result.Report == nil {
		return Verification{}, &citewell.Error{Code: citewell.CodeNotFound, Op: "runs",
			Message: "the run has no report: it is " + string(result.State), Hint: "its result: GET /v1/runs/ID/result"}
	}
	leave, err := d.checks.Enter(ctx)
	if err != nil {
		return Verification{}, err
	}
	defer leave()
	v, err := cite.Verify(ctx, result.Report.Brief(), d.kept)
	return Verification{v, time.Now().UTC().Truncate(time.Second)}, err
}
