package cogtrix

import (
	"github.com/citewell/citewell/tool"
)

func init() {
	Definitions.Add("", "tavily_extract", func(d Deps) *tool.Tool { return newPageTexts(d.tavilyExtractSpec(), d.Tavily) })
	Definitions.Add(Name, "tavily_extract", func(d Deps) *tool.Tool { return newOriginalPageTexts(d.tavilyExtractSpec(), d.Tavily) })
}

func (d Deps) tavilyExtractSpec() tool.Spec {
	s := tool.Spec{Name: "tavily_extract", Title: "Read pages by Tavily", Description: tool.Description(descriptions, "tavily_extract"), Hints: tool.Hints{ReadOnly: true, OpenWorld: true}}
	if d.Tavily == nil {
		s.Hidden = needsTavily
	}
	return s
}
