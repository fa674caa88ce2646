package brief

import (
	"cmp"
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
	language   string
	terms      []string
	aspect     int     // which aspect of the question it answers best
	score      float64 // how well it answers that; comparable within one brief
	figures    bool
	dates      bool
	loose      bool // it points back to words that are not quoted with it
}

// sentences takes the passages apart and scores what could be quoted, best first.
// A sentence earns by the words of one aspect of the question in it and in its
// heading, by those of the whole question, and by the rank of its passage; it
// loses where it has not the kind of answer that the aspect asks for.
func sentences(q question, e *evidence) []sentence {
	onlySnippets := !slices.ContainsFunc(e.passages, func(p citewell.Passage) bool { return !e.snippetOnly(p) })
	var all []sentence
	var words, below [][]string // of each sentence alone, and with the heading it stands below
	place := map[string]int{}
	for i, p := range e.passages {
		place[p.ID] = i
		if e.snippetOnly(p) && !onlySnippets {
			continue
		}
		lang := text.LikelyLanguage(p.Text)
		spans := text.Sentences(p.Text)
		for k, span := range spans {
			s := p.Text[span.Start:span.End]
			if !quotable(s) {
				continue
			}
			// A sentence that leans on the one before it is quoted together with it.
			loose := leans(s)
			if k > 0 && loose && span.End-spans[k-1].Start < maxQuote && quotable(p.Text[spans[k-1].Start:spans[k-1].End]) &&
				!strings.Contains(p.Text[spans[k-1].End:span.Start], "\n") {
				span.Start = spans[k-1].Start
				s = p.Text[span.Start:span.End]
				loose = leans(s)
			}
			terms := text.Terms(s, lang)
			all = append(all, sentence{passage: p, start: p.Start + span.Start, end: p.Start + span.End, text: s,
				language: lang, terms: terms, loose: loose, figures: len(text.Figures(s, lang)) > 0, dates: len(text.Dates(s, lang)) > 0})
			words = append(words, terms)
			below = append(below, append(text.Terms(p.Heading, lang), terms...))
		}
	}
	whole := relative(rank.BM25(q.terms, words))
	for at, a := range q.aspects {
		own, headed := relative(rank.BM25(a.terms, words)), relative(rank.BM25(a.terms, below))
		for i := range all {
			s := &all[i]
			if own[i] == 0 {
				continue // a heading alone makes no answer
			}
			score := 0.45*own[i] + 0.15*headed[i] + 0.4*whole[i] + 0.2*(1-float64(place[s.passage.ID])/float64(len(e.passages)))
			if a.wantsFigure && !s.figures || a.wantsDate && !s.dates {
				score *= 0.4
			}
			if score > s.score {
				s.score, s.aspect = score, at
			}
		}
	}
	for i := range all {
		s := &all[i]
		if !endsAsSentence(s.text) {
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

// relative scales scores so that the best is 1.
func relative(scores []float64) []float64 {
	best := slices.Max(append(scores, 1e-9))
	for i := range scores {
		scores[i] /= best
	}
	return scores
}

// Bounds of what is quoted, in bytes.
const (
	minQuote = 30
	maxQuote = 480
)

// quotable says whether s reads as a statement: long enough to say something,
// short enough to quote, mostly letters, and no question.
func quotable(s string) bool {
	if len(s) < minQuote || len(s) > maxQuote {
		return false
	}
	letters, visible := 0, 0
	for _, r := range s {
		if unicode.IsSpace(r) {
			continue
		}
		visible++
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters++
		}
	}
	words := len(text.Words(s))
	return float64(letters) > 0.75*float64(visible) && words >= 5 && !strings.ContainsRune("?？؟", lastRune(s))
}

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
	first, _, _ := strings.Cut(s, " ")
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
