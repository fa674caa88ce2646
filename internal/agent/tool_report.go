package agent

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/tool"
)

type createReportInput struct {
	Reasoning string `json:"reasoning" jsonschema:"why now"`
	Title     string `json:"title" jsonschema:"of the report"`
	Language  string `json:"user_request_language_reference" jsonschema:"the user's request, whose language the report has"`
	Content   string `json:"content" jsonschema:"Markdown with [n] in each factual sentence"`
	// Confidence comes last: it is about what was just written.
	Confidence string `json:"confidence" jsonschema:"how sure the findings are" oneof:"high medium low"`
}

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
	return own(createReportTool, "Write the report", tool.Hints{},
		func(ctx context.Context, r *run, in createReportInput) (createReportOutput, error) {
			if r.outside {
				r.task = in.Language
			}
			v, err := r.accept(ctx, createReportTool, in.Content, true)
			if err == nil {
				v, err = r.orQuoted(ctx, v)
			}
			var report *citewell.Report
			if err == nil {
				report, err = r.reportOf(ctx, in.Title, in.Confidence, v)
			}
			if err == nil {
				err = r.keepReport(ctx, report)
			}
			if err != nil {
				return createReportOutput{Unverified: []citewell.UnverifiedPhrase{}, Removed: []string{}}, err
			}
			file := ""
			// where the user's folders are is nothing for a model's host, and a replay elsewhere has others
			if r.path != "" {
				file = filepath.Base(r.path)
			}
			if r.outside && toOriginal(ctx) {
				file = r.path
			}
			return createReportOutput{Title: report.Title, Content: report.Content, Confidence: report.Confidence,
				SourcesCount: len(report.Sources),
				WordCount:    len(strings.Fields(report.Content)), FilePath: file,
				Timestamp:  report.CreatedAt.Format(time.RFC3339),
				Unverified: report.Unverified, Removed: report.Removed, instead: v.instead}, nil
		})
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
	return own(finalAnswerTool, "Give the final answer", tool.Hints{},
		func(ctx context.Context, r *run, in finalAnswerInput) (finalAnswerInput, error) {
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
			case outcome == runstore.RunNoSources && len(v.unverified) == 0:
				outcome = runstore.RunOutcome(r.report.Outcome)
			case outcome == runstore.RunAnswered && r.report.Outcome != string(runstore.RunAnswered):
				outcome = runstore.RunPartial // what is shown with the answer does not hold as a whole
			case outcome == runstore.RunPartial && len(r.report.Unverified) == 0:
				r.reason = fmt.Sprintf("what is marked ⚠ (%d) in the final answer is not borne out by the sources",
					len(v.unverified))
			}
			if r.report == nil {
				if err := r.keepAnswer(ctx, answer); err != nil {
					return in, err
				}
			}
			r.answer = v.content
			state := runstore.RunCompleted
			if in.Status == statusFailed {
				state = runstore.RunFailed
				if outcome == runstore.RunAnswered {
					outcome = runstore.RunPartial
				}
				r.reason = "the sources do not answer the task, as the model says"
			}
			return in, r.end(ctx, state, outcome)
		})
}
