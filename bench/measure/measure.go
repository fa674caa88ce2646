// Package measure compares parts of Citewell with other libraries, with published figures, and with a limit that no
// such part can beat: parsing alone, the critical path, bare net/http.
//
// Flow: data folder or simulated web + contestants → sheet.Report → tables side by side.
// Each quality is scored in its benchmark's own way (internal/testing/score). Speeds are medians over rounds in which
// the contestants take turns: on a busy machine the ratios of one run mean something, absolute times do not. Processor
// time is shown too, if the system reports it.
// Units: qualities are shares from 0 to 1; times as their columns say.
// Errors: those of package dataset, and canceled.
// Concurrency: one measurement at a time; contestants never run at the same time.
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
