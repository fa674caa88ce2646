package provider

import (
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/services"
)

func TestEndpoint(t *testing.T) {
	tests := []struct{ configured, path, want string }{
		{"", "/res/v1/web/search", "https://api.example/res/v1/web/search"},
		{"http://127.0.0.1:9", "/search", "http://127.0.0.1:9/search"},
		{"http://127.0.0.1:9/", "/search", "http://127.0.0.1:9/search"},
		{"http://127.0.0.1:9/search/", "/search", "http://127.0.0.1:9/search"},
		{"http://h.example/proxy", "/search", "http://h.example/proxy/search"},
		{"http://h.example/research", "/search", "http://h.example/research/search"},
		{"http://h.example/a/res/v1", "/res/v1/web/search", "http://h.example/a/res/v1/web/search"},
		{"http://h.example/res/v1/web/search", "/res/v1/web/search", "http://h.example/res/v1/web/search"},
		{"http://h.example/a%2Fb/?token=1#x", "/search", "http://h.example/a%2Fb/search?token=1"},
	}
	for _, test := range tests {
		u, err := endpoint("someone", test.configured, "https://api.example", test.path)
		if err != nil || u.String() != test.want {
			t.Errorf("%s with %s is %v (%v), want %s", test.configured, test.path, u, err, test.want)
		}
	}
	if _, err := endpoint("someone", "h.example:80", "", "/search"); citewell.CodeOf(
		err) != citewell.CodeInvalidConfig {
		t.Errorf("no scheme: %v", err)
	}
}

func TestSearXNGOptions(t *testing.T) {
	d := testDeps(t)
	if _, err := NewWith(d, services.SearXNGOptions{}); citewell.CodeOf(err) != citewell.CodeProviderNotConfigured {
		t.Errorf("without an address: %v", err)
	}
	asked := recordingServer(t, []byte(`{"results":[]}`))
	d = withSettings(d, "searxng", Settings{BaseURL: asked.URL + "/?categories=general"})
	if _, err := NewWith(d, services.SearXNGOptions{Page: -1}); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
		t.Errorf("page -1: %v", err)
	}
	p, err := NewWith(d, services.SearXNGOptions{Categories: []string{"news", "it"}, Engines: []string{"arxiv"},
		Language: "de", Page: 2})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Search(t.Context(), citewell.Query{Text: "tides", Region: "us-en"}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"categories": "news,it", "engines": "arxiv", "language": "de",
		"pageno": "2"} {
		if got := asked.params()[name]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
