package agent

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/retraction"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/tool"
)

type createReportInput struct {
	Reasoning string `json:"reasoning" jsonschema:"why now"`
	Title     string `json:"title" jsonschema:"of the report"`
	Language  string `json:"user_request_language_reference" jsonschema:"the user's request, whose language the report has"`
	Content   string `json:"content" jsonschema:"Markdown with [n] in each factual sentence"`
	// Confidence comes last: it is about what was just written.
	Confidence string `json:"confidence" jsonschema:"how sure the findings are" oneof:"high medium low"`
}

// How sure a model may say that it is.
const (
	confidenceHigh   = "high"
	confidenceMedium = "medium"
	confidenceLow    = "low"
)

type createReportOutput struct {
	Title        string                      `json:"title"`
	Content      string                      `json:"content"`
	Confidence   string                      `json:"confidence"`
	SourcesCount int                         `json:"sources_count"`
	WordCount    int                         `json:"word_count"`
	FilePath     string                      `json:"filepath"`
	Timestamp    string                      `json:"timestamp"`
	Unverified   []citewell.UnverifiedPhrase `json:"unverified"`
	Removed      []string                    `json:"removed"`

	instead string // why the content is not what the model wrote
}

func newCreateReport() *tool.Tool {
	return own(createReportTool, "Write the report", tool.Hints{}, func(ctx context.Context, r *run, in createReportInput) (createReportOutput, error) {
		if r.outside {
			r.task = in.Language
		}
		v, err := r.accept(ctx, createReportTool, in.Content, true)
		if err != nil {
			return createReportOutput{Unverified: []citewell.UnverifiedPhrase{}, Removed: []string{}}, err
		}
		if v, err = r.orQuoted(ctx, v); err != nil {
			return createReportOutput{Unverified: []citewell.UnverifiedPhrase{}, Removed: []string{}}, err
		}
		report, err := r.reportOf(ctx, in.Title, in.Confidence, v)
		if err != nil {
			return createReportOutput{Unverified: []citewell.UnverifiedPhrase{}, Removed: []string{}}, err
		}
		if err := r.keepReport(ctx, report); err != nil {
			return createReportOutput{Unverified: []citewell.UnverifiedPhrase{}, Removed: []string{}}, err
		}
		file := ""
		if r.path != "" { // where the user's folders are is nothing for a model's host, and a replay elsewhere has others
			file = filepath.Base(r.path)
		}
		if r.outside && toOriginal(ctx) {
			file = r.path
		}
		return createReportOutput{Title: report.Title, Content: report.Content, Confidence: report.Confidence, SourcesCount: len(report.Sources),
			WordCount: len(strings.Fields(report.Content)), FilePath: file, Timestamp: report.CreatedAt.Format(time.RFC3339),
			Unverified: report.Unverified, Removed: report.Removed, instead: v.instead}, nil
	})
}

// reportOf makes a report of a checked text.
func (r *run) reportOf(ctx context.Context, title, confidence string, v verified) (*citewell.Report, error) {
	title, gone := r.prepared(oneLine(title), nil)
	title = html.UnescapeString(title) // it is words, and no Markdown
	removed := append(slices.Clone(v.removed), gone...)
	slices.Sort(removed)
	removed = append([]string{}, slices.Compact(removed)...)
	report := &citewell.Report{Schema: citewell.ReportSchema, ID: r.id, Agent: r.o.Name, Task: r.task, Title: title, Content: v.content,
		Language: v.language, Confidence: confidence, Reason: v.instead, Remarks: v.remarks, NeedsNoSource: v.needsNone, Lens: r.lens, Judge: v.judge,
		Findings: v.findings, Places: v.places, Unverified: v.unverified, Removed: removed, Sources: []citewell.Source{}, Passages: []citewell.Passage{}}
	cited, shown := map[int]bool{}, map[string]bool{}
	for _, f := range v.findings {
		for _, c := range f.Citations {
			cited[c.N] = true
			for _, p := range r.sources.number(c.N).passages {
				if p.ID == c.Passage && !shown[p.ID] {
					shown[p.ID], report.Passages = true, append(report.Passages, p)
				}
			}
		}
	}
	for _, s := range r.sources.list {
		if cited[s.N] {
			report.Sources = append(report.Sources, s.Source)
		}
	}
	if err := r.settleWorks(ctx, report.Sources); err != nil {
		return nil, err
	}
	report.Brief().NamePages()
	return report, nil
}

// settleWorks has registers say whether the works that a report cites still stand. Each look-up
// is a search of the budget, and none of those that the model may make.
func (r *run) settleWorks(ctx context.Context, cited []citewell.Source) error {
	if r.o.Standing == nil || r.outside {
		return nil
	}
	r.works.Ask = func(ctx context.Context, w citewell.Work) (citewell.Work, error) {
		if r.usage.Searches >= r.o.Budget.Searches {
			return citewell.Work{Unchecked: usedUp(r.o.Budget.Searches, "search")}, nil
		}
		r.usage.Searches++
		r.lookedUp++
		call := Call{Key: "standing/" + retraction.Key(w), Kind: CallSearch, Name: "standing"}
		return outside(ctx, r, call, func(ctx context.Context) (citewell.Work, error) {
			bounded, cancel := r.within(ctx)
			defer cancel()
			return r.works.Within(bounded, r.o.Standing, w)
		})
	}
	err := r.works.Settle(ctx, cited)
	for _, s := range cited {
		r.sources.number(s.N).Source = s
	}
	return err
}

// A savedReport is what the journal keeps of a report's file, and its time.
type savedReport struct {
	Path string    `json:"path"`
	At   time.Time `json:"at"`
}

// keepReport makes a report the run's, and writes its file once.
func (r *run) keepReport(ctx context.Context, report *citewell.Report) error {
	r.explain(r.outcomeOf(report), report)
	saved, err := outside(ctx, r, Call{Key: r.key + "/report", Kind: CallLocal, Name: createReportTool}, func(ctx context.Context) (savedReport, error) {
		saved := savedReport{At: time.Now().UTC().Truncate(time.Second)}
		if r.o.SaveReport == nil {
			return saved, nil
		}
		report.CreatedAt = saved.At
		var err error
		saved.Path, err = r.o.SaveReport(ctx, fileName(report.Title, saved.At), r.o.Render(*report))
		return saved, err
	})
	if err != nil {
		return err
	}
	report.CreatedAt = saved.At
	r.report, r.path, r.news, r.reported = report, saved.Path, true, true
	return nil
}

// fileName is {timestamp}_{safe_title}.md: of the title only letters, digits, spaces,
// hyphens and underscores, 50 characters at most.
func fileName(title string, at time.Time) string {
	var safe []rune
	for _, c := range title {
		if unicode.IsLetter(c) || unicode.IsDigit(c) || c == ' ' || c == '-' || c == '_' {
			safe = append(safe, c)
		}
	}
	name := cmp.Or(strings.TrimSpace(string(safe[:min(len(safe), 50)])), "report")
	return fmt.Sprintf("%s_%s.md", at.UTC().Format("20060102_150405"), name)
}

// outcomeOf is what a run came to that ends with this report.
func (r *run) outcomeOf(report *citewell.Report) store.RunOutcome {
	switch {
	case r.closing == closingBudget || r.closing == closingTime:
		return store.RunOverBudget
	case report.NeedsNoSource:
		return store.RunAnswered
	case len(report.Sources) == 0:
		return store.RunNoSources
	case len(report.Unverified) > 0 || report.Reason != "":
		return store.RunPartial
	}
	return store.RunAnswered
}

const (
	statusCompleted = "completed"
	statusFailed    = "failed"
)

type finalAnswerInput struct {
	Reasoning      string   `json:"reasoning" jsonschema:"why it is complete, and how it was checked"`
	CompletedSteps []string `json:"completed_steps" jsonschema:"what was done" bounds:"1..5"`
	Answer         string   `json:"answer" jsonschema:"exact facts with [n] behind each: short beside a report, else whole"`
	Status         string   `json:"status" jsonschema:"failed where the sources do not answer" oneof:"completed failed"`
}

func newFinalAnswer() *tool.Tool {
	return own(finalAnswerTool, "Give the final answer", tool.Hints{}, func(ctx context.Context, r *run, in finalAnswerInput) (finalAnswerInput, error) {
		if r.outside && len(r.sources.list) == 0 { // nothing to check it against
			return in, nil
		}
		owes := !r.reported && in.Status != statusFailed // "the report is written" leans on the report
		v, err := r.accept(ctx, finalAnswerTool, in.Answer, owes)
		if err != nil {
			return in, err
		}
		in.Answer = v.content
		if r.outside {
			clear(r.rejections)
			return in, nil
		}
		if r.report == nil && in.Status != statusFailed {
			if v, err = r.orQuoted(ctx, v); err != nil {
				return in, err
			}
			in.Answer = v.content
		}
		answer, err := r.reportOf(ctx, r.task, "", v)
		if err != nil {
			return in, err
		}
		outcome := r.outcomeOf(answer)
		switch {
		case r.report == nil:
		case outcome == store.RunNoSources && len(v.unverified) == 0:
			outcome = store.RunOutcome(r.report.Outcome)
		case outcome == store.RunAnswered && r.report.Outcome != string(store.RunAnswered):
			outcome = store.RunPartial // what is shown with the answer does not hold as a whole
		case outcome == store.RunPartial && len(r.report.Unverified) == 0:
			r.reason = fmt.Sprintf("what is marked ⚠ (%d) in the final answer is not borne out by the sources", len(v.unverified))
		}
		if r.report == nil {
			if err := r.keepAnswer(ctx, answer); err != nil {
				return in, err
			}
		}
		r.answer = v.content
		state := store.RunCompleted
		if in.Status == statusFailed {
			state = store.RunFailed
			if outcome == store.RunAnswered {
				outcome = store.RunPartial
			}
			r.reason = "the sources do not answer the task, as the model says"
		}
		return in, r.end(ctx, state, outcome)
	})
}

// keepAnswer makes an answer the run's report; it gets no file.
func (r *run) keepAnswer(ctx context.Context, answer *citewell.Report) error {
	answer.Outcome = string(r.outcomeOf(answer))
	at, err := outside(ctx, r, Call{Key: r.key + "/answered", Kind: CallLocal, Name: "clock"}, func(context.Context) (time.Time, error) {
		return time.Now().UTC().Truncate(time.Second), nil
	})
	if err != nil {
		return err
	}
	answer.CreatedAt, r.report = at, answer
	return nil
}
