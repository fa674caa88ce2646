package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/notation"
	"github.com/citewell/citewell/internal/text"
)

// OfBrief gives a brief as the report of a run: its findings, or the passages that came
// closest, its disagreements and its gaps as sentences with the numbers of their sources.
// The report has the brief's id, and its outcome is the brief's in the words of runs.
func OfBrief(b citewell.Brief, agent string) citewell.Report {
	r := citewell.Report{Schema: citewell.ReportSchema, ID: b.ID, Agent: agent, Task: b.Query, Title: b.Query,
		Language:   text.LikelyLanguage(b.Query),
		Confidence: strings.ToLower(string(b.Confidence.Level)), Outcome: string(b.Outcome), CreatedAt: b.CreatedAt,
		Findings: []citewell.Finding{}, Unverified: []citewell.UnverifiedPhrase{}, Removed: []string{},
		Sources: []citewell.Source{}, Passages: []citewell.Passage{}}
	if b.Outcome == citewell.BriefUnanswered {
		r.Outcome = "no_sources"
	}
	var w strings.Builder
	say := func(f citewell.Finding) {
		named, sides := sidesSaid(f.Citations)
		f.Text = cmp.Or(sides, unmarked(f.Text))
		r.Findings = append(r.Findings, f)
		w.WriteString("- ")
		start := w.Len()
		if named == "" {
			named = statement(f.Text, f.Citations) + " " + notation.Numbers(cited(f.Citations)...)
		}
		w.WriteString(named)
		r.Places = append(r.Places, citewell.Place{Start: start, End: w.Len(), Finding: len(r.Findings) - 1})
		w.WriteByte('\n')
	}
	section := func(header string) { fmt.Fprintf(&w, "\n## %s\n\n", header) }
	topic := ""
	for i, f := range b.Findings {
		if own := cmp.Or(title(f.Topic), otherTopic); own != topic && (i > 0 || own != otherTopic) {
			topic = own
			section(topic)
		}
		say(f)
	}
	if b.Outcome == citewell.BriefUnanswered {
		w.WriteString(unanswered + "\n")
		if len(b.Nearest) > 0 {
			section(nearestHeader)
		}
		for _, n := range b.Nearest {
			say(citewell.Finding{Text: n.Text, Citations: n.Citations})
		}
	}
	if len(b.Disagreements) > 0 {
		section(disagreementsHeader)
	}
	for _, d := range b.Disagreements {
		say(citewell.Finding{Text: d.Text, Citations: d.Citations})
	}
	listGaps(&w, b.Gaps)
	content := trimmedLeft(w.String())
	for i := range r.Places {
		r.Places[i].Start -= w.Len() - len(content)
		r.Places[i].End -= w.Len() - len(content)
	}
	r.Content = strings.TrimSpace(content)
	used := map[int]bool{}
	passages := map[string]bool{}
	for _, f := range r.Findings {
		for _, c := range f.Citations {
			used[c.N], passages[c.Passage] = true, true
		}
	}
	r.Sources = append(r.Sources, slices.DeleteFunc(slices.Clone(b.Sources), func(s citewell.Source) bool {
		return !used[s.N]
	})...)
	r.Passages = append(r.Passages, slices.DeleteFunc(slices.Clone(b.Passages), func(p citewell.Passage) bool {
		return !passages[p.ID]
	})...)
	return r
}

// unmarked is a text without marks: those of the source's own would be taken for ours.
func unmarked(s string) string {
	return notation.MapMarks(s, func(notation.Reference) string { return "" })
}

// sidesSaid says who states which value, where citations are of the sides of a disagreement: as Markdown, each side
// with the numbers of its sources behind it, and as words without. Of each side the first is quoted.
func sidesSaid(citations []citewell.Citation) (named, sides string) {
	var parts, words []string
	seen := map[string]bool{}
	for _, first := range citations {
		if first.Says == "" || seen[first.Says] {
			continue
		}
		seen[first.Says] = true
		var side []citewell.Citation
		for _, c := range citations {
			if c.Says == first.Says {
				side = append(side, c)
			}
		}
		said := fmt.Sprintf("“%s”: “%s”", unmarked(first.Says), unmarked(first.Quote))
		parts, words = append(parts, within(said)+" "+notation.Numbers(cited(side)...)), append(words, said)
	}
	if len(parts) < 2 {
		return "", ""
	}
	return strings.Join(parts, " "), strings.Join(words, " ")
}
