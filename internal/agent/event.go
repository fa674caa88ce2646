package agent

import (
	"github.com/citewell/citewell"
)

// An Event is one thing that happened in a run.
type Event struct {
	// Kind is state, delta, reasoning, call, result, source (it got its number), read (it got its text), kept (it has
	// its text from the run before), fetch (a page was tried), rejected, compacted, closing, paused (the model is asked
	// again later), queued (it waits in our own queue), without_tools (its endpoint takes none), model_failed, spent (a
	// step was taken) or over.
	Kind      string
	Iteration int
	CallID    string // of a delta the phase: reasoning, action, ...
	Name      string // of the tool, the state, the outcome; of a source and a page its URL
	Text      string
	Number    int // of a source

	// What the text tells as data, where it tells such a thing.
	Search *Searched // of the result of a search, also one that failed
	Plan   *Planned  // of the result of a plan that was made or adapted
	Fetch  *Fetched  // of a fetch
	Spent  *Usage    // of a spent: the whole run's until then
}

// A Searched is what became of one search.
type Searched struct {
	Query     string                    `json:"query"`
	Providers []citewell.ProviderReport `json:"providers"` // that were asked
	Hits      []Hit                     `json:"hits"`      // best first
}

// A Hit is a result of a search as it is told of.
type Hit struct {
	N     int    `json:"n,omitempty"` // of the source that it is; 0 where it has no number yet
	Title string `json:"title"`
	URL   string `json:"url"`
}

// A Fetched is what became of one page that was tried.
type Fetched struct {
	N         int                   `json:"n,omitempty"` // of its source; 0 where it has no number
	URL       string                `json:"url"`
	FinalURL  string                `json:"final_url,omitempty"` // of a page that came
	Outcome   citewell.FetchOutcome `json:"outcome"`
	Status    int                   `json:"status,omitempty"` // of HTTP; 0 where no server answered
	Bytes     int                   `json:"bytes,omitempty"`  // of a page that came
	ElapsedMS int64                 `json:"elapsed_ms"`
}

// A Planned is what the agent means to do.
type Planned struct {
	Goal  string   `json:"goal,omitempty"`
	Steps []string `json:"steps"` // that are left, in order
}

// A telling output of a tool puts what it brought into the event that tells of it.
type telling interface{ tells(e *Event) }

// Usage is what a run has spent.
type Usage struct {
	InputTokens  int     `json:"input_tokens"`
	OutputTokens int     `json:"output_tokens"`
	USD          float64 `json:"usd"`
	Searches     int     `json:"searches"`
	Fetches      int     `json:"fetches"`
	ActiveMS     int64   `json:"active_ms"`
}
