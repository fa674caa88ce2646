package bench

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/sheet"
	"github.com/citewell/citewell/internal/text"
)

// A tally counts grades in SimpleQA's way.
type tally struct{ correct, incorrect, notAttempted int }

func (t tally) figures() map[string]float64 {
	graded, attempted := t.correct+t.incorrect+t.notAttempted, t.correct+t.incorrect
	f := map[string]float64{"correct": float64(t.correct), "incorrect": float64(t.incorrect),
		"not_attempted": float64(t.notAttempted)}
	if graded > 0 {
		f["accuracy"] = float64(t.correct) / float64(graded)
	}
	if attempted > 0 {
		f["of_attempted"] = float64(t.correct) / float64(attempted)
	}
	if a, p := f["accuracy"], f["of_attempted"]; a+p > 0 {
		f["f1"] = 2 * a * p / (a + p)
	}
	return f
}

// publishedQA is SGR Deep Research on all of SimpleQA: counts, tokens, searches, extracts and dollars as its project
// publishes them, rounded as there. Shares, F1 and what falls to one question are computed from those.
var publishedQA = struct {
	name, note               string
	grades                   tally
	questions                float64
	tokens, usd              float64
	searches, pagesExtracted float64
}{"SGR Deep Research, gpt-4.1-mini", "figures of its own project: SimpleQA, 4,326 questions, judged by gpt-4o, Tavily",
	tally{3724, 554, 48}, 4326, 232e6, 170, 8000, 1200}

// qaTables lays out what a set came to.
func qaTables(set Questions, c Contestant, o QAOptions, rows []Graded) []sheet.Table {
	tables := []sheet.Table{gradesTable(set, c, o, rows), failuresTable(rows), costTable(c, o, rows),
		citationsTable(c, rows)}
	return slices.DeleteFunc(tables, func(t sheet.Table) bool { return len(t.Rows) == 0 })
}

func gradesTable(set Questions, c Contestant, o QAOptions, rows []Graded) sheet.Table {
	var t tally
	failed, ungraded := 0, 0
	for _, r := range rows {
		switch {
		case r.Failed != nil:
			failed++
		case r.Judged.Grade == Correct:
			t.correct++
		case r.Judged.Grade == Incorrect:
			t.incorrect++
		case r.Judged.Grade == NotAttempted:
			t.notAttempted++
		default:
			ungraded++
		}
	}
	figures := t.figures()
	figures["failed"], figures["ungraded"] = float64(failed), float64(ungraded)
	judged := "graded by words alone: correct where the answer has those of the target in a row; no grade of SimpleQA's"
	if o.Judge != nil {
		judged = "graded by " + o.Judge.Name()
	}
	by := c.Name
	if c.Model != "" {
		by += ", " + c.Model
	}
	table := sheet.Table{
		Title: fmt.Sprintf("Answers to %d questions", len(rows)),
		Columns: []sheet.Column{{Key: "correct", Title: "correct"}, {Key: "incorrect", Title: "incorrect"},
			{Key: "not_attempted", Title: "not attempted"}, {Key: "failed", Title: "failed"},
			{Key: "ungraded", Title: "not graded"},
			{Key: "accuracy", Title: "accuracy", Decimals: 3}, {Key: "of_attempted", Title: "of attempted",
				Decimals: 3}, {Key: "f1", Title: "F1", Decimals: 3}},
		Rows: []sheet.Row{{Name: by, Origin: sheet.Measured, Figures: figures, Note: judged},
			{Name: publishedQA.name, Origin: sheet.Published, Figures: publishedQA.grades.figures(),
				Note: publishedQA.note}},
		Notes: []string{"accuracy: correct of all that were graded; of attempted: correct of correct and incorrect; " +
			"F1: their harmonic mean",
			"failed: the model, the search or the run itself failed; not graded: the judge gave no grade. Neither is " +
				"in any share"},
	}
	for i, bad := range set.Bad {
		if i == maxWhat {
			table.Notes = append(table.Notes, fmt.Sprintf("and %d more rows were not asked", len(set.Bad)-i))
			break
		}
		table.Notes = append(table.Notes, fmt.Sprintf("line %d was not asked: %s", bad.Line, bad.Problem))
	}
	return table
}

// failuresTable counts what failed, by its code.
func failuresTable(rows []Graded) sheet.Table {
	t := sheet.Table{Title: "What failed", Columns: []sheet.Column{{Key: "questions", Title: "questions"}}}
	count := func(kind string, of func(Graded) *citewell.ErrorView) {
		found := map[citewell.Code]*sheet.Row{}
		var codes []citewell.Code
		for _, r := range rows {
			view := of(r)
			if view == nil {
				continue
			}
			if found[view.Code] == nil {
				codes = append(codes, view.Code)
				found[view.Code] = &sheet.Row{Name: kind + ": " + string(view.Code), Origin: sheet.Measured,
					Figures: map[string]float64{},
					Note:    fmt.Sprintf("line %d: %s", r.Line, text.Shorten(view.Message, 120))}
			}
			found[view.Code].Figures["questions"]++
		}
		slices.SortStableFunc(codes, func(a, b citewell.Code) int {
			return cmp.Compare(found[b].Figures["questions"], found[a].Figures["questions"])
		})
		for _, code := range codes {
			t.Rows = append(t.Rows, *found[code])
		}
	}
	count("answer", func(r Graded) *citewell.ErrorView { return r.Failed })
	count("grade", func(r Graded) *citewell.ErrorView { return r.JudgeFailed })
	return t
}

func costTable(c Contestant, o QAOptions, rows []Graded) sheet.Table {
	var used agent.Usage
	var judged Judging
	var took []int64
	for _, r := range rows {
		u := r.Usage
		used.InputTokens, used.OutputTokens, used.USD = used.InputTokens+u.InputTokens,
			used.OutputTokens+u.OutputTokens, used.USD+u.USD
		used.Searches, used.Fetches = used.Searches+u.Searches, used.Fetches+u.Fetches
		judged.InputTokens, judged.OutputTokens, judged.USD = judged.InputTokens+r.Judged.InputTokens,
			judged.OutputTokens+r.Judged.OutputTokens, judged.USD+r.Judged.USD
		if r.Failed == nil {
			took = append(took, u.ActiveMS)
		}
	}
	figures := func(of float64) map[string]float64 {
		f := map[string]float64{"input": float64(used.InputTokens) / of, "output": float64(used.OutputTokens) / of,
			"tokens": float64(used.InputTokens+used.OutputTokens) / of, "searches": float64(used.Searches) / of,
			"fetches": float64(used.Fetches) / of}
		if c.Priced || c.Model == "" {
			f["usd"] = used.USD / of
		}
		return f
	}
	each := figures(float64(len(rows)))
	if len(took) > 0 {
		slices.Sort(took)
		each["p50_s"], each["p95_s"] = percentile(took, 50), percentile(took, 95)
	}
	t := sheet.Table{Title: "What the answers took", Columns: []sheet.Column{
		{Key: "input", Title: "tokens in"}, {Key: "output", Title: "tokens out"}, {Key: "tokens", Title: "tokens"},
		{Key: "usd", Title: "USD", Decimals: 4},
		{Key: "searches", Title: "searches", Decimals: 2}, {Key: "fetches", Title: "pages", Decimals: 2},
		{Key: "p50_s", Title: "p50 s", Decimals: 1}, {Key: "p95_s", Title: "p95 s", Decimals: 1}},
		Rows: []sheet.Row{{Name: "a question", Origin: sheet.Measured, Figures: each},
			{Name: "all", Origin: sheet.Measured, Figures: figures(1)}}}
	if o.Judge != nil {
		f := map[string]float64{"input": float64(judged.InputTokens), "output": float64(judged.OutputTokens),
			"tokens": float64(judged.InputTokens + judged.OutputTokens)}
		if o.Judge.Price().Known() {
			f["usd"] = judged.USD
		}
		t.Rows = append(t.Rows, sheet.Row{Name: "grading all", Origin: sheet.Measured, Figures: f})
	}
	p := publishedQA
	t.Rows = append(t.Rows, sheet.Row{Name: p.name + ", a question", Origin: sheet.Published, Note: p.note,
		Figures: map[string]float64{"tokens": p.tokens / p.questions,
			"usd": p.usd / p.questions, "searches": p.searches / p.questions,
			"fetches": p.pagesExtracted / p.questions}})
	t.Notes = []string{"p50, p95: time at work on a question that was answered, several of them at once; waiting for " +
		"the judge is not in it"}
	if c.Model != "" && !c.Priced {
		t.Notes = append(t.Notes, "nobody said what "+c.Model+" costs: set llm.price for dollars")
	}
	return t
}

// percentile is one of sorted milliseconds in seconds: the least value that so many of a hundred are not above.
func percentile(sorted []int64, percent int) float64 {
	return float64(sorted[(len(sorted)*percent+99)/100-1]) / 1000
}

// citationsTable has shares of all that is cited and in the store.
func citationsTable(c Contestant, rows []Graded) sheet.Table {
	all := CitationCount{Verdicts: map[citewell.Verdict]int{}}
	var notes []string
	for _, r := range rows {
		all.add(r.Citations)
		for _, what := range r.Citations.What {
			if len(notes) < maxWhat {
				notes = append(notes, fmt.Sprintf("invented, line %d: %s", r.Line, what))
			}
		}
	}
	t := sheet.Table{Title: "What the answers cite", Columns: []sheet.Column{
		{Key: "total", Title: "citations"}, {Key: "invented", Title: "invented"},
		{Key: "failing", Title: "do not hold"}}}
	figures := map[string]float64{"total": float64(all.Total), "invented": float64(all.Invented),
		"failing": float64(all.Failing)}
	for _, v := range []citewell.Verdict{citewell.VerdictSupported, citewell.VerdictPartly,
		citewell.VerdictContradicted, citewell.VerdictUnsupported, citewell.VerdictUndecided,
		citewell.VerdictSnippetOnly} {
		t.Columns = append(t.Columns, sheet.Column{Key: string(v), Title: string(v), Decimals: 3})
		if real := all.Total - all.Invented; real > 0 {
			figures[string(v)] = float64(all.Verdicts[v]) / float64(real)
		}
	}
	t.Rows = []sheet.Row{{Name: c.Name, Origin: sheet.Measured, Figures: figures}}
	t.Notes = append(notes, "every citation was looked up in the store and held against the stored text again, by "+
		"words; addresses and numbers were read from the answers",
		publishedQA.name+" gives no such figures")
	return t
}
