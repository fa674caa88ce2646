package brief

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/siteclass"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/search"
)

// resultsAt is how many results a query asks for at each depth; 0 is what providers give.
var resultsAt = [MaxResearchDepth]int{0, 0, 20}

// A ResearchRequest is one topic.
type ResearchRequest struct {
	ID         string // of the brief; minted when empty
	Topic      string
	Sources    search.Scope // where to look; its zero value is what the topic calls for
	Depth      int          // how far the topic is taken apart, 1..3; 2 when 0
	MaxSources int          // 1..10, each of another registered domain; 5 when 0
	Progress   func(Event)  // called from many goroutines, one at a time; may be nil
}

// Research answers a topic from several queries and without any model: the topic is
// taken apart into queries by its form, all are put to every provider at once, and
// the best page of each of the best domains is read and quoted.
//
// Flow: topic → decompose → every query × every provider → pages by fit, frequency
// and quality of their place → passages → quotes that answer → confidence.
// Why: doc/decision/0017-web-research.md
//
// The brief that comes back has Confidence, Queries and the Quality of each source.
// When every provider failed it comes with an all_providers_failed error.
func (w *Writer) Research(ctx context.Context, r ResearchRequest) (citewell.Brief, error) {
	if err := r.check(); err != nil {
		return citewell.Brief{}, err
	}
	started := time.Now()
	deadline, cancel := w.total(ctx)
	defer cancel()

	route, err := search.Choose(citewell.Query{Text: r.Topic, Limit: resultsAt[r.Depth-1]}, r.Sources, w.o.Providers)
	if err != nil {
		return citewell.Brief{}, err
	}
	p := &progress{report: r.Progress}
	b := newBrief(cmp.Or(r.ID, citewell.NewID()), r.Topic, started)
	b.Queries = decompose(r.Topic, r.Depth)
	q := newQuestion(r.Topic)
	gathered := w.gatherAll(deadline, plan{asked: route.Providers, query: route.Query, queries: b.Queries,
		rivals: q.rivals, sources: r.MaxSources, perDomain: 1,
		texts: q.readings, use: func(r *reading) bool { return !r.offTopic(q) }}, p)
	if ctx.Err() != nil {
		return b, fmt.Errorf("research: %w", ctx.Err())
	}
	e, err := w.byWords().register(ctx, b.ID, q, nil, gathered)
	if err != nil {
		return b, notKept(ctx, err)
	}
	for i, s := range e.sources {
		if s.Class != siteclass.ClassLocal {
			e.sources[i].Quality = quality(s.Host, r.Topic)
		}
	}
	b.Sources, b.Passages, b.Additional, b.Coverage = e.sources, e.passages, gathered.additional, gathered.coverage
	b.Coverage.Routing = route.Routing
	b.Coverage.Synthesis = citewell.SynthesisReport{Mode: citewell.SynthesisExtractive, Outcome: "skipped"}

	all := e.ofRivals(q, w.weigh(q, e))
	if b.Findings = extractive(q, e, all, forResearch); len(b.Findings) > 0 {
		b.Disagreements = disagreements(all, e)
	}
	b.Gaps = gaps(q, b.Findings, all, b.Coverage.Providers)
	conclude(&b, e, all)
	b.Confidence = confidence(e, b.Findings, b.Disagreements, b.Gaps)
	err = w.keep(ctx, deadline, &b, started)
	return b, err
}

func (r *ResearchRequest) check() error {
	r.Topic = text.OneLine(r.Topic)
	r.Depth = cmp.Or(r.Depth, DefaultResearchDepth)
	r.MaxSources = cmp.Or(r.MaxSources, DefaultMaxSources)
	refuse := func(format string, args ...any) error {
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "research",
			Message: fmt.Sprintf(format, args...)}
	}
	switch {
	case len(text.Words(r.Topic)) == 0:
		return refuse("topic is required: words that say what to research")
	case r.Depth < 1 || r.Depth > MaxResearchDepth:
		return refuse("depth is %d; it must be 1 to %d", r.Depth, MaxResearchDepth)
	case r.MaxSources < 1 || r.MaxSources > MaxMaxSources:
		return refuse("max_sources is %d; it must be 1 to %d", r.MaxSources, MaxMaxSources)
	}
	return nil
}

// A plan is what is asked for one brief, and how much is read of what is found.
type plan struct {
	asked     []search.Provider
	query     citewell.Query // whose text the queries replace
	queries   []string       // the first is the whole question
	further   int            // how many of the last ones a model wrote beside it
	rivals    []rival        // which take turns as sources
	sources   int            // at most
	perDomain int            // sources of one registered domain, of each rival
	use       func(*reading) bool
	texts     *text.Readings
}

// gatherAll asks all queries and reads the best pages. A page that cannot be read is
// replaced by the next where there is one, and stays a source where there is room.
func (w *Writer) gatherAll(ctx context.Context, pl plan, p *progress) gathered {
	hearings := w.askAll(ctx, pl.asked, pl.query, pl.queries, p)
	ranked, rest := inTurn(pl.rivals, pl.queries, pl.further, hearings, pl.perDomain, time.Now())
	g := gathered{coverage: citewell.Coverage{Providers: []citewell.ProviderReport{}, Fetches: []citewell.FetchReport{},
		DistinctResults: len(ranked) + len(rest)}}
	for i, h := range hearings {
		report := h.report(pl.asked[i].Name())
		g.coverage.RawResults += report.Results
		g.coverage.Providers = append(g.coverage.Providers, report)
	}
	rd := w.newReader(ctx, pl.sources, pl.texts, p)
	defer rd.cancel(nil)
	g.readings = mostReadable(slices.DeleteFunc(rd.withoutCopies(rd.finish(ranked, pl.sources)), func(r *reading) bool {
		return refused(r) || pl.use != nil && !pl.use(r)
	}), pl.sources)
	for _, reading := range rd.inOrder(ranked) {
		g.coverage.Fetches = append(g.coverage.Fetches, reading.report())
	}
	others := slices.DeleteFunc(append(ranked, rest...), func(result search.Ranked) bool {
		started := rd.find(result)
		return started != nil && refused(started)
	})
	g.additional = additional(others, g.readings)
	return g
}

// offTopic says whether a page in the language of the topic has none of its words: a
// query such as "what is X" finds pages that say what other things are. It is no
// source; coverage has it.
func (r *reading) offTopic(q question) bool {
	lang := cmp.Or(r.doc.Language, q.readings.Read(r.doc.Text, "").LikelyLanguage())
	if !r.outcome.Readable() || lang != q.LikelyLanguage() {
		return false
	}
	words := slices.Clone(q.readings.Read(r.result.Title+"\n"+r.doc.Title, lang).Terms())
	for _, p := range r.doc.Passages {
		words = append(words, q.readings.Read(p.Text, lang).Terms()...)
	}
	if share(q.terms, words) > 0 {
		return false
	}
	r.detail = "not used: it has no word of the topic"
	return true
}

// mostReadable keeps at most so many readings, those that were read before those that
// were not, in their order.
func mostReadable(readings []*reading, most int) []*reading {
	for i := len(readings) - 1; i >= 0 && len(readings) > most; i-- {
		if !readings[i].outcome.Readable() {
			readings = slices.Delete(readings, i, i+1)
		}
	}
	return readings[:min(len(readings), most)]
}
