package bibliography

import (
	"fmt"
	"strings"

	"github.com/citewell/citewell/internal/identifier"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/notation"
	"github.com/citewell/citewell/internal/text"
)

var (
	listMark   = lazyregexp.New(`^\s{0,3}(?:[-*+•]\s+)?(?:\[\^?[\w+.:-]{1,20}\]:?|\d{1,4}[.)])\s+|^\s{0,3}[-*+•]\s+`)
	numberMark = lazyregexp.New(`^\s{0,3}(?:[-*+•]\s+)?(?:\[\^?\d{1,4}\]:?|\d{1,4}[.)])\s+`)
	heading    = lazyregexp.New(`^\s{0,3}#{1,6}\s`)
	emphasis   = strings.NewReplacer("**", "", "*", "", `\_`, "_", "<", " ", ">", " ")
	mdLink     = lazyregexp.New(`\[([^\[\]]*)\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)`)
)

// OfText reads the list of references at the end of a text: what stands below the last heading
// such as "References", or the numbered lines that the text ends with. An entry begins with a
// number or a bullet, or else behind an empty line, or else on each line that is not indented.
func OfText(content string) ([]Entry, error) {
	if len(content) > 4*MaxBytes {
		return nil, refuse(fmt.Sprintf("the text has %d bytes, and at most %d are read", len(content), 4*MaxBytes),
			"give its list of references alone")
	}
	lines := strings.Split(strings.ReplaceAll(content, "\r\n", "\n"), "\n")
	first, isList := len(lines), false
	for i, line := range lines {
		if notation.IsListHeading(line) {
			first, isList = i+1, true
		}
	}
	last := len(lines)
	if isList {
		for i, line := range lines[first:] {
			if heading.MatchString(line) {
				last = first + i
				break
			}
		}
	} else {
		first = trailingNumbers(lines)
	}
	var entries []Entry
	for _, block := range listBlocks(lines[first:last]) {
		e := ofWords(block.words)
		e.Line = first + block.line + 1
		entries = append(entries, e)
		if len(entries) > MaxEntries {
			break
		}
	}
	if len(entries) == 0 {
		return nil, refuse("the text has no list of references at its end",
			"a list stands below a heading such as References, or its entries are numbered: [1] or 1.")
	}
	return numbered(entries)
}

// trailingNumbers is the line with which the numbered lines at the end of a text begin.
func trailingNumbers(lines []string) int {
	first := len(lines)
	for i := len(lines) - 1; i >= 0; i-- {
		switch line := lines[i]; {
		case numberMark.MatchString(line):
			first = i
		case strings.TrimSpace(line) == "", strings.HasPrefix(line, " "), strings.HasPrefix(line, "\t"):
		default:
			return first
		}
	}
	return first
}

// A listBlock is the lines of one entry.
type listBlock struct {
	line  int
	words string
}

func listBlocks(lines []string) []listBlock {
	marked, empty := 0, 0
	for _, line := range lines {
		if listMark.MatchString(line) {
			marked++
		}
	}
	for _, line := range strings.Split(strings.Trim(strings.Join(lines, "\n"), "\n \t"), "\n") {
		if strings.TrimSpace(line) == "" {
			empty++
		}
	}
	var blocks []listBlock
	begun := false
	for i, line := range lines {
		begins := marked > 1 && listMark.MatchString(line) || marked <= 1 &&
			(!begun || empty == 0 && strings.TrimLeft(line, " \t") == line)
		switch {
		case strings.TrimSpace(line) == "":
			begun = begun && marked > 1 // an entry with a number goes on
		case begins:
			blocks = append(blocks, listBlock{i, strings.TrimSpace(listMark.ReplaceAllString(line, ""))})
			begun = true
		case begun && len(blocks[len(blocks)-1].words) < maxField:
			blocks[len(blocks)-1].words += " " + strings.TrimSpace(line)
		}
	}
	return blocks
}

var (
	quoted     = lazyregexp.New(`["“„«]([^"“”„«»]{8,400}?)[,.]?["”“»]`)
	behindYear = lazyregexp.New(`\(?\b(?:1[4-9]|20)\d\d[a-z]?(?:,[^)]{1,20})?\)?[.,:]\s+`)
	sentence   = lazyregexp.New(`[.?!]\s+`)
	webAddress = lazyregexp.New(`https?://[^\s"”]+`)

	// Crane, A. B.; Crane, Ada
	initialsLast = lazyregexp.New(`(\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)?), ((?:\p{Lu}\.[ -]?)+|\p{Lu}\p{Ll}+)`)
	// A. B. Crane
	initialsFirst = lazyregexp.New(`((?:\p{Lu}\.[ -]?)+) ?(\p{Lu}[\p{L}'’-]+)`)
	// Crane AB,
	initialsBare = lazyregexp.New(`(\p{Lu}[\p{L}'’-]+) (\p{Lu}{1,3})[,.]`)
)

// ofWords reads an entry that somebody wrote in the style of a journal. Its fields are guesses,
// to search by; what a register says is held against the words themselves: see throughRegister.
func ofWords(words string) Entry {
	words = mdLink.ReplaceAllString(text.Prefix(words, maxField), "$1 $2 ")
	words = text.OneLine(emphasis.Replace(words))
	e := Entry{Words: words, URL: strings.TrimRight(webAddress.FindString(words), ".,;)")}
	if identifier.DOI(e.URL) != "" {
		e.URL = ""
	}
	said := strings.TrimSpace(inAddress.ReplaceAllString(words, " "))
	e.Year = yearIn(said)
	before := said
	if found := quoted.FindStringSubmatchIndex(said); found != nil {
		e.Title, before = said[found[2]:found[3]], said[:found[0]]
	} else if at := behindYear.FindStringIndex(said); at != nil && at[0] < len(said)/2 {
		before = said[:at[0]]
		e.Title, _, _ = cutAtSentence(said[at[1]:])
	} else {
		e.Title, before = longestSentence(said)
	}
	e.Title = strings.TrimRight(strings.TrimSpace(e.Title), ".,")
	e.Authors = namesIn(before)
	return e
}

func cutAtSentence(s string) (before, after string, found bool) {
	for _, at := range sentence.FindAllStringIndex(s, -1) {
		if at[0] >= 8 {
			return s[:at[0]], s[at[1]:], true
		}
	}
	return s, "", false
}

// longestSentence takes the longest part between full stops for the title, and what stands before it for the authors.
func longestSentence(s string) (title, before string) {
	from := 0
	for _, at := range append(sentence.FindAllStringIndex(s, -1), []int{len(s), len(s)}) {
		if part := s[from:at[0]]; len(part) > len(title) {
			title, before = part, s[:from]
		}
		from = at[1]
	}
	return title, before
}

// namesIn are the names in what stands before a title, in the one of three forms that finds most.
func namesIn(s string) []string {
	var best []string
	for i, form := range []*lazyregexp.Regexp{initialsLast, initialsFirst, initialsBare} {
		var names []string
		for _, m := range form.FindAllStringSubmatch(s, maxAuthors) {
			family, given := m[1], strings.TrimSpace(m[2])
			if i == 1 {
				family, given = m[2], strings.TrimSpace(m[1])
			}
			names = append(names, family+", "+given)
		}
		if len(names) > len(best) {
			best = names
		}
	}
	return best
}
