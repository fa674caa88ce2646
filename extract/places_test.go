package extract

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/places"
)

// A reader that never ends costs its own page and no other, until as many run on as there are places; then who
// waits is told so.
func TestPlacesComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := New(Options{Parallel: 1})
		end := make(chan struct{})
		endless := func(context.Context, citewell.Page) (int, error) { <-end; return 0, nil }
		honest := func(context.Context, citewell.Page) (int, error) { return 7, nil }
		page := citewell.Page{URL: "file:///a.md"}
		for i := range 2 {
			if n, err := bounded(t.Context(), e, "extract", page, honest); n != 7 || err != nil {
				t.Fatalf("with %d readers that run on an honest page is %d, %v", i, n, err)
			}
			if _, err := bounded(t.Context(), e, "extract", page, endless); citewell.CodeOf(
				err) != citewell.CodeExtractionTimeout {
				t.Fatalf("%v", err)
			}
		}
		if s := e.options.Places.State(); s != (places.State{All: 1, Busy: 1, Late: 2, Lost: 1, Overran: 2}) {
			t.Errorf("%+v", s)
		}
		_, err := bounded(t.Context(), e, "extract", page, honest)
		if told, ok := err.(*citewell.Error); !ok || told.Code != citewell.CodeRateLimited || told.RetryAfter <= 0 {
			t.Errorf("who waits for a place is told %v", err)
		}
		close(end)
		synctest.Wait()
		if s := e.options.Places.State(); s != (places.State{All: 1, Overran: 2}) {
			t.Errorf("after their end %+v", s)
		}
		if n, err := bounded(t.Context(), e, "extract", page, honest); n != 7 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	})
}
