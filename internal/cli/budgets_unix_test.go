//go:build unix

package cli

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
)

// A token's budget is its own: over it a run comes to its end and none is begun, by any door
// and in the next process too; another token of the tenant goes on.
func TestBudgetsOfTokens(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	operator, _ := l.api(t)
	ann := newStander(t, l, operator.base, "ann", "--tenant", "acme", "--budget", "tokens=5000")
	eve := newStander(t, l, operator.base, "eve", "--tenant", "acme", "--budget", "searches=1")
	cat := newStander(t, l, operator.base, "cat", "--tenant", "acme")
	cat.known()

	id := ann.begin(`{"task": "`+larchTask+`"}`, "Idempotency-Key", "one")
	ann.whole("/v1/runs/" + id + "/events")
	var r agent.Result
	if a := ann.do("GET", "/v1/runs/"+id+"/result", ""); json.Unmarshal(a.body, &r) != nil ||
		r.State != runstore.RunCompleted || r.Outcome != runstore.RunOverBudget ||
		!strings.HasPrefix(r.Reason, "the token ann has spent ") ||
		!strings.Contains(r.Reason, " of its 5000 tokens of ") {
		t.Errorf("a run over the budget of its token: %s", a.body)
	}
	// a call is let be made while something is left
	if spent := r.Usage.InputTokens + r.Usage.OutputTokens; spent < 5000 || spent > 10_000 {
		t.Errorf("it has spent %d tokens", spent)
	}
	refused := ann.refused(429, citewell.CodeQuotaExceeded, " of its 5000 tokens of ", "POST", "/v1/runs",
		`{"task": "another"}`)
	if wait, err := strconv.Atoi(refused.Header.Get("Retry-After")); err != nil || wait < 1 || wait > 24*60*60 {
		t.Errorf("Retry-After: %q", refused.Header.Get("Retry-After"))
	}
	if again := ann.begin(`{"task": "`+larchTask+`"}`, "Idempotency-Key", "one"); again != id {
		t.Errorf("a run that was begun before is %s", again)
	}
	for _, said := range []string{ann.asks("POST", "/v1/chat/completions",
		`{"messages": [{"role": "user", "content": "x"}]}`), ann.calls("default", "research_start", `{"task": "x"}`)} {
		if !strings.Contains(said, "quota_exceeded") {
			t.Errorf("by another door: %.500s", said)
		}
	}
	elsewhere, _ := l.serve(t, ann.token) // as the same server is after a restart
	elsewhere.refused(429, citewell.CodeQuotaExceeded, " of its 5000 tokens of ", "POST", "/v1/runs",
		`{"task": "another"}`)

	if found := eve.calls("default", "web_search",
		`{"query": "When was Larch 2.0 released?", "depth": 1}`); strings.Contains(found, "all_providers_failed") {
		t.Errorf("the one search that a token has: %.900s", found)
	}
	if found := eve.calls("default", "web_search", `{"query": "Larch file format", "depth": 1}`); !strings.Contains(
		found, "of its 1 searches of ") {
		t.Errorf("a search more than a token has: %.900s", found)
	}
	other := cat.begin(`{"task": "` + larchTask + `"}`)
	cat.whole("/v1/runs/" + other + "/events")
	if a := cat.do("GET", "/v1/runs/"+other, ""); !strings.Contains(string(a.body), `"state":"completed"`) ||
		strings.Contains(string(a.body), `"outcome":"budget"`) {
		t.Errorf("another token of the tenant: %s", a.body)
	}
	if list, _, code := here(t, l.home, "token", "list"); code != 0 ||
		!strings.Contains(list, "ann\tall\tacme\tfor ever\ttokens=5000\n") ||
		!strings.Contains(list, "cat\tall\tacme\tfor ever\tno budget\n") {
		t.Errorf("the list of tokens: %q", list)
	}
}

// Runs that have not ended are counted, also those that wait for an answer, and also where
// several are begun at once.
func TestRunsAtOnceOfAToken(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{mode: "asks"})
	operator, _ := l.api(t)
	ann := newStander(t, l, operator.base, "ann", "--budget", "runs=2")
	ann.known()
	began := make(chan string)
	for range 5 {
		go func() { began <- ann.asks("POST", "/v1/runs", `{"task": "`+larchTask+`"}`) }()
	}
	got := map[string]int{}
	for range 5 {
		answer := <-began
		got[answer[:3]]++
		if answer[:3] == "429" && !strings.Contains(answer, "2 runs of the token ann have not ended, and it may have "+
			"2 at once") {
			t.Errorf("refused: %s", answer)
		}
	}
	if got["201"] != 2 || got["429"] != 3 {
		t.Errorf("of five that were begun at once: %v", got)
	}
	var list struct{ Runs []struct{ ID string } }
	if a := ann.do("GET", "/v1/runs", ""); json.Unmarshal(a.body, &list) != nil || len(list.Runs) != 2 {
		t.Fatalf("%s", a.body)
	}
	ann.do("POST", "/v1/runs/"+list.Runs[0].ID+"/cancel", "")
	ann.whole("/v1/runs/" + list.Runs[0].ID + "/events")
	ann.begin(`{"task": "` + larchTask + `"}`)
}

// What cannot be a budget or a tenant is refused by name, and no token is made.
func TestTokensThatCannotBe(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, test := range [][]string{
		{"tokens=0", "--budget", "tokens=0"}, {"tokens=-1", "--budget", "tokens=-1"}, {"usd=x", "--budget", "usd=x"},
		{"searches=1.5", "--budget", "searches=1.5"}, {"usd=NaN", "--budget", "usd=NaN"},
		{"there is no such key", "--budget", "pages=1"}, {"stands twice", "--budget", "runs=1", "--budget", "runs=2"},
		{"runs=1001", "--budget", "runs=1001"}, {"tokens=1e13", "--budget", "tokens=1e13"},
		{"a tenant cannot be called", "--tenant", "../x"}, {"there is no scope", "--scope", "boss"},
	} {
		if _, stderr, code := here(t, home, append([]string{"token", "create", "t"}, test[1:]...)...); code !=
			citewell.ExitUsage || !strings.Contains(stderr, test[0]) {
			t.Errorf("%q: exit code %d, %s", test[1:], code, stderr)
		}
	}
	if list, _, code := here(t, home, "token", "list"); code != 0 || list != "" {
		t.Errorf("tokens were made: %q", list)
	}
}
