package cite

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/citewell/citewell/internal/quantity"
	"github.com/citewell/citewell/internal/text"
)

// unstated returns the figures, dates and other numbers of a claim, as written, that no evidence
// states in any unit, and that are no sum, difference or share of figures in one of the texts. Figures
// in others count as stated too, but nothing is computed from them.
func unstated(claim *text.Reading, texts, others []string) []string {
	exact := exactFacts(claim)
	if exact.none() {
		return nil
	}
	lookIn := func(list []string, derive bool) {
		for _, s := range list {
			if exact.none() {
				return
			}
			exact.strike(statedIn(claim.Beside(s)), derive)
		}
	}
	lookIn(texts, false)
	lookIn(others, false)
	lookIn(texts, true)
	return exact.written()
}

// A stated is what a text states exactly.
type stated struct {
	*text.Reading
	numbers map[string]bool
}

// statedIn reads a text in its own language, or in that of r where the own cannot be told.
func statedIn(r *text.Reading) stated {
	r = r.In(cmp.Or(r.In("").Language(), r.Language()))
	return stated{r, text.Keep(r, func() map[string]bool { return numberSet(r.Text()) })}
}

// facts are the figures, dates and loose numbers of a claim that were not yet found.
type facts struct {
	claim   string
	figures []quantity.Figure
	dates   []quantity.Date
	loose   []text.Span
	names   []quantity.Identifier
}

// exactFacts finds the facts of a claim, without shares in words: half of the boats may be 6 of 12.
func exactFacts(claim *text.Reading) facts {
	f := facts{claim: claim.Text(), dates: slices.Clone(quantity.Dates(claim))}
	for _, g := range quantity.Figures(claim) {
		if !g.IsShare {
			f.figures = append(f.figures, g)
		}
	}
	f.loose, f.names = looseSpans(claim), slices.Clone(quantity.Identifiers(claim))
	return f
}

// none reports whether no fact is left.
func (f *facts) none() bool { return len(f.figures)+len(f.dates)+len(f.loose)+len(f.names) == 0 }

// written returns the remaining facts as written, each once, in the order figures, dates, numbers,
// identifiers.
func (f *facts) written() []string {
	var all []string
	for _, g := range f.figures {
		all = append(all, g.Raw)
	}
	for _, d := range f.dates {
		all = append(all, d.Raw)
	}
	for _, n := range f.loose {
		all = append(all, f.claim[n.Start:n.End])
	}
	for _, id := range f.names {
		all = append(all, f.claim[id.Start:id.End])
	}
	return unique(all)
}

// strike removes the facts that a text states, or, with derive, those that follow from its figures.
func (f *facts) strike(states stated, derive bool) {
	counted, numbers := quantity.Figures(states.Reading), states.numbers
	if derive {
		f.figures = slices.DeleteFunc(f.figures, func(g quantity.Figure) bool { return derived(g, counted) })
		return
	}
	f.figures = slices.DeleteFunc(f.figures, func(g quantity.Figure) bool {
		return slices.ContainsFunc(counted, g.Supports) || slices.ContainsFunc(counted, g.Names) ||
			g.Plain() && standsAs(g, numbers) && !slices.ContainsFunc(counted, g.Reverses)
	})
	f.names = slices.DeleteFunc(f.names, func(id quantity.Identifier) bool {
		return slices.ContainsFunc(quantity.Identifiers(states.Reading),
			func(other quantity.Identifier) bool { return other.Key == id.Key })
	})
	shown := quantity.Dates(states.Reading)
	f.dates = slices.DeleteFunc(f.dates, func(d quantity.Date) bool { return datedIn(d, shown, numbers) })
	missing := missingNumbers(f.claim, f.loose, numbers)
	f.loose = slices.DeleteFunc(f.loose, func(n text.Span) bool {
		return !slices.Contains(missing, f.claim[n.Start:n.End])
	})
}

// datedIn reports whether a text with these dates and numbers states a date, or a day within a span.
func datedIn(d quantity.Date, shown []quantity.Date, numbers map[string]bool) bool {
	if slices.ContainsFunc(shown, d.Supports) {
		return true
	}
	if d.IsSpan() {
		for year, last := d.Years(); year <= last; year++ {
			if numbers[strconv.Itoa(year)] {
				return true
			}
		}
		return slices.ContainsFunc(shown, d.Agrees)
	}
	apart := func(e quantity.Date) bool { // "on April 9", and the year elsewhere
		return e.Year == 0 && e.Month == d.Month && e.Day == d.Day
	}
	return numbers[strconv.Itoa(d.Year)] && (d.Month == 0 || slices.ContainsFunc(shown, apart))
}

// mostOperands bounds the figures of one passage that are tried as operands.
const mostOperands = 60

// derived reports whether a figure is a sum, difference, share or ratio of figures of one dimension, to
// the precision with which it is written.
func derived(f quantity.Figure, from []quantity.Figure) bool {
	from = from[:min(len(from), mostOperands)]
	fits := func(value float64) bool { return !math.IsNaN(value) && !math.IsInf(value, 0) && nearlyIs(f, value) }
	ratio := f.Dimension == quantity.DimensionPercent || f.Dimension == quantity.DimensionCount
	for i, a := range from {
		sum := a.Value
		for j, b := range from {
			if i == j || a.Dimension != b.Dimension {
				continue
			}
			if a.Dimension == f.Dimension && (fits(a.Value+b.Value) || fits(math.Abs(a.Value-b.Value))) {
				return true
			}
			if j > i { // a run of figures, as of a list or a column
				if sum += b.Value; a.Dimension == f.Dimension && fits(sum) {
					return true
				}
			}
			if !ratio || b.Value == 0 {
				continue
			}
			quotient := a.Value / b.Value
			change := math.Abs(quotient - 1)
			percent := f.Dimension == quantity.DimensionPercent
			if fits(quotient) || percent && (fits(100*quotient) || fits(100*change) || fits(change)) {
				return true
			}
		}
	}
	return false
}

// nearlyIs reports whether a value rounds to a figure.
func nearlyIs(f quantity.Figure, value float64) bool {
	slack := 0.005 * math.Abs(f.Value)
	return value >= f.Low-slack && value <= f.High+slack
}

// standsAs reports whether the evidence has a bare count as a number in any role, perhaps with a unit or
// in a name: "aged 16 to 24", "16-24 years"; "type two", "type 2".
func standsAs(f quantity.Figure, numbers map[string]bool) bool {
	for _, end := range []float64{f.Low, f.High} {
		if math.IsInf(end, 0) {
			end = f.Value
		}
		same := sameNumber(strconv.FormatFloat(end, 'f', -1, 64))
		if !numbers[same] && !numbers[halfDayOf+same] { // five pm
			return false
		}
	}
	return true
}

// unique returns the words, each once.
func unique(words []string) []string {
	seen := map[string]bool{}
	kept := make([]string, 0, len(words))
	for _, word := range words {
		if !seen[word] {
			seen[word] = true
			kept = append(kept, word)
		}
	}
	return kept
}
