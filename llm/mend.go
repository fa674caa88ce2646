package llm

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mend reads a text that is one JSON value but for slips that models make.
func mend(text string) (json.RawMessage, bool) {
	value, length, ok := mendAt(text)
	if !ok || strings.TrimSpace(text[length:]) != "" {
		return nil, false
	}
	return value, true
}

// mendAt reads a JSON value from the beginning of a text and writes it as it should be.
// It takes trailing commas, single quotes, names without quotes, True, False and None,
// comments and line ends within strings. It adds no bracket and no quote that is
// missing: what was cut off stays cut off.
func mendAt(text string) (json.RawMessage, int, bool) {
	m := &mender{text: text}
	if !m.value(0) || !json.Valid([]byte(m.out.String())) {
		return nil, 0, false
	}
	return json.RawMessage(m.out.String()), m.at, true
}

type mender struct {
	text string
	at   int
	out  strings.Builder
}

// maxNesting bounds how deep mended JSON may be.
const maxNesting = 200

func (m *mender) peek() byte {
	if m.at < len(m.text) {
		return m.text[m.at]
	}
	return 0
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

func (m *mender) value(depth int) bool {
	if m.space(); depth > maxNesting {
		return false
	}
	switch c := m.peek(); {
	case c == '{' || c == '[':
		return m.container(depth)
	case c == '"' || c == '\'' || strings.HasPrefix(m.text[m.at:], "“"):
		return m.quoted()
	}
	word := m.word()
	switch word {
	case "":
		return false
	case "True", "False":
		word = strings.ToLower(word)
	case "None", "undefined", "NaN":
		word = "null"
	}
	m.out.WriteString(word) // json.Valid judges it
	return true
}

func (m *mender) word() string {
	begin := m.at
	for m.at < len(m.text) && !strings.ContainsRune(" \t\r\n,:]}[{\"'/", rune(m.text[m.at])) {
		m.at++
	}
	return m.text[begin:m.at]
}

func (m *mender) container(depth int) bool {
	open := m.peek()
	end := byte('}')
	if open == '[' {
		end = ']'
	}
	m.at++
	m.out.WriteByte(open)
	for first := true; ; first = false {
		m.space()
		if m.peek() == end { // also after a trailing comma
			m.at++
			m.out.WriteByte(end)
			return true
		}
		if !first {
			m.out.WriteByte(',')
		}
		if open == '{' && !m.name() || !m.value(depth+1) {
			return false
		}
		m.space()
		switch m.peek() {
		case ',':
			m.at++
		case end:
		default:
			return false
		}
	}
}

// name reads a property's name and the colon behind it.
func (m *mender) name() bool {
	if c := m.peek(); c == '"' || c == '\'' || strings.HasPrefix(m.text[m.at:], "“") {
		if !m.quoted() {
			return false
		}
	} else {
		word := m.word()
		if word == "" {
			return false
		}
		m.string(word)
	}
	m.space()
	if m.peek() != ':' {
		return false
	}
	m.at++
	m.out.WriteByte(':')
	return true
}

// quoted reads a string in double, single or curly quotes. Within single quotes an
// apostrophe is one where a letter follows it.
func (m *mender) quoted() bool {
	open, size := utf8.DecodeRuneInString(m.text[m.at:])
	m.at += size
	closing := open
	if open == '“' {
		closing = '”'
	}
	var s strings.Builder
	for m.at < len(m.text) {
		r, size := utf8.DecodeRuneInString(m.text[m.at:])
		m.at += size
		switch {
		case r == '\\':
			if !m.escape(&s) {
				return false
			}
		case r == closing && (closing != '\'' || !m.apostrophe(s.String())):
			m.string(s.String())
			return true
		default:
			s.WriteRune(r)
		}
	}
	return false
}

// apostrophe says whether the quote just read stands within a word.
func (m *mender) apostrophe(before string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(m.text[m.at:])
	return unicode.IsLetter(last) && unicode.IsLetter(next)
}

// escape reads what follows a backslash. One that JSON does not know stands for the
// character behind it.
func (m *mender) escape(s *strings.Builder) bool {
	if m.at >= len(m.text) {
		return false
	}
	rest := m.text[m.at:]
	length := 1
	if rest[0] == 'u' {
		length = 5
		if len(rest) >= 11 && rest[5:7] == `\u` {
			length = 11
		}
	}
	if length <= len(rest) && strings.IndexByte(`"\/bfnrtu`, rest[0]) >= 0 {
		var decoded string
		for ; length > 0; length -= 6 { // a pair of surrogates, else the first alone
			if json.Unmarshal([]byte(`"\`+rest[:length]+`"`), &decoded) == nil && (length < 11 || utf8.RuneCountInString(decoded) == 1) {
				s.WriteString(decoded)
				m.at += length
				return true
			}
		}
		return false
	}
	r, size := utf8.DecodeRuneInString(rest)
	s.WriteRune(r)
	m.at += size
	return true
}

func (m *mender) string(s string) {
	encoded, err := json.Marshal(s)
	if err == nil {
		m.out.Write(encoded)
	}
}
