package nearcopy

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/quantity"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/text/lang"
)

// A piece is a unit of comparison: a word, a character of a script without spaces, or a whole figure
// or date with its unit, scale and the words that say how it is meant.
type piece struct {
	word
	start, end int  // in the text; parts of one word share its place
	name       bool // written like a name: with a capital inside a sentence, or with a digit in a word
	aside      bool // within brackets
	figure     *quantity.Figure
	date       *quantity.Date
}

// raw returns a figure or a date as it is written, without the words around it.
func (p piece) raw() string {
	switch {
	case p.figure != nil:
		return p.figure.Raw
	case p.date != nil:
		return p.date.Raw
	}
	return ""
}

// exact returns the place of a figure without the words around it, or that of another piece.
func (p piece) exact() text.Span {
	if p.figure != nil {
		return text.Span{Start: p.figure.Start, End: p.figure.End}
	}
	return text.Span{Start: p.start, End: p.end}
}

// weight returns the weight of a piece in an alignment. Figures and dates weigh as much as content words.
func (p piece) weight() float64 {
	if p.content || p.figure != nil || p.date != nil {
		return 1
	}
	return 0.2
}

// like returns how alike two pieces are: 1 for the same meaning, less for two forms of a word, otherwise
// 0. All denials are alike.
func (p piece) like(q piece) float64 {
	switch {
	case p.figure != nil && q.figure != nil:
		return worth(p.figure.Supports(*q.figure) && (p.figure.Approx || !q.figure.Approx)) // "about" may be added
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
		return Like(p.term, q.term)
	}
	return 0
}

func worth(same bool) float64 {
	if same {
		return 1
	}
	return 0
}

// claimPieces returns the pieces by which a claim is aligned.
func claimPieces(r *text.Reading) []piece {
	type pieces []piece
	return text.Keep(r, func() pieces { return newSentence(r).pieces(maxAligned) })
}

// shownPieces returns the pieces by which a sentence of the evidence is aligned.
func shownPieces(r *text.Reading) []piece {
	return text.Keep(r, func() []piece { return newSentence(r).pieces(maxStretch) })
}

// pieces returns at most limit pieces of a sentence. A capital at the beginning of the sentence makes no name.
func (s sentence) pieces(limit int) []piece {
	figures, dates, rates := quantity.Figures(s.Reading), quantity.Dates(s.Reading), quantity.Rates(s.Reading)
	var pieces []piece
	last, open := 0, 0
	for i, w := range s.words {
		if len(pieces) >= limit {
			break
		}
		for _, r := range s.Text()[min(last, w.start):w.start] {
			switch r {
			case '(', '（':
				open++
			case ')', '）':
				open = max(0, open-1)
			}
		}
		before := len(pieces)
		for len(figures) > 0 && figures[0].To <= w.start {
			figures = figures[1:]
		}
		for len(dates) > 0 && dates[0].End <= w.start {
			dates = dates[1:]
		}
		for len(rates) > 0 && rates[0].End <= w.start {
			rates = rates[1:]
		}
		switch {
		case w.end <= last:
		case len(rates) > 0 && rates[0].Start < w.end:
			rate := rates[0]
			rates = rates[1:]
			pieces = append(pieces, piece{start: rate.Start, end: rate.End,
				word: word{low: rate.Per, term: rate.Per, content: true}, name: true})
			last = max(rate.End, w.end)
		case len(dates) > 0 && dates[0].From < w.end:
			d := dates[0]
			dates = dates[1:]
			pieces = append(pieces, piece{start: d.From, end: d.End,
				word: word{low: strings.ToLower(d.Raw)}, date: &d})
			last = max(d.End, w.end)
		case len(figures) > 0 && figures[0].From < w.end:
			f := figures[0]
			figures = figures[1:]
			if head := w; max(w.start, last) < f.From && unspacedAt(s.Text(), w.start) {
				head.end = f.From
				pieces = s.split(head, max(w.start, last), i == 0, pieces)
			}
			pieces = append(pieces, piece{start: f.From, end: f.To, word: word{low: strings.ToLower(f.Raw)},
				figure: &f})
			if last = max(f.To, w.end); f.To < w.end && unspacedAt(s.Text(), f.To) { // 35000人
				pieces = s.split(w, f.To, false, pieces)
			}
		default:
			pieces = s.split(w, max(w.start, last), i == 0 || opensSentence(s.Text(), w.start), pieces)
			last = w.end
		}
		for k := range pieces[before:] {
			pieces[before+k].aside = open > 0
		}
	}
	return pieces
}

// unspacedAt reports whether the character at s[at] is of a script that writes words against numbers.
func unspacedAt(s string, at int) bool {
	r, _ := utf8.DecodeRuneInString(s[at:])
	return UnspacedLetter(r) && !unicode.Is(unicode.Arabic, r)
}

// opensSentence reports whether the word at s[at] begins a sentence.
func opensSentence(s string, at int) bool {
	before := strings.TrimRight(s[:at], " \t\n\"'«“„(")
	return before == "" || strings.ContainsAny(before[len(before)-1:], ".!?:")
}

// split appends the pieces of a word that begins at start: two for isn't, n'est and l'eau, and one for
// each character of a script without spaces.
func (s sentence) split(w word, start int, head bool, pieces []piece) []piece {
	written := s.Text()[start:w.end]
	first, size := utf8.DecodeRuneInString(written)
	x := s.lexicon()
	if unspacedAt(written, 0) {
		for i, r := range written {
			_, size := utf8.DecodeRuneInString(written[i:]) // 1 of a byte that is no character
			c := written[i : i+size]
			content := unicode.In(r, unicode.Han, unicode.Hangul, unicode.Katakana)
			pieces = append(pieces, piece{start: start + i, end: start + i + size,
				word: word{low: c, term: c, content: content, negation: slices.Contains(x.signs, c)}})
		}
		return pieces
	}
	part := func(low string, negation bool) piece {
		return piece{start: start, end: w.end, word: word{low: low, term: low, negation: negation}}
	}
	w.low = strings.ReplaceAll(w.low, "’", "'")
	at := strings.IndexByte(w.low, '\'')
	contractions := x.Keys(lang.Contractions)
	switch positive, form, _ := x.denies(w.low); {
	case form != nil && form.behind:
		return append(pieces, part(positive, false), part("not", true))
	case form != nil:
		pieces = append(pieces, part("not", true))
		w.low, w.negation, w.content = positive, false, !text.IsStop(s.lang, positive)
		if w.term = w.low; w.content {
			w.term = termOf(s.lang, w.low)
		}
	case at > 0 && at <= 2 && contractions == nil:
		pieces = append(pieces, part(w.low[:at+1], w.negation))
		w.low, w.negation = w.low[at+1:], false
		if w.term = w.low; w.content {
			w.term = termOf(s.lang, w.low)
		}
	case at > 0 && !w.content && contractions[w.low[at:]] != "":
		return append(pieces, part(w.low[:at], w.negation), part(contractions[w.low[at:]], false))
	}
	letter := x.Is(lang.Segments) && size == 1 && unicode.IsLetter(first)
	capital := unicode.IsUpper(first) && !head || strings.IndexFunc(written[size:], unicode.IsUpper) >= 0
	digit := unicode.IsLetter(first) && strings.ContainsAny(written, "0123456789")
	return append(pieces, piece{start: start, end: w.end, word: w, name: w.content && (letter || capital || digit)})
}

// saysNumber reports whether a word in digits is the value of a figure without unit and scale, as the 6
// of "version 6" is for six.
func saysNumber(f quantity.Figure, low string) bool {
	value, err := strconv.ParseFloat(low, 64)
	return err == nil && f.Plain() && (value == f.Value || value == f.Low || value == f.High)
}

// Like returns how alike two terms are: 1 for the same term, 0.8 for a long common prefix (inhibit,
// inhibitor), otherwise 0.
func Like(a, b string) float64 {
	if a == b {
		return 1
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

// UnspacedLetter reports whether r belongs to a script that writes letters against numbers.
func UnspacedLetter(r rune) bool {
	return r >= 0x0600 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Arabic)
}
