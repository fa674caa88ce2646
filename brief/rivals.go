package brief

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/search"
)

// A rival is one of the things that a question sets side by side.
type rival struct {
	text  string   // what is asked of it: "PostgreSQL concurrency"
	names []string // words that tell it from the others
}

// comparing are the ways to set things side by side. The last group of asks are the
// things, parted by joint, and the group before it is what they are compared in; without
// asks the whole question is the things.
var comparing = []struct{ asks, joint *lazyregexp.Regexp }{
	{nil, lazyregexp.New(
		`(?i)[,;]?\s+(?:vs\.?|versus|gegenüber|contra|(?:when |as )?compared (?:to|with)|compares? (?:to|with)|differs? from|im vergleich zu[mr]?|verglichen mit)\s+`)},
	{lazyregexp.New(
		`(?i)^(.*(?:differ|distinction|compar|cho[io][cs]e|unterschied|vergleich|diff[ée]ren|diferenci|разниц|отлич)\pL*\s.*?)(?:between|zwischen|entre|между)\s+(.+)$`),
		lazyregexp.New(`(?i),?\s+(?:and|und|et|y|e|и)\s+`)},
	{lazyregexp.New(
		`(?i)^(?:.*\s)?(?:compar(?:e|ing|ison of)|vergleich(?:e|en|\s+von)?|comparer|comparar|сравни(?:ть|те)?)\s+(.+)$`),
		lazyregexp.New(`(?i),?\s+(?:and|with|to|und|mit|et|avec|y|con|и|с)\s+`)},
	{lazyregexp.New(`(?i)^(?:worin|wie)\s+unterscheide[nt]\s+sich\s+(.+)$`), lazyregexp.New(`(?i)\s+(?:und|von)\s+`)},
	{lazyregexp.New(`^(.+?)的?(?:区别|區別|差异|差異|不同)`), lazyregexp.New(`\s*[和与與跟]\s*`)},
	{lazyregexp.New(`^(.+?)の違い`), lazyregexp.New(`\s*と\s*`)},
}

var (
	orJoint = lazyregexp.New(`(?i),?\s+(?:or|oder|ou|или)\s+`)

	// choosing is how a question begins that asks which of two to take; another question
	// with an "or" asks what both have, as in "does 1 or 2 overflow".
	choosing = lazyregexp.New(
		`(?i)^(?:should\s+\pL+\s+\pL+|soll\pL*\s+(?:ich|man|wir)|(?:which|what|was|welche\pL*)\s+(?:one\s+)?(?:is|are|ist|sind)\s+\pL+er|which|welche\pL*|is\s+it\s+\pL+er)\s`)

	// preferring is how a question ends that asks which of the two named first to take.
	preferring = lazyregexp.New(`(?i)^(?:what|which|was|welche\pL*)\s`)

	// aside is where something is said apart from the sides: "sorting: A vs B".
	aside = lazyregexp.New(`[,;:]\s+|\s[-–—]\s`)
)

// rivalsOf gives the things that a question sets side by side; nil where it sets none. It
// is the one place that knows a comparison.
//
// What stands before the first name or after the last one is asked of all: of "SQLite
// versus PostgreSQL concurrency" the rivals are "SQLite concurrency" and "PostgreSQL
// concurrency". A name is taken to have as many words as the shortest.
func rivalsOf(q *text.Reading) []rival {
	bare := strings.TrimRight(text.OneLine(q.Text()), "?？؟.!…。 ")
	lang := q.Beside(bare).In("").LikelyLanguage()
	shared, things := setSideBySide(bare, lang)
	if len(things) < 2 {
		return nil
	}
	if marks := aside.FindAllStringIndex(things[0], -1); marks != nil {
		mark := marks[len(marks)-1]
		shared, things[0] = shared+" "+things[0][:mark[0]], things[0][mark[1]:]
	}
	last, after := &things[len(things)-1], ""
	if mark := aside.FindStringIndex(*last); mark != nil {
		if rest := (*last)[mark[1]:]; !asks(rest, lang) {
			after = rest
		}
		*last = (*last)[:mark[0]]
	}
	*last, after = beforeLink(*last, lang, after)
	names := make([][]string, 0, len(things))
	for i, thing := range things {
		if words := naming(choosing.ReplaceAllString(thing, ""), lang); len(words) > 0 &&
			(i == 0 || !asks(thing, lang)) {
			names = append(names, words)
		}
	}
	if len(names) < 2 || len(names) > maxAspects {
		return nil
	}
	shared = choosing.ReplaceAllString(strings.TrimSpace(shared)+" ", "")
	return apart(naming(shared, lang), names, naming(after, lang), lang)
}

// apart gives the rivals of names, once each has as many words as the shortest: words before
// the first name and after the last are asked of all.
func apart(before []string, names [][]string, behind []string, lang string) []rival {
	least := len(slices.MinFunc(names, func(a, b []string) int { return len(a) - len(b) }))
	first, last := &names[0], &names[len(names)-1]
	if own := (*first)[len(*first)-least:]; !slices.Equal(own, *last) {
		before, *first = append(before, (*first)[:len(*first)-least]...), own
	}
	if least == 1 && (*last)[0] != (*first)[0] {
		behind, *last = append((*last)[1:], behind...), (*last)[:1]
	}
	content := func(words []string) []string {
		return slices.DeleteFunc(words, func(word string) bool {
			return len(contentTerms(text.Read(word, lang))) == 0 && !isName(word, lang)
		})
	}
	before, behind = content(before), content(behind)
	rivals := make([]rival, len(names))
	for i, name := range names {
		own := slices.DeleteFunc(slices.Clone(name), func(word string) bool {
			return slices.ContainsFunc(names, func(other []string) bool {
				return !slices.Equal(other, name) && slices.Contains(other, word)
			})
		})
		rivals[i] = rival{text: strings.Join(slices.Concat(before, name, behind), " "), names: own}
		if len(own) == 0 {
			rivals[i].names = name // part of another's
		}
	}
	return rivals
}

// rivalAspects gives an aspect for each rival: the whole says which kind of answer is wanted.
func rivalAspects(rivals []rival, whole aspect) []aspect {
	aspects := make([]aspect, len(rivals))
	for i, r := range rivals {
		aspects[i] = whole
		aspects[i].text, aspects[i].words = r.text, strings.Fields(r.text)
		aspects[i].own = aspects[i].words
	}
	return aspects
}

// withRivals are the queries of a question that compares: it, and what it asks of each.
func withRivals(q question) []string {
	queries := []string{q.Text()}
	for _, r := range q.rivals {
		queries = append(queries, r.text)
	}
	return queries
}

// setSideBySide parts a question into the things that it compares and what stands before
// them.
func setSideBySide(query, lang string) (before string, things []string) {
	for _, way := range comparing {
		before, all := "", query
		if way.asks != nil {
			groups := way.asks.FindStringSubmatch(query)
			if groups == nil {
				continue
			}
			all = groups[len(groups)-1]
			if len(groups) > 2 {
				before = groups[1]
			}
		}
		if things = way.joint.Split(all, -1); len(things) > 1 {
			return before, things
		}
	}
	if choosing.MatchString(query) || !isClause(query, lang) {
		things = orJoint.Split(query, -1)
	}
	return "", things
}

// asks says whether words are a question by how they begin.
func asks(words, lang string) bool {
	p, _ := phrasingIn(lang)
	return p.asks(words)
}

// isClause says whether a query is a clause, not names alone: one of its words asks or is a verb that
// questions begin with. What is asked of the names in the end does not count.
func isClause(query, lang string) bool {
	if mark := aside.FindAllStringIndex(query, -1); mark != nil {
		if end := mark[len(mark)-1]; choosing.MatchString(query[end[1]:]+" ") ||
			preferring.MatchString(query[end[1]:]) {
			query = query[:end[0]]
		}
	}
	return slices.ContainsFunc(strings.Fields(query), func(word string) bool { return asks(word, lang) })
}

// naming gives the words of a phrase that are no function words, as they are written.
func naming(phrase, lang string) []string {
	var names []string
	for word := range strings.FieldsSeq(phrase) {
		word = strings.Trim(word, `"“”„«»()[],;:`)
		if len(text.Terms(word, lang)) > 0 && !links(word) || isName(word, lang) {
			names = append(names, word)
		}
	}
	return names
}

// isName says whether a function word is written as a name: Go, UNION ALL.
func isName(word, lang string) bool {
	first, size := utf8.DecodeRuneInString(word)
	return len(word) > size && unicode.IsUpper(first) && text.IsStop(lang, word) && !links(word) && !asks(word, lang)
}

func links(word string) bool { return slices.Contains(linking, strings.ToLower(word)) }

// beforeLink cuts a phrase before the first word that links more to its name, as "tuples in
// Python", and puts that before what comes after the phrase.
func beforeLink(phrase, lang, after string) (name, rest string) {
	words := strings.Fields(phrase)
	for i, word := range words {
		if name := strings.Join(words[:i], " "); links(word) && len(naming(name, lang)) > 0 {
			return name, strings.Join(words[i:], " ") + " " + after
		}
	}
	return phrase, after
}

// inTurn takes in turn what was found for the whole and speaks of all rivals, what was
// found for each, and what was found by further queries: the best first and at most perDomain of one
// registered domain each; after that what is of no rival. The first query is the whole question, the next
// ones are what it asks of each rival, and the last ones the further queries.
func inTurn(rivals []rival, queries []string, further int, all []hearing, perDomain int,
	now time.Time) (kept, rest []search.Ranked) {
	every := make([]int, len(queries))
	for i := range every {
		every[i] = i
	}
	isNew := func(r search.Ranked) bool {
		return !slices.ContainsFunc(kept, func(known search.Ranked) bool { return known.Key == r.Key })
	}
	own := len(queries) - further
	found := rankFound(queries[0], all, every[:own], now)
	lists := make([][]search.Ranked, len(rivals)+1)
	for i := range lists {
		list, least := slices.Clone(found), len(rivals)
		if i > 0 {
			list, least = rankFound(queries[i], all, []int{i, 0}, now), 1
		}
		list = slices.DeleteFunc(list, func(r search.Ranked) bool {
			of := spokenOf(rivals, r.Snippet, r.Title+"\n"+separators.Replace(r.URL))
			return len(rivals) > 0 && (len(of) < least || i > 0 && !slices.Contains(of, i-1))
		})
		lists[i], _ = search.PerDomain(list, perDomain)
	}
	if further > 0 {
		list, _ := search.PerDomain(rankFound(queries[own], all, every[own:], now), perDomain)
		lists = append(lists, list)
		found = rankFound(queries[0], all, every, now)
	}
	for place := 0; slices.ContainsFunc(lists, func(l []search.Ranked) bool { return place < len(l) }); place++ {
		for _, list := range lists {
			if place < len(list) && isNew(list[place]) {
				kept = append(kept, list[place])
			}
		}
	}
	others := slices.DeleteFunc(found, func(r search.Ranked) bool { return !isNew(r) })
	if len(rivals) == 0 {
		return search.PerDomain(append(kept, others...), perDomain)
	}
	others, rest = search.PerDomain(others, perDomain)
	return append(kept, others...), rest
}

// spokenOf gives the rivals that words are about: those that they name, of which the page
// tells apart by its title where it can; or else those that the title names.
func spokenOf(rivals []rival, words, title string) []int {
	named, page := namedMost(rivals, words), namedMost(rivals, title)
	both := slices.DeleteFunc(slices.Clone(named), func(i int) bool { return !slices.Contains(page, i) })
	switch {
	case len(both) > 0:
		return both
	case len(named) > 0:
		return named
	}
	return page
}

// namedMost gives the rivals whose name a text has most of.
func namedMost(rivals []rival, s string) (at []int) {
	lang := text.LikelyLanguage(s)
	words := slices.Concat(text.Terms(s, lang), wordsOf(s))
	most := 0.0
	for i, r := range rivals {
		has := r.share(words, lang)
		if has > most {
			at, most = nil, has
		}
		if has > 0 && has == most {
			at = append(at, i)
		}
	}
	return at
}

// ofRivals leaves out the sentences that are about another rival than that whose aspect they
// were taken for, or about none.
func (e *evidence) ofRivals(q question, all []sentence) []sentence {
	if q.rivals == nil {
		return all
	}
	all = slices.DeleteFunc(all, func(s sentence) bool {
		source := e.source(s.passage)
		title := source.Title + "\n" + separators.Replace(source.URL) + "\n" + s.passage.Heading
		return !slices.Contains(spokenOf(q.rivals, s.Text(), title), s.aspect)
	})
	if len(all) > 0 && all[0].score >= answersFrom {
		for i := range all {
			odds := all[i].odds() * besideRival
			all[i].score = odds / (1 + odds)
		}
	}
	return all
}

// besideRival is how much likelier a sentence about one rival is to answer where another
// rival has an answer.
const besideRival = 8

// share is the part of a rival's name that some words in a language have.
func (r rival) share(words []string, lang string) float64 {
	found, all := 0.0, 0.0
	for _, name := range r.names {
		terms := text.Terms(name, lang)
		if len(terms) == 0 {
			terms = wordsOf(name)
		}
		found, all = found+share(terms, words), all+1
	}
	return found / all
}

func wordsOf(s string) []string {
	var words []string
	for _, token := range text.Words(s) {
		words = append(words, token.Text)
	}
	return words
}
