package agent

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/notation"
)

// HandedIn gives a report that a file carries, and no store keeps, in the form in which its citations are
// checked. It tells which of the checked sentences do not stand in the report's own text, or not in their
// order, and which cite a source that the text does not. A sentence that says of itself that it is not borne
// out is believed only where the text says so to its reader.
func HandedIn(r citewell.Report) (citewell.Brief, []cite.Problem) {
	b := r.Brief()
	b.Findings = slices.Clone(b.Findings)
	var said strings.Builder
	for _, s := range statements(r.Content) {
		said.WriteString(letters(s.claim))
	}
	marks := notation.ParseMarks(r.Content)
	var problems []cite.Problem
	rest := said.String()
	for i := range b.Findings {
		f := &b.Findings[i]
		if f.Problem != "" && !strings.Contains(r.Content, citewell.Remark(f.Problem)) {
			f.Problem = ""
		}
		for _, c := range f.Citations {
			if !slices.Contains(marks, c.N) {
				problems = append(problems, cite.Problem{Code: cite.ProblemSource,
					Message: fmt.Sprintf("F%d cites source %d, which the text does not", i+1, c.N)})
			}
		}
		_, after, found := strings.Cut(rest, letters(plainWords(f.Text)))
		if !found {
			problems = append(problems, cite.Problem{Code: cite.ProblemStatement,
				Message: fmt.Sprintf("F%d was checked and does not stand in the text, or not there: %.300q",
					i+1, f.Text)})
			continue
		}
		rest = after
	}
	return b, problems
}

// letters are the letters and digits of a text.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}
