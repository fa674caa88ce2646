package cite

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/quantity"
	"github.com/citewell/citewell/text"
)

// tables are the rows of the tables in some passages, as a claim is held against them: a
// row is proof of what its own first cell names, and a figure of what its column is.
type tables struct {
	lang  string
	words map[string]bool     // of the claim
	terms map[string]bool     // of the claim, without function words
	named map[string][]string // by the columns of a table: the first cells that the claim names whole
}

func tablesOf(claim, lang string, passages []citewell.Passage) tables {
	t := tables{lang: lang, words: map[string]bool{}, terms: map[string]bool{}, named: map[string][]string{}}
	for _, p := range passages {
		if p.Columns == "" {
			continue
		}
		if len(t.words) == 0 {
			for _, w := range text.Words(claim) {
				t.words[w.Text] = true
			}
			for _, term := range text.Terms(claim, lang) {
				t.terms[term] = true
			}
		}
		at := 0
		for line := range strings.Lines(p.Text) {
			if end := at + len(strings.TrimSuffix(line, "\n")); p.IsRow(at, end) {
				if name := firstCell(line); t.hasAll(name) {
					t.named[p.Columns] = append(t.named[p.Columns], name)
				}
			}
			at += len(line)
		}
	}
	return t
}

func firstCell(row string) string {
	name, _, _ := strings.Cut(row, citewell.Cells)
	return name
}

// hasAll says whether the claim has every word of a name. A number alone names nothing.
func (t tables) hasAll(name string) bool {
	words := text.Words(name)
	for _, w := range words {
		if !t.words[w.Text] {
			return false
		}
	}
	return len(words) > 0 && strings.ContainsFunc(name, unicode.IsLetter)
}

// read gives what a passage has at [from, to) as it is compared: a row of a table with
// the name of its column before each cell. doubt says why it proves nothing of the claim,
// whatever its words; empty where it may.
func (t tables) read(p citewell.Passage, from, to int) (words, doubt string) {
	words = p.Text[from:to]
	if !p.IsRow(from, to) {
		if p.Columns != "" && strings.Count(words, citewell.Cells) > 0 && strings.Contains(words, "\n") {
			return words, "the words are of several rows of a table"
		}
		return words, ""
	}
	if others := t.named[p.Columns]; len(others) > 0 && !t.hasAll(firstCell(words)) {
		return words, fmt.Sprintf("the row is that of %q, the claim is about %q", firstCell(words), others[0])
	}
	columns, cells := strings.Split(p.Columns, citewell.Cells), strings.Split(words, citewell.Cells)
	asked, given, fits := 0, 0, false // columns that the claim names, and that have its figure; the first names the row
	for i := range min(len(columns), len(cells)) {
		names, states := i > 0 && t.names(columns[i]), i > 0 && t.states(cells[i])
		switch {
		case names && states:
			fits = true
		case names && cells[i] != "":
			asked = i
		case states:
			given = i
		}
		if columns[i] != "" && cells[i] != "" {
			cells[i] = columns[i] + ": " + t.withUnit(cells[i], columns[i])
		}
	}
	if asked > 0 && given > 0 && !fits {
		doubt = fmt.Sprintf("the row has %q, the claim is about its %q", cells[given], columns[asked])
	}
	return strings.Join(cells, "; "), doubt
}

// whole gives a passage as it is compared, each row as read gives it.
func (t tables) whole(p citewell.Passage) string {
	if p.Columns == "" {
		return p.Text
	}
	var all strings.Builder
	at := 0
	for line := range strings.Lines(p.Text) {
		end := at + len(strings.TrimSuffix(line, "\n"))
		words, _ := t.read(p, at, end)
		all.WriteString(words + "\n")
		at += len(line)
	}
	return all.String()
}

// withUnit gives a bare number the unit that its column's name ends with, as "Weight (kg)".
func (t tables) withUnit(cell, column string) string {
	words := text.Words(column)
	if len(words) == 0 {
		return cell
	}
	last := words[len(words)-1]
	with := cell + " " + column[last.Start:last.End]
	bare, whole := quantity.Figures(cell, t.lang), quantity.Figures(with, t.lang)
	if len(bare) == 1 && bare[0].Plain() && len(whole) == 1 && whole[0].Dimension != quantity.DimensionCount {
		return with
	}
	return cell
}

// names says whether the claim has a word of a column's name.
func (t tables) names(column string) bool {
	return slices.ContainsFunc(text.Terms(column, t.lang), func(term string) bool { return t.terms[term] })
}

// states says whether the claim has a figure of a cell, as it is written there.
func (t tables) states(cell string) bool {
	return slices.ContainsFunc(text.Words(cell), func(w text.Token) bool { return strings.ContainsFunc(w.Text, unicode.IsDigit) && t.words[w.Text] })
}

// CheckRows holds a claim against each row of the table in a passage of a source, and
// against the text above it, and gives what bears it out best and where that stands in
// the passage. It decides only where a row supports the claim or the claim names a row of
// the table, in whichever of the passages: then no mixture of rows does.
func CheckRows(claim, lang string, p citewell.Passage, passages []citewell.Passage) (best Judgement, at text.Span, decides bool) {
	t := tablesOf(claim, lang, passages)
	above, start := -1, 0
	for line := range strings.Lines(p.Text) {
		row := text.Span{Start: start, End: start + len(strings.TrimSuffix(line, "\n"))}
		start += len(line)
		if above < 0 && strings.Contains(line, citewell.Cells) {
			above = row.Start
		}
		if !p.IsRow(row.Start, row.End) {
			continue
		}
		words, doubt := t.read(p, row.Start, row.End)
		j := Check(claim, words, lang)
		if doubt != "" && grade(j.Verdict) > 0 {
			j.Verdict, j.Reason = citewell.VerdictUnsupported, doubt
		}
		if at.End == 0 || grade(j.Verdict) > grade(best.Verdict) || j.Verdict == best.Verdict && j.Score > best.Score {
			best, at = j, row
		}
	}
	decides = at.End > 0 && (best.Verdict == citewell.VerdictSupported || len(t.named[p.Columns]) > 0)
	if decides && above > 0 {
		if from, to, ok := trimSpan(p.Text, 0, above); ok {
			if j := Check(claim, p.Text[from:to], lang); grade(j.Verdict) > grade(best.Verdict) {
				return j, text.Span{Start: from, End: to}, true
			}
		}
	}
	return best, at, decides
}
