package report

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/text"
)

// A runText is the content of a run's report as Parse compares it with the sentences
// that were checked: its letters and signs without white space, markup and marks. How
// lines are broken, which list markers stand there and how a table is padded makes no
// difference; a letter, a digit or a sign does.
type runText struct {
	key    string
	starts []int // of blocks: paragraphs, list items, rows
	marks  []runMark
	// remarks say that the sentence before them did not pass the check.
	remarks []runRemark
	at      int // where the search goes on
	taken   int // marks that are own ones of the sentences found
	missed  int
}

// A runMark is a source's number in the content.
type runMark struct {
	n, at, block int // at is the offset in the key that it stands before
}

// A runRemark is a citewell.Remark in the content.
type runRemark struct {
	problem string
	at      int // the offset in the key that it stands before
}

// maxMissed bounds the sentences that are looked for in vain, each of which costs one
// reading of the whole content.
const maxMissed = 200

var (
	runHeading  = regexp.MustCompile(`^\s{0,3}#{1,6}\s+`)
	runRule     = regexp.MustCompile(`^[\s|:*_=-]*$`)
	runItem     = regexp.MustCompile(`^\s*(?:>\s*)*(?:[-*+]|\d{1,3}[.)])\s+|^\s*(?:>\s*)+`)
	runMarkForm = regexp.MustCompile(`\[\d{1,4}(?:\s*,\s*\d{1,4})*\]|[①-⑳㉑-㉟㊱-㊿]`)
	runLink     = regexp.MustCompile(`\[([^\]\n]+)\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)[^)\n]*\)`)
	runEmphasis = regexp.MustCompile("\\*{1,3}|_{2,3}|`+|~~")
	remarkWords = regexp.MustCompile(`\(⚠ ([a-z ]{1,40})\)`)
	runSign     = regexp.MustCompile(runMarkForm.String() + "|" + remarkWords.String())
)

// readContent reads the content of a report. Rules, code and headings that cite nothing
// state nothing.
func readContent(content string) *runText {
	t := &runText{}
	var key strings.Builder
	open := false
	lines := strings.Split(withoutLastFence(tidyContent(content)), "\n")
	code := text.CodeLines(lines)
	for i, line := range lines {
		row := strings.HasPrefix(strings.TrimSpace(line), "|")
		switch {
		case code[i], runRule.MatchString(line):
			open = false
			continue
		case runHeading.MatchString(line):
			open = false
			if !runMarkForm.MatchString(line) && !remarkWords.MatchString(line) {
				continue
			}
			t.starts = append(t.starts, key.Len())
			t.add(&key, line[len(runHeading.FindString(line)):])
			continue
		case row:
			line, open = strings.ReplaceAll(strings.Trim(strings.TrimSpace(line), "|"), "|", ", "), false
		case runItem.MatchString(line):
			line, open = line[len(runItem.FindString(line)):], false
		}
		if !open {
			t.starts = append(t.starts, key.Len())
		}
		open = !row
		t.add(&key, line)
	}
	t.key = key.String()
	return t
}

// add takes in a line of a block.
func (t *runText) add(key *strings.Builder, line string) {
	last := 0
	var pieces []string
	var found []string
	for _, span := range runSign.FindAllStringIndex(line, -1) {
		pieces, found = append(pieces, line[last:span[0]]), append(found, line[span[0]:span[1]])
		last = span[1]
	}
	// A link or emphasis may have marks inside: markup goes first from the whole, in
	// which each mark or remark is a NUL, which no content has.
	whole := withoutMarkup(strings.Join(append(pieces, line[last:]), "\x00"))
	parts := strings.Split(whole, "\x00")
	for i, part := range parts {
		for _, r := range part {
			if !unicode.IsSpace(r) {
				key.WriteRune(r)
			}
		}
		if i < len(found) && len(parts) == len(found)+1 {
			if m := remarkWords.FindStringSubmatch(found[i]); m != nil {
				t.remarks = append(t.remarks, runRemark{strings.ReplaceAll(m[1], " ", "_"), key.Len()})
				continue
			}
			for _, n := range cite.ParseMarks(found[i]) {
				t.marks = append(t.marks, runMark{n, key.Len(), len(t.starts) - 1})
			}
		}
	}
}

func withoutMarkup(s string) string {
	return strings.ReplaceAll(runEmphasis.ReplaceAllString(runLink.ReplaceAllString(s, "$1"), ""), "&lt;", "<")
}

// sentenceKey is a checked sentence in the form of a key.
func sentenceKey(said string) string {
	said = withoutMarkup(runSign.ReplaceAllString(plain(said), ""))
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, said)
}

// shownMarks are the numbers that stand with a sentence. Own ones stand in
// it, right behind it or at the head of its block; of others it cannot be told whether
// they end one sentence or begin the next. Problem is what the text itself says of the
// sentence, that it did not pass the check.
type shownMarks struct {
	own, either []int
	problem     string
}

// all are both, each number once.
func (m shownMarks) all() []int {
	var all []int
	for _, n := range slices.Concat(m.own, m.either) {
		if !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all
}

func (m shownMarks) has(n int) bool { return slices.Contains(m.own, n) || slices.Contains(m.either, n) }

// next finds a sentence behind those found before, and gives the numbers that are
// shown with it. One without words, as a row of marks alone, is everywhere.
func (t *runText) next(said string) (shown shownMarks, found bool) {
	key := sentenceKey(said)
	if !strings.ContainsFunc(key, letterOrDigit) {
		return shown, true
	}
	if t.missed >= maxMissed {
		return shown, false
	}
	at := strings.Index(t.key[t.at:], key)
	if at < 0 {
		t.missed++
		return shown, false
	}
	from := t.at + at
	to := from + len(key)
	t.at = to
	first, last := t.blockOf(from), t.blockOf(to-1)
	start, _ := slices.BinarySearchFunc(t.marks, from, func(m runMark, at int) int { return m.at - at })
	behind := to // how far marks reach that may still be the sentence's
	for i := max(start, t.taken); i < len(t.marks); i++ {
		m := t.marks[i]
		if m.block < first {
			continue // behind the block before
		}
		if m.block > last || m.at > behind && strings.Trim(t.key[behind:m.at], ".;,") != "" {
			break
		}
		leading := m.at == from && t.starts[first] != from
		if leading || m.at > to {
			shown.either = append(shown.either, m.n)
		} else {
			shown.own = append(shown.own, m.n)
			t.taken = i + 1
		}
		behind = max(behind, m.at)
	}
	i, _ := slices.BinarySearchFunc(t.remarks, from+1, func(m runRemark, at int) int { return m.at - at })
	if i < len(t.remarks) && (t.remarks[i].at <= to || strings.Trim(t.key[to:t.remarks[i].at], ".;,") == "") {
		shown.problem = t.remarks[i].problem
	}
	return shown, true
}

// blockOf is the block in which the byte at an offset of the key stands.
func (t *runText) blockOf(at int) int {
	i, _ := slices.BinarySearch(t.starts, at+1)
	return i - 1
}

// sumOf is the hash of a report's lines above its Verification section. White space,
// rules and list markers, which programs like to change, do not count.
func sumOf(lines []string) string {
	sum := sha256.New()
	for _, line := range lines {
		if runRule.MatchString(line) {
			continue
		}
		sum.Write([]byte(strings.Join(strings.Fields(bullet(strings.TrimSpace(line))), "")))
	}
	return hex.EncodeToString(sum.Sum(nil))
}
