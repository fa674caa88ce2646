package disagree

import (
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/quantity"
	"github.com/citewell/citewell/internal/text"
)

// yearlyPhrase is how a figure is said to be of any one year: "in an average year",
// "a year", "per year on average" and "annual" all say the same of it. Averages of
// other things ("the average household") stay what they are.
var yearlyPhrase = lazyregexp.New(
	`(?i)\b(?:(?:in|over|during) an? (?:average|typical|normal|mean) year|(?:an?|per|each|every) year|(?:average|mean) (?:annual|yearly)|(?:annual|yearly) (?:average|mean)|annual(?:ly)?|yearly|per annum` +
		`|in einem (?:mittleren|durchschnittlichen|normalen) jahr|im jahr|pro jahr|im jahresdurchschnitt|en année moyenne|par an|al año|por año)\b|(?i:jährlich)`)

// yearlyParts are in whatever yearlyPhrase finds, one of them in each. Most statements have none,
// and to look for them takes less than a hundredth of the time of the pattern, which begins anew at each byte.
var yearlyParts = []string{"year", "annu", "anné", "jahr", "jähr", "par an", " año"}

// onAverage is said of the whole statement, beside a yearly phrase.
var onAverage = lazyregexp.New(
	`(?i)\b(?:on average|im durchschnitt|im mittel|durchschnittlich|en moyenne|en promedio|de media)\b`)

// notYearly begins what makes "a year" a span of time and "im Jahr" a date.
var notYearly = lazyregexp.New(
	`^(?:\s+(?:and|or|ago|later|earlier|after|before|older|younger|long|of|from|since|when|that|in which|\d{4}\b)|-|'s|’s)`)

// yearlyPhrases gives the phrases of s that say that a figure is of any one year.
func yearlyPhrases(s string) []text.Span {
	lower := strings.ToLower(s)
	if !slices.ContainsFunc(yearlyParts, func(part string) bool { return strings.Contains(lower, part) }) {
		return nil
	}
	var phrases []text.Span
	for _, at := range yearlyPhrase.FindAllStringIndex(s, -1) {
		if !notYearly.MatchString(s[at[1]:]) {
			phrases = append(phrases, text.Span{Start: at[0], End: at[1]})
		}
	}
	return phrases
}

// averagePhrases gives the phrases of s that only say that a yearly figure is a mean.
func averagePhrases(s string) []text.Span {
	var phrases []text.Span
	for _, at := range onAverage.FindAllStringIndex(s, -1) {
		phrases = append(phrases, text.Span{Start: at[0], End: at[1]})
	}
	return phrases
}

// isYearly says whether one of the phrases is of the figure f: it follows f in its
// clause before any other figure, or stands before every figure.
func isYearly(s string, f quantity.Figure, figures []quantity.Figure, phrases []text.Span) bool {
	for _, p := range phrases {
		before := false // a figure stands before the phrase
		for _, other := range figures {
			before = before || other.End <= p.Start
		}
		if !before {
			return true
		}
		if f.End > p.Start || strings.ContainsAny(s[f.End:p.Start], ";") {
			continue
		}
		nearest := true
		for _, other := range figures {
			if other.Start >= f.End && other.End <= p.Start {
				nearest = false
			}
		}
		if nearest {
			return true
		}
	}
	return false
}
