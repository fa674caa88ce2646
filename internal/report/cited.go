package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"golang.org/x/net/publicsuffix"
)

// A Cited is one citation of a report. K counts the citations of all findings in their order, from 1.
type Cited struct {
	K       int
	Finding int // index
	citewell.Citation
	Stands citewell.Verdict // how it is shown: its verdict, or ByJudge
}

// ByJudge is how a supported citation is shown of which a judge, and no comparison of words, says so.
const ByJudge citewell.Verdict = "by-judge"

// standsAs is how a citation is shown.
func standsAs(c citewell.Citation) citewell.Verdict {
	if c.Verdict == citewell.VerdictSupported && c.By != "" && c.By != cite.ByWords {
		return ByJudge
	}
	return known(c.Verdict)
}

// Citations are those of a report, by K.
func Citations(r citewell.Report) []Cited {
	var all []Cited
	for i, f := range r.Findings {
		for _, c := range f.Citations {
			c.Verdict = known(c.Verdict)
			all = append(all, Cited{len(all) + 1, i, c, standsAs(c)})
		}
	}
	return all
}

// byFinding are the citations of a report, a list for each finding.
func byFinding(r citewell.Report) [][]Cited {
	of := make([][]Cited, len(r.Findings))
	for _, c := range Citations(r) {
		of[c.Finding] = append(of[c.Finding], c)
	}
	return of
}

// A VerdictWord is how a verdict is said to a reader.
type VerdictWord struct {
	Verdict citewell.Verdict
	Word    string // as a count has it: "2 contradicted"
	Long    string
}

// Verdicts are all, what a reader must see first being first.
var Verdicts = []VerdictWord{
	{citewell.VerdictContradicted, "contradicted", "Contradicted: the source says otherwise"},
	{citewell.VerdictUnsupported, "unsupported", "Unsupported by what it cites"},
	{citewell.VerdictNoSource, "without source", "No such source"},
	{citewell.VerdictPartly, "partly", "Partly supported by the source"},
	{citewell.VerdictSnippetOnly, "only a snippet", "Only seen in a search result"},
	{citewell.VerdictUndecided, "undecided", "Undecided: nobody has judged what it means"},
	{ByJudge, "supported by a judge", "Supported by the source, as a judge reads it"},
	{citewell.VerdictSupported, "supported", "Supported by the source"},
}

// rank is the place of a verdict in Verdicts.
func rank(v citewell.Verdict) int {
	return slices.IndexFunc(Verdicts, func(w VerdictWord) bool { return w.Verdict == v })
}

// Said gives the words for a verdict, or for how a citation is shown.
func Said(v citewell.Verdict) VerdictWord { return Verdicts[rank(shownAs(v))] }

// shownAs is a verdict, or ByJudge; no-source for what is neither.
func shownAs(v citewell.Verdict) citewell.Verdict {
	if v == ByJudge {
		return v
	}
	return known(v)
}

// known is a verdict that there is: what is none is no-source.
func known(v citewell.Verdict) citewell.Verdict {
	if rank(v) < 0 || v == ByJudge {
		return citewell.VerdictNoSource
	}
	return v
}

// Worst is the first in Verdicts of those that citations have, and supported where there are none.
func Worst(citations []citewell.Citation) citewell.Verdict {
	worst := citewell.VerdictSupported
	for _, c := range citations {
		if v := known(c.Verdict); rank(v) < rank(worst) {
			worst = v
		}
	}
	return worst
}

// standing is how a sentence of a report stands: the worst verdict of its citations, which
// is not supported where it has a problem.
func standing(r citewell.Report, p citewell.Place) citewell.Verdict {
	if p.Finding < 0 {
		return citewell.VerdictUnsupported
	}
	worst := Worst(r.Findings[p.Finding].Citations)
	if p.Problem != "" && rank(worst) > rank(citewell.VerdictUnsupported) {
		return citewell.VerdictUnsupported
	}
	return worst
}

// placesOf are the places of a report whose numbers make sense for this content, which is
// the report's but for what tidyContent left out of it.
func placesOf(r citewell.Report, content string) []citewell.Place {
	var all []citewell.Place
	end := 0
	moved := func(offset int) int { return offset }
	if content != r.Content {
		whole := tidied(r.Content)
		lead := len(whole) - len(trimmedLeft(whole))
		before := func(offset int) int { return offset } // bytes before it that are left
		if whole != r.Content {
			before = func(offset int) int { return len(tidied(r.Content[:offset])) }
		}
		moved = func(offset int) int { return min(max(before(offset)-lead, 0), len(content)) }
	}
	for _, p := range r.Places {
		if p.Start < 0 || p.End > len(r.Content) || p.Start >= p.End || p.Finding >= len(r.Findings) {
			continue
		}
		p.Start, p.End, p.Finding = moved(p.Start), moved(p.End), max(p.Finding, -1)
		if p.Start >= end && p.Start < p.End {
			all, end = append(all, p), p.End
		}
	}
	return all
}

// markOf gives the citation that a number in a sentence stands for, of those that the
// sentence has: the worst of those of that source. K is 0 where it cites no such source.
func markOf(citations []Cited, n int) Cited {
	var found Cited
	for _, c := range citations {
		if c.N == n && (found.K == 0 || rank(c.Stands) < rank(found.Stands)) {
			found = c
		}
	}
	return found
}

// A Site is the pages of one registered domain that a report cites, copies of one text being one.
type Site struct {
	Name      string
	Sources   []int
	Citations int
}

// Sites are those that a report cites, the one with most citations first.
func Sites(r citewell.Report) []Site {
	names := map[int]string{}
	for _, s := range r.Sources {
		names[s.N] = SiteOf(s)
	}
	at := map[string]int{}
	var all []Site
	for _, c := range Citations(r) {
		name, known := names[c.N]
		if !known {
			continue
		}
		i, seen := at[name]
		if !seen {
			i = len(all)
			at[name], all = i, append(all, Site{Name: name})
		}
		all[i].Citations++
		if !slices.Contains(all[i].Sources, c.N) {
			all[i].Sources = append(all[i].Sources, c.N)
		}
	}
	slices.SortStableFunc(all, func(a, b Site) int { return b.Citations - a.Citations })
	return all
}

// SiteOf is the registered domain of a source's host, or the host where it has none.
func SiteOf(s citewell.Source) string {
	host := cmp.Or(s.Host, localSource)
	if domain, err := publicsuffix.EffectiveTLDPlusOne(strings.ToLower(host)); err == nil {
		return domain
	}
	return host
}
