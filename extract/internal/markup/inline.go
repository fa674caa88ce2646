package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// inline gathers the text of one block: white space becomes one space, <br> a line break, and the ends are trimmed.
type inline struct {
	b       strings.Builder
	space   bool // white space waits for the next word
	newline bool // a line break does
}

func (l *inline) empty() bool { return l.b.Len() == 0 }

func (l *inline) write(s string) {
	for len(s) > 0 {
		i := strings.IndexFunc(s, unicode.IsSpace)
		if i < 0 {
			l.word(s)
			return
		}
		if i > 0 {
			l.word(s[:i])
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		s = s[i+size:]
		l.space = true
	}
}

func (l *inline) word(s string) {
	if l.b.Len() > 0 {
		switch {
		case l.newline:
			l.b.WriteByte('\n')
		case l.space:
			l.b.WriteByte(' ')
		}
	}
	l.space, l.newline = false, false
	l.b.WriteString(s)
}

func (l *inline) lineBreak() { l.newline = true }

// last is the character that a following one would touch, or 0.
func (l *inline) last() rune {
	if l.space || l.newline || l.b.Len() == 0 {
		return 0
	}
	r, _ := utf8.DecodeLastRuneInString(l.b.String())
	return r
}

// wordBefore is the number of letters, up to a few, that a following character would touch.
func (l *inline) wordBefore() int {
	if l.last() == 0 {
		return 0
	}
	s := l.b.String()
	s = s[max(0, len(s)-16):]
	return utf8.RuneCountInString(s[len(strings.TrimRightFunc(s, unicode.IsLetter)):])
}

// take returns the text and starts anew.
func (l *inline) take() string {
	s := l.b.String()
	*l = inline{}
	return s
}
