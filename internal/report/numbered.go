package report

import (
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/notation"
)

var (
	circledMarks = lazyregexp.New(`\[[①-⑳](?:[①-⑳]|\[\d{1,3}\])*\]|\[(?:\[\d{1,3}\])[①-⑳]*\]|[①-⑳]`)
	sourceLine   = lazyregexp.New(`^(?:[①-⑳]|\[\d{1,3}\]) .+ \[[^\[\]]+\]$`)
	addressLine  = lazyregexp.New(`^   (?:read at: )?(<?(?:https?|file)://\S+)$`)
)

// repeating are the sections of a brief that say again what its findings say, or what happened.
var repeating = []string{disagreementsHeader, nearestHeader, gapsHeader, referencesHeader, additionalHeader,
	coverageHeader, verificationHeader}

// Numbered gives of the file of a brief what anybody could have written: its findings, with [1] for ①, for each number
// of a source where that was read, and what somebody has added in a section of another name. Of the file of a run it
// gives the content without our signs and remarks, and the list of sources. Of the rest the lines are empty, so that
// lines keep their numbers. Any other text is given back as it is.
func Numbered(markdown string) string {
	lines := strings.Split(markdown, "\n")
	if unsigned(lines) {
		return strings.Join(lines, "\n")
	}
	section, numbers, found := "", "", false
	at := map[string]int{} // the line that says where a source is
	for i, line := range lines {
		if header, ok := strings.CutPrefix(line, "## "); ok {
			section, numbers = header, ""
		}
		if slices.Contains(repeating, section) {
			lines[i] = ""
			continue
		}
		if section != sourcesHeader {
			lines[i] = circledMarks.ReplaceAllStringFunc(line, func(marks string) string {
				return notation.Numbers(notation.ParseMarks(marks)...)
			})
			continue
		}
		lines[i] = ""
		switch {
		case strings.HasPrefix(line, "### "): // the extracts
			section = coverageHeader
		case sourceLine.MatchString(line):
			mark, _, _ := strings.Cut(line, " ")
			numbers = notation.Numbers(notation.ParseMarks(mark)...)
		case numbers != "":
			// of a publication the last, where it was read
			if address := addressLine.FindStringSubmatch(line); address != nil {
				if before, known := at[numbers]; known {
					lines[before] = ""
				}
				lines[i], at[numbers], found = numbers+": "+address[1], i, true
			}
		}
	}
	if !found || !strings.Contains("\n"+markdown, "\n## "+findingsHeader+"\n") {
		return markdown
	}
	return strings.Join(lines, "\n")
}
