package brief

import (
	"context"
	"slices"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/weburl"
	"github.com/citewell/citewell/search"
)

// maxAdditional bounds the list of results that were found but not read.
const maxAdditional = 20

// gathered is what searching and reading brought: the chosen readings in the
// order of their results, and the account of everything that was tried.
type gathered struct {
	readings   []*reading
	additional []citewell.Additional
	coverage   citewell.Coverage
}

// gather asks providers and reads the best results. While providers are
// still answering, the leaders so far are read already: as many as the depth asks
// for, so that the spare reads remain for what a slower provider puts first.
func (w *Writer) gather(ctx context.Context, r Request, asked []search.Provider, texts *text.Readings,
	p *progress) gathered {
	rd := w.newReader(ctx, r.Depth, texts, p)
	defer rd.cancel(nil)

	lists := make([][]citewell.Result, len(asked))
	reports := make([]citewell.ProviderReport, len(asked))
	raw := 0
	answered := 0
	for answer := range search.Ask(ctx, r.Query, asked, w.o.Deadlines.Fanout) {
		i := slices.IndexFunc(asked, func(p search.Provider) bool { return p.Name() == answer.Provider })
		lists[i] = answer.Results
		reports[i] = answer.Report()
		raw += len(answer.Results)
		answered++
		p.tell(Event{Kind: EventProvider, Subject: answer.Provider, Outcome: string(answer.Outcome),
			Count: len(answer.Results), Elapsed: answer.Elapsed})
		if answered < len(asked) {
			leaders, _ := w.rank(r.Query.Text, lists)
			for _, leader := range leaders[:min(r.Depth, len(leaders))] {
				if len(rd.started) < r.Depth {
					rd.start(leader)
				}
			}
		}
	}
	ranked, rest := w.rank(r.Query.Text, lists)
	g := gathered{coverage: citewell.Coverage{Providers: reports, Fetches: []citewell.FetchReport{},
		RawResults: raw, DistinctResults: len(ranked) + len(rest)}}
	chosen := rd.finish(ranked, r.Depth)
	g.readings = slices.DeleteFunc(rd.withoutCopies(chosen), refused)
	for _, reading := range rd.inOrder(append(ranked, rest...)) {
		g.coverage.Fetches = append(g.coverage.Fetches, reading.report())
	}
	g.additional = additional(append(ranked, rest...), slices.DeleteFunc(chosen, refused))
	return g
}

// refused says whether a result led to an address or URL that is never fetched. It
// is no source, whatever a provider said of it; coverage has it.
func refused(r *reading) bool { return r.outcome == citewell.FetchValidationFailed }

// rank merges and scores what has come so far; the second list is what the limit
// per registered domain put aside.
func (w *Writer) rank(query string, lists [][]citewell.Result) (kept, rest []search.Ranked) {
	return search.PerDomain(search.Score(query, time.Now(), search.Merge(lists...)), w.o.PerDomain)
}

// finish reads until depth pages were read well or the budget or the results are
// used up, and returns what was read, in the order of ranked. A page that failed
// stays in the list with its reason, and so does a copy of another page; the next result
// takes its place. When it returns, nothing is being read any more.
func (rd *reader) finish(ranked []search.Ranked, depth int) []*reading {
	var chosen []*reading
	pending := map[*reading]bool{}
	finished := map[*reading]bool{}
	next, copies := 0, 0
	choose := func() {
		for next < len(ranked) {
			result := ranked[next]
			next++
			if rd.start(result) {
				r := rd.find(result)
				if slices.Contains(chosen, r) { // two works before one of the providers said that they are one
					continue
				}
				chosen = append(chosen, r)
				asked := r.result.URL // which may be another provider's spelling
				r.result = result
				if result.Work == nil {
					r.result.URL = asked
				}
				if !finished[r] {
					pending[r] = true
				}
				return
			}
		}
	}
	good := func() (n int) {
		for _, r := range chosen {
			if pending[r] || r.outcome.Readable() && r.outcome != citewell.FetchLowYield {
				n++
			}
		}
		return n
	}
	for {
		for before := -1; good() < depth+copies && before != next; {
			before = next
			choose()
		}
		if len(pending) == 0 {
			found := min(len(chosen)-len(rd.withoutCopies(chosen)), maxCopies)
			if found <= copies {
				break
			}
			rd.budget += found - copies
			copies = found
			continue
		}
		r := <-rd.done
		finished[r] = true
		delete(pending, r)
	}
	rd.cancel(errNotNeeded)
	for len(finished) < len(rd.started) {
		finished[<-rd.done] = true
	}
	return chosen
}

// additional lists the results that were not read, best first.
func additional(ranked []search.Ranked, read []*reading) []citewell.Additional {
	list := []citewell.Additional{}
	for _, result := range ranked {
		if slices.ContainsFunc(read, func(r *reading) bool { return r.result.Is(result.Key) }) {
			continue
		}
		if len(list) == maxAdditional {
			break
		}
		list = append(list, citewell.Additional{Title: result.Title, URL: result.URL,
			Host: weburl.Host(result.URL), Date: result.Published, Snippet: result.Snippet})
	}
	return list
}
