package quantity

import (
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/text/lang"
)

// A qualifier tells how the number beside it is meant.
type qualifier int

const (
	plain   qualifier = iota
	about             // near the number, on either side
	nearly            // a little less than the number
	exactly           // the number, and not rounded
	moreThan
	atLeast
	lessThan
	atMost
	upTo // at most, and the number is reached
	minus
)

// qualifierKeys are the keys of the qualifiers in the files of languages.
var qualifierKeys = [...]string{about: "about", nearly: "nearly", exactly: "exactly", moreThan: "more than",
	atLeast: "at least", lessThan: "less than", atMost: "at most", upTo: "up to", minus: "minus"}

// A qualifierTable holds the qualifying phrases of all languages: the language of a short text may not be told.
type qualifierTable struct {
	before map[string]qualifier
	byEnd  map[rune][]string    // the phrases of before, by their last character
	behind map[string]qualifier // each with its space, where it has one
	denied []string             // words that deny a bound behind them; one with a hyphen is the end of a word
}

var qualifiers = sync.OnceValue(func() qualifierTable {
	t := qualifierTable{
		before: map[string]qualifier{"~": about, "≈": about, "∼": about, ">": moreThan, "≥": atLeast, ">=": atLeast,
			"<": lessThan, "≤": atMost, "<=": atMost},
		byEnd:  map[rune][]string{},
		behind: map[string]qualifier{"+": atLeast},
	}
	for _, l := range lang.All() {
		for q := about; int(q) < len(qualifierKeys); q++ {
			for _, phrase := range spaced(l.Of(lang.Qualifiers, qualifierKeys[q])) {
				t.before[phrase] = q
			}
			for _, phrase := range spaced(l.Of(lang.Qualifiers, qualifierKeys[q]+" behind")) {
				t.behind[phrase] = q
			}
		}
		t.denied = append(t.denied, l.Of(lang.Qualifiers, "denials")...)
	}
	for phrase := range t.before {
		last, _ := utf8.DecodeLastRuneInString(phrase)
		t.byEnd[last] = append(t.byEnd[last], phrase)
	}
	return t
})

// qualify reads the words around f that say how it is meant.
func (p *figureParser) qualify(f *Figure) {
	if q, from := p.qualifierBefore(f.From); q != plain {
		f.From = from
		f.apply(q)
		if q == about || q == nearly { // at least about 500
			if bound, from := p.qualifierBefore(from); bound >= moreThan && bound <= upTo {
				f.From = from
				f.apply(bound)
				return
			}
		} else if q != minus {
			return
		}
	}
	if p.qualifiedBehind(f, f.End) || !p.lang.Is(lang.Counters) {
		return
	}
	for _, counter := range counters { // 2人以上
		at := f.End + len(p.s[f.End:]) - len(strings.TrimLeft(p.s[f.End:], " "))
		if strings.HasPrefix(p.s[at:], counter) && p.qualifiedBehind(f, at+len(counter)) {
			return
		}
	}
}

// qualifiedBehind applies the longest qualifier at s[at] to f, and reports whether there is one.
func (p *figureParser) qualifiedBehind(f *Figure, at int) bool {
	longest := ""
	for phrase := range qualifiers().behind {
		if len(phrase) > len(longest) && strings.HasPrefix(p.s[at:], phrase) {
			longest = phrase
		}
	}
	if longest == "" {
		return false
	}
	f.apply(qualifiers().behind[longest])
	f.To = max(f.To, at+len(longest))
	return true
}

// qualifierBefore returns the longest qualifier before s[start] and where it begins.
func (p *figureParser) qualifierBefore(start int) (q qualifier, from int) {
	const reach = 32 // bytes
	window := max(0, start-reach)
	for window < start && !utf8.RuneStart(p.s[window]) {
		window++
	}
	written := strings.TrimRight(p.s[window:start], " \u00a0.")
	before := strings.ToLower(written)
	longest := ""
	end, _ := utf8.DecodeLastRuneInString(before)
	for _, phrase := range qualifiers().byEnd[end] {
		head, ok := strings.CutSuffix(before, phrase)
		if !ok || len(phrase) <= len(longest) {
			continue
		}
		first, _ := utf8.DecodeRuneInString(phrase)
		last, size := utf8.DecodeLastRuneInString(head)
		if size > 0 && isWordRune(first) && !text.IsUnspaced(first) && isWordRune(last) {
			continue
		}
		longest = phrase
	}
	if longest == "" {
		return plain, start
	}
	q = qualifiers().before[longest]
	head := before[:len(before)-len(longest)]
	if q == moreThan && deniedAtEnd(head) {
		q = atMost
	} else if q == lessThan && deniedAtEnd(head) {
		q = atLeast
	}
	if len(before) != len(written) { // offsets hold no more
		return q, start
	}
	return q, window + len(head)
}

// apply gives f the meaning of a qualifier.
func (f *Figure) apply(q qualifier) {
	switch q {
	case about, nearly:
		f.Approx = true
	case moreThan, atLeast:
		f.High = math.Inf(1)
	case lessThan, atMost, upTo:
		f.Low = math.Inf(-1)
	case minus:
		if f.number > 0 {
			f.turn()
		}
		return
	}
	f.meant = q
}

// turn makes f the negative figure.
func (f *Figure) turn() {
	offset := f.unit.offset
	f.number, f.Value = -f.number, 2*offset-f.Value
	f.Low, f.High = 2*offset-f.High, 2*offset-f.Low
}

// deniedAtEnd reports whether one of the last words of a text denies what follows: with at most a verb between.
func deniedAtEnd(before string) bool {
	const reach = 3 // words
	words := strings.Fields(before[strings.LastIndexAny(before, ".,;:!?()")+1:])
	return slices.ContainsFunc(words[max(0, len(words)-reach):], func(word string) bool {
		return slices.ContainsFunc(qualifiers().denied, func(denial string) bool {
			ending, isEnding := strings.CutPrefix(denial, "-")
			return word == denial || isEnding && strings.HasSuffix(word, ending)
		})
	})
}
