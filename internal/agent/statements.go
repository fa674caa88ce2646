package agent

import (
	"slices"
	"strings"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/notation"
	"github.com/citewell/citewell/internal/quantity"
	"github.com/citewell/citewell/internal/text"
	"golang.org/x/net/publicsuffix"
)

// A statement is one sentence of a report, or a row of a table.
type statement struct {
	topic      string // the heading above it
	block      int    // sentences of one paragraph or list item have the same
	start, end int    // in the content, with its marks
	claim      string // its words without marks and markup; a row's stand behind the names of its columns
	cells      string // the words of a row alone; empty for a sentence
	marks      []int
	leads      bool // it is a paragraph of its own, right before a list or a table
}

var (
	headingLine = lazyregexp.New(`^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$`)
	underline   = lazyregexp.New(`^\s{0,3}(?:=+|-+)\s*$`)
	boldLine    = lazyregexp.New(`^\s{0,3}(?:\*\*([^*]*[^*.!?。！？])\*\*|__([^_]*[^_.!?。！？])__)\s*$`)
	ruleLine    = lazyregexp.New(`^[\s|:*_=-]+$`)
	itemStart   = lazyregexp.New(`^\s*(?:>\s*)*(?:[-*+]|\d{1,3}[.)])\s+|^\s*(?:>\s*)+`)
	leadMarks   = lazyregexp.New(`^(?:\s*(?:\[\d{1,3}(?:\s*,\s*\d{1,3})*\]|[①-⑳㉑-㉟㊱-㊿]))+[.;,]?`)
	linkForm    = lazyregexp.New(`\[([^\]\n]+)\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)[^)\n]*\)`)
	emphasis    = lazyregexp.New("\\*{1,3}|_{2,3}|`+|~~")
)

// statements takes Markdown apart into its sentences and the rows of its tables. Rules, code, heads
// of tables, and headings that cite nothing have none.
func statements(content string) []statement {
	r := statementReader{content: content, lines: strings.Split(content, "\n"), from: -1}
	r.code = text.CodeLines(r.lines)
	r.heads = notation.Heads(r.lines, r.code)
	at := 0
	for i, line := range r.lines {
		r.line(i, at, at+len(line))
		at += len(line) + 1
	}
	r.flush(len(r.lines))
	return r.all
}

// A statementReader reads Markdown line by line.
type statementReader struct {
	content  string
	lines    []string
	code     []bool // by line
	heads    []int  // of tables, by line
	all      []statement
	topic    string
	block    int
	from, to int  // of the open paragraph or list item; from is -1 where none is open
	item     bool // it is a list item
}

// line reads line i, which is content[at:end].
func (r *statementReader) line(i, at, end int) {
	line := r.lines[i]
	if r.code[i] || strings.TrimSpace(line) == "" {
		r.flush(i)
		return
	}
	switch {
	case r.from >= 0 && !r.item && underline.MatchString(line) && r.isHeading():
		r.heading(r.content[r.from:r.to], r.from, r.to)
		r.from = -1
	case ruleLine.MatchString(line):
		r.flush(i)
	case headingLine.MatchString(line):
		r.flush(i)
		r.heading(headingLine.FindStringSubmatch(line)[1], at, end)
	case r.from < 0 && boldLine.MatchString(line) && r.stands(i):
		m := boldLine.FindStringSubmatch(line)
		r.heading(m[1]+m[2], at, end)
	case r.heads[i] == i:
		r.flush(i)
	case r.heads[i] >= 0 || strings.HasPrefix(strings.TrimSpace(line), "|"):
		r.flush(i)
		r.row(i, at, end)
	case itemStart.MatchString(line):
		r.flush(i)
		r.from, r.to, r.item = at+len(itemStart.FindString(line)), end, true
	case r.from < 0:
		r.from, r.to, r.item = at, end, false
	default:
		r.to = end
	}
}

// flush takes the open block in. next is the line behind it.
func (r *statementReader) flush(next int) {
	if r.from < 0 {
		return
	}
	before := len(r.all)
	r.all = appendSentences(r.all, r.content, r.from, r.to, r.topic, r.block)
	if len(r.all) == before+1 && !r.item {
		r.all[before].leads = r.leadsTo(next)
	}
	r.block++
	r.from = -1
}

// row takes a row of a table in, with the names of its columns. One without marks cites what its
// table's head cites.
func (r *statementReader) row(i, at, end int) {
	s := statement{
		topic: r.topic,
		block: r.block,
		start: at,
		end:   at + len(strings.TrimRight(r.content[at:end], " \t\r")),
	}
	cells := plainCells(r.lines[i])
	if s.cells = cite.Row(nil, cells, ""); s.cells == "" {
		return
	}
	s.claim, s.marks = s.cells, notation.ParseMarks(r.lines[i])
	if head := r.heads[i]; head >= 0 {
		s.claim = cite.Row(plainCells(r.lines[head]), cells, "")
		if len(s.marks) == 0 {
			s.marks = notation.ParseMarks(r.lines[head])
		}
	}
	r.all, r.block = append(r.all, s), r.block+1
}

func plainCells(row string) []string {
	cells := notation.RowCells(row)
	for i, cell := range cells {
		cells[i] = plainWords(cell)
	}
	return cells
}

// heading takes a heading in. It is a statement where it cites, or gives a quantity.
func (r *statementReader) heading(words string, start, end int) {
	r.topic = plainWords(words)
	if marks := notation.ParseMarks(r.content[start:end]); r.topic != "" && (len(marks) > 0 || measures(r.topic)) {
		whole := strings.TrimRight(r.content[start:end], " \t\r")
		r.all = append(
			r.all,
			statement{block: r.block, start: start, end: start + len(whole), claim: r.topic, marks: marks},
		)
		r.block++
	}
}

// isHeading reports whether the open paragraph, which a line of hyphens or equals signs follows, is a
// heading: one line that does not end as a sentence does. A rule may stand below a sentence.
func (r *statementReader) isHeading() bool {
	words := strings.TrimSpace(r.content[r.from:r.to])
	return !strings.Contains(words, "\n") && !strings.ContainsAny(words[len(words)-1:], ".!?]") &&
		!strings.HasSuffix(words, "。")
}

// stands reports whether line i, which is bold as a whole, stands above a text as a heading does: it
// has no figure, a blank line follows, and then something else.
func (r *statementReader) stands(i int) bool {
	next := r.next(i + 1)
	return next > i+1 && next < len(r.lines) && !strings.ContainsFunc(r.lines[i], unicode.IsDigit)
}

// next is the first line from i that is not blank.
func (r *statementReader) next(i int) int {
	for i < len(r.lines) && strings.TrimSpace(r.lines[i]) == "" {
		i++
	}
	return i
}

// leadsTo reports whether a list or a table comes next, from line i.
func (r *statementReader) leadsTo(i int) bool {
	i = r.next(i)
	return i < len(r.lines) && !r.code[i] && (itemStart.MatchString(r.lines[i]) || r.heads[i] == i)
}

// appendSentences adds the sentences of one block. Marks that stand behind the full
// stop belong to the sentence before.
func appendSentences(all []statement, content string, from, to int, topic string, block int) []statement {
	first := len(all)
	words := strings.ReplaceAll(content[from:to], "\n", " ") // a paragraph may be wrapped anywhere
	for _, span := range text.Sentences(words) {
		s := statement{topic: topic, block: block, start: from + span.Start, end: from + span.End}
		if lead := leadMarks.FindString(content[s.start:s.end]); lead != "" && len(all) > first {
			before := &all[len(all)-1]
			before.end = s.start + len(lead)
			before.marks = notation.ParseMarks(content[before.start:before.end])
			s.start += len(lead)
			s.start += len(content[s.start:s.end]) - len(strings.TrimLeft(content[s.start:s.end], " \t\n"))
		}
		said := content[s.start:s.end]
		if s.claim, s.marks = plainWords(said), notation.ParseMarks(said); s.claim != "" {
			all = append(all, s)
		}
	}
	return all
}

// plainWords takes marks, links and emphasis off a piece of Markdown.
func plainWords(s string) string {
	s = linkForm.ReplaceAllString(notation.WithoutMarks(s), "$1")
	s = addressForm.ReplaceAllStringFunc(s, func(address string) string {
		if strings.ContainsAny(address, "0123456789") && isAddress(strings.Trim(address, "<>.,;:")) {
			return "" // its digits are no figures of the claim
		}
		return address
	})
	s = emphasis.ReplaceAllString(s, "")
	return text.OneLine(strings.ReplaceAll(s, "&lt;", "<"))
}

// About the report itself and about what is missing nobody can cite anything.
var aboutItself = lazyregexp.New(
	`(?i)^(?:this (?:report|answer|section|overview|summary)|the (?:report|following|sources (?:do|did|give|are|were)|available sources)|none of the sources|no (?:source|sources|reliable|information)|nothing |i |we |in this|not (?:stated|found|known)` +
		`|dieser (?:bericht|abschnitt)|die quellen|keine (?:der )?quelle|ich |wir |nichts |im folgenden|ce rapport|rien |les sources|aucune source|este informe|nada |las fuentes|ninguna fuente|этот отчёт|источники|ни один)`,
)

// measures says whether words that state nothing by their form, a heading or what leads up
// to a list, give a quantity all the same: 640 GWh, not 3 steps.
func measures(words string) bool {
	return slices.ContainsFunc(
		quantity.Figures(text.Read(words, text.LikelyLanguage(words))),
		func(f quantity.Figure) bool { return f.Dimension != quantity.DimensionCount },
	)
}

// factual reports whether a sentence states something that a source must bear out: all
// that is long enough, or has a figure. A question and what leads up to a list do where they
// give a quantity; a paragraph that leads up to one does where it has a figure or a name.
func (s statement) factual() bool {
	words := len(text.Words(s.claim))
	last := strings.TrimRight(s.claim, " ")
	switch {
	case last == "":
		return false
	case s.cells != "":
		return strings.ContainsFunc(s.cells, unicode.IsDigit)
	case strings.HasSuffix(last, ":"),
		strings.HasSuffix(last, "："),
		strings.HasSuffix(last, "?"),
		strings.HasSuffix(last, "？"):
		return measures(s.claim)
	case strings.ContainsFunc(s.claim, unicode.IsDigit):
		return words >= 2
	case s.leads && !hasName(s.claim):
		return false
	}
	return words >= 5 && !aboutItself.MatchString(s.claim)
}

// A checked statement.
type checked struct {
	statement
	cite.Held
	bound int    // the source that was found for a sentence that names none; 0 where none was
	open  bool   // it names no source, and only a judge can tell whether those of its paragraph say it
	key   string // under which the check is kept; empty where a source may still be read
}

// hasName says whether a word within a sentence that carries meaning begins with a capital.
func hasName(sentence string) bool {
	lang := text.LikelyLanguage(sentence)
	for i, word := range text.Words(sentence) {
		said := sentence[word.Start:word.End]
		if first := []rune(said)[0]; i > 0 && unicode.IsUpper(first) && len(text.Terms(said, lang)) > 0 {
			return true
		}
	}
	return false
}

// verified is a text as it may be published, with what the check found.
type verified struct {
	content    string
	findings   []citewell.Finding
	unverified []citewell.UnverifiedPhrase
	removed    []string
	places     []citewell.Place
	remarks    []string // on the text as a whole; they make nothing in it unproven
	language   string
	judge      *citewell.JudgeReport // nil where none was asked
	needsNone  bool                  // it states nothing that a source would have to bear out
	instead    string                // why these are the words of the sources, and not the model's
}

var (
	imageForm = lazyregexp.New(`!\[([^\]\n]*)\](?:\([^)\n]*\)|\[[^\]\n]*\])`)
	// A remark is code's word: one that the model writes, or copies, says nothing.
	remarkForm = lazyregexp.New(`[ \t]*\(⚠[^()\n]*\)`)
	tagForm    = lazyregexp.New(`<([A-Za-z/!?])`)
	dotForm    = lazyregexp.New(`([\p{Latin}\p{N}])[。｡․．]([\p{Latin}\p{N}])`)
	// emptyForm is what an address leaves that stood in brackets.
	emptyForm = lazyregexp.New(`[ \t]+[(（\[<][ \t\x{E000}]*[)）\]>]`)
	// A URL first, so that the host within it is not looked at by itself.
	addressForm = lazyregexp.New(
		`(?i)<?(?:[a-z][a-z0-9+.-]{1,20}:)?//[^\s)\]}>。，、；！？）】」』”]*>?|(?:mailto|javascript|data|file|ftp|tel|magnet):[^\s)\]}>]+` +
			`|(?:[a-z0-9_-]+\.)+[a-z]{2,24}(?:[:/][^\s)\]}>。，、；！？）】」』”]*)?|\b\d{1,3}(?:\.\d{1,3}){3}\b(?:[:/]\S*)?`,
	)
	// identifierForm is a DOI or the number of a paper at arXiv, which lead to a page as an
	// address does. A DOI without its name has a letter: 10.2024/11.2025 are months.
	identifierForm = lazyregexp.New(
		`(?i)\bdoi[\s:]{0,3}(10\.\d{4,9}/[^\s<>()\[\]{}"“”，。；]+)|\b(10\.\d{4,9}/[^\s<>()\[\]{}"“”，。；]*[a-z][^\s<>()\[\]{}"“”，。；]*)` +
			`|\barxiv[\s:]{0,3}(\d{4}\.\d{4,5}(?:v\d+)?|[a-z]+(?:-[a-z]+)?(?:\.[a-z]{2})?/\d{7}(?:v\d+)?)`,
	)
)

// isAddress says whether what looks like an address is one: "Node.js" ends in nothing
// that domains are registered under.
func isAddress(s string) bool {
	lower := strings.ToLower(s)
	if strings.Contains(lower, "//") || strings.Contains(lower, ":") {
		return true
	}
	name, path, _ := strings.Cut(lower, "/")
	if name != "" && strings.Trim(name, "0123456789.") == "" {
		return strings.Count(name, ".") == 3
	}
	for _, end := range []string{".test", ".example", ".invalid", ".localhost", ".local", ".internal",
		".onion", ".arpa"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	suffix, managed := publicsuffix.PublicSuffix(name)
	return managed && suffix != name || path != "" && managed
}
