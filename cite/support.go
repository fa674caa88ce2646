package cite

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell/text"
)

// A sentence is a claim, or a sentence of its evidence, read word by word, with how
// well each word is found on the other side.
type sentence struct {
	text  string
	lang  string
	words []word
	match []float64
	reach [][]int // what each directed word is about; filled when asked
}

func newSentence(s, lang string) sentence {
	words := readWords(s, lang)
	return sentence{text: s, lang: lang, words: words, match: make([]float64, len(words)), reach: make([][]int, len(words))}
}

func (s sentence) raw(i int) string { return s.text[s.words[i].start:s.words[i].end] }

// lexical is what comparing the words of a claim with those of its evidence gave.
type lexical struct {
	coverage float64 // share of the claim's words that the evidence has
	told     float64 // how much that share tells: of two words one is the subject alone
	unborne  string  // what the claim asserts besides, and the evidence knows nothing of
	nearest  difference
	uneven   bool // one of claim and evidence denies something, and nothing tells what
	comparison
}

// A candidate is a sentence of the evidence with the weight of the claim's terms that it has.
type candidate struct {
	sentence
	found  float64
	has    []float64 // how well it has each term
	pieced []piece   // filled when asked
	span   text.Span
	number int // among all of them
}

// lexicalSupport looks each content word of the claim up in the evidence, and asks
// the sentences that have most of them whose side they take. Words that stand in one
// sentence count in full, words spread over several for less.
func lexicalSupport(claim, claimLang, evidence, evidenceLang string, missing []string, stated []text.Span, weigh func(term string) float64) lexical {
	c := newSentence(claim, claimLang)
	terms := c.terms(weigh)
	heading := newSentence(headingOf(evidence), evidenceLang)
	heading.findTerms(terms)
	for i := range terms {
		terms[i].aside = terms[i].match
	}
	candidates := candidatesOf(evidence, evidenceLang, len(heading.text), terms)
	best := 0.0
	for _, s := range candidates {
		best = max(best, s.found)
	}
	if best == 0 {
		return lexical{}
	}
	setAside(terms, stated)
	var l lexical
	total, found := 0.0, 0.0
	asserted := c.assertions(terms)
	for i := range asserted {
		a := &asserted[i]
		all, has := a.weigh(terms, candidates)
		if has < borneFrom*all && len(asserted) > 1 || i > 0 && a.unfounded(asserted[i-1], terms, candidates) {
			l.unborne = cmp.Or(l.unborne, claim[a.start:a.end])
		}
		total, found = total+all, found+has
	}
	l.coverage = min(1, found/total)
	l.told = float64(len(terms)) / float64(len(terms)+1)
	if raw := unclearIn(claim, claimLang, evidence); raw != "" {
		l.doubt = "the claim's " + raw + " cannot be read for sure"
	}
	nearest := candidates[:0:0]
	for _, s := range candidates {
		if s.found >= nearlyBest*best && len(nearest) < mostCompared {
			nearest = append(nearest, s)
		}
	}
	if least := tryFromShare * (total - figuresMissing(terms)); best >= least {
		d := differ{sentence: c, parts: c.pieces(maxAligned), evidence: evidence, missing: missing}
		l.nearest = d.nearest(nearest, candidates, terms, least)
		if l.nearest.near() && !l.nearest.same() && d.eachSame(asserted, candidates) {
			l.nearest = difference{share: sameFromShare}
		}
	}
	if claimLang != evidenceLang {
		return l
	}
	l.takeSides(c, terms, nearest)
	return l
}

// candidatesOf reads the sentences of an evidence behind its heading, and notes how well
// each and all of them have the terms.
func candidatesOf(evidence, lang string, heading int, terms []term) []candidate {
	var all []candidate
	for _, span := range stretches(evidence) {
		if span.End <= heading {
			continue
		}
		s := candidate{sentence: newSentence(evidence[span.Start:span.End], lang), has: make([]float64, len(terms)), span: span, number: len(all)}
		s.found = s.findTerms(terms)
		for i := range terms {
			t := &terms[i]
			s.has[i], t.most = t.match, max(t.most, t.match)
		}
		all = append(all, s)
	}
	return all
}

// takeSides asks the nearest sentences whose side they take.
func (l *lexical) takeSides(c sentence, terms []term, nearest []candidate) {
	var near []word
	disowned, said := "", false
	for _, s := range nearest {
		s.findTerms(terms)
		c.setMatches(terms)
		theirs := s.disowned()
		if theirs != "" && c.disowned() == "" {
			disowned = cmp.Or(disowned, "the evidence "+theirs)
			continue
		}
		if mine := c.disowning(); mine != "" && theirs == "" {
			disowned = cmp.Or(disowned, "the claim "+mine+", the evidence says it")
			continue
		}
		if w := c.planned(s.sentence); w != "" {
			disowned = cmp.Or(disowned, "the evidence says it of what is to come ("+quoted(w)+")")
			continue
		}
		said = true
		l.uneven = l.uneven || s.denies() != c.denies()
		l.merge(compare(c, s.sentence))
		near = append(near, s.words...)
	}
	switch {
	case !said:
		l.doubt = cmp.Or(l.doubt, disowned)
	case l.oppose == 0 && l.agree < undecided:
		l.merge(vote(c.words, near))
	}
}

// nearest judges the claim by the sentence, or the two neighbours, that it is the nearest
// copy of.
func (d differ) nearest(near, all []candidate, terms []term, least float64) (best difference) {
	try := func(s stretch) {
		if one := d.from(s); one.share > best.share {
			best = one
		}
	}
	for _, s := range near {
		if s.found >= least {
			try(all[s.number].stretch())
		}
		for from := max(0, s.number-1); from <= s.number && from+1 < len(all) && best.share < nearFromShare; from++ {
			if a, b := &all[from], &all[from+1]; together(terms, a, b) >= least {
				try(join(d.evidence, a, b))
			}
		}
	}
	return best
}

// figuresMissing is the weight of the numbers among the terms that the evidence lacks: they
// are judged by themselves.
func figuresMissing(terms []term) (weight float64) {
	for _, t := range terms {
		if t.most == 0 && digitSize(t.text, 0) > 0 {
			weight += t.weight
		}
	}
	return weight
}

// together is the weight of the terms that two sentences have.
func together(terms []term, a, b *candidate) (found float64) {
	for i, t := range terms {
		found += max(a.has[i], b.has[i]) * t.weight
	}
	return found
}

// stretch cuts the sentence into pieces, once.
func (c *candidate) stretch() stretch {
	if c.pieced == nil {
		c.pieced = c.pieces(maxStretch)
	}
	return stretch{c.sentence, c.pieced, c.span.Start}
}

// join reads two neighbours as one stretch.
func join(evidence string, a, b *candidate) stretch {
	one, two := a.stretch(), b.stretch()
	by, clauses := b.span.Start-a.span.Start, 0
	both := stretch{sentence{text: evidence[a.span.Start:b.span.End], lang: a.lang, words: slices.Clone(one.words)}, slices.Clone(one.pieces), one.start}
	for _, p := range one.pieces {
		clauses = max(clauses, p.clause+1)
	}
	for _, w := range two.words {
		w.start, w.end, w.clause = w.start+by, w.end+by, w.clause+clauses
		both.words = append(both.words, w)
	}
	for _, p := range two.pieces[:min(len(two.pieces), max(0, maxStretch-len(one.pieces)))] {
		p.start, p.end, p.clause = p.start+by, p.end+by, p.clause+clauses
		both.pieces = append(both.pieces, p)
	}
	return both
}

// headingOf is the title that an evidence begins with: a line of few words with no stop at
// its end, and a blank line behind it. A longer one says something by itself.
func headingOf(evidence string) string {
	const most = 8 // words
	line, rest, ok := strings.Cut(evidence, "\n\n")
	line = strings.TrimSpace(line)
	if stop, _ := utf8.DecodeLastRuneInString(line); !ok || rest == "" || strings.Contains(line, "\n") || len(strings.Fields(line)) > most || strings.ContainsRune(".!?。！？", stop) {
		return ""
	}
	return line
}

// longestSentence bounds what is read as one sentence, in bytes: in lists and damaged text
// the next full stop can be a megabyte away.
const longestSentence = 4000

// stretches are the sentences of a text; longer ones are cut between words, or between
// characters where there is no space.
func stretches(s string) []text.Span {
	var spans []text.Span
	for _, span := range text.Sentences(s) {
		for span.End-span.Start > longestSentence {
			cut := span.Start + longestSentence
			if at := strings.LastIndexByte(s[span.Start:cut], ' '); at > 0 {
				cut = span.Start + at + 1
			}
			for cut < span.End && !utf8.RuneStart(s[cut]) {
				cut++
			}
			spans = append(spans, text.Span{Start: span.Start, End: cut})
			span.Start = cut
		}
		if span.Start < span.End {
			spans = append(spans, span)
		}
	}
	return spans
}

// Denies says whether a text denies anything, in a language; empty is guessed.
func Denies(said, lang string) bool {
	if lang == "" {
		lang = text.LikelyLanguage(said)
	}
	return newSentence(said, lang).denies()
}

// denies says whether anything is denied in the sentence.
func (s sentence) denies() bool {
	return slices.ContainsFunc(s.words, func(w word) bool { return w.negation })
}

// setAside leaves out of what is counted the terms that only the heading has, and those
// of a figure or date of the claim that the evidence states in another form: 1.2 million
// is 1,200,000.
func setAside(terms []term, stated []text.Span) {
	for i := range terms {
		t := &terms[i]
		t.aside = max(0, t.aside-t.most)
		if t.most == 0 && slices.ContainsFunc(stated, func(s text.Span) bool { return t.start < s.End && s.Start < t.end }) {
			t.aside = 1
		}
	}
}

// nearlyBest is the share of the best sentence's words from which another sentence
// counts as speaking of the claim too; of a long text no more than mostCompared are read
// closely.
const (
	nearlyBest   = 0.7
	mostCompared = 40
)

// A term is a content word of the claim, once.
type term struct {
	text   string
	short  string // where it is written as an abbreviation, its letters
	weight float64
	match  float64 // how well the sentence looked at has it
	most   float64 // how well any sentence of the evidence has it
	aside  float64 // how much of it is not counted
	start  int     // of its first place in the claim
	end    int
}

func (s sentence) terms(weigh func(term string) float64) []term {
	var terms []term
	seen := map[string]bool{}
	for _, w := range s.words {
		if w.content && !seen[w.term] {
			seen[w.term] = true
			t := term{text: w.term, weight: weigh(w.term), start: w.start, end: w.end}
			if raw := s.text[w.start:w.end]; isAbbreviation(raw) {
				t.short = w.low
			}
			terms = append(terms, t)
		}
	}
	return terms
}

// findTerms notes which of the terms the sentence has, and which of its words are
// among them, and returns the weight of what it has.
func (s sentence) findTerms(terms []term) (found float64) {
	for i := range terms {
		t := &terms[i]
		t.match = 0
		for j, w := range s.words {
			if alike := 0.0; w.content {
				alike = like(t.text, w.term)
				t.match = max(t.match, alike)
				s.match[j] = max(s.match[j], alike)
			}
		}
		if t.match == 0 && t.short != "" {
			t.match = s.spelledOut(t.short)
		}
		found += t.match * t.weight
	}
	return found
}

// spelledOut says how well the sentence spells an abbreviation out: World Health
// Organization for WHO.
func (s sentence) spelledOut(short string) float64 {
	for i := range s.words {
		at := 0
		for j := i; j < len(s.words) && at < len(short); j++ {
			switch {
			case s.words[j].low[0] == short[at]:
				at++
			case s.words[j].content || at == 0:
				at = len(short) + 1
			}
		}
		if at == len(short) {
			return 0.8
		}
	}
	return 0
}

// isAbbreviation says whether a word is three to six capital letters of the Latin
// alphabet.
func isAbbreviation(raw string) bool {
	return len(raw) >= 3 && len(raw) <= 6 && strings.IndexFunc(raw, func(r rune) bool { return r < 'A' || r > 'Z' }) < 0
}

func (s sentence) setMatches(terms []term) {
	for i, w := range s.words {
		s.match[i] = 0
		for _, t := range terms {
			if w.content && t.text == w.term {
				s.match[i] = t.match
			}
		}
	}
}

// weight gives long words more: they say more about what a sentence is about.
func weight(term string) float64 {
	return min(2, 0.5+0.15*float64(utf8.RuneCountInString(term)))
}

// like says how much two terms are the same word: 1 where they are, 0.8 where they
// have a long common beginning (inhibit, inhibitor).
func like(a, b string) float64 {
	if a == b {
		return 1
	}
	if a == "" || b == "" {
		return 0
	}
	const shared = 5
	if len(a) < shared || len(b) < shared || a[:shared] != b[:shared] {
		return 0
	}
	n := shared
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if 3*n >= 2*max(len(a), len(b)) {
		return 0.8
	}
	return 0
}

func unique(terms []string) []string {
	seen := map[string]bool{}
	kept := terms[:0]
	for _, term := range terms {
		if !seen[term] {
			seen[term] = true
			kept = append(kept, term)
		}
	}
	return kept
}
