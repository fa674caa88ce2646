package cite

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/quantity"
)

// A piece is what claims and evidence are compared by: a word, a character where a script
// writes no spaces, or a whole figure or date with its unit, its scale and its bound.
type piece struct {
	word
	start, end int  // in the text; what a word was taken apart into has the whole word's place
	name       bool // written as names are: a capital inside a sentence, or a digit in a word
	aside      bool // within brackets
	figure     *quantity.Figure
	date       *quantity.Date
}

// weight is what a piece counts in an alignment. Figures and dates count as content: they
// hold the places of others.
func (p piece) weight() float64 {
	if p.content || p.figure != nil || p.date != nil {
		return 1
	}
	return 0.2
}

// like says how far two pieces are one: 1 where they say the same, less for two forms of
// a word, 0 where they do not. Every denial is like every other.
func (p piece) like(q piece) float64 {
	switch {
	case p.figure != nil && q.figure != nil:
		return worth(p.figure.Supports(*q.figure))
	case p.date != nil && q.date != nil:
		return worth(p.date.Supports(*q.date))
	case p.figure != nil:
		return worth(saysNumber(*p.figure, q.low))
	case q.figure != nil:
		return worth(saysNumber(*q.figure, p.low))
	case p.date != nil || q.date != nil:
		return worth(p.low == q.low)
	case p.negation || q.negation:
		return worth(p.negation && q.negation)
	case p.low == q.low || p.term == q.term && p.term != "":
		return 1
	case p.content && q.content:
		return like(p.term, q.term)
	}
	return 0
}

func worth(same bool) float64 {
	if same {
		return 1
	}
	return 0
}

// pieces gives at most limit pieces of a sentence. A capital at its head says nothing.
func (s sentence) pieces(limit int) []piece {
	figures, dates := quantity.Figures(s.text, s.lang), quantity.Dates(s.text, s.lang)
	var pieces []piece
	last, open := 0, 0
	for i, w := range s.words {
		if len(pieces) >= limit {
			break
		}
		for _, r := range s.text[min(last, w.start):w.start] {
			switch r {
			case '(', '（':
				open++
			case ')', '）':
				open = max(0, open-1)
			}
		}
		before := len(pieces)
		for len(figures) > 0 && figures[0].End <= w.start {
			figures = figures[1:]
		}
		for len(dates) > 0 && dates[0].End <= w.start {
			dates = dates[1:]
		}
		switch {
		case w.end <= last:
		case len(dates) > 0 && dates[0].Start < w.end:
			d := dates[0]
			pieces = append(pieces, piece{start: d.Start, end: d.End, word: word{low: strings.ToLower(d.Raw), clause: w.clause}, date: &d})
			last = max(d.End, w.end)
		case len(figures) > 0 && figures[0].Start < w.end:
			f := figures[0]
			pieces = append(pieces, piece{start: f.Start, end: f.End, word: word{low: strings.ToLower(f.Raw), clause: w.clause}, figure: &f})
			last = max(f.End, w.end)
		default:
			pieces = s.split(w, max(w.start, last), i == 0 || opensSentence(s.text, w.start), pieces)
			last = w.end
		}
		for k := range pieces[before:] {
			pieces[before+k].aside = open > 0
		}
	}
	return pieces
}

// opensSentence says whether the word at s[at] begins a sentence.
func opensSentence(s string, at int) bool {
	before := strings.TrimRight(s[:at], " \t\n\"'«“„(")
	return before == "" || strings.ContainsAny(before[len(before)-1:], ".!?:")
}

// split appends a word that begins at start, taken apart where it is two: isn't, n'est,
// l'eau, and the characters of scripts without spaces.
func (s sentence) split(w word, start int, head bool, pieces []piece) []piece {
	written := s.text[start:w.end]
	first, size := utf8.DecodeRuneInString(written)
	if unspacedLetter(first) && !unicode.Is(unicode.Arabic, first) {
		for i, r := range written {
			_, size := utf8.DecodeRuneInString(written[i:]) // 1 of a byte that is no character
			c := written[i : i+size]
			pieces = append(pieces, piece{start: start + i, end: start + i + size,
				word: word{low: c, term: c, clause: w.clause, content: unicode.In(r, unicode.Han, unicode.Hangul, unicode.Katakana), negation: slices.Contains(unspacedDenials[s.lang], c)}})
		}
		return pieces
	}
	part := func(low string, negation bool) piece {
		return piece{start: start, end: w.end, word: word{low: low, term: low, clause: w.clause, negation: negation}}
	}
	w.low = strings.ReplaceAll(w.low, "’", "'")
	if verb, ok := strings.CutSuffix(w.low, "n't"); s.lang == "en" && (ok || w.low == "cannot") {
		switch verb {
		case "ca", "cannot":
			verb = "can"
		case "wo":
			verb = "will"
		}
		return append(pieces, part(verb, false), part("not", true))
	}
	if at := strings.IndexByte(w.low, '\''); at > 0 && at <= 2 && s.lang != "en" {
		pieces = append(pieces, part(w.low[:at+1], w.negation))
		w.low, w.negation = w.low[at+1:], false
		if w.term = w.low; w.content {
			w.term = termOf(s.lang, w.low)
		}
	}
	if at := strings.IndexByte(w.low, '\''); at > 0 && s.lang == "en" && !w.content && contracted[w.low[at:]] != "" {
		return append(pieces, part(w.low[:at], w.negation), part(contracted[w.low[at:]], false))
	}
	name := w.content && (unicode.IsUpper(first) && !head || unspacedAxes[s.lang] != nil && size == 1 && unicode.IsLetter(first) || strings.IndexFunc(written[size:], unicode.IsUpper) >= 0 || unicode.IsLetter(first) && strings.ContainsAny(written, "0123456789"))
	return append(pieces, piece{start: start, end: w.end, word: w, name: name})
}

// saysNumber says whether a word is the number of a figure that has neither unit nor
// scale, in digits: the 6 of "version 6" for six.
func saysNumber(f quantity.Figure, low string) bool {
	value, err := strconv.ParseFloat(low, 64)
	return err == nil && f.Plain() && (value == f.Value || value == f.Low || value == f.High)
}

// contracted are the verbs that English writes into the word before them.
var contracted = map[string]string{"'s": "is", "'re": "are", "'ve": "have", "'ll": "will", "'m": "am"}
