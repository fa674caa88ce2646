package agent

import (
	"bytes"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/markdown"
	"github.com/citewell/citewell/internal/text"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	mdtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// inert escapes the tags of a content, so that no HTML comes to life, and moves the places along.
// Code keeps its tags: readers show them as they stand.
func inert(content string, places []citewell.Place) string {
	const escaped = "&lt;"
	tags := liveTags(content)
	var out strings.Builder
	at := 0
	for _, tag := range tags {
		out.WriteString(content[at:tag] + escaped)
		at = tag + 1
	}
	out.WriteString(content[at:])
	moved := func(offset int) int {
		before, _ := slices.BinarySearch(tags, offset)
		return offset + before*(len(escaped)-1)
	}
	for i, p := range places {
		places[i].Start, places[i].End = moved(p.Start), moved(p.End)
	}
	return out.String()
}

// maxTicks is the longest run of backticks that every reader of Markdown takes for a mark of code.
const maxTicks = 80

// liveTags returns the offsets of the tags in a content that do not stand in code. Only what readers of
// CommonMark and of GitHub's dialect both take for code is code.
func liveTags(content string) (tags []int) {
	for _, m := range tagForm.FindAllStringIndex(content, -1) {
		tags = append(tags, m[0])
	}
	if len(tags) == 0 || strings.Contains(content, strings.Repeat("`", maxTicks+1)) {
		return tags
	}
	masked := []byte(content) // a tag that is escaped later must not decide how the rest is read
	for _, tag := range tags {
		masked[tag] = 'x'
	}
	dialect := commonMark()
	dialect.AddOptions(
		parser.WithParagraphTransformers(util.Prioritized(extension.NewTableParagraphTransformer(), 200)),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)))
	var live []int
	for _, reader := range []*markdown.Parser{commonMark(), dialect} {
		code, ok := codeIn(reader.Parse(mdtext.NewReader(masked)), masked)
		if !ok {
			return tags
		}
		at := 0
		for _, tag := range tags {
			for at < len(code) && code[at].End <= tag {
				at++
			}
			if at == len(code) || tag < code[at].Start {
				live = append(live, tag)
			}
		}
	}
	slices.Sort(live)
	return slices.Compact(live)
}

func commonMark() *markdown.Parser {
	return markdown.New(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...))
}

// codeIn returns the spans of the code in a tree, in order: the lines between fences, and the first line of code
// within a paragraph, since a tag that begins a later line begins a block of HTML. It is false where backticks
// stand right behind an address, which takes them in for some readers.
func codeIn(root ast.Node, content []byte) (code []text.Span, ok bool) {
	ok = true
	ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // gives no error of its own
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			for i := 0; entering && i < n.Lines().Len(); i++ {
				line := n.Lines().At(i)
				code = append(code, text.Span{Start: line.Start, End: line.Stop})
			}
		case *ast.CodeSpan:
			first, isText := n.FirstChild().(*ast.Text)
			if !entering || !isText {
				break
			}
			start, end := first.Segment.Start, n.LastChild().(*ast.Text).Segment.Stop
			if line := bytes.IndexByte(content[start:end], '\n'); line >= 0 {
				end = start + line
			}
			code = append(code, text.Span{Start: start, End: end})
			opens := bytes.TrimRight(bytes.TrimSuffix(content[:start], []byte(" ")), "`")
			word := opens[bytes.LastIndexAny(opens, " \t\n")+1:]
			ok = ok && !bytes.Contains(word, []byte("://")) && !bytes.Contains(bytes.ToLower(word), []byte("www."))
		}
		return ast.WalkContinue, nil
	})
	return code, ok
}
