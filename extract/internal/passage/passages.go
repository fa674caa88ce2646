// Package passage cuts a document's text into passages, each with its page and its heading.
//
// Flow: spans of blocks → passages → their pages. A stored document has no spans: they are found again in its text and
// its Markdown.
// Units: offsets and lengths in bytes of canonical text.
package passage

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/internal/text"
)

// Sizes of a passage in bytes. One ends with the block that fills it enough, or within a block before it has more than
// most. A longer sentence or line stays whole; one without any end is cut at a space.
const (
	enough  = 300
	most    = 700
	Longest = 4000
)

// Of returns the passages of document: those it was extracted with, else those of its text and the headings of its
// Markdown.
func Of(document citewell.Document) []citewell.Passage {
	if len(document.Passages) > 0 {
		return slices.Clone(document.Passages)
	}
	spans := spansOf(document.Text, document.Markdown)
	passages := Cut(document.Text, spans, document.Title)
	Place(document, spans, passages)
	return passages
}

// Cut covers text with passages, none over a heading of a section, which starts the section's first passage.
func Cut(text string, spans []block.Span, title string) []citewell.Passage {
	c := cutter{text: text, title: title}
	for i, s := range spans {
		if i+1 < len(spans) && introduces(text[s.Start:s.End], s, spans[i+1]) && !c.bare && c.end-c.start >= enough/2 {
			c.close() // a caption or "as follows:" stays with what it speaks of
		}
		c.add(s)
	}
	c.close()
	return c.passages
}

// introduces tells a line that the next block hangs on.
func introduces(words string, s, next block.Span) bool {
	if s.Kind != block.Paragraph && s.Kind != block.Explanation || len(words) > enough {
		return false
	}
	switch next.Kind {
	case block.Grid:
		return len(words) < enough/2 || strings.HasSuffix(words, ":")
	case block.Code, block.Item, block.Term:
		return strings.HasSuffix(words, ":")
	}
	return false
}

// A cutter gathers pieces of text until a passage is full.
type cutter struct {
	text, title string
	passages    []citewell.Passage
	section     string   // nearest heading
	terms       []string // nearest term of each list of terms around
	start, end  int      // of the open passage; empty when equal
	bare        bool     // it holds only headings and terms so far
	heading     string
	grid        bool   // it holds rows of a table
	columns     string // of that table
}

func (c *cutter) add(s block.Span) {
	words := c.text[s.Start:s.End]
	if s.Terms == 0 && len(c.terms) > 0 && !c.bare && c.end-c.start >= enough/2 {
		c.close() // the list of terms is over
	}
	c.terms = c.terms[:min(len(c.terms), s.Terms)]
	switch s.Kind {
	case block.Heading:
		if !c.bare {
			c.close()
		}
		c.section, c.terms = words, nil
		c.extend(s.Start, s.End, true)
		c.heading = words
		return
	case block.Term:
		if !c.bare && c.end-c.start >= enough/2 {
			c.close()
		}
		if c.end > c.start && !c.bare && len(c.terms) >= s.Terms {
			c.heading = cmp.Or(c.section, c.title) // it holds several terms
		}
		for len(c.terms) < s.Terms {
			c.terms = append(c.terms, "")
		}
		if s.Terms > 0 {
			c.terms[s.Terms-1] = words
		}
		c.extend(s.Start, s.End, true)
		return
	}
	if c.end-c.start >= enough && !c.bare || s.Kind == block.Grid && c.grid && c.columns != s.Columns {
		c.close()
	}
	for _, piece := range c.pieces(s) {
		if c.end > c.start && !c.bare && piece.End-c.start > most {
			c.close()
		}
		c.extend(piece.Start, piece.End, false)
		if s.Kind == block.Grid {
			c.grid, c.columns = true, s.Columns
		}
	}
}

// nearest is the heading of a passage that opens here: the innermost term that is a name and no label ("Parameters:"),
// else the section's heading, else the title.
func (c *cutter) nearest() string {
	for i := len(c.terms) - 1; i >= 0; i-- {
		if t := c.terms[i]; t != "" && !strings.HasSuffix(t, ":") {
			return t
		}
	}
	return cmp.Or(c.section, c.title)
}

func (c *cutter) extend(start, end int, bare bool) {
	if c.end == c.start {
		c.start, c.bare = start, true
	}
	if c.bare {
		c.heading = c.nearest()
	}
	c.end = end
	c.bare = c.bare && bare
}

func (c *cutter) close() {
	if c.end > c.start {
		c.passages = append(c.passages, citewell.Passage{Start: c.start, End: c.end,
			Heading: text.Prefix(plain.OneLine(c.heading), 200), Columns: c.columns, Text: c.text[c.start:c.end]})
	}
	c.start, c.bare, c.grid, c.columns = c.end, false, false, ""
}

// pieces are the parts of a block that a passage may end after: all of a small block, else its sentences or lines.
func (c *cutter) pieces(s block.Span) []text.Span {
	rows := s.Kind == block.Code || s.Kind == block.Grid
	if size := s.End - s.Start; size <= enough || rows && size <= most {
		return []text.Span{{Start: s.Start, End: s.End}}
	}
	words := c.text[s.Start:s.End]
	var parts []text.Span
	if rows {
		parts = lines(words)
	} else {
		parts = text.Sentences(words)
	}
	var pieces []text.Span
	for _, p := range parts {
		for _, short := range shorten(words, p) {
			pieces = append(pieces, text.Span{Start: s.Start + short.Start, End: s.Start + short.End})
		}
	}
	return pieces
}

// lines are the lines of s that are not blank.
func lines(s string) []text.Span {
	var spans []text.Span
	at := 0
	for line := range strings.SplitAfterSeq(s, "\n") {
		trimmed := strings.TrimRight(line, " \t\n")
		if trimmed != "" {
			spans = append(spans, text.Span{Start: at, End: at + len(trimmed)})
		}
		at += len(line)
	}
	return spans
}

// shorten cuts what has no end of its own within reach, at spaces where there are any, never within a character.
func shorten(s string, p text.Span) []text.Span {
	var spans []text.Span
	for p.End-p.Start > Longest {
		cut := p.Start + len(text.Prefix(s[p.Start:p.End], Longest))
		if space := strings.LastIndexFunc(s[p.Start+Longest/2:cut], unicode.IsSpace); space >= 0 {
			cut = p.Start + Longest/2 + space
		}
		spans = append(spans, text.Span{Start: p.Start, End: cut})
		p.Start = cut
		for p.Start < p.End {
			r, size := utf8.DecodeRuneInString(s[p.Start:])
			if !unicode.IsSpace(r) {
				break
			}
			p.Start += size
		}
	}
	if p.Start < p.End {
		spans = append(spans, p)
	}
	return spans
}

// spansOf finds blocks again by their blank lines, and headings by the Markdown's.
func spansOf(canonical, markdown string) []block.Span {
	headings := map[string]int{}
	fenced := false
	for line := range strings.SplitSeq(markdown, "\n") {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		level := len(line) - len(strings.TrimLeft(line, "#"))
		if !fenced && level > 0 && level <= 6 && strings.HasPrefix(line[level:], " ") {
			headings[lettersOf(withoutTargets(line[level:]))] = level
		}
	}
	var spans []block.Span
	for at := 0; at < len(canonical); {
		end := strings.Index(canonical[at:], "\n\n")
		if end < 0 {
			end = len(canonical) - at
		}
		b := canonical[at : at+end]
		if strings.TrimSpace(b) != "" {
			s := block.Span{Start: at, End: at + end}
			if level := headings[lettersOf(b)]; level > 0 && len(b) < 300 && !strings.Contains(b, "\n") {
				s.Kind, s.Level = block.Heading, level
			}
			spans = append(spans, s)
		}
		for at += end; at < len(canonical) && canonical[at] == '\n'; at++ {
		}
	}
	return spans
}

// withoutTargets drops the addresses of Markdown links.
func withoutTargets(s string) string {
	for {
		before, after, found := strings.Cut(s, "](")
		if !found {
			return s
		}
		_, after, _ = strings.Cut(after, ")")
		s = before + after
	}
}

func lettersOf(s string) string { return strings.Join(folded(s), "") }

func folded(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}
