package agent

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/llm"
)

// What an answer cost is what the endpoint counted; where it does not count, what is estimated.
func TestWhatAnAnswerCosts(t *testing.T) {
	for name, test := range map[string]struct {
		reply   Reply
		in, out int
	}{
		"counted":           {Reply{InputTokens: 10, OutputTokens: 5, Text: "123456"}, 10, 5},
		"in is not counted": {Reply{OutputTokens: 5}, 77, 5},
		"words":             {Reply{Text: "123456", Thinking: "123"}, 77, 3},
		"calls": {Reply{Calls: []ToolCall{{Arguments: json.RawMessage("123456")},
			{Arguments: json.RawMessage("123")}}}, 77, 3},
		"out alone":    {Reply{InputTokens: 10, Text: "123"}, 10, 1},
		"nothing came": {Reply{}, 0, 0},
	} {
		if got := test.reply.bill(77); got.InputTokens != test.in || got.OutputTokens != test.out || got.Text != "" {
			t.Errorf("%s: %+v, want %d and %d", name, got, test.in, test.out)
		}
	}
	if got := (Reply{InputTokens: 9, CachedTokens: 4, OutputTokens: 1}).bill(0); got.CachedTokens != 4 {
		t.Errorf("cached: %+v", got)
	}
}

// A budget has room for the calls that are left, by tokens and by money, and an answer is shortened
// to what there is.
func TestRoomOfABudget(t *testing.T) {
	price := llm.Price{Input: 1e6, Output: 2e6} // a dollar and two a token
	for name, test := range map[string]struct {
		s             spending
		calls, in     int
		out, want     int
		affords       bool
		room, roomFor int
	}{
		"no bounds":   {spending{}, 2, 1000, 8000, 8000, true, 0, 100},
		"just enough": {spending{budget: Budget{Tokens: 18000}}, 2, 1000, 8000, 8000, true, 17900, 100},
		"one too few": {spending{budget: Budget{Tokens: 17999}}, 2, 1000, 8000, 7999, false, 17899, 100},
		"half": {spending{budget: Budget{Tokens: 10000},
			usage: Usage{InputTokens: 900, OutputTokens: 100}}, 2, 1000, 8000, 3500, false, 8900, 100},
		"the least": {spending{budget: Budget{Tokens: 2 * (1000 + enoughAnswer)}}, 2, 1000, 8000, enoughAnswer,
			false, 3948, 100},
		"less": {spending{budget: Budget{Tokens: 2*(1000+enoughAnswer) - 1}}, 2, 1000, 8000, 0,
			false, 3947, 100},
		"a short answer": {spending{budget: Budget{Tokens: 2200}}, 2, 1000, 100, 100, true, 2100, 100},
		"the last call":  {spending{budget: Budget{Tokens: 9000}}, 1, 1000, 8000, 8000, true, 9000, 100},
		"nothing is left": {spending{budget: Budget{Tokens: 100}, usage: Usage{InputTokens: 90}}, 2, 10, 8000, 0,
			false, 1, 100},
		"dollars":         {spending{budget: Budget{USD: 3000}, price: price}, 1, 1000, 1000, 1000, true, 0, 100},
		"a dollar less":   {spending{budget: Budget{USD: 2999}, price: price}, 1, 1000, 1000, 0, false, 0, 100},
		"dollars for two": {spending{budget: Budget{USD: 8000}, price: price}, 2, 1000, 8000, 1500, false, 0, 100},
		"dollars are spent": {spending{budget: Budget{USD: 8000}, price: price, usage: Usage{USD: 700}}, 2, 1000, 8000,
			1325, false, 0, 100},
		"no price": {spending{budget: Budget{USD: 1}}, 2, 1000, 8000, 8000, true, 0, 100},
	} {
		if got := test.s.affords(test.calls, test.in, test.out); got != test.affords {
			t.Errorf("%s: affords %v", name, got)
		}
		if got := test.s.affordable(test.calls, test.in, test.out); got != test.want {
			t.Errorf("%s: an answer of %d tokens, want %d", name, got, test.want)
		}
		if got := test.s.room(test.calls, test.roomFor); got != test.room {
			t.Errorf("%s: room for %d, want %d", name, got, test.room)
		}
	}
	s := spending{price: price}
	s.spend(Reply{InputTokens: 0, OutputTokens: 0}, 50)
	s.spend(Reply{InputTokens: 10, OutputTokens: 5}, 50)
	if s.usage != (Usage{InputTokens: 60, OutputTokens: 5, USD: 70}) || s.lastInput != 10 || s.tokens() != 65 {
		t.Errorf("spent %+v, last %d", s.usage, s.lastInput)
	}
}

// How an endpoint counts is learned of long requests, up to three times the estimate.
func TestHowAnEndpointCounts(t *testing.T) {
	long := Request{Messages: []Message{{Content: strings.Repeat("x", 3*(learned-4))}}}
	short := Request{Messages: []Message{{Content: strings.Repeat("x", 3*(learned-5))}}}
	for name, test := range map[string]struct {
		q     Request
		reply Reply
		want  int
	}{
		"as estimated":     {long, Reply{InputTokens: learned}, learned},
		"fewer":            {long, Reply{InputTokens: learned / 2}, learned},
		"twice as many":    {long, Reply{InputTokens: 2 * learned}, 2 * learned},
		"too many":         {long, Reply{InputTokens: 9 * learned}, 3 * learned},
		"of several tries": {long, Reply{InputTokens: 2 * learned, Tries: 2}, learned},
		"of one try":       {long, Reply{InputTokens: 2 * learned, Tries: 1}, 2 * learned},
		"not counted":      {long, Reply{}, learned},
		"too short":        {short, Reply{InputTokens: 2 * learned}, learned},
	} {
		var s spending
		s.learn(test.reply, test.q)
		if got := s.size(long); got != test.want {
			t.Errorf("%s: %d tokens, want %d", name, got, test.want)
		}
	}
}

// A pause is told where it is long, and a wait in our own queue always.
func TestPausesAreTold(t *testing.T) {
	for name, test := range map[string]struct {
		pause time.Duration
		why   error
		want  string
	}{
		"short": {worthTelling - 1, errors.New("busy"), ""},
		"long": {worthTelling, &citewell.Error{Code: citewell.CodeRateLimited, Message: "busy"},
			"paused m busy; asked again in 3s"},
		"queued": {0, &citewell.Error{Code: citewell.CodeRateLimited, Message: "it waits", Err: llm.ErrQueued},
			"queued m it waits"},
	} {
		var got string
		r := &run{Agent: &Agent{Options{Model: onlyNamed{}}}}
		r.told.tell = func(e Event) { got = e.Kind + " " + e.Name + " " + e.Text }
		if r.paused(test.pause, test.why); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// onlyNamed is a model of which the name alone is asked for.
type onlyNamed struct{ Model }

// A bound that a caller leaves out is the one beside it; below zero there is none, or nothing.
func TestDefaults(t *testing.T) {
	o := Options{}.withDefaults()
	if o.Limits != (Limits{10, 3, 4, 10, 0, 15_000, 8000}) ||
		o.Budget != (Budget{500_000, 0, 30 * time.Minute, 20, 60}) || o.Shape != ShapeSGRToolCalling ||
		o.Name != string(ShapeSGRToolCalling) {
		t.Errorf("%+v %+v", o.Limits, o.Budget)
	}
	o = Options{Name: "n", Limits: Limits{-1, -1, -1, -1, -1, -1, -1}, Budget: Budget{-1, 0, -1, -1, -1}}.withDefaults()
	if o.Limits != (Limits{}) || o.Budget.Tokens != 0 || o.Budget.WallTime != 0 || o.Budget.Searches < 1<<40 ||
		o.Budget.Fetches < 1<<40 || o.Name != "n" {
		t.Errorf("%+v %+v", o.Limits, o.Budget)
	}
	o = Options{Limits: Limits{1, 2, 3, 4, 5, 6, 7}, Budget: Budget{1, 2, 3, 4, 5}}.withDefaults()
	if o.Limits != (Limits{1, 2, 3, 4, 5, 6, 7}) || o.Budget != (Budget{1, 2, 3, 4, 5}) {
		t.Errorf("%+v %+v", o.Limits, o.Budget)
	}
}

// Names of calls are unique in a run; the last messages begin with a call and not its results.
func TestNamesOfCallsAndTheTail(t *testing.T) {
	k := talk{ids: map[string]bool{}}
	var got []string
	for _, n := range []int{0, 0, 1, 1, 0} {
		got = append(got, k.callID(3, "action", n))
	}
	if want := []string{"3-action", "3-action.2", "3-action-2", "3-action-2.2",
		"3-action.3"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, role := range []string{RoleUser, RoleAssistant, RoleTool, RoleTool, RoleUser} {
		k.say(role, "x")
	}
	for n, want := range map[int]int{1: 4, 2: 1, 3: 1, 4: 1, 5: 0, 9: 0} {
		if got := k.tail(n); got != want {
			t.Errorf("the last %d begin at %d, want %d", n, got, want)
		}
	}
	if at := (&talk{conversation: []Message{{Role: RoleTool}, {Role: RoleTool}}}).tail(1); at != 0 {
		t.Errorf("of results alone the tail begins at %d", at)
	}
}

// What a bar of patience makes of turns, and what a run that it closed comes to.
func TestPatience(t *testing.T) {
	e := ending{misfits: 2, stale: 1}
	if e.turned(); e.misfits != 0 || e.stale != 2 {
		t.Errorf("nothing new: %+v", e)
	}
	e.news = true
	if e.turned(); e.stale != 0 {
		t.Errorf("something new: %+v", e)
	}
	e.stale, e.news, e.rejected = 2, false, true
	if e.turned(); e.stale != 0 {
		t.Errorf("a report that was sent back: %+v", e)
	}
	for closing, want := range map[string]runstore.RunOutcome{
		closingStale: runstore.RunPartial, closingBudget: runstore.RunOverBudget, closingTime: runstore.RunOverBudget} {
		if got := (&ending{closing: closing}).closingOutcome(); got != want {
			t.Errorf("%s: %s", closing, got)
		}
	}
}

// An outbox hands on at once, but between the end of a call and the journal's next writing.
func TestOutbox(t *testing.T) {
	var got []string
	o := outbox{tell: func(e Event) { got = append(got, e.Kind) }}
	say := func(kind string) { o.say(Event{Kind: kind}) }
	say("a")
	o.hold()
	say("b")
	say("c")
	if len(got) != 1 {
		t.Errorf("held back: %q", got)
	}
	o.release()
	say("d")
	o.hold()
	say("e")
	o.drop()
	say("f")
	o.release()
	if want := []string{"a", "b", "c", "d", "f"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Conversations without calls, for endpoints that know none.
func TestPlainTurns(t *testing.T) {
	got := inPlainTurns([]Message{{Role: RoleUser, Content: "hi"},
		{Role: RoleAssistant, Content: "so", Calls: []ToolCall{{ID: "1", Name: "a", Arguments: json.RawMessage("{}")},
			{ID: "2", Name: "b", Arguments: json.RawMessage("7")}}}, {Role: RoleTool, CallID: "1", Content: "done"}})
	want := []string{"user hi", "assistant so\nI call a (1) with {}\nI call b (2) with 7",
		"user Result of the call 1:\ndone"}
	if len(got) != len(want) {
		t.Fatalf("%d turns, want %d", len(got), len(want))
	}
	for i, m := range got {
		if said := m.Role + " " + m.Content; said != want[i] || len(m.Calls) > 0 || m.CallID != "" {
			t.Errorf("%q, want %q", said, want[i])
		}
	}
}

// ofWindow is a model of which the window alone is asked for.
type ofWindow struct {
	Model
	tokens int
}

func (m ofWindow) Window(context.Context) int { return m.tokens }

// The pages of one call share twice what one page has, and have 1,500 bytes each at least.
func TestTheShareOfSeveralPages(t *testing.T) {
	for _, test := range []struct{ window, pages, want int }{{0, 1, 3072}, {0, 2, 3072}, {0, 5, 1500}, {2000, 1, 1500},
		{32_000, 2, 12_000}, {32_000, 5, 4800}, {200_000, 1, 20_000}, {200_000, 5, 8000}} {
		r := &run{Agent: &Agent{Options{Model: ofWindow{tokens: test.window}}}}
		if got := r.share(t.Context(), test.pages); got != test.want {
			t.Errorf("%d pages, window %d: %d bytes, want %d", test.pages, test.window, got, test.want)
		}
	}
}
