package report

import (
	"strings"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

var (
	fenceForm = lazyregexp.New("^ {0,3}(`{3,}|~{3,})")
	// What is nested some hundred times deep is read in quadratic time.
	longNested = lazyregexp.New(`(?m)^([ \t]*(?:[>*+-]|\d{1,9}[.)]).{0,500}).*$`)
)

// maxFenced bounds the content in which an open fence is looked for, in bytes; the agent
// takes reports of 200,000.
const maxFenced = 2 << 20

// CloseFence closes the code fence that a content leaves open: to every reader of
// Markdown, what is written below it would be code too.
func CloseFence(content string) string {
	if len(content) > maxFenced || !strings.Contains(content, "```") && !strings.Contains(content, "~~~") {
		return content
	}
	source := []byte(longNested.ReplaceAllString(content, "$1") + "\n\nbelow\n")
	code, open := contentParser().Parse(text.NewReader(source)).LastChild().(*ast.FencedCodeBlock)
	if !open || code.Lines().Len() == 0 {
		return content
	}
	above := source[:code.Lines().At(0).Start]
	above = above[:max(strings.LastIndexByte(string(above), '\n'), 0)]
	fence := fenceForm.FindSubmatch(above[strings.LastIndexByte(string(above), '\n')+1:])
	if fence == nil {
		return content
	}
	return content + "\n" + string(fence[1])
}
