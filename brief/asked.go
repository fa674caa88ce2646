package brief

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/quantity"
	"github.com/citewell/citewell/internal/text"
)

// askedDimensions are the dimensions that an answer's figure may have, as package quantity names
// them, by the last words of the phrases that ask for one: a length of "how deep" and "what
// diameter". "How old" and "how large" are not among them: dates answer the one, and any dimension
// the other.
var askedDimensions = []struct{ dimensions, words []string }{
	{[]string{quantity.DimensionCount}, strings.Fields("many number viele vielen cuántos cuántas quanti quante " +
		"quantos quantas")},
	{[]string{"length"}, strings.Fields(`tall far high deep wide thick height length width depth diameter distance
		hoch weit tief breit dick далеко высоко глубоко 多高 多远 多遠 多深`)},
	{[]string{"length", "duration"}, strings.Fields("long lang lange долго 多长 多長")},
	{[]string{"duration"}, strings.Fields("duration 多久")},
	{[]string{"mass"}, strings.Fields("heavy weight schwer 多重")},
	{[]string{"length/duration"}, strings.Fields("fast speed schnell быстро 多快")},
	{[]string{"temperature"}, strings.Fields("hot cold temperature")},
	{[]string{"money"}, strings.Fields("expensive price cost teuer いくら")},
	{[]string{quantity.DimensionPercent}, strings.Fields("percentage")},
}

// An askedFigure is the kind of figure that an aspect asks for: a measure, or a count.
type askedFigure struct {
	dimensions []string
	words      []string          // that ask for them: "long"
	counted    string            // the question behind "how many"
	given      []quantity.Figure // by the question itself, which are no answer
}

func (a aspect) askedFigure(in *text.Reading) askedFigure {
	asked := askedFigure{given: quantity.Figures(in.Beside(a.text))}
	for _, phrase := range phrasesOf(asksFigure, a.text) {
		said := strings.ToLower(a.text[phrase.Start:phrase.End])
		last := said[strings.LastIndexByte(said, ' ')+1:]
		for _, of := range askedDimensions {
			switch {
			case !slices.Contains(of.words, last):
			case of.dimensions[0] == quantity.DimensionCount:
				asked.counted = a.text[phrase.End:]
				if two := first(quantity.Figures(in.Beside("2"+asked.counted)), 1); len(two) > 0 && two[0].Start == 0 &&
					two[0].Dimension != quantity.DimensionCount {
					asked.dimensions = append(asked.dimensions, kindOf(two[0])) // how many hours
				}
			default:
				asked.dimensions, asked.words = append(asked.dimensions, of.dimensions...), append(asked.words, last)
			}
		}
	}
	return asked
}

// fit says how well a figure of a sentence answers: 0 is not at all, 1 by its kind, and 2 where
// the sentence also has the word by which it is asked for, as in "2.4 km long".
func (asked askedFigure) fit(s sentence) int {
	if len(asked.dimensions) == 0 && asked.counted == "" {
		return 0
	}
	nouns := nounsOf(s.Beside(asked.counted))
	switch {
	case !slices.ContainsFunc(quantity.Figures(s.Reading), func(f quantity.Figure) bool {
		return (slices.Contains(asked.dimensions, kindOf(f)) || counts(s, f, nouns)) &&
			!slices.ContainsFunc(asked.given, f.Agrees)
	}):
		return 0
	case slices.ContainsFunc(s.Words(), func(t text.Token) bool { return slices.Contains(asked.words, t.Text) }):
		return 2
	}
	return 1
}

// kindOf is a figure's dimension, in which money is of any currency.
func kindOf(f quantity.Figure) string {
	dimension, _, _ := strings.Cut(f.Dimension, ":")
	return dimension
}

// nounsOf are the first terms of a text that stand side by side, two at most: source and file of
// "source files make up".
func nounsOf(r *text.Reading) (nouns []string) {
	end := 0
	for _, t := range r.TermTokens() {
		if len(nouns) == 2 || len(nouns) == 1 && strings.TrimSpace(r.Text()[end:t.Start]) != "" {
			break
		}
		nouns, end = append(nouns, t.Text), t.End
	}
	return nouns
}

// countedWithin is how many terms behind a figure what it counts is looked for, as in
// "24 reversible bulb turbines".
const countedWithin = 3

// counts says whether a figure of a sentence counts what one of the nouns names: that stands shortly
// behind it in its cell, or the figure is told of it, as in "Turbines: 24".
func counts(s sentence, f quantity.Figure, nouns []string) bool {
	if f.Dimension != quantity.DimensionCount {
		return false
	}
	terms := slices.DeleteFunc(slices.Clone(s.TermTokens()), func(t text.Token) bool {
		return strings.ContainsAny(t.Text[:1], "0123456789")
	})
	next := slices.IndexFunc(terms, func(t text.Token) bool { return t.End > f.Start })
	if next < 0 {
		next = len(terms)
	}
	if next > 0 && slices.Contains(nouns, terms[next-1].Text) &&
		isTotal(s.Text()[terms[next-1].End:f.Start], s.Text()[f.End:]) {
		return true
	}
	return slices.ContainsFunc(first(terms[next:], countedWithin), func(t text.Token) bool {
		return slices.Contains(nouns, t.Text) && !strings.Contains(s.Text()[f.End:max(f.End, t.Start)], citewell.Cells)
	})
}

// isTotal says whether a figure is told of the word before it: more than a space parts them, and
// no word stands right behind.
func isTotal(between, behind string) bool {
	next, _ := utf8.DecodeRuneInString(strings.TrimSpace(behind))
	return strings.TrimSpace(between) != "" && !unicode.IsLetter(next) && !unicode.IsDigit(next)
}
