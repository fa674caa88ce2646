package proofread

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
)

// takeApart divides a text into its sentences, with the pages that they cite.
func takeApart(content string) Report {
	plain, cited, notes := numberCitations(content)
	r := Report{Sentences: []Sentence{}, Uncited: []Words{}, Named: []Words{}, Pages: []Page{}}
	line, counted := 1, 0
	for _, s := range agent.Sentences(plain) {
		line, counted = line+strings.Count(plain[counted:s.Start], "\n"), s.Start
		own, targets := asText.Replace(s.Text), targetsOf(s.Marks, cited)
		switch {
		case onlyLinks(cmp.Or(s.Cells, s.Text)):
			notes = append(notes, linkNotes(line, cmp.Or(s.Cells, s.Text), targets)...)
		case len(s.Marks) > 0:
			r.Sentences = append(r.Sentences, Sentence{Line: line, Text: own, Pages: r.cite(targets), marked: s.Text})
		case s.Factual:
			r.Uncited = append(r.Uncited, Words{line, own})
		}
	}
	for _, n := range notes {
		line, counted := n.line, 0
		for _, s := range agent.Sentences(n.words) {
			line, counted = line+strings.Count(n.words[counted:s.Start], "\n"), s.Start
			switch {
			case !s.Factual:
			case n.targets == nil:
				r.Named = append(r.Named, Words{line, s.Text})
			default:
				r.Sentences = append(r.Sentences, Sentence{Line: line, Text: s.Text, Pages: r.cite(n.targets),
					marked: s.Text, beside: true})
			}
		}
	}
	slices.SortStableFunc(r.Sentences, func(a, b Sentence) int { return a.Line - b.Line })
	return r
}

var linked = lazyregexp.New(linkOpens + "[^" + linkCloses + "]*" + linkCloses)

// onlyLinks says whether words are links and nothing that says more than where to look. A
// title has no full stop; a sentence that is a link as a whole has one.
func onlyLinks(words string) bool {
	rest := strings.TrimSpace(linked.ReplaceAllString(words, ""))
	before := strings.TrimRight(rest, ".。 ")
	return linked.MatchString(words) && (strings.HasSuffix(before, ":") || before == rest &&
		len(text.Terms(rest, "")) == 0)
}

// linkNotes are the links of a line that has nothing but links, each with its target where
// the line has as many.
func linkNotes(line int, marked string, targets []string) []note {
	var notes []note
	links := linked.FindAllString(marked, -1)
	for i, words := range links {
		n := note{line, asText.Replace(words), targets}
		if len(links) == len(targets) {
			n.targets = targets[i : i+1]
		}
		notes = append(notes, n)
	}
	return notes
}

// targetsOf are the targets that marks stand for; a mark that the text does not explain
// stands for itself.
func targetsOf(marks []int, cited []citewell.Source) []string {
	var targets []string
	for _, n := range marks {
		target := fmt.Sprintf("[%d]", n)
		if i := slices.IndexFunc(cited, func(s citewell.Source) bool { return s.N == n }); i >= 0 {
			target = cited[i].URL
		}
		targets = append(targets, target)
	}
	return targets
}

// cite gives the numbers of the pages that are the targets of a sentence.
func (r *Report) cite(targets []string) []int {
	var pages []int
	for _, target := range targets {
		at := slices.IndexFunc(r.Pages, func(p Page) bool { return p.Cited == target })
		if at < 0 {
			at, r.Pages = len(r.Pages), append(r.Pages, Page{N: len(r.Pages) + 1, Cited: target})
		}
		pages = append(pages, at+1)
	}
	return pages
}
