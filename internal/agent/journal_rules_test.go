package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/llm"
)

// What a model answered and cost goes over unchanged.
func TestReplies(t *testing.T) {
	got := replyOf(llm.Reply{Text: "t", Thinking: "h", InputTokens: 1, CachedTokens: 2, OutputTokens: 3, Tries: 2,
		ToolCalls: []llm.ToolCall{{ID: "i", Name: "n", Arguments: json.RawMessage("{}"), Fault: "f"}}})
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", Reply{Text: "t", Thinking: "h", InputTokens: 1, CachedTokens: 2,
		OutputTokens: 3, Tries: 2, Calls: []ToolCall{{ID: "i", Name: "n", Arguments: json.RawMessage("{}"),
			Fault: "f"}}}) {
		t.Errorf("%+v", got)
	}
	if got := replyOf(llm.Reply{Tries: 1}); got.Tries != 0 {
		t.Errorf("one try is %d", got.Tries)
	}
	r := &run{}
	connect := &citewell.Error{Code: citewell.CodeConnectFailed}
	for name, test := range map[string]struct {
		err      error
		answered int
		want     string
	}{
		"too long": {llm.ErrContext, 0, failedTooLong}, "no tools": {llm.ErrNoTools, 0, failedNoTools},
		"cut": {llm.ErrLength, 0, failedCut}, "limited": {&citewell.Error{Code: citewell.CodeRateLimited}, 0,
			failedAway},
		"never reached": {connect, 0, ""}, "not reached any more": {connect, 5, failedAway},
		"no name any more": {&citewell.Error{Code: citewell.CodeDNSFailed}, 5, failedAway},
		"else":             {errors.New("x"), 5, ""},
	} {
		if r.lastInput = test.answered; r.failureOf(test.err) != test.want {
			t.Errorf("%s: %q, want %q", name, r.failureOf(test.err), test.want)
		}
	}
}

// A scratchpad is a store of calls in memory, which fails where it is told to.
type scratchpad struct {
	fails string
	calls []runstore.CallRecord
	cost  string
	wrote [][]runstore.CallEntry
}

func (s *scratchpad) err(at string) error {
	if at == s.fails {
		return errors.New(at + " fails")
	}
	return nil
}

func (s *scratchpad) WriteCalls(_ context.Context, _ runstore.Lease,
	entries []runstore.CallEntry) (list []runstore.CallRecord, err error) {
	s.wrote = append(s.wrote, entries)
	for _, e := range entries {
		list = append(list, runstore.CallRecord{Key: e.Call.Key(), State: runstore.CallInFlight})
	}
	return list, s.err("write")
}

func (s *scratchpad) LookupCall(_ context.Context, _, key string) (runstore.CallRecord, error) {
	return runstore.CallRecord{Key: key, Cost: json.RawMessage(s.cost), Result: json.RawMessage("7")}, s.err("lookup")
}

func (s *scratchpad) Calls(context.Context, string) ([]runstore.CallRecord, error) {
	return s.calls, s.err("calls")
}

// A journal in a store says what went wrong there, and knows what is finished and what is not.
func TestAJournalInAStore(t *testing.T) {
	page := Call{Key: "t3/p", Kind: CallPage, Name: strings.Repeat("n", runstore.MaxCallName+5),
		Request: json.RawMessage(`{"a":1}`)}
	s := stored(page)
	if s.Step != 3 || s.Kind != runstore.CallPage || len(s.Name) != runstore.MaxCallName ||
		string(s.Input) != `{"key":"t3/p","kind":"page","request":{"a":1}}` {
		t.Errorf("%+v %s", s, s.Input)
	}
	if s := stored(Call{Key: "begin", Kind: CallLocal, Name: "clock"}); s.Step != 0 || s.Kind != runstore.CallTool {
		t.Errorf("%+v", s)
	}
	known := func(state runstore.CallState) []runstore.CallRecord {
		return []runstore.CallRecord{{Key: s.Key(), State: state}}
	}
	for name, test := range map[string]struct {
		pad   scratchpad
		found bool
		fails string
	}{
		"finished":       {scratchpad{calls: known(runstore.CallDone), cost: `{"active_ms":9}`}, true, ""},
		"failed":         {scratchpad{calls: known(runstore.CallFailed), cost: `{"active_ms":9}`}, true, ""},
		"begun":          {scratchpad{calls: known(runstore.CallInFlight)}, false, ""},
		"none":           {scratchpad{}, false, ""},
		"calls fail":     {scratchpad{fails: "calls"}, false, "calls fails"},
		"a look-up does": {scratchpad{calls: known(runstore.CallDone), fails: "lookup"}, false, "lookup fails"},
		"a broken cost":  {scratchpad{calls: known(runstore.CallDone), cost: "x"}, false, "cost of call t3/p"},
	} {
		j := &RunJournal{Calls: &test.pad}
		e, found, err := j.Lookup(t.Context(), page)
		if found != test.found || (err != nil) != (test.fails != "") || err != nil &&
			!strings.Contains(err.Error(), test.fails) || found && (e.ActiveMS != 9 || string(e.Result) != "7") {
			t.Errorf("%s: %+v, %v, %v", name, e, found, err)
		}
	}
	pad := &scratchpad{}
	j := &RunJournal{Calls: pad}
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Sync(t.Context()); err != nil || len(pad.wrote) != 0 {
		t.Errorf("nothing was to be written: %v, %v", err, pad.wrote)
	}
	other := Call{Key: "t3/q", Kind: CallPage, Name: "q"}
	do(j.Begin(t.Context(), page))
	if _, found, _ := j.Lookup(t.Context(), page); found {
		t.Error("a call that was begun is finished")
	}
	do(j.Finish(t.Context(), page, Entry{Result: json.RawMessage("1")}))
	pad.fails = "write"
	if err := j.Begin(t.Context(), other); err == nil {
		t.Error("a call is begun that could not be written")
	}
	if _, found, _ := j.Lookup(t.Context(), page); found {
		t.Error("a call is finished that could not be written")
	}
	pad.fails = ""
	do(j.Sync(t.Context()))
	if _, found, err := j.Lookup(t.Context(), page); found || err == nil { // its cost is none
		t.Errorf("then it is looked up: %v", err)
	}
	if last := pad.wrote[len(pad.wrote)-1]; len(last) != 1 || last[0].Result == nil {
		t.Errorf("written at last: %+v", last)
	}
	n := len(pad.wrote)
	asked := Call{Key: "t4/answer", Kind: CallAnswer, Name: "user"}
	do(j.Begin(t.Context(), asked))
	j.under++ // another is on its way
	do(j.Finish(t.Context(), asked, Entry{}))
	if len(pad.wrote) != n+1 || len(pad.wrote[n]) != 2 || pad.wrote[n][0].Result != nil ||
		pad.wrote[n][1].Result == nil {
		t.Errorf("an answer is begun and finished at once: %+v", pad.wrote[n:])
	}
}

// What an entry of a journal is worth, and what a clock makes of it.
func TestEntriesAndTheClock(t *testing.T) {
	for key, test := range map[string]struct {
		entry Entry
		kind  string
		want  int
		fails string
	}{
		"a": {Entry{Result: json.RawMessage("7")}, CallTool, 7, ""},
		"b": {Entry{Result: json.RawMessage(`"x"`)}, CallTool, 0, "agent: journal entry b"},
		"a failed search": {Entry{Result: json.RawMessage("7"),
			Error: &citewell.ErrorView{Code: citewell.CodeRateLimited, Message: "slow", Hint: "wait"}},
			CallSearch, 7, "slow"},
		"a failed tool": {Entry{Result: json.RawMessage("7"),
			Error: &citewell.ErrorView{Code: citewell.CodeRateLimited, Message: "slow"}}, CallTool, 0, "slow"},
		"broken": {Entry{Result: json.RawMessage(`"x"`),
			Error: &citewell.ErrorView{Code: citewell.CodeRateLimited, Message: "slow"}}, CallPage, 0,
			"agent: journal entry broken"},
		"nothing": {Entry{Error: &citewell.ErrorView{Code: citewell.CodeRateLimited, Message: "slow"}},
			CallModel, 0, "slow"},
	} {
		j := NewMemoryJournal()
		r := &run{Agent: &Agent{Options{Journal: j}}}
		if err := j.Finish(t.Context(), Call{Key: key}, test.entry); err != nil {
			t.Fatal(err)
		}
		got, err := outside(t.Context(), r, Call{Key: key, Kind: test.kind}, func(context.Context) (int, error) {
			t.Error("it was made again")
			return 0, nil
		})
		if got != test.want || (err != nil) != (test.fails != "") || err != nil &&
			!strings.Contains(err.Error(), test.fails) || isBroken(err) != strings.Contains(test.fails, "journal") {
			t.Errorf("%s: %d, %v", key, got, err)
		}
		if test.fails == "slow" && (citewell.CodeOf(err) != citewell.CodeRateLimited ||
			citewell.View(err).Hint != test.entry.Error.Hint) {
			t.Errorf("%s: %+v", key, citewell.View(err))
		}
	}
}

// What was played again counts, and the time since it goes on.
func TestClock(t *testing.T) { synctest.Test(t, testClock) }

func testClock(t *testing.T) {
	var c clock
	if c.active() != 0 {
		t.Error("a clock that was never started")
	}
	c.replayed(500)
	c.replayed(300)
	if c.active() != 500*time.Millisecond {
		t.Errorf("after what was played: %v", c.active())
	}
	c.start()
	c.running = c.running.Add(-time.Minute)
	if got := c.active(); got < time.Minute || got > 2*time.Minute {
		t.Errorf("after a minute: %v", got)
	}
	if c.replayed(100_000); c.active() < 100*time.Second || c.active() > 130*time.Second {
		t.Errorf("played on: %v", c.active())
	}
	c.running = c.running.Add(-time.Minute)
	c.stop()
	if got := c.active(); got < 160*time.Second || got > 3*time.Minute || !c.running.IsZero() {
		t.Errorf("stopped: %v", got)
	}
	before := c.active()
	if c.stop(); c.active() != before {
		t.Error("stopped twice it goes on")
	}
}
