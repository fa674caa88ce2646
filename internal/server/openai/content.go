package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/notation"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/runstore"
)

// A content is what the assistant says in the end.
type content struct {
	text        string
	annotations []annotation
	sources     []citewell.Source // that text cites, by number
	spent       agent.Usage       // by this request
	about       about
}

// An annotation says which characters of the content cite which page. Characters are
// Unicode code points, and the end is the first one behind the mark.
type annotation struct {
	Type string      `json:"type"`
	URL  urlCitation `json:"url_citation"`
}

type urlCitation struct {
	Start int    `json:"start_index"`
	End   int    `json:"end_index"`
	URL   string `json:"url"`
	Title string `json:"title"`
}

// A searchResult is a source as Perplexity's clients read it.
type searchResult struct {
	Title string `json:"title"`
	URL   string `json:"url"`
	Date  string `json:"date,omitempty"`
}

// about is what OpenAI's form has no place for: which run it is, and what it came to.
type about struct {
	Run        string                      `json:"run"`
	Agent      string                      `json:"agent"`
	State      runstore.RunState           `json:"state,omitempty"`
	Outcome    runstore.RunOutcome         `json:"outcome,omitempty"`
	Reason     string                      `json:"reason,omitempty"`
	Questions  []string                    `json:"questions,omitempty"`
	Answer     string                      `json:"answer,omitempty"` // where the content is a report
	Unverified []citewell.UnverifiedPhrase `json:"unverified,omitempty"`
	Warnings   []string                    `json:"warnings,omitempty"`
	Searches   int                         `json:"searches,omitempty"`
	Fetches    int                         `json:"fetches,omitempty"`
	USD        float64                     `json:"usd,omitempty"`
}

// content gives what a run has to say where a request has followed it to.
func (a *API) content(ctx context.Context, f followed, end ending) (content, error) {
	if end.question != nil {
		return a.asked(ctx, f, end)
	}
	r, err := a.o.Desk.Result(ctx, f.id)
	if err != nil {
		return content{}, err
	}
	c := content{spent: minus(r.Usage, f.before), about: about{
		Run: f.id, Agent: f.agent, State: r.State, Outcome: r.Outcome, Reason: r.Reason, Warnings: r.Warnings}}
	c.pay()
	if r.State != runstore.RunCompleted && (r.Report == nil || r.State != runstore.RunFailed) {
		return content{}, came(r, c.about)
	}
	text := r.Answer
	if r.Report != nil {
		c.about.Unverified = r.Report.Unverified
		if r.Report.Content != r.Answer {
			c.about.Answer = r.Answer
			text = "# " + inHeading.Replace(r.Report.Title) + "\n\n" + r.Report.Content
		}
	}
	if reason := r.Reason; r.Outcome != runstore.RunAnswered {
		if r.Report != nil {
			reason = r.Report.Reason
		}
		text = report.FirstLine(string(r.Outcome), reason) + text
	}
	c.cite(text, r.Sources)
	if err := a.o.Desk.NoteAnswer(ctx, f.id, c.text); err != nil { // the next turn would not know this one
		a.o.Log.Warn("an answer was not noted", "run", f.id, "error", err)
	}
	return c, nil
}

// came is the error of a run that came to nothing.
func came(r agent.Result, a about) error {
	status, code := 0, citewell.CodeInternal
	message := r.Reason
	switch {
	case r.State == runstore.RunCancelled:
		status, code = http.StatusConflict, citewell.CodeCanceled // 499 is for clients that went
	case !r.RetryAt.IsZero():
		code = citewell.CodeRateLimited
	case r.Outcome == runstore.RunModelFailed:
		code = citewell.CodeModelFailed
	case r.Outcome == runstore.RunOverBudget:
		code = citewell.CodeBudgetExhausted
	case r.State == runstore.RunFailed:
		code, message = citewell.CodeRunIncomplete, r.Answer
	}
	message = cmp.Or(message, "the run ended as "+string(r.State))
	return &fault{error: &citewell.Error{Code: code, Op: "openai", Message: message,
		RetryAfter: max(0, time.Until(r.RetryAt))}, status: status, code: outcomeCode(r), begun: &a}
}

// outcomeCode is the code of such an error: what the run came to.
func outcomeCode(r agent.Result) string {
	if !r.RetryAt.IsZero() {
		return string(citewell.CodeRateLimited)
	}
	if r.Outcome != "" {
		return string(r.Outcome)
	}
	return string(r.State)
}

// asked is the question of a run, or an answer from which a conversation goes on.
func (a *API) asked(ctx context.Context, f followed, end ending) (content, error) {
	c := content{spent: minus(end.spent, f.before), about: about{Run: f.id, Agent: f.agent, State: runstore.RunWaiting,
		Questions: end.question.Questions}}
	c.pay()
	if len(end.question.Questions) > 0 {
		c.text = end.question.Text
		return c, nil
	}
	var sources []citewell.Source
	events, err := job.AllEvents(ctx, a.o.Desk, f.id)
	if err != nil {
		return content{}, err
	}
	for _, e := range events {
		var entry job.Entry
		if e.Type == "source" && json.Unmarshal(e.Data, &entry) == nil {
			sources = append(sources, citewell.Source{N: entry.Number, URL: entry.Name, Title: entry.Text})
		}
	}
	c.cite(end.question.Text, sources)
	return c, nil
}

func (c *content) pay() {
	c.about.Searches, c.about.Fetches, c.about.USD = c.spent.Searches, c.spent.Fetches, c.spent.USD
}

// cite takes a text, finds the marks in it and lists below it what they stand for.
func (c *content) cite(text string, sources []citewell.Source) {
	c.text = strings.TrimSpace(text)
	at, characters := 0, 0
	for _, mark := range notation.References(c.text) {
		characters += utf8.RuneCountInString(c.text[at:mark.Start])
		end := characters + utf8.RuneCountInString(c.text[mark.Start:mark.End])
		for _, n := range mark.Numbers {
			i := slices.IndexFunc(sources, func(s citewell.Source) bool { return s.N == n })
			if i < 0 {
				continue
			}
			s := sources[i]
			c.annotations = append(c.annotations, annotation{"url_citation",
				urlCitation{characters, end, address(s), s.Title}})
			if !slices.ContainsFunc(c.sources, func(known citewell.Source) bool { return known.N == n }) {
				c.sources = append(c.sources, s)
			}
		}
		at, characters = mark.End, end
	}
	slices.SortFunc(c.sources, func(a, b citewell.Source) int { return a.N - b.N })
	if len(c.sources) > 0 {
		c.text = report.CloseFence(c.text) + "\n\n## Sources\n" + report.SourceList(c.sources)
	}
	c.text = strings.TrimSpace(c.text)
}

// shifted are the annotations of a content that stands behind so many characters.
func (c *content) shifted(by int) []annotation {
	moved := append([]annotation{}, c.annotations...)
	for i := range moved {
		moved[i].URL.Start += by
		moved[i].URL.End += by
	}
	return moved
}

// citations are the addresses of the sources; results say more of each.
func (c *content) citations() (addresses []string, results []searchResult) {
	for _, s := range c.sources {
		addresses = append(addresses, address(s))
		results = append(results, searchResult{s.Title, address(s), s.Date})
	}
	return addresses, results
}

func address(s citewell.Source) string {
	return cmp.Or(s.FinalURL, s.URL)
}

// inHeading makes words those of a heading in Markdown, in which they begin no HTML.
var inHeading = strings.NewReplacer("\n", " ", "<", `\<`)
