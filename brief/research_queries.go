package brief

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
)

// Bounds of taking a topic apart. What has more parts is a list of keywords, and the
// first ones stand for it.
const (
	maxParts   = 6
	maxQueries = 12
)

// decompose gives the queries that a topic is researched with, the topic itself first,
// none twice:
//
//	depth 1  the topic, and what it asks of each of the things that it compares
//	depth 2  each part of "A and B"
//	depth 3  the same, of more results; see resultsAt
//
// Parts are joined as the language of the topic joins them; where that cannot be told of a
// topic, in any way.
func decompose(topic string, depth int) []string {
	q := newQuestion(text.OneLine(topic))
	queries := []string{q.Text()}
	add := func(query string) {
		query = text.OneLine(query)
		same := func(q string) bool { return text.Fold(bareOf(q)) == text.Fold(bareOf(query)) }
		if query != "" && len(queries) < maxQueries && !slices.ContainsFunc(queries, same) {
			queries = append(queries, query)
		}
	}
	for _, r := range q.rivals {
		add(r.text)
	}
	if depth >= 2 && q.rivals == nil {
		for _, part := range topicParts(bareOf(q.Text())) {
			add(part)
		}
	}
	return queries
}

// bareOf is a query without the mark of a question.
func bareOf(query string) string { return strings.TrimSpace(strings.TrimRight(query, "?？؟ ")) }

// phrasingOf gives how the language of a topic asks and joins.
func phrasingOf(topic *text.Reading) (phrasing, bool) {
	lang := topic.Language()
	if lang == "" && !strings.ContainsFunc(topic.Text(), func(r rune) bool {
		return r >= utf8.RuneSelf && unicode.IsLetter(r)
	}) {
		return plainPhrasing(), true
	}
	return phrasingIn(lang)
}

// quotation is what an asker holds together.
var quotation = lazyregexp.New(`"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」`)

// topicParts gives the topics that one topic names side by side; nil where it names
// one. The first part of a question loses the words that ask: of "when were A and B
// built" the parts are "A" and "B built".
func topicParts(topic string) []string {
	p, known := phrasingOf(text.Read(topic, ""))
	joints := p.joints
	if !known {
		joints = anyJoint()
	}
	held := quotation.FindAllStringIndex(topic, -1)
	var parts []string
	start := 0
	for _, m := range joints.FindAllStringSubmatchIndex(topic, -1) {
		from, to := m[0], m[1]
		if len(m) > 2 && m[2] >= 0 { // a character before the joint belongs to the part
			from = m[3]
		}
		if len(m) > 4 && m[4] >= 0 {
			to = m[4]
		}
		inside := func(span []int) bool { return span[0] < to && from < span[1] }
		if slices.ContainsFunc(held, inside) || withinWord(topic, from, to) {
			continue
		}
		parts = append(parts, topic[start:from])
		start = to
	}
	if start == 0 {
		return nil
	}
	parts = append(parts, topic[start:])
	if p.asks(topic) {
		parts[0] = withoutOpening(parts[0], p)
	}
	parts = slices.DeleteFunc(parts, func(part string) bool {
		return !strings.ContainsFunc(part, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	})
	for i := range parts {
		parts[i] = strings.Trim(strings.TrimSpace(parts[i]), `"“”„«»「」`)
	}
	return parts[:min(len(parts), maxParts)]
}

// harmony are characters that follow 和 where it is no "and": peace, harmonious.
const harmony = "平谐諧声聲解约約睦"

// withinWord says whether a joint of Chinese is part of a word: its "and" also
// begins words, and parts of one character are none.
func withinWord(topic string, from, to int) bool {
	if strings.TrimSpace(topic[from:to]) != "和" {
		return false
	}
	after, _ := utf8.DecodeRuneInString(topic[to:])
	return strings.ContainsRune(harmony, after) || utf8.RuneCountInString(topic[:from]) < 2 ||
		utf8.RuneCountInString(topic[to:]) < 2
}

// withoutOpening takes the words off a part by which the whole is asked.
func withoutOpening(part string, p phrasing) string {
	const most = 3 // words: "how do the"
	for range most {
		if first, _, _ := strings.Cut(strings.TrimSpace(part), " "); !p.asks(part) && !links(first) {
			break
		}
		_, rest, more := strings.Cut(strings.TrimSpace(part), " ")
		if !more {
			return ""
		}
		part = rest
	}
	return part
}
