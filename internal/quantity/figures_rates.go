package quantity

import (
	"strings"
	"sync"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/text/lang"
)

// A rateTable holds the words by which a quantity is told of something else, of one language.
type rateTable struct {
	per       map[string]bool    // stand before what a rate is per
	average   map[string]bool    // stand before a span of time in which a quantity is usual: in an average year
	things    map[string]bool    // what a rate may be per behind an article, beside units
	notBehind map[string]bool    // stand behind "a day" and the like that is a span of time and no rate
	periods   map[string]float64 // tell an amount of a span of time, in seconds: monthly
}

var rateTables sync.Map // code → func() *rateTable

// ratesOf returns the words of a language, or those of English where it has none: "je" is per in German only.
func ratesOf(l *lang.Language) *rateTable {
	if !l.Knows(lang.Rates) {
		l = lang.Of("en")
	}
	built, ok := rateTables.Load(l.Code)
	if !ok {
		built, _ = rateTables.LoadOrStore(l.Code, sync.OnceValue(func() *rateTable { return newRateTable(l) }))
	}
	return built.(func() *rateTable)()
}

func newRateTable(l *lang.Language) *rateTable {
	of := func(key string) map[string]bool {
		words := map[string]bool{}
		for _, word := range l.Of(lang.Rates, key) {
			words[word] = true
		}
		return words
	}
	t := rateTable{of("per"), map[string]bool{}, of("thing behind article"), of("not behind"), map[string]float64{}}
	for phrase := range of("average") {
		t.average[strings.ReplaceAll(phrase, "_", " ")] = true
	}
	for _, period := range [...]string{"hour", "day", "week", "month", "year"} {
		for word := range of(period) {
			t.periods[word] = units().names[period].factor
		}
	}
	return &t
}

// A Rate is a phrase such as "per day" that stands apart from the figure that it belongs to: "40 tonnes of ore a day".
type Rate struct {
	Start, End int
	Per        string // the same for every writing of the rate
}

// Rates returns the phrases behind a figure that say what it is per, outside of figures and dates. Callers share the
// slice and must not change it.
func Rates(r *text.Reading) []Rate {
	return text.Keep(r, func() (found []Rate) {
		figures := Figures(r)
		if len(figures) == 0 {
			return nil
		}
		p := figureParser{s: r.Text(), lang: tongueOf(r.Language())}
		for _, w := range r.Words() {
			for len(figures) > 1 && figures[1].From <= w.Start {
				figures = figures[1:]
			}
			if w.Start < figures[0].To || len(found) > 0 && w.Start < found[len(found)-1].End {
				continue
			}
			per, end, ok := p.perAt(w.Start)
			if unit := per.dimension; ok && (unit == dimensionTime || p.rates().things[unit]) {
				if unit == dimensionTime {
					unit = unitName(per)
				}
				found = append(found, Rate{w.Start, end, unit})
			}
		}
		return found
	})
}

func (p *figureParser) rates() *rateTable { return ratesOf(p.lang.Language) }

// unitName returns the name of a span of time.
func unitName(u unit) string {
	for name, v := range units().names {
		if v == u {
			return name
		}
	}
	return u.dimension
}

// perAfter reads "/day", "per litre" and the like after a unit.
func (p *figureParser) perAfter(end int) (unit, int, bool) {
	at := blankAt(p.s, end)
	if strings.HasPrefix(p.s[at:], "/") {
		return p.perUnit(blankAt(p.s, at+1))
	}
	if at == end {
		return unit{}, 0, false
	}
	return p.perAt(at)
}

// perAt reads "per litre", "a day" and "in an average year" at s[at].
func (p *figureParser) perAt(at int) (unit, int, bool) {
	word, end := wordAt(p.s, at)
	behind := blankAt(p.s, end)
	switch {
	case behind == end:
	case (word == "a" || word == "an") && p.lang.Is(lang.RateArticles):
		return p.eachUnit(behind)
	case p.rates().per[word]:
		return p.perUnit(behind)
	default:
		for phrase := range p.rates().average {
			to := at + len(phrase)
			if to >= len(p.s) || !strings.EqualFold(p.s[at:to], phrase) {
				continue
			}
			if end, u, ok := longestUnit(p.s, p.lang, blankAt(p.s, to)); ok && u.dimension == dimensionTime {
				return u, end, true
			}
		}
	}
	return unit{}, 0, false
}

// perUnit reads the unit, or the thing, at s[at] that a rate is per.
func (p *figureParser) perUnit(at int) (unit, int, bool) {
	if to, u, ok := longestUnit(p.s, p.lang, at); ok && u.offset == 0 {
		return u, to, true
	}
	word, end := wordAt(p.s, at)
	return unit{dimension: word, factor: 1}, end, end > at
}

// eachUnit reads the unit at s[at] behind "a", as in "$10 a barrel". "10 km a day later" is
// no rate.
func (p *figureParser) eachUnit(at int) (unit, int, bool) {
	end, u, ok := longestUnit(p.s, p.lang, at)
	if word, wordEnd := wordAt(p.s, at); !ok && p.rates().things[word] {
		end, u, ok = wordEnd, unit{dimension: word, factor: 1}, true
	}
	next, _ := wordAt(p.s, blankAt(p.s, end))
	possessive := strings.HasPrefix(p.s[end:], "'") || strings.HasPrefix(p.s[end:], "’") // a month's rent
	return u, end, ok && u.offset == 0 && end-at > 1 && !possessive && !p.rates().notBehind[next]
}

// periodBefore gives the span of time that a word of the same clause before s[start] tells an
// amount of, 0 where none does.
func (p *figureParser) periodBefore(start int) float64 {
	const reach = 80 // bytes
	before := strings.ToLower(p.s[max(0, start-reach):start])
	before = before[strings.LastIndexAny(before, ".;:!?\n")+1:]
	for word := range strings.FieldsSeq(before) {
		if every := p.rates().periods[strings.Trim(word, ",()")]; every > 0 {
			return every
		}
	}
	return 0
}
