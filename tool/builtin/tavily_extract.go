package builtin

import (
	"context"
	_ "embed"

	"github.com/citewell/citewell/tool"
)

func init() {
	register("", "tavily_extract", newTavilyExtract)
	register(cogtrix, "tavily_extract", newCogtrixTavilyExtract)
}

//go:embed tavily_extract.md
var tavilyExtractDescription string

type pageTextsArguments struct {
	URLs []string `json:"urls" jsonschema:"http or https; they share max_length" bounds:"1..20"`
}

type pageTextsInput struct {
	pageTextsArguments
	tool.Window
}

func (d Deps) tavilyExtractSpec() tool.Spec {
	s := tool.Spec{Name: "tavily_extract", Title: "Read pages by Tavily", Description: tavilyExtractDescription, Hints: tool.Hints{ReadOnly: true, OpenWorld: true}}
	if d.Tavily == nil {
		s.Hidden = needsTavily
	}
	return s
}

func newTavilyExtract(d Deps) *tool.Tool {
	return tool.New(d.tavilyExtractSpec(), func(ctx context.Context, in pageTextsInput) (pageTextsOutput, error) {
		pages, err := readPages(ctx, d.Tavily, in.URLs)
		return parted(pages, in.Window), err
	})
}

func newCogtrixTavilyExtract(d Deps) *tool.Tool {
	return tool.New(d.tavilyExtractSpec(), func(ctx context.Context, in pageTextsArguments) (cogtrixPagesOutput, error) {
		return cogtrixPages(readPages(ctx, d.Tavily, in.URLs))
	})
}
