package brief

import (
	"context"
	"slices"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/search"
)

// localProvider is the provider whose results are read from the archive.
const localProvider = "local"

// spareReads is how many pages beyond the depth may be read: leaders that a slower
// provider then pushed down, and replacements for pages that could not be read.
const spareReads = 2

// A reading is one page being read, and then what came of it. Its fields below
// result belong to the reading goroutine until it was received from reader.done.
type reading struct {
	result  search.Ranked
	page    citewell.Page
	doc     citewell.Document
	outcome citewell.FetchOutcome
	detail  string
	elapsed time.Duration
	broken  error // the archive could not keep it: the brief cannot go on
}

func (r *reading) report() citewell.FetchReport {
	return citewell.FetchReport{URL: r.result.URL, Outcome: r.outcome, ElapsedMS: r.elapsed.Milliseconds(), Detail: r.detail}
}

// A reader reads pages side by side, at most budget of them, none twice.
type reader struct {
	w       *Writer
	p       *progress
	budget  int
	started map[string]*reading // by canonical URL
	done    chan *reading       // holds as many as are ever started: no reading waits
	cancel  context.CancelFunc
	ctx     context.Context
}

func (w *Writer) newReader(ctx context.Context, depth int, p *progress) *reader {
	ctx, cancel := context.WithCancel(ctx)
	budget := depth + spareReads
	return &reader{w: w, p: p, budget: budget, started: map[string]*reading{},
		done: make(chan *reading, budget), ctx: ctx, cancel: cancel}
}

// start begins to read a result unless it is being read or the budget is used up,
// and says whether it is being read now.
func (rd *reader) start(result search.Ranked) bool {
	if rd.started[result.Key] != nil {
		return true
	}
	if len(rd.started) >= rd.budget {
		return false
	}
	r := &reading{result: result}
	rd.started[result.Key] = r
	go func() {
		began := time.Now()
		rd.p.tell(Event{Kind: EventReading, Subject: result.URL})
		rd.w.read(rd.ctx, r)
		r.elapsed = time.Since(began)
		rd.p.read(result.URL, r.outcome, len(r.doc.Passages), r.elapsed)
		rd.done <- r
	}()
	return true
}

// read gets one page, extracts its document and keeps both.
func (w *Writer) read(ctx context.Context, r *reading) {
	page, err := w.page(ctx, r.result)
	if err != nil {
		r.fail(err)
		return
	}
	extracting, cancel := context.WithTimeout(ctx, w.o.Deadlines.Extract)
	defer cancel()
	doc, err := w.o.Extract(extracting, page)
	if err != nil {
		r.fail(err)
		return
	}
	r.page, r.doc, r.outcome = page, doc, page.Outcome
	switch {
	case doc.LowYield:
		r.outcome = citewell.FetchLowYield
	case page.Outcome == citewell.FetchTruncated:
		r.detail = "only the first part was read"
	case doc.Degraded != "":
		r.detail = "read by a fallback: " + doc.Degraded
	}
	if err := w.o.Archive.PutSnapshot(ctx, page, doc); err != nil {
		if ctx.Err() != nil {
			r.fail(ctx.Err())
			return
		}
		r.broken = err
	}
}

func (r *reading) fail(err error) {
	r.page, r.doc = citewell.Page{}, citewell.Document{}
	r.outcome = citewell.FetchOutcomeOf(err)
	r.detail = citewell.View(err).Message
}

// page gives a local result from the archive, and any other from the network.
func (w *Writer) page(ctx context.Context, result search.Ranked) (citewell.Page, error) {
	if slices.Equal(result.Providers, []string{localProvider}) {
		page, _, err := w.o.Archive.Snapshot(ctx, result.URL)
		return page, err
	}
	return w.o.Fetcher.Get(ctx, fetch.Request{URL: result.URL, Timeout: w.o.Deadlines.Fetch, SameSite: true})
}
