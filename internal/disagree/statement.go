package disagree

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/quantity"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/text/lang"
)

// A reading is a statement taken apart: its facts, and the terms that say what it
// speaks of.
type reading struct {
	facts []fact
	terms map[string]string // subject terms by stem, with the word as written
	order []string          // the same stems as they come
	names map[string]bool   // stems written with a capital letter
	apart map[string]bool   // Discriminators
	years []quantity.Date   // dates that are no fact's own but say when
	about *reading          // of the heading; nil without one
}

// A mention is a word in the text that names a concept.
type mention struct {
	start, end int
	concept    concept
}

func readStatement(s Statement, in *text.Readings) reading {
	said := in.Read(s.Text, s.Lang)
	r := reading{terms: map[string]string{}, names: map[string]bool{}, apart: map[string]bool{}}
	figures, dates := amountsIn(said), quantity.Dates(said)
	mentions, phrases := findMentions(said), yearlyPhrases(s.Text)
	r.readTerms(said, mentions, phrases)
	if s.About != "" {
		about := in.Read(s.About, said.Language())
		r.about = &reading{terms: map[string]string{}, names: map[string]bool{}, apart: map[string]bool{}}
		r.about.readTerms(about, findMentions(about), yearlyPhrases(s.About))
	}
	if r.about != nil && len(r.terms) < 2 { // "it is 330 m tall": the heading says what
		for _, stem := range r.about.order {
			r.addTerm(stem, r.about.terms[stem])
		}
	}
	if r.about != nil && len(r.names) == 0 {
		for name := range r.about.names {
			r.names[name] = true
		}
	}
	for i, f := range figures {
		c := nearestConcept(s.Text, f.Start, f.End, f.Dimension, mentions, figures)
		r.facts = append(r.facts, fact{figure: &figures[i], concept: c, noun: nounAfter(said, f.End),
			attribute: isAttribute(f.Raw), yearly: isYearly(s.Text, f, figures, phrases)})
	}
	for i, d := range dates {
		c := nearestConcept(s.Text, d.Start, d.End, "date", mentions, nil)
		if c.name == "" || d.Year == 0 {
			r.years = append(r.years, d)
			continue
		}
		r.facts = append(r.facts, fact{date: &dates[i], concept: c, loose: looseDate(s.Text, d.Start)})
		r.years = append(r.years, d)
	}
	return r
}

// amountsIn returns the figures of a text. What is told per year is an amount, as "in an average year".
func amountsIn(said *text.Reading) []quantity.Figure {
	figures := slices.Clone(quantity.Figures(said))
	for i, f := range figures {
		figures[i], _ = f.Yearly()
	}
	return figures
}

// isAttribute says whether a figure is written in one word with its unit: the hyphen
// of "kilowatt-hours" is the unit's own.
func isAttribute(raw string) bool {
	return strings.Contains(strings.ReplaceAll(strings.ToLower(raw), "watt-hour", ""), "-")
}

func (r *reading) addTerm(stem, word string) {
	if _, ok := r.terms[stem]; !ok {
		r.terms[stem] = word
		r.order = append(r.order, stem)
	}
}

// readTerms collects the terms that say what a text is about: not figures, dates
// and their units, not the words of concepts and of the yearly phrases.
func (r *reading) readTerms(said *text.Reading, mentions []mention, yearly []text.Span) {
	s, figures, dates := said.Text(), amountsIn(said), quantity.Dates(said)
	taken := make([]text.Span, 0, len(figures)+len(dates)+len(mentions))
	for _, f := range figures {
		taken = append(taken, text.Span{Start: f.Start, End: f.End})
	}
	for _, d := range dates {
		taken = append(taken, text.Span{Start: d.Start, End: d.End})
	}
	for _, m := range mentions {
		taken = append(taken, text.Span{Start: m.start, End: m.end})
	}
	if len(yearly) > 0 {
		yearly = slices.Concat(yearly, averagePhrases(s))
	}
	within := func(spans []text.Span, start, end int) bool {
		return slices.ContainsFunc(spans, func(span text.Span) bool { return start < span.End && end > span.Start })
	}
	for _, w := range said.Words() {
		if Discriminators[w.Text] && !within(yearly, w.Start, w.End) {
			r.apart[w.Text] = true
		}
	}
	tokens := said.TermTokens()
	if lang.Of(said.Language()).Script == "Kana" {
		tokens = japaneseNouns(s)
	}
	for _, t := range tokens {
		inside := within(taken, t.Start, t.End) || within(yearly, t.Start, t.End)
		word := s[t.Start:t.End]
		if !inside && strings.ContainsAny(word, "0123456789") { // the 3.11 of Python 3.11
			r.apart[word] = true
		}
		if inside || looseWords[strings.ToLower(word)] || Discriminators[strings.ToLower(word)] {
			continue
		}
		r.addTerm(t.Text, word)
		first, _ := utf8.DecodeRuneInString(word)
		if unicode.IsUpper(first) || unicode.IsTitle(first) {
			r.names[t.Text] = true
		}
	}
}

// japaneseNouns returns the runs of Chinese characters and of katakana in s: what
// stands between them is grammar.
func japaneseNouns(s string) []text.Token {
	var nouns []text.Token
	start := -1
	for i, r := range s + "。" {
		if unicode.In(r, unicode.Han, unicode.Katakana) || r == 'ー' {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			nouns = append(nouns, text.Token{Text: s[start:i], Start: start, End: i})
			start = -1
		}
	}
	return nouns
}

// looseWords are qualifiers and verbs of saying and being that tell nothing about
// the subject.
var looseWords = text.SetOf(
	`about around approximately roughly nearly almost some estimated reported according says say said stands stand standing measures measure measured
 reach reaches reached total has have is are was were become became officially exactly just also located situated known called year years date
 etwa rund ungefähr knapp laut liegt beträgt misst steht genau
 environ presque selon mesure situé compte
 unos cerca según mide situado tiene cuenta
 около примерно почти составляет насчитывает имеет находится
 حوالي نحو تقريبا يبلغ تبلغ بلغ بلغت يقع تقع كان كانت عام سنة
 circa secondo situato situata ha è cerca segundo tem fica ongeveer volgens telt ligt`)

// findMentions returns the words of a text that name a concept, in order.
func findMentions(r *text.Reading) []mention {
	var mentions []mention
	s := r.Text()
	for _, w := range r.Words() {
		if c, ok := concepts().words[w.Text]; ok {
			mentions = append(mentions, mention{w.Start, w.End, c})
		}
	}
	for _, p := range concepts().phrases {
		if at := strings.Index(s, p.phrase); at >= 0 {
			mentions = append(mentions, mention{at, at + len(p.phrase), p.concept})
		}
	}
	return mentions
}

// nearestConcept returns what the figure or date at s[start:end] is of: the mention
// that stands nearest, where one right behind it counts as nearer, and other figures
// and the ends of clauses between count as far.
func nearestConcept(s string, start, end int, dimension string, mentions []mention, others []quantity.Figure) concept {
	best, found := 1<<30, concept{}
	for _, m := range mentions {
		if !m.concept.fits(dimension) {
			continue
		}
		gap, between := 0, ""
		switch {
		case m.start >= end:
			between = s[end:m.start]
			gap = len(between) - 2
		case m.end <= start:
			between = s[m.end:start]
			gap = len(between)
		}
		gap += 15*strings.Count(between, ",") + 60*strings.Count(between, ";") + 200*strings.Count(between, ". ")
		for _, f := range others {
			if f.Dimension == dimension && f.Start != start && (f.Start >= end && f.End <= m.start ||
				f.Start >= m.end && f.End <= start) {
				gap += 40
			}
		}
		if gap < best {
			best, found = gap, m.concept
		}
	}
	if best > 120 {
		return concept{}
	}
	return found
}

// nounAfter returns the term of the first content word within the three words after
// a figure: what it counts.
func nounAfter(said *text.Reading, end int) string {
	s := said.Text()
	rest := s[end:min(len(s), end+80)]
	if i := strings.IndexAny(rest, ".;:!?()\n"); i >= 0 {
		rest = rest[:i]
	}
	words := text.Words(rest)
	if len(words) > 4 {
		rest = rest[:words[3].End]
	}
	terms := text.Terms(rest, said.Language())
	if len(terms) == 0 {
		return ""
	}
	return terms[0]
}

// looseDate says whether the words before a date leave the day open.
func looseDate(s string, start int) bool {
	before := strings.ToLower(strings.TrimRight(s[max(0, start-16):start], " ."))
	for _, word := range []string{"by", "before", "after", "since", "until", "around", "about", "circa", "ca", "c",
		"early", "late", "mid",
		"vor", "nach", "seit", "bis", "um", "avant", "après", "depuis", "vers", "antes de", "después de", "desde",
		"hasta", "hacia", "до", "после", "около", "к", "с", "قبل", "بعد", "منذ", "حتى", "حوالي", "نحو", "بحلول",
		"prima del", "dopo il", "depois de", "vóór", "sinds", "rond"} {
		if head, ok := strings.CutSuffix(before, word); ok && (head == "" || strings.HasSuffix(head, " ")) {
			return true
		}
	}
	return false
}

// sameTime says whether two statements can speak of the same time. Where the thing
// varies, one that names a year and one that does not may be years apart.
func (r reading) sameTime(other reading, varies bool) bool {
	if len(r.years) == 0 && len(other.years) == 0 {
		return true
	}
	if len(r.years) == 0 || len(other.years) == 0 {
		return !varies
	}
	for _, a := range r.years {
		for _, b := range other.years {
			if a.Agrees(b) {
				return true
			}
		}
	}
	return false
}

// sameSubject says whether nothing shows that the statements speak of two things:
// each has a name that the other lacks, or one a word that tells things apart.
func (r reading) sameSubject(other reading) bool {
	for word := range r.apart {
		if !other.apart[word] {
			return false
		}
	}
	for word := range other.apart {
		if !r.apart[word] {
			return false
		}
	}
	mine, theirs := r.namesMissingIn(other), other.namesMissingIn(r)
	return mine == 0 && theirs < 2 || theirs == 0 && mine < 2
}

// sameHeading says whether the headings that the statements stand under, where both
// do, share half their words.
func (r reading) sameHeading(other reading) bool {
	if r.about == nil || other.about == nil {
		return true
	}
	shared := 0
	for stem := range r.about.terms {
		if _, ok := other.about.terms[stem]; ok {
			shared++
		}
	}
	return 2*shared >= max(len(r.about.terms), len(other.about.terms))
}

func (r reading) namesMissingIn(other reading) int {
	missing := 0
	for name := range r.names {
		if _, ok := other.terms[name]; !ok && !other.names[name] {
			missing++
		}
	}
	return missing
}

// sharedSubject returns the words that both statements have, and whether they are
// enough to say that both speak of the same thing.
func (r reading) sharedSubject(other reading, f, g fact) (string, bool) {
	var shared []string
	count := 0
	for _, stem := range r.order {
		if _, ok := other.terms[stem]; ok {
			shared = append(shared, r.terms[stem])
			count++
		}
	}
	smaller, larger := min(len(r.terms), len(other.terms)), max(len(r.terms), len(other.terms))
	if smaller == 0 || count == 0 {
		return "", false
	}
	need := 0.5
	if f.concept.name == "" || g.concept.name == "" {
		need = 0.75
		if count < 2 && !r.sameHeading(other) {
			return "", false
		}
	}
	enough := float64(count) >= need*float64(smaller) && float64(count) >= 0.3*float64(larger)
	return strings.Join(shared, " "), enough
}
