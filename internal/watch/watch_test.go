package watch

import (
	"context"
	"encoding/xml"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/store/sqlite"
)

func opened(t *testing.T, dir string) *sqlite.Store {
	t.Helper()
	db, err := sqlite.Open(t.Context(), dir, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db.Tenant("")
}

var agents = []job.Definition{{Name: "reader", Budget: job.Budget{Searches: 5}}}

// However many processes begin a round, and wherever one dies between its run and the row, a
// round is one run.
func TestARoundIsOneRun(t *testing.T) {
	dir := t.TempDir()
	first, second := opened(t, dir), opened(t, dir)
	desks := []*Desk{New(job.NewDesk(first, agents, nil), first, nil),
		New(job.NewDesk(second, agents, nil), second, nil)}
	w, err := desks[0].Add(t.Context(), "", Asked{Question: "how high is the tide?", Budget: job.Budget{Searches: 2}},
		time.Hour)
	if err != nil || w.Rounds != 1 || w.Agent != "reader" {
		t.Fatalf("%+v, %v", w, err)
	}
	if run, err := first.Run(t.Context(), w.run(0)); err != nil ||
		!strings.Contains(string(run.Request), `"fresh":true`) {
		t.Errorf("a round may read old pages: %s, %v", run.Request, err)
	}
	if run, err := first.Run(t.Context(), w.run(0)); err != nil || run.Priority != runstore.PriorityLow {
		t.Errorf("a round has priority %q (%v): nobody waits for it", run.Priority, err)
	}
	if again, err := desks[1].Begin(t.Context(), w.ID); err != nil || again != w.run(0) {
		t.Errorf("a round beside one that is under way: %s, %v", again, err)
	}
	if now, err := desks[0].Watch(t.Context(), w.ID); err != nil || !now.NextAt.Equal(w.NextAt) {
		t.Errorf("where the round is under way, the next is due at %v in place of %v, %v", now.NextAt, w.NextAt, err)
	}
	end(t, first, w.run(0))
	if _, err := first.HurryWatch(t.Context(), w.ID, 1); err != nil {
		t.Fatal(err)
	}
	// and the process died
	if _, err := job.NewDesk(second, agents, nil).Start(t.Context(),
		job.Start{ID: w.run(1), Agent: "reader", Task: w.Question, Budget: w.Budget}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	for _, d := range desks {
		serving.Go(func() { d.Serve(ctx) })
	}
	for {
		now, err := desks[0].Watch(t.Context(), w.ID)
		if err != nil {
			t.Fatal(err)
		}
		if now.Rounds == 2 {
			if !now.NextAt.After(time.Now().Add(50 * time.Minute)) {
				t.Errorf("the next round is due at %v", now.NextAt)
			}
			break
		}
		time.Sleep(time.Millisecond)
	}
	stop()
	serving.Wait()
	runs, _, err := first.ListRuns(t.Context(), runstore.RunQuery{})
	if err != nil || len(runs) != 2 {
		t.Errorf("two rounds are %d runs, %v", len(runs), err)
	}
}

// Those who want a round at once have one, and the next is due after the time between them.
func TestRoundsAtOnceAreOne(t *testing.T) {
	s := opened(t, t.TempDir())
	d := New(job.NewDesk(s, agents, nil), s, nil)
	w, err := d.Add(t.Context(), "", Asked{Question: "how high is the tide?"}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	end(t, s, w.run(0))
	var begin sync.WaitGroup
	for range 8 {
		begin.Go(func() {
			if run, err := d.Begin(t.Context(), w.ID); err != nil || run != w.run(1) {
				t.Errorf("the second round is %s, %v", run, err)
			}
		})
	}
	begin.Wait()
	if now, err := d.Watch(t.Context(), w.ID); err != nil || now.Rounds != 2 || now.NextAt.Before(w.NextAt) {
		t.Errorf("%+v, %v", now, err)
	}
}

// end brings a run to its end without a report.
func end(t *testing.T, s *sqlite.Store, id string) {
	t.Helper()
	x := job.NewExecutor(job.ExecutorOptions{Runs: s, Build: func(context.Context, job.Definition,
		job.Ties) (job.Agent, error) {
		return nobody{}, nil
	}})
	if run, err := x.Execute(t.Context(), id); err != nil || !run.State.Ended() {
		t.Fatalf("%+v, %v", run, err)
	}
}

type nobody struct{}

func (nobody) Run(_ context.Context, t agent.Task) (agent.Result, error) {
	return agent.Result{ID: t.ID, State: runstore.RunFailed, Outcome: runstore.RunNoSources,
		Reason: "nobody was there"}, nil
}

// A watch and its rounds are whoever's that added it: others have none, an admin has all, and once
// its token is gone no round is begun.
func TestWhoseAWatchIs(t *testing.T) {
	s := opened(t, t.TempDir())
	desk := New(job.NewDesk(s, agents, nil), s, nil)
	ann := desk.ForCallers(func(context.Context) job.Caller { return job.Caller{Owner: "ann"} })
	w, err := ann.Add(t.Context(), "once", Asked{Question: "how high is the tide?"}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := ann.Add(t.Context(), "once", Asked{Question: "how high is the tide?"}, time.Hour); err != nil ||
		again.ID != w.ID {
		t.Errorf("added once more by its key it is %+v, %v", again, err)
	}
	if other, err := ann.Add(t.Context(), "once", Asked{Question: "how low is the tide?"},
		time.Hour); citewell.CodeOf(err) != citewell.CodeRunExists || citewell.View(err).Hint == "" {
		t.Errorf("another by the same key is %+v, %v", other, err)
	}
	if run, err := s.Run(t.Context(), w.run(0)); err != nil || run.Caller != "ann" {
		t.Errorf("the first round is a run of %q, %v", run.Caller, err)
	}
	for _, test := range []struct {
		who  job.Caller
		sees int
		code citewell.Code
	}{{job.Caller{Owner: "bob"}, 0, citewell.CodeNotFound}, {job.Caller{}, 1, ""},
		{job.Caller{Owner: "boss", All: true}, 1, ""}, {job.Caller{Owner: "ann"}, 1, ""}} {
		d := desk.ForCallers(func(context.Context) job.Caller { return test.who })
		all, err := d.List(t.Context())
		if err != nil || len(all) != test.sees {
			t.Errorf("%+v has %d watches, %v", test.who, len(all), err)
		}
		_, got := d.Watch(t.Context(), w.ID)
		_, began := d.Begin(t.Context(), w.ID)
		if citewell.CodeOf(got) != test.code || citewell.CodeOf(began) != test.code {
			t.Errorf("to %+v it is there by %v, begun by %v", test.who, got, began)
		}
		if test.sees == 0 {
			if err := d.Remove(t.Context(), w.ID); citewell.CodeOf(err) != citewell.CodeNotFound {
				t.Errorf("%+v removes it with %v", test.who, err)
			}
		}
	}
	end(t, s, w.run(0))
	if _, err := s.HurryWatch(t.Context(), w.ID, 1); err != nil {
		t.Fatal(err)
	}
	asked := make(chan struct{}, 1)
	desk.Stands = func(owner string) bool {
		if owner == "ann" {
			asked <- struct{}{}
		}
		return false
	}
	ctx, stop := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	serving.Go(func() { desk.Serve(ctx) })
	<-asked
	stop()
	serving.Wait()
	if now, err := desk.Watch(t.Context(), w.ID); err != nil || now.Rounds != 1 {
		t.Errorf("without its token it has %d rounds, %v", now.Rounds, err)
	}
	if _, err := job.NewDesk(s, agents, nil).StartFor(t.Context(), "bob",
		job.Start{ID: w.run(1), Agent: "reader", Task: "bob's own"}); err != nil {
		t.Fatal(err)
	}
	if _, err := ann.Begin(t.Context(), w.ID); err != nil {
		t.Fatal(err)
	}
	if news, err := ann.News(t.Context(), w, 9); err != nil || len(news) != 1 || news[0].Run != w.run(0) {
		t.Errorf("with a round that another has begun the news are %+v, %v", news, err)
	}
	if now, err := ann.Watch(t.Context(), w.ID); err != nil {
		t.Fatal(err)
	} else if news, err := ann.News(t.Context(), now, 9); err != nil || len(news) != 1 {
		t.Errorf("a run of another is among the news: %+v, %v", news, err)
	}
	if err := ann.Remove(t.Context(), w.ID); err != nil {
		t.Error(err)
	}
}

// A counter counts the results that are read.
type counter struct {
	*job.Desk
	read int
}

func (c *counter) Result(ctx context.Context, id string) (agent.Result, error) {
	c.read++
	return c.Desk.Result(ctx, id)
}

// What a round found is worked out once, with the twenty rounds before it that are kept; one that is
// deleted is told of no more, and as many in a row are the end.
func TestNewsAreWorkedOutOnce(t *testing.T) {
	s := opened(t, t.TempDir())
	runs := &counter{Desk: job.NewDesk(s, agents, nil)}
	d := New(runs, s, nil)
	w, err := d.Add(t.Context(), "", Asked{Question: "how high is the tide?"}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	rounds := func(want string, reads int) {
		t.Helper()
		if w, err = d.Watch(t.Context(), w.ID); err != nil {
			t.Fatal(err)
		}
		runs.read = 0
		news, err := d.News(t.Context(), w, 3)
		var got []string
		for _, n := range news {
			got = append(got, fmt.Sprint(n.Round))
		}
		if err != nil || strings.Join(got, " ") != want || runs.read != reads {
			t.Errorf("told are the rounds %v by %d results, %v; want %s by %d", got, runs.read, err, want, reads)
		}
	}
	rounds("1", 0) // which is not over
	for n := range int64(5) {
		if _, err := d.Begin(t.Context(), w.ID); err != nil {
			t.Fatal(err)
		}
		end(t, s, w.run(n))
	}
	rounds("5 4 3", 5)
	rounds("5 4 3", 0)
	if err := s.DeleteRun(t.Context(), w.run(3)); err != nil {
		t.Fatal(err)
	}
	rounds("5 3 2", 2)
	w.Rounds += maxLooked
	if news, err := d.News(t.Context(), w, 3); err != nil || len(news) != 0 {
		t.Errorf("behind %d rounds that are not kept there are %d, %v", maxLooked, len(news), err)
	}
}

func TestEvery(t *testing.T) {
	for words, want := range map[string]string{"90m": "90m", "60m": "1h", "12h": "12h", "1d": "1d", "7d": "1w",
		"2w": "2w", "1.5d": "36h", "366d": "366d", "61s": "1m1s",
		"59s": "", "367d": "", "1": "", "d": "", "": "", "9000000000d": "", "400000000w": "", "-1d": "", "1d1h": "",
		"1 d": ""} {
		every, err := ParseEvery(words)
		if (want == "") != (citewell.CodeOf(err) == citewell.CodeInvalidArgument) {
			t.Errorf("%q is %v, %v", words, every, err)
		}
		if err != nil && !strings.HasSuffix(citewell.View(err).Message, "it must be a time from 1m to 366d") {
			t.Errorf("%q: %v", words, err)
		}
		if got := (Watch{EverySeconds: int64(every / time.Second)}).Every(); err == nil && got != want {
			t.Errorf("%q is said as %q", words, got)
		}
	}
}

// What an agent refuses is not kept.
func TestAddRefuses(t *testing.T) {
	s := opened(t, t.TempDir())
	d := New(job.NewDesk(s, agents, nil), s, nil)
	for name, test := range map[string]struct {
		asked Asked
		every time.Duration
		code  citewell.Code
	}{
		"no_question":   {Asked{}, time.Hour, citewell.CodeInvalidArgument},
		"no_such_agent": {Asked{Question: "q", Agent: "x"}, time.Hour, citewell.CodeNotFound},
		"too_large": {Asked{Question: "q", Budget: job.Budget{Searches: 6}}, time.Hour,
			citewell.CodeInvalidArgument},
		"nothing_to_pick": {Asked{Question: "q", Choices: job.Choices{Sources: []string{"web"}}}, time.Hour,
			citewell.CodeNotFound},
		"too_often": {Asked{Question: "q"}, time.Second, citewell.CodeInvalidArgument},
	} {
		if _, err := d.Add(t.Context(), "", test.asked, test.every); citewell.CodeOf(err) != test.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	if all, err := d.List(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("kept are %+v, %v", all, err)
	}
}

func reported(n int64, outcome runstore.RunOutcome, sources []citewell.Source, findings ...string) round {
	r := round{n: n, run: runstore.Run{ID: "reader_1", State: runstore.RunCompleted, Outcome: outcome,
		EndedAt: time.Date(2026, 3, int(n)+1, 6, 0, 0, 0, time.UTC)}}
	r.result.Report = &citewell.Report{Sources: sources}
	for _, f := range findings {
		r.result.Report.Findings = append(r.result.Report.Findings,
			citewell.Finding{Text: f, Citations: []citewell.Citation{{N: 1, Quote: f}}})
	}
	return r
}

// The news of a round are what the last one with a report had not, and say what fell.
func TestNews(t *testing.T) {
	paper := func(hash string, stands citewell.Retraction) citewell.Source {
		return citewell.Source{N: 1, Title: "Tides of <b>Skarrow</b>", URL: "https://doi.org/10.5555/tides",
			Outcome: citewell.FetchOK, TextSHA256: hash, Work: &citewell.Work{DOI: "10.5555/tides", Retracted: stands},
			Warning: string(stands)}
	}
	page := citewell.Source{N: 2, Title: "A page", URL: "https://a.example/1"}
	w := Watch{ID: "3f9a01bc", Asked: Asked{Question: "how high is the tide?", Agent: "reader"}}
	old := reported(0, runstore.RunAnswered, []citewell.Source{paper("1", ""), page},
		"The tide at Skarrow rises 4.1 metres.", "The barrage opened in 1998.")
	failed := round{n: 1, run: runstore.Run{State: runstore.RunFailed, Outcome: runstore.RunNoSources,
		EndedAt: time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC)}, result: agent.Result{Reason: "no provider answered"}}
	same := reported(2, runstore.RunAnswered, []citewell.Source{paper("1", ""), page},
		"The tide at Skarrow rises 4.1 metres.", "The barrage opened in 1998.")
	moved := citewell.Source{N: 2, Title: "Another", URL: "https://a.example/2"}
	changed := reported(3, runstore.RunPartial, []citewell.Source{paper("2", citewell.WorkRetracted), moved},
		"The tide at Skarrow rises 4.3 metres.", "Seals have come back to the sound.")
	all := []News{changed.news(w, []round{same, failed, old}), same.news(w, []round{failed, old}),
		failed.news(w, []round{old}), old.news(w, nil)}
	if n := all[0]; n.Since != 3 || len(n.Figures) != 1 || n.Figures[0].Before != "The tide at Skarrow rises 4.1 "+
		"metres." || len(n.Findings) != 1 || len(n.Sources) != 1 || n.Sources[0].URL != moved.URL ||
		len(n.Changed) != 1 || len(n.Fallen) != 1 || n.Quiet() {
		t.Errorf("%+v", n)
	}
	for _, words := range []string{"## Retracted", "4\\.3 metres|4.3 metres",
		"before: The tide at Skarrow rises 4.1 metres", "Tides of \\<b>Skarrow",
		"beside round 3: 1 retracted or doubted, 1 changed figure, 1 new finding, 1 new source, 1 changed page."} {
		found := false
		for alternative := range strings.SplitSeq(words, "|") {
			found = found || strings.Contains(all[0].Markdown(), alternative)
		}
		if !found {
			t.Errorf("the news lack %q:\n%s", words, all[0].Markdown())
		}
	}
	if n := all[1]; n.Since != 1 || !n.Quiet() || n.Title() != "nothing new" {
		t.Errorf("%+v says %q", n, n.Title())
	}
	if n := all[2]; n.Quiet() || n.Title() != "round 2 came to nothing: no provider answered" {
		t.Errorf("%+v says %q", n, n.Title())
	}
	if n := all[3]; n.Since != 0 || len(n.Sources) != 2 || len(n.Fallen) != 0 ||
		!strings.HasPrefix(n.Title(), "the first report: ") {
		t.Errorf("%+v says %q", n, n.Title())
	}
	preprint := citewell.Source{N: 1, Title: "Tides", URL: "https://arxiv.org/abs/2401.00001",
		Work: &citewell.Work{ArXiv: "2401.00001"}}
	published := citewell.Source{N: 1, Title: "Tides", URL: "https://doi.org/10.5555/tides",
		Work: &citewell.Work{DOI: "10.5555/tides", ArXiv: "2401.00001"}}
	before := []round{reported(0, runstore.RunAnswered, []citewell.Source{preprint}, "The tide rises.")}
	if n := reported(1, runstore.RunAnswered, []citewell.Source{published}, "The tide rises.").news(w,
		before); !n.Quiet() {
		t.Errorf("a preprint that was published is new: %q", n.Title())
	}
	data, err := Feed(w, append([]News{{State: runstore.RunResearching, Round: 5}}, all...), Links{})
	var feed atomFeed
	if err == nil {
		err = xml.Unmarshal(data, &feed)
	}
	if err != nil {
		t.Fatal(err)
	}
	if said := feed.Entries[0].Content; said.Type != "text" || !strings.Contains(said.Text, "Tides of <b>Skarrow") ||
		strings.ContainsAny(said.Text, "\\#") {
		t.Errorf("the text of an entry is escaped:\n%s", said.Text)
	}
	var entries []string
	for _, e := range feed.Entries {
		entries = append(entries, e.ID[len(feed.ID)+1:]+" "+e.Updated)
	}
	if got := strings.Join(entries, ", "); got != "4 2026-03-04T06:00:00Z, 2 2026-03-02T06:00:00Z, 1 "+
		"2026-03-01T06:00:00Z" || feed.Updated != "2026-03-04T06:00:00Z" {
		t.Errorf("the feed of %s has %s", feed.Updated, got)
	}
}

// A watch that is added by the key of one that was removed begins rounds of its own.
func TestAKeyIsUsedAgain(t *testing.T) {
	s := opened(t, t.TempDir())
	desk := New(job.NewDesk(s, agents, nil), s, nil)
	first, err := desk.Add(t.Context(), "once", Asked{Question: "how high is the tide?"}, time.Hour)
	if err == nil {
		err = desk.Remove(t.Context(), first.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	second, err := desk.Add(t.Context(), "once", Asked{Question: "how low is the tide?"}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	run, err := s.Run(t.Context(), second.run(0))
	if err != nil || first.run(0) == second.run(0) || !strings.Contains(string(run.Request), "how low") {
		t.Errorf("the first round is %s as before (%s), or asks %s: %v", second.run(0), first.run(0), run.Request, err)
	}
}
