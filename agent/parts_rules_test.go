package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/agent/internal/door"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/text"
	"github.com/citewell/citewell/tool"
	"github.com/google/jsonschema-go/jsonschema"
)

// An index is a provider of results in memory.
type index struct {
	name  string
	found []string // URLs
	fails error
}

func (p index) Name() string { return p.name }

func (p index) Search(context.Context, citewell.Query) (list []citewell.Result, err error) {
	for _, url := range p.found {
		list = append(list, citewell.Result{Provider: p.name, Title: "Herons of " + url, URL: url, Snippet: "herons", Rank: len(list) + 1})
	}
	return list, p.fails
}

// Providers give what those found that answered, and an error where none did.
func TestProviders(t *testing.T) {
	down := &citewell.Error{Code: citewell.CodeRateLimited, Message: "slow down"}
	ctx := t.Context()
	ended, end := context.WithCancel(ctx)
	end()
	many := index{"b", []string{"https://a.example/1", "https://a.example/2", "https://a.example/3", "https://b.example/"}, nil}
	for name, test := range map[string]struct {
		ctx  context.Context
		p    Providers
		code citewell.Code
		said string
		last string // of the results
		n    int
	}{
		"none":              {ctx, Providers{}, citewell.CodeProviderNotConfigured, "no provider is switched on", "", 0},
		"all fail":          {ctx, Providers{List: []search.Provider{index{"z", nil, down}, index{"a", nil, down}}}, citewell.CodeAllProvidersFailed, "no provider answered: a rate_limited, z rate_limited", "", 0},
		"one fails":         {ctx, Providers{List: []search.Provider{index{"z", nil, down}, many}}, "", "", "https://a.example/3", 4},
		"one of a domain":   {ctx, Providers{List: []search.Provider{many}, PerDomain: 1}, "", "", "https://a.example/3", 4},
		"four of a domain":  {ctx, Providers{List: []search.Provider{many}, PerDomain: 4}, "", "", "https://b.example/", 4},
		"nothing is found":  {ctx, Providers{List: []search.Provider{index{"a", nil, nil}}}, "", "", "", 0},
		"the end":           {ended, Providers{List: []search.Provider{many}}, citewell.CodeCanceled, "", "", 0},
		"a kind nobody has": {ctx, Providers{List: []search.Provider{many}, Scope: search.Scope{Kinds: []search.Kind{search.KindScholarly}}}, citewell.CodeProviderNotConfigured, "", "", 0},
	} {
		got, err := test.p.Search(test.ctx, citewell.Query{Text: "herons", Limit: 10})
		if test.code == citewell.CodeCanceled {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if citewell.CodeOf(err) != test.code && (test.code != "" || err != nil) || err != nil && !strings.Contains(err.Error(), test.said) || len(got) != test.n || test.n > 0 && got[test.n-1].URL != test.last {
			t.Errorf("%s: %v, %+v", name, err, got)
		}
	}
}

// A drawer has one indexed file.
type drawer struct{ body string }

func (d drawer) Snapshot(_ context.Context, url string) (citewell.Page, citewell.Document, error) {
	return citewell.Page{URL: url, FinalURL: url, Body: []byte(d.body)}, citewell.Document{}, nil
}

// Pages of the web come from the fetcher, the user's own from the store, and neither where there is
// none.
func TestWhoGivesAPage(t *testing.T) {
	taken := func(_ context.Context, p citewell.Page) (citewell.Document, error) {
		if strings.HasPrefix(string(p.Body), "broken") {
			return citewell.Document{}, errors.New("it is broken")
		}
		return citewell.Document{Text: string(p.Body), Captions: map[bool]string{true: "https://a.example/captions"}[strings.HasPrefix(string(p.Body), "film")]}, nil
	}
	all := Pages{Fetcher: web{"https://a.example/": "page", "https://a.example/film": "film", "https://a.example/captions": "broken"}, Local: drawer{"film of mine"}, Extract: taken}
	for name, test := range map[string]struct {
		p    Pages
		url  string
		want string
		code citewell.Code
	}{
		"a page":                  {all, "https://a.example/", "page", ""},
		"a film":                  {all, "https://a.example/film", "film", ""},
		"a file":                  {all, "file:///note.txt", "film of mine", ""},
		"no fetcher":              {Pages{Local: drawer{"mine"}, Extract: taken}, "https://a.example/", "", citewell.CodePermissionDenied},
		"a file and no fetcher":   {Pages{Local: drawer{"film of mine"}, Extract: taken}, "file:///note.txt", "film of mine", ""},
		"no files":                {Pages{Fetcher: all.Fetcher, Extract: taken}, "file:///note.txt", "", citewell.CodeNotFound},
		"a page that is shut off": {all, "https://b.example/", "", citewell.CodeBlockedAddress},
	} {
		_, doc, err := test.p.Read(t.Context(), test.url)
		if doc.Text != test.want || (err != nil) != (test.code != "") || err != nil && citewell.CodeOf(err) != test.code {
			t.Errorf("%s: %q, %v", name, doc.Text, err)
		}
	}
	var asked fetch.Request
	p := Pages{Fetcher: getter(func(r fetch.Request) (citewell.Page, error) { asked = r; return citewell.Page{}, nil }), Extract: taken}
	for _, archived := range []bool{false, true} {
		p.Archived = archived
		if _, _, err := p.Read(t.Context(), "https://a.example/"); err != nil || asked.MaxRedirects != 5 || asked.Archived != fetch.WhenGone(archived) || asked.ArchiveTimeout != fetch.ArchiveTimeout {
			t.Errorf("archived %v: %+v, %v", archived, asked, err)
		}
	}
}

type getter func(fetch.Request) (citewell.Page, error)

func (g getter) Get(_ context.Context, r fetch.Request) (citewell.Page, error) { return g(r) }

// The calls that a model wrote out, in each form that models were taught.
func TestFormsOfWrittenCalls(t *testing.T) {
	spec := func(name, field string) *tool.Tool {
		return tool.Raw(tool.Spec{Name: name, Description: "Does it."}, schemaOf(t, `{"type":"object","properties":{"`+field+`":{"type":"string"}},"required":["`+field+`"],"additionalProperties":false}`), nil, nil)
	}
	free := tool.Raw(tool.Spec{Name: "free", Description: "Does it."}, schemaOf(t, `{"type":"object"}`), nil, nil)
	tools := []*tool.Tool{spec("one", "a"), spec("two", "a"), spec("three", "b"), free}
	for said, want := range map[string]string{
		`{"name":"one","arguments":{"a":"x"}}`:                                         `one {"a":"x"} | `,
		`{"name":"one","parameters":{"a":"x"}}`:                                        `one {"a":"x"} | `,
		`{"name":"one","arguments":"{\"a\":\"x\"}"}`:                                   `one {"a":"x"} | `,
		`{"name":"one","arguments":"x"}`:                                               ` | `,
		`{"name":"one","arguments":[1]}`:                                               ` | `,
		`{"name":"one"}`:                                                               ` | `,
		`{"function":"one","arguments":{"a":"x"}}`:                                     `one {"a":"x"} | `,
		`{"function":{"name":"one","arguments":{"a":"x"}}}`:                            `one {"a":"x"} | `,
		`{"tool_calls":[{"name":"one","arguments":{}},{"name":"two","arguments":{}}]}`: `one {} two {} | `,
		`{"name":"one","arguments":{}} and {"name":"two","arguments":{}}`:              `one {} two {} | and`,
		`so {"name":"absent","arguments":{}}`:                                          ` | so`,
		`{"name":"absent","arguments":{}}`:                                             `absent {} | `,
		`{"b":"x"}`:                                                                    `three {"b":"x"} | `,
		`{"a":"x"}`:                                                                    ` | `,
		`see {"b":"x"}`:                                                                ` | see`,
		`{"b":"x"} {"b":"y"}`:                                                          ` | `,
		`{"c":"x"}`:                                                                    ` | `,
		"<tool_call>\n" + `{"b":"x"}` + "\n</tool_call>":                               `three {"b":"x"} | `,
		"```json\n" + `{"b":"x"}` + "\n```":                                            `three {"b":"x"} | `,
		`[TOOL_CALLS][{"b":"x"}]`:                                                      `three {"b":"x"} | `,
		`{half {"name":"one","arguments":{}}`:                                          `one {} | {half`,
		`none`:                                                                         ` | none`,
		`[1]`:                                                                          ` | 1`,
	} {
		list, says := written(t.Context(), said, tools)
		var got strings.Builder
		for _, c := range list {
			got.WriteString(c.Name + " " + string(c.Arguments) + " ")
		}
		if have := strings.TrimSpace(got.String() + "| " + says); have != strings.TrimSpace(want) {
			t.Errorf("%s\n is %q\nwant %q", said, have, want)
		}
	}
	if list, _ := written(t.Context(), strings.Repeat("{", maxWritten)+`{"name":"one","arguments":{}}`, tools); len(list) != 0 {
		t.Errorf("behind %d braces: %+v", maxWritten, list)
	}
	if list, _ := written(t.Context(), strings.Repeat("{", maxWritten-1)+`{"name":"one","arguments":{}}`, tools); len(list) != 1 {
		t.Errorf("behind %d braces: %+v", maxWritten-1, list)
	}
	if list := named(json.RawMessage(`{"tool_calls":[` + strings.TrimSuffix(strings.Repeat(`{"name":"one","arguments":{}},`, maxCalls+1), ",") + `]}`)); len(list) != maxCalls {
		t.Errorf("%d calls of one object", len(list))
	}
}

// What is said of a result of a tool, and where it was said.
func TestResultsAsPages(t *testing.T) {
	r := &run{Agent: &Agent{Options{}.withDefaults()}, door: door.New(), made: map[string]int{}, shelf: shelf{sources: newSources(), seen: map[string]bool{}}}
	plain := &tool.Tool{Spec: tool.Spec{Name: "ask"}}
	also := &tool.Tool{Spec: tool.Spec{Name: "wiki_ask", Also: []string{"ask me"}, Origin: tool.Origin{Name: "wiki", Foreign: true}}}
	for tl, want := range map[*tool.Tool]string{plain: "tool:ask?sha256=", also: "tool:wiki/ask%20me?sha256="} {
		if got := resultsOf(tl); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	long := strings.Repeat("The tide is high today, they say. ", MaxToolResult/30)
	for name, test := range map[string]struct {
		part  tool.Page
		kind  string
		title string
		out   citewell.FetchOutcome
		text  string
	}{
		"words":      {tool.Page{Page: citewell.Page{Body: []byte("The tide is high.")}}, "text/plain; charset=utf-8", "ask(q: tide), ", citewell.FetchOK, "The tide is high."},
		"JSON":       {tool.Page{Page: citewell.Page{Body: []byte(`{"tide":"high"}`)}}, "application/json", "ask(q: tide), ", citewell.FetchOK, "high"},
		"too long":   {tool.Page{Page: citewell.Page{Body: []byte(long)}}, "text/plain; charset=utf-8", "ask(q: tide), ", citewell.FetchTruncated, "high today"},
		"a document": {tool.Page{Page: citewell.Page{Body: []byte("x"), ContentType: "a/b"}, Doc: citewell.Document{Text: "It is high.", Title: "Tides", LowYield: true}}, "a/b", "Tides of ask(q: tide), ", citewell.FetchOK, "It is high."},
		"untitled":   {tool.Page{Page: citewell.Page{Body: []byte("x")}, Doc: citewell.Document{Text: "It is high."}}, "", "ask(q: tide), ", citewell.FetchOK, "It is high."},
	} {
		got, err := r.resultPage(t.Context(), plain, json.RawMessage(`{"q":"tide","reasoning":"r"}`), test.part)
		if err != nil || got.ContentType != test.kind || !strings.HasPrefix(got.Doc.Title, test.title) || got.Outcome != test.out || !strings.Contains(got.Doc.Text, test.text) || got.Doc.LowYield || got.URL != "tool:ask?sha256="+got.SHA256[:16] || got.FinalURL != got.URL || got.Doc.URL != got.URL {
			t.Errorf("%s: %v, %s %q %s, %.50q of %s", name, err, got.ContentType, got.Doc.Title, got.Outcome, got.Doc.Text, got.URL)
		}
	}
	r.said = []string{"the tide of spring is high", "two words", "tide of spring"}
	for said, want := range map[string]string{"You say the tide of spring is high. So it is.": "You say […]. So it is.", "It has two words.": "It has two words.", "the tide of spring is high, the tide of spring is high": "[…], […]", "A tide of spring.": "A […]."} {
		if got := r.withoutEchoes(said); got != want {
			t.Errorf("%q without echoes is %q, want %q", said, got, want)
		}
	}
	r.said = []string{"see https://Named.example/x", "bücher.example"}
	var links []string
	for _, l := range r.linksIn("See https://a.example/1. And https://named.example/2, https://bücher.example/3?x#y (https://b.example/4)! http://c.example?d") {
		links = append(links, l.URL)
	}
	if !slices.Equal(links, []string{"https://a.example/1", "https://b.example/4", "http://c.example?d"}) {
		t.Errorf("links %q", links)
	}
	r.said = nil
	r.remember(json.RawMessage(`{"b":["x","y",1],"a":{"c":"z"},"d":["w"]}`))
	if want := []string{"a", "c", "z", "b", "x", "y", "x y", "d", "w"}; !slices.Equal(r.said, want) {
		t.Errorf("said %q, want %q", r.said, want)
	}
	if r.remember(json.RawMessage(`{`)); len(r.said) != 9 {
		t.Errorf("said %q", r.said)
	}
	many, err := json.Marshal(map[string][]string{"a": strings.Split(strings.Repeat("w ", maxSaid+5), " ")})
	if err != nil {
		t.Fatal(err)
	}
	if r.remember(many); len(r.said) != maxSaid+1 {
		t.Errorf("%d strings are remembered", len(r.said))
	}
}

// What a model answered and cost goes over unchanged.
func TestReplies(t *testing.T) {
	got := replyOf(llm.Reply{Text: "t", Thinking: "h", InputTokens: 1, CachedTokens: 2, OutputTokens: 3, Tries: 2, ToolCalls: []llm.ToolCall{{ID: "i", Name: "n", Arguments: json.RawMessage("{}"), Fault: "f"}}})
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", Reply{Text: "t", Thinking: "h", InputTokens: 1, CachedTokens: 2, OutputTokens: 3, Tries: 2, Calls: []ToolCall{{ID: "i", Name: "n", Arguments: json.RawMessage("{}"), Fault: "f"}}}) {
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
		"too long": {llm.ErrContext, 0, failedTooLong}, "no tools": {llm.ErrNoTools, 0, failedNoTools}, "cut": {llm.ErrLength, 0, failedCut}, "limited": {&citewell.Error{Code: citewell.CodeRateLimited}, 0, failedAway},
		"never reached": {connect, 0, ""}, "not reached any more": {connect, 5, failedAway}, "no name any more": {&citewell.Error{Code: citewell.CodeDNSFailed}, 5, failedAway}, "else": {errors.New("x"), 5, ""},
	} {
		if r.lastInput = test.answered; r.failureOf(test.err) != test.want {
			t.Errorf("%s: %q, want %q", name, r.failureOf(test.err), test.want)
		}
	}
}

// A scratchpad is a store of calls in memory, which fails where it is told to.
type scratchpad struct {
	fails string
	calls []store.CallRecord
	cost  string
	wrote [][]store.CallEntry
}

func (s *scratchpad) err(at string) error {
	if at == s.fails {
		return errors.New(at + " fails")
	}
	return nil
}

func (s *scratchpad) WriteCalls(_ context.Context, _ store.Lease, entries []store.CallEntry) (list []store.CallRecord, err error) {
	s.wrote = append(s.wrote, entries)
	for _, e := range entries {
		list = append(list, store.CallRecord{Key: e.Call.Key(), State: store.CallInFlight})
	}
	return list, s.err("write")
}

func (s *scratchpad) LookupCall(_ context.Context, _, key string) (store.CallRecord, error) {
	return store.CallRecord{Key: key, Cost: json.RawMessage(s.cost), Result: json.RawMessage("7")}, s.err("lookup")
}

func (s *scratchpad) Calls(context.Context, string) ([]store.CallRecord, error) {
	return s.calls, s.err("calls")
}

// A journal in a store says what went wrong there, and knows what is finished and what is not.
func TestAJournalInAStore(t *testing.T) {
	page := Call{Key: "t3/p", Kind: CallPage, Name: strings.Repeat("n", store.MaxCallName+5), Request: json.RawMessage(`{"a":1}`)}
	s := stored(page)
	if s.Step != 3 || s.Kind != store.CallPage || len(s.Name) != store.MaxCallName || string(s.Input) != `{"key":"t3/p","kind":"page","request":{"a":1}}` {
		t.Errorf("%+v %s", s, s.Input)
	}
	if s := stored(Call{Key: "begin", Kind: CallLocal, Name: "clock"}); s.Step != 0 || s.Kind != store.CallTool {
		t.Errorf("%+v", s)
	}
	known := func(state store.CallState) []store.CallRecord {
		return []store.CallRecord{{Key: s.Key(), State: state}}
	}
	for name, test := range map[string]struct {
		pad   scratchpad
		found bool
		fails string
	}{
		"finished":       {scratchpad{calls: known(store.CallDone), cost: `{"active_ms":9}`}, true, ""},
		"failed":         {scratchpad{calls: known(store.CallFailed), cost: `{"active_ms":9}`}, true, ""},
		"begun":          {scratchpad{calls: known(store.CallInFlight)}, false, ""},
		"none":           {scratchpad{}, false, ""},
		"calls fail":     {scratchpad{fails: "calls"}, false, "calls fails"},
		"a look-up does": {scratchpad{calls: known(store.CallDone), fails: "lookup"}, false, "lookup fails"},
		"a broken cost":  {scratchpad{calls: known(store.CallDone), cost: "x"}, false, "cost of call t3/p"},
	} {
		j := &RunJournal{Calls: &test.pad}
		e, found, err := j.Lookup(t.Context(), page)
		if found != test.found || (err != nil) != (test.fails != "") || err != nil && !strings.Contains(err.Error(), test.fails) || found && (e.ActiveMS != 9 || string(e.Result) != "7") {
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
	if len(pad.wrote) != n+1 || len(pad.wrote[n]) != 2 || pad.wrote[n][0].Result != nil || pad.wrote[n][1].Result == nil {
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
		"a":               {Entry{Result: json.RawMessage("7")}, CallTool, 7, ""},
		"b":               {Entry{Result: json.RawMessage(`"x"`)}, CallTool, 0, "agent: journal entry b"},
		"a failed search": {Entry{Result: json.RawMessage("7"), Error: &citewell.ErrorView{Code: citewell.CodeRateLimited, Message: "slow", Hint: "wait"}}, CallSearch, 7, "slow"},
		"a failed tool":   {Entry{Result: json.RawMessage("7"), Error: &citewell.ErrorView{Code: citewell.CodeRateLimited, Message: "slow"}}, CallTool, 0, "slow"},
		"broken":          {Entry{Result: json.RawMessage(`"x"`), Error: &citewell.ErrorView{Code: citewell.CodeRateLimited, Message: "slow"}}, CallPage, 0, "agent: journal entry broken"},
		"nothing":         {Entry{Error: &citewell.ErrorView{Code: citewell.CodeRateLimited, Message: "slow"}}, CallModel, 0, "slow"},
	} {
		j := NewMemoryJournal()
		r := &run{Agent: &Agent{Options{Journal: j}}}
		if err := j.Finish(t.Context(), Call{Key: key}, test.entry); err != nil {
			t.Fatal(err)
		}
		got, err := outside(t.Context(), r, Call{Key: key, Kind: test.kind}, func(context.Context) (int, error) { t.Error("it was made again"); return 0, nil })
		if got != test.want || (err != nil) != (test.fails != "") || err != nil && !strings.Contains(err.Error(), test.fails) || isBroken(err) != strings.Contains(test.fails, "journal") {
			t.Errorf("%s: %d, %v", key, got, err)
		}
		if test.fails == "slow" && (citewell.CodeOf(err) != citewell.CodeRateLimited || citewell.View(err).Hint != test.entry.Error.Hint) {
			t.Errorf("%s: %+v", key, citewell.View(err))
		}
	}
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

// What a task brings along to be reworded.
func TestMaterial(t *testing.T) {
	const body = "The gate is wide and old."
	for task, want := range map[string]string{
		"Shorten: " + body: body, "Shorten " + "“" + body + "”": body, `Shorten "` + body + `" please`: body, "Shorten this\n" + body: body, "Is it so: " + body: body, "Is it so? Shorten: " + body: "", "Shorten: Is it so? " + body: body,
		"Shorten: three words here": "", "Shorten: four words are here": "four words are here", body: "", strings.Repeat("word ", maxOrder) + ": " + body: body, strings.Repeat("word ", maxOrder+1) + ": " + body: "", "At 10:30 it is so": "",
		"Shorten “too short”": "", "Kürze „" + body + "“": body, "Shorten: «" + body + "»": strings.Trim(body, "«»"),
	} {
		if got := material(task); got != want {
			t.Errorf("%q brings %q, want %q", task, got, want)
		}
	}
	for said, want := range map[string]bool{"Is it?": true, "Is it？": true, `"Is it?"`: true, "Is it.": false, "*Is it?*": true} {
		if got := isQuestion(said); got != want {
			t.Errorf("%q asks: %v", said, got)
		}
	}
	for said, want := range map[string]bool{"Is Paris big?": true, "Paris is big?": false, "Can I help?": false, "is it big?": false} {
		if got := hasName(said); got != want {
			t.Errorf("%q has a name: %v", said, got)
		}
	}
}

// Where a heading is lacking, and where a text is in one language.
func TestOutlines(t *testing.T) {
	for outline, want := range map[string]string{"# T\n## The count\n## Size": "## Size", "## The count": "", "# The count\n# T": "# T", "The count\n- Size\n7.": "## Size", "": "", "# T": "", "## T": "## T", "free words\n## Size": "## Size"} {
		if got := strings.Join(lacking(Wishes{Outline: outline}.headings(), "Words.\n\n### *The* Count\n\nMore."), "|"); got != want {
			t.Errorf("%q lacks %q, want %q", outline, got, want)
		}
	}
	list := statements("The wardens counted the birds of the lake in the spring. " + "They did so every year.")
	short := statements("The wardens counted the birds of the lake there.")
	if !inOne("en", list) || inOne("", list) || inOne("de", list) || inOne("en", short) {
		t.Errorf("%v %v %v", inOne("en", list), inOne("", list), inOne("en", short))
	}
	words := 0
	for _, s := range list {
		words += len(text.Words(s.claim))
	}
	if words < leastWords || len(text.Words(short[0].claim)) >= leastWords {
		t.Error("the texts are not as long as they have to be")
	}
	w := Wishes{Language: "xx-nonsense"}
	if err := w.Check(); err == nil {
		t.Error("a language that nobody knows")
	}
	w = Wishes{Outline: strings.Repeat("x", MaxOutline)}
	if err := w.Check(); err != nil {
		t.Errorf("an outline that is just short enough: %v", err)
	}
	if !sound([]citewell.Citation{{Verdict: citewell.VerdictWeak}, {Verdict: citewell.VerdictSupported}}) || !sound([]citewell.Citation{{Verdict: citewell.VerdictSnippetOnly}}) || sound([]citewell.Citation{{Verdict: citewell.VerdictWeak}}) || sound(nil) {
		t.Error("what is sound")
	}
}

func schemaOf(t *testing.T, schema string) *jsonschema.Schema {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(schema), &s); err != nil {
		t.Fatal(err)
	}
	return &s
}
