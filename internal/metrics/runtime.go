package metrics

import (
	"context"
	"runtime"
	"runtime/metrics"
	"time"
)

// begun is when the process began, but for what it took to load.
var begun = time.Now()

// Process adds what was built, since when it runs, and what the Go runtime knows of itself.
func (s *Set) Process(version string) {
	s.Gauge("citewell_build_info", "Always 1; the labels give the versions.", []string{"version", "goversion"},
		func(_ context.Context, set func(float64, ...string)) error {
			set(1, version, runtime.Version())
			return nil
		})
	s.gauge("process_start_time_seconds",
		"Start of the process, in seconds since 1970.", func() float64 { return float64(begun.UnixMilli()) / 1000 })
	s.gauge("go_goroutines", "Current number of goroutines.", func() float64 { return float64(runtime.NumGoroutine()) })
	s.gauge("go_memory_bytes", "Memory that the Go runtime holds, without memory returned to the system.",
		func() float64 {
			return sample("/memory/classes/total:bytes") - sample("/memory/classes/heap/released:bytes")
		})
	s.gauge("go_heap_live_bytes",
		"Memory of live objects after the last collection.", func() float64 { return sample("/gc/heap/live:bytes") })
	s.CounterOf("go_gc_cycles_total",
		"Garbage collections.", func() float64 { return sample("/gc/cycles/total:gc-cycles") })
	s.CounterOf("go_alloc_bytes_total", "Bytes allocated.", func() float64 { return sample("/gc/heap/allocs:bytes") })
}

func (s *Set) gauge(name, help string, read func() float64) {
	s.Gauge(name, help, nil, func(_ context.Context, set func(float64, ...string)) error { set(read()); return nil })
}

// sample reads one count of the runtime; 0 where this version of Go has none by the name.
func sample(name string) float64 {
	one := []metrics.Sample{{Name: name}}
	metrics.Read(one)
	if one[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return float64(one[0].Value.Uint64())
}
