// Package measure holds parts of Citewell beside their peers and their limit: the bare
// library, published figures, and what no such part can be faster than (parsing alone, the
// critical path, bare net/http).
//
// Flow: data folder or simulated web + contestants → sheet.Report → tables side by side.
// Every quality is scored in the benchmark's own way (internal/testing/score). Speeds are medians
// over rounds in which the contestants take turns, so that the ratios of one run mean
// something on a busy machine and absolute times do not. Processor time is shown beside
// where the system tells it.
// Units: qualities are shares from 0 to 1; times as their columns say.
// Errors: those of package dataset, and canceled.
// Concurrency: one measurement at a time; the contestants of one are never run side by side.
package measure

// Options of every measurement.
type Options struct {
	Rounds int               // of timing; DefaultRounds when 0
	Say    func(what string) // told what is being done; may be nil
}

// DefaultRounds is odd, so that a median is a round's own.
const DefaultRounds = 5

func (o Options) withDefaults() Options {
	if o.Rounds <= 0 {
		o.Rounds = DefaultRounds
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	return o
}
