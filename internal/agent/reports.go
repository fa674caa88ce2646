package agent

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/retraction"
	"github.com/citewell/citewell/internal/runstore"
)

// How sure a model may say that it is.
const (
	confidenceHigh   = "high"
	confidenceMedium = "medium"
	confidenceLow    = "low"
)

// reportOf makes a report of a checked text.
func (r *run) reportOf(ctx context.Context, title, confidence string, v verified) (*citewell.Report, error) {
	title, gone := r.prepared(oneLine(title), nil)
	title = html.UnescapeString(title) // it is words, and no Markdown
	removed := append(slices.Clone(v.removed), gone...)
	slices.Sort(removed)
	removed = append([]string{}, slices.Compact(removed)...)
	report := &citewell.Report{
		Schema:        citewell.ReportSchema,
		ID:            r.id,
		Agent:         r.o.Name,
		Task:          r.task,
		Title:         title,
		Content:       v.content,
		Language:      v.language,
		Confidence:    confidence,
		Reason:        v.instead,
		Remarks:       v.remarks,
		NeedsNoSource: v.needsNone,
		Lens:          r.lens,
		Judge:         v.judge,
		Findings:      v.findings,
		Places:        v.places,
		Unverified:    v.unverified,
		Removed:       removed,
		Sources:       []citewell.Source{},
		Passages:      []citewell.Passage{},
	}
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
	saved, err := outside(
		ctx,
		r,
		Call{Key: r.key + "/report", Kind: CallLocal, Name: createReportTool},
		func(ctx context.Context) (savedReport, error) {
			saved := savedReport{At: time.Now().UTC().Truncate(time.Second)}
			if r.o.SaveReport == nil {
				return saved, nil
			}
			report.CreatedAt = saved.At
			var err error
			saved.Path, err = r.o.SaveReport(ctx, fileName(report.Title, saved.At), r.o.Render(*report))
			return saved, err
		},
	)
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
func (r *run) outcomeOf(report *citewell.Report) runstore.RunOutcome {
	switch {
	case r.closing == closingBudget || r.closing == closingTime:
		return runstore.RunOverBudget
	case report.NeedsNoSource:
		return runstore.RunAnswered
	case len(report.Sources) == 0:
		return runstore.RunNoSources
	case len(report.Unverified) > 0 || report.Reason != "":
		return runstore.RunPartial
	}
	return runstore.RunAnswered
}

// keepAnswer makes an answer the run's report; it gets no file.
func (r *run) keepAnswer(ctx context.Context, answer *citewell.Report) error {
	answer.Outcome = string(r.outcomeOf(answer))
	at, err := outside(
		ctx,
		r,
		Call{Key: r.key + "/answered", Kind: CallLocal, Name: "clock"},
		func(context.Context) (time.Time, error) {
			return time.Now().UTC().Truncate(time.Second), nil
		},
	)
	if err != nil {
		return err
	}
	answer.CreatedAt, r.report = at, answer
	return nil
}
