package job

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell/agent"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/tool"
)

// MaxShown bounds in bytes what a log entry shows of a call's arguments or result; the
// journal has the whole.
const MaxShown = 4 << 10

// The entries of a run's log beside the store's own (store.EventState and the others
// that begin with "run."): reasoning, call, result, source, read, unread (cited by a
// search's words alone), kept (its text is that of the run before), rejected, compacted,
// closing, paused, queued, without_tools, model_failed
// and over have an Entry as data and are those of agent.Event; EventQuestion has an
// agent.Question, and EventSpent an agent.Usage: what the run has spent when it stops to
// wait for an answer. EventPutOff has an Entry whose text says why the executor that took
// the run up cannot make its agent, and let it go, EventWarning one that says what speaks
// against relying on the run.
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
}

// logged gives an agent's event as it stands in the log; false where it does not: a
// state is the store's to write, and a piece of an answer may never become whole.
func logged(e agent.Event) (store.RunEvent, bool) {
	if e.Kind == "state" || e.Kind == "delta" {
		return store.RunEvent{}, false
	}
	text := strings.ToValidUTF8(e.Text, string(utf8.RuneError))
	if e.Kind != "reasoning" { // which is JSON, and bounded by its tool
		text = tool.Shorten(text, MaxShown)
	}
	data := tool.MustMarshal(Entry{e.Iteration, e.CallID, strings.ToValidUTF8(e.Name, string(utf8.RuneError)), text, e.Number})
	return store.RunEvent{Type: e.Kind, Data: data}, true
}

// key is what an entry is known by when a run is played again. Of a call that is its
// id and not its words: a result is wrapped in another boundary each time.
func key(e store.RunEvent) string {
	var entry Entry
	if json.Unmarshal(e.Data, &entry) != nil {
		return ""
	}
	if entry.CallID != "" {
		entry.Text = ""
	}
	return e.Type + " " + string(tool.MustMarshal(entry))
}
