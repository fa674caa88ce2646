package proofread

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/text"
	"github.com/citewell/citewell/weburl"
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
	definition = regexp.MustCompile(`^\s{0,3}\[(\^?[^\]\s]+)\]:\s*(.*)$`)
	footnote   = regexp.MustCompile(`\[(\^[^\[\]\s]+)\]`)
	entry      = regexp.MustCompile(`^\s{0,3}(?:[-*+]\s+)?(?:\[(\d{1,3})\]|(\d{1,3})[.)])\s+(.*)$`)
	inlineCode = regexp.MustCompile("`+[^`\n]*`+")
	aRange     = regexp.MustCompile(`\[(\d{1,3})\s*[–-]`)
	onlyNumber = regexp.MustCompile(`^\W*\d{1,3}\W*$`)
)

// A citations is what a text cites, as sources for cite.Numbered. Their numbers are none
// that the text has, so that a number of the text that it does not explain is told apart.
type citations struct {
	content string
	sources []citewell.Source
	known   map[string]bool // targets, by canonical URL
	next    int
}

// add takes in a page, a path within the text's folder, or a label such as [^1] of which
// the text does not say what it stands for.
func (c *citations) add(target string) {
	key := weburl.Canonical(target)
	for c.next > 0 && !c.known[key] {
		n := c.next
		c.next--
		if !strings.Contains(c.content, strconv.Itoa(n)) {
			c.sources, c.known[key] = append(c.sources, citewell.Source{N: n, URL: target}), true
		}
	}
}

// numbered writes every citation of a text as [n], and gives what the numbers stand for.
// Lines stay lines, so that what is found in the answer can be found in the text.
func numbered(content string) (string, []citewell.Source) {
	content = strings.Map(func(r rune) rune {
		if r >= '\ue000' && r <= '\uf8ff' || r == '\r' {
			return -1
		}
		return r
	}, content)
	const highest = 999 // that a mark can have
	c := &citations{content: content, known: map[string]bool{}, next: highest}
	lines := strings.Split(content, "\n")
	code := text.CodeLines(lines)
	for i, line := range lines {
		if !code[i] {
			lines[i] = inlineCode.ReplaceAllStringFunc(line, inCode.Replace)
		}
	}
	labels := definitions(lines, code)
	body := c.links(strings.Join(lines, "\n"))
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
		c.add(labels[label])
		said.WriteString("\n[" + label + "]: [page](" + labels[label] + ")")
	}
	plain := strings.Split(cite.Numbered(body+"\n"+said.String(), c.sources), "\n")
	plain = append(plain, make([]string, len(lines))...) // a list at the end is gone
	return strings.Join(plain[:len(lines)], "\n"), c.sources
}

// links takes in what the links and addresses of words lead to. It takes away pictures,
// and links to a place within the text or a mail address, which cite nothing.
func (c *citations) links(words string) string {
	var b strings.Builder
	at := 0
	for _, l := range cite.Links(words) {
		target, before := page(l.Target), words[at:l.Start]
		withoutSign, picture := strings.CutSuffix(before, "!")
		at = l.End
		switch {
		case l.Words == "":
			c.add(target)
			b.WriteString(before + words[l.Start:l.End])
		case picture:
			b.WriteString(withoutSign)
		case target == "":
			b.WriteString(before + l.Words)
		default:
			c.add(target)
			b.WriteString(before + "[" + linkWords(l.Words) + "](" + target + ")")
		}
	}
	return b.String() + words[at:]
}

// page is what a link leads to, without the place on it; empty for what is no page.
func page(target string) string {
	target, _, _ = strings.Cut(target, "#")
	if scheme, _, ok := strings.Cut(target, ":"); ok && !slices.Contains([]string{"http", "https", "file"}, strings.ToLower(scheme)) {
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
	words = cite.WithoutMarks(words)
	said := strings.TrimRight(words, ".!?。！？")
	return linkOpens + said + linkCloses + words[len(said):]
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
	var listed []citewell.Source // without their addresses: to link to one's page is not to cite its number
	for n := range found {
		listed = append(listed, citewell.Source{N: n})
	}
	marks := cite.ParseMarks(cite.Numbered(strings.Join(lines[:first], "\n"), listed))
	if slices.ContainsFunc(marks, func(n int) bool { return found[n] != "" }) {
		clear(lines[first:])
		for n, target := range found {
			labels[strconv.Itoa(n)] = target
		}
	}
	return labels
}

// referenceList gives the numbered entries at the end of a text, each with its target, and
// the line of the first.
func referenceList(lines []string) (first int, found map[int]string) {
	first, found = len(lines), map[int]string{}
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
			n, _ := strconv.Atoi(m[1] + m[2])
			found[n], first, below = target, i, nil
			continue
		case strings.TrimSpace(line) == "":
			continue
		case len(below) == most:
		case strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t"), len(strings.Fields(line)) == 1 && len(cite.Links(line)) > 0:
			below = append(below, line)
			continue
		}
		break
	}
	return first, found
}

// firstTarget is what the first link or address in words leads to, or a path that is all
// of them.
func firstTarget(words string) string {
	if links := cite.Links(words); len(links) > 0 {
		return page(links[0].Target)
	}
	if path := strings.Trim(strings.TrimRight(words, " ."), "<> "); strings.Contains(path, ".") && !strings.ContainsAny(path, " \t") { // [1]: notes/harbour.md
		return page(path)
	}
	return ""
}
