package metrics_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/citewell/citewell/internal/metrics"
)

func scrape(t *testing.T, s *metrics.Set) string {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 || w.Header().Get("Content-Type") != metrics.ContentType {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	return w.Body.String()
}

// Every kind is written as the text format says, its series in one order.
func TestTextFormat(t *testing.T) {
	var log bytes.Buffer
	s := metrics.New(slog.New(slog.NewTextHandler(&log, nil)))
	calls := s.Counter("calls_total", `Calls, "each" \ once.`, "name", "outcome")
	s.Counter("never_total", "Not yet.")
	took := s.Histogram("took_seconds", "How long.", []float64{0.5, 1})
	s.Gauge("here", "Now.", []string{"of"}, func(_ context.Context, set func(float64, ...string)) error {
		set(0.25, "b")
		set(1e9, "a")
		return nil
	})
	s.Gauge("gone", "Cannot be read.", nil, func(context.Context, func(float64, ...string)) error {
		return errors.New("the disk is gone")
	})
	calls.Add(2, "b", "ok")
	calls.Add(1, "a\n\"\\\xff", "ok")
	calls.Add(1, "b", "ok")
	for _, v := range []float64{0.1, 0.5, 0.75, 9} {
		took.Observe(v)
	}
	want := `# HELP calls_total Calls, "each" \\ once.
# TYPE calls_total counter
calls_total{name="a\n\"\\` + "\uFFFD" + `",outcome="ok"} 1
calls_total{name="b",outcome="ok"} 3
# HELP never_total Not yet.
# TYPE never_total counter
never_total 0
# HELP took_seconds How long.
# TYPE took_seconds histogram
took_seconds_bucket{le="0.5"} 2
took_seconds_bucket{le="1"} 3
took_seconds_bucket{le="+Inf"} 4
took_seconds_sum 10.35
took_seconds_count 4
# HELP here Now.
# TYPE here gauge
here{of="a"} 1e+09
here{of="b"} 0.25
`
	if got := scrape(t, s); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if !strings.Contains(log.String(), "metric=gone") || !strings.Contains(log.String(), "the disk is gone") {
		t.Errorf("the log: %s", log.String())
	}
}

// Many may count while others read.
func TestCountsOfMany(t *testing.T) {
	s := metrics.New(slog.New(slog.DiscardHandler))
	s.Process("v0")
	n, h := s.Counter("n_total", "", "x"), s.Histogram("h_seconds", "", metrics.Seconds)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				n.Add(1, "y")
				h.Observe(2)
			}
			scrape(t, s)
		})
	}
	all.Wait()
	got := scrape(t, s)
	for _, want := range []string{`n_total{x="y"} 8000`, "h_seconds_count 8000", "h_seconds_sum 16000",
		`h_seconds_bucket{le="2.5"} 8000`, `h_seconds_bucket{le="1"} 0`,
		`citewell_build_info{version="v0",goversion="go1.`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}
