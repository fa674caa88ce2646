package markdown

import (
	"bytes"
	"context"
	"errors"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// What a parse is broken off with.
var (
	errTooMuch = errors.New("more work than a text of this size may take")
	errEnded   = errors.New("the context has ended")
)

var meterKey = parser.NewContextKey()

// A meter counts what one parse has taken, in upper bounds.
type meter struct {
	ctx    context.Context
	source []byte
	steps  int // left
	nodes  int // left, of the tree
	output int // left, bytes of addresses and titles, which a definition repeats at each of its links
	looked int // steps that were left when the context was looked at
	notes  int // footnotes so far
	leaf   leaf
}

func newMeter(ctx context.Context, source []byte) *meter {
	n := len(source)
	m := &meter{ctx: ctx, source: source, steps: 32<<20 + 500*n, nodes: 1<<18 + n/8, output: 4<<20 + 8*n}
	m.looked = m.steps
	return m
}

func meterOf(pc parser.Context) *meter { return pc.Get(meterKey).(*meter) }

// lookEvery is how many steps lie between two looks at the context.
const lookEvery = 1 << 20

// work charges steps before they are done.
func (m *meter) work(steps int) {
	m.steps -= steps
	if m.steps < 0 {
		panic(errTooMuch)
	}
	if m.looked-m.steps >= lookEvery {
		m.looked = m.steps
		if m.ctx.Err() != nil {
			panic(errEnded)
		}
	}
}

// grow charges nodes of the tree, and what they repeat of the text.
func (m *meter) grow(nodes, output int) {
	m.nodes -= nodes
	m.output -= output
	if m.nodes < 0 || m.output < 0 {
		panic(errTooMuch)
	}
}

// A block is a parser of blocks, which looks at one line at a time.
type block struct{ parser.BlockParser }

// maxOpen bounds how deep blocks stand in each other: the parser of HTML follows half of it.
const maxOpen = 1000

// line charges a look at the rest of a line, and at the blocks that are open before it.
func (b block) line(reader text.Reader, pc parser.Context) *meter {
	m, open := meterOf(pc), len(pc.OpenedBlocks())
	if open > maxOpen {
		panic(errTooMuch)
	}
	rest, _ := reader.PeekLine()
	m.work(len(rest) + 8*open + 8)
	return m
}

func (b block) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	m := b.line(reader, pc)
	if line, _ := reader.PeekLine(); bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("#")) {
		m.attributes(line)
	}
	node, state := b.BlockParser.Open(parent, reader, pc)
	if node != nil {
		m.grow(2, 0)
	}
	if _, note := node.(*extast.Footnote); note {
		m.notes++
	}
	return node, state
}

func (b block) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	m := b.line(reader, pc)
	if ast.IsParagraph(node) { // each of its lines becomes words of their own
		m.grow(1, 0)
	}
	return b.BlockParser.Continue(node, reader, pc)
}

// maxBrackets bounds the brackets of a heading with attributes, which are read one inside the other.
const maxBrackets = 500

// Close charges what an underlined heading takes at its end, when the paragraph before it becomes its words.
func (b block) Close(node ast.Node, reader text.Reader, pc parser.Context) {
	if before := node.PreviousSibling(); node.Kind() == ast.KindHeading && before != nil && ast.IsParagraph(before) &&
		before.Lines().Len() > 0 {
		m := meterOf(pc)
		last := before.Lines().At(before.Lines().Len() - 1)
		m.attributes(last.Value(m.source))
	}
	b.BlockParser.Close(node, reader, pc)
}

// attributes charges those of a heading, which are looked for from each brace to the end of its line.
func (m *meter) attributes(line []byte) {
	braces := bytes.Count(line, []byte("{"))
	if braces == 0 {
		return
	}
	if braces+bytes.Count(line, []byte("[")) > maxBrackets {
		panic(errTooMuch)
	}
	m.work(len(line) * (16*braces + bytes.Count(line, []byte(".")) + bytes.Count(line, []byte("="))))
}

// SetOption hands on what a heading is to look for.
func (b block) SetOption(name parser.OptionName, value any) {
	if s, ok := b.BlockParser.(parser.SetOptioner); ok {
		s.SetOption(name, value)
	}
}

// An inline is a parser of marks within a leaf, a block that holds words.
type inline struct{ parser.InlineParser }

// maxLabel is how long a label of a link can be; each is folded before it is looked up.
const maxLabel = 1000

var autoLinks = parser.NewAutoLinkParser()

func (i inline) Parse(parent ast.Node, reader text.Reader, pc parser.Context) ast.Node {
	m := meterOf(pc)
	if m.leaf.node != parent {
		m.leaf = leaf{node: parent, size: sizeOf(parent.Lines()), lines: parent.Lines().Len()}
	}
	line, from := reader.PeekLine()
	node := i.InlineParser.Parse(parent, reader, pc)
	_, to := reader.Position()
	switch n := node.(type) {
	case nil:
		m.work(i.missed(m, line))
		return nil
	case *parser.Delimiter: // may be compared with each before it
		m.work(m.leaf.delimiters)
		m.leaf.delimiters++
	case *ast.Link:
		m.grow(0, len(n.Destination)+len(n.Title))
		m.work(m.leaf.label())
	case *ast.Image:
		m.grow(0, len(n.Destination)+len(n.Title))
		m.work(m.leaf.label())
	case *extast.FootnoteLink:
		m.work(4 * m.notes)
	case *ast.Text: // a mark of code without its end, which is looked for in all that follows
		m.work(m.leaf.size)
	}
	m.leaf.nodes += 2
	m.grow(2, 0)
	m.work(max(to.Start-from.Start, 0) + 8)
	return node
}

// missed is at most what a parser has looked at before it finds that nothing of its kind begins or ends here.
func (i inline) missed(m *meter, line []byte) int {
	next := byte(0)
	if len(line) > 1 {
		next = line[1]
	}
	switch {
	case line[0] == ']' && (next == '(' || next == '['): // it looks for the end of an address or a label
		return m.leaf.size + m.leaf.label()
	case line[0] == ']':
		return m.leaf.label()
	case line[0] == '<' && i.InlineParser == autoLinks:
		return len(line) - len(bytes.TrimLeftFunc(line, func(r rune) bool { return r != ' ' && r != '>' }))
	case line[0] == '<' && next != ' ': // by a regular expression
		return 4 * m.leaf.size
	case bytes.HasPrefix(line, []byte("[^")), bytes.HasPrefix(line, []byte("![^")):
		return len(line) + 4*m.notes
	}
	return 8
}

// A leaf is a block that holds words, and what was found in it.
type leaf struct {
	node                           ast.Node
	size, lines, nodes, delimiters int
}

// label bounds what the label before a closing bracket takes: to look for a link in it, and to look it up.
func (l leaf) label() int { return l.nodes + l.lines + 4*min(l.size, maxLabel) }

// CloseBlock hands on the end of a leaf.
func (i inline) CloseBlock(parent ast.Node, reader text.Reader, pc parser.Context) {
	if c, ok := i.InlineParser.(parser.CloseBlocker); ok {
		c.CloseBlock(parent, reader, pc)
	}
}

func sizeOf(lines *text.Segments) int {
	if lines.Len() == 0 {
		return 0
	}
	return lines.At(lines.Len()-1).Stop - lines.At(0).Start
}

// A paragraph is what makes other blocks of a paragraph: tables, and definitions of links.
type paragraph struct{ parser.ParagraphTransformer }

func (p paragraph) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	m := meterOf(pc)
	lines := node.Lines()
	size, definitions, open, columns := sizeOf(lines), 0, 0, 0
	for i := range lines.Len() {
		segment := lines.At(i)
		line := bytes.TrimSpace(segment.Value(m.source))
		if len(line) == 0 {
			continue
		}
		switch line[0] {
		case '[':
			definitions++
			open += openTitle(line)
		case '"', '\'', '(':
			open += openTitle(line)
		}
		if i > 0 && columns == 0 && isDelimiter(line) {
			columns = bytes.Count(line, []byte("|")) + 1
			m.grow(2*columns*(lines.Len()-i), 0) // a row that is short is filled up
		}
	}
	m.work(size + definitions*lines.Len() + open*size)
	p.ParagraphTransformer.Transform(node, reader, pc)
}

// openTitle is 1 where a title may begin in the line and not end in it: its end is looked for in all that follows.
func openTitle(line []byte) int {
	count := func(s string) int { return bytes.Count(line, []byte(s)) }
	if count(`"`)%2 != 0 || count(`'`)%2 != 0 || count("(") != count(")") || count(`\`) > 0 {
		return 1
	}
	return 0
}

// isDelimiter reports whether a line may part the head of a table from its rows.
func isDelimiter(line []byte) bool { return len(bytes.Trim(line, "-|: \t")) == 0 }

// A document is what changes the tree as a whole: it orders footnotes, and takes the escapes from cells with code.
type document struct{ parser.ASTTransformer }

func (d document) Transform(node *ast.Document, reader text.Reader, pc parser.Context) {
	m := meterOf(pc)
	escaped := bytes.Count(m.source, []byte(`\|`))
	m.work(m.notes*m.notes/2 + escaped*escaped)
	d.ASTTransformer.Transform(node, reader, pc)
}
