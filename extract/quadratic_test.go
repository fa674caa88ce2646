package extract

import (
	"runtime"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/extracttest"
	"github.com/citewell/citewell/internal/testing/score"
)

// No text of 64 KiB takes a reader a second of work or more than a fixed room in memory, and none leaves work
// behind. Whatever enters by fetch, search, upload, attachment, check, a tool's result, a feed or captions is read
// here.
func TestQuadraticTextsEnd(t *testing.T) {
	extracttest.Measured(t)
	extracttest.LeavesNothing(t)
	const room = 192 << 20 // bytes that are allocated in all, which is more than is held at once
	e := New(Options{Parallel: 1})
	for name, q := range extracttest.Quadratics() {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			used := score.ProcessorTime()
			document, err := e.Extract(t.Context(), citewell.Page{URL: "file:///text", ContentType: q.Media,
				Body: []byte(q.Of(64 << 10))})
			worked := score.ProcessorTime() - used
			runtime.ReadMemStats(&after)
			t.Logf("%v, %d MiB, degraded %q, %v", worked, (after.TotalAlloc-before.TotalAlloc)>>20,
				document.Degraded, err)
			if worked > time.Second {
				t.Errorf("its reader worked for %v", worked)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > room {
				t.Errorf("its reader allocated %d MiB", took>>20)
			}
			// one that ends in time gives its place back a moment after its answer
			if s := e.options.Places.State(); s.Overran > 0 {
				t.Errorf("its reader outlived it: %+v", s)
			}
		})
	}
}
