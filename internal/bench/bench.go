// Package bench measures parts beside their peers and their limit: the bare library,
// published figures, and what no such part can be faster than (parsing alone, the
// critical path, bare net/http).
//
// Flow: data folder or simulated web + contestants → Report → tables side by side.
// QA is another matter: questions → an agent's runs → a judge → Report, all of it as the
// user has configured it, kept answer by answer in a file that is gone on with.
// Every quality is scored in the benchmark's own way (internal/score). Speeds are
// medians over rounds in which the contestants take turns, so that the ratios of one
// run mean something on a busy machine and absolute times do not. Processor time is
// shown beside where the system tells it.
// Units: qualities are shares from 0 to 1; times as their columns say.
// Errors: not_found (the folder lacks a file of its set; the message names it),
// invalid_argument (a file that cannot be read as what it should be), canceled.
// Concurrency: one measurement at a time; the contestants of one are never run side
// by side.
package bench

// Schema names the form of a Report as JSON.
const Schema = "citewell.bench/1"

// A Report is what one measurement found.
type Report struct {
	Schema string  `json:"schema"`
	Name   string  `json:"name"` // extraction, retrieval, claims, answers, search, fetch, qa
	Data   string  `json:"data,omitempty"`
	Rounds int     `json:"rounds,omitempty"` // of timing; none where each question is asked once
	Tables []Table `json:"tables"`
	Misses []Miss  `json:"misses,omitempty"` // of answers
}

// A Table holds the contestants side by side.
type Table struct {
	Title   string   `json:"title"`
	Columns []Column `json:"columns"`
	Rows    []Row    `json:"rows"`
	Notes   []string `json:"notes,omitempty"` // what must be known to read it right
}

// A Column is one figure. Key is its name in Row.Figures.
type Column struct {
	Key      string `json:"key"`
	Title    string `json:"title"`
	Decimals int    `json:"-"`
}

// An Origin says where a row's figures are from.
type Origin string

// The origins of figures.
const (
	Measured   Origin = "measured"          // in this run
	Published  Origin = "published"         // by others, or by us at another time: the row's note says where
	Limit      Origin = "limit"             // measured in this run: what can at best be reached
	Computed   Origin = "computed"          // from the known latencies of this run
	NotInBuild Origin = "not_in_this_build" // the note says how to get it
	NoData     Origin = "no_data"           // what it needs was not given; the note says what
)

// A Row is one contestant. A column that Figures does not have was not measured.
type Row struct {
	Name    string             `json:"name"`
	Origin  Origin             `json:"origin"`
	Figures map[string]float64 `json:"figures,omitempty"`
	Note    string             `json:"note,omitempty"`
}

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
