package report

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/citewell/citewell"
)

// Altered returns the statements that a file has otherwise than r rendered, or not at all, by the labels that
// cite.Verify gives them (F1, D1, N1), each with its words. A statement of a brief is its line, one of a run's report
// its sentence.
func (r Record) Altered(file string) map[string]string {
	was, is := wordsOf(r.Markdown()), wordsOf(file)
	stampOf(was)
	stampOf(is)
	same, changed, instead := differing(was, is)
	if len(changed) == 0 {
		return nil
	}
	there := map[string]bool{}
	for _, line := range is {
		there[line.words] = true
	}
	// touches reports whether the file has the bytes from start to end of a line otherwise.
	touches := func(line, start, end int) bool {
		i := line - same
		if i < 0 || i >= len(changed) || there[changed[i].words] {
			return false
		}
		if i >= len(instead) {
			return true
		}
		from, to := changedSpan(changed[i].words, instead[i].words)
		return from <= end && to >= start
	}
	words := lettersOf(was)
	altered := map[string]string{}
	from := 0
	for _, s := range r.statements() {
		letters := lettersOf([]wordsLine{{words: s.rendered}}).letters
		at := strings.Index(words.letters[from:], letters)
		if letters == "" || at < 0 {
			continue
		}
		start := from + at
		from = start + len(letters)
		first, last := words.places[start], words.places[from-1]
		for line := first.line; line <= last.line; line++ {
			begin, end := 0, len(was[line].words)
			if start > 0 && line == first.line && words.places[start-1].line == line {
				begin = words.places[start-1].offset + 2 // signs between two statements belong to the second
			}
			if line == last.line {
				end = last.offset + 1
			}
			if touches(line, begin, end) {
				altered[s.label] = s.text
			}
		}
	}
	return altered
}

// changedSpan returns the bytes of was that is has otherwise.
func changedSpan(was, is string) (from, to int) {
	for from < min(len(was), len(is)) && was[from] == is[from] {
		from++
	}
	behind := 0
	for behind < min(len(was), len(is))-from && was[len(was)-1-behind] == is[len(is)-1-behind] {
		behind++
	}
	return from, len(was) - behind
}

// A renderedStatement has the label that cite.Verify gives it, its words, and the words of its file, without signs.
type renderedStatement struct{ label, text, rendered string }

// statements returns those of r in the order of its file.
func (r Record) statements() (all []renderedStatement) {
	add := func(kind string, i int, said, rendered string) {
		all = append(all, renderedStatement{fmt.Sprintf("%s%d", kind, i+1), said, rendered})
	}
	if r.Report != nil {
		content := tidyContent(r.Report.Content)
		for _, p := range placesOf(*r.Report, content) {
			if p.Finding >= 0 {
				add("F", p.Finding, content[p.Start:p.End], content[p.Start:p.End])
			}
		}
		return all
	}
	for i, f := range r.Brief.Findings {
		add("F", i, f.Text, findingLine(f))
	}
	for i, n := range r.Brief.Nearest {
		add("N", i, n.Text, findingLine(citewell.Finding{Text: n.Text, Citations: n.Citations}))
	}
	for i, d := range r.Brief.Disagreements {
		add("D", i, d.Text, disagreementLine(d))
	}
	return all
}

// A linePlace is a byte of a line.
type linePlace struct{ line, offset int }

// lineLetters are the letters and numbers of lines, and where each byte of them stands.
type lineLetters struct {
	letters string
	places  []linePlace
}

func lettersOf(lines []wordsLine) (all lineLetters) {
	var letters strings.Builder
	for n, line := range lines {
		for i, r := range line.words {
			if !unicode.IsLetter(r) && !unicode.IsNumber(r) {
				continue
			}
			size, _ := letters.WriteRune(r)
			for k := range size {
				all.places = append(all.places, linePlace{n, i + k})
			}
		}
	}
	all.letters = letters.String()
	return all
}
