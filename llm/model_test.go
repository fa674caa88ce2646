package llm_test

import (
	"context"
	"encoding/json"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/llm"
)

// ask returns a client of a scripted model.
func ask(t testing.TB, s *modeltest.Server, o llm.Options) *llm.Client {
	t.Helper()
	guard, err := egress.NewGuard(egress.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o.BaseURL, o.Guard = s.Base(), guard
	if o.Model == "" {
		o.Model = "scripted"
	}
	c, err := llm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func user(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: text}}}
}

// kept is a cache in memory.
type kept struct {
	mu     sync.Mutex
	values map[string][]byte
}

func (k *kept) CacheGet(_ context.Context, key string) ([]byte, time.Time, bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	value, ok := k.values[key]
	return value, time.Time{}, ok, nil
}

func (k *kept) CachePut(_ context.Context, key string, value []byte, _ time.Duration) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.values == nil {
		k.values = map[string][]byte{}
	}
	k.values[key] = value
	return nil
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	encoded, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

func formats(s *modeltest.Server) (list []string) {
	for _, a := range s.Asked() {
		list = append(list, a.Format())
	}
	return list
}

func without(body map[string]any, fields ...string) map[string]any {
	rest := maps.Clone(body)
	for _, field := range fields {
		delete(rest, field)
	}
	return rest
}
