package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/citewell/citewell/internal/tool"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A prompt is a request that people make often, by what it needs.
type prompt struct {
	name, title, description string
	argument, about          string
	needs                    string // the tool without which it makes no sense
	text                     string // %s is the argument
}

var prompts = []prompt{
	{"research", "Research a question", "Answers a question from the web with citations that can be checked.",
		"question", "what to find out", "web_search",
		"Find out: %s\n\nUse web_search, with a depth of 5 or more where the question has several sides, and once " +
			"more in other words for what " +
			"its Gaps name. Answer in the language of the question. After each statement give the number of its " +
			"source, and list the sources with " +
			"their URLs at the end. Name disagreements between sources; say what could not be found, and " +
			"whether that " +
			"is because a provider was " +
			"blocked or because nothing was there."},
	{"check_claim", "Check a claim", "Looks for sources that support or contradict one statement.",
		"claim", "the statement to check", "web_search",
		"Check this claim against sources: %s\n\nUse web_search for the claim and for its opposite. Say supported, " +
			"contradicted, mixed or not found, " +
			"and quote the sentence of each source that decides it, with the source's URL and date. Compare figures, " +
			"units, dates and names exactly."},
}

// addPrompts adds those that the toolset can fulfil.
func addPrompts(m *mcp.Server, set *tool.Toolset) {
	for _, p := range prompts {
		if t, err := set.Find(p.needs); err != nil || !t.Offered() {
			continue
		}
		m.AddPrompt(&mcp.Prompt{Name: p.name, Title: p.title, Description: p.description,
			Arguments: []*mcp.PromptArgument{{Name: p.argument, Description: p.about, Required: true}}},
			func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				value := strings.TrimSpace(req.Params.Arguments[p.argument])
				if value == "" {
					return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: p.argument + " is required"}
				}
				return &mcp.GetPromptResult{Description: p.description,
					Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{
						Text: fmt.Sprintf(p.text, value)}}}}, nil
			})
	}
}
