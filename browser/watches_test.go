package browser

import (
	"fmt"
	"strings"
	"testing"
)

// watches adds a watch of a question over the API, and gives its page once its first round is over.
func (s *Server) watches(question string) (path string) {
	s.t.Helper()
	var w struct{ ID string }
	s.api("POST", "/v1/watches", &w, fmt.Sprintf(`{"question": %q, "agent": "brief", "sources": ["web"]}`, question))
	var said struct{ News []struct{ Run string } }
	s.api("GET", "/v1/watches/"+w.ID+"/news", &said)
	s.fetch("/v1/runs/" + said.News[0].Run + "/events") // which ends when the run does
	return "/watches/" + w.ID
}

// From a report to a watch of its question, what is new, a round more, and its end.
func TestWatches(t *testing.T) {
	t.Parallel()
	s := serveDemo(t)
	tab := Open(t, Options{})
	tab.Goto(s.URL + "/watches")
	tab.Axe("no watches")
	tab.looks("no watches")
	run := s.begins(story{task: plantQuestion}, map[string]any{"agent": "brief", "sources": []string{"web"}})
	s.fetch("/v1/runs/" + run + "/events")
	tab.Goto(s.URL + "/runs/" + run)
	tab.Follow(`a[href^="/watches?run="]`)
	tab.Axe("a question to watch")
	if asked := Eval[string](tab, `document.getElementById('question').value`); asked != plantQuestion {
		t.Errorf("who comes from a report finds %q", asked)
	}
	if !Eval[bool](tab,
		`document.querySelector('.choices').open && document.querySelector('input[name="sources"][value="web"]').checked && document.querySelector('select[name="agent"]').value === 'brief'`) {
		t.Error("where the run looked is not chosen")
	}
	tab.Expect("422")
	Eval[any](tab, `document.querySelector('input[name="every"]').value = 'often'`)
	tab.Follow("button.primary")
	tab.Axe("a watch that cannot be")
	if said := tab.Text(".trouble"); !strings.Contains(said, `every is "often"`) {
		t.Errorf("of a time that is none: %s", said)
	}
	Eval[any](tab, `document.querySelector('input[name="every"]').value = '12h'`)
	tab.Follow("button.primary")
	tab.Axe("a watch that was added")
	if said := tab.Text("#main"); !strings.Contains(said, "Every 12h") || !strings.Contains(said, plantQuestion) {
		t.Errorf("a watch says %s", said)
	}
	page := Eval[string](tab, `location.pathname`)
	tab.Follow(`.news a[href^="/runs/"]`)
	tab.ended()
	tab.Goto(s.URL + page)
	tab.Axe("what is new")
	tab.Screenshot("what is new")
	tab.looks("what is new")
	if said := tab.Text(".news"); !strings.Contains(said, "The first report") ||
		!strings.Contains(said, "New sources") || !strings.Contains(said, "New findings") {
		t.Errorf("of the first round it says %s", said)
	}
	tab.Follow("button.primary")
	tab.ended()
	tab.Press("g")
	tab.Press("w")
	tab.WaitFor(`location.pathname === '/watches'`)
	tab.WaitVisible(".runs")
	tab.Axe("watches")
	tab.Screenshot("watches")
	tab.looks("watches")
	if said := tab.Text(".runs tbody"); !strings.Contains(said, "nothing new") || !strings.Contains(said, "12h") ||
		!strings.Contains(said, "only at sources of kind web") {
		t.Errorf("the list says %s", said)
	}
	all := len(s.fetch("/watches")) +
		Eval[int](tab, `performance.getEntriesByType('resource').reduce((sum, r) => sum + r.decodedBodySize, 0)`)
	if all > 150_000 {
		t.Errorf("the list has %d bytes with all that it loads", all)
	}
	tab.Click(".runs summary")
	tab.Axe("a watch to remove")
	tab.Follow(".runs details button")
	if said := tab.Text("#main"); !strings.Contains(said, "Nothing is watched yet") {
		t.Errorf("after the one was removed: %s", said)
	}
}

// Watches without script: added, refused, run, removed.
func TestWatchesWithoutScript(t *testing.T) {
	t.Parallel()
	s := serveDemo(t)
	tab := Open(t, Options{NoScript: true})
	tab.Goto(s.URL + "/watches")
	tab.Type("#question", "???")
	tab.Expect("422")
	tab.Follow("button.primary")
	if said := tab.Text(".trouble"); !strings.Contains(said, "the question has no words") {
		t.Errorf("of a question without words: %s", said)
	}
	tab.Type("#question", plantQuestion)
	tab.Follow("button.primary")
	if asked := tab.Text("h1"); asked != plantQuestion+"???" { // typed before what was there
		t.Errorf("what was typed is %q", asked)
	}
	page := Eval[string](tab, `location.pathname`)
	tab.Follow("button.primary")
	if at := Eval[string](tab, `location.pathname`); !strings.HasPrefix(at, "/runs/brief_") {
		t.Errorf("run now leads to %s", at)
	}
	tab.Goto(s.URL + page)
	tab.Click(".danger summary")
	tab.Follow(".danger button")
	if said := tab.Text("#main"); !strings.Contains(said, "Nothing is watched yet") {
		t.Errorf("after the one was removed: %s", said)
	}
}
