package report

import (
	"strings"
	"unicode"
)

// A page's words go into Markdown that people render and models read. They must arrive as words: no link, image,
// heading, HTML or terminal sequence of theirs may come to life. What is escaped here is escaped wherever it could mean
// something to CommonMark or to GitHub's extensions, and nowhere else: models read this text as it is.

// plain strips what has no place in a line of text: control characters and those that are not seen (zero width,
// bidirectional, tags); runs of white space become one space. To a verification, which does not look at either, the
// words stay the same.
func plain(s string) string {
	var b strings.Builder
	space := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			space = true
		case unseen(r):
		default:
			if space && b.Len() > 0 {
				b.WriteByte(' ')
			}
			space = false
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unseen says whether a character controls something or is not shown.
func unseen(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }

// withoutUnseen leaves out what is unseen but for the kept characters.
func withoutUnseen(s, kept string) string {
	return strings.Map(func(r rune) rune {
		if unseen(r) && !strings.ContainsRune(kept, r) {
			return -1
		}
		return r
	}, s)
}

// inline makes s Markdown that renders as exactly these words wherever a line or a list item begins.
func inline(s string) string {
	runes := []rune(plain(s))
	return escaped(runes, blockMarker(runes))
}

// within is inline for the middle of a line, where nothing begins a block.
func within(s string) string { return escaped([]rune(plain(s)), -1) }

// title is within for a heading, at whose end a # would not be shown.
func title(s string) string {
	runes := []rune(plain(s))
	closing := len(runes)
	for closing > 0 && runes[closing-1] == '#' {
		closing--
	}
	if closing == len(runes) || closing > 0 && runes[closing-1] != ' ' {
		return escaped(runes, -1)
	}
	return escaped(runes, closing)
}

// escaped puts a backslash before what means something, and before the rune at index also.
func escaped(runes []rune, also int) string {
	var b strings.Builder
	for i, r := range runes {
		if i == also || meansSomething(runes, i) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// meansSomething says whether the rune at i could begin or end a Markdown construct inside a line: emphasis, code, a
// link, HTML, an entity, a table, or one of the addresses that are links by themselves.
func meansSomething(runes []rune, i int) bool {
	before, after := runeAt(runes, i-1), runeAt(runes, i+1)
	switch runes[i] {
	case '\\', '`', '*', '[', ']', '<', '|', '~':
		return true
	case '_': // inside a word it means nothing, and names are full of it
		return !letterOrDigit(before) || !letterOrDigit(after)
	case '&':
		return after == '#' || unicode.IsLetter(after)
	case ':':
		return after == '/' && runeAt(runes, i+2) == '/'
	case '@':
		return !blank(before) && !blank(after)
	case '.':
		return i >= 3 && strings.EqualFold(string(runes[i-3:i]), "www")
	}
	return false
}

// blockMarker returns the index of the rune that would make a line of these runes
// a heading, list item, quote, rule, table or definition, or -1.
func blockMarker(runes []rune) int {
	digits := 0
	for digits < len(runes) && runes[digits] >= '0' && runes[digits] <= '9' {
		digits++
	}
	first, next := runeAt(runes, digits), runeAt(runes, digits+1)
	if digits > 0 {
		if digits <= 9 && (first == '.' || first == ')') && blank(next) {
			return digits
		}
		return -1
	}
	switch first {
	case '>', ':':
		return 0
	case '+':
		if blank(next) {
			return 0
		}
	case '-', '=':
		if blank(next) || next == first {
			return 0
		}
	case '#':
		run := 1
		for runeAt(runes, run) == '#' {
			run++
		}
		if run <= 6 && blank(runeAt(runes, run)) {
			return 0
		}
	}
	return -1
}

// runeAt returns the rune at i, or 0 outside.
func runeAt(runes []rune, i int) rune {
	if i < 0 || i >= len(runes) {
		return 0
	}
	return runes[i]
}

func blank(r rune) bool { return r == 0 || r == ' ' }

func letterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// quote puts s into a Markdown block quote, its lines kept.
func quote(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(strings.TrimRight("> "+inline(line), " ") + "\n")
	}
	return b.String()
}
