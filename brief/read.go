package brief

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/outcomes"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/search"
)

// spareReads is how many pages beyond the depth may be read: leaders that a slower
// provider then pushed down, and replacements for pages that could not be read.
const spareReads = 2

// errNotNeeded ends the reading of leaders that other results have overtaken.
var errNotNeeded = errors.New("other results turned out better")

// A reading is one page being read, and then what came of it. Its fields below
// result belong to the reading goroutine until it was received from reader.done.
type reading struct {
	result  search.Ranked
	page    citewell.Page
	doc     citewell.Document
	outcome citewell.FetchOutcome
	detail  string
	elapsed time.Duration
	broken  error    // the archive could not keep it: the brief cannot go on
	copies  []string // URLs of what was read and says the same
}

func (r *reading) report() citewell.FetchReport {
	return citewell.FetchReport{URL: r.result.URL, Outcome: r.outcome, ElapsedMS: r.elapsed.Milliseconds(),
		Detail: r.detail}
}

// A reader reads pages side by side, at most budget of them, none twice.
type reader struct {
	w       *Writer
	p       *progress
	texts   *text.Readings
	budget  int
	started map[string]*reading // by canonical URL
	done    chan *reading       // holds as many as are ever started: no reading waits
	cancel  context.CancelCauseFunc
	ctx     context.Context
}

func (w *Writer) newReader(ctx context.Context, depth int, texts *text.Readings, p *progress) *reader {
	ctx, cancel := context.WithCancelCause(ctx)
	budget := depth + spareReads
	return &reader{w: w, p: p, texts: texts, budget: budget, started: map[string]*reading{},
		done: make(chan *reading, budget+maxCopies), ctx: ctx, cancel: cancel}
}

// start begins to read a result unless it is being read or the budget is used up,
// and says whether it is being read now.
func (rd *reader) start(result search.Ranked) bool {
	if rd.find(result) != nil {
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
		rd.w.read(rd.ctx, result, r)
		r.elapsed = time.Since(began)
		rd.p.read(result.URL, r.outcome, len(r.doc.Passages), r.elapsed)
		rd.done <- r
	}()
	return true
}

// find gives what was started of a result: of a work, at whichever of its addresses was known
// then.
func (rd *reader) find(result search.Ranked) *reading {
	for _, key := range result.Keys {
		if r := rd.started[key]; r != nil {
			return r
		}
	}
	return nil
}

// inOrder gives everything that was started in the order of the results.
func (rd *reader) inOrder(ranked []search.Ranked) []*reading {
	var all []*reading
	for _, result := range ranked {
		if r := rd.find(result); r != nil && !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all
}

// read gets one page, extracts its document and keeps both. It ends when ctx does,
// whatever the parts make of that.
func (w *Writer) read(ctx context.Context, result search.Ranked, r *reading) {
	page, doc, note, err := w.readWork(ctx, result)
	if err != nil {
		r.fail(ctx, err)
		return
	}
	if err := w.o.Archive.PutSnapshot(ctx, page, doc); err != nil {
		if ctx.Err() != nil {
			r.fail(ctx, ctx.Err())
			return
		}
		r.broken = err
	}
	r.page, r.doc, r.outcome, r.detail = page, doc, page.Outcome, note
	switch {
	case doc.LowYield:
		r.outcome = citewell.FetchLowYield
	case page.Outcome == citewell.FetchTruncated:
		r.detail = "only the first part was read"
	case doc.Degraded != "":
		r.detail = "read by a fallback: " + doc.Degraded
	}
	if !page.Archived.IsZero() {
		r.detail = strings.TrimSuffix("gone; an archived copy of "+page.Archived.Date()+" was read; "+r.detail, "; ")
	}
}

// readWork reads the page of a result. Of a work that anybody may read somewhere the copy there
// is read, and the page of the work where the copy turns out not to be the whole text.
func (w *Writer) readWork(ctx context.Context, result search.Ranked) (page citewell.Page, doc citewell.Document,
	note string, err error) {
	var tried error
	copied := false
	if work := result.Work; work.HasOpenCopy(result.URL) && !isLocal(result) {
		page, doc, tried = w.readAt(ctx, result, work.OpenCopy)
		if tried == nil && work.BasisOf(doc) != citewell.BasisAbstract {
			return page, doc, "the open copy was read: " + page.FinalURL, nil
		}
		copied, note = tried == nil, "the open copy is not the whole text"
		if tried != nil {
			note = "the open copy was not read: " + citewell.View(tried).Message
		}
	}
	own, ownDoc, err := w.readAt(ctx, result, result.URL)
	if err == nil && ownDoc.Captions != "" {
		own, ownDoc, note = w.readCaptions(ctx, result, own, ownDoc, note)
	}
	if copied && (err != nil || ownDoc.LowYield) {
		return page, doc, note, nil
	}
	return own, ownDoc, note, err
}

// readCaptions reads what is said in the recording of a page, where that is more than the page has
// in words.
func (w *Writer) readCaptions(ctx context.Context, result search.Ranked, page citewell.Page, doc citewell.Document,
	note string) (citewell.Page, citewell.Document, string) {
	captions, said, err := w.readAt(ctx, result, doc.Captions)
	if err != nil {
		return page, doc, strings.TrimPrefix(note+"; the captions of its recording were not read: "+
			citewell.View(err).Message, "; ")
	}
	if said, more := doc.Transcribed(said); more {
		return captions, said, strings.TrimPrefix(note+"; the captions of its recording were read: "+
			captions.FinalURL, "; ")
	}
	return page, doc, note
}

// readAt reads what is at one address of a result.
func (w *Writer) readAt(ctx context.Context, result search.Ranked,
	address string) (citewell.Page, citewell.Document, error) {
	fetching := w.o.Deadlines.Fetch
	if w.o.Copies {
		fetching += fetch.ArchiveTimeout
	}
	page, err := within(ctx, fetching, func(ctx context.Context) (citewell.Page, error) {
		return w.page(ctx, result, address)
	})
	if err != nil {
		return citewell.Page{}, citewell.Document{}, err
	}
	limit := w.o.Deadlines.Extract
	if strings.HasPrefix(page.FinalURL, "file:") { // the user's own, which Extract bounds by its work
		limit = w.o.Deadlines.Total
	}
	doc, err := within(ctx, limit, func(ctx context.Context) (citewell.Document, error) {
		return w.o.Extract(ctx, page)
	})
	if err != nil && ctx.Err() == nil && citewell.CodeOf(err) == citewell.CodeTimeout {
		err = &citewell.Error{Code: citewell.CodeExtractionTimeout, Hint: "raise brief.deadlines.extract", Err: err}
	}
	return page, doc, err
}

// fail notes why there is no document. Who was told to stop did not fail.
func (r *reading) fail(ctx context.Context, err error) {
	if cause := context.Cause(ctx); errors.Is(cause, errNotNeeded) {
		r.outcome, r.detail = citewell.FetchCanceled, cause.Error()
		return
	}
	r.outcome = outcomes.OfFetch(err)
	r.detail = citewell.View(err).Message
}

// isLocal says whether a result is an indexed document alone, which is read from the archive.
func isLocal(result search.Ranked) bool {
	return slices.Equal(result.Providers, []string{searchcall.LocalProvider})
}

// page gives a local result from the archive, and any other from the network.
func (w *Writer) page(ctx context.Context, result search.Ranked, address string) (citewell.Page, error) {
	if isLocal(result) {
		page, _, err := w.o.Archive.Snapshot(ctx, address)
		return page, err
	}
	return w.o.Fetcher.Get(egress.Found(ctx), fetch.Request{URL: address, Timeout: w.o.Deadlines.Fetch, SameSite: true,
		Archived: fetch.WhenGone(w.o.Copies), ArchiveTimeout: fetch.ArchiveTimeout})
}
