package brief

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/search"
	"github.com/google/go-cmp/cmp"
)

const (
	marshes = "amber cranes and marshes"
	wetland = "amber cranes, marshes, reeds, frogs, otters and herons" // six parts, and so seven queries
)

func research(t *testing.T, w *Writer, r ResearchRequest) citewell.Brief {
	t.Helper()
	if r.Topic == "" {
		r.Topic = marshes
	}
	b, err := w.Research(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A listener is a provider that remembers what it was asked.
type listener struct {
	*fakeProvider
	mu      sync.Mutex
	queries []string
}

func hears(p *fakeProvider) *listener { return &listener{fakeProvider: p} }

func (h *listener) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	h.mu.Lock()
	h.queries = append(h.queries, q.Text)
	h.mu.Unlock()
	return h.fakeProvider.Search(ctx, q)
}

// findsFor finds other URLs for each query.
func findsFor(name string, urls map[string][]string) *fakeProvider {
	return &fakeProvider{name, 0, func(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
		return finds(name, 0, urls[q.Text]...).search(ctx, q)
	}}
}

func TestResearchPutsEveryQueryToEveryProviderSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := hears(finds("one", time.Second, "http://a.example/", "http://b.example/"))
		two := hears(finds("two", time.Second, "http://b.example/"))
		w, web, archive := writer(Options{}, one, two)
		b := research(t, w, ResearchRequest{Topic: wetland})
		want := []string{wetland, "amber cranes", "marshes", "reeds", "frogs", "otters", "herons"}
		if diff := cmp.Diff(want, b.Queries); diff != "" {
			t.Error(diff)
		}
		for _, p := range []*listener{one, two} {
			slices.Sort(p.queries)
			if !slices.Equal(p.queries, slices.Sorted(slices.Values(want))) {
				t.Errorf("%s was asked %q", p.name, p.queries)
			}
		}
		if b.Coverage.WallMS != 2000 { // seven queries, four at a time, a second each
			t.Errorf("%d ms", b.Coverage.WallMS)
		}
		c := b.Coverage
		if c.RawResults != 21 || c.DistinctResults != 2 || len(c.Providers) != 2 || c.Providers[0].Results != 14 ||
			c.Providers[0].Outcome != citewell.ProviderOK || c.Providers[0].Detail != "" {
			t.Errorf("%+v", c)
		}
		if web.count() != 2 || c.Synthesis.Mode != citewell.SynthesisExtractive ||
			c.Synthesis.Outcome != "skipped" || c.Cache {
			t.Errorf("%d pages, %+v", web.count(), c.Synthesis)
		}
		if diff := cmp.Diff(b, archive.briefs[b.ID]); diff != "" {
			t.Errorf("kept otherwise: %s", diff)
		}
	})
}

// A page that more queries find goes before one at the same place of one query, and
// the topic's own best before that of a part.
func TestResearchRanksByFrequency(t *testing.T) {
	w, _, _ := writer(Options{}, findsFor("one", map[string][]string{
		marshes:        {"http://single.example/", "http://often.example/"},
		"amber cranes": {"http://often.example/"},
		"marshes":      {"http://part.example/", "http://often.example/x", "http://often.example/"},
	}))
	b := research(t, w, ResearchRequest{})
	if got := hostsOf(b); got != "often.example single.example part.example" {
		t.Error(got)
	}
	if b.Sources[0].URL != "http://often.example/" {
		t.Errorf("of one domain %s was read", b.Sources[0].URL)
	}
}

// One page of each registered domain, the better one; www. is no other domain, and two
// authors of one host of authors are.
func TestResearchReadsOnePageOfEachDomain(t *testing.T) {
	w, web, _ := writer(Options{}, finds("one", 0, "http://www.a.example/1", "http://a.example/2",
		"http://sub.a.example/3", "http://alice.github.io/", "http://bob.github.io/", "http://b.example/"))
	b := research(t, w, ResearchRequest{MaxSources: 10, Depth: 1})
	got := strings.Fields(hostsOf(b))
	slices.Sort(got)
	if !slices.Equal(got, []string{"a.example", "alice.github.io", "b.example", "bob.github.io"}) || web.count() != 4 {
		t.Errorf("%s, %d read", got, web.count())
	}
	if len(b.Additional) != 2 {
		t.Errorf("%+v", b.Additional)
	}
}

// Where results are of few domains, depth 3 asks for more of them.
func TestResearchLooksAtMoreResults(t *testing.T) {
	crowded := []string{"http://a.example/1", "http://a.example/2", "http://a.example/3", "http://b.example/",
		"http://c.example/"}
	p := &fakeProvider{"one", 0, func(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
		if q.Limit == 0 {
			return finds("one", 0, crowded[:3]...).search(ctx, q)
		}
		return finds("one", 0, crowded...).search(ctx, q)
	}}
	w, _, _ := writer(Options{}, p)
	for depth, want := range map[int]int{2: 1, 3: 3} {
		if b := research(t, w, ResearchRequest{Depth: depth}); len(b.Sources) != want {
			t.Errorf("depth %d: %s, want %d sources", depth, hostsOf(b), want)
		}
	}
}

func TestResearchPrefersBetterPlaces(t *testing.T) {
	w, _, _ := writer(Options{}, finds("one", 0, "http://docs.evil.example/", "http://x.example/",
		"http://github.com/cranes", "http://amber.example/"))
	b := research(t, w, ResearchRequest{Depth: 1})
	if b.Sources[0].Host != "github.com" || b.Sources[0].Quality != (citewell.Quality{
		Label: citewell.QualityPrimary, Score: 4}) {
		t.Errorf("%s: %+v", hostsOf(b), b.Sources[0].Quality)
	}
	for _, s := range b.Sources[1:] {
		if s.Quality != (citewell.Quality{Label: citewell.QualityUnverified, Score: 2}) {
			t.Errorf("%s: %+v", s.Host, s.Quality)
		}
	}
}

// Three good sources of which two say the same make it HIGH; another
// figure takes that away.
func TestResearchConfidence(t *testing.T) {
	pages := map[string]fakePage{
		"http://github.com/cranes": {text: "Some 212 amber cranes breed in the Lowmere marshes.\n\nThe repository " +
			"keeps the counting scripts, which read the sheets that wardens fill in by hand."},
		"http://cdc.gov/cranes": {text: "Some 212 amber cranes breed in the Lowmere marshes.\n\nNo bird flu was " +
			"found among them in the last survey of the wetlands on the coast."},
		"http://mozilla.org/birds": {text: "Amber cranes in the Lowmere marshes like quiet water and eat what they " +
			"find there.\n\nTheir nests are built from reed, and both parents guard them through the spring."},
	}
	urls := []string{"http://github.com/cranes", "http://cdc.gov/cranes", "http://mozilla.org/birds"}
	w, _, _ := writer(Options{Fetcher: &fakeWeb{pages: pages}}, finds("one", 0, urls...))
	b := research(t, w, ResearchRequest{Topic: "amber cranes in the Lowmere marshes"})
	if b.Confidence.Level != citewell.ConfidenceHigh || len(b.Disagreements) != 0 {
		t.Errorf("%+v\n%s", b.Confidence, said(b))
	}
	pages["http://mozilla.org/birds"] = fakePage{text: "Some 187 amber cranes breed in the Lowmere marshes.\n\nTheir " +
		"nests are built from reed, and both parents guard them through the spring."}
	b = research(t, w, ResearchRequest{Topic: "amber cranes in the Lowmere marshes"})
	if b.Confidence.Level != citewell.ConfidenceMedium || len(b.Disagreements) != 1 ||
		!strings.Contains(b.Confidence.Reason, "disagree on 1 point") {
		t.Errorf("%+v %+v", b.Confidence, b.Disagreements)
	}
	// Copies of one text are one voice.
	for _, u := range urls {
		pages[u] = fakePage{text: "Some 212 amber cranes breed in the Lowmere marshes. Wardens count them each June " +
			"from eleven points at once."}
	}
	b = research(t, w, ResearchRequest{Topic: "amber cranes in the Lowmere marshes"})
	if b.Confidence.Level != citewell.ConfidenceMedium || !strings.Contains(b.Confidence.Reason,
		"no finding is supported by two") {
		t.Errorf("%+v", b.Confidence)
	}
}

// What a provider refused is not asked of it again; blocked is not empty, and what
// others answered stands.
func TestResearchTellsBlockedFromEmpty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		blocked := hears(failsWith("blocked", time.Second, citewell.CodeBlockedByProvider))
		mixed := hears(finds("mixed", 0))
		answered := 0
		mixed.search = func(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
			mixed.mu.Lock()
			defer mixed.mu.Unlock()
			if answered++; answered > 2 {
				return nil, &citewell.Error{Code: citewell.CodeRateLimited, Message: "slow down"}
			}
			return nil, nil
		}
		w, _, _ := writer(Options{}, blocked, mixed, finds("empty", 0), finds("good", 0, "http://a.example/"))
		b := research(t, w, ResearchRequest{Topic: wetland})
		got := map[string]string{}
		for _, p := range b.Coverage.Providers {
			got[p.Name] = fmt.Sprintf("%s %d: %s", p.Outcome, p.Results, p.Detail)
		}
		want := map[string]string{
			"blocked": "blocked 0: of 7 queries 7 blocked: blocked says no; 3 of them not sent after that",
			"mixed":   "rate_limited 0: of 7 queries 5 rate_limited: slow down",
			"empty":   "empty 0: ",
			"good":    "ok 7: ",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if len(blocked.queries) != askedAtOnce {
			t.Errorf("asked %d times", len(blocked.queries))
		}
	})
}

// Under a provider's own limit it is the least queries that are left out.
func TestResearchAsksTheTopicFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := hears(finds("slow", 0, "http://a.example/"))
		w, _, _ := writer(Options{}, search.Guarded(slow, search.Limits{Rate: 1}))
		b := research(t, w, ResearchRequest{Topic: wetland})
		if len(slow.queries) < 5 || !slices.Contains(slow.queries, wetland) ||
			slices.Contains(slow.queries, b.Queries[6]) {
			t.Errorf("asked %q", slow.queries)
		}
		p := b.Coverage.Providers[0]
		if p.Outcome != citewell.ProviderOK || !strings.Contains(p.Detail, " queued: our own limit") {
			t.Errorf("%+v", p)
		}
	})
}

// Where a page was read, the snippet of one that was not is no finding.
func TestResearchQuotesWhatWasRead(t *testing.T) {
	web := &fakeWeb{pages: map[string]fakePage{
		"http://shut.example/":    {err: &citewell.Error{Code: citewell.CodeRobotsDisallowed}},
		"http://inside.example/":  {err: &citewell.Error{Code: citewell.CodeBlockedAddress}},
		"http://silent.example/":  {after: time.Hour},
		"http://nothing.example/": {err: &citewell.Error{Code: citewell.CodeHTTPStatus}},
	}}
	synctest.Test(t, func(t *testing.T) {
		p := finds("one", 0, "http://shut.example/", "http://inside.example/", "http://silent.example/",
			"http://nothing.example/", "http://good.example/")
		inner := p.search
		p.search = func(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
			results, err := inner(ctx, q)
			results[3].Snippet = ""
			return results, err
		}
		w, _, _ := writer(Options{Fetcher: web}, p)
		b := research(t, w, ResearchRequest{Depth: 1})
		want := map[string]string{"good.example": "supported ok"}
		got := map[string]string{}
		for _, f := range b.Findings {
			s := b.Sources[f.Citations[0].N-1]
			got[s.Host] = fmt.Sprintf("%s %s", f.Citations[0].Verdict, s.Outcome)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if hosts := hostsOf(b); strings.Contains(hosts, "inside") || !strings.Contains(hosts, "nothing") {
			t.Error(hosts)
		}
		if slices.ContainsFunc(b.Additional, func(a citewell.Additional) bool { return a.Host == "inside.example" }) {
			t.Errorf("%+v", b.Additional)
		}
		if fetched(b)["inside.example"] != citewell.FetchValidationFailed {
			t.Errorf("%v", fetched(b))
		}
		if b.Confidence.Level != citewell.ConfidenceLow || !strings.Contains(b.Confidence.Reason,
			"1 of 4 sources answered") {
			t.Errorf("%+v", b.Confidence)
		}
	})
}

// A page that fails is replaced by the next, and never are there more sources than
// were asked for.
func TestResearchKeepsToMaxSources(t *testing.T) {
	web := &fakeWeb{pages: map[string]fakePage{
		"http://a.example/": {err: &citewell.Error{Code: citewell.CodeHTTPStatus}},
		"http://c.example/": {err: &citewell.Error{Code: citewell.CodeHTTPStatus}},
	}}
	w, _, _ := writer(Options{Fetcher: web}, finds("one", 0, "http://a.example/", "http://b.example/",
		"http://c.example/", "http://d.example/", "http://e.example/"))
	b := research(t, w, ResearchRequest{MaxSources: 2})
	if got := hostsOf(b); got != "b.example d.example" || len(b.Coverage.Fetches) != 4 {
		t.Errorf("%s, %+v", got, b.Coverage.Fetches)
	}
	b = research(t, w, ResearchRequest{MaxSources: 1})
	if got := hostsOf(b); got != "b.example" {
		t.Error(got)
	}
}

// A topic asks for nothing in particular: more is quoted on it than on a question.
func TestResearchSaysMoreOnATopic(t *testing.T) {
	page := ""
	for _, fact := range []string{"breed in the wet marshes of the north", "weigh five kilograms at most",
		"fly south over three passes", "eat snails and young frogs",
		"sleep on one leg", "were hunted for their feathers", "nest among reeds", "call before dawn",
		"live for twenty years", "build rafts of straw"} {
		page += "Amber cranes " + fact + ".\n\n"
	}
	for topic, most := range map[string]int{"amber cranes": maxOnTopic, "What do amber cranes do?": maxFindings} {
		w, _, _ := writer(Options{Fetcher: &fakeWeb{pages: map[string]fakePage{
			"http://cranes.example/": {text: page}}}}, finds("one", 0, "http://cranes.example/"))
		b := research(t, w, ResearchRequest{Topic: topic})
		if n := len(b.Findings); n > most || n > maxFindings != (most == maxOnTopic) {
			t.Errorf("%d findings on %q: %q", n, topic, said(b))
		}
	}
}

// A long text is read to its end, as a search reads it.
func TestResearchReadsToTheEnd(t *testing.T) {
	filler := strings.Repeat("Öde Wörter über nichts. ", 1250) // 30,000 characters
	page := "Amber cranes breed in the wet marshes.\n\n" + filler + "\n\nAmber cranes of the marshes fly 2,900 km."
	w, _, _ := writer(Options{Fetcher: &fakeWeb{pages: map[string]fakePage{"http://long.example/": {text: page}}}},
		finds("one", 0, "http://long.example/"))
	b := research(t, w, ResearchRequest{})
	if all := said(b); !strings.Contains(all, "2,900") {
		t.Error(all)
	}
	for _, f := range b.Findings {
		if c := f.Citations[0]; page[c.Start:c.End] != c.Quote {
			t.Errorf("%q is not at %d", c.Quote, c.Start)
		}
	}
}

// A page in the topic's language without a word of it is no source; one in another
// language may be.
func TestResearchLeavesOutWhatIsOffTopic(t *testing.T) {
	web := &fakeWeb{pages: map[string]fakePage{
		"http://off.example/": {text: "Bulb turbines turn slowly. The water that drives them comes down from the " +
			"dam through a wide pipe of concrete."},
		"http://german.example/": {text: "Der Kranich ist ein großer Vogel. Er lebt im Moor und zieht im Herbst mit " +
			"seiner Familie nach Süden."},
	}}
	p := finds("one", 0, "http://off.example/", "http://german.example/", "http://good.example/")
	inner := p.search
	p.search = func(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
		results, err := inner(ctx, q)
		for i := range results[:2] {
			results[i].Title, results[i].Snippet = "Something else", "Explained in words."
		}
		return results, err
	}
	w, _, _ := writer(Options{Fetcher: web}, p)
	b := research(t, w, ResearchRequest{Topic: "the amber cranes of the marshes"})
	if got := hostsOf(b); strings.Contains(got, "off.example") || !strings.Contains(got, "german.example") {
		t.Error(got)
	}
	i := slices.IndexFunc(b.Coverage.Fetches, func(f citewell.FetchReport) bool {
		return f.URL == "http://off.example/"
	})
	if i < 0 || b.Coverage.Fetches[i].Detail != "not used: it has no word of the topic" {
		t.Errorf("%+v", b.Coverage.Fetches)
	}
}

// A failing model and embedder would be seen in the coverage, and their calls fail the test.
func TestResearchAsksNoModel(t *testing.T) {
	w, _, _ := writer(Options{Models: []Model{untouchable{t}}, Embedder: untouchable{t}},
		finds("one", 0, "http://a.example/", "http://b.example/"))
	if b := research(t, w, ResearchRequest{}); len(b.Findings) == 0 || b.Coverage.Synthesis.Model != "" {
		t.Errorf("%+v", b.Coverage.Synthesis)
	}
}

// untouchable is a model that must not be asked.
type untouchable struct{ t *testing.T }

func (u untouchable) Name() string { return "untouchable" }

func (u untouchable) Decode(context.Context, llm.Request, any) (llm.Reply, error) {
	u.t.Error("the chat model was asked")
	return llm.Reply{}, nil
}

func (u untouchable) Embed(context.Context, []string) ([][]float32, error) {
	u.t.Error("the embedding model was asked")
	return nil, nil
}

func TestResearchWithoutAnAnswer(t *testing.T) {
	w, _, archive := writer(Options{}, failsWith("one", 0, citewell.CodeBlockedByProvider),
		failsWith("two", 0, citewell.CodeTimeout))
	b, err := w.Research(t.Context(), ResearchRequest{Topic: marshes})
	wantCode(t, err, citewell.CodeAllProvidersFailed)
	if b.Confidence.Level != citewell.ConfidenceLow || len(b.Coverage.Providers) != 2 || len(archive.briefs) != 1 {
		t.Errorf("%+v", b)
	}
	w, _, _ = writer(Options{}, finds("one", 0))
	if b = research(t, w, ResearchRequest{}); b.Confidence.Level != citewell.ConfidenceLow ||
		b.Outcome != citewell.BriefUnanswered || b.Sources == nil || b.Additional == nil {
		t.Errorf("%+v", b)
	}
	w, _, _ = writer(Options{})
	_, err = w.Research(t.Context(), ResearchRequest{Topic: marshes})
	wantCode(t, err, citewell.CodeProviderNotConfigured)
}

func TestResearchEndsAtItsDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := &fakeWeb{pages: map[string]fakePage{"http://a.example/": {after: time.Hour}}}
		w, _, _ := writer(Options{Fetcher: web, Deadlines: Deadlines{Total: 8 * time.Second}}, finds("slow", time.Hour),
			finds("one", time.Second, "http://a.example/"))
		b := research(t, w, ResearchRequest{Depth: 3})
		if b.Coverage.WallMS > 8100 || !b.Coverage.DeadlineHit ||
			b.Coverage.Providers[0].Outcome != citewell.ProviderTimeout || len(b.Sources) != 1 {
			t.Errorf("%+v", b.Coverage)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := w.Research(ctx, ResearchRequest{Topic: marshes})
		if err == nil {
			t.Error("no error")
		}
	})
}

func TestResearchRefuses(t *testing.T) {
	w, _, _ := writer(Options{}, finds("one", 0, "http://a.example/"))
	for want, r := range map[string]ResearchRequest{
		"topic is required":                  {Topic: " \n"},
		"topic is required: words":           {Topic: "?!"},
		"depth is 4; it must be 1 to 3":      {Topic: "x", Depth: 4},
		"depth is -1; it must be 1 to 3":     {Topic: "x", Depth: -1},
		"max_sources is 11; it must be 1 to": {Topic: "x", MaxSources: 11},
		"max_sources is -5; it must be 1 to": {Topic: "x", MaxSources: -5},
	} {
		_, err := w.Research(t.Context(), r)
		wantCode(t, err, citewell.CodeInvalidArgument)
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	w, _, _ = writer(Options{Archive: &memory{snapshots: map[string]snapshot{}, briefs: map[string]citewell.Brief{},
		fails: map[string]error{"PutBrief": fmt.Errorf("disk full")}}},
		finds("one", 0, "http://a.example/"))
	_, err := w.Research(t.Context(), ResearchRequest{Topic: marshes})
	wantCode(t, err, citewell.CodeStoreFailed)
}
