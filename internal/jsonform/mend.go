package jsonform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mend reads a text that is one JSON value but for slips that models make.
func Mend(text string) (json.RawMessage, bool) {
	value, length, ok := MendPrefix(text)
	return value, ok && strings.TrimSpace(text[length:]) == ""
}

// MendPrefix reads a JSON value at the beginning of a text and writes it correctly; length is what it took, in bytes.
// It takes trailing commas, single quotes, names without quotes, True, False, None, comments and line ends within
// strings, but adds no missing bracket or quote.
func MendPrefix(text string) (value json.RawMessage, length int, ok bool) {
	m := &mender{text: text}
	var out bytes.Buffer
	if !m.value() || json.Compact(&out, m.out.Bytes()) != nil {
		return nil, 0, false
	}
	return out.Bytes(), m.at, true
}

// A mender writes a text's tokens as JSON has them; whether they are JSON is for the end.
type mender struct {
	text string
	at   int
	out  bytes.Buffer
}

// value takes tokens until every bracket is closed.
func (m *mender) value() bool {
	depth, last := 0, byte(0) // last is the token before, of which a comma waits to be written
	for {
		m.space()
		if m.at == len(m.text) {
			return false
		}
		c := m.text[m.at]
		closing := c == '}' || c == ']'
		if last == ',' && (!closing || bytes.HasSuffix(m.out.Bytes(), []byte("[")) ||
			bytes.HasSuffix(m.out.Bytes(), []byte("{"))) {
			m.out.WriteByte(',')
		}
		switch {
		case c == '{' || c == '[':
			depth++
			m.punctuation(c)
		case closing:
			depth--
			m.punctuation(c)
		case c == ':':
			m.punctuation(c)
		case c == ',':
			m.at++
		case !m.scalar():
			return false
		}
		if depth <= 0 && c != ',' && c != ':' {
			return depth == 0
		}
		last = c
	}
}

func (m *mender) punctuation(c byte) {
	m.at++
	m.out.WriteByte(c)
}

// scalar takes a string or a word. A space before it keeps two of them from being one.
func (m *mender) scalar() bool {
	m.out.WriteByte(' ')
	if c := m.text[m.at]; c == '"' || c == '\'' || strings.HasPrefix(m.text[m.at:], "“") {
		return m.quoted()
	}
	begin := m.at
	for m.at < len(m.text) && !strings.ContainsRune(" \t\r\n,:]}[{\"'/", rune(m.text[m.at])) {
		m.at++
	}
	word := m.text[begin:m.at]
	m.space()
	switch {
	case word == "":
		return false
	case m.at < len(m.text) && m.text[m.at] == ':':
		return m.string(word)
	case word == "True" || word == "False":
		word = strings.ToLower(word)
	case word == "None" || word == "undefined" || word == "NaN":
		word = "null"
	}
	m.out.WriteString(word)
	return true
}

// space passes over white space and comments.
func (m *mender) space() {
	for m.at < len(m.text) {
		rest := m.text[m.at:]
		r, size := utf8.DecodeRuneInString(rest)
		end := ""
		switch {
		case unicode.IsSpace(r) || r == '\ufeff':
			m.at += size
			continue
		case strings.HasPrefix(rest, "//"):
			end = "\n"
		case strings.HasPrefix(rest, "/*"):
			end = "*/"
		default:
			return
		}
		i := strings.Index(rest, end)
		if i < 0 {
			m.at = len(m.text)
			return
		}
		m.at += i + len(end)
	}
}

// quoted reads a string in double, single or curly quotes. An apostrophe between letters ends no string in single
// quotes. A backslash before what JSON does not escape stands for nothing.
func (m *mender) quoted() bool {
	closing := m.next()
	if closing == '“' {
		closing = '”'
	}
	var s strings.Builder
	for last := ' '; m.at < len(m.text); {
		r := m.next()
		following, _ := utf8.DecodeRuneInString(m.text[m.at:])
		switch {
		case r == '\\' && strings.ContainsRune(`"\/bfnrtu`, following):
			s.WriteByte('\\')
			s.WriteRune(m.next())
			last = ' '
			continue
		case r == '\\':
			r = m.next()
		case r == closing && (r != '\'' || !unicode.IsLetter(last) || !unicode.IsLetter(following)):
			var decoded string
			return json.Unmarshal([]byte(`"`+s.String()+`"`), &decoded) == nil && m.string(decoded)
		}
		if r < ' ' || r == '"' || r == '\\' {
			fmt.Fprintf(&s, `\u%04x`, r)
		} else {
			s.WriteRune(r)
		}
		last = r
	}
	return false
}

func (m *mender) next() rune {
	r, size := utf8.DecodeRuneInString(m.text[m.at:])
	m.at += size
	return r
}

func (m *mender) string(s string) bool {
	encoded, err := json.Marshal(s)
	m.out.Write(encoded)
	return err == nil
}
