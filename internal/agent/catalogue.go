package agent

import (
	"slices"
	"sync"

	"github.com/citewell/citewell/internal/tool"
)

// Names are the agent's own eight tools, in the order in which they are listed.
var Names = []string{reasoningTool, generatePlanTool, adaptPlanTool, clarificationTool, WebSearchTool, extractTool,
	createReportTool, finalAnswerTool}

// isOwn says whether a tool is one of these, and not another of the same name.
func isOwn(t *tool.Tool) bool { return slices.Contains(ownTools(), t) }

// Tools returns the eight tools as they are listed. They work inside a run only; those of Sessions do without.
func Tools() []*tool.Tool {
	return slices.DeleteFunc(slices.Clone(ownTools()), func(t *tool.Tool) bool { return t.Name == answerTool })
}

// ownTools are the same for all runs, made once.
var ownTools = sync.OnceValue(func() []*tool.Tool {
	return []*tool.Tool{reasoning, newGeneratePlan(), newAdaptPlan(), newClarification(), newWebSearch(), newExtract(),
		newAnswer(), newCreateReport(), newFinalAnswer()}
})

// ownFunctions are these tools as a model is offered them.
var ownFunctions = sync.OnceValue(func() map[*tool.Tool]Function {
	all := map[*tool.Tool]Function{}
	for _, t := range ownTools() {
		all[t] = functionOf(t)
	}
	return all
})
