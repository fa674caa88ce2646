// Package markdown parses Markdown of strangers within limits of work, memory and output.
//
// Flow: New (goldmark's own parsers, each with a meter) → Parse → goldmark's tree. A parser charges an upper bound of
// the work that it begins; a text that exceeds its budget comes back as paragraphs without markup.
//
// Units: a step is one byte or one node that a parser looks at, some nanoseconds. A budget is a fixed part and one that
// grows with the text (bounds), so the work is linear for every text.
// Errors: only the end of the context.
// Concurrency: a Parser may be used from many goroutines once all options are added.
// Why: on many texts goldmark's time grows with the square, and it has no deadline (doc/decision/0062-readers-end.md).
package markdown

import (
	"bytes"
	"context"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A Parser is goldmark's parser with its parts, within bounds. Give it to [goldmark.WithParser], so that extensions add
// theirs.
type Parser struct {
	config *parser.Config
	once   sync.Once
	inner  parser.Parser
}

// New returns a Parser of these parts; there are none but the given ones.
func New(options ...parser.Option) *Parser {
	p := &Parser{config: parser.NewConfig()}
	p.AddOptions(options...)
	return p
}

// AddOptions adds parts before the first text is parsed.
func (p *Parser) AddOptions(options ...parser.Option) {
	for _, o := range options {
		o.SetParserOption(p.config)
	}
}

// Parse makes the tree of what r reads, as goldmark asks for it; options are not supported.
func (p *Parser) Parse(r text.Reader, _ ...parser.ParseOption) ast.Node {
	root, _, _ := p.ParseWithin(context.Background(), r.Source()) // a context without an end gives no error
	return root
}

// ParseWithin makes the tree of source, of plain paragraphs if its markup takes more than the budget for its size.
func (p *Parser) ParseWithin(ctx context.Context, source []byte) (root ast.Node, plain bool, err error) {
	p.once.Do(func() { p.inner = metered(p.config) })
	m := newMeter(ctx, source)
	defer func() {
		switch broken := recover(); broken {
		case nil:
		case errTooMuch:
			root, plain, err = paragraphs(source), true, nil
		case errEnded:
			root, err = nil, ctx.Err()
		default:
			panic(broken)
		}
	}()
	pc := parser.NewContext()
	pc.Set(meterKey, m)
	return p.inner.Parse(text.NewReader(source), parser.WithContext(pc)), false, nil
}

// metered makes goldmark's parser of the parts, each with a meter around it.
func metered(c *parser.Config) parser.Parser {
	around := func(parts util.PrioritizedSlice, wrap func(any) any) (all []util.PrioritizedValue) {
		for _, part := range parts {
			all = append(all, util.Prioritized(wrap(part.Value), part.Priority))
		}
		return all
	}
	options := []parser.Option{
		parser.WithBlockParsers(around(c.BlockParsers, func(v any) any { return block{v.(parser.BlockParser)} })...),
		parser.WithInlineParsers(around(c.InlineParsers, func(v any) any {
			return inline{v.(parser.InlineParser)}
		})...),
		parser.WithParagraphTransformers(around(c.ParagraphTransformers, func(v any) any {
			return paragraph{v.(parser.ParagraphTransformer)}
		})...),
		parser.WithASTTransformers(around(c.ASTTransformers, func(v any) any {
			return document{v.(parser.ASTTransformer)}
		})...),
	}
	for name, value := range c.Options {
		options = append(options, parser.WithOption(name, value))
	}
	return parser.NewParser(options...)
}

// maxParagraphs bounds the tree of a text without markup.
const maxParagraphs = 50_000

// paragraphs is source without markup, parted at blank lines.
func paragraphs(source []byte) ast.Node {
	root := ast.NewDocument()
	add := func(start, end int) {
		if len(bytes.TrimSpace(source[start:end])) == 0 {
			return
		}
		p := ast.NewParagraph()
		p.AppendChild(p, ast.NewTextSegment(text.NewSegment(start, end)))
		root.AppendChild(root, p)
	}
	start, at := 0, 0
	for line := range bytes.Lines(source) {
		if root.ChildCount() < maxParagraphs && len(bytes.TrimSpace(line)) == 0 {
			add(start, at)
			start = at + len(line)
		}
		at += len(line)
	}
	add(start, at)
	return root
}
