package brief

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/text"
)

// Bounds of taking a topic apart. What has more parts is a list of keywords, and the
// first ones stand for it.
const (
	maxParts   = 6
	maxQueries = 12
)

// decompose gives the queries that a topic is researched with, the topic itself
// first, none twice:
//
//	depth 1  the topic; what it is
//	depth 2  each part of "A and B", "A vs B"; the topic explained
//	depth 3  how it works; why; its advantages and disadvantages
//
// They are asked in the language of the topic. Where that has no phrasing here, or
// cannot be told of a topic with letters that English has not, there are only the
// topic and its parts. A topic that is a question already gets no second question
// word: "what is X" and "how does X work" are taken for questions about X, of any
// other only the parts and "… explained" are asked.
func decompose(topic string, depth int) []string {
	topic = oneLine(topic)
	bare := strings.TrimSpace(strings.TrimRight(topic, "?？؟ "))
	p, known := phrasingOf(bare)
	subject, asked := bare, known && p.asked.MatchString(bare)
	about := !asked
	if known {
		if s := group(p.subject, bare); s != "" {
			subject, asked, about = s, true, true
		}
	}
	queries := []string{topic}
	add := func(query string) {
		query = oneLine(query)
		same := func(q string) bool { return text.Fold(q) == text.Fold(query) }
		if query != "" && len(queries) < maxQueries && !slices.ContainsFunc(queries, same) && text.Fold(query) != text.Fold(bare) {
			queries = append(queries, query)
		}
	}
	said := strings.Fields(text.Fold(bare))
	form := func(form string) {
		own := strings.Fields(text.Fold(strings.Replace(form, "%s", "", 1)))
		doubled := !slices.ContainsFunc(own, func(word string) bool { return !slices.Contains(said, word) })
		if known && !doubled {
			add(strings.Replace(form, "%s", subject, 1))
		}
	}
	if !asked {
		form(p.is)
	}
	if depth >= 2 {
		for _, part := range topicParts(subject, p, known, asked && !about) {
			add(part)
		}
		form(p.explained)
	}
	if depth >= 3 && about {
		form(p.works)
		form(p.why)
		form(p.weighed)
	}
	return queries
}

// phrasingOf gives how to ask about a topic. A topic in plain letters whose language
// a few words do not tell is taken for English.
func phrasingOf(topic string) (phrasing, bool) {
	lang := text.Language(topic)
	if lang == "" && !strings.ContainsFunc(topic, func(r rune) bool { return r >= utf8.RuneSelf && unicode.IsLetter(r) }) {
		lang = "en"
	}
	p, known := phrasings[lang]
	return p, known
}

// group is the first group of a match that is not empty.
func group(pattern *regexp.Regexp, s string) string {
	groups := pattern.FindStringSubmatch(s)
	for _, g := range groups[min(1, len(groups)):] {
		if g != "" {
			return g
		}
	}
	return ""
}

// quotation is what an asker holds together.
var quotation = regexp.MustCompile(`"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」`)

// between is how a topic begins that names two things as one: "the difference between
// tin and zinc".
var between = regexp.MustCompile(`(?i)(?:^|\s)(?:between|zwischen|entre|между)\s`)

// topicParts gives the topics that one topic names side by side; nil where it names
// one. The first part of a question loses the words that ask: of "when were A and B
// built" the parts are "A" and "B built".
func topicParts(topic string, p phrasing, known, asked bool) []string {
	joints := anyJoint
	if known {
		joints = p.joints
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
	if asked {
		parts[0] = withoutOpening(parts[0], p)
	}
	if at := between.FindStringIndex(parts[0]); at != nil && len(parts) == 2 {
		parts[0] = parts[0][at[1]:] // "the difference between A and B"
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
	return strings.ContainsRune(harmony, after) || utf8.RuneCountInString(topic[:from]) < 2 || utf8.RuneCountInString(topic[to:]) < 2
}

// withoutOpening takes the words off a part by which the whole is asked.
func withoutOpening(part string, p phrasing) string {
	const most = 3 // words: "how do the"
	for range most {
		if !p.asked.MatchString(part) {
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
