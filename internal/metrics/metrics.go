// Package metrics counts what a process does, and writes the counts in Prometheus's text format.
//
// Flow: New → Counter, Histogram, Gauge (once, by name) → Add, Observe → ServeHTTP.
// Units: seconds and bytes, as the names say. The caller chooses label values from closed sets: each new one is a
// series that is kept until the process ends.
// Errors: a Gauge that cannot be read is left out of that scrape; Options.Log is told why.
// Concurrency: everything here may be used from many goroutines.
// Source: Prometheus's text exposition format, version 0.0.4. The library that writes it adds 16 modules and 2.4 MB to
// the program (doc/ops.md).
package metrics

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// ContentType is that of the text format.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Seconds are the bounds of histograms of time: from a cached answer to a long run.
var Seconds = []float64{0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800}

// A Set is the metrics of one process, written in the order in which they were made.
type Set struct {
	log      *slog.Logger
	families []*family
}

// New returns a Set without metrics. Make all of them before the first is used.
func New(log *slog.Logger) *Set { return &Set{log: log} }

// A family is one metric with all its series.
type family struct {
	name, help, kind string
	labels           []string
	bounds           []float64                                             // of a histogram
	read             func(context.Context, func(float64, ...string)) error // of a gauge

	mu     sync.Mutex
	series map[string]*series // by the values of its labels
}

// A series is a value, or for a histogram the count of each bucket and the sum.
type series struct {
	values  []string
	value   float64 // a histogram's sum
	buckets []uint64
}

func (s *Set) add(f *family) *family {
	f.series = map[string]*series{}
	s.families = append(s.families, f)
	return f
}

// A Counter only grows.
type Counter struct{ f *family }

// Counter makes one; its name ends in _total.
func (s *Set) Counter(name, help string, labels ...string) *Counter {
	c := &Counter{s.add(&family{name: name, help: help, kind: "counter", labels: labels})}
	if len(labels) == 0 {
		c.Add(0) // a rate wants the value before the first
	}
	return c
}

// Add counts n more, which is not negative, of the series with these label values.
func (c *Counter) Add(n float64, values ...string) {
	c.f.mu.Lock()
	defer c.f.mu.Unlock()
	c.f.of(values).value += n
}

// A Histogram counts observations by their size.
type Histogram struct{ f *family }

// Histogram makes one with ascending bounds.
func (s *Set) Histogram(name, help string, bounds []float64, labels ...string) *Histogram {
	return &Histogram{s.add(&family{name: name, help: help, kind: "histogram", labels: labels, bounds: bounds})}
}

// Observe counts v in the series with these label values.
func (h *Histogram) Observe(v float64, values ...string) {
	h.f.mu.Lock()
	defer h.f.mu.Unlock()
	s := h.f.of(values)
	if s.buckets == nil {
		s.buckets = make([]uint64, len(h.f.bounds)+1)
	}
	at, _ := slices.BinarySearch(h.f.bounds, v) // a bound is part of its bucket
	s.buckets[at]++
	s.value += v
}

// Gauge makes a metric that is read at each scrape: read calls set once for each series.
func (s *Set) Gauge(name, help string, labels []string,
	read func(ctx context.Context, set func(v float64, values ...string)) error) {
	s.add(&family{name: name, help: help, kind: "gauge", labels: labels, read: read})
}

// CounterOf makes a counter that something else keeps, and is read as a Gauge is.
func (s *Set) CounterOf(name, help string, read func() float64) {
	s.add(&family{name: name, help: help, kind: "counter",
		read: func(_ context.Context, set func(float64, ...string)) error { set(read()); return nil }})
}

// of returns the series of these label values, in the order of the labels.
func (f *family) of(values []string) *series {
	if len(values) != len(f.labels) {
		panic(fmt.Sprintf("metrics: %s has the labels %q and was given %q", f.name, f.labels, values))
	}
	key := strings.Join(values, "\x00")
	if f.series[key] == nil {
		f.series[key] = &series{values: slices.Clone(values)}
	}
	return f.series[key]
}

// ServeHTTP answers a scrape.
func (s *Set) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var out bytes.Buffer
	for _, f := range s.families {
		if err := f.write(r.Context(), &out); err != nil {
			s.log.Warn("a metric cannot be read", "metric", f.name, "error", err)
		}
	}
	w.Header().Set("Content-Type", ContentType)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(out.Bytes()) // the scraper is gone where this fails
}

// write appends the metric with its series in the order of their labels.
func (f *family) write(ctx context.Context, out *bytes.Buffer) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.read != nil {
		f.series = map[string]*series{}
		if err := f.read(ctx, func(v float64, values ...string) { f.of(values).value = v }); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", f.name, strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(f.help),
		f.name, f.kind)
	for _, key := range slices.Sorted(maps.Keys(f.series)) {
		one := f.series[key]
		if f.kind != "histogram" {
			f.line(out, "", one.values, "", one.value)
			continue
		}
		count := uint64(0)
		for i, n := range one.buckets {
			count += n
			bound := "+Inf"
			if i < len(f.bounds) {
				bound = number(f.bounds[i])
			}
			f.line(out, "_bucket", one.values, bound, float64(count))
		}
		f.line(out, "_sum", one.values, "", one.value)
		f.line(out, "_count", one.values, "", float64(count))
	}
	return nil
}

// escape is for the value of a label.
var escape = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

// line appends one sample; bound is of a bucket.
func (f *family) line(out *bytes.Buffer, suffix string, values []string, bound string, v float64) {
	pairs := make([]string, 0, len(values)+1)
	for i, value := range values {
		pairs = append(pairs, f.labels[i]+`="`+escape.Replace(strings.ToValidUTF8(value, "\uFFFD"))+`"`)
	}
	if bound != "" {
		pairs = append(pairs, `le="`+bound+`"`)
	}
	out.WriteString(f.name + suffix)
	if len(pairs) > 0 {
		out.WriteString("{" + strings.Join(pairs, ",") + "}")
	}
	out.WriteString(" " + number(v) + "\n")
}

// number writes what Go and Prometheus both read.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
