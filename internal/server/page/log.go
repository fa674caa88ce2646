package page

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/text"
)

// A livePage is a run that has not ended.
type livePage struct {
	head
	Now   now
	Steps []step
	Seq   int64 // of the newest entry that it shows
	Over  bool  // the run has ended meanwhile
}

// A now is where the run stands, drawn anew with each piece of news.
type now struct {
	ID       string
	State    runstore.RunState
	Outcome  runstore.RunOutcome
	Detail   string
	Since    time.Time
	Step     int
	Meters   []meter
	Question *question
	Sources  []row
	Asked    bool // to end
}

// A meter is what was used of a limit.
type meter struct {
	Name        string
	Used, Limit float64
	Words       string
}

// A question is what a run waits for.
type question struct {
	agent.Question
	Run string
}

// JSON are the arguments of a call a line each, and their words as people write them: what an
// encoder for HTML has escaped hides from who decides what is allowed.
func (q question) JSON() string {
	var lines bytes.Buffer
	if json.Indent(&lines, q.Arguments, "", "  ") != nil { // they were shortened
		return string(q.Arguments)
	}
	return forHTML.ReplaceAllStringFunc(lines.String(), func(escape string) string {
		if escape == `\\` {
			return escape
		}
		var r string
		_ = json.Unmarshal([]byte(`"`+escape+`"`), &r) // it is one of the expression's
		return r
	})
}

// forHTML are the escapes that json.Marshal writes for HTML, and that of a backslash, behind which there is none.
var forHTML = lazyregexp.New(`\\\\|\\u00(?:3c|3e|26)`)

// A step is one turn of the run, with what it told.
type step struct {
	N       int
	Rows    []row
	Took    string
	Summary string // in one line: its searches, and how many pages it read
}

func (s step) summary() string {
	var said []string
	read := 0
	for _, r := range s.Rows {
		switch {
		case r.Kind == "search":
			if words := "“" + r.Words + "”"; !slices.Contains(said, words) { // each provider has a row
				said = append(said, words)
			}
		case r.Kind == "read":
			read++
		case len(said) == 0 && r.Kind == "plan":
			said = append(said, "plan")
		}
	}
	if read > 0 {
		said = append(said, text.Count(read, "page")+" read")
	}
	if len(said) == 0 && len(s.Rows) > 0 {
		return s.Rows[len(s.Rows)-1].Words
	}
	return strings.Join(said, ", ")
}

// A row is an entry of the log as it is shown.
type row struct {
	Seq    int64
	Step   int
	Kind   string // search, read, unread, plan, note, trouble
	Words  string
	Detail string
	Number int // of a source
	At     time.Time
	List   []string // further words of the row, a line each
}

// An entry is what is read of the data of an event.
type entry struct {
	job.Entry
	State  runstore.RunState `json:"state"`
	Detail string            `json:"detail"`
}

// rowsOf are the entries that are shown, each under the step that it is of.
func rowsOf(events []runstore.RunEvent) (rows, sources []row) {
	stepNow := 0
	for _, e := range events {
		var data entry
		_ = json.Unmarshal(e.Data, &data) // what has another form is shown by its type
		if e.Type != job.EventSpent && e.Type != job.EventQuestion {
			stepNow = max(stepNow, data.Iteration)
		}
		r := row{Seq: e.Seq, Step: stepNow, At: e.Time, Number: data.Number}
		switch e.Type {
		case "result":
			switch {
			case data.Search != nil:
				r.Kind, r.Words = "search", data.Search.Query
				r.Detail, r.List = providersSaid(data.Search.Providers), nil
			case data.Plan != nil:
				r.Kind, r.Words, r.List = "plan", "Plan", data.Plan.Steps
			default:
				continue
			}
		case "fetch":
			if data.Fetch == nil {
				continue
			}
			r.Number = data.Fetch.N
			r.Kind, r.Words, r.Detail = "read", hostOf(cmp.Or(data.Fetch.FinalURL, data.Fetch.URL)),
				tookAny(data.Fetch.ElapsedMS)
			if !data.Fetch.Outcome.Readable() {
				r.Kind, r.Detail = "unread", fetchSaid(data.Fetch.Outcome)
			}
		case "source":
			r.Kind, r.Words, r.Detail = "source", cmp.Or(data.Text, data.Name), hostOf(data.Name)
		case "kept":
			r.Kind, r.Words, r.Detail = "read", hostOf(data.Name), "kept from the run before"
		case "rejected":
			r.Kind, r.Words, r.List = "note", "The text was sent back: not all of it holds",
				strings.Split(strings.TrimSpace(data.Text), "\n")
		case "closing", "paused", "queued", "without_tools", "compacted", job.EventPutOff:
			r.Kind, r.Words = "note", cmp.Or(noteWords[e.Type], e.Type)
			r.Detail = data.Text
		case "model_failed", job.EventWarning:
			r.Kind, r.Words, r.Detail = "trouble", cmp.Or(noteWords[e.Type], e.Type), data.Text
		case job.EventQuestion:
			r.Kind, r.Words = "note", "Asked you something"
		case runstore.EventMessage:
			r.Kind, r.Words = "note", "You answered"
		case runstore.EventAcquired:
			var t runstore.RunAcquired
			if json.Unmarshal(e.Data, &t) != nil || !t.TakenOver {
				continue
			}
			r.Kind, r.Words = "note", "Taken up again where it was left"
		case "over":
			r.Kind, r.Words, r.Detail = "note", "Ended", data.Text
		default:
			continue
		}
		r.Words, r.Detail = shown(text.OneLine(r.Words)), shown(text.OneLine(r.Detail))
		if r.Kind == "source" {
			sources = append(sources, r)
			continue
		}
		rows = append(rows, r)
	}
	return rows, sources
}

var noteWords = map[string]string{"closing": "Coming to an end", "paused": "The model is asked again later",
	"queued": "Waiting for its turn", "without_tools": "The model takes no tools",
	"compacted": "Older results were shortened", "model_failed": "The model failed", job.EventWarning: "Take care",
	job.EventPutOff: "Put off"}

// providersSaid is what each provider of a search did: blocked, limited, empty and failed are four words.
func providersSaid(list []citewell.ProviderReport) string {
	var all []string
	for _, p := range list {
		said := strings.ReplaceAll(string(p.Outcome), "_", " ")
		if p.Outcome == citewell.ProviderOK {
			said = strconv.Itoa(p.Results)
		}
		all = append(all, p.Name+" "+said)
	}
	return strings.Join(all, " · ")
}

func fetchSaid(o citewell.FetchOutcome) string { return strings.ReplaceAll(string(o), "_", " ") }

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	return u.Hostname()
}

// stepsOf puts rows under their steps.
func stepsOf(rows []row) []step {
	var steps []step
	for _, r := range rows {
		if len(steps) == 0 || steps[len(steps)-1].N != r.Step {
			steps = append(steps, step{N: r.Step})
		}
		last := &steps[len(steps)-1]
		last.Rows = append(last.Rows, r)
		last.Took = tookAny(r.At.Sub(last.Rows[0].At).Milliseconds())
	}
	for i := range steps {
		steps[i].Summary = steps[i].summary()
	}
	return steps
}

// tookAny is took; nothing of what took no time that is worth a word.
func tookAny(ms int64) string {
	if ms < 50 {
		return ""
	}
	return took(ms)
}

// newer are the steps that have rows behind an entry, with those rows alone.
func newer(steps []step, after int64) (list []step) {
	for _, s := range steps {
		s.Rows = slices.DeleteFunc(slices.Clone(s.Rows), func(r row) bool { return r.Seq <= after })
		if len(s.Rows) > 0 {
			list = append(list, s)
		}
	}
	return list
}

func (s *Site) live(r *http.Request, status job.Status, after int64) (livePage, error) {
	p := livePage{head: s.head(r, status), Over: status.State.Ended()}
	events, err := job.AllEvents(r.Context(), s.o.Desk, status.ID)
	if err != nil {
		return p, err
	}
	granted, err := job.Granted(status.Run)
	if err != nil {
		return p, err
	}
	rows, sources := rowsOf(events)
	p.Now = now{ID: status.ID, State: status.State, Outcome: status.Outcome, Detail: status.Detail,
		Since: status.CreatedAt, Step: status.Iteration,
		Meters: metersOf(status, granted, s.hasModel(status.Agent)), Sources: sources, Asked: status.CancelRequested}
	p.Refresh = status.State != runstore.RunWaiting && !p.Over
	if status.Question != nil {
		p.Now.Question = &question{*status.Question, status.ID}
	}
	if len(events) > 0 {
		p.Seq = events[len(events)-1].Seq
	}
	p.Steps = newer(stepsOf(rows), after)
	return p, nil
}

// metersOf are the limits of a run that count, with what was used.
func metersOf(status job.Status, b job.Budget, hasModel bool) []meter {
	var all []meter
	add := func(name string, used, limit float64, words string) {
		if limit > 0 {
			all = append(all, meter{name, min(used, limit), limit, words})
		}
	}
	spent := status.Spent
	searches := max(spent.Searches, status.Searches)
	add("searches", float64(searches), float64(b.Searches),
		fmt.Sprintf("%d of %s", searches, text.Count(b.Searches, "search")))
	add("fetches", float64(spent.Fetches), float64(b.Fetches),
		fmt.Sprintf("%d of %s", spent.Fetches, text.Count(b.Fetches, "fetch")))
	if tokens := spent.InputTokens + spent.OutputTokens; tokens > 0 || hasModel {
		add("tokens", float64(tokens), float64(b.Tokens), fmt.Sprintf("%s of %s tokens", short(tokens),
			short(b.Tokens)))
	}
	if spent.USD > 0 {
		add("money", spent.USD, b.USD, fmt.Sprintf("%s of %s", money(spent.USD), money(b.USD)))
	}
	add("time", float64(spent.ActiveMS), float64(b.WallMS), took(spent.ActiveMS)+" of "+took(b.WallMS))
	return all
}

// hasModel says whether an agent asks a model.
func (s *Site) hasModel(agent string) bool {
	return slices.ContainsFunc(s.o.Desk.Agents(), func(d job.Definition) bool {
		return d.Name == agent && d.Model != ""
	})
}

// short is a number in thousands.
func short(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return thousands(n/1000) + "\u00a0k"
}

func (s *Site) underWay(w http.ResponseWriter, r *http.Request, status job.Status) error {
	p, err := s.live(r, status, 0)
	if err != nil {
		return err
	}
	if status.State == runstore.RunWaiting { // as script has it when the question comes later
		p.Title = "(?) " + p.Title
	}
	return show(w, http.StatusOK, "live.html", p)
}

// news is what a page that is open does not have yet.
func (s *Site) news(w http.ResponseWriter, r *http.Request, status job.Status) error {
	after, err := strconv.ParseInt(cmp.Or(r.URL.Query().Get("after"), "0"), 10, 64)
	if err != nil || after < 0 {
		return invalid("after must be the number of an entry", "reload the page")
	}
	p, err := s.live(r, status, after)
	if err != nil {
		return err
	}
	return show(w, http.StatusOK, "news", p)
}

// log is GET /runs/{id}/log: how the run came to its end.
func (s *Site) log(w http.ResponseWriter, r *http.Request, status job.Status) error {
	p, err := s.live(r, status, 0)
	if err != nil {
		return err
	}
	return show(w, http.StatusOK, "log.html", p)
}

// answer is POST /runs/{id}/answer. The form names the question that it was shown with: what
// comes late, or twice, is no answer to the next.
func (s *Site) answer(w http.ResponseWriter, r *http.Request, status job.Status) error {
	given, release, err := s.form(w, r)
	if err != nil {
		return err
	}
	defer release()
	said := cmp.Or(strings.TrimSpace(given.Get("words")), given.Get("choice"))
	if err := s.o.Desk.AnswerTo(r.Context(), status.ID, given.Get("question"), said); err != nil {
		return err
	}
	seeOther(w, "/runs/"+status.ID)
	return nil
}
