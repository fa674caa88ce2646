package builtin

import (
	"context"
	_ "embed"

	"github.com/citewell/citewell/tool"
)

func init() {
	register("", "exa_get_contents", newExaGetContents)
	register(cogtrix, "exa_get_contents", newCogtrixExaGetContents)
}

//go:embed exa_get_contents.md
var exaGetContentsDescription string

func (d Deps) exaGetContentsSpec() tool.Spec {
	s := tool.Spec{Name: "exa_get_contents", Title: "Read pages by Exa", Description: exaGetContentsDescription, Hints: tool.Hints{ReadOnly: true, OpenWorld: true}}
	if d.Exa == nil {
		s.Hidden = needsExa
	}
	return s
}

func newExaGetContents(d Deps) *tool.Tool {
	return tool.New(d.exaGetContentsSpec(), func(ctx context.Context, in pageTextsInput) (pageTextsOutput, error) {
		pages, err := readPages(ctx, d.Exa, in.URLs)
		return parted(pages, in.Window), err
	})
}

func newCogtrixExaGetContents(d Deps) *tool.Tool {
	return tool.New(d.exaGetContentsSpec(), func(ctx context.Context, in pageTextsArguments) (cogtrixPagesOutput, error) {
		return cogtrixPages(readPages(ctx, d.Exa, in.URLs))
	})
}
