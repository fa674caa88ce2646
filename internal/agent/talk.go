package agent

import (
	"fmt"
	"slices"

	"github.com/citewell/citewell/llm"
)

// A talk is the conversation of a run with its model, without the task.
type talk struct {
	system       string
	images       []llm.Image // shown with the task
	history      []Message   // before the task
	conversation []Message
	reasoned     string          // the call of the last reasoning in the conversation
	ids          map[string]bool // of calls in the conversation
}

// say adds a message.
func (t *talk) say(role, content string) {
	t.conversation = append(t.conversation, Message{Role: role, Content: content})
}

// weighed returns the index of the last reasoning, which has seen all messages before it, or -1 if there
// was no reasoning.
func (t *talk) weighed() int {
	return slices.IndexFunc(t.conversation, func(m Message) bool {
		return len(m.Calls) > 0 && m.Calls[0].ID == t.reasoned
	})
}

// callID names the nth call of a phase of an iteration; it is unique in the run.
func (t *talk) callID(iteration int, phase string, n int) string {
	id := fmt.Sprintf("%d-%s", iteration, phase)
	if n > 0 {
		id = fmt.Sprintf("%s-%d", id, n+1)
	}
	for unique, k := id, 2; ; k++ {
		if !t.ids[unique] {
			t.ids[unique] = true
			return unique
		}
		unique = fmt.Sprintf("%s.%d", id, k)
	}
}

// tail is where the last n messages begin, not between a call and its results.
func (t *talk) tail(n int) int {
	at := max(len(t.conversation)-n, 0)
	for at > 0 && t.conversation[at].Role == RoleTool {
		at--
	}
	return at
}
