package runs

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/evidence"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/server/documents"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/internal/server/status"
	"github.com/citewell/citewell/internal/testing/apidoc"
	"github.com/citewell/citewell/internal/watch"
)

// A document is what the tests read of Document.
type document struct {
	OpenAPI string
	Paths   map[string]map[string]json.RawMessage
	Comp    struct {
		Schemas   map[string]schema
		Responses map[string]json.RawMessage
	} `json:"components"`
}

type schema struct {
	Properties map[string]json.RawMessage
	Required   []string
	Enum       []string
	Pattern    string
}

// pattern is that of a property.
func (s schema) pattern(t *testing.T, name string) string {
	var p struct{ Pattern string }
	if err := json.Unmarshal(s.Properties[name], &p); err != nil || p.Pattern == "" {
		t.Fatalf("%s: %v", name, err)
	}
	return p.Pattern
}

type operation struct {
	OperationID string
	Parameters  []struct {
		Name, In string
		Schema   struct {
			Maximum, Minimum int64
			Pattern          string
			Enum             []string
			Items            struct{ Pattern string }
		}
	}
	Responses map[string]struct {
		Content map[string]json.RawMessage
	}
}

func documented(t *testing.T) (d document) {
	t.Helper()
	if err := json.Unmarshal(Document(), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// The document has the paths and methods that are served, and each its refusals.
func TestDocumentHasTheRoutes(t *testing.T) {
	d := documented(t)
	if d.OpenAPI != "3.1.0" {
		t.Errorf("it is OpenAPI %s", d.OpenAPI)
	}
	served := map[string][]string{}
	for _, route := range slices.Concat(slices.Collect(maps.Keys(routes)), documents.Routes(), status.Routes()) {
		method, path, _ := strings.Cut(route, " ")
		served[path] = append(served[path], method)
		slices.Sort(served[path])
	}
	described, ids := map[string][]string{}, map[string]bool{}
	for path, item := range d.Paths {
		for method, raw := range item {
			if method == "parameters" {
				continue
			}
			described[path] = append(described[path], strings.ToUpper(method))
			var o operation
			if err := json.Unmarshal(raw, &o); err != nil {
				t.Fatal(err)
			}
			if o.OperationID == "" || ids[o.OperationID] {
				t.Errorf("%s %s has the id %q", method, path, o.OperationID)
			}
			ids[o.OperationID] = true
			want := []string{"403", "405"}
			if path != "/openapi.json" {
				want = append(want, "401", "400", "500")
			}
			if strings.Contains(path, "{") {
				want = append(want, "404")
			}
			for _, status := range want {
				if _, ok := o.Responses[status]; !ok {
					t.Errorf("%s %s does not describe %s", method, path, status)
				}
			}
		}
		slices.Sort(described[path])
	}
	if !reflect.DeepEqual(served, described) {
		t.Errorf("served are %v, described %v", served, described)
	}
}

// The parameters that are read are those that are described, with their forms.
func TestDocumentHasTheParameters(t *testing.T) {
	d := documented(t)
	for path, known := range map[string][]intake.Parameter{
		"/v1/runs": listParameters, "/v1/runs/{id}/events": eventParameters, "/v1/runs/{id}/report": reportParameters,
		"/v1/watches/{watch}/news": newsParameters, "/v1/watches/{watch}/feed": feedParameters,
		"/v1/runs/{id}/sources/{n}/text": intake.SpanParameters} {
		var o operation
		if err := json.Unmarshal(d.Paths[path]["get"], &o); err != nil {
			t.Fatal(err)
		}
		var described, read []string
		for _, p := range known {
			read = append(read, p.Name)
		}
		for _, p := range o.Parameters {
			if p.In != "query" {
				continue
			}
			described = append(described, p.Name)
			i := slices.Index(read, p.Name)
			switch form := p.Schema.Pattern + p.Schema.Items.Pattern; {
			case i < 0:
			case form != "" && form != known[i].Form.String():
				t.Errorf("%s of %s is %s, and described as %s", p.Name, path, known[i].Form, form)
			case p.Name == "format" && !slices.Equal(p.Schema.Enum, formatNames()):
				t.Errorf("the formats are described as %v", p.Schema.Enum)
			case p.Name == "limit" && (p.Schema.Minimum != 1 || p.Schema.Maximum != map[string]int64{
				"/v1/watches/{watch}/news": watch.FeedRounds, "/v1/runs": runstore.MaxRunPage,
				"/v1/runs/{id}/events": maxPage}[path]):
				t.Errorf("the limit of %s is described as %+v", path, p.Schema)
			case p.Name == "after" && p.Schema.Maximum != intake.MaxNumber:
				t.Errorf("after is described as %+v", p.Schema)
			}
		}
		slices.Sort(described)
		slices.Sort(read)
		if !slices.Equal(described, read) {
			t.Errorf("%s reads %v, and is described with %v", path, read, described)
		}
	}
	var o operation
	if err := json.Unmarshal(d.Paths["/v1/runs/{id}/report"]["get"], &o); err != nil {
		t.Fatal(err)
	}
	for _, f := range reportFormats {
		kind, _, _ := strings.Cut(f.MediaType, ";")
		if o.Responses["200"].Content[kind] == nil {
			t.Errorf("a report as %s is not described", kind)
		}
	}
	if len(o.Responses["200"].Content) != len(reportFormats) || len(report.Formats) != len(reportFormats)+1 {
		t.Errorf("%d formats of %d are described", len(o.Responses["200"].Content), len(report.Formats))
	}
}

// The schemas have the fields of the types that are sent.
func TestDocumentHasTheFields(t *testing.T) {
	d := documented(t)
	for name, typ := range map[string]reflect.Type{
		"ErrorView": reflect.TypeFor[citewell.ErrorView](), "ListedRun": reflect.TypeFor[job.Listed](),
		"Run":    reflect.TypeFor[shown](),
		"Budget": reflect.TypeFor[job.Budget](), "Question": reflect.TypeFor[agent.Question](),
		"Reasoning": reflect.TypeFor[agent.Reasoning](),
		"Usage":     reflect.TypeFor[agent.Usage](), "Event": reflect.TypeFor[runstore.RunEvent](),
		"Result": reflect.TypeFor[agent.Result](),
		"Report": reflect.TypeFor[citewell.Report](), "Finding": reflect.TypeFor[citewell.Finding](),
		"Citation":         reflect.TypeFor[citewell.Citation](),
		"UnverifiedPhrase": reflect.TypeFor[citewell.UnverifiedPhrase](), "Source": reflect.TypeFor[citewell.Source](),
		"Work": reflect.TypeFor[citewell.Work](), "WorkVersion": reflect.TypeFor[citewell.WorkVersion](),
		"References": reflect.TypeFor[citewell.References](),
		"Extractor":  reflect.TypeFor[citewell.Extractor](), "Quality": reflect.TypeFor[citewell.Quality](),
		"Passage": reflect.TypeFor[citewell.Passage](),
		"Entry":   reflect.TypeFor[job.Entry](), "Search": reflect.TypeFor[agent.Searched](),
		"Hit": reflect.TypeFor[agent.Hit](), "Plan": reflect.TypeFor[agent.Planned](),
		"Fetch": reflect.TypeFor[agent.Fetched](), "ProviderReport": reflect.TypeFor[citewell.ProviderReport](),
		"JudgeReport": reflect.TypeFor[citewell.JudgeReport](), "OtherFigure": reflect.TypeFor[citewell.OtherFigure](),
		"Place": reflect.TypeFor[citewell.Place](), "SourceText": reflect.TypeFor[evidence.Text](),
		"Verification": reflect.TypeFor[evidence.Verification](),
		"Checked":      reflect.TypeFor[cite.Checked](), "Problem": reflect.TypeFor[cite.Problem](),
		"NewRun": reflect.TypeFor[start](), "Answer": reflect.TypeFor[reply](), "NewWatch": reflect.TypeFor[newWatch](),
		"Watch": reflect.TypeFor[shownWatch](), "News": reflect.TypeFor[watch.News](),
		"NewFinding": reflect.TypeFor[report.Found](), "ChangedFigure": reflect.TypeFor[report.Figure](),
		"Chosen": reflect.TypeFor[job.Choices](),
	} {
		all, always := apidoc.FieldsOf(typ)
		if name == "Result" { // a path of the server's machine is not sent
			all = slices.DeleteFunc(all, func(f string) bool { return f == "report_path" })
		}
		s := d.Comp.Schemas[name]
		if got := slices.Sorted(maps.Keys(s.Properties)); !slices.Equal(got, all) {
			t.Errorf("%s has %v, and is described with %v", name, all, got)
		}
		required := slices.Sorted(slices.Values(s.Required))
		if !slices.Equal(required, always) {
			t.Errorf("%s always has %v, and is described with %v", name, always, required)
		}
	}
	if got := d.Comp.Schemas["State"].Enum; fmt.Sprint(got) != fmt.Sprint(runstore.RunStates) {
		t.Errorf("the states are described as %v", got)
	}
	if got := d.Comp.Schemas["Outcome"].Enum; fmt.Sprint(got) != fmt.Sprint(runstore.RunOutcomes) {
		t.Errorf("the outcomes are described as %v", got)
	}
	if got := d.Comp.Schemas["WatchID"].Pattern; got != watchID.String() {
		t.Errorf("ids of watches are described as %s", got)
	}
	if got := d.Comp.Schemas["RunID"].Pattern; got != runID.String() {
		t.Errorf("ids are described as %s", got)
	}
}

// A question may be as long wherever it is asked, and a watch as often as the store takes it.
func TestDocumentHasTheLimits(t *testing.T) {
	task, question, every := startForm.Schema().Properties["task"], watchForm.Schema().Properties["question"],
		watchForm.Schema().Properties["every_seconds"]
	if *task.MaxLength != job.MaxTask || *question.MaxLength != job.MaxTask {
		t.Errorf("%d and %d characters are taken, and a task may have %d", *task.MaxLength, *question.MaxLength,
			job.MaxTask)
	}
	if *every.Minimum != runstore.MinWatchEvery.Seconds() || *every.Maximum != runstore.MaxWatchEvery.Seconds() {
		t.Errorf("every_seconds is %v to %v", *every.Minimum, *every.Maximum)
	}
	day, err := watch.ParseEvery(watch.DefaultEvery)
	if err != nil || string(every.Default) != fmt.Sprint(day.Seconds()) {
		t.Errorf("every_seconds is %s where it is absent, %v", every.Default, err)
	}
}

// Every reference in the document leads somewhere, and every schema and response is
// used; the limits are in its words.
func TestDocumentIsWhole(t *testing.T) {
	d := documented(t)
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`"#/components/(\w+)/(\w+)"`).FindAllStringSubmatch(string(Document()), -1) {
		used[m[2]] = true
		if _, schema := d.Comp.Schemas[m[2]]; m[1] == "schemas" && !schema {
			t.Errorf("there is no schema %s", m[2])
		}
		if m[1] == "responses" && d.Comp.Responses[m[2]] == nil {
			t.Errorf("there is no response %s", m[2])
		}
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(d.Comp.Schemas)),
		slices.Collect(maps.Keys(d.Comp.Responses))) {
		if !used[name] {
			t.Errorf("nothing uses %s", name)
		}
	}
	for _, blank := range []string{" \t\n", "\u0085"} { // by the document as by the form
		if regexp.MustCompile(d.Comp.Schemas["NewRun"].pattern(t, "task")).MatchString(blank) {
			t.Errorf("%q is a task by the document", blank)
		}
		if _, err := startForm.Read([]byte(`{"task": ` + strconv.Quote(blank) + `}`)); err == nil {
			t.Errorf("%q is a task", blank)
		}
	}
	for limit, words := range map[int]string{MaxBody: "512 KiB", MaxStart: "16 MiB", documents.MaxBody: "32 MiB",
		DefaultStreams: "2,048 streams"} {
		if !strings.Contains(openapi, words) || limit != map[string]int{
			"512 KiB": 512 << 10, "16 MiB": 16 << 20, "32 MiB": 32 << 20, "2,048 streams": 2048}[words] {
			t.Errorf("%d is not described as %s", limit, words)
		}
	}
}
