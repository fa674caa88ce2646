package job

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/envelope"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
)

// MaxShown bounds in bytes what a log entry shows of a call's arguments or result; the journal has the whole.
const MaxShown = 4 << 10

// Bounds of the typed data of an entry, in bytes where nothing else is said.
const (
	maxTyped   = 4 << 10 // of all of it; of lists the end is left out
	maxHits    = 20      // results of a search
	maxTitle   = 100
	maxWords   = 300     // of a query, a step of a plan, what a provider says of itself
	maxAddress = 1 << 10 // a longer one is left out: cut short it would be another
)

// The entries of a run's log beside the store's own (runstore.EventState and the others that begin with "run."):
// reasoning, call, result, source, read, unread (cited by a search's words alone), kept (its text is that of the run
// before), fetch, rejected, compacted, closing, paused, queued, without_tools, model_failed and over have an Entry as
// data and are those of agent.Event; EventQuestion has an agent.Question, and EventSpent an agent.Usage: what the run
// has spent in all, after a step, a search or a page, and when it stops to wait for an answer. EventPutOff has an Entry
// whose text says why the executor that took the run up cannot make its agent, and let it go, EventWarning one that
// says what speaks against relying on the run.
const (
	EventQuestion = "question"
	EventSpent    = "spent"
	EventPutOff   = "put_off"
	EventQueued   = "queued"
	EventWarning  = "warning"
)

// An Entry is the data of what an agent told.
type Entry struct {
	Iteration int    `json:"iteration"`
	CallID    string `json:"call_id,omitempty"`
	Name      string `json:"name,omitempty"`
	Text      string `json:"text,omitempty"`   // at most MaxShown bytes
	Number    int    `json:"number,omitempty"` // of a source

	// What Text tells as data, at most maxTyped bytes; nil where it tells no such thing.
	Search *agent.Searched `json:"search,omitempty"` // of the result of a search
	Plan   *agent.Planned  `json:"plan,omitempty"`   // of the result of a plan
	Fetch  *agent.Fetched  `json:"fetch,omitempty"`  // of a fetch
}

// logged gives an agent's event as it stands in the log; false where it does not: a
// state is the store's to write, and a piece of an answer may never become whole.
func logged(e agent.Event) (runstore.RunEvent, bool) {
	if e.Kind == "state" || e.Kind == "delta" {
		return runstore.RunEvent{}, false
	}
	if e.Kind == EventSpent {
		return runstore.RunEvent{Type: e.Kind, Data: tool.MustMarshal(e.Spent)}, true
	}
	entry := Entry{Iteration: e.Iteration, CallID: e.CallID, Name: text.Shorten(valid(e.Name), MaxShown),
		Text: valid(e.Text), Number: e.Number,
		Search: searchShown(e.Search), Plan: planShown(e.Plan), Fetch: fetchShown(e.Fetch)}
	if e.Kind != "reasoning" { // which is JSON, and bounded by its tool
		entry.Text = tool.Shorten(entry.Text, MaxShown)
	}
	return runstore.RunEvent{Type: e.Kind, Data: tool.MustMarshal(entry)}, true
}

func valid(s string) string { return strings.ToValidUTF8(s, string(utf8.RuneError)) }

// words are those of others on one line, without what only a machine would see.
func words(s string, limit int) string {
	return text.Shorten(text.OneLine(envelope.Neutralize(valid(s))), limit)
}

// searchShown is a search as it stands in the log.
func searchShown(s *agent.Searched) *agent.Searched {
	if s == nil {
		return nil
	}
	shown := &agent.Searched{Query: words(s.Query, maxWords), Providers: []citewell.ProviderReport{},
		Hits: []agent.Hit{}}
	room := maxTyped - len(tool.MustMarshal(shown))
	shown.Providers = fitting(&room, s.Providers, func(p citewell.ProviderReport) (citewell.ProviderReport, bool) {
		p.Name, p.Detail = words(p.Name, maxTitle), words(p.Detail, maxWords)
		return p, true
	})
	shown.Hits = fitting(&room, s.Hits[:min(len(s.Hits), maxHits)], func(h agent.Hit) (agent.Hit, bool) {
		h.Title, h.URL = words(h.Title, maxTitle), valid(h.URL)
		return h, len(h.URL) <= maxAddress
	})
	return shown
}

// planShown is a plan as it stands in the log.
func planShown(p *agent.Planned) *agent.Planned {
	if p == nil {
		return nil
	}
	shown := &agent.Planned{Goal: words(p.Goal, maxWords), Steps: []string{}}
	room := maxTyped - len(tool.MustMarshal(shown))
	shown.Steps = fitting(&room, p.Steps, func(step string) (string, bool) { return words(step, maxWords), true })
	return shown
}

// fetchShown is a page that was tried as it stands in the log.
func fetchShown(f *agent.Fetched) *agent.Fetched {
	if f == nil {
		return nil
	}
	shown := *f
	for _, address := range []*string{&shown.URL, &shown.FinalURL} {
		if *address = valid(*address); len(*address) > maxAddress {
			*address = ""
		}
	}
	return &shown
}

// fitting gives those of a list, as show has them, that there is room for, in bytes of JSON; the
// rest from the first on that does not fit is left out.
func fitting[T any](room *int, list []T, show func(T) (T, bool)) []T {
	fits := []T{}
	for _, each := range list {
		shown, ok := show(each)
		if !ok {
			continue
		}
		if *room -= len(tool.MustMarshal(shown)) + len(","); *room < 0 {
			break
		}
		fits = append(fits, shown)
	}
	return fits
}

// key is what an entry is known by when a run is played again. Of a call that is its id and not its words: a result is
// wrapped in another boundary each time. How long something took is no part of it.
func key(e runstore.RunEvent) string {
	var entry Entry
	if json.Unmarshal(e.Data, &entry) != nil {
		return ""
	}
	if entry.CallID != "" {
		entry.Text = ""
	}
	entry.Search, entry.Plan, entry.Fetch = nil, nil, nil
	return e.Type + " " + string(tool.MustMarshal(entry))
}

// spentMore is what was spent by then, where that is more than was known; what is spent in
// all never falls, though a run that is played again comes to it anew.
func spentMore(known, now agent.Usage) (agent.Usage, bool) {
	most := agent.Usage{InputTokens: max(known.InputTokens, now.InputTokens),
		OutputTokens: max(known.OutputTokens, now.OutputTokens), USD: max(known.USD, now.USD),
		Searches: max(known.Searches, now.Searches), Fetches: max(known.Fetches, now.Fetches), ActiveMS: known.ActiveMS}
	more := most != known
	most.ActiveMS = max(known.ActiveMS, now.ActiveMS)
	return most, more
}
