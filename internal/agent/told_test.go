package agent_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
)

// A slow reader takes its time.
type slow struct{ *desk }

func (s slow) Read(ctx context.Context, url string) (citewell.Page, citewell.Document, error) {
	time.Sleep(20 * time.Millisecond)
	return s.desk.Read(ctx, url)
}

// A run that is played again over its journal tells the same as data, also how long
// something took: its first log may lack what was told last.
func TestTheSameDataIsToldAgain(t *testing.T) {
	d := newDesk(t)
	plan := call("generate_plan_tool", args{"reasoning": "x", "research_goal": "the goal",
		"planned_steps": []string{"a", "b", "c"}, "search_strategies": []string{"x", "y"}})
	adapted := call("adapt_plan_tool", args{"reasoning": "x", "original_goal": "the goal", "new_goal": "another",
		"plan_changes": []string{"c"}, "next_steps": []string{"d", "e"}})
	gone := d.web.URL("docs.larch", "/nothing-here")
	releases := d.web.URL("docs.larch", "/releases")
	m := &script{replies: []reply{calls(plan), calls(searchFor("larch releases")), calls(adapted),
		calls(call("extract_page_content_tool", args{"reasoning": "x", "urls": []string{gone, releases}})),
		calls(finalCall("Nothing was found."))}}
	o := d.options(t, agent.ShapeToolCalling, m)
	o.Reader = slow{d}
	var plays [2][]string
	for i := range plays {
		o.Tell = func(e agent.Event) {
			if e.Kind == "spent" {
				e.Spent.ActiveMS = 0
			}
			if e.Search != nil || e.Plan != nil || e.Fetch != nil || e.Spent != nil {
				data, err := json.Marshal([]any{e.Kind, e.Search, e.Plan, e.Fetch, e.Spent})
				if err != nil {
					t.Error(err)
				}
				plays[i] = append(plays[i], string(data))
			}
		}
		run(t, o, "What does "+gone+" say?")
	}
	if !slices.Equal(plays[0], plays[1]) {
		t.Errorf("told\n%s\nand then\n%s", strings.Join(plays[0], "\n"), strings.Join(plays[1], "\n"))
	}
	all := strings.Join(plays[0], "\n")
	if strings.Contains(all, `"elapsed_ms":0},`) {
		t.Errorf("it took no time to read a page:\n%s", all)
	}
	for _, part := range []string{`{"goal":"the goal","steps":["a","b","c"]}`, `{"goal":"another","steps":["d","e"]}`,
		`"providers":[{"name":"`, `"outcome":"http-status","status":404`} {
		if !strings.Contains(all, part) {
			t.Errorf("no %s is told:\n%s", part, all)
		}
	}
}
