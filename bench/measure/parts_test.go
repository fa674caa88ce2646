package measure

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/benchtest"
)

// Bare FTS5 is measured like any engine: it finds by stem what the words of a query
// occur in, and no query breaks its syntax.
func TestRetrieval(t *testing.T) {
	dir := benchtest.Folder(t, map[string]string{
		"corpus.jsonl": `{"_id":"1","title":"Herons","text":"A heron stands by the river."}
{"_id":"2","title":"Mills","text":"The mill stands by the weir."}
{"_id":"3","title":"Cranes","text":"Cranes breed in the marshes."}`,
		"queries.jsonl": `{"_id":"q1","text":"heron by \"the river\" AND (NEAR"}
{"_id":"q2","text":"breeding crane"}
{"_id":"q3","text":"not judged"}`,
		"qrels.tsv": "query-id\tcorpus-id\tscore\nq1\t1\t1\nq2\t3\t1\nq2\t2\t1\n",
	})
	r, err := Retrieval(t.Context(), dir, nil, Options{Rounds: 1})
	if err != nil {
		t.Fatal(err)
	}
	bare := benchtest.Row(t, r, 0, "bare FTS5, porter")
	benchtest.WantFigure(t, bare, "recall100", 0.75)
	benchtest.WantFigure(t, bare, "ndcg10", (1+1/(1+0.6309297535714575))/2)
	benchtest.WantFigure(t, benchtest.Row(t, r, 1, "bare FTS5, porter"), "index_of_bare", 1)
	if !strings.Contains(r.Tables[0].Title, "2 queries over 3 texts") {
		t.Errorf("title %q", r.Tables[0].Title)
	}
	each := Engine{Name: "each", Open: openBare(2), Together: 2, Again: true}
	if r, err = Retrieval(t.Context(), dir, []Engine{each}, Options{Rounds: 1}); err != nil {
		t.Fatal(err)
	}
	if len(r.Tables[0].Rows) != 1 || len(r.Tables[1].Rows) != 3 {
		t.Errorf("want what is found once, and indexing by bare FTS5, by it two a commit and by each: %+v", r.Tables)
	}
	benchtest.WantFigure(t, benchtest.Row(t, r, 1, "the same, 2 a commit"), "index_of_bare", 1)
	if _, asked := benchtest.Row(t, r, 1, "each").Figures["query_us"]; asked {
		t.Error("an engine that finds what another does was asked")
	}
	failing := Engine{Name: "failing", Open: func(context.Context, string) (Index, error) {
		return nil, errors.New("no disk")
	}}
	if _, err := Retrieval(t.Context(), dir, []Engine{failing}, Options{Rounds: 1}); err == nil {
		t.Error("an engine that cannot be opened is no row")
	}
}

// By hand: three engines at 100, 150 and 900 ms, pages at 250 and 400 ms after a
// robots.txt of 50 ms; site 1 is known from the second engine on.
func TestPaths(t *testing.T) {
	p := profile{engines: []engine{{100 * ms, []int{0}}, {150 * ms, []int{0, 1}}, {900 * ms, []int{1}}},
		robots: 50 * ms, pages: []time.Duration{250 * ms, 400 * ms}}
	critical, foresight, sequence := p.paths([]int{0, 1})
	if critical != 1350*ms || foresight != 900*ms || sequence != 1150*ms+300*ms+450*ms {
		t.Errorf("critical path %v, foresight %v, in sequence %v", critical, foresight, sequence)
	}
	p.pages[1] = 1200 * ms
	if _, foresight, _ = p.paths([]int{0, 1}); foresight != 1400*ms {
		t.Errorf("foresight %v", foresight)
	}
}

// A pipeline that reads fewer pages than it was asked to is an error, no fast answer.
func TestSearchNeedsItsSources(t *testing.T) {
	idle := func(context.Context, []Endpoint) (func(context.Context, string,
		int) (citewell.Brief, error), func() error, error) {
		return func(context.Context, string, int) (citewell.Brief, error) {
			return citewell.Brief{}, nil
		}, func() error { return nil }, nil
	}
	if _, err := searchOn(t.Context(), []profile{{name: "idle", engines: alike(ms), pages: []time.Duration{ms}}}, idle,
		Options{Rounds: 1}); citewell.CodeOf(err) != citewell.CodeInternal {
		t.Errorf("got %v", err)
	}
}

// Every getter must bring the whole page; the first is what the others are a share of.
func TestFetch(t *testing.T) {
	plain := Getter{Name: "plain", Open: func(kept bool) (func(context.Context, string) (int, error), func(), error) {
		transport := &http.Transport{DisableKeepAlives: !kept}
		get := func(ctx context.Context, url string) (int, error) {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
			if err != nil {
				return 0, err
			}
			resp, err := transport.RoundTrip(req)
			if err != nil {
				return 0, err
			}
			defer resp.Body.Close()
			n, err := resp.Body.Read(make([]byte, 2*pageBytes))
			for m := 0; err == nil; n += m {
				m, err = resp.Body.Read(make([]byte, pageBytes))
			}
			return n, nil
		}
		return get, transport.CloseIdleConnections, nil
	}}
	keptOnly := Getter{Name: "kept only", Open: func(kept bool) (func(context.Context,
		string) (int, error), func(), error) {
		if !kept {
			return nil, nil, nil
		}
		return plain.Open(kept)
	}}
	r, err := Fetch(t.Context(), []Getter{plain, keptOnly}, Options{Rounds: 1})
	if err != nil {
		t.Fatal(err)
	}
	benchtest.WantFigure(t, benchtest.Row(t, r, 0, "plain"), "of_bare", 1)
	if benchtest.Row(t, r, 0, "kept only").Figures["requests_per_s"] <= 0 || len(r.Tables[1].Rows) != 1 {
		t.Errorf("%+v", r.Tables)
	}
	short := Getter{Name: "short", Open: func(bool) (func(context.Context, string) (int, error), func(), error) {
		return func(context.Context, string) (int, error) { return 1, nil }, func() {}, nil
	}}
	if _, err := Fetch(t.Context(), []Getter{short}, Options{Rounds: 1}); err == nil {
		t.Error("a part of the page is not the page")
	}
}
