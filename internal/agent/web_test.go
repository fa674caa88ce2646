package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/demo"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/provider"
	"github.com/citewell/citewell/store/sqlite"
)

// A desk is the demo web with the real parts over it, and a store.
type desk struct {
	web   *demo.Web
	store *sqlite.Store
	agent.Providers
	agent.Pages
	mu       sync.Mutex
	searches []string
	reads    []string
}

// demoWeb is one for all tests: they read it, and rendering it takes longer than most of
// them. It ends with the program.
var demoWeb = sync.OnceValues(func() (*demo.Web, error) { return demo.Start(context.Background(), demo.Options{}) })

func newDesk(t *testing.T) *desk {
	t.Helper()
	web, err := demoWeb()
	if err != nil {
		t.Fatal(err)
	}
	guard, err := egress.NewGuard(egress.Options{AllowNetworks: egress.MustParseNetworks("127.0.0.0/8", "::1/128")})
	if err != nil {
		t.Fatal(err)
	}
	p, err := provider.New("searxng", provider.Deps{Guard: guard,
		Settings: map[string]provider.Settings{"searxng": {BaseURL: web.SearchURL()}}})
	if err != nil {
		t.Fatal(err)
	}
	client := fetch.New(fetch.Options{Guard: guard, Spacing: -1})
	t.Cleanup(client.Close)
	return &desk{web: web, store: newStore(t), Providers: agent.Providers{List: []search.Provider{p}},
		Pages: agent.Pages{Fetcher: client, Extract: extract.Extract}}
}

func newStore(t *testing.T) *sqlite.Store {
	t.Helper()
	db, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db.Tenant("test")
}

func (d *desk) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	d.mu.Lock()
	d.searches = append(d.searches, q.Text)
	d.mu.Unlock()
	results, err := d.Providers.Search(ctx, q)
	// Their order has to do with their age, and a golden file has none.
	slices.SortFunc(results, func(a, b citewell.Result) int { return strings.Compare(a.URL, b.URL) })
	return results, err
}

func (d *desk) Read(ctx context.Context, url string) (citewell.Page, citewell.Document, error) {
	d.mu.Lock()
	d.reads = append(d.reads, url)
	d.mu.Unlock()
	return d.Pages.Read(ctx, url)
}

// archive lets citations be verified against the store.
type archive struct{ *sqlite.Store }

func (a archive) Passage(ctx context.Context, id string) (cite.Record, error) {
	r, err := a.Store.Passage(ctx, id)
	return cite.Record{Brief: r.Brief, Source: r.Source, Passage: r.Passage}, err
}

// options are those of an agent over the desk.
func (d *desk) options(t *testing.T, shape agent.Shape, m agent.Model) agent.Options {
	dir := t.TempDir()
	return agent.Options{Shape: shape, Model: m, Searcher: d, Reader: d, Archive: d.store,
		Journal: agent.NewMemoryJournal(),
		Render:  report.WithRecord, SaveReport: func(_ context.Context, name, markdown string) (string, error) {
			path := filepath.Join(dir, name)
			return path, os.WriteFile(path, []byte(markdown), 0o600)
		}}
}

// A script is a model that answers as it is told, and keeps what it was asked.
type script struct {
	replies []reply
	asked   []agent.Request
	window  int
}

type reply func(q agent.Request) (agent.Reply, error)

func (s *script) Name() string               { return "scripted" }
func (s *script) Window(context.Context) int { return s.window }

func (s *script) Chat(ctx context.Context, q agent.Request) (agent.Reply, error) {
	if ctx.Err() != nil {
		return agent.Reply{}, ctx.Err()
	}
	q.Messages = slices.Clone(q.Messages)
	s.asked = append(s.asked, q)
	if len(s.asked) > len(s.replies) {
		return agent.Reply{}, &citewell.Error{Code: citewell.CodeAuth, Message: "the script is at its end"}
	}
	return s.replies[len(s.asked)-1](q)
}

type args map[string]any

func call(name string, a args) agent.ToolCall {
	data, err := json.Marshal(a)
	if err != nil {
		panic(err)
	}
	return agent.ToolCall{ID: "any", Name: name, Arguments: data}
}

// calls replies with calls; words with text.
func calls(list ...agent.ToolCall) reply {
	return func(agent.Request) (agent.Reply, error) {
		return agent.Reply{Calls: list, InputTokens: 100, OutputTokens: 20}, nil
	}
}

func words(text string) reply {
	return func(agent.Request) (agent.Reply, error) {
		return agent.Reply{Text: text, InputTokens: 100, OutputTokens: 20}, nil
	}
}

// seeing makes a reply of what the model was shown.
func seeing(make func(shown string) reply) reply {
	return func(q agent.Request) (agent.Reply, error) {
		var all strings.Builder
		for _, m := range q.Messages {
			all.WriteString(m.Content + "\n")
		}
		return make(all.String())(q)
	}
}

// number is the source number of a page, as it was shown.
func number(shown, page string) string {
	m := regexp.MustCompile(`\[(\d+)\] [^\n]* - \S*` + regexp.QuoteMeta(page) + `\b`).FindStringSubmatch(shown)
	if m == nil {
		return "[0]"
	}
	return "[" + m[1] + "]"
}

func (d *desk) url(site, path string) string { return d.web.URL(site, path) }

var thought = args{"reasoning_steps": []string{"look", "read"}, "current_situation": "nothing is known yet",
	"plan_status": "none", "remaining_steps": []string{"search for the plant"}, "task_completed": false}

func thinks() reply { return calls(call("reasoning_tool", thought)) }

const question = "How much electricity does the Skarrow Sound tidal plant generate a year, and when did it open?"

func searchFor(q string) agent.ToolCall {
	return call("web_search_tool", args{"reasoning": "to find it", "query": q})
}

func (d *desk) readPlant() agent.ToolCall {
	return call("extract_page_content_tool", args{"reasoning": "the owner's page, annual output and opening",
		"urls": []string{d.url("skarrow-tidal", "/plant"), d.url("wiki.openlore", "/page/Skarrow_Sound_tidal_plant")}})
}

func reportCall(content string) agent.ToolCall {
	return call("create_report_tool", args{"reasoning": "enough", "title": "The Skarrow Sound tidal plant",
		"user_request_language_reference": question, "content": content, "confidence": "high"})
}

func finalCall(answer string) agent.ToolCall {
	return call("final_answer_tool", args{"reasoning": "done", "completed_steps": []string{"searched", "read"},
		"answer": answer, "status": "completed"})
}

// goodText is true, and cites what it says.
func goodText(shown string) string {
	plant, wiki := number(shown, "/plant"), number(shown, "/page/Skarrow_Sound_tidal_plant")
	return fmt.Sprintf("## Output\n\nThe Skarrow Sound tidal plant generates 640 GWh of electricity in an average "+
		"year %s.\n\n## Opening\n\n- The plant has an installed capacity of 286 megawatts %s.\n", plant, wiki)
}

func run(t *testing.T, o agent.Options, task string) agent.Result {
	t.Helper()
	a, err := agent.New(o)
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Run(t.Context(), agent.Task{ID: "test_1", Text: task})
	if err != nil {
		t.Fatal(err)
	}
	if result.Report != nil {
		untouched(t, *result.Report)
	}
	return result
}

// untouched fails where the file of a report, as it was written, does not verify against
// the passages that the report has, or marks other sentences than the report does.
func untouched(t *testing.T, r citewell.Report) {
	t.Helper()
	file := report.WithRecord(r)
	stamp, record, err := report.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	b, stray := agent.HandedIn(*record.Report)
	if changes := record.Changes(file, stamp); len(stray) > 0 || len(changes) > 0 {
		t.Errorf("an untouched report: %+v %+v\n%s", stray, changes, file)
	}
	placed(t, r)
	if r.Confidence == "high" && r.Outcome != string(runstore.RunAnswered) {
		t.Errorf("confidence is high beside the outcome %s", r.Outcome)
	}
	for _, b := range []citewell.Brief{b, r.Brief()} {
		v, err := cite.Verify(t.Context(), b, nil)
		if err != nil || !v.OK || v.Unproven != r.Brief().Unproven {
			t.Errorf("an untouched report: %v, %d sentences marked: %+v\n%s", err, v.Unproven, v, report.OfRun(r))
		}
	}
	for i, f := range b.Findings {
		if f.Problem != r.Findings[i].Problem {
			t.Errorf("F%d is marked %q in the file, %q in the report", i+1, f.Problem, r.Findings[i].Problem)
		}
	}
}

// placed fails where a report's places are not those of its findings, in their order, or a
// remark stands outside of them.
func placed(t *testing.T, r citewell.Report) {
	t.Helper()
	end, next, remarks := 0, 0, 0
	for _, p := range r.Places {
		if p.Start < end || p.End <= p.Start || p.End > len(r.Content) {
			t.Fatalf("place %+v of %q", p, r.Content)
		}
		end = p.End
		said := r.Content[p.Start:p.End]
		remarks += strings.Count(said, "(⚠ ")
		if (p.Problem != "") != strings.Contains(said, "(⚠ ") {
			t.Errorf("place %+v has %q", p, said)
		}
		if p.Finding < 0 {
			continue
		}
		f := r.Findings[p.Finding]
		stands := strings.HasPrefix(lettersOf(agent.Sentences(said)), lettersOf([]agent.Sentence{{Text: f.Text}}))
		if strings.Contains(said, "|") { // the names of its columns stand above
			stands = !slices.ContainsFunc(strings.Split(said, "|"), func(cell string) bool {
				return !strings.Contains(lettersOf([]agent.Sentence{{Text: f.Text}}),
					lettersOf(agent.Sentences(strings.Split(cell, "(⚠")[0])))
			})
		}
		if p.Finding != next || p.Problem != f.Problem || !stands {
			t.Errorf("finding %d, %q, is placed at %q", p.Finding, f.Text, said)
		}
		next++
	}
	if next != len(r.Findings) || remarks != r.Brief().Unproven {
		t.Errorf("%d of %d findings and %d of %d remarks have places: %+v", next, len(r.Findings), remarks,
			r.Brief().Unproven, r.Places)
	}
}

// lettersOf are the letters and digits of sentences.
func lettersOf(list []agent.Sentence) string {
	var all strings.Builder
	for _, s := range list {
		all.WriteString(s.Text)
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, all.String())
}

// transcript is what the model was shown and asked for at last, with what differs from
// run to run taken out.
func (d *desk) transcript(s *script, r agent.Result) string {
	var b strings.Builder
	last := s.asked[len(s.asked)-1]
	for _, m := range last.Messages {
		if m.Role == agent.RoleSystem {
			continue
		}
		fmt.Fprintf(&b, "=== %s %s\n%s\n", m.Role, m.CallID, m.Content)
		for _, c := range m.Calls {
			fmt.Fprintf(&b, "--> %s %s %s\n", c.ID, c.Name, c.Arguments)
		}
	}
	fmt.Fprintf(&b, "=== %s %s\n%s\n", r.State, r.Outcome, r.Answer)
	return d.steady(b.String())
}

func (d *desk) steady(s string) string {
	port := regexp.MustCompile(`localhost:\d+`).ReplaceAllString(s, "localhost:PORT")
	port = regexp.MustCompile(`(<<<(?:DATA|END)) [a-z0-9]{26}`).ReplaceAllString(port, "$1 BOUNDARY")
	port = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`).ReplaceAllString(port, "TIME")
	port = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:]+Z`).ReplaceAllString(port, "TIME")
	return regexp.MustCompile(`"filepath":"[^"]*"`).ReplaceAllString(port, `"filepath":"FILE"`)
}
