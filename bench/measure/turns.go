package measure

import (
	"context"
	"runtime"
	"time"

	"github.com/citewell/citewell/internal/testing/score"
)

// laps are what one contestant took in each round.
type laps struct {
	wall []time.Duration
	cpu  []time.Duration // of the whole process, collecting garbage included; empty where the system does not tell
}

// takeTurns runs every contestant once a round, after a collection of what the one
// before it left, and returns how long each took.
func takeTurns(ctx context.Context, rounds int, contestants ...func(context.Context) error) ([]laps, error) {
	took := make([]laps, len(contestants))
	for round := range rounds {
		for turn := range contestants {
			i := (turn + round) % len(contestants) // nobody always comes after the same one
			runtime.GC()
			before, known := processorTime()
			began := time.Now()
			if err := contestants[i](ctx); err != nil {
				return nil, err
			}
			took[i].wall = append(took[i].wall, time.Since(began))
			if after, ok := processorTime(); known && ok {
				took[i].cpu = append(took[i].cpu, after-before)
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
	}
	return took, nil
}

// medianOf is the median of durations in seconds.
func medianOf(took []time.Duration) float64 {
	seconds := make([]float64, len(took))
	for i, d := range took {
		seconds[i] = d.Seconds()
	}
	return score.Median(seconds)
}

// ratio is the median over rounds of a's time as a multiple of b's in the same round.
func ratio(a, b []time.Duration) float64 {
	ratios := make([]float64, min(len(a), len(b)))
	for i := range ratios {
		ratios[i] = a[i].Seconds() / max(b[i].Seconds(), 1e-9)
	}
	return score.Median(ratios)
}

// cpuFigures adds the median of processor time, divided by per, and its ratio to
// another contestant's, where the system tells it.
func cpuFigures(figures map[string]float64, key string, own, other laps, per float64) {
	if len(own.cpu) > 0 {
		figures[key] = medianOf(own.cpu) / per
		figures[key+"_ratio"] = ratio(own.cpu, other.cpu)
	}
}
