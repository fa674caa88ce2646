package app

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/doctor"
	"github.com/citewell/citewell/internal/testing/minilm"
)

// A key goes to no host but its own.
func TestEmbeddingEndpoint(t *testing.T) {
	key := citewell.NewSecret
	tests := []struct {
		name      string
		llm       config.LLM
		embedding config.Embedding
		baseURL   string
		key       string
	}{
		{"all its own", config.LLM{BaseURL: "https://chat.example/v1", APIKey: key("chat")},
			config.Embedding{BaseURL: "https://vectors.example/v1", APIKey: key("vectors")},
			"https://vectors.example/v1", "vectors"},
		{"another host, no key", config.LLM{BaseURL: "https://chat.example/v1", APIKey: key("chat")},
			config.Embedding{BaseURL: "https://vectors.example/v1"}, "https://vectors.example/v1", ""},
		{"another port, no key", config.LLM{BaseURL: "http://127.0.0.1:1/v1", APIKey: key("chat")},
			config.Embedding{BaseURL: "http://127.0.0.1:2/v1"}, "http://127.0.0.1:2/v1", ""},
		{"another scheme, no key", config.LLM{BaseURL: "https://chat.example/v1", APIKey: key("chat")},
			config.Embedding{BaseURL: "http://chat.example/v1"}, "http://chat.example/v1", ""},
		{"another path of one host", config.LLM{BaseURL: "https://chat.example/v1", APIKey: key("chat")},
			config.Embedding{BaseURL: "https://Chat.example:443/embed/v1"},
			"https://Chat.example:443/embed/v1", "chat"},
		{"nothing said", config.LLM{BaseURL: "https://chat.example/v1", APIKey: key("chat")}, config.Embedding{},
			"https://chat.example/v1", "chat"},
		{"default of both", config.LLM{APIKey: key("chat")}, config.Embedding{}, "", "chat"},
		{"default, and another host", config.LLM{APIKey: key("chat")},
			config.Embedding{BaseURL: "https://vectors.example/v1"}, "https://vectors.example/v1", ""},
		{"a key of its own for the chat model's host", config.LLM{
			BaseURL: "https://chat.example/v1", APIKey: key("chat")}, config.Embedding{APIKey: key("vectors")},
			"https://chat.example/v1", "vectors"},
		{"a host that only looks like it", config.LLM{BaseURL: "https://chat.example/v1", APIKey: key("chat")},
			config.Embedding{BaseURL: "https://chat.example@evil.example/v1"},
			"https://chat.example@evil.example/v1", ""},
	}
	for _, test := range tests {
		at := network{}.besideLLM(test.llm, test.embedding.BaseURL, test.embedding.APIKey)
		if at.baseURL != test.baseURL || at.key.Reveal() != test.key {
			t.Errorf("%s: %s with key %q, want %s with %q", test.name, at.baseURL, at.key.Reveal(),
				test.baseURL, test.key)
		}
	}
}

// Vectors stay in the cache from one App to the next.
func TestEmbeddingIsCached(t *testing.T) {
	var mu sync.Mutex
	asked, auth := 0, ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		var request struct{ Input []string }
		if err := json.Unmarshal(body, &request); err != nil || r.URL.Path != "/v1/embeddings" {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		asked, auth = asked+len(request.Input), r.Header.Get("Authorization")
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"data":[{"index":0,"embedding":[0.6,0.8]}]}`)
	}))
	defer server.Close()
	l := loaded(t, func(c *config.Config) {
		c.LLM.BaseURL, c.LLM.APIKey, c.Embedding.Model = server.URL+"/v1", citewell.NewSecret("sk-1"), "m"
	})
	for range 2 {
		a := open(t, Options{Config: l})
		if v, err := a.Embedding.Embed(t.Context(), []string{"one"}); err != nil || len(v) != 1 || v[0][1] != 0.8 {
			t.Fatalf("%v, %v", v, err)
		}
	}
	if asked != 1 || auth != "Bearer sk-1" {
		t.Errorf("%d texts asked for with %q", asked, auth)
	}
}

func TestWrongEmbeddingSettingsAreRefused(t *testing.T) {
	for _, change := range []func(*config.Config){
		func(c *config.Config) { c.Embedding.Model, c.Embedding.BaseURL = "m", "vectors.example" },
		func(c *config.Config) { c.Embedding.Model, c.Embedding.Dimensions = "m", -3 },
	} {
		a, err := Open(t.Context(), Options{Config: loaded(t, change)})
		if citewell.CodeOf(err) != citewell.CodeInvalidConfig {
			t.Errorf("%v, want invalid_config", err)
		}
		if err == nil {
			a.Close()
		}
	}
}

// Doctor tries the embedding model for real, and says so where there is none.
func TestEmbeddingProbe(t *testing.T) {
	probe := func(a *App, name string) doctor.Probe {
		probes, err := a.Probes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range probes {
			if p.Part == "model" && p.Name == name {
				return p
			}
		}
		t.Fatalf("no probe of %s", name)
		return doctor.Probe{}
	}
	if p := probe(open(t, Options{Config: loaded(t, nil)}), "embedding"); !strings.Contains(p.Off, "embedding.model") {
		t.Errorf("%+v", p)
	}
	base := minilm.Start(t)
	a := open(t, Options{Config: loaded(t, func(c *config.Config) {
		c.Embedding = config.Embedding{BaseURL: base, Model: minilm.Model}
	})})
	answer, err := probe(a, minilm.Model).Try(t.Context())
	if err != nil || answer.Doubt != "" || !strings.HasPrefix(answer.Detail, "384 dimensions") {
		t.Errorf("%+v, %v", answer, err)
	}
}
