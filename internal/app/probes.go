package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/backend"
	"github.com/citewell/citewell/internal/doctor"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/provider"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/text"
)

// probeQuery is what doctor asks every provider: words that any index has.
const probeQuery = "weather"

// Probes lists what doctor tries.
func (a *App) Probes(ctx context.Context) ([]doctor.Probe, error) {
	probes := append([]doctor.Probe{{Part: "store", Name: backend.Kind(a.Config.Store.URL), Try: a.tryStore}},
		a.wallProbes()...)
	deps, err := a.providerDeps(ctx, a.Config.Search)
	if err != nil {
		return nil, err
	}
	for _, name := range provider.Names() {
		probe := doctor.Probe{Part: "provider", Name: name}
		if p, err := provider.New(name, deps); err == nil {
			probe.Try = func(ctx context.Context) (doctor.Answer, error) { return tryProvider(ctx, p, deps.Limits(name).Rate) }
		} else if view := citewell.View(err); view.Code == citewell.CodeProviderNotConfigured {
			probe.Off = view.Line()
		} else {
			probe.Try = func(context.Context) (doctor.Answer, error) { return doctor.Answer{}, err }
		}
		probes = append(probes, probe)
	}
	probes = append(probes, contactProbe(deps))
	probes = append(probes, a.archiveProbe())
	if len(a.Models) == 0 {
		probes = append(probes, doctor.Probe{Part: "model", Name: "llm", Off: "no llm.model is set; findings are quoted from the sources"})
	}
	for _, m := range a.Models {
		probes = append(probes, doctor.Probe{Part: "model", Name: m.Name(), Try: func(ctx context.Context) (doctor.Answer, error) {
			return tryModel(ctx, m)
		}})
	}
	probes = append(probes, a.judgeProbe())
	if a.Embedding == nil {
		probes = append(probes, doctor.Probe{Part: "model", Name: "embedding", Off: "no embedding.model is set; your documents are searched by words"})
	} else {
		probes = append(probes, doctor.Probe{Part: "model", Name: a.Embedding.Name(), Try: func(ctx context.Context) (doctor.Answer, error) {
			return tryEmbedding(ctx, a.Embedding)
		}})
	}
	if a.Reranker == nil {
		probes = append(probes, doctor.Probe{Part: "model", Name: "rerank", Off: "no rerank.base_url is set; passages are ranked without"})
	} else {
		probes = append(probes, doctor.Probe{Part: "model", Name: a.Reranker.Name(), Try: func(ctx context.Context) (doctor.Answer, error) {
			return tryReranker(ctx, a.Reranker)
		}})
	}
	for _, server := range mcpServers(a.Config.MCP) {
		probes = append(probes, doctor.Probe{Part: "mcp", Name: server.Name, Try: func(ctx context.Context) (doctor.Answer, error) { return a.tryServer(ctx, server) }})
	}
	if a.telemetry.Tells() {
		probes = append(probes, doctor.Probe{Part: "traces", Name: "collector", Try: a.tryTraces})
	}
	return append(probes, a.agentProbes()...), nil
}

// PartJudge is the part of the probe that examines the judge.
const PartJudge = "judge"

// examLimit is how long the judge may take for its examination: a model on a slow machine writes
// forty verdicts in minutes.
const examLimit = 5 * time.Minute

// judgeProbe examines the judge by the shipped pairs.
func (a *App) judgeProbe() doctor.Probe {
	probe := doctor.Probe{Part: PartJudge, Name: "judge", Limit: examLimit}
	switch {
	case a.Judge != nil:
		probe.Name, probe.Try = strings.TrimPrefix(a.Judge.Name(), "judge "), a.tryJudge
	case a.Config.Judge.Use == "never":
		probe.Off = "judge.use is never; what words cannot decide stays undecided"
	default:
		probe.Off = "neither llm.model nor judge.model is set; what words cannot decide stays undecided"
	}
	return probe
}

func (a *App) tryJudge(ctx context.Context) (doctor.Answer, error) {
	score, err := a.Judge.Examine(ctx)
	if err != nil {
		return doctor.Answer{}, err
	}
	answer := doctor.Answer{Detail: score.String()}
	if score.Believed() {
		answer.Detail += "; it is believed"
	} else {
		answer.Doubt = "it is not believed, and words decide"
		answer.Hint = "set judge.model to another model, or judge.use to never"
	}
	return answer, nil
}

// contactProbe says what a contact would raise. Nothing is tried: nobody says whether it is believed.
func contactProbe(deps provider.Deps) doctor.Probe {
	probe := doctor.Probe{Part: "contact", Name: "contact", Off: "none is set, and no provider here asks for one"}
	switch raises := provider.ContactRaises(deps); {
	case deps.Contact != "":
		probe.Off = deps.Contact + " is told to providers that ask for a contact"
	case len(raises) > 0:
		probe.Off = "none is set; contact or CITEWELL_CONTACT, an address of yours, would raise " + strings.Join(raises, "; ")
	}
	return probe
}

// tryEmbedding asks for three sentences of which two say the same. The texts are new
// each time, so that they do not come from the cache.
func tryEmbedding(ctx context.Context, e *llm.Embeddings) (doctor.Answer, error) {
	id := " (" + citewell.NewID()[:8] + ")"
	v, err := e.Embed(ctx, []string{"The ferry was cancelled." + id, "They called off the boat." + id, "Tin melts at 232 degrees." + id})
	if err != nil {
		return doctor.Answer{}, err
	}
	like := func(a, b []float32) (sum float64) {
		for i := range a {
			sum += float64(a[i]) * float64(b[i])
		}
		return sum
	}
	same, other := like(v[0], v[1]), like(v[0], v[2])
	answer := doctor.Answer{Detail: fmt.Sprintf("%d dimensions; two sentences that say the same are %.2f alike, two others %.2f", e.Dimensions(), same, other)}
	if same <= other {
		answer.Doubt = "sentences that say the same should be more alike than others"
		answer.Hint = "embedding.model may be no model for text similarity"
	}
	return answer, nil
}

// tryReranker asks which of two sentences answers a question; the one that does not has
// more of its words.
func tryReranker(ctx context.Context, r *llm.Reranker) (doctor.Answer, error) {
	scores, err := r.Rerank(ctx, "When does the ferry to the island leave?", []string{"The ferry to the island is painted white.", "The boat goes across at nine in the morning."})
	if err != nil {
		return doctor.Answer{}, err
	}
	answer := doctor.Answer{Detail: fmt.Sprintf("what answers a question has %.3g, what has its words alone %.3g", scores[1], scores[0])}
	if scores[1] <= scores[0] {
		answer.Doubt = "a sentence that answers the question should stand before one that does not"
		answer.Hint = "rerank.model may be no reranker, or one of another language than English"
	}
	return answer, nil
}

// tryProvider asks for what any index has. One that finds nothing answers, but is
// blocked, empty or misled; only a person's own documents and feeds may hold no such word.
// rate is how many calls a second it is asked at most; 0 is no limit.
func tryProvider(ctx context.Context, p search.Provider, rate float64) (doctor.Answer, error) {
	q := citewell.Query{Text: probeQuery, Limit: 5}
	if d, _ := provider.Describe(p.Name()); d.Sample != (citewell.Identifier{}) {
		q.Text, q.Identifier = d.Sample.Value, d.Sample
	}
	a := <-search.Ask(search.WithMaxAge(ctx, 0), q, []search.Provider{p}, doctor.Timeout)
	if a.Err != nil {
		return doctor.Answer{}, a.Err
	}
	answer := doctor.Answer{Detail: fmt.Sprintf("%s for %q", text.Count(len(a.Results), "result"), q.Text)}
	if a.Detail != "" {
		answer.Detail += "; " + a.Detail
	}
	if rate > 0 {
		answer.Detail += "; " + carries(rate)
	}
	if len(a.Results) == 0 && p.Name() != localProvider && p.Name() != feedsProvider {
		answer.Doubt = "a word this common should find something"
		answer.Hint = "the provider may be blocking this machine, or have nothing behind it; try it in a browser"
	}
	return answer, nil
}

// searchesAMinute is what a run is taken to search: one that thinks for some seconds between
// two searches.
const searchesAMinute = 3

// carries says how many runs at once find a provider free that is asked so many times a second.
func carries(rate float64) string {
	runs := max(int(rate*60/searchesAMinute), 1)
	return fmt.Sprintf("%g calls a second carry about %s at once at %d searches a minute each, beyond that searches wait for their turn", rate, text.Count(runs, "run"), searchesAMinute)
}

// doctorIndex is the index of the text that tryStore writes and removes.
const doctorIndex = "citewell:doctor"

// tryStore writes a text, reads it back, compares, and leaves nothing behind.
func (a *App) tryStore(ctx context.Context) (answer doctor.Answer, err error) {
	id := citewell.NewID()
	written := store.TextDocument{ID: id, Text: "citewell doctor " + id, Language: "en"}
	if err := a.Store.IndexDocuments(ctx, doctorIndex, []store.TextDocument{written}); err != nil {
		return answer, err
	}
	defer func() {
		if _, removed := a.Store.RemoveDocuments(context.WithoutCancel(ctx), doctorIndex, store.TextSelection{IDs: []string{id}}); err == nil {
			err = removed
		}
	}()
	kept, err := a.Store.TextDocument(ctx, doctorIndex, id)
	if err != nil {
		return answer, err
	}
	if kept.Text != written.Text {
		return answer, &citewell.Error{Code: citewell.CodeStoreFailed, Message: "the store gave back other text than it was given"}
	}
	count, err := a.Store.CountDocuments(ctx, "")
	answer.Detail = fmt.Sprintf("%s: a text was written, read back and removed; documents indexed: %d", strings.TrimPrefix(a.StorePlace(), "sqlite:"), count)
	return answer, err
}

// What is said of a model that gets the small question of a trial wrong.
const (
	wrongSum  = "a sum of two numbers was wrong"
	tryLarger = "a model this weak will misread its sources; try a larger one"
)

// doubt says what speaks against a long run with an agent's model: doctor's question, asked
// once for a model at an endpoint and remembered. It is empty where nothing does, where the
// model cannot be asked now, and where traffic is recorded or replayed.
func (a *App) doubt(ctx context.Context, name string, parts agentplan.Parts) string {
	if a.taped() {
		return ""
	}
	model, err := a.modelFor(parts.Model, a.agentSettings(name))
	if err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, doctor.Timeout)
	defer cancel()
	can, err := model.Capabilities(ctx)
	if err != nil || can.Structured == "" || can.Sum == 42 {
		return ""
	}
	return fmt.Sprintf("%s: %s (19 + 23 = %d); %s", model.Name(), wrongSum, can.Sum, tryLarger)
}

// tryModel tries all that Citewell may want of a model. Briefs need answers in JSON; an
// agent needs them, or tools that are called.
func tryModel(ctx context.Context, m *llm.Client) (doctor.Answer, error) {
	can, err := m.Examine(ctx)
	switch {
	case err != nil:
		return doctor.Answer{}, err
	case can.Structured == "":
		return doctor.Answer{}, &citewell.Error{Code: citewell.CodeModelFailed, Message: "the model answers, but not in JSON; findings will be quoted from the sources", Err: llm.ErrSchema}
	}
	answer := doctor.Answer{Detail: can.String()}
	switch {
	case can.Sum != 42:
		answer.Doubt, answer.Hint = wrongSum, tryLarger
	case can.Tools == llm.Cannot:
		answer.Doubt = "agents that call tools have to ask it for JSON in place of calls"
		answer.Hint = "research --agent sgr_agent needs no calls; or set llm.model to a model that calls tools"
	case can.Tools == "":
		answer.Doubt = "whether it calls tools, which research needs, could not be tried"
		answer.Hint = "the endpoint refused or did not answer in time; run doctor again when it is less busy"
	case can.Streaming == "":
		answer.Doubt = "whether it streams could not be tried"
		answer.Hint = "the endpoint refused or did not answer in time; run doctor again when it is less busy"
	case can.Window.From == llm.FromNothing:
		answer.Detail += " (llm.context_window says it for sure)"
	}
	return answer, nil
}

// tryTraces sends the collector a request without spans.
func (a *App) tryTraces(ctx context.Context) (doctor.Answer, error) {
	if err := a.telemetry.Try(ctx); err != nil {
		return doctor.Answer{}, err
	}
	return doctor.Answer{Detail: "the collector took a request without spans"}, nil
}
