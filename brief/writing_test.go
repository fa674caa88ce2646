package brief

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/llm"
)

// A slow model tells of what it writes, a piece a second, before its answer.
type slowModel struct {
	fakeModel
	silent, writes time.Duration
}

func (m *slowModel) Decode(ctx context.Context, r llm.Request, out any) (llm.Reply, error) {
	if r.SchemaName == "queries" {
		return m.fakeModel.Decode(ctx, r, out)
	}
	if err := pause(ctx, m.silent); err != nil {
		return llm.Reply{}, err
	}
	for range int(m.writes / time.Second) {
		r.Writing()
		if err := pause(ctx, time.Second); err != nil {
			return llm.Reply{}, err
		}
	}
	return m.fakeModel.Decode(ctx, r, out)
}

// The time of a model stretches while it writes, up to the end of the whole; one that says
// nothing has its time and no more.
func TestAModelThatIsStillWriting(t *testing.T) {
	for name, test := range map[string]struct {
		silent, writes, after time.Duration // after: silence before its end
		outcome               string
		took                  time.Duration
		words                 string
	}{
		"quick":     {0, 2 * time.Second, 0, "ok", 2 * time.Second, ""},
		"writes on": {8 * time.Second, 12 * time.Second, 0, "ok", 20 * time.Second, ""},
		"says nothing": {11 * time.Second, 0, 0, reasonLate, 10 * time.Second,
			"m was not done after 10 s: brief.deadlines.synthesis was hit"},
		"falls silent": {0, 12 * time.Second, 9 * time.Second, reasonLate, 14 * time.Second,
			"m was not done after 14 s: brief.deadlines.synthesis was hit"},
		"falls silent early": {0, 2 * time.Second, 9 * time.Second, reasonLate, 10 * time.Second,
			"m was not done after 10 s: brief.deadlines.synthesis was hit"},
		"writes without end": {0, time.Minute, 0, reasonLate, 24 * time.Second,
			"m was not done after 24 s: brief.deadlines.total was hit"},
		"gives nothing of it": {0, 0, 0, reasonEmpty, 0, "m gave nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answer := answered(t, modelAnswer{Findings: []statement{good}})
				if test.outcome == reasonEmpty {
					answer = answered(t, modelAnswer{})
				}
				b := asked(t, "How many amber cranes breed at Lowmere?",
					&slowModel{fakeModel{name: "m", answer: answer, after: test.after}, test.silent, test.writes})
				s := b.Coverage.Synthesis
				if s.Outcome != test.outcome || s.Detail != test.words ||
					time.Duration(s.ElapsedMS)*time.Millisecond != test.took || len(b.Findings) == 0 {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}

// A model on this machine is waited for as long as the caller waits, unless a time is set; so is one
// whose time is set long. What was hit has its name.
func TestWhichLimitAModelHits(t *testing.T) {
	for name, test := range map[string]struct {
		set             Deadlines
		caller          time.Duration // its own deadline, where it has one
		local, fallback bool
		thinks          time.Duration
		outcome         string
		took            time.Duration
		words           string
	}{
		"far away": {Deadlines{}, 0, false, false, 14 * time.Second, reasonLate, 10 * time.Second,
			"m was not done after 10 s: brief.deadlines.synthesis was hit"},
		"here": {Deadlines{}, 0, true, false, 14 * time.Second, "ok", 14 * time.Second, ""},
		"here, to the end": {Deadlines{}, 0, true, false, time.Hour, reasonLate, 24 * time.Second,
			"m was not done after 24 s: brief.deadlines.total was hit"},
		"here, and a time is set": {Deadlines{Synthesis: 10 * time.Second}, 0, true, false, 14 * time.Second,
			reasonLate, 10 * time.Second, "m was not done after 10 s: brief.deadlines.synthesis was hit"},
		"a long time is set": {Deadlines{Synthesis: time.Hour, Total: 2 * time.Hour}, 0, false, false,
			50 * time.Minute, "ok", 50 * time.Minute, ""},
		"the caller waits less": {Deadlines{}, 9 * time.Second, true, false, 14 * time.Second, reasonLate,
			8 * time.Second, "m was not done after 8 s: the caller's deadline was hit"},
		"another is asked after": {Deadlines{}, 0, true, true, 14 * time.Second, "m timeout; n empty-response",
			10 * time.Second, "m was not done after 10 s: brief.deadlines.synthesis was hit; n gave nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := &fakeWeb{pages: map[string]fakePage{"http://lowmere.example/": {text: lowmere}}}
				models := []Model{&homeModel{fakeModel{name: "m", answer: answered(t,
					modelAnswer{Findings: []statement{good}}), after: test.thinks}, test.local}}
				if test.fallback {
					models = append(models, &fakeModel{name: "n", answer: "{}"})
				}
				w, _, _ := writer(Options{Fetcher: web, Models: models, Deadlines: test.set},
					finds("p", 0, "http://lowmere.example/"))
				ctx := t.Context()
				if test.caller > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, test.caller)
					defer cancel()
				}
				b, err := w.Write(ctx, Request{Query: citewell.Query{Text: cranes}})
				s := b.Coverage.Synthesis
				if err != nil || s.Outcome != test.outcome || s.Detail != test.words ||
					time.Duration(s.ElapsedMS)*time.Millisecond != test.took || len(b.Findings) == 0 {
					t.Errorf("%v: %+v", err, s)
				}
			})
		})
	}
}

// A homeModel says whether it is on this machine.
type homeModel struct {
	fakeModel
	local bool
}

func (m *homeModel) OnLoopback() bool { return m.local }

// A model is told the language that the question asks for, else the one that is set.
func TestTheLanguageOfSynthesis(t *testing.T) {
	for _, test := range []struct{ question, set, want string }{
		{"How many amber cranes breed at Lowmere?", "", "in whose language you answer:"},
		{"How many amber cranes breed at Lowmere?", "de", "which you answer in German:"},
		{"How many amber cranes breed at Lowmere? Answer in French.", "de", "which you answer in French:"},
	} {
		m := &fakeModel{name: "m", answer: answered(t, modelAnswer{Findings: []statement{good}})}
		web := &fakeWeb{pages: map[string]fakePage{"http://lowmere.example/": {text: lowmere}}}
		w, _, _ := writer(Options{Fetcher: web, Models: []Model{m}, Language: test.set},
			finds("p", 0, "http://lowmere.example/"))
		if _, err := w.Write(t.Context(), Request{Query: citewell.Query{Text: test.question}}); err != nil {
			t.Fatal(err)
		}
		if shown := m.asked[0].Messages[1].Content; !strings.Contains(shown, test.want) {
			t.Errorf("%+v: the model was shown %s", test, shown)
		}
	}
}
