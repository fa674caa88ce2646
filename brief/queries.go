package brief

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/sayable"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/search"
)

//go:embed queries.md
var queriesRules string

//go:embed queries.schema.json
var queriesSchema json.RawMessage

// Bounds of the queries that a model writes beside a question.
const (
	maxFurther      = 3
	maxFurtherBytes = 200             // of one; a longer one is left out
	furtherTokens   = 400             // of the answer
	leastForFurther = 2 * time.Second // no model is asked where there is less time
)

// furtherQueries has the first model write queries beside those that a question is searched by: in
// the words of the field and the language of the likely sources. The model sees the question alone,
// so that nothing that was read can get into a query. It is not asked where the time that the later
// stages leave is short, nor where an identifier is looked up; what goes wrong is logged.
func (w *Writer) furtherQueries(ctx context.Context, route search.Route, own []string, p *progress) []string {
	limit, looksUp := w.timeForQueries(ctx), route.Query.Identifier != (citewell.Identifier{})
	if len(w.o.Models) == 0 || len(route.Providers) == 0 || looksUp || limit < leastForFurther {
		return nil
	}
	model, began := w.o.Models[0], time.Now()
	subject := model.Name() + " for queries"
	p.tell(Event{Kind: EventThinking, Subject: subject})
	ask := llm.Request{Schema: queriesSchema, SchemaName: "queries", MaxTokens: furtherTokens, Tries: 1,
		Messages: []llm.Message{{Role: llm.RoleSystem, Content: queriesRules}, {Role: llm.RoleUser, Content: own[0]}}}
	written, err := within(ctx, limit, func(ctx context.Context) (written []string, err error) {
		var answer struct{ Queries []string }
		_, err = model.Decode(ctx, ask, &answer)
		return answer.Queries, err
	})
	outcome := "ok"
	if err != nil {
		outcome = reason(err)
		w.o.Log("the question was searched by its own words alone", err)
	}
	further := usable(written, own)
	p.tell(Event{Kind: EventThought, Subject: subject, Outcome: outcome, Count: len(further),
		Elapsed: time.Since(began)})
	return further
}

// timeForQueries is what the later stages leave of a brief's time.
func (w *Writer) timeForQueries(ctx context.Context) time.Duration {
	d := w.o.Deadlines
	writing := cmp.Or(d.Synthesis, defaultSynthesis)
	end, ok := ctx.Deadline()
	if !ok {
		return writing
	}
	return min(writing, time.Until(end)-d.Fanout-d.Fetch-writing)
}

// usable are the first of a model's queries that can be asked and are not asked yet: lines of words,
// without any address that the question has not.
func usable(written, own []string) (further []string) {
	for _, query := range written {
		known := func(q string) bool { return text.Fold(bareOf(q)) == text.Fold(bareOf(query)) }
		query = sayable.Line(query, own[0])
		words := len(query) <= maxFurtherBytes && len(text.Words(query)) > 0 && !strings.ContainsAny(query, "{}[]<>|\\")
		if len(further) < maxFurther && words && !slices.ContainsFunc(own, known) &&
			!slices.ContainsFunc(further, known) {
			further = append(further, query)
		}
	}
	return further
}
