package report

import (
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/notation"
)

// signs tell in Markdown how a citation stands, right behind the number of its source. One that words
// find to be supported has none. Each is one of notation.Signs.
var signs = map[citewell.Verdict]string{
	citewell.VerdictContradicted: "✗",
	citewell.VerdictUnsupported:  "⊖",
	citewell.VerdictNoSource:     "⊘",
	citewell.VerdictPartly:       "◐",
	citewell.VerdictSnippetOnly:  "◌",
	citewell.VerdictUndecided:    "⊙",
	ByJudge:                      "≈",
}

const legendOpens = "*Signs behind numbers: "

// signed is the content of a report with the signs of its citations, and a line that explains those that occur.
func signed(r citewell.Report) (content, legend string) {
	content = tidyContent(r.Content)
	places, of, used := placesOf(r, content), byFinding(r), map[citewell.Verdict]bool{}
	var w strings.Builder
	at := 0
	for _, mark := range notation.References(content) {
		i, _ := spanAt(len(places), func(i int) (start, end int) {
			return places[i].Start, places[i].End
		}, mark.Start, len(content))
		if i < 0 || places[i].Finding < 0 || mark.Start < at {
			continue
		}
		var shown strings.Builder
		signed := false
		for _, n := range mark.Numbers {
			stands := markOf(of[places[i].Finding], n).Stands
			shown.WriteString(notation.Numbers(n) + signs[stands])
			used[stands], signed = true, signed || signs[stands] != ""
		}
		switch {
		case !signed:
			continue
		case len(mark.Numbers) > 1:
			w.WriteString(content[at:mark.Start] + shown.String())
			at = mark.End
		default: // behind a link, where the number is one
			if link := runLink.FindStringIndex(content[mark.Start:]); link != nil && link[0] == 0 {
				mark.End = mark.Start + link[1]
			}
			w.WriteString(content[at:mark.End] + signs[markOf(of[places[i].Finding], mark.Numbers[0]).Stands])
			at = mark.End
		}
	}
	w.WriteString(content[at:])
	var explained []string
	for _, v := range slices.Backward(Verdicts) {
		if used[v.Verdict] && signs[v.Verdict] != "" {
			explained = append(explained, signs[v.Verdict]+" "+v.Word)
		}
	}
	if len(explained) > 0 {
		legend = legendOpens + strings.Join(explained, " · ") + "*\n\n"
	}
	return w.String(), legend
}

const linkTarget = `\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)[^)\n]*\)`

var (
	runLink    = lazyregexp.New(`\[([^\]\n]+)\]` + linkTarget)
	signBehind = lazyregexp.New(`(\[\d{1,4}(?:\s*,\s*\d{1,4})*\]|[①-⑳㉑-㉟㊱-㊿])(` + linkTarget + `)?[` +
		notation.Signs + `]`)
	remarkForm = lazyregexp.New(`[ \t]*\(⚠ [a-z ]{1,40}\)`)
	entryLine  = lazyregexp.New(`^(\[\d{1,4}\]) .+ - (\S+)$`)
)

// unsigned gives of the file of a run, line by line, what its writer has said and what the numbers stand for:
// without its furniture, the remarks on sentences and the signs behind numbers. It is false for other files.
func unsigned(lines []string) bool {
	created := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, createdLine) })
	if created < 0 || created > maxAbove {
		return false
	}
	sources := len(lines) - 1 // the last list, which is ours
	for sources >= 0 && strings.TrimSpace(lines[sources]) != "## "+sourcesHeader {
		sources--
	}
	section, begun := "", false
	for i, line := range lines {
		line = strings.TrimRight(line, " \t\r")
		header, isHeader := strings.CutPrefix(line, "## ")
		if isHeader && i >= sources {
			section = header
		}
		switch {
		case i == created, strings.HasPrefix(line, legendOpens), i > created && !begun && firstLine.MatchString(line),
			slices.Contains(repeating, section):
			lines[i] = ""
		case section == sourcesHeader && entryLine.MatchString(line):
			lines[i] = entryLine.ReplaceAllString(line, "$1: $2")
		case section == sourcesHeader:
			lines[i] = ""
		default:
			lines[i] = remarkForm.ReplaceAllString(signBehind.ReplaceAllString(line, "$1$2"), "")
		}
		begun = begun || i > created && line != ""
	}
	return true
}
