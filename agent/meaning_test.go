package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/citewell/citewell/agent"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/testing/minilm"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/store"
)

// deaf is an embedding model that is not there.
type deaf struct{}

func (deaf) Name() string { return "deaf" }
func (deaf) Embed(context.Context, []string) ([][]float32, error) {
	return nil, errors.New("not there")
}

// What a source says in other words is found with an embedding model; what it does not
// say is not. Without the model words decide.
func TestWhatASourceSaysInOtherWords(t *testing.T) {
	page := "https://school.example/pupils"
	said := func(sentence string, e cite.Embedder) agent.Result {
		s := newShelf()
		s.pages = map[string]string{page: "Children who walk or cycle to school are fitter than those who are driven there by their parents."}
		final := calls(finalCall(sentence + " [1]."))
		m := &script{replies: []reply{calls(searchFor("school")), calls(call("extract_page_content_tool", args{"reasoning": "x", "urls": []string{page}})), final, final, final}}
		o := s.options(agent.ShapeToolCalling, m)
		o.Embedder = e
		return run(t, o, "Are kids healthier if they do not go to class by car?")
	}
	const paraphrase, other = "Kids who travel to class by bike are healthier than kids whose parents take them in a car", "Kids eat more vegetables when canteens serve them first"
	for _, e := range []cite.Embedder{nil, deaf{}} {
		if r := said(paraphrase, e); r.Outcome != store.RunPartial || len(r.Report.Unverified) != 1 {
			t.Errorf("by words: %s %+v", r.Outcome, r.Report)
		}
	}
	base := minilm.Start(t)
	guard, err := egress.NewGuard(egress.Options{})
	if err != nil {
		t.Fatal(err)
	}
	embedder, err := llm.NewEmbeddings(llm.EmbeddingOptions{BaseURL: base, Model: minilm.Model, Guard: guard})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(embedder.Close)
	r := said(paraphrase, embedder)
	if r.Outcome != store.RunAnswered || !strings.HasPrefix(r.Report.Findings[0].Citations[0].Judge, "embedding ") {
		t.Errorf("%s %+v", r.Outcome, r.Report)
	}
	if r := said(other, embedder); r.Outcome == store.RunAnswered {
		t.Errorf("what it does not say: %+v", r.Report)
	}
}
