// Package disagree finds what two sentences of different sources state differently: a figure of the same thing, or a
// date of the same event.
//
// Flow: Statement → its facts with their subjects → Clash.
// Units: as in package quantity.
// Errors: none; an uncertain difference is no disagreement.
// Concurrency: one goroutine at a time uses a Comparison.
// Why: doc/decision/0007-extractive-findings.md
package disagree

import (
	"fmt"
	"strings"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/quantity"
	"github.com/citewell/citewell/internal/text"
)

// A Statement is one sentence of a source.
type Statement struct {
	Text  string
	Lang  string // ISO 639-1; guessed where empty
	About string // title or heading it stands under; says who "it" is
}

// A Clash is one thing that two statements say differently.
type Clash struct {
	Kind Kind
	A, B string // what each says, in its own words
	// KeyA and KeyB are the same values in one form (2019-05-14, 640 GWh and 640
	// million kWh both in joules), by which statements that agree can be grouped.
	KeyA, KeyB string
	Subject    string // the words that show that both speak of the same thing
}

// Kind is what kind of thing is said differently.
type Kind string

// Figures and dates are all that is compared: whether other words contradict each
// other cannot be told for sure by code.
const (
	KindFigure Kind = "figure"
	KindDate   Kind = "date"
)

// A Comparison holds many statements against each other, and takes each apart
// once, which is most of the work. Its zero value is ready; one goroutine at a time uses it.
type Comparison struct {
	Readings *text.Readings // keeps what is read; nil keeps it for one statement alone
	read     map[Statement]reading
}

// Between reports whether two statements give different figures of the same thing, or
// different dates of the same event.
//
// It is cautious: what cannot be told for sure is no conflict. Other units, rounding,
// ranges that overlap, "about" and "at least" agree where both can be true. Two
// subjects, two measures of one subject, two years, a maximum and an average are
// different things.
//
// What a sentence adds after its main clause ("…, and by May we had the numbers")
// can hide that two say the same of one thing, and can be of another thing: where
// both sentences go on, only their main clauses are compared.
func (c *Comparison) Between(a, b Statement) (Clash, bool) {
	if !isProse(a.Text) || !isProse(b.Text) {
		return Clash{}, false
	}
	mainA, mainB := a, b
	mainA.Text, mainB.Text = mainClause(a.Text), mainClause(b.Text)
	if mainA == a || mainB == b {
		if clash, found := c.find(a, b); found {
			return clash, true
		}
	}
	if mainA == a && mainB == b {
		return Clash{}, false
	}
	return c.find(mainA, mainB)
}

func (c *Comparison) reading(s Statement) reading {
	r, ok := c.read[s]
	if !ok {
		if c.read == nil {
			c.read = map[Statement]reading{}
		}
		r = readStatement(s, c.Readings)
		c.read[s] = r
	}
	return r
}

// clauseEnd is where a clause ends that could stand alone, and another begins.
var clauseEnd = lazyregexp.New(
	`;\s|,\s(?:and|but|so|with|which|while|as|says|und|aber|wobei|mit|et|mais|avec|y|pero|con|и|но|а|ma|che|mas|maar|en)\s|،\s(?:و|لكن|فيما|بينما)|，(?:但|而|并|同时)|、(?:一方|そして)`)

// mainClause gives the first clause of a sentence, where it is long enough to be one.
func mainClause(s string) string {
	const shortest = 20 // bytes
	for _, at := range clauseEnd.FindAllStringIndex(s, -1) {
		if at[0] >= shortest {
			return s[:at[0]]
		}
	}
	return s
}

func (c *Comparison) find(a, b Statement) (Clash, bool) {
	ra, rb := c.reading(a), c.reading(b)
	if len(ra.facts) == 0 || len(rb.facts) == 0 || !ra.sameSubject(rb) {
		return Clash{}, false
	}
	for _, fa := range ra.facts {
		for _, fb := range rb.facts {
			if !ra.clashes(fa, rb, fb) || anyAgrees(fa, rb.facts) || anyAgrees(fb, ra.facts) {
				continue
			}
			subject, ok := ra.sharedSubject(rb, fa, fb)
			if !ok {
				continue
			}
			kind := KindFigure
			if fa.date != nil {
				kind = KindDate
			}
			return Clash{Kind: kind, A: fa.raw(), B: fb.raw(), KeyA: fa.key(), KeyB: fb.key(), Subject: subject}, true
		}
	}
	return Clash{}, false
}

// isProse says whether s is one statement in words: not the row of a table, whose
// columns say what its figures are of, not code, and not a whole page.
func isProse(s string) bool {
	const longest = 2000 // bytes
	if len(s) > longest {
		return false
	}
	for _, sign := range []string{" | ", "{", "}", "::", "=>", "->", ":=", "==", "();", "/*", "--\n"} {
		if strings.Contains(s, sign) {
			return false
		}
	}
	return !strings.HasPrefix(s, "--")
}

// A fact is one figure or one date of a statement, with what it is of.
type fact struct {
	figure  *quantity.Figure
	date    *quantity.Date
	concept concept
	noun    string // the term that a count counts; empty where none follows
	// attribute marks a figure such as the 100-byte of "100-byte header", which is of
	// that noun and of nothing else.
	attribute bool
	yearly    bool // of any one year, as in "640 GWh a year"
	loose     bool // "by 1990", "around 1990": no day to hold the source to
}

func (f fact) raw() string {
	if f.date != nil {
		return f.date.Raw
	}
	return f.figure.Raw
}

// key writes the value in one form, whatever words and units it came in.
func (f fact) key() string {
	if d := f.date; d != nil {
		key := fmt.Sprintf("%04d", d.Year)
		if d.Month > 0 {
			key += fmt.Sprintf("-%02d", d.Month)
		}
		if d.Day > 0 {
			key += fmt.Sprintf("-%02d", d.Day)
		}
		return key
	}
	return strings.TrimSpace(fmt.Sprintf("%.4g..%.4g %s", f.figure.Low, f.figure.High, f.figure.Unit))
}

// clashes says whether two facts are of the same thing and cannot both be true.
func (r reading) clashes(f fact, other reading, g fact) bool {
	if f.concept.name != g.concept.name {
		return false
	}
	if f.date != nil || g.date != nil {
		return f.date != nil && g.date != nil && f.concept.name != "" && !f.loose && !g.loose && !f.date.Agrees(*g.date)
	}
	if !f.figure.Clashes(*g.figure) {
		return false
	}
	if f.yearly != g.yearly {
		return false
	}
	varies := f.yearly || f.figure.Dimension == quantity.DimensionCount ||
		f.figure.Dimension == quantity.DimensionPercent || strings.HasPrefix(f.figure.Dimension, "money:")
	if !r.sameTime(other, varies && f.concept.name != "deaths") {
		return false
	}
	if f.attribute != g.attribute || f.attribute && f.noun != g.noun {
		return false
	}
	if f.concept.name == "" {
		switch f.figure.Dimension {
		case quantity.DimensionCount:
			return f.noun != "" && f.noun == g.noun
		case quantity.DimensionPercent, quantity.DimensionPoints, quantity.DimensionTimes:
			return f.noun == g.noun
		}
	}
	return true
}

// anyAgrees says whether one of the facts says the same as f, or may.
func anyAgrees(f fact, facts []fact) bool {
	for _, g := range facts {
		if f.date != nil && g.date != nil && f.date.Agrees(*g.date) {
			return true
		}
		if f.figure != nil && g.figure != nil && f.figure.Dimension == g.figure.Dimension &&
			!f.figure.Clashes(*g.figure) {
			return true
		}
	}
	return false
}
