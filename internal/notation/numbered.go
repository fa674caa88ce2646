package notation

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/weburl"
)

// Numbered gives a Markdown text with every reference to one of the sources written as
// [n], however its writer wrote it, and without the list of sources and the footnotes at
// its end, which say what the writer's own numbers mean. What names no source, an address
// among them, is left as it is: to take that out is the caller's work.
//
// A bare (1), ¹ or ① is a reference only at the end of a sentence, where there is a source
// of that number and nothing else in the text is a reference. Other circled numbers become
// (1), since a reader takes them for one.
func Numbered(content string, sources []citewell.Source) string {
	n := naming{byAddress: map[string]int{}, byTitle: map[string]int{}, hosts: map[int][]string{},
		labels: map[string]int{}}
	for _, s := range sources {
		n.known = append(n.known, s.N)
		for _, address := range []string{s.URL, s.FinalURL} {
			if key := weburl.Canonical(address); address != "" && n.byAddress[key] == 0 {
				n.byAddress[key] = s.N
			}
			n.hosts[s.N] = append(n.hosts[s.N], weburl.Host(address))
		}
		if title := text.Fold(s.Title); title != "" && n.byTitle[title] == 0 {
			n.byTitle[title] = s.N
		}
	}
	content = n.withoutList(content)
	for _, step := range []struct {
		pattern *lazyregexp.Regexp
		replace func(s string, m []int) string
	}{
		{tagged, n.tag}, {footnote, n.footnote}, {link, n.link}, {bareAddress, n.address},
		{numbersInBrackets, n.brackets}, {marksInBrackets, func(s string, m []int) string { return s[m[2]:m[3]] }},
	} {
		content = rewrite(content, codeSpans(content), step.pattern, step.replace)
	}
	// What cites a source between fences is words, and checked as words are.
	content = rewrite(content, inlineCode(content), sureInBrackets, n.brackets)
	return n.ends(content)
}

// A naming holds what a text may call the sources.
type naming struct {
	known     []int
	byAddress map[string]int // by canonical URL
	byTitle   map[string]int // by folded title
	hosts     map[int][]string
	labels    map[string]int // what the text's own list and footnotes say a label stands for
}

const (
	numberList = `\d{1,3}(?:\s{0,3}(?:[,;&–—‑-]|and)\s{0,3}\d{1,3})*`
	markList   = `\[\d{1,3}(?:, \d{1,3})*\]`
	sourceWord = `(?:sources?|src|refs?\.?|references?|citations?|cite)[\s:#.]{0,3}`
	target     = `<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s+"[^"\n]*")?`
)

var (
	// tagged is <cite>1</cite>, <sup>[1]</sup>, <a href="…">words</a>.
	tagged = lazyregexp.New(`(?i)<(cite|ref|sup|a)\b([^<>\n]*)>([^<>\n]+)</(?:cite|ref|sup|a)>`)
	href   = lazyregexp.New(`(?i)\bhref\s*=\s*["']?([^"'\s>]+)`)
	// footnote is [^1], and [words][1] where the text says below what [1] is.
	footnote = lazyregexp.New(`\[\^([^\]\[\s]+)\]|\[([^\]\[\n]+)\]\[([^\]\[\n]+)\]`)
	link     = lazyregexp.New(`\[((?:[^\[\]\n]|\[[^\[\]\n]*\])+)\]\(\s{0,3}` + target + `\s{0,3}\)`)
	// numbersInBrackets are [1-3], [[1]], 【1†source】, ［1］, [Source 1], [n1], [1a] and (Source 1).
	numbersInBrackets = lazyregexp.New(`(?i)(?:\[\[|[\[［【])\s{0,3}(?:` + sourceWord + `|S|n)?(` + numberList +
		`)(?:\.p\d+|(?-i:[a-f])|†[^】\]\n]*)?\s{0,3}(?:\]\]|[\]］】])|\(\s{0,3}` + sourceWord + `(` + numberList +
		`)\s{0,3}\)`)
	// sureInBrackets are those of them that no code has.
	sureInBrackets = lazyregexp.New(`【\s{0,3}(` + numberList + `)(?:†[^】\n]*)?\s{0,3}】|\[\s{0,3}(?i:` + sourceWord +
		`)(` + numberList + `)\s{0,3}\]`)
	// marksInBrackets are ([1]), and (see [1]; [2]) with a word or two that say nothing.
	marksInBrackets = lazyregexp.New(`[(（\[]\s{0,3}(?:\p{L}+:?\s{1,3}|\p{L}[\p{L} ]+:\s{0,3})?(` + markList +
		`(?:\s{0,3}[,;]?\s{0,3}` + markList + `)*)\s{0,3}[)）\]]`)
	bareAddress = lazyregexp.New(
		`(?i)<?(?:(?:https?|file)://|\b(?:[a-z0-9-]+\.)+[a-z]{2,24}/)[^\s<>"“”「」『』【】，。；！？]*>?`)

	listHeading = lazyregexp.New(
		`(?im)^\s{0,3}(?:#{1,6}\s+|\*\*)?(?:sources|references|bibliography|works cited|citations|quellen(?:verzeichnis)?|literatur|références|fuentes|referencias|bibliografía|источники|литература|参考文献|参考资料|来源|出典)\s*:?\s*(?:\*\*)?\s*:?\s*$`)
	listEntry = lazyregexp.New(
		`(?m)^\s*(?:[-*+]\s+)?(?:\[(\^?)(\d{1,3})\]:?|(\d{1,3})[.)]|([①-⑳])|(?:[-*+]\s+)?(?:<?https?://|\[[^\]\n]*\]\())(.*)(?:\n|\z)`)
	// definition is a footnote's text, or the address of a link that is named elsewhere.
	definition = lazyregexp.New(`(?m)^ {0,3}\[(\^?)([^\]\[\n]+)\]:[ \t]*(.*)(?:\n|\z)`)
)

// IsListHeading says whether a line is the heading of a list of sources, in any of the languages
// in which an answer may have one.
func IsListHeading(line string) bool { return listHeading.MatchString(line) }

// withoutList takes the list of sources and the footnotes off a text, and keeps what
// they say of its numbers and labels.
func (n *naming) withoutList(content string) string {
	if headings := listHeading.FindAllStringIndex(content, -1); len(headings) > 0 {
		last := headings[len(headings)-1]
		list := content[last[1]:]
		if strings.TrimSpace(listEntry.ReplaceAllString(list, "")) == "" { // nothing else follows it
			other := map[string]int{} // the label with ^ or without it, where the list has not both
			for _, m := range listEntry.FindAllStringSubmatch(list, -1) {
				label := m[2] + m[3]
				if m[4] != "" {
					first, _ := utf8.DecodeRuneInString(m[4])
					label = strconv.Itoa(circled(first))
				}
				if source := n.named(m[5]); label != "" && source > 0 {
					n.labels[m[1]+label] = source
					if m[1] == "" {
						label = "^" + label
					}
					other[label] = source
				}
			}
			for label, source := range other {
				n.labels[label] = cmp.Or(n.labels[label], source)
			}
			content = strings.TrimRightFunc(content[:last[0]], unicode.IsSpace) // lines keep their numbers
		}
	}
	return rewrite(content, fencedCode(content), definition, func(s string, m []int) string {
		foot, label, says := s[m[2]:m[3]], strings.ToLower(s[m[4]:m[5]]), s[m[6]:m[7]]
		source := n.named(says)
		switch {
		case source > 0:
			n.labels[foot+label] = source
		case foot == "" || !isNumber(label) || len(text.Words(withoutAddress(says))) > maxLabelWords:
			return s[m[0]:m[1]]
		}
		return ""
	})
}

// maxLabelWords bounds a footnote that only names something; a longer one says something.
const maxLabelWords = 12

func withoutAddress(s string) string { return bareAddress.ReplaceAllString(s, "") }

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }

// named is the source that a line of a list speaks of, by address or by title; 0 is none.
func (n *naming) named(line string) int {
	for _, m := range link.FindAllStringSubmatch(line, -1) {
		if source := n.at(m[2]); source > 0 {
			return source
		}
	}
	for _, address := range bareAddress.FindAllString(line, -1) {
		if source, _ := n.trimmed(address); source > 0 {
			return source
		}
	}
	return n.byTitle[text.Fold(strings.Trim(line, " \t\r.,*_\"“”"))]
}

// at is the source at an address; 0 is none.
func (n *naming) at(address string) int {
	address = strings.ReplaceAll(strings.Trim(address, "<>"), "&amp;", "&")
	if source := n.byAddress[weburl.Canonical(address)]; source > 0 || strings.Contains(address, "://") {
		return source
	}
	return n.byAddress[weburl.Canonical("https://"+address)]
}

// trimmed is the source at an address in a text, and what follows the address: marks of
// the sentence around it look like its end.
func (n *naming) trimmed(address string) (source int, rest string) {
	end := addressEnd(address)
	return n.at(address[:end]), strings.TrimPrefix(address[end:], ">")
}

func addressEnd(address string) int {
	end := len(address)
	for ; end > 0; end-- {
		switch last := address[end-1]; {
		case strings.IndexByte(".,;:!?'*_>|`", last) >= 0:
			continue
		case last == ')' && strings.Count(address[:end], ")") > strings.Count(address[:end], "("), last == ']',
			last == '}':
			continue
		}
		break
	}
	return end
}

// list reads "1, 3-5". The text's own list decides what its numbers mean. Without a
// number, and where the first one names no source of several, there is nothing to read.
func (n *naming) list(s string) (numbers []int) {
	const widest = 30 // a longer range is none of sources
	from, ranged := 0, false
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsDigit(r) {
			ranged = ranged || strings.ContainsRune("–—‑-", r)
			i += size
			continue
		}
		end := i
		for end < len(s) && s[end] >= '0' && s[end] <= '9' {
			end++
		}
		to, _ := strconv.Atoi(s[i:end])
		if to < 1 || ranged && (to <= from || to-from > widest) {
			return nil
		}
		if !ranged {
			from = to - 1
		}
		for from++; from <= to; from++ {
			numbers = append(numbers, from)
		}
		from, ranged, i = to, false, end
	}
	var each []int
	for _, number := range numbers {
		if number = n.own(number); !slices.Contains(each, number) {
			each = append(each, number)
		}
	}
	if len(each) > 1 && !slices.Contains(n.known, each[0]) {
		return nil
	}
	return each
}

// Numbers is how source numbers stand in a text: [1, 2].
func Numbers(numbers ...int) string {
	var out strings.Builder
	for _, number := range numbers {
		if out.Len() > 0 {
			out.WriteString(", ")
		}
		out.WriteString(strconv.Itoa(number))
	}
	return "[" + out.String() + "]"
}

func (n *naming) tag(s string, m []int) string {
	whole, name, inside := s[m[0]:m[1]], strings.ToLower(s[m[2]:m[3]]), strings.TrimSpace(s[m[6]:m[7]])
	if name == "a" {
		if to := href.FindStringSubmatch(s[m[4]:m[5]]); to != nil && n.at(to[1]) > 0 {
			return n.linked(s, m[0], m[1], inside, n.at(to[1]))
		}
		return whole
	}
	if name == "sup" && isNumber(inside) {
		if number, err := strconv.Atoi(inside); err == nil && number >= 1 && number <= 99 {
			return superscript(number) // judged where it stands
		}
		return whole
	}
	bare := strings.Trim(inside, "[]【】 ")
	if numbers := numbersOnly.FindString(bare); numbers == bare && bare != "" {
		if list := n.list(bare); len(list) > 0 {
			return Numbers(list...)
		}
	}
	if source := n.named(inside); source > 0 {
		return Numbers(source)
	}
	return whole
}

var numbersOnly = lazyregexp.New(`^` + numberList + `$`)

func (n *naming) footnote(s string, m []int) string {
	if m[2] >= 0 && strings.HasPrefix(s[m[1]:], ":") && (m[0] == 0 || s[m[0]-1] == '\n') {
		return s[m[0]:m[1]] // one that says more than where
	} else if m[2] >= 0 {
		label := s[m[2]:m[3]]
		if source := n.labels["^"+strings.ToLower(label)]; source > 0 {
			return Numbers(source)
		}
		if number, err := strconv.Atoi(label); err == nil && number >= 1 && number <= maxMark {
			return Numbers(number)
		}
	} else if source := n.labels[strings.ToLower(s[m[6]:m[7]])]; source > 0 && !isNumber(s[m[4]:m[5]]) {
		return s[m[4]:m[5]] + " " + Numbers(source)
	}
	return s[m[0]:m[1]]
}

func (n *naming) link(s string, m []int) string {
	whole, words, address := s[m[0]:m[1]], s[m[2]:m[3]], s[m[4]:m[5]]
	source := n.at(address)
	if source == 0 || m[0] > 0 && s[m[0]-1] == '!' {
		return whole
	}
	return n.linked(s, m[0], m[1], words, source)
}

// linked is what stands for a link to a source at s[start:end]: its words and the
// source's number, or the number alone where the words only name the source.
func (n *naming) linked(s string, start, end int, words string, source int) string {
	bare := strings.Trim(words, `\[]^*_ `) // the brackets of [1] are escaped in the Markdown of a page
	label := isNumber(bare) || sourceLabel.MatchString(bare) || n.at(bare) > 0 ||
		slices.Contains(n.hosts[source], strings.ToLower(bare))
	before := strings.TrimRight(s[:start], " ")
	last, _ := utf8.DecodeLastRuneInString(before)
	alone := last == '(' && strings.HasPrefix(strings.TrimLeft(s[end:], " "), ")")
	if !alone && closesSentence(s, end) {
		lang := text.LikelyLanguage(s[max(0, start-200):start])
		names := n.byTitle[text.Fold(bare)] == source || repeats(bare, before, lang)
		alone = unicode.Is(unicode.Sentence_Terminal, last) && !isSentence(bare, s[end:]) || names &&
			!text.IsStop(lang, lastWord(before))
	}
	if label || alone {
		return Numbers(source)
	}
	return words + " " + Numbers(source)
}

// repeats says whether the sentence before a link has said its words: "Backups are kept for
// 30 days [backups](…)".
func repeats(words, before, lang string) bool {
	sentences := text.Sentences(before[max(0, len(before)-around):])
	if len(sentences) == 0 {
		return false
	}
	last := sentences[len(sentences)-1]
	said, terms := text.Terms(before[max(0, len(before)-around):][last.Start:last.End], lang), text.Terms(words, lang)
	return len(terms) > 0 && !slices.ContainsFunc(terms, func(term string) bool { return !slices.Contains(said, term) })
}

// isSentence says whether the words of a link behind a sentence are one too: such a link
// has a full stop of its own, within it or behind it.
func isSentence(words, rest string) bool {
	last, _ := utf8.DecodeLastRuneInString(words)
	next, _ := utf8.DecodeRuneInString(rest)
	return unicode.Is(unicode.Sentence_Terminal, last) || unicode.Is(unicode.Sentence_Terminal, next)
}

var sourceLabel = lazyregexp.New(`(?i)^(?:` + sourceWord + `\d{0,3}|link|here)$`)

// brackets maps numbers in brackets of any kind. A word behind the opening one, double
// brackets and 【】 leave no doubt; plain numbers are a list or a range of sources.
func (n *naming) brackets(s string, m []int) string {
	inside := m[2:4]
	if inside[0] < 0 {
		inside = m[4:6]
	}
	numbers := n.list(s[inside[0]:inside[1]])
	if len(numbers) == 0 || numbers[len(numbers)-1] > maxMark {
		return s[m[0]:m[1]]
	}
	return Numbers(numbers...)
}

func (n *naming) address(s string, m []int) string {
	source, rest := n.trimmed(s[m[0]:m[1]])
	if source == 0 || strings.HasSuffix(s[:m[0]], "](") { // an image's
		return s[m[0]:m[1]]
	}
	return Numbers(source) + rest
}

// rewrite puts what replace gives in the place of each match that has nothing of the code.
// The match is given by the text and the indices of its groups.
func rewrite(s string, code []text.Span, pattern *lazyregexp.Regexp, replace func(s string, m []int) string) string {
	var out strings.Builder
	at := 0
	for _, m := range pattern.FindAllStringSubmatchIndex(s, -1) {
		if !overlaps(code, m[0], m[1]) {
			out.WriteString(s[at:m[0]])
			out.WriteString(replace(s, m))
			at = m[1]
		}
	}
	out.WriteString(s[at:])
	return out.String()
}
