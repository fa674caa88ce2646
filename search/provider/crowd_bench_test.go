package provider

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
)

// well are seven providers and how long each takes; ailing are five that fail, each in a way of
// its own.
var well = map[string]time.Duration{"wikipedia": 80 * time.Millisecond, "wikidata": 120 * time.Millisecond,
	"crossref": 600 * time.Millisecond, "europepmc": 300 * time.Millisecond,
	"openalex": 200 * time.Millisecond, "datacite": 400 * time.Millisecond, "arxiv": 500 * time.Millisecond}

var ailing = map[string]http.HandlerFunc{
	"mwmbl": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, // hangs
	"github": func(w http.ResponseWriter, _ *http.Request) { // shows a bot page
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, "<!doctype html><title>Just a moment...</title>")
	},
	"stackexchange": func(w http.ResponseWriter, _ *http.Request) { // takes no more calls
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
	},
	"hackernews": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
	// is cut
	"openlibrary": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"numFound":3,"docs":[{"key":"/wor`) },
}

// BenchmarkFiveOfTwelveFail asks twelve providers on their real wires, over HTTP, of which five
// fail: how many times as long a search takes as the slowest that answers, for a process that
// knows nothing of them (first) and for each of its later searches (later, the median and the
// worst); and how many of the seven answers were not heard (lost).
func BenchmarkFiveOfTwelveFail(b *testing.B) {
	var slowest time.Duration
	at := map[string]string{}
	for name, took := range well {
		slowest = max(slowest, took)
		body := fixture(b, name+"/good."+map[bool]string{true: "xml", false: "json"}[name == "arxiv"])
		at[name] = servedBy(b, func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(took)
			w.Write(body)
		})
	}
	for name, handler := range ailing {
		at[name] = servedBy(b, handler)
	}
	var first, later []float64
	lost := 0
	for b.Loop() {
		var gates search.Gates
		d := testDeps(b)
		d.Settings = map[string]Settings{}
		for name, base := range at {
			d.Settings[name] = Settings{BaseURL: base, Rate: 1000} // what is measured is not our own pace
		}
		var asked []search.Provider
		for name := range at {
			p, err := New(name, d)
			if err != nil {
				b.Fatal(err)
			}
			asked = append(asked, gates.Of(name, d.Limits(name)).Guard(p))
		}
		const searches = 8
		for n := range searches {
			began, heard := time.Now(), 0
			for a := range search.Ask(b.Context(), citewell.Query{Text: fmt.Sprint("tides of the sound ", n)}, asked,
				0) {
				if well[a.Provider] > 0 && a.Outcome == citewell.ProviderOK {
					heard++
				}
			}
			ratio := float64(time.Since(began)) / float64(slowest)
			if lost += len(well) - heard; n == 0 {
				first = append(first, ratio)
			} else {
				later = append(later, ratio)
			}
		}
	}
	slices.Sort(first)
	slices.Sort(later)
	b.ReportMetric(first[len(first)/2], "first×critical")
	b.ReportMetric(later[len(later)/2], "later×critical")
	b.ReportMetric(later[len(later)-1], "worst×critical")
	b.ReportMetric(float64(lost), "lost")
	b.ReportMetric(0, "ns/op")
}

func servedBy(b *testing.B, h http.HandlerFunc) string {
	server := httptest.NewServer(h)
	b.Cleanup(server.Close)
	return server.URL
}
