package measure

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/dataset"
	"github.com/citewell/citewell/internal/sheet"
)

// A copyOf is a near-copy of a sentence with what it is held against.
type copyOf struct {
	change   change
	half     int
	lang     string
	claim    string
	evidence string
	original string
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
				m.beside = slices.DeleteFunc(slices.Clone(sentences), func(s string) bool { return s == sentences[i] || !strings.Contains(evidence[i], s) })
				claim, ok := c.make(sentences[i], tongues[p.lang], m)
				if ok && (c.true || claim != sentences[i]) {
					copies = append(copies, copyOf{c, p.half(), p.lang, claim, evidence[i], sentences[i]})
					made[at]++
					break
				}
			}
		}
	}
	return copies
}

// judgeCopies measures a checker on near-copies of texts. Nothing may be tuned on the half
// that is reported.
func judgeCopies(ctx context.Context, dir string, texts []prose, check Checker, o Options) (sheet.Report, error) {
	copies := nearCopies(texts)
	if len(copies) == 0 {
		return sheet.Report{}, dataset.Lacks(dir, "sentence to change", proseFiles)
	}
	o.Say(fmt.Sprintf("checking %d near-copies", len(copies)))
	given := make([]citewell.Verdict, len(copies))
	for i, c := range copies {
		_, given[i] = check(c.claim, c.evidence, c.lang)
		if ctx.Err() != nil {
			return sheet.Report{}, ctx.Err()
		}
	}
	count := func(name string, of func(copyOf) bool) sheet.Row {
		figures := map[string]float64{}
		for i, c := range copies {
			if of(c) {
				figures["n"]++
				figures[string(given[i])]++
			}
		}
		for _, v := range verdicts {
			figures[string(v)] /= max(figures["n"], 1)
		}
		return sheet.Row{Name: name, Origin: sheet.Measured, Figures: figures}
	}
	columns := []sheet.Column{{Key: "n", Title: "n"}}
	for _, v := range verdicts {
		columns = append(columns, sheet.Column{Key: string(v), Title: string(v), Decimals: 3})
	}
	kinds := sheet.Table{Title: "Near-copies of sentences by verdict, shares, on the half that is never tuned on", Columns: columns,
		Notes: []string{"the first thirteen kinds are false; made by rule, so some are broken sentences or still true"}}
	for _, kind := range changes {
		if row := count(kind.name, func(c copyOf) bool { return c.half == 1 && c.change.name == kind.name }); row.Figures["n"] > 0 {
			kinds.Rows = append(kinds.Rows, row)
		}
	}
	sums := sheet.Table{Title: "The same in sum: falsehoods accepted are those called supported, true variants kept too", Columns: columns}
	for _, of := range []struct {
		name string
		true bool
	}{{"falsehoods", false}, {"true variants", true}} {
		sums.Rows = append(sums.Rows, count(of.name, func(c copyOf) bool { return c.half == 1 && c.change.true == of.true }))
		langs := languagesOf(copies)
		for _, lang := range langs {
			if len(langs) > 1 {
				sums.Rows = append(sums.Rows, count(of.name+", "+lang, func(c copyOf) bool { return c.half == 1 && c.change.true == of.true && c.lang == lang }))
			}
		}
		sums.Rows = append(sums.Rows, count(of.name+", the half for tuning", func(c copyOf) bool { return c.half == 0 && c.change.true == of.true }))
	}
	return sheet.Report{Schema: sheet.Schema, Name: "claims", Data: dir, Tables: []sheet.Table{kinds, sums}}, nil
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
