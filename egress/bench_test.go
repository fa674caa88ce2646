package egress

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/httpwire"
)

var quiet = log.New(io.Discard, "", 0)

// BenchmarkGuardCost fetches one small page on loopback by turns with bare net/http
// and through the guard, and reports the guarded requests per second as a share of
// the bare ones, by medians: 1 is no cost.
func BenchmarkGuardCost(b *testing.B) {
	page := make([]byte, 4<<10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(page)
	}))
	defer server.Close()
	g, err := NewGuard(Options{AllowNetworks: loopback})
	if err != nil {
		b.Fatal(err)
	}
	for _, mode := range []struct {
		name      string
		keepAlive bool
	}{{"kept_connection", true}, {"new_connection", false}} {
		b.Run(mode.name, func(b *testing.B) {
			bare, guarded := &http.Transport{DisableCompression: true}, g.Transport()
			bare.DisableKeepAlives, guarded.DisableKeepAlives = !mode.keepAlive, !mode.keepAlive
			defer bare.CloseIdleConnections()
			defer guarded.CloseIdleConnections()
			var took [2][]time.Duration
			for b.Loop() {
				for side, transport := range []*http.Transport{bare, guarded} {
					start := time.Now()
					req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, server.URL, nil)
					if err != nil {
						b.Fatal(err)
					}
					resp, err := transport.RoundTrip(req)
					if err != nil {
						b.Fatal(err)
					}
					if side == 0 {
						_, err = io.ReadAll(resp.Body)
						_ = resp.Body.Close() // fully read
					} else {
						_, _, err = httpwire.ReadBody(b.Context(), resp, httpwire.Budget{})
					}
					if err != nil {
						b.Fatal(err)
					}
					took[side] = append(took[side], time.Since(start))
				}
			}
			b.ReportMetric(float64(median(took[0]))/float64(median(took[1])), "of-bare")
		})
	}
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

func BenchmarkCheck(b *testing.B) {
	g, err := NewGuard(Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := g.Check(b.Context(), "93.184.216.34", "443"); err != nil {
			b.Fatal(err)
		}
	}
}
