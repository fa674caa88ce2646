package brief

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/citewell/citewell/llm"
)

// A fakeModel gives one answer.
type fakeModel struct {
	name   string
	answer string // JSON
	err    error
	after  time.Duration
	deaf   bool                                                    // it does not heed its context
	judges func(ctx context.Context, claim string) (string, error) // answers what it thinks of a claim; nil agrees

	mu     sync.Mutex
	asked  []llm.Request
	judged []llm.Request
}

func (m *fakeModel) Name() string { return m.name }

func (m *fakeModel) Decode(ctx context.Context, r llm.Request, out any) (llm.Reply, error) {
	if r.SchemaName == "verdict" {
		m.mu.Lock()
		m.judged = append(m.judged, r)
		m.mu.Unlock()
		return m.judge(ctx, r, out)
	}
	m.asked = append(m.asked, r)
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

func (m *fakeModel) judge(ctx context.Context, r llm.Request, out any) (llm.Reply, error) {
	answer := `{"quote":"","reason":"","verdict":"supported"}`
	if err := pause(ctx, m.after); err != nil {
		return llm.Reply{}, err
	}
	if m.judges != nil {
		var err error
		shown := r.Messages[1].Content
		_, claim, _ := strings.Cut(shown[strings.LastIndex(shown, "| claim>>>"):], "\n")
		claim, _, _ = strings.Cut(claim, "\n<<<END")
		if answer, err = m.judges(ctx, claim); err != nil {
			return llm.Reply{}, err
		}
	}
	return llm.Reply{}, json.Unmarshal([]byte(answer), out)
}
