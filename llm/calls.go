package llm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/citewell/citewell/internal/jsonform"
	"github.com/citewell/citewell/internal/text"
)

// calls are the tool calls of an answer while it comes.
type calls struct{ list []*growing }

type growing struct {
	index     int
	id, name  string
	arguments strings.Builder
}

// addPiece takes a piece of a call in. In a stream its index names the call; where servers give no index, or the same
// to all, a new id begins a new call.
func (c *calls) addPiece(w wireCall, stream bool) (CallDelta, error) {
	at := len(c.list)
	if stream {
		switch {
		case w.Index != nil:
			for i, call := range c.list {
				if call.index == *w.Index {
					at = i // the last one with it
				}
			}
		case len(c.list) > 0:
			at = len(c.list) - 1
		}
		if at < len(c.list) && w.ID != "" && c.list[at].id != "" && w.ID != c.list[at].id {
			at = len(c.list)
		}
	}
	if at == len(c.list) {
		if at == MaxToolCalls {
			return CallDelta{}, unusable(ErrCalls, fmt.Sprintf("the model called more than %d tools at once",
				MaxToolCalls))
		}
		call := &growing{index: at}
		if w.Index != nil {
			call.index = *w.Index
		}
		c.list = append(c.list, call)
	}
	call := c.list[at]
	call.id = cmp.Or(call.id, w.ID)
	if w.Function.Name != call.name { // some servers send it with each piece
		call.name += w.Function.Name
	}
	call.arguments.WriteString(string(w.Function.Arguments))
	return CallDelta{Index: at, Name: w.Function.Name, Arguments: string(w.Function.Arguments)}, nil
}

// Bounds of what a model may write, in bytes; nothing real is near them.
const (
	maxCallID   = 256
	maxCallName = 256
)

// whole are the calls of an answer that came to its end. Their ids are unique in the conversation.
func (c *calls) whole(r Request) []ToolCall {
	if len(c.list) == 0 {
		return nil
	}
	taken := map[string]bool{"": true}
	for _, m := range r.Messages {
		for _, call := range m.ToolCalls {
			taken[call.ID] = true
		}
	}
	done := make([]ToolCall, len(c.list))
	for i, g := range c.list {
		call := ToolCall{ID: g.id, Name: strings.TrimSpace(g.name), written: g.arguments.String()}
		for n := 1; taken[call.ID] || len(call.ID) > maxCallID; n++ {
			call.ID = fmt.Sprintf("call_%d_%d", i+1, n)
		}
		taken[call.ID] = true
		call.Arguments, call.Fault = arguments(call.written)
		if call.Name == "" || len(call.Name) > maxCallName {
			call.Name, call.Fault = text.Prefix(call.Name, maxCallName), "the call names no tool"
		}
		done[i] = call
	}
	return done
}

// arguments reads those of a call: a JSON object, mended where that changes no meaning.
func arguments(written string) (json.RawMessage, string) {
	said := strings.TrimSpace(written)
	if said == "" || said == "null" {
		return json.RawMessage("{}"), ""
	}
	var quoted string
	if json.Unmarshal([]byte(said), &quoted) == nil {
		said = strings.TrimSpace(quoted) // put into a string twice
	}
	if object := strictObject(said); object != nil {
		return object, ""
	}
	if mended, ok := jsonform.Mend(said); ok {
		if object := strictObject(string(mended)); object != nil {
			return object, ""
		}
	}
	kept, err := json.Marshal(map[string]string{"unreadable": text.Prefix(written, 2000)})
	if err != nil {
		kept = json.RawMessage("{}")
	}
	return kept, "the arguments are not a JSON object"
}

// strictObject is a text that is a JSON object and nothing else; nil where it is not.
func strictObject(text string) json.RawMessage {
	if !strings.HasPrefix(text, "{") || !json.Valid([]byte(text)) {
		return nil
	}
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(text)) != nil {
		return nil
	}
	return compact.Bytes()
}
