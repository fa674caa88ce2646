package brief

import (
	"context"
	"encoding/json"
	"time"

	"github.com/citewell/citewell/llm"
)

// A fakeModel gives one answer.
type fakeModel struct {
	name   string
	answer string // JSON
	err    error
	after  time.Duration
	deaf   bool // it does not heed its context

	queries string // JSON of its answer for queries; without one it writes none, and is not counted

	asked []llm.Request
}

func (m *fakeModel) Name() string { return m.name }

func (m *fakeModel) Decode(ctx context.Context, r llm.Request, out any) (llm.Reply, error) {
	if r.SchemaName == "queries" && m.queries == "" {
		return llm.Reply{}, nil
	}
	m.asked = append(m.asked, r)
	if r.SchemaName == "queries" {
		return llm.Reply{}, json.Unmarshal([]byte(m.queries), out)
	}
	if m.deaf {
		time.Sleep(m.after)
	} else if err := pause(ctx, m.after); err != nil {
		return llm.Reply{}, err
	}
	if m.err != nil || m.answer == "" {
		return llm.Reply{}, m.err
	}
	return llm.Reply{}, json.Unmarshal([]byte(m.answer), out)
}
