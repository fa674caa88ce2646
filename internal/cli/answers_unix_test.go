//go:build unix

package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/citewell/citewell"
)

// What a provider without a key answered one command is used again by the next, which says so,
// and not where an answer is to be fresh; and a provider that hung for one command is not waited
// for by the next.
func TestCommandsKnowWhatProvidersSaid(t *testing.T) {
	var mu sync.Mutex
	asked := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _, _ := strings.Cut(r.URL.Path[1:], "/")
		mu.Lock()
		asked[name]++
		mu.Unlock()
		switch name {
		case "wikipedia":
			fmt.Fprint(w, `{"batchcomplete":true,"query":{"pages":[{"index":1,"title":"Skarrow","fullurl":"https://en.wikipedia.org/wiki/Skarrow","extract":"Skarrow is a sound with a tidal barrage that was built in 1988."}]}}`)
		case "crossref":
			fmt.Fprint(w, `{"message":{"items":[]}}`)
		default:
			<-r.Context().Done()
		}
	}))
	t.Cleanup(server.Close)
	home := t.TempDir()
	config := filepath.Join(home, "citewell.yaml")
	write(t, config, fmt.Sprintf("search: {open: off, providers: {duckduckgo: {enabled: false}, wikipedia: {base_url: "+
		"%q}, crossref: {base_url: %q}, europepmc: {base_url: %q}}}\n"+
		// no page is got
		"brief: {deadlines: {fanout: 2s, fetch: 1ns}}\n", server.URL+"/wikipedia", server.URL+"/crossref",
		server.URL+"/europepmc"))
	for _, step := range []struct {
		args     []string
		asked    int // wikipedia, until then
		again    bool
		hangSays string
	}{
		{nil, 1, false, "europepmc did not answer in time"},
		// another brief of the same answers
		{[]string{"--depth", "1"}, 1, true, "europepmc was not waited for when the others had answered, since its " +
			"last call failed"},
		{[]string{"--fresh"}, 2, false, "europepmc was not waited for"},
		{[]string{"--depth", "1"}, 2, true, "europepmc was not waited for"},
	} {
		out, stderr, _ := here(t, home, append([]string{"--config", config, "search", "--json", "--sources",
			"scholarly,encyclopedia", "when was the Skarrow barrage built"}, step.args...)...)
		var b citewell.Brief
		if err := json.Unmarshal([]byte(out), &b); err != nil || len(b.Coverage.Providers) != 3 {
			t.Fatalf("%v: %s %s", err, out, stderr)
		}
		for _, p := range b.Coverage.Providers {
			switch p.Name {
			case "europepmc":
				if p.Outcome != citewell.ProviderTimeout || !strings.Contains(p.Detail, step.hangSays) {
					t.Errorf("%q: %+v", step.args, p)
				}
			case "wikipedia":
				if again := strings.Contains(p.Detail, "was not asked again"); p.Outcome != citewell.ProviderOK ||
					again != step.again {
					t.Errorf("%q: %+v", step.args, p)
				}
			}
		}
		mu.Lock()
		if asked["wikipedia"] != step.asked || asked["crossref"] != step.asked {
			t.Errorf("%q: asked %v, want %d", step.args, asked, step.asked)
		}
		mu.Unlock()
	}
}
