//go:build unix

package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
)

// Questions of code, of law and of news are put to those who know them, by their kinds alone;
// what was written by users says so, and a feed is known by the file that lists it.
func TestProvidersOfAQuestion(t *testing.T) {
	answers := map[string]string{
		"stackexchange":   `{"items":[{"item_type":"answer","question_id":7,"answer_id":8,"title":"Why does git lose the Skarrow branch?","body":"<p>Because git prunes the Skarrow branch after 30 days.</p>"}],"has_more":false}`,
		"github":          `{"total_count":0,"items":[]}`,
		"hackernews":      `{"hits":[{"objectID":"9","title":"Ask HN: the git Skarrow branch","url":null,"story_text":"The git Skarrow branch is old.","created_at":"2026-01-01T00:00:00Z"}],"nbHits":1}`,
		"federalregister": `{"count":1,"results":[{"title":"Rule on the Skarrow barrage","html_url":"https://www.federalregister.gov/documents/1","abstract":"The regulation of the Skarrow barrage has twelve parts.","publication_date":"2026-01-02"}]}`,
		"govuk":           `{"results":[]}`,
		"sec":             `{"hits":{"hits":[]}}`,
		"clinicaltrials":  `{"studies":[]}`,
		"wikidata":        `{"batchcomplete":true,"query":{"pages":[{"index":1,"title":"Q7","fullurl":"https://www.wikidata.org/wiki/Q7","entityterms":{"label":["Skarrow"],"description":["sound of the north that has a barrage"]}}]}}`,
		"mwmbl":           `{"results":[]}`,
		"feed.xml":        `<rss version="2.0"><channel><title>Harbour</title><item><title>The Skarrow barrage opens</title><link>https://harbour.example/opens</link><description>The Skarrow barrage opened on Monday.</description></item></channel></rss>`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _, _ := strings.Cut(r.URL.Path[1:], "/")
		if strings.HasPrefix(r.URL.Path, "/clinicaltrials/api/v2/studies/NCT") {
			fmt.Fprint(w, `{"protocolSection":{"identificationModule":{"nctId":"NCT00000009","briefTitle":"Sea water"},"descriptionModule":{"briefSummary":"Sea water against tired feet."}}}`)
			return
		}
		fmt.Fprint(w, answers[name])
	}))
	t.Cleanup(server.Close)
	home := t.TempDir()
	write(t, filepath.Join(home, "feeds.opml"), fmt.Sprintf(
		`<opml version="2.0"><body><outline text="News"><outline xmlUrl="%s/feed.xml"/></outline></body></opml>`,
		server.URL))
	config := filepath.Join(home, "citewell.yaml")
	var providers strings.Builder
	for name := range answers {
		if name != "feed.xml" {
			fmt.Fprintf(&providers, ", %s: {base_url: %q, rate: 1000}", name, server.URL+"/"+name)
		}
	}
	write(t, config, fmt.Sprintf("contact: ops@harbour.example\nsearch: {open: off, providers: {duckduckgo: {enabled: "+
		"false}, feeds: {opml: %q}%s}}\n"+
		// no page is got: those of the results are real ones
		"fetch: {allow_networks: [127.0.0.0/8]}\nbrief: {deadlines: {fetch: 1ns}}\n", filepath.Join(home, "feeds.opml"),
		providers.String()))
	for name, test := range map[string]struct {
		args    []string
		asked   []string
		source  string
		warning string
	}{
		"code": {[]string{"why does git lose the Skarrow branch"},
			[]string{"github", "hackernews", "mwmbl", "stackexchange"}, "https://stackoverflow.com/a/8",
			"written by users"},
		"code of another kind": {[]string{"--provider", "hackernews", "the git Skarrow branch is old"},
			[]string{"hackernews"}, "https://news.ycombinator.com/item?id=9", "written by users"},
		"law": {[]string{"what is the regulation of the Skarrow barrage"},
			[]string{"federalregister", "govuk", "mwmbl", "sec"}, "https://www.federalregister.gov/documents/1", ""},
		"news": {[]string{"latest news of the Skarrow barrage"},
			[]string{"feeds", "hackernews", "mwmbl"}, "https://harbour.example/opens", ""},
		"a place": {[]string{"where is Skarrow"}, []string{"mwmbl", "wikidata"},
			"https://www.wikidata.org/wiki/Q7", "an encyclopedia: a tertiary source"},
		"a trial": {[]string{"what does NCT00000009 say of sea water"},
			[]string{"clinicaltrials", "mwmbl"}, "https://clinicaltrials.gov/study/NCT00000009", ""},
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
				if !p.Outcome.Answered() {
					t.Errorf("%s is %s: %s", p.Name, p.Outcome, p.Detail)
				}
			}
			if slices.Sort(asked); !slices.Equal(asked, test.asked) {
				t.Errorf("%q were asked, want %q; %+v", asked, test.asked, b.Coverage.Routing)
			}
			i := slices.IndexFunc(b.Sources, func(s citewell.Source) bool { return s.URL == test.source })
			if i < 0 || b.Sources[i].Warning != test.warning {
				t.Errorf("sources are %+v, want %s with %q", b.Sources, test.source, test.warning)
			}
		})
	}
	for args, says := range map[string]string{
		"--set contact= search --provider sec x":                               "CITEWELL_CONTACT",
		"search --provider marginalia x":                                       "MARGINALIA_API_KEY",
		"--set search.providers.feeds.opml=/none search --provider feeds x":    "opml cannot be read",
		"--set search.providers.feeds.enabled=false search --provider feeds x": "switched off",
	} {
		if _, stderr, code := here(t, home, append([]string{"--config", config}, strings.Fields(args)...)...); code ==
			citewell.ExitOK || !strings.Contains(stderr, says) {
			t.Errorf("%q ended with %d: %s", args, code, stderr)
		}
	}
	out, _, _ := here(t, home, "--config", config, "doctor", "--json")
	var found struct {
		Findings []struct{ Name, State, Detail string }
	}
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// feeds need not hold the word that doctor asks for
	for name, state := range map[string]string{"feeds": "ok", "github": "warning", "stackexchange": "ok"} {
		if !slices.ContainsFunc(found.Findings, func(f struct{ Name, State, Detail string }) bool {
			return f.Name == name && f.State == state
		}) {
			t.Errorf("doctor does not find %s to be %s: %s", name, state, out)
		}
	}
}
