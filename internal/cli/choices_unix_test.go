//go:build unix

package cli

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
)

// asked are the providers that a run asked, each once.
func (c *runsClient) asked(id string) (names []string) {
	c.t.Helper()
	for _, h := range c.whole("/v1/runs/" + id + "/events") {
		for _, m := range askedProvider.FindAllStringSubmatch(h.data, -1) {
			if !slices.Contains(names, m[1]) {
				names = append(names, m[1])
			}
		}
	}
	slices.Sort(names)
	return names
}

var askedProvider = regexp.MustCompile(`"providers":\[\{"name":"(\w+)"`)

// Where a run looks can be chosen when it is begun, over the API as on the page, from what its
// agent offers; a run that goes on from it looks there too.
func TestChoosingWhereToLook(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	c, _ := l.api(t)
	var agents struct {
		Agents []struct {
			Name    string
			Choices job.Offer
		}
	}
	c.read(&agents, "/v1/agents")
	i := slices.IndexFunc(agents.Agents, func(a struct {
		Name    string
		Choices job.Offer
	}) bool {
		return a.Name == "brief"
	})
	offered := agents.Agents[i].Choices
	if !slices.ContainsFunc(offered.Providers, func(p job.Offered) bool { return p.Name == "searxng" && p.Standing }) ||
		!slices.Equal(offered.Sources, []string{"web", "local"}) {
		t.Fatalf("there can be chosen %+v", offered)
	}
	const brief = `{"agent": "brief", "task": "How often does the wheel of the Alder pier turn?"`
	c.refused(http.StatusNotFound, citewell.CodeNotFound, "there are no documents", "POST", "/v1/runs",
		brief+`, "documents": true}`)
	c.adds(`{"filename": "pier.txt", "text": "The wheel of the Alder pier turns 14 times a minute when the tide falls. Its keeper oils the wheel of the Alder pier on every second day."}`)
	for more, words := range map[string]string{`"sources": ["books"]`: "sources: web, local",
		`"providers": ["brave"]`:                         "providers: duckduckgo, local, searxng",
		`"providers": ["searxgn"]`:                       "did you mean searxng",
		`"sources": ["local"], "documents": false`:       "leave out",
		`"providers": ["searxng"], "sources": ["local"]`: "it knows web"} {
		c.refused(http.StatusNotFound, citewell.CodeNotFound, words, "POST", "/v1/runs", brief+", "+more+"}")
	}
	c.refused(http.StatusNotFound, citewell.CodeNotFound, "one of the lenses", "POST", "/v1/runs",
		brief+`, "sources": ["nix"]}`)
	c.refused(http.StatusBadRequest, citewell.CodeInvalidArgument, "no kind of sources", "POST", "/v1/runs",
		brief+`, "sources": ["a b!"]}`)
	c.refused(http.StatusBadRequest, citewell.CodeInvalidArgument, "which stands alone", "POST", "/v1/runs",
		brief+`, "sources": ["web", "software"]}`)
	c.refused(http.StatusBadRequest, citewell.CodeInvalidArgument, "documents", "POST", "/v1/runs",
		brief+`, "documents": "all"}`)

	var looked struct{ Choices job.Choices }
	c.read(&looked, "/v1/runs/"+c.begin(brief+`, "sources": ["software"]}`))
	if lens := looked.Choices.Lens(); lens != "software" {
		t.Errorf("a run that was to look through a lens has %q", lens)
	}

	var run string
	for _, test := range []struct {
		more string
		want []string
	}{
		{`, "providers": ["searxng"]`, []string{"searxng"}}, {`, "documents": true, "providers": ["searxng"]`,
			[]string{"local", "searxng"}}, {`, "documents": true`, []string{"duckduckgo", "local", "searxng"}},
		{``, []string{"duckduckgo", "local", "searxng"}}, {`, "documents": false`, []string{"duckduckgo", "searxng"}},
		{`, "sources": ["web"]`, []string{"duckduckgo", "searxng"}}, {`, "sources": ["local"]`, []string{"local"}},
	} {
		run = c.begin(brief + test.more + "}")
		if got := c.asked(run); !slices.Equal(got, test.want) {
			t.Errorf("with %s it asked %v, want %v", test.more, got, test.want)
		}
	}
	var result struct{ Sources []citewell.Source }
	c.read(&result, "/v1/runs/"+run+"/result")
	if len(result.Sources) != 1 || !strings.HasPrefix(result.Sources[0].URL, "file:///attached/") {
		t.Errorf("of the documents alone it has %+v", result.Sources)
	}
	on := c.begin(`{"agent": "brief", "task": "When was Larch 2.0 released?", "from": "` + run + `"}`)
	if got := c.asked(on); !slices.Equal(got, []string{"local"}) {
		t.Errorf("what goes on from it asked %v", got)
	}
	on = c.begin(`{"agent": "brief", "task": "When was Larch 2.0 released?", "from": "` + run +
		`", "sources": ["auto"]}`)
	if got := c.asked(on); !slices.Equal(got, []string{"duckduckgo", "local", "searxng"}) {
		t.Errorf("what goes on from it and chooses for itself asked %v", got)
	}

	// Who asks by OpenAI's API is answered from the documents as well.
	said := c.send(t.Context(), "POST", "/v1/chat/completions",
		`{"model": "brief", "messages": [{"role": "user", "content": "How often does the wheel of the Alder pier turn?"}]}`)
	if body, err := io.ReadAll(said.Body); err != nil || said.StatusCode != http.StatusOK ||
		!strings.Contains(string(body), "14 times a minute") {
		t.Errorf("by OpenAI's API it says %d %s %v", said.StatusCode, body, err)
	}

	// An agent with a model is kept to the same.
	agent := c.begin(`{"agent": "sgr_tool_calling_agent", "task": "` + larchTask + `", "providers": ["searxng"]}`)
	for _, h := range c.whole("/v1/runs/" + agent + "/events") {
		if strings.Contains(h.data, "duckduckgo") {
			t.Errorf("an agent that was kept to one provider tells of another: %s", h.data)
		}
	}
	form := "question=How+often+does+the+wheel+of+the+Alder+pier+turn%3F&agent=brief&key=" +
		"00000000-0000-4000-8000-00000000c401"
	began := c.send(t.Context(), "POST", "/runs", form+"&documents=too&providers=searxng", "Content-Type",
		"application/x-www-form-urlencoded")
	if began.StatusCode != http.StatusSeeOther {
		t.Fatalf("the page begins a run with %d", began.StatusCode)
	}
	if got := c.asked(strings.TrimPrefix(began.Header.Get("Location"), "/runs/")); !slices.Equal(got,
		[]string{"local", "searxng"}) {
		t.Errorf("begun on the page it asked %v", got)
	}
	const lensed = "question=When+was+Larch+2.0+released%3F&agent=brief&key=00000000-0000-4000-8000-00000000c40"
	for i, sources := range []string{"software", ""} { // the demo web has no page of the sites of that lens
		began = c.send(t.Context(), "POST", "/runs", lensed+fmt.Sprint(i+5, "&sources=", sources), "Content-Type",
			"application/x-www-form-urlencoded")
		id, _ := strings.CutPrefix(began.Header.Get("Location"), "/runs/")
		c.whole("/v1/runs/" + id + "/events")
		c.read(&result, "/v1/runs/"+id+"/result")
		if len(result.Sources) > 0 == (sources != "") {
			t.Errorf("begun on the page through the lens %q it has %d sources", sources, len(result.Sources))
		}
	}
	for i, test := range [][2]string{{"&sources=web&sources=software", "which stands alone"},
		{"&sources=&sources=nix", "nix"}} {
		chosen, words := test[0], test[1]
		sent := c.send(t.Context(), "POST", "/runs", lensed+fmt.Sprint(2+i)+chosen, "Content-Type",
			"application/x-www-form-urlencoded")
		if page, err := io.ReadAll(sent.Body); err != nil || !strings.Contains(sent.Header.Get("Location")+
			string(page), words) {
			t.Errorf("%s is answered with %d %v, without %q", chosen, sent.StatusCode, err, words)
		}
	}
	wrong := c.send(t.Context(), "POST", "/runs", form+"2&documents=alone&providers=searxng", "Content-Type",
		"application/x-www-form-urlencoded")
	if page, err := io.ReadAll(wrong.Body); err != nil || wrong.StatusCode != http.StatusUnprocessableEntity ||
		!strings.Contains(string(page), "your documents alone") {
		t.Errorf("documents alone and others: %d %v %.500s", wrong.StatusCode, err, page)
	}
}
