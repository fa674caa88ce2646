package measure

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/bench"
	"github.com/citewell/citewell/internal/claim"
	"github.com/citewell/citewell/internal/dataset"
	"github.com/citewell/citewell/internal/sheet"
)

// A copyOf is a near-copy of a sentence with what it is held against.
type copyOf struct {
	change change
	half   int
	lang   string
	pair   claim.Pair
}

// perChange is how many near-copies of one kind are made of one half of the texts in one language.
const perChange = 100

// nearCopies makes near-copies of the texts: of each text one of each kind, where one
// of its sentences can be changed so.
func nearCopies(texts []prose) []copyOf {
	names, said := map[string][]string{}, map[string][]string{}
	for _, p := range texts {
		t := tongues[p.lang]
		sentences, _ := p.statements()
		said[p.lang] = append(said[p.lang], sentences...)
		for _, s := range sentences {
			for _, at := range namesIn(s, t) {
				names[p.lang] = append(names[p.lang], s[at.Start:at.End])
			}
		}
	}
	type place struct {
		lang string
		half int
		kind string
	}
	made := map[place]int{}
	var copies []copyOf
	for _, p := range texts {
		sentences, evidence := p.statements()
		for _, c := range changes {
			m := &maker{Rand: newDraw(c.name + p.id), names: names, apart: said[p.lang]}
			at := place{p.lang, p.half(), c.name}
			for _, i := range m.Perm(len(sentences)) {
				if made[at] >= perChange {
					break
				}
				m.beside = slices.DeleteFunc(slices.Clone(sentences), func(s string) bool {
					return s == sentences[i] || !strings.Contains(evidence[i], s)
				})
				said, ok := c.make(sentences[i], tongues[p.lang], m)
				if ok && (c.true || said != sentences[i]) {
					copies = append(copies, copyOf{c, p.half(), p.lang, claim.Pair{
						Claim: said, Evidence: &evidence[i], Title: p.title}})
					made[at]++
					break
				}
			}
		}
	}
	return copies
}

// Claims measures a judge on near-copies of the sentences of the texts in dir, which are
// told by its files. Nothing may be tuned on the half that is reported.
func Claims(ctx context.Context, dir string, judge bench.ClaimJudge, read Reader, o Options) (sheet.Report, error) {
	o = o.withDefaults()
	texts, err := readProse(ctx, dir, read)
	if err != nil {
		return sheet.Report{}, err
	}
	copies := nearCopies(texts)
	if len(copies) == 0 {
		return sheet.Report{}, dataset.Lacks(dir, "sentence to change", proseFiles)
	}
	o.Say(fmt.Sprintf("checking %d near-copies", len(copies)))
	pairs := make([]claim.Pair, len(copies))
	for i, c := range copies {
		pairs[i] = c.pair
	}
	given, err := judge(ctx, pairs)
	if err != nil {
		return sheet.Report{}, err
	}
	of := func(name string, takes func(copyOf) bool) bench.VerdictGroup {
		g := bench.VerdictGroup{Name: name}
		for i, c := range copies {
			if takes(c) {
				g.Verdicts = append(g.Verdicts, given[i])
			}
		}
		return g
	}
	var kinds, sums []bench.VerdictGroup
	for _, kind := range changes {
		kinds = append(kinds, of(kind.name, func(c copyOf) bool { return c.half == 1 && c.change.name == kind.name }))
	}
	for _, side := range []struct {
		name string
		true bool
	}{{"falsehoods", false}, {"true variants", true}} {
		sums = append(sums, of(side.name, func(c copyOf) bool { return c.half == 1 && c.change.true == side.true }))
		langs := languagesOf(copies)
		for _, lang := range langs {
			if len(langs) > 1 {
				sums = append(sums, of(side.name+", "+lang, func(c copyOf) bool {
					return c.half == 1 && c.change.true == side.true && c.lang == lang
				}))
			}
		}
		sums = append(sums, of(side.name+", the half for tuning", func(c copyOf) bool {
			return c.half == 0 && c.change.true == side.true
		}))
	}
	tables := []sheet.Table{bench.VerdictTable("Near-copies of sentences by verdict, shares, on the half that is "+
		"never tuned on", kinds),
		bench.VerdictTable("The same in sum: falsehoods accepted are those called supported, true variants kept too",
			sums)}
	tables[0].Notes = []string{"the first thirteen kinds are false; made by rule, so some are broken sentences or " +
		"still true"}
	return sheet.Report{Schema: sheet.Schema, Name: "claims", Data: dir, Tables: tables}, nil
}

func languagesOf(copies []copyOf) []string {
	var langs []string
	for _, c := range copies {
		if !slices.Contains(langs, c.lang) {
			langs = append(langs, c.lang)
		}
	}
	slices.SortFunc(langs, cmp.Compare[string])
	return langs
}
