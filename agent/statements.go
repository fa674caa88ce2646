package agent

import (
	"slices"
	"strings"
	"unicode"

	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/quantity"
	"github.com/citewell/citewell/text"
)

// A statement is one sentence of a report, or a row of a table.
type statement struct {
	topic      string // the heading above it
	block      int    // sentences of one paragraph or list item have the same
	start, end int    // in the content, with its marks
	claim      string // its words without marks and markup
	marks      []int
	row        bool
}

var (
	headingLine = lazyregexp.New(`^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$`)
	ruleLine    = lazyregexp.New(`^[\s|:*_=-]+$`)
	itemStart   = lazyregexp.New(`^\s*(?:>\s*)*(?:[-*+]|\d{1,3}[.)])\s+|^\s*(?:>\s*)+`)
	leadMarks   = lazyregexp.New(`^(?:\s*(?:\[\d{1,3}(?:\s*,\s*\d{1,3})*\]|[①-⑳㉑-㉟㊱-㊿]))+[.;,]?`)
	linkForm    = lazyregexp.New(`\[([^\]\n]+)\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)[^)\n]*\)`)
	emphasis    = lazyregexp.New("\\*{1,3}|_{2,3}|`+|~~")
)

// statements takes Markdown apart into its sentences. Rules, code and headings that cite
// nothing have none.
func statements(content string) []statement {
	var all []statement
	topic, block := "", 0
	from, to := -1, -1 // of the open block
	flush := func() {
		if from >= 0 {
			all = appendSentences(all, content, from, to, topic, block)
			block++
		}
		from = -1
	}
	lines := strings.Split(content, "\n")
	code := text.CodeLines(lines)
	at := 0
	for i, line := range lines {
		end := at + len(line)
		switch {
		case code[i]:
			flush()
		case ruleLine.MatchString(line) || strings.TrimSpace(line) == "":
			flush()
		case headingLine.MatchString(line):
			flush()
			topic = plainWords(headingLine.FindStringSubmatch(line)[1])
			if marks := cite.ParseMarks(line); topic != "" && (len(marks) > 0 || measures(topic)) {
				all = append(all, statement{block: block, start: at, end: at + len(strings.TrimRight(line, " \t\r")), claim: topic, marks: marks})
				block++
			}
		case strings.HasPrefix(strings.TrimSpace(line), "|"):
			flush()
			s := statement{topic: topic, block: block, start: at, end: at + len(strings.TrimRight(line, " \t\r")), row: true}
			s.claim, s.marks = plainWords(strings.ReplaceAll(strings.Trim(strings.TrimSpace(line), "|"), "|", ", ")), cite.ParseMarks(line)
			all, block = append(all, s), block+1
		case itemStart.MatchString(line):
			flush()
			from, to = at+len(itemStart.FindString(line)), end
		case from < 0:
			from, to = at, end
		default:
			to = end
		}
		at = end + 1
	}
	flush()
	return all
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
			before.marks = cite.ParseMarks(content[before.start:before.end])
			s.start += len(lead)
			s.start += len(content[s.start:s.end]) - len(strings.TrimLeft(content[s.start:s.end], " \t\n"))
		}
		said := content[s.start:s.end]
		if s.claim, s.marks = plainWords(said), cite.ParseMarks(said); s.claim != "" {
			all = append(all, s)
		}
	}
	return all
}

// plainWords takes marks, links and emphasis off a piece of Markdown.
func plainWords(s string) string {
	s = linkForm.ReplaceAllString(cite.WithoutMarks(s), "$1")
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
var aboutItself = lazyregexp.New(`(?i)^(?:this (?:report|answer|section|overview|summary)|the (?:report|following|sources (?:do|did|give|are|were)|available sources)|none of the sources|no (?:source|sources|reliable|information)|nothing |i |we |in this|not (?:stated|found|known)` +
	`|dieser (?:bericht|abschnitt)|die quellen|keine (?:der )?quelle|ich |wir |nichts |im folgenden|ce rapport|rien |les sources|aucune source|este informe|nada |las fuentes|ninguna fuente|этот отчёт|источники|ни один)`)

// measures says whether words that state nothing by their form, a heading or what leads up
// to a list, give a quantity all the same: 640 GWh, not 3 steps.
func measures(words string) bool {
	return slices.ContainsFunc(quantity.Figures(words, text.LikelyLanguage(words)), func(f quantity.Figure) bool { return f.Dimension != quantity.DimensionCount })
}

// factual says whether a sentence states something that a source must bear out: all
// that is long enough, or has a figure. A question and what leads up to a list do where they
// give a quantity.
func (s statement) factual() bool {
	words := len(text.Words(s.claim))
	last := strings.TrimRight(s.claim, " ")
	switch {
	case last == "":
		return false
	case strings.HasSuffix(last, ":"), strings.HasSuffix(last, "："), strings.HasSuffix(last, "?"), strings.HasSuffix(last, "？"):
		return measures(s.claim)
	}
	digits := strings.ContainsFunc(s.claim, unicode.IsDigit)
	switch {
	case s.row:
		return digits
	case digits:
		return words >= 2
	}
	return words >= 5 && !aboutItself.MatchString(s.claim)
}
