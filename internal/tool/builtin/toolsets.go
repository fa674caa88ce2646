package builtin

import (
	"slices"

	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/internal/tool/compat/cogtrix"
	"github.com/citewell/citewell/internal/tool/compat/manifold"
	"github.com/citewell/citewell/internal/tool/compat/searxng"
)

// DefaultToolset is what a caller has who names none.
const DefaultToolset = "default"

// allToolset has the tools that the list of the default one has no room for.
const allToolset = "all"

// A composition is a toolset that Citewell ships.
type composition struct {
	name, description string
	tools             []string
	original          bool                    // see tool.Toolset.Original
	leeway            tool.Leeway             // what the original took that does not fit
	failure           func(error) tool.Result // how it tells of errors; nil: as errors
}

var (
	webTools = []string{"web_search", "web_research", "search", "check_claim", "web_fetch", "extract_page_content",
		"http_get", "http_post", "get_weather", "tavily_extract", "exa_find_similar", "exa_get_contents"}
	knowledgeTools = []string{"search_index", "search_query", "search_remove", "vector_upsert", "vector_query",
		"vector_delete", "graph_upsert_node", "graph_upsert_edge", "graph_neighbors", "graph_get_node", "graph_delete"}
	llmTools   = []string{"llm_transform", "describe_image", "specialists_infer"}
	localTools = []string{"run_cli"}
	// agentTools are the agent's own: Parts.Agent has them.
	agentTools = []string{"reasoning_tool", "generate_plan_tool", "adapt_plan_tool", "clarification_tool",
		"web_search_tool", "extract_page_content_tool", "create_report_tool", "final_answer_tool"}
	defaultTools = slices.Concat(webTools, knowledgeTools, llmTools, runTools, []string{manifold.Parallel})
	runTools     = []string{"research_start", "research_status", "research_answer", "research_result",
		"research_cancel"}
)

// compositions are listed in this order. A toolset with another system's name has that system's tools alone.
var compositions = []composition{
	{name: DefaultToolset, description: "everything: the web, your knowledge, models, research runs, many " +
		"calls at once",
		tools: defaultTools},
	{name: "lite", description: "two tools with short descriptions, for small models",
		tools: []string{"web_search", "web_fetch"}},
	{name: "web", description: "searching, reading and calling the web", tools: webTools},
	{name: "knowledge", description: "your own texts, vectors and graph", tools: knowledgeTools},
	{name: "llm", description: "models as tools", tools: llmTools},
	{name: "local", description: "programs on this machine, behind a wall", tools: localTools},
	{name: "runs", description: "research that takes minutes: start it, ask how far it is, get its report",
		tools: runTools},
	{name: allToolset, description: "default, and what its list of tools has no room for",
		tools: slices.Concat(defaultTools, []string{"check_references"})},
	{name: "agent", description: "the tools of our research agents, for an agent of your own",
		tools: slices.Concat(agentTools, []string{manifold.Parallel})},
	{name: cogtrix.Name, description: "Cogtrix's catalogue",
		tools: []string{"web_search", "tavily_extract", "exa_find_similar", "exa_get_contents",
			"http_get", "http_post", "get_weather"}, leeway: tool.Nearest},
	{name: "grip", description: "grip's catalogue", tools: []string{"web_research"}, leeway: tool.Nearest},
	{name: searxng.Name, description: "the SearXNG toolkit's catalogue", tools: []string{"search"}, leeway: tool.Kinds},
	{name: "sgr", description: "SGR Deep Research's catalogue", tools: agentTools, original: true, leeway: tool.Kinds},
	{name: manifold.Name, description: "Manifold's catalogue",
		tools: []string{"run_cli", "web_search", "web_fetch", "search_index", "search_query", "search_remove",
			"vector_upsert", "vector_query", "vector_delete",
			"graph_upsert_node", "graph_upsert_edge", "graph_neighbors", "graph_get_node", "llm_transform",
			"describe_image", "specialists_infer", manifold.Parallel}, leeway: tool.Default, failure: manifold.Failure},
}

// Catalogue lists the tools of a toolset that Citewell ships; nothing where it ships none of that name.
func Catalogue(toolset string) []string {
	for _, c := range compositions {
		if c.name == toolset {
			return slices.Clone(c.tools)
		}
	}
	return nil
}
