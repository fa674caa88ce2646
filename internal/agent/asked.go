package agent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
)

// language gives the code of the language that the run is to answer in, and whether somebody said so: for this run, in
// the task, or for the agent. Else it is the task's own; empty where that is not known.
func (r *run) language() (code string, said bool) {
	if code = cmp.Or(r.wishes.Language, text.AskedLanguage(r.task), r.o.Wishes.Language); code != "" {
		return code, true
	}
	return text.Language(r.task), false
}

// wanted is what the system prompt says of the user's wishes; empty where there are none.
func (r *run) wanted() string {
	var all strings.Builder
	if code, said := r.language(); said {
		fmt.Fprintf(&all, "\n\nThe user wants answers and reports in %s, whatever language the task and the sources "+
			"are in. Search in every language that may bring something.", text.LanguageName(code))
	}
	if headings := r.wishes.headings(); len(headings) > 0 {
		all.WriteString("\n\nThe user wants a report with these headings, in this order, each with what the sources " +
			"say on it:\n" + strings.Join(headings, "\n"))
	}
	if r.approves() {
		all.WriteString("\n\nThe user wants to see the plan first: call " + generatePlanTool +
			" before anything is searched or read.")
	}
	return all.String()
}

// approves says whether the user answers to the plan before anything is looked for.
func (r *run) approves() bool {
	return r.o.Ask != nil && (r.wishes.ApprovePlan || r.o.Wishes.ApprovePlan)
}

// approve asks the user about a plan, once. Whatever is answered reaches the model as the
// user's words: a yes, or what to change.
func (r *run) approve(ctx context.Context, p *generatedPlan) error {
	if !r.approves() || r.approved {
		return nil
	}
	const asks = "Go on with this plan? Say yes, or what to change."
	var shown strings.Builder
	fmt.Fprintf(&shown, "The plan: %s\n", oneLine(p.ResearchGoal))
	for i, step := range p.PlannedSteps {
		fmt.Fprintf(&shown, "%d. %s\n", i+1, oneLine(step))
	}
	if shown.Len() > maxQuestions {
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: generatePlanTool,
			Message: fmt.Sprintf("the plan has %d bytes; at most %d are shown to the user", shown.Len(), maxQuestions),
			Hint:    "plan in 3 to 4 short steps"}
	}
	var err error
	p.answer, err = r.person(ctx, Question{Run: r.id, Number: r.clarifications + 1, Questions: []string{asks},
		Text: shown.String() + asks, Kind: QuestionPlan})
	r.approved = err == nil
	return err
}

// leastWords is how many words a text has whose language is remarked on: fewer may be names and figures.
const leastWords = 12

// remarks says what of a text is not as it was asked for. None of it makes a sentence less proven.
func (r *run) remarks(kind string, v verified, list []statement) []string {
	var all []string
	if asked, _ := r.language(); asked != "" && asked != v.language && inOne(v.language, list) {
		all = append(all, fmt.Sprintf("the text is in %s, and %s was asked for", text.LanguageName(v.language),
			text.LanguageName(asked)))
	}
	if missing := lacking(r.wishes.headings(), v.content); (kind == createReportTool || !r.reported) &&
		len(missing) > 0 {
		all = append(all, "the outline that was asked for has headings that the text lacks: "+
			strings.Join(missing, "; "))
	}
	return all
}

// inOne says whether statements are long enough to tell their language, and none of
// them is in another: a mixed text is not remarked on.
func inOne(language string, list []statement) bool {
	words := 0
	for _, s := range list {
		words += len(text.Words(s.claim))
		if own := text.Language(s.claim); own != "" && own != language {
			return false
		}
	}
	return language != "" && words >= leastWords
}

// lacking gives those of some headings that a text does not have at any level. A first one
// of the first level is a report's title, which is no part of its text.
func lacking(headings []string, content string) []string {
	words := func(line string) string {
		if m := headingLine.FindStringSubmatch(line); m != nil {
			return text.Fold(plainWords(m[1]))
		}
		return ""
	}
	has := map[string]bool{}
	for line := range strings.Lines(content) {
		has[words(strings.TrimSpace(line))] = true
	}
	if len(headings) > 0 && strings.HasPrefix(headings[0], "# ") {
		headings = headings[1:]
	}
	return slices.DeleteFunc(headings, func(h string) bool { return has[words(h)] })
}
