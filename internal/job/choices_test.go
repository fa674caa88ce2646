package job_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
)

// shelf is an offer of three providers, and documents that there may be.
func shelf(documents bool) job.Offer {
	return job.Offer{Sources: []string{"web", "scholarly", "local"}, Documents: documents, Providers: []job.Offered{
		{Name: "local", Sources: []string{"local"}}, {Name: "papers", Sources: []string{"scholarly"}},
		{Name: "wide", Sources: []string{"web"}, Standing: true}}}
}

func ptr(b bool) *bool { return &b }

// What a run may choose is what its agent offers; who chooses another thing is told what
// there is.
func TestChoices(t *testing.T) {
	db := open(t, t.TempDir())
	desk := job.NewDesk(db, []job.Definition{{Name: "desk"}, {Name: "deaf"}}, nil)
	documents := true
	desk.Offers = func(_ context.Context, d job.Definition) (job.Offer, error) {
		if d.Name == "deaf" {
			return job.Offer{}, nil
		}
		return shelf(documents), nil
	}
	for _, test := range []struct {
		name    string
		agent   string
		choices job.Choices
		kept    string // as JSON in the request
		refused string // parts of the error, between |
	}{
		{"kinds_in_order", "", job.Choices{Sources: []string{"Scholarly", "web", "web"}},
			`{"sources":["web","scholarly"]}`, ""},
		{"auto", "", job.Choices{Sources: []string{"auto"}}, `{"sources":["auto"]}`, ""},
		{"providers_once", "", job.Choices{Providers: []string{"wide", "papers", "wide"}},
			`{"providers":["papers","wide"]}`, ""},
		{"documents", "", job.Choices{Documents: ptr(true)}, `{"documents":true}`, ""},
		{"none", "", job.Choices{Documents: ptr(false), Sources: []string{"web"}},
			`{"sources":["web"],"documents":false}`, ""},
		{"no_such_kind", "", job.Choices{Sources: []string{"scolarly"}}, "", "no kind of sources|scholarly"},
		{"nobody_knows_the_kind", "", job.Choices{Sources: []string{"books"}}, "",
			"kind books|sources: web, scholarly, local"},
		{"no_such_provider", "", job.Choices{Providers: []string{"paper"}}, "",
			`"paper"|papers|providers: local, papers, wide`},
		{"another_kind", "", job.Choices{Providers: []string{"papers"}, Sources: []string{"web"}}, "",
			"papers knows no sources of kind web|scholarly"},
		{"both_ways", "", job.Choices{Sources: []string{"local"}, Documents: ptr(false)}, "", "left out|local"},
		{"no_search", "deaf", job.Choices{Documents: ptr(true)}, "", "the agent deaf|no search of its own"},
	} {
		t.Run(test.name, func(t *testing.T) {
			run, err := desk.Start(t.Context(), job.Start{Agent: test.agent, Task: "which lake is deepest?",
				Choices: test.choices})
			if test.refused != "" {
				line := citewell.View(err).Line()
				for _, part := range strings.Split(test.refused, "|") {
					if citewell.CategoryOf(err) != citewell.CategoryInvalid || !strings.Contains(line, part) {
						t.Errorf("refused with %s, which lacks %q", line, part)
					}
				}
				return
			}
			var kept struct{ Choices json.RawMessage }
			if err == nil {
				err = json.Unmarshal(run.Request, &kept)
			}
			if err != nil || string(kept.Choices) != test.kept {
				t.Errorf("%s %v", kept.Choices, err)
			}
		})
	}
	documents = false
	for _, c := range []job.Choices{{Documents: ptr(true)}, {Sources: []string{"local"}},
		{Providers: []string{"local"}}} {
		if _, err := desk.Start(t.Context(), job.Start{Task: "x", Choices: c}); citewell.CodeOf(
			err) != citewell.CodeNotFound || !strings.Contains(err.Error(), "there are no documents") {
			t.Errorf("%+v without documents: %v", c, err)
		}
	}
}

// One word that is no kind is no lens that is missing where no lens can be named so.
func TestChoicesOfAWordThatNamesNoLens(t *testing.T) {
	desk := job.NewDesk(open(t, t.TempDir()), []job.Definition{{Name: "desk"}}, nil)
	desk.Offers = func(context.Context, job.Definition) (job.Offer, error) { return shelf(true), nil }
	for word, missing := range map[string]bool{"nix": true, " NIX-2 ": true, strings.Repeat("x", 64): true,
		"a b!": false, "a_b": false, "ä": false, " ": false, strings.Repeat("x", 65): false} {
		_, err := desk.Start(t.Context(), job.Start{Task: "x", Choices: job.Choices{Sources: []string{word}}})
		if citewell.CodeOf(err) != citewell.CodeInvalidArgument || errors.Is(err, job.ErrNoLens) != missing {
			t.Errorf("%q: %v, of a lens that is missing: %t", word, err, !missing)
		}
	}
}

// A run has its choices each time that it is taken up, and so has one that goes on from it,
// unless that chooses for itself.
func TestChoicesLast(t *testing.T) {
	db := open(t, t.TempDir())
	m := &model{script: func(context.Context, int) (agent.Reply, error) { return answers() }}
	var had []job.Choices
	x := job.NewExecutor(job.ExecutorOptions{Runs: db, Build: func(_ context.Context, d job.Definition,
		ties job.Ties) (job.Agent, error) {
		had = append(had, ties.Choices)
		if len(had) == 1 {
			return nil, &citewell.Error{Code: citewell.CodeStoreFailed, Message: "not now"}
		}
		return agent.New(agent.Options{Name: d.Name, Shape: agent.ShapeToolCalling, Model: m, Journal: ties.Journal,
			Budget: ties.Budget.Agent(), Ask: ties.Ask, Tell: ties.Tell})
	}})
	desk := job.NewDesk(db, []job.Definition{{Name: "desk", Model: m.Name(),
		Budget: job.Budget{Tokens: 100_000, Searches: -1}}}, x.Wake)
	desk.Offers = func(context.Context, job.Definition) (job.Offer, error) { return shelf(true), nil }
	wanted := job.Choices{Sources: []string{"scholarly"}, Documents: ptr(true)}
	first, err := desk.Start(t.Context(), job.Start{Task: "which lake is deepest?", Choices: wanted})
	if err != nil {
		t.Fatal(err)
	}
	for _, fails := range []bool{true, false} { // it is let go of, and taken up again
		if _, err := x.Execute(t.Context(), first.ID); (err != nil) != fails {
			t.Fatal(err)
		}
	}
	for _, on := range []struct{ asked, want job.Choices }{
		{job.Choices{}, wanted}, {job.Choices{Sources: []string{"auto"}}, job.Choices{Sources: []string{"auto"}}}} {
		run, err := desk.Start(t.Context(), job.Start{Task: "and then?", From: first.ID, Choices: on.asked})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := x.Execute(t.Context(), run.ID); err != nil || !reflect.DeepEqual(had[len(had)-1], on.want) {
			t.Errorf("one that goes on with %+v has %+v, %v", on.asked, had[len(had)-1], err)
		}
	}
	if len(had) != 4 || !reflect.DeepEqual(had[0], wanted) || !reflect.DeepEqual(had[1], wanted) {
		t.Errorf("its executors were told %+v", had)
	}
}

// Where a run was made to look is said in words, a lens by its name.
func TestChoicesInWords(t *testing.T) {
	yes, no := true, false
	for _, test := range []struct {
		c           job.Choices
		lens, words string
	}{
		{job.Choices{}, "", ""},
		{job.Choices{Sources: []string{"auto"}}, "", ""},
		{job.Choices{Sources: []string{"medicine"}, Documents: &no}, "medicine",
			"through the lens medicine; not in your documents"},
		{job.Choices{Sources: []string{"news"}}, "", "only at sources of kind news"},
		{job.Choices{Sources: []string{"news", "law"}, Providers: []string{"govuk", "searxng"}, Documents: &yes}, "",
			"only at sources of kind news, law; only with govuk, searxng; in your documents too"},
	} {
		if lens, words := test.c.Lens(), test.c.Words(); lens != test.lens || words != test.words {
			t.Errorf("%+v is said as %q, through %q", test.c, words, lens)
		}
	}
	for task, want := range map[string]bool{"? …!": false, "👍": false, "": false, "a?": true, "7": true, "¿qué?": true,
		"潮": true} {
		if job.HasWords(task) != want {
			t.Errorf("%q has words: %v", task, !want)
		}
	}
}
