//go:build unix

package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/citewell/citewell"
)

// A question is put to the web and to what its words call for; kinds that are asked for are
// asked alone; each time Coverage says why. Both providers are told of the contact.
func TestSearchAsksWhatAQuestionCallsFor(t *testing.T) {
	var mu sync.Mutex
	var agents []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		agents = append(agents, r.UserAgent())
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/api.php"):
			fmt.Fprint(w, `{"batchcomplete":true,"query":{"pages":[{"index":1,"title":"Skarrow","fullurl":"https://en.wikipedia.org/wiki/Skarrow","extract":"Skarrow is a sound with a tidal barrage that was built in 1988."}]}}`)
		case strings.HasPrefix(r.URL.Path, "/works"):
			fmt.Fprint(w, `{"message":{"items":[{"DOI":"10.5555/tide.1","type":"posted-content","title":["Effect of the Skarrow barrage on crabs"],"abstract":"<jats:p>The Skarrow barrage halved the number of crabs.</jats:p>","URL":"https://doi.org/10.5555/tide.1","issued":{"date-parts":[[2024]]}}]}}`)
		default: // SearXNG
			fmt.Fprint(w, `{"query":"x","results":[]}`)
		}
	}))
	t.Cleanup(server.Close)
	home := t.TempDir()
	config := filepath.Join(home, "citewell.yaml")
	write(t, config, fmt.Sprintf("contact: ops@harbour.example\nsearch: {open: off, providers: {duckduckgo: {enabled: "+
		"false}, searxng: {base_url: %q}, wikipedia: {base_url: %[1]q}, crossref: {base_url: %[1]q}}}\n"+
		"brief: {deadlines: {fetch: 1ns}}\n", server.URL)) // no page is got: those of the results are real ones
	for name, test := range map[string]struct {
		args    []string
		asked   []string
		why     string
		warning string
	}{
		"scholarly": {[]string{"what is the effect of the Skarrow barrage on crabs"}, []string{"crossref", "searxng"},
			"scholarly: “effect of”", "a preprint: not peer reviewed; the abstract alone was read, not the " +
				"work itself"},
		"a person": {[]string{"where is Skarrow"}, []string{"searxng", "wikipedia"},
			"encyclopedia: “where is Skarrow”", "an encyclopedia: a tertiary source"},
		"asked for": {[]string{"--sources", "encyclopedia", "effect of the Skarrow barrage"}, []string{"wikipedia"},
			"encyclopedia: asked for", "an encyclopedia: a tertiary source"},
	} {
		t.Run(name, func(t *testing.T) {
			out, stderr, _ := here(t, home, append([]string{"--config", config, "search", "--json", "--fresh"},
				test.args...)...)
			var b citewell.Brief
			if err := json.Unmarshal([]byte(out), &b); err != nil {
				t.Fatalf("%v: %s %s", err, out, stderr)
			}
			var asked []string
			for _, p := range b.Coverage.Providers {
				asked = append(asked, p.Name)
			}
			if slices.Sort(asked); !slices.Equal(asked, test.asked) || b.Coverage.Routing == nil {
				t.Fatalf("%q were asked, want %q; %+v", asked, test.asked, b.Coverage.Routing)
			}
			var why []string
			for _, s := range b.Coverage.Routing.Sources {
				why = append(why, s.Kind+": "+s.Why)
			}
			if !slices.Contains(why, test.why) {
				t.Errorf("the reasons are %q, want %q among them", why, test.why)
			}
			if len(b.Sources) != 1 || b.Sources[0].Warning != test.warning {
				t.Errorf("sources are %+v, want one with %q", b.Sources, test.warning)
			}
		})
	}
	if !slices.ContainsFunc(agents, func(agent string) bool {
		return strings.Contains(agent, "; ops@harbour.example)")
	}) ||
		!slices.ContainsFunc(agents, func(agent string) bool {
			return !strings.Contains(agent,
				"ops@harbour.example")
		}) {
		t.Errorf("those that ask for a contact are told, and no others: %q", agents)
	}
	for _, command := range [][]string{{"search", "--json", "--fresh"}, {"research", "--json", "--agent", "brief"}} {
		args := append(append([]string{"--config", config}, command...), "--provider", "crossref", "tidal")
		if out, stderr, code := here(t, home, args...); code == citewell.ExitUsage ||
			!strings.Contains(out, "https://doi.org/10.5555/tide.1") ||
			strings.Contains(stderr, "knows sources of kind") {
			t.Errorf("a provider that was named is not asked by %q: %d: %s %s", command, code, out, stderr)
		}
	}
	for _, args := range [][]string{{"--sources", "poetry", "x"}, {"--since", "2024", "x"}, {"--sources", "law", "x"}} {
		if _, stderr, code := here(t, home, append([]string{"--config", config, "search"}, args...)...); code ==
			citewell.ExitOK || stderr == "" {
			t.Errorf("%q ended with %d: %s", args, code, stderr)
		}
	}
}

// A question of papers is put to four of the registers without keys and to those with one, in
// their places; one that names a work is looked up by each that can; a kind that is asked for is
// asked whole.
func TestPapersAreAskedOfFewRegisters(t *testing.T) {
	empty := map[string]string{"crossref": `{"message":{"items":[]}}`, "europepmc": `{"resultList":{"result":[]}}`,
		"openalex": `{"results":[]}`, "core": `{"results":[]}`,
		"arxiv": `<feed xmlns="http://www.w3.org/2005/Atom"></feed>`, "datacite": `{"data":[]}`,
		"openlibrary": `{"docs":[]}`, "semanticscholar": `{"data":[]}`, "wikipedia": `{"batchcomplete":true}`}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _, _ := strings.Cut(r.URL.Path[1:], "/")
		// a look-up in a path
		if at := r.URL.EscapedPath(); strings.Contains(at, "10.5555") || strings.Contains(at, "PMCID:") {
			http.NotFound(w, r)
			return
		}
		if body, ok := empty[name]; ok {
			fmt.Fprint(w, body)
			return
		}
		fmt.Fprint(w, `{"query":"x","results":[]}`)
	}))
	t.Cleanup(server.Close)
	home := t.TempDir()
	config := filepath.Join(home, "citewell.yaml")
	var providers strings.Builder
	for _, name := range slices.Sorted(maps.Keys(empty)) {
		fmt.Fprintf(&providers, ", %s: {base_url: %q, rate: 1000, api_key: k}", name, server.URL+"/"+name)
	}
	write(t, config, fmt.Sprintf("search: {open: off, providers: {duckduckgo: {enabled: false}, searxng: {base_url: "+
		"%q}%s}}\n", server.URL, providers.String()))
	for name, test := range map[string]struct {
		args            []string
		asked, notAsked string
		lookedUp        string
	}{
		"papers": {[]string{"what is the effect of the Skarrow barrage on crabs"},
			"arxiv core crossref europepmc openalex searxng semanticscholar", "datacite openlibrary wikipedia", ""},
		"a_doi": {[]string{"what does 10.5555/tide.1 say of crabs"},
			"arxiv core crossref datacite europepmc openalex searxng semanticscholar", "openlibrary wikipedia",
			"doi:10.5555/tide.1"},
		"a_pmc": {[]string{"what is said in PMC3257301"}, "arxiv core crossref europepmc openalex searxng " +
			"semanticscholar", "datacite openlibrary wikipedia", "pmcid:PMC3257301"},
		"a_book": {[]string{"ISBN 978-0-306-40615-7"}, "openlibrary searxng",
			"arxiv core crossref datacite europepmc openalex semanticscholar wikipedia", "isbn:9780306406157"},
		"data": {[]string{"--sources", "data", "what does 10.5555/tide.1 say of crabs"}, "datacite",
			"arxiv core crossref europepmc openalex openlibrary searxng semanticscholar wikipedia",
			"doi:10.5555/tide.1"},
		"asked": {[]string{"--sources", "scholarly", "crabs"},
			"arxiv core crossref datacite europepmc openalex semanticscholar", "openlibrary searxng wikipedia", ""},
	} {
		t.Run(name, func(t *testing.T) {
			out, stderr, _ := here(t, home, append([]string{"--config", config, "search", "--json", "--fresh"},
				test.args...)...)
			var b citewell.Brief
			if err := json.Unmarshal([]byte(out), &b); err != nil || b.Coverage.Routing == nil {
				t.Fatalf("%v: %s %s", err, out, stderr)
			}
			var asked []string
			for _, p := range b.Coverage.Providers {
				asked = append(asked, p.Name)
				if !p.Outcome.Answered() {
					t.Errorf("%s is %s: %s", p.Name, p.Outcome, p.Detail)
				}
			}
			slices.Sort(asked)
			slices.Sort(b.Coverage.Routing.NotAsked)
			if got := strings.Join(asked, " "); got != test.asked {
				t.Errorf("asked were %s, want %s", got, test.asked)
			}
			if got := strings.Join(b.Coverage.Routing.NotAsked, " "); got != test.notAsked ||
				b.Coverage.Routing.LookedUp != test.lookedUp {
				t.Errorf("not asked were %s, want %s; looked up is %q, want %q", got, test.notAsked,
					b.Coverage.Routing.LookedUp, test.lookedUp)
			}
		})
	}
}
