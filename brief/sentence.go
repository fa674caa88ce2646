package brief

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/rank"
	"github.com/citewell/citewell/text"
)

// A sentence of a passage that could be quoted. Start and End are its span in the
// canonical text of the source.
type sentence struct {
	passage    citewell.Passage
	start, end int
	text       string // exactly the bytes of the span
	own        int    // where it begins without the sentence before it that it leans on
	language   string
	terms      []string
	aspect     int     // which aspect of the question it answers best
	score      float64 // how well it answers that; comparable within one brief
	figures    bool
	dates      bool
	loose      bool // it points back to words that are not quoted with it
}

// sentences takes the passages apart and scores what could be quoted, best first.
// A sentence earns by the words of one aspect of the question in it, by those above
// it, and by the rank of its passage; it loses where it has not the kind of answer
// that the aspect asks for.
func sentences(q question, e *evidence) []sentence {
	onlySnippets := !slices.ContainsFunc(e.passages, func(p citewell.Passage) bool { return !e.snippetOnly(p) })
	var all []sentence
	place := map[string]int{}
	for i, p := range e.passages {
		place[p.ID] = i
		if e.snippetOnly(p) && !onlySnippets {
			continue
		}
		lang := text.LikelyLanguage(p.Text)
		spans := text.Sentences(p.Text)
		for k, span := range spans {
			span.Start += len(marker.FindString(p.Text[span.Start:span.End]))
			s := p.Text[span.Start:span.End]
			if !quotable(s) || headed(s) {
				continue
			}
			// A sentence that leans on the one before it is quoted together with it.
			loose, own := leans(s), p.Start+span.Start
			if k > 0 && loose && span.End-spans[k-1].Start < maxQuote && quotable(p.Text[spans[k-1].Start:spans[k-1].End]) &&
				!strings.Contains(p.Text[spans[k-1].End:span.Start], "\n") {
				span.Start = spans[k-1].Start
				s = p.Text[span.Start:span.End]
				loose = leans(s)
			}
			terms, dates := text.Terms(s, lang), text.Dates(s, lang)
			all = append(all, sentence{passage: p, start: p.Start + span.Start, end: p.Start + span.End, own: own, text: s,
				language: lang, terms: terms, loose: loose, figures: len(text.Figures(s, lang)) > 0 || hasNumber(s, dates), dates: len(dates) > 0 || timeOfDay.MatchString(s)})
		}
	}
	contrasts, defines := asksContrast.MatchString(q.text), asksDefinition.MatchString(q.text)
	for at, a := range q.aspects {
		words := strings.Join(slices.Concat(a.words, a.hints), " ")
		alone, below := answering(words, q.language, all, nil), answering(words, q.language, all, e)
		focus := focusOf(a, all, e)
		named := answering(strings.Join(a.own, " "), q.language, all, e)
		for i := range all {
			s := &all[i]
			if alone[i] == 0 {
				continue // a heading alone makes no answer
			}
			if named[i] == 0 && len(a.own) > 0 {
				continue // it speaks of what the neighbour asks
			}
			score := 0.6*alone[i] + 0.2*below[i] + 0.2*(1-float64(place[s.passage.ID])/float64(len(e.passages)))
			switch {
			case a.wantsFigure && !s.figures && len(text.Figures(s.passage.Heading, s.language)) > 0:
				score *= 0.7
			case a.wantsFigure && !s.figures, a.wantsDate && !s.dates, asksVersion.MatchString(a.text) && !version.MatchString(s.text):
				score *= 0.4
			}
			if len(focus) > 0 && share(focus, s.terms) == 0 {
				score *= 0.75
			}
			if defines && definition.MatchString(s.text) {
				score *= 1.6
			}
			if contrasts && contrast.MatchString(s.text) {
				score *= 1.25
			}
			if score > s.score {
				s.score, s.aspect = score, at
			}
		}
	}
	for i := range all {
		s := &all[i]
		switch {
		case isRow(s.text):
			s.score *= 0.7
		case !endsAsSentence(s.text):
			s.score *= 0.6
		}
		if s.loose {
			s.score *= 0.7
		}
		if strings.Contains(s.text, "://") || addressesModel(s.text, q.text) {
			s.score *= 0.1
		}
	}
	slices.SortStableFunc(all, func(a, b sentence) int { return cmp.Compare(b.score, a.score) })
	return all
}

// focusOf gives the words of an aspect that tell its answer from all else that the
// sources say of the subject: those that few sentences and no title has.
func focusOf(a aspect, all []sentence, e *evidence) []string {
	var titles []string
	for _, s := range e.sources {
		titles = append(titles, text.Terms(s.Title, "")...)
	}
	var focus []string
	for _, term := range a.terms {
		in := 0
		for _, s := range all {
			if slices.Contains(s.terms, term) {
				in++
			}
		}
		if in > 0 && float64(in) <= rareShare*float64(len(all)) && !slices.Contains(titles, term) {
			focus = append(focus, term)
		}
	}
	return focus
}

// rareShare is the share of the sentences up to which a word is rare among them.
const rareShare = 0.06

// hasNumber says whether s has a digit outside of its dates.
func hasNumber(s string, dates []text.Date) bool {
	for i, r := range s {
		if unicode.IsDigit(r) && !slices.ContainsFunc(dates, func(d text.Date) bool { return d.Start <= i && i < d.End }) {
			return true
		}
	}
	return false
}

// answering scores the sentences for the words that are asked, the best 1. With the
// evidence, what stands above a sentence (its heading, the title and the site of its
// source) counts too: it need not be said in it again.
func answering(words, lang string, all []sentence, e *evidence) []float64 {
	texts := make([]citewell.Passage, len(all))
	for i, s := range all {
		texts[i].Text = s.text
		if e != nil {
			texts[i].Heading = s.passage.Heading
		}
	}
	scores := make([]float64, len(all))
	for _, s := range rank.Passages(words, texts, rank.Options{
		Language:  lang,
		Languages: func(i int) string { return all[i].language },
		Titles: func(i int) string {
			if e == nil {
				return ""
			}
			source := e.source(all[i].passage)
			return source.Title + " " + separators.Replace(source.URL)
		},
	}) {
		scores[s.Index] = s.Score
	}
	best := slices.Max(append(scores, 1e-9))
	for i := range scores {
		scores[i] /= best
	}
	return scores
}

var (
	// separators are what parts the words of a URL.
	separators = strings.NewReplacer("/", " ", ".", " ", "-", " ", "_", " ", ":", " ", "=", " ", "&", " ", "?", " ", "%20", " ")

	asksVersion = regexp.MustCompile(`(?i)(?:^|[^\p{L}])(?:which|what|since|ab welcher|welche) (?:\p{L}+ ){0,3}(?:version|release)`)
	version     = regexp.MustCompile(`\d\.\d|\b[vV]\d`)

	// asksContrast and contrast are how a question asks what sets things apart, and
	// how an answer says it.
	asksContrast = regexp.MustCompile(`(?i)(?:^|[^\p{L}])(?:differ\p{L}*|compared?|comparison|versus|vs|unterschied\p{L}*|vergleich\p{L}*|` +
		`différen\p{L}+|diferen\p{L}+|отличи\p{L}+|разниц\p{L}+)(?:[^\p{L}]|$)`)
	contrast = regexp.MustCompile(`(?i)(?:^|[^\p{L}])(?:while|whereas|unlike|in contrast|rather than|instead of|on the other hand|` +
		`während|hingegen|anders als|tandis que|alors que|mientras|a diferencia|в отличие|тогда как)(?:[^\p{L}]|$)`)

	// asksDefinition and definition are how a question asks what something is, and how
	// an answer begins.
	asksDefinition = regexp.MustCompile(`(?i)^(?:what(?:'s| is| are)|was (?:ist|sind)|qu'est-ce que|qu’est-ce que|qué (?:es|son)|что такое)\s+\S+(?:\s+\S+){0,3}\s*\??$`)
	definition     = regexp.MustCompile(`(?i)^[^.,;:]{2,60}\s(?:is|are|was|ist|sind|est|sont|es|son)\s+(?:an?|the|one of|ein|eine|der|die|das|une?|una?|la|le|el)\s|^[^.,;:]{2,60}\s(?:—|это)\s`)

	// timeOfDay is how a sentence says when without a date: a time, a part of the day,
	// a day of the week.
	timeOfDay = regexp.MustCompile(`(?i)(?:^|[^\p{L}\p{N}])(?:\d{1,2}[:.h]\d{2}|\d{1,2} ?(?:am|pm|a\.m\.|p\.m\.|o'clock|uhr|heures)|in the (?:morning|afternoon|evening)|` +
		`at (?:noon|midnight|night)|mittags?|morgens|abends|daily|täglich|every (?:day|week|month|year)|` +
		`(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|` +
		`lunes|martes|miércoles|jueves|viernes|sábado|domingo|понедельник\p{L}*|вторник\p{L}*|сред[ау]|четверг\p{L}*|пятниц\p{L}*|суббот\p{L}*|воскресень\p{L}*)(?:[^\p{L}\p{N}]|$)`)

	// marker is what an item of a list begins with.
	marker = regexp.MustCompile(`^(?:[-*•–]|\(?\d{1,3}[.)]|[a-z][.)])\s+`)

	// named is what a row of a table must have to say what its figures are of.
	named = regexp.MustCompile(`\p{L}{3}|[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]{2}`)

	// section is how the heading of a section begins that a text repeats, as in a
	// table of contents.
	section = regexp.MustCompile(`^\d{1,3}(?:\.\d{1,3})+\.?\s`)
)

// headed says whether s is a section's heading.
func headed(s string) bool { return section.MatchString(s) && !endsAsSentence(s) }

// Bounds of what is quoted, in bytes and words.
const (
	minQuote   = 18
	maxQuote   = 480
	leastWords = 4
)

// quotable says whether s reads as a statement: long enough to say something,
// short enough to quote, mostly letters, and no question.
func quotable(s string) bool {
	if isRow(s) {
		return len(s) <= maxQuote && named.MatchString(s) && len(text.Figures(s, "")) > 0
	}
	if len(s) < minQuote || len(s) > maxQuote {
		return false
	}
	letters, visible := 0, 0
	for _, r := range s {
		if r >= '①' && r <= '⑳' {
			return false // a reader would take it for a citation of ours
		}
		if unicode.IsSpace(r) {
			continue
		}
		visible++
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters++
		}
	}
	return float64(letters) > 0.75*float64(visible) && len(text.Words(s)) >= leastWords && !strings.ContainsRune("?？؟", lastRune(s))
}

// isRow says whether s is a row of a table, which is quoted where it has a figure.
func isRow(s string) bool { return strings.Contains(s, " | ") && !strings.Contains(s, "\n") }

func endsAsSentence(s string) bool { return strings.ContainsRune(".!。！…।؛۔", lastRune(s)) }

// lastRune is the last rune of s before closing quotes and brackets; 0 is none.
func lastRune(s string) rune {
	last, size := utf8.DecodeLastRuneInString(strings.TrimRight(s, "\"'”’»›)]）」』】"))
	if size == 0 {
		return 0
	}
	return last
}

// leaning are first words that point back to what was said before.
var leaning = []string{"it", "its", "this", "that", "these", "those", "they", "their", "he", "she", "his", "her", "such", "both",
	"however", "therefore", "thus", "also", "but", "instead", "otherwise", "moreover", "furthermore", "hence",
	"er", "sie", "es", "dies", "diese", "dieser", "dieses", "jedoch", "daher", "auch", "aber",
	"il", "elle", "ils", "elles", "cela", "cette", "ce", "mais", "él", "ella", "esto", "esta", "este", "pero",
	"он", "она", "оно", "они", "это", "этот", "эта", "но"}

// leaningCharacters are the same in Chinese and Japanese, which have no spaces.
var leaningCharacters = []string{"它", "他", "她", "这", "這", "该", "該", "其", "此", "但", "それ", "これ", "この", "その", "彼", "しかし"}

func leans(s string) bool {
	first, rest, _ := strings.Cut(s, " ")
	if strings.EqualFold(first, "the") && (strings.HasPrefix(rest, "latter") || strings.HasPrefix(rest, "former ")) || strings.HasPrefix(s, "(") {
		return true
	}
	return slices.Contains(leaning, strings.ToLower(strings.TrimRight(first, ","))) ||
		slices.ContainsFunc(leaningCharacters, func(c string) bool { return strings.HasPrefix(s, c) })
}

// modelWords are phrases that speak to a model instead of a reader. A page may
// say them; they make poor findings. This is taste, not a defence: a finding is a
// quote in any case.
var modelWords = []string{"ignore previous", "ignore all previous", "ignore the above", "disregard previous", "disregard all",
	"system prompt", "as an ai", "language model", "ai assistant", "ai agent", "your instructions", "you must now", "new instructions"}

// addressesModel says whether s does so in words that the question does not have.
func addressesModel(s, query string) bool {
	s, query = strings.ToLower(s), strings.ToLower(query)
	return slices.ContainsFunc(modelWords, func(w string) bool { return strings.Contains(s, w) && !strings.Contains(query, w) })
}
