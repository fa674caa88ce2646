package report

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

var (
	fenceForm = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})")
	// What is nested some hundred times deep is read in quadratic time.
	longNested = regexp.MustCompile(`(?m)^([ \t]*(?:[>*+-]|\d{1,9}[.)]).{0,500}).*$`)
	lastFence  = regexp.MustCompile("\n(?:`{3,}|~{3,})[ \t]*$")
)

// CloseFence closes the code fence that a content leaves open: to every reader of
// Markdown, what is written below it would be code too.
func CloseFence(content string) string {
	if len(content) > maxRunText || !strings.Contains(content, "```") && !strings.Contains(content, "~~~") {
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

// withoutLastFence is a content without the fence that CloseFence may have written, so
// that it is read as it was checked: what no fence closes is words, not code.
func withoutLastFence(content string) string { return lastFence.ReplaceAllString(content, "") }
