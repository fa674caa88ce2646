package agent_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/llm"
)

// considered is a reasoning as long as models write them.
func considered(step string) agent.ToolCall {
	return call("reasoning_tool", args{
		"reasoning_steps": []string{"The task asks for output, opening, cost and effects on animals, with the " +
			"sources that differ.", "What was found so far covers a part of it; the next step is to " + step + "."},
		"current_situation": "The owner, an encyclopedia and an institute are known as sources; figures of " +
			"output and " +
			"dates of the opening differ between two of them, which has to be settled.",
		"plan_status": "The plan stands; its next step is to " + step + ".",
		"remaining_steps": []string{step, "compare what the sources say",
			"write the report with a number behind each fact"}, "task_completed": false})
}

// researched are the steps of a research task as a capable model takes them. shown is what
// it was shown until then.
func (d *desk) researched() []func(shown string) agent.ToolCall {
	search := func(q string) func(string) agent.ToolCall {
		return always(call("web_search_tool", args{"reasoning": "the sources that are known say too little of this, " +
			"and this search should bring others", "query": q, "max_results": 5}))
	}
	read := func(urls ...string) func(string) agent.ToolCall {
		return always(call("extract_page_content_tool", args{"reasoning": "their figures are needed as they stand, " +
			"with what is said around them", "urls": urls}))
	}
	return []func(string) agent.ToolCall{
		always(call("generate_plan_tool", args{"reasoning": "the task has several parts",
			"research_goal": "what the plant generates, when it opened, what it cost and what it did to seals and fish",
			"planned_steps": []string{"find the owner's figures and those of independent readers",
				"find reports of the opening and its date", "find counts of seals and fish", "write the report"},
			"search_strategies": []string{"the owner's site", "an institute that counts", "the local newspaper"}})),
		search("Skarrow Sound tidal plant electricity a year"),
		search("Skarrow Sound tidal plant opened date"),
		read(d.url("skarrow-tidal", "/plant"), d.url("wiki.openlore", "/page/Skarrow_Sound_tidal_plant")),
		search("Skarrow Sound tidal plant output measured by year"),
		read(d.url("tidewater-institute", "/reports/skarrow-output"),
			d.url("turbine-quarterly", "/issue-31/skarrow-sound-revisited")),
		search("Skarrow Sound grey seals counted barrage"),
		search("Skarrow tidal plant household tariff cost fish"),
		read(d.url("tidewater-institute", "/reports/skarrow-seals"), d.url("skarrow-tidal", "/environment")),
		func(shown string) agent.ToolCall { return reportCall(d.reported(shown)) },
		func(shown string) agent.ToolCall { return finalCall(d.reported(shown)) },
	}
}

// reported is a report of some length, all of which the sources say.
func (d *desk) reported(shown string) string {
	plant, wiki, output := number(shown, "/plant"), number(shown, "/page/Skarrow_Sound_tidal_plant"),
		number(shown, "/reports/skarrow-output")
	seals, fish := number(shown, "/reports/skarrow-seals"), number(shown, "/environment")
	return strings.NewReplacer("[plant]", plant, "[wiki]", wiki, "[output]", output, "[seals]", seals, "[fish]",
		fish).Replace(`## Output

The Skarrow Sound tidal plant generates 640 GWh of electricity in an average year [plant]. The Skarrow Sound tidal plant has generated 0.64 TWh of electricity a year on average over its first five full years [output]. We expect the years around 2033 to lie between 600 and 615 GWh [output].

Figures below 600 GWh have been printed [output]. Those that we could trace go back to the design study of 2011, which assumed generation on the ebb only [output].

## Opening and cost

The Skarrow Sound tidal plant opened on 14 May 2019 [plant]. The last of the 22 turbines was handed over by its maker on 2 September 2019, three and a half months after the opening [output]. The construction cost was €1.26 billion [wiki]. Construction started on 3 March 2014, and the gap was closed in October 2017 [wiki].

## Seals and fish

There were 412 grey seals in Skarrow Sound in the summer of 2013 and 455 in the summer of 2023 [seals]. The number fell by a third while the barrage was being built and recovered within two years of its opening [seals]. Of 1,250 tagged smolts, 97.6 per cent got through unharmed, most by way of the sluices [fish]. Turbines are shut for the pupping weeks on the side that faces Long Skerry [fish]. This costs about 3 GWh a year [fish].
`)
}

// What a research task over the demo web costs, counted as a token for four bytes of all that is
// sent and received. Before pages were shown by the model's window, and what the model had
// written was told back to it, they cost 105,230 where the window is unknown and else 147,829.
func TestTokensOfAResearchTask(t *testing.T) {
	for name, c := range map[string]struct{ window, limit, most int }{
		"window_unknown":        {0, 0, 69_000},
		"window_known":          {128_000, 0, 77_000},
		"known_and_a_page_1500": {128_000, 1500, 73_900},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			steps := d.researched()
			received, shown := 0, ""
			server := modeltest.Serve(t)
			server.Script = func(n int, a modeltest.Asked) modeltest.Reply {
				shown += shownIn(a)
				if n/2 == len(steps) {
					return modeltest.Fails(http.StatusUnauthorized, "the script is at its end")
				}
				reply := considered(fmt.Sprintf("make step %d", n/2+1))
				if n%2 == 1 {
					reply = steps[n/2](shown)
				}
				received += len(reply.Arguments)
				return asks(reply)
			}
			o := d.options(t, agent.ShapeSGRToolCalling, nil)
			o.Model = overEndpoint(t, server, agent.ShapeSGRToolCalling, llm.Options{ContextWindow: c.window}).Model
			o.Limits = agent.Limits{MaxIterations: 14, MaxSearches: 6, ContentLimit: c.limit}
			r := run(t, o, "What does the Skarrow Sound tidal plant generate a year, when did it open, what did it "+
				"cost, and what did it do to seals and fish?")
			if r.Outcome != runstore.RunAnswered || len(server.Asked()) != 2*len(steps) || len(r.Report.Findings) < 12 {
				t.Fatalf("%s %s: %d calls, %d findings", r.Outcome, r.Reason, len(server.Asked()),
					len(r.Report.Findings))
			}
			sent := 0
			for _, a := range server.Asked() {
				data, err := tool.Marshal(a.Body)
				if err != nil {
					t.Fatal(err)
				}
				sent += len(data)
			}
			tokens := (sent + received) / 4
			t.Logf("%d tokens in %d calls, %d of them written by the model", tokens, len(server.Asked()), received/4)
			if tokens > c.most {
				t.Errorf("%d tokens, more than %d", tokens, c.most)
			}
		})
	}
}

// shownIn is what a request shows the model.
func shownIn(a modeltest.Asked) string {
	messages, _ := a.Body["messages"].([]any)
	var all strings.Builder
	for _, m := range messages {
		of, _ := m.(map[string]any)
		content, _ := of["content"].(string)
		all.WriteString(content + "\n")
	}
	return all.String()
}
