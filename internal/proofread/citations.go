package proofread

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/text"
	"github.com/citewell/citewell/weburl"
)

// A citations is what the marks of a text stand for, by their number less one.
type citations struct {
	targets []string // URL, or path within the text's folder; empty where the text gives none
	labels  []string // as the text calls it, for one without a target
	number  map[string]int
}

// of is the number of a target, or of a label that has none.
func (c *citations) of(target, label string) int {
	key := "=" + label
	if target != "" {
		page, _, _ := strings.Cut(target, "#")
		key = weburl.Canonical(page)
		target, label = page, ""
	}
	if n := c.number[key]; n > 0 {
		return n
	}
	c.targets, c.labels = append(c.targets, target), append(c.labels, label)
	c.number[key] = len(c.targets)
	return len(c.targets)
}

func (c *citations) mark(target, label string) string {
	return fmt.Sprintf(" [%d]", c.of(target, label))
}

// What stands in place of markup, until the sentences are known: around the words of a
// link, and within code.
const (
	linkOpens  = "\ue000"
	linkCloses = "\ue001"
	codeOpens  = "\ue002" // [ within code, which begins no mark
)

var (
	inCode = strings.NewReplacer("[", codeOpens)
	asText = strings.NewReplacer(linkOpens, "", linkCloses, "", codeOpens, "[")
)

const (
	address = `https?://[^\s<>()\[\]"“”]*(?:\([^\s<>()]*\)[^\s<>()\[\]"“”]*)*`
	numbers = `\s*\d+(?:\s*[,;–-]\s*\d+)*\s*`
)

var (
	anAddress  = regexp.MustCompile(`(?i)` + address)
	definition = regexp.MustCompile(`^\s{0,3}\[(\^?[^\]\s]+)\]:\s*(.*)$`)
	entry      = regexp.MustCompile(`^\s{0,3}(?:[-*+]\s+)?(?:\[(\d{1,4})\]|(\d{1,4})[.)])\s+(.*)$`)
	inlineCode = regexp.MustCompile("`+[^`\n]*`+")
	used       = regexp.MustCompile(`[\[【](` + numbers + `)(?:†[^】\n]*)?[\]】]|[①-⑳㉑-㉟㊱-㊿]`)
	// written are the ways to cite within a line. Groups: 1 text and 2 target of a link; 3
	// text and 4 label of [text][label]; 5 label of a footnote; 6 numbers in brackets; 7 an
	// address, in brackets or bare; 8 a number in a circle.
	written = regexp.MustCompile(`(?i)!?\[((?:[^\[\]\n]|\[[^\[\]\n]*\])*)\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s+["'][^\n]*?["'])?\s*\)` +
		`|\[([^\[\]\n]+)\]\[([^\[\]\n]+)\]|\[\^([^\[\]\s]+)\]|[\[【](` + numbers + `)(?:†[^】\n]*)?[\]】]|\(?<?(` + address + `)>?\)?|([①-⑳㉑-㉟㊱-㊿])`)
	firstNumber = regexp.MustCompile(`\d+`)
	onlyNumber  = regexp.MustCompile(`^\W*\d{1,3}\W*$`)
	inBrackets  = regexp.MustCompile(`\(\s*` + linkOpens + `[^` + linkCloses + `\n]*` + linkCloses + `((?:\s*\[\d+\])+)\s*\)`)
	nested      = regexp.MustCompile(`\[[\d\s,;–-]*\]`)
)

// numbered writes every citation of a text as [n], where n stands for a target, and
// leaves out the lines that say what the text's own marks stand for. Lines stay lines, so
// that what is found in the answer can be found in the text.
func numbered(content string) (string, *citations) {
	c := &citations{number: map[string]int{}}
	content = strings.Map(func(r rune) rune {
		if r >= '\ue000' && r <= '\uf8ff' || r == '\r' {
			return -1
		}
		return r
	}, content)
	lines := strings.Split(content, "\n")
	code := text.CodeLines(lines)
	labels := definitions(lines, code)
	for i, line := range lines {
		if code[i] {
			continue
		}
		var b strings.Builder
		at := 0
		for _, span := range append(inlineCode.FindAllStringIndex(line, -1), []int{len(line), len(line)}) {
			b.WriteString(c.rewrite(line[at:span[0]], labels))
			b.WriteString(inCode.Replace(line[span[0]:span[1]]))
			at = span[1]
		}
		lines[i] = b.String()
	}
	return strings.Join(lines, "\n"), c
}

// rewrite writes the citations of words as [n].
func (c *citations) rewrite(words string, labels map[string]string) string {
	var b strings.Builder
	at := 0
	for _, m := range written.FindAllStringSubmatchIndex(words, -1) {
		group := func(n int) string {
			if m[2*n] < 0 {
				return ""
			}
			return words[m[2*n]:m[2*n+1]]
		}
		said := words[m[0]:m[1]]
		b.WriteString(words[at:m[0]])
		at = m[1]
		switch {
		case strings.HasPrefix(said, "!"): // a picture
		case m[2] >= 0:
			b.WriteString(c.link(group(1), group(2)))
		case m[6] >= 0 && onlyNumber.MatchString(group(3)) && onlyNumber.MatchString(group(4)): // [1][2]
			b.WriteString(c.marks(group(3), labels) + c.marks(group(4), labels))
		case m[6] >= 0:
			b.WriteString(linkOpens + group(3) + linkCloses + c.mark(labels[strings.ToLower(group(4))], "["+group(4)+"]"))
		case m[10] >= 0:
			b.WriteString(c.mark(labels["^"+strings.ToLower(group(5))], "[^"+group(5)+"]"))
		case m[12] >= 0:
			b.WriteString(c.marks(group(6), labels))
		case m[16] >= 0:
			n := strconv.Itoa(cite.ParseMarks(said)[0])
			if labels[n] == "" {
				b.WriteString("(" + n + ")") // it counts something
			} else {
				b.WriteString(c.mark(labels[n], ""))
			}
		default:
			target, rest := unended(group(7))
			opens, closes := strings.HasPrefix(said, "("), strings.HasSuffix(said, ")")
			if opens && !closes { // further on
				b.WriteString("(")
			}
			b.WriteString(c.mark(target, "") + rest)
			if closes && !opens {
				b.WriteString(")")
			}
		}
	}
	return inBrackets.ReplaceAllString(b.String()+words[at:], "$1")
}

// link is a Markdown link: its words, and a mark where the target is a page or a file.
func (c *citations) link(words, target string) string {
	scheme, _, _ := strings.Cut(target, ":")
	switch {
	case target == "" || strings.HasPrefix(target, "#"), scheme != target && !slices.Contains([]string{"http", "https", "file"}, strings.ToLower(scheme)):
		return words // a place within the text, a mail address
	case onlyNumber.MatchString(words):
		return c.mark(target, "")
	}
	return linkOpens + nested.ReplaceAllString(words, "") + linkCloses + c.mark(target, "")
}

// marks are the marks of numbers as in "1, 3-5", each by what the text says it stands for.
func (c *citations) marks(list string, labels map[string]string) string {
	var b strings.Builder
	for part := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == ';' }) {
		low, high, ranged := strings.Cut(strings.ReplaceAll(strings.TrimSpace(part), "–", "-"), "-")
		from, _ := strconv.Atoi(strings.TrimSpace(low))
		to := from
		if ranged {
			to, _ = strconv.Atoi(strings.TrimSpace(high))
		}
		const most = 20 // marks of one range: a longer one is none
		for n := from; n <= min(to, from+most); n++ {
			b.WriteString(c.mark(labels[strconv.Itoa(n)], fmt.Sprintf("[%d]", n)))
		}
	}
	return b.String()
}

// unended takes the punctuation of the sentence off the end of a bare address.
func unended(s string) (target, rest string) {
	target = strings.TrimRight(s, ".,;:!?'*_…。，；")
	return target, s[len(target):]
}

// definitions gives what the labels of a text stand for, by label in small letters, those
// of footnotes behind ^. It blanks their lines: [1]: and [^1]: wherever they stand, and at
// the end of the text the entries of a reference list, of which the text cites one by its
// number.
func definitions(lines []string, code []bool) map[string]string {
	labels := map[string]string{}
	for i, line := range lines {
		if m := definition.FindStringSubmatch(line); m != nil && !code[i] {
			label := strings.ToLower(m[1])
			if target := firstTarget(m[2]); target != "" || strings.HasPrefix(label, "^") {
				labels[label], lines[i] = target, ""
			}
		}
	}
	first, found := referenceList(lines)
	for _, m := range used.FindAllStringSubmatch(strings.Join(lines[:first], "\n"), -1) {
		number := firstNumber.FindString(m[1])
		if m[1] == "" {
			number = strconv.Itoa(cite.ParseMarks(m[0])[0])
		}
		if found[number] != "" {
			clear(lines[first:])
			for n, target := range found {
				labels[n] = target
			}
			break
		}
	}
	return labels
}

// referenceList gives the numbered entries at the end of a text, each with its target, and
// the line of the first.
func referenceList(lines []string) (first int, found map[string]string) {
	first, found = len(lines), map[string]string{}
	const most = 10    // lines of an entry
	var below []string // the lines below an entry's first, last first
	for i := len(lines) - 1; i >= 0; i-- {
		line := lines[i]
		m := entry.FindStringSubmatch(line)
		switch {
		case m != nil:
			target := firstTarget(m[3])
			if target == "" {
				slices.Reverse(below)
				target = firstTarget(strings.Join(below, " "))
			}
			if target == "" {
				i = -1 // an ordinary list
				continue
			}
			found[m[1]+m[2]], first, below = target, i, nil
			continue
		case strings.TrimSpace(line) == "":
			continue
		case len(below) == most:
		case strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t"), anAddress.FindString(line) == strings.TrimSpace(line):
			below = append(below, line)
			continue
		}
		break
	}
	return first, found
}

// firstTarget is the first address in words, or what their first link leads to.
func firstTarget(words string) string {
	link := written.FindStringSubmatch(words)
	bare := strings.Fields(words + " ")
	switch {
	case link != nil && link[2] != "":
		return link[2]
	case anAddress.MatchString(words):
		target, _ := unended(anAddress.FindString(words))
		return target
	case len(bare) == 1 && strings.Contains(bare[0], "."): // [1]: notes/harbour.md
		return strings.Trim(bare[0], "<>")
	}
	return ""
}
