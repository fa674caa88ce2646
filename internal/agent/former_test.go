package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/siteclass"
	"github.com/citewell/citewell/internal/tool"
)

// firstRun answers the question from two pages.
func (d *desk) firstRun(t *testing.T) agent.Result {
	t.Helper()
	first := run(t, d.options(t, agent.ShapeToolCalling, &script{replies: []reply{
		calls(searchFor("Skarrow Sound tidal plant electricity a year")), calls(d.readPlant()),
		seeing(func(shown string) reply { return calls(finalCall(goodText(shown))) }),
	}}), question)
	if first.Outcome != runstore.RunAnswered {
		t.Fatalf("the first run: %s, %s", first.Outcome, first.Reason)
	}
	d.searches, d.reads = nil, nil
	return first
}

// formers gives the sources of a result as whoever keeps runs does, as if it had ended so
// long ago.
func (d *desk) formers(t *testing.T, r agent.Result, ago time.Duration) func(context.Context) ([]agent.Former, error) {
	t.Helper()
	var list []agent.Former
	for _, s := range r.Sources {
		f := agent.Former{Source: s}
		if s.TextSHA256 != "" {
			_, doc, err := d.store.Snapshot(t.Context(), s.FinalURL)
			if err != nil {
				t.Fatal(err)
			}
			f.Doc = doc
			f.Doc.Passages = []citewell.Passage{{End: len(doc.Text), Text: doc.Text}}
			f.FetchedAt = f.FetchedAt.Add(-ago)
		}
		list = append(list, f)
	}
	return func(context.Context) ([]agent.Former, error) { return list, nil }
}

func goOn(t *testing.T, o agent.Options, former agent.Result,
	from func(context.Context) ([]agent.Former, error)) agent.Result {
	t.Helper()
	a, err := agent.New(o)
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Run(t.Context(), agent.Task{ID: "test_2", Text: "And what is its installed capacity?", From: from,
		History: []agent.Message{{Role: agent.RoleUser, Content: question},
			{Role: agent.RoleAssistant, Content: former.Answer}}})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// capacity cites the source of the former answer that has the plant's capacity.
func capacity(former agent.Result) string {
	at := strings.Index(former.Answer, "286 megawatts ")
	mark, _, _ := strings.Cut(former.Answer[at+len("286 megawatts "):], ".")
	return "The Skarrow Sound tidal plant has an installed capacity of 286 megawatts " + mark + "."
}

func TestARunGoesOnFromAnother(t *testing.T) {
	d := newDesk(t)
	first := d.firstRun(t)
	m := &script{replies: []reply{calls(d.readPlant()), calls(finalCall(capacity(first)))}}
	o := d.options(t, agent.ShapeToolCalling, m)
	journal := &tape{entries: map[string]agent.Entry{}, bought: map[string]int{}}
	o.Journal = journal
	second := goOn(t, o, first, d.formers(t, first, time.Hour))
	if second.Outcome != runstore.RunAnswered || second.Usage.Fetches != 0 || second.Usage.Searches != 0 ||
		len(d.reads)+len(d.searches) != 0 {
		t.Fatalf("the second run: %s, %s, %+v, read %v, searched %v", second.Outcome, second.Reason, second.Usage,
			d.reads, d.searches)
	}
	for i, s := range first.Sources {
		if got := second.Sources[i]; got.N != s.N || got.URL != s.URL || got.TextSHA256 != s.TextSHA256 {
			t.Errorf("source %d was %s and is %d %s", s.N, s.URL, got.N, got.URL)
		}
	}
	if shown := m.asked[0].Messages[len(m.asked[0].Messages)-1].Content; !strings.Contains(shown, "[1] ") ||
		!strings.Contains(shown, "286 MW") {
		t.Errorf("the model is shown of the former sources:\n%s", shown)
	}
	if v, err := cite.Verify(t.Context(), second.Report.Brief(), archive{d.store}); err != nil || !v.OK ||
		len(v.Citations) == 0 {
		t.Errorf("the second report by the store: %v %+v", err, v)
	}

	// Played again, the former run is gone.
	again := goOn(t, d.againOver(t, o, journal), first, func(context.Context) ([]agent.Former, error) {
		return nil, errors.New("it was deleted")
	})
	if again.Outcome != runstore.RunAnswered || !slices.EqualFunc(again.Sources, second.Sources,
		func(a, b citewell.Source) bool { return a.N == b.N && a.URL == b.URL }) {
		t.Errorf("played again: %+v", again)
	}
}

// againOver are the options of a run that is played again over what its journal has.
func (d *desk) againOver(t *testing.T, o agent.Options, journal *tape) agent.Options {
	t.Helper()
	o.Journal = cutTape(journal.ops, false)
	o.Model = &script{}
	return o
}

func TestAFormerPageGrowsOld(t *testing.T) {
	d := newDesk(t)
	first := d.firstRun(t)
	old := d.formers(t, first, 25*time.Hour)
	second := goOn(t, d.options(t, agent.ShapeToolCalling, &script{
		replies: []reply{calls(finalCall(capacity(first)))}}), first, old)
	if second.Outcome != runstore.RunAnswered || second.Usage.Fetches != 1 || len(d.reads) != 1 {
		t.Errorf("a page of yesterday: %+v, read %v", second, d.reads)
	}
	o := d.options(t, agent.ShapeToolCalling, &script{replies: []reply{calls(finalCall(capacity(first)))}})
	o.Archive, o.Reader = newStore(t), gone{}
	third := goOn(t, o, first, old)
	if third.Outcome != runstore.RunAnswered || third.Usage.Fetches != 1 {
		t.Errorf("a page of yesterday that is gone: %+v", third)
	}
}

// gone is a web without pages.
type gone struct{}

func (gone) Read(context.Context, string) (citewell.Page, citewell.Document, error) {
	return citewell.Page{}, citewell.Document{}, &citewell.Error{
		Code: citewell.CodeHTTPStatus, Message: "the page is gone"}
}

func TestAFormerRunThatIsGone(t *testing.T) {
	d := newDesk(t)
	a, err := agent.New(d.options(t, agent.ShapeToolCalling, &script{}))
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Run(t.Context(), agent.Task{Text: "And then?",
		From: func(context.Context) ([]agent.Former, error) {
			return nil, &citewell.Error{Code: citewell.CodeNotFound, Message: "the run before it is gone"}
		}})
	if err != nil || result.State != runstore.RunFailed || result.Outcome != runstore.RunNoSources ||
		result.Reason != "the run before it is gone" || result.Answer != "No answer: the run before it is gone." {
		t.Errorf("%+v, %v", result, err)
	}
}

// What the run before had read of the user's own is as private in this one, also where it is
// not shown again.
func TestFormerTextsStayPrivate(t *testing.T) {
	for name, ago := range map[string]time.Duration{"fresh": time.Hour, "old": 25 * time.Hour} {
		d := newDesk(t)
		words := "The leak at the kestrel pump is filed as SECRETDOC-9b1f44."
		note := agent.Former{Source: citewell.Source{N: 1, Title: "notes", URL: "file:///home/me/notes.md",
			FinalURL: "file:///home/me/notes.md", Class: "local", FetchedAt: time.Now().Add(-ago)},
			Doc: citewell.Document{Text: words, TextSHA256: citewell.SHA256([]byte(words)),
				Passages: []citewell.Passage{{End: len(words), Text: words}}}}
		m := &script{replies: []reply{calls(searchFor("kestrel leak SECRETDOC-9b1f44")),
			calls(finalCall("It is filed as SECRETDOC-9b1f44 [1]."))}}
		goOn(t, d.options(t, agent.ShapeToolCalling, m), agent.Result{Answer: "It is SECRETDOC-9b1f44 [1]."},
			func(context.Context) ([]agent.Former, error) { return []agent.Former{note}, nil })
		if len(d.searches) > 0 {
			t.Errorf("%s: %v left", name, d.searches)
		}
	}
}

// What a run said that had read private texts is not searched for either, though none of
// its sources has the word: a tool's error may have brought it.
func TestAFormerAnswerStaysPrivate(t *testing.T) {
	for _, private := range []bool{true, false} {
		d := newDesk(t)
		m := &script{replies: []reply{calls(searchFor("kestrel leak SECRETDOC-9b1f44")),
			calls(finalCall("It is filed as SECRETDOC-9b1f44."))}}
		a, err := agent.New(d.options(t, agent.ShapeToolCalling, m))
		if err != nil {
			t.Fatal(err)
		}
		result, err := a.Run(t.Context(), agent.Task{ID: "later_1", Text: "search for it", Private: private,
			History: []agent.Message{
				{Role: agent.RoleUser, Content: "how is the leak filed?"},
				{Role: agent.RoleAssistant, Content: "It is filed as SECRETDOC-9b1f44."}}})
		if err != nil || (len(d.searches) == 0) != private || result.Private != private {
			t.Errorf("private %v: %v left, the result is private: %v, %v", private, d.searches, result.Private, err)
		}
	}
}

// What a tool said before is public in this run where the operator calls the tool public,
// and private where not; the title of a result, which has the model's own words and the names of
// arguments, is nobody's secret.
func TestFormerResultsKeepTheirTrust(t *testing.T) {
	for name, c := range map[string]struct {
		public  bool
		asks    string
		refused bool
	}{
		"public":  {true, "kestrel pump at SECRETDOC-9b1f44", false},
		"private": {false, "kestrel pump at SECRETDOC-9b1f44", true}, "other_words": {false, "the pump", false},
	} {
		t.Run(name, func(t *testing.T) {
			words, asked := "The leak at the kestrel pump is filed as SECRETDOC-9b1f44.", 0
			extra := asking(tool.Spec{Description: "Answers.", Hints: tool.Hints{OpenWorld: true},
				Origin: tool.Origin{Name: "x", Public: c.public}},
				func(string) tool.Result { asked++; return tool.Result{Text: "The pump holds."} })
			said := agent.Former{Source: citewell.Source{N: 1, Title: "wiki_ask_question(question: where?), " +
				"2026-11-22 10:00 UTC", URL: "tool:ask?sha256=0011223344556677",
				FinalURL: "tool:ask?sha256=0011223344556677",
				Host:     "ask", Class: siteclass.ClassTool, FetchedAt: time.Now().Add(-time.Hour)},
				Doc: citewell.Document{Text: words, TextSHA256: citewell.SHA256([]byte(words)),
					Passages: []citewell.Passage{{End: len(words), Text: words}}}}
			d := newDesk(t)
			o := d.options(t, agent.ShapeToolCalling, &script{replies: []reply{
				calls(call("ask", args{"question": c.asks})), calls(finalCall(
					"It is filed as SECRETDOC-9b1f44 [1]."))}})
			o.Extra = []*tool.Tool{extra}
			goOn(t, o, agent.Result{Answer: "It is filed [1]."}, func(context.Context) ([]agent.Former, error) {
				return []agent.Former{said}, nil
			})
			if refused := asked == 0; refused != c.refused {
				t.Errorf("refused: %v", refused)
			}
		})
	}
}
