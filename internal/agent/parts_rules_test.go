package agent

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/agent/internal/door"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/search"
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
		list = append(list, citewell.Result{Provider: p.name, Title: "Herons of " + url, URL: url, Snippet: "herons",
			Rank: len(list) + 1})
	}
	return list, p.fails
}

// Providers give what those found that answered, and an error where none did.
func TestProviders(t *testing.T) {
	down := &citewell.Error{Code: citewell.CodeRateLimited, Message: "slow down"}
	ctx := t.Context()
	ended, end := context.WithCancel(ctx)
	end()
	var failing []search.Provider
	for _, name := range []string{"f", "e", "d", "c", "b", "a"} {
		failing = append(failing, index{name, nil, down})
	}
	many := index{"b", []string{"https://a.example/1", "https://a.example/2", "https://a.example/3",
		"https://b.example/"}, nil}
	for name, test := range map[string]struct {
		ctx  context.Context
		p    Providers
		code citewell.Code
		said string
		last string // of the results
		n    int
	}{
		"none": {ctx, Providers{}, citewell.CodeProviderNotConfigured,
			"no provider is switched on", "", 0},
		"all fail": {ctx, Providers{List: failing}, citewell.CodeAllProvidersFailed,
			"no provider answered: a rate_limited, b rate_limited, c rate_limited, d rate_limited, e rate_limited, f " +
				"rate_limited", "", 0},
		"one fails": {ctx, Providers{List: []search.Provider{index{"z", nil, down}, many}}, "", "",
			"https://a.example/3", 4},
		"one of a domain": {ctx, Providers{List: []search.Provider{many}, PerDomain: 1}, "", "",
			"https://a.example/3", 4},
		"four of a domain": {ctx, Providers{List: []search.Provider{many}, PerDomain: 4}, "", "",
			"https://b.example/", 4},
		"nothing is found": {ctx, Providers{List: []search.Provider{index{"a", nil, nil}}}, "", "", "", 0},
		"the end":          {ended, Providers{List: []search.Provider{many}}, citewell.CodeCanceled, "", "", 0},
		"a kind nobody has": {ctx, Providers{List: []search.Provider{many},
			Scope: search.Scope{Kinds: []search.Kind{search.KindScholarly}}},
			citewell.CodeProviderNotConfigured, "", "", 0},
	} {
		got, err := test.p.Search(test.ctx, citewell.Query{Text: "herons", Limit: 10})
		if test.code == citewell.CodeCanceled {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if citewell.CodeOf(err) != test.code && (test.code != "" || err != nil) || err != nil &&
			!strings.Contains(err.Error(), test.said) || len(got) != test.n || test.n > 0 &&
			got[test.n-1].URL != test.last {
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
		return citewell.Document{Text: string(p.Body), Captions: map[bool]string{
			true: "https://a.example/captions"}[strings.HasPrefix(string(p.Body), "film")]}, nil
	}
	all := Pages{Fetcher: web{"https://a.example/": "page", "https://a.example/film": "film",
		"https://a.example/captions": "broken"}, Local: drawer{"film of mine"}, Extract: taken}
	for name, test := range map[string]struct {
		p    Pages
		url  string
		want string
		code citewell.Code
	}{
		"a page": {all, "https://a.example/", "page", ""},
		"a film": {all, "https://a.example/film", "film", ""},
		"a file": {all, "file:///note.txt", "film of mine", ""},
		"no fetcher": {Pages{Local: drawer{"mine"}, Extract: taken}, "https://a.example/", "",
			citewell.CodePermissionDenied},
		"a file and no fetcher": {Pages{Local: drawer{"film of mine"}, Extract: taken}, "file:///note.txt",
			"film of mine", ""},
		"no files": {Pages{Fetcher: all.Fetcher, Extract: taken}, "file:///note.txt", "",
			citewell.CodeNotFound},
		"a page that is shut off": {all, "https://b.example/", "", citewell.CodeBlockedAddress},
	} {
		_, doc, err := test.p.Read(t.Context(), test.url)
		if doc.Text != test.want || (err != nil) != (test.code != "") || err != nil &&
			citewell.CodeOf(err) != test.code {
			t.Errorf("%s: %q, %v", name, doc.Text, err)
		}
	}
	var asked fetch.Request
	p := Pages{Fetcher: getter(func(r fetch.Request) (citewell.Page, error) { asked = r; return citewell.Page{}, nil }),
		Extract: taken}
	for _, archived := range []bool{false, true} {
		p.Archived = archived
		if _, _, err := p.Read(t.Context(), "https://a.example/"); err != nil || asked.MaxRedirects != 5 ||
			asked.Archived != fetch.WhenGone(archived) || asked.ArchiveTimeout != fetch.ArchiveTimeout {
			t.Errorf("archived %v: %+v, %v", archived, asked, err)
		}
	}
}

type getter func(fetch.Request) (citewell.Page, error)

func (g getter) Get(_ context.Context, r fetch.Request) (citewell.Page, error) { return g(r) }

// The calls that a model wrote out, in each form that models were taught.
func TestFormsOfWrittenCalls(t *testing.T) {
	spec := func(name, field string) *tool.Tool {
		return tool.Raw(tool.Spec{Name: name, Description: "Does it."},
			schemaOf(t, `{"type":"object","properties":{"`+field+`":{"type":"string"}},"required":["`+field+
				`"],"additionalProperties":false}`), nil, nil)
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
	if list, _ := written(t.Context(), strings.Repeat("{", maxWritten)+`{"name":"one","arguments":{}}`,
		tools); len(list) != 0 {
		t.Errorf("behind %d braces: %+v", maxWritten, list)
	}
	if list, _ := written(t.Context(), strings.Repeat("{", maxWritten-1)+`{"name":"one","arguments":{}}`,
		tools); len(list) != 1 {
		t.Errorf("behind %d braces: %+v", maxWritten-1, list)
	}
	if list := named(json.RawMessage(`{"tool_calls":[` + strings.TrimSuffix(
		strings.Repeat(`{"name":"one","arguments":{}},`, maxCalls+1), ",") + `]}`)); len(list) != maxCalls {
		t.Errorf("%d calls of one object", len(list))
	}
}

// What is said of a result of a tool, and where it was said.
func TestResultsAsPages(t *testing.T) {
	r := &run{Agent: &Agent{Options{}.withDefaults()}, door: door.New(), made: map[string]int{},
		shelf: shelf{sources: newSources(), seen: map[string]bool{}}}
	plain := &tool.Tool{Spec: tool.Spec{Name: "ask"}}
	also := &tool.Tool{Spec: tool.Spec{Name: "wiki_ask", Also: []string{"ask me"},
		Origin: tool.Origin{Name: "wiki", Foreign: true}}}
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
		"words": {tool.Page{Page: citewell.Page{Body: []byte("The tide is high.")}}, "text/plain; charset=utf-8",
			"ask(q: tide), ", citewell.FetchOK, "The tide is high."},
		"JSON": {tool.Page{Page: citewell.Page{Body: []byte(`{"tide":"high"}`)}}, "application/json",
			"ask(q: tide), ", citewell.FetchOK, "high"},
		"too long": {tool.Page{Page: citewell.Page{Body: []byte(long)}}, "text/plain; charset=utf-8",
			"ask(q: tide), ", citewell.FetchTruncated, "high today"},
		"a document": {tool.Page{Page: citewell.Page{Body: []byte("x"), ContentType: "a/b"},
			Doc: citewell.Document{Text: "It is high.", Title: "Tides", LowYield: true}}, "a/b",
			"Tides of ask(q: tide), ", citewell.FetchOK, "It is high."},
		"untitled": {tool.Page{Page: citewell.Page{Body: []byte("x")}, Doc: citewell.Document{Text: "It is high."}},
			"", "ask(q: tide), ", citewell.FetchOK, "It is high."},
	} {
		got, err := r.resultPage(t.Context(), plain, json.RawMessage(`{"q":"tide","reasoning":"r"}`), test.part)
		if err != nil || got.ContentType != test.kind || !strings.HasPrefix(got.Doc.Title, test.title) ||
			got.Outcome != test.out || !strings.Contains(got.Doc.Text, test.text) || got.Doc.LowYield ||
			got.URL != "tool:ask?sha256="+got.SHA256[:16] || got.FinalURL != got.URL || got.Doc.URL != got.URL {
			t.Errorf("%s: %v, %s %q %s, %.50q of %s", name, err, got.ContentType, got.Doc.Title, got.Outcome,
				got.Doc.Text, got.URL)
		}
	}
	r.said = []string{"the tide of spring is high", "two words", "tide of spring"}
	for said, want := range map[string]string{"You say the tide of spring is high. So it is.": "You say […]. So it is.",
		"It has two words.": "It has two words.", "the tide of spring is high, the tide of spring is high": "[…], […]",
		"A tide of spring.": "A […]."} {
		if got := r.withoutEchoes(said); got != want {
			t.Errorf("%q without echoes is %q, want %q", said, got, want)
		}
	}
	r.said = []string{"see https://Named.example/x", "bücher.example"}
	var links []string
	for _, l := range r.linksIn("See https://a.example/1. And https://named.example/2, https://bücher.example/3?x#y " +
		"(https://b.example/4)! http://c.example?d") {
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

// What a task brings along to be reworded.
func TestMaterial(t *testing.T) {
	const body = "The gate is wide and old."
	for task, want := range map[string]string{
		"Shorten: " + body: body, "Shorten " + "“" + body + "”": body, `Shorten "` + body + `" please`: body,
		"Shorten this\n" + body: body, "Is it so: " + body: body, "Is it so? Shorten: " + body: "",
		"Shorten: Is it so? " + body: body,
		"Shorten: three words here":  "", "Shorten: four words are here": "four words are here", body: "",
		strings.Repeat("word ", maxOrder) + ": " + body: body, strings.Repeat("word ", maxOrder+1) + ": " + body: "",
		"At 10:30 it is so":   "",
		"Shorten “too short”": "", "Kürze „" + body + "“": body, "Shorten: «" + body + "»": strings.Trim(body, "«»"),
	} {
		if got := material(task); got != want {
			t.Errorf("%q brings %q, want %q", task, got, want)
		}
	}
	for said, want := range map[string]bool{"Is it?": true, "Is it？": true, `"Is it?"`: true, "Is it.": false,
		"*Is it?*": true} {
		if got := isQuestion(said); got != want {
			t.Errorf("%q asks: %v", said, got)
		}
	}
	for said, want := range map[string]bool{"Is Paris big?": true, "Paris is big?": false, "Can I help?": false,
		"is it big?": false} {
		if got := hasName(said); got != want {
			t.Errorf("%q has a name: %v", said, got)
		}
	}
}

// Where a heading is lacking, and where a text is in one language.
func TestOutlines(t *testing.T) {
	for outline, want := range map[string]string{"# T\n## The count\n## Size": "## Size", "## The count": "",
		"# The count\n# T": "# T", "The count\n- Size\n7.": "## Size", "": "", "# T": "", "## T": "## T",
		"free words\n## Size": "## Size"} {
		if got := strings.Join(lacking(Wishes{Outline: outline}.headings(), "Words.\n\n### *The* Count\n\nMore."),
			"|"); got != want {
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
	if !sound([]citewell.Citation{{Verdict: citewell.VerdictUndecided}, {Verdict: citewell.VerdictSupported}}) ||
		!sound([]citewell.Citation{{Verdict: citewell.VerdictSnippetOnly}}) ||
		sound([]citewell.Citation{{Verdict: citewell.VerdictUndecided}}) || sound(nil) {
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
