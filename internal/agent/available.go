package agent

import (
	"fmt"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
)

// offered are the tools that the run has, in a fixed order: its own in that of Tools, then the others by their order.
func (r *run) offered() []*tool.Tool {
	var list []*tool.Tool
	own := ownTools()
	names := &tool.Toolset{Name: "agent", Tools: own}
	for _, t := range own {
		has := r.o.Own == nil || slices.ContainsFunc(r.o.Own, func(name string) bool {
			found, err := names.Find(name)
			return err == nil && found.Name == t.Name
		})
		switch t.Name {
		case finalAnswerTool:
			has = true
		case createReportTool:
			has = !r.o.NoReport
		case clarificationTool:
			has = has && r.o.Ask != nil
		case generatePlanTool:
			has = has || r.approves()
		case answerTool:
			has = r.o.Shape == ShapeDialog && r.o.Ask != nil
		case WebSearchTool:
			has = has && r.o.Searcher != nil
		case extractTool:
			has = has && r.o.Reader != nil
		case reasoningTool:
			has = has && (r.o.Shape == ShapeToolCalling && slices.Contains(r.o.Own, reasoningTool))
		}
		if has {
			list = append(list, t)
		}
	}
	for _, t := range r.o.Extra {
		if t.Offered() && !slices.ContainsFunc(list, func(known *tool.Tool) bool { return known.Name == t.Name }) {
			list = append(list, r.door.Offer(t))
		}
	}
	return list
}

func terminal(name string) bool { return name == createReportTool || name == finalAnswerTool }

// searches says whether calls of the tool count as searches.
func (r *run) searches(name string) bool {
	return name == WebSearchTool || slices.Contains(r.o.Searching, name)
}

// atOnce says whether calls of the tool may be made beside others: those that only bring something from outside.
func (r *run) atOnce(name string) bool { return r.searches(name) || name == extractTool }

func (r *run) maxSearches() int {
	return min(r.o.Limits.MaxSearches+r.lookedUp, r.o.Budget.Searches)
}

func usedUp(n int, noun string) string {
	if n == 1 {
		return "the one " + noun + " is used up"
	}
	return "the " + text.Count(n, noun) + " are used up"
}

// gone says why a tool is not offered now; empty where it is.
func (r *run) gone(name string) string {
	switch {
	case terminal(name):
		return ""
	case r.closing != "":
		return r.closing
	case r.approves() && !r.approved && name != generatePlanTool && name != reasoningTool && name != clarificationTool:
		return "the user has not seen the plan"
	case r.iteration >= r.o.Limits.MaxIterations:
		return usedUp(r.o.Limits.MaxIterations, "iteration")
	case name == clarificationTool && r.clarifications >= r.o.Limits.MaxClarifications:
		return usedUp(r.o.Limits.MaxClarifications, "clarification")
	case r.searches(name) && r.usage.Searches >= r.maxSearches():
		return usedUp(r.maxSearches(), "search")
	case name == extractTool && r.usage.Fetches >= r.o.Budget.Fetches:
		return usedUp(r.o.Budget.Fetches, "fetch")
	}
	return ""
}

// available are the tools that the model is offered in this turn.
func (r *run) available() []*tool.Tool {
	return slices.DeleteFunc(slices.Clone(r.tools), func(t *tool.Tool) bool { return r.gone(t.Name) != "" })
}

// find returns the tool that a model means, or what to tell it.
func (r *run) find(name string, available []*tool.Tool) (*tool.Tool, error) {
	all := &tool.Toolset{Name: r.o.Name, Tools: r.tools}
	t, err := all.Find(name)
	if err != nil {
		names := tool.Names(available)
		message := fmt.Sprintf("there is no tool %.60q", name) + text.DidYouMean(tool.Snake(name), names)
		return nil, &citewell.Error{Code: citewell.CodeUnknownTool, Message: message,
			Hint: fmt.Sprintf("call one of %v", names)}
	}
	if why := r.gone(t.Name); why != "" {
		if r.approves() && !r.approved && r.closing == "" {
			return nil, &citewell.Error{Code: citewell.CodeInvalidArgument,
				Message: t.Name + " is not available yet: " + why, Hint: "call " + generatePlanTool + " first"}
		}
		return nil, &citewell.Error{Code: citewell.CodeBudgetExhausted,
			Message: t.Name + " is not available any more: " + why,
			Hint:    "write the report or the final answer from what you have"}
	}
	return t, nil
}
