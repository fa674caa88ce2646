package proofread

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/notation"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/weburl"
)

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

var (
	definition = lazyregexp.New(`^\s{0,3}\[(\^?[^\]\s]+)\]:\s*(.*)$`)
	footnote   = lazyregexp.New(`\[(\^[^\[\]\s]+)\]`)
	entry      = lazyregexp.New(`^\s{0,3}(?:[-*+]\s+)?(?:\[(\d{1,3})\]|(\d{1,3})[.)])\s+(.*)$`)
	inlineCode = lazyregexp.New("`+[^`\n]*`+")
	shortcut   = lazyregexp.New(`\[([^\[\]\n]+)\](?:\[\])?`)
	quoteSigns = lazyregexp.New(`^\s*(?:>\s?)+`)
	comment    = lazyregexp.New(`(?s)<!--.*?-->`)
	inBrackets = lazyregexp.New(`[\[【［(（][^\]】］)）]{1,100}`) // as [7, 8] has its numbers
	number     = lazyregexp.New(`\d+`)
	aRange     = lazyregexp.New(`\[(\d{1,3})\s*[–-]`)
	fileName   = lazyregexp.New(`\.\pL[\pL\d]{0,5}$`)
	emptied    = lazyregexp.New(`\s*(?:\(\s*\)|<\s*>)`) // of an address
	onlyNumber = lazyregexp.New(`^\W*\d{1,3}\W*$`)
)

// A citations is what a text cites, as sources for notation.Numbered. Their numbers are none
// that the text has, so that a number of the text that it does not explain is told apart.
type citations struct {
	taken   map[int]bool // numbers of the text
	sources []citewell.Source
	known   map[string]int // the number of a target, by its canonical URL
	next    int
}

// numberOf takes in a page, a path within the text's folder, or a label such as [^1] of which
// the text does not say what it stands for, and gives its number: 0 where none is left.
func (c *citations) numberOf(target string) int {
	key := weburl.Canonical(target)
	for c.next > 0 && c.known[key] == 0 {
		n := c.next
		c.next--
		if !c.taken[n] {
			c.sources, c.known[key] = append(c.sources, citewell.Source{N: n, URL: target}), n
		}
	}
	return c.known[key]
}

// A note is what a text says beside its sources: in a footnote, in an entry of its list of
// references, and in a link that has a line of its own.
type note struct {
	line    int
	words   string // Markdown
	targets []string
}

// numberCitations writes every citation of a text as [n], and gives what the numbers stand for,
// and what stands in its footnotes and list of references. Lines stay lines, so that what
// is found in the answer can be found in the text. Code between fences cites nothing.
func numberCitations(content string) (string, []citewell.Source, []note) {
	content = strings.Map(func(r rune) rune {
		if r >= '\ue000' && r <= '\uf8ff' || r == '\r' {
			return -1
		}
		return r
	}, content)
	content = comment.ReplaceAllStringFunc(content, func(unseen string) string {
		return strings.Repeat("\n", strings.Count(unseen, "\n"))
	})
	const highest = 999 // that a mark can have
	c := &citations{taken: map[int]bool{}, known: map[string]int{}, next: highest}
	for _, bracket := range inBrackets.FindAllString(content, -1) {
		for _, digits := range number.FindAllString(bracket, -1) {
			if n, err := strconv.Atoi(digits); err == nil {
				c.taken[n] = true
			}
		}
	}
	lines := strings.Split(content, "\n")
	unquoted := make([]string, len(lines))
	for i, line := range lines {
		unquoted[i] = quoteSigns.ReplaceAllString(line, "")
	}
	for i, code := range text.FencedLines(unquoted) {
		lines[i] = inlineCode.ReplaceAllStringFunc(lines[i], inCode.Replace)
		if code {
			lines[i] = ""
		}
	}
	labels, notes := definitions(lines)
	body := c.links(expandLabels(strings.Join(lines, "\n"), labels))
	for _, m := range footnote.FindAllStringSubmatch(body, -1) {
		if label := strings.ToLower(m[1]); labels[label] == "" {
			labels[label] = "[" + label + "]"
		}
	}
	for _, m := range aRange.FindAllStringSubmatch(body, -1) { // a range begins with a source, or it is none
		n, _ := strconv.Atoi(m[1])
		c.sources = append(c.sources, citewell.Source{N: n, URL: "[" + m[1] + "]"})
	}
	var said strings.Builder // what the labels stand for, behind the last line
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		c.numberOf(labels[label])
		said.WriteString("\n[" + label + "]: [page](" + labels[label] + ")")
	}
	plain := strings.Split(notation.Numbered(body+"\n"+said.String(), c.sources), "\n")
	plain = append(plain, make([]string, len(lines))...) // a list at the end is gone
	return strings.Join(plain[:len(lines)], "\n"), c.sources, notes
}

// expandLabels writes [label] and [label][] as the link that the text says the label is.
func expandLabels(words string, labels map[string]string) string {
	var b strings.Builder
	at := 0
	for _, m := range shortcut.FindAllStringSubmatchIndex(words, -1) {
		label := words[m[2]:m[3]]
		target := labels[strings.ToLower(label)]
		before, after := words[:m[0]], words[m[1]:]
		if target == "" || onlyNumber.MatchString(label) || strings.HasPrefix(label, "^") ||
			strings.HasSuffix(before, "]") || strings.HasSuffix(before, "!") || strings.HasPrefix(after, "(") ||
			strings.HasPrefix(after, "[") {
			continue
		}
		b.WriteString(words[at:m[0]] + "[" + label + "](" + target + ")")
		at = m[1]
	}
	return b.String() + words[at:]
}

// links takes in what the links and addresses of words lead to. It takes away pictures,
// and links to a place within the text or a mail address, which cite nothing.
func (c *citations) links(words string) string {
	var b strings.Builder
	at := 0
	for _, l := range notation.Links(words) {
		target, before := pageWithoutPlace(l.Target), words[at:l.Start]
		withoutSign, picture := strings.CutSuffix(before, "!")
		at = l.End
		switch {
		case l.Words == "":
			c.numberOf(target)
			b.WriteString(before + words[l.Start:l.End])
		case picture:
			b.WriteString(withoutSign)
		case l.Target == "": // it says that there is a source, and not which
			fmt.Fprintf(&b, "%s%s [%d]", before, linkWords(l.Words), c.numberOf("["+asText.Replace(l.Words)+"]()"))
		case target == "":
			b.WriteString(before + l.Words)
		default:
			c.numberOf(target)
			b.WriteString(before + "[" + linkWords(l.Words) + "](" + target + ")")
		}
	}
	return b.String() + words[at:]
}

// pageWithoutPlace returns the page that a link leads to, without the place on it. It is empty for another target.
func pageWithoutPlace(target string) string {
	target, _, _ = strings.Cut(target, "#")
	if scheme, _, ok := strings.Cut(target, ":"); ok && !slices.Contains([]string{"http", "https", "file"},
		strings.ToLower(scheme)) {
		return ""
	}
	return target
}

// linkWords are the words of a link with a sign on either side, but for a number and the
// full stop.
func linkWords(words string) string {
	if onlyNumber.MatchString(words) {
		return words
	}
	words = notation.WithoutMarks(words)
	said := strings.TrimRight(words, ".!?。！？")
	return linkOpens + said + linkCloses + words[len(said):]
}

// definitions gives what the labels of a text stand for, by label in small letters, those
// of footnotes behind ^, and what else is said beside them. It blanks their lines: [1]: and
// [^1]: wherever they stand, and at the end of the text the entries of a reference list, of
// which the text cites one by its number.
func definitions(lines []string) (labels map[string]string, notes []note) {
	labels = map[string]string{}
	for i := 0; i < len(lines); i++ {
		m := definition.FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		label, target := strings.ToLower(m[1]), firstTarget(m[2])
		footnote := strings.HasPrefix(label, "^")
		if target == "" && !footnote && strings.TrimSpace(m[2]) != "" {
			continue
		}
		says, first := m[2], i
		for lines[i] = ""; footnote && i+1 < len(lines) && indented(lines[i+1]); lines[i] = "" {
			i++
			says += "\n" + lines[i]
		}
		if target = firstTarget(says); target == "" && !footnote {
			target = "[" + label + "]"
		}
		labels[label] = target
		notes = append(notes, newNote(first+1, says))
	}
	first, found := referenceList(lines)
	var listed []citewell.Source // without their addresses: to link to one's page is not to cite its number
	for n := range found {
		listed = append(listed, citewell.Source{N: n})
	}
	marks := notation.ParseMarks(notation.Numbered(strings.Join(lines[:first], "\n"), listed))
	if slices.ContainsFunc(marks, func(n int) bool { return found[n].line > 0 }) {
		clear(lines[first:])
		for n, entry := range found {
			label := strconv.Itoa(n)
			if labels[label] = "[" + label + "]"; entry.targets != nil {
				labels[label] = entry.targets[0]
			}
			notes = append(notes, entry)
		}
	}
	return labels, notes
}

func indented(line string) bool {
	return strings.TrimSpace(line) != "" && strings.TrimLeft(line, " \t") != line
}

// newNote reads what says has beside its addresses.
func newNote(line int, says string) note {
	n := note{line: line}
	if target := firstTarget(says); target != "" {
		n.targets = []string{target}
	}
	at := 0
	for _, l := range notation.Links(says) {
		if target := pageWithoutPlace(l.Target); target != "" && !slices.Contains(n.targets, target) {
			n.targets = append(n.targets, target)
		}
		n.words += says[at:l.Start] + l.Words
		at = l.End
	}
	if n.words += says[at:]; at == 0 {
		n.words = strings.Replace(n.words, pathAtEnd(says), "", 1)
	}
	n.words = emptied.ReplaceAllString(n.words, "")
	return n
}

// referenceList gives the numbered entries at the end of a text, each with a target unless
// its number is in brackets, and the line of the first.
func referenceList(lines []string) (first int, found map[int]note) {
	first, found = len(lines), map[int]note{}
	const most = 10    // lines of an entry
	var below []string // the lines below an entry's first, last first
	lazy := false      // one of them is not indented: it has to follow at once, and the entry to have a target
	for i := len(lines) - 1; i >= 0; i-- {
		line := lines[i]
		m := entry.FindStringSubmatch(line)
		switch {
		case m != nil:
			slices.Reverse(below)
			entry := newNote(i+1, strings.Join(append([]string{m[3]}, below...), "\n"))
			if entry.targets == nil && (m[1] == "" || lazy) {
				i = -1 // an ordinary list
				continue
			}
			n, _ := strconv.Atoi(m[1] + m[2])
			found[n], first, below, lazy = entry, i, nil, false
			continue
		case strings.TrimSpace(line) == "" && lazy:
		case strings.TrimSpace(line) == "":
			continue
		case len(below) == most:
		case strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t"), len(strings.Fields(line)) == 1 &&
			len(notation.Links(line)) > 0:
			below = append(below, line)
			continue
		default:
			below, lazy = append(below, line), true
			continue
		}
		break
	}
	return first, found
}

// firstTarget is what the first link or address in words leads to, or the path that they
// end with.
func firstTarget(words string) string {
	if links := notation.Links(words); len(links) > 0 {
		return pageWithoutPlace(links[0].Target)
	}
	return pageWithoutPlace(pathAtEnd(words))
}

// pathAtEnd is the last word where it has the form of a file's name: notes/harbour.md.
func pathAtEnd(words string) string {
	fields := strings.Fields(words)
	if len(fields) == 0 {
		return ""
	}
	last := strings.Trim(strings.TrimRight(fields[len(fields)-1], ".)>"), "<(")
	if path, _, _ := strings.Cut(last, "#"); !fileName.MatchString(path) {
		return ""
	}
	return last
}
