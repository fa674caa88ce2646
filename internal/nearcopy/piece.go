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
	exact      bool // a rate or an identifier: like no other word
	denied     bool // of a sentence with a denial: a wider or rounder figure or date may be false of it
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

// place returns the place of a figure without the words around it, or that of another piece.
func (p piece) place() text.Span {
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
	switch denied := p.denied || q.denied; {
	case p.figure != nil && q.figure != nil && denied:
		return worth(p.figure.Same(*q.figure))
	case p.figure != nil && q.figure != nil:
		return worth(p.figure.Repeats(*q.figure) && (p.figure.Approx || !q.figure.Approx)) // "about" may be added
	case p.date != nil && q.date != nil && denied:
		return worth(p.date.Same(*q.date))
	case p.date != nil && q.date != nil:
		return worth(p.date.Repeats(*q.date))
	case p.figure != nil:
		return worth(saysNumber(*p.figure, q.low))
	case q.figure != nil:
		return worth(saysNumber(*q.figure, p.low))
	case p.date != nil || q.date != nil || p.exact || q.exact:
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

// wholes returns the figures, dates, rates and identifiers of a sentence as pieces, in order.
func (s sentence) wholes() []piece {
	var all []piece
	for _, f := range quantity.Figures(s.Reading) {
		all = append(all, piece{start: f.From, end: f.To, word: word{low: strings.ToLower(f.Raw)}, figure: &f})
	}
	for _, d := range quantity.Dates(s.Reading) {
		all = append(all, piece{start: d.From, end: d.End, word: word{low: strings.ToLower(d.Raw)}, date: &d})
	}
	for _, rate := range quantity.Rates(s.Reading) {
		all = append(all, exactPiece(rate.Start, rate.End, rate.Per))
	}
	for _, id := range quantity.Identifiers(s.Reading) {
		all = append(all, exactPiece(id.Start, id.End, id.Key))
	}
	slices.SortStableFunc(all, func(a, b piece) int { return a.start - b.start })
	return all
}

// exactPiece returns a piece that is like no other but one of the same name.
func exactPiece(start, end int, name string) piece {
	return piece{start: start, end: end, word: word{low: name, term: name, content: true}, name: true, exact: true}
}

// pieces returns at most limit pieces of a sentence. A capital at the beginning of the sentence makes no name.
func (s sentence) pieces(limit int) []piece {
	var pieces []piece
	wholes := s.wholes()
	last, open := 0, 0
	for i, w := range s.words {
		if len(pieces) >= limit {
			break
		}
		open = max(0, open+brackets(s.Text()[min(last, w.start):w.start]))
		before := len(pieces)
		for len(wholes) > 0 && wholes[0].end <= max(w.start, last) {
			wholes = wholes[1:]
		}
		head := i == 0 || opensSentence(s.Text(), w.start)
		switch {
		case w.end <= last:
		case len(wholes) > 0 && wholes[0].start < w.end:
			whole, rest := wholes[0], w
			if rest.end = whole.start; max(w.start, last) < whole.start && unspacedAt(s.Text(), w.start) {
				pieces = s.split(rest, max(w.start, last), head, pieces)
			}
			pieces = append(pieces, whole)
			if last = max(whole.end, w.end); whole.end < w.end && unspacedAt(s.Text(), whole.end) { // 35000人
				pieces = s.split(w, whole.end, false, pieces)
			}
		default:
			pieces = s.split(w, max(w.start, last), head, pieces)
			last = w.end
		}
		for k := range pieces[before:] {
			pieces[before+k].aside = open > 0
		}
	}
	if slices.ContainsFunc(pieces, func(p piece) bool { return p.negation }) {
		for i := range pieces {
			pieces[i].denied = true
		}
	}
	return pieces
}

// brackets returns how many more brackets a text opens than it closes.
func brackets(between string) (open int) {
	for _, r := range between {
		switch r {
		case '(', '（':
			open++
		case ')', '）':
			open--
		}
	}
	return open
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
// inhibitor), otherwise 0. Codes with digits have no forms.
func Like(a, b string) float64 {
	if a == b {
		return 1
	}
	const shared = 5
	if len(a) < shared || len(b) < shared || a[:shared] != b[:shared] || strings.ContainsAny(a+b, "0123456789") {
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
