package pdf

import (
	"bytes"
	"encoding/hex"
	"strconv"
)

// A pdfScanner reads the operators of a content stream or character map with their operands: numbers as float64, names
// as pdfName, strings as []byte, arrays as []any, dictionaries as map[pdfName]any.
type pdfScanner struct {
	s  []byte
	at int
}

type (
	pdfName    string
	pdfKeyword string
)

// Caps on what one stream can make a scanner hold.
const (
	maxOperands = 1 << 16 // of one operator
	maxOperand  = 32      // depth of arrays and dictionaries
)

// next returns the next operator and its operands, and false at the end.
func (p *pdfScanner) next(operands []any) (string, []any, bool) {
	for {
		token, ok := p.token(0)
		if !ok {
			return "", operands, false
		}
		if word, is := token.(pdfKeyword); is {
			switch word {
			case "true":
				token = true
			case "false":
				token = false
			case "null":
				token = nil
			default:
				return string(word), operands, true
			}
		}
		if len(operands) < maxOperands {
			operands = append(operands, token)
		}
	}
}

func pdfSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func pdfDelimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

func (p *pdfScanner) skipSpace() {
	for p.at < len(p.s) {
		switch c := p.s[p.at]; {
		case pdfSpace(c):
			p.at++
		case c == '%':
			for p.at < len(p.s) && p.s[p.at] != '\n' && p.s[p.at] != '\r' {
				p.at++
			}
		default:
			return
		}
	}
}

// Marks that close an array or a dictionary; outside of one they are passed over.
const (
	closeArray = pdfKeyword("]")
	closeDict  = pdfKeyword(">>")
)

func (p *pdfScanner) token(depth int) (any, bool) {
	for {
		p.skipSpace()
		if p.at >= len(p.s) {
			return nil, false
		}
		c := p.s[p.at]
		switch {
		case c == '(':
			return p.literal(), true
		case c == '/':
			return p.name(), true
		case c == '<' && p.peek(1) == '<':
			p.at += 2
			return p.dict(depth), true
		case c == '<':
			return p.hex(), true
		case c == '[':
			p.at++
			return p.array(depth), true
		case c == ']' && depth > 0:
			p.at++
			return closeArray, true
		case c == '>' && p.peek(1) == '>' && depth > 0:
			p.at += 2
			return closeDict, true
		case pdfDelimiter(c):
			p.at++
		default:
			return p.word(), true
		}
	}
}

func (p *pdfScanner) peek(n int) byte {
	if p.at+n < len(p.s) {
		return p.s[p.at+n]
	}
	return 0
}

// word reads a number or a keyword. Odd numbers, as in "--5" and "1.2.3", count as what their start says.
func (p *pdfScanner) word() any {
	start := p.at
	for p.at < len(p.s) && !pdfSpace(p.s[p.at]) && !pdfDelimiter(p.s[p.at]) {
		p.at++
	}
	w := p.s[start:p.at]
	if c := w[0]; c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' {
		if n, err := strconv.ParseFloat(string(w), 64); err == nil {
			return n
		}
		sign := 1.0
		for len(w) > 0 && (w[0] == '-' || w[0] == '+') {
			if w[0] == '-' {
				sign = -1
			}
			w = w[1:]
		}
		end := 0
		for dots := 0; end < len(w) && (w[end] >= '0' && w[end] <= '9' || w[end] == '.' && dots == 0); end++ {
			if w[end] == '.' {
				dots++
			}
		}
		n, err := strconv.ParseFloat(string(w[:end]), 64)
		if err != nil {
			n = 0
		}
		return sign * n
	}
	return pdfKeyword(w)
}

func (p *pdfScanner) name() pdfName {
	p.at++
	var b []byte
	for p.at < len(p.s) && !pdfSpace(p.s[p.at]) && !pdfDelimiter(p.s[p.at]) {
		c := p.s[p.at]
		if c == '#' && p.at+2 < len(p.s) {
			if code, err := hex.DecodeString(string(p.s[p.at+1 : p.at+3])); err == nil {
				b = append(b, code...)
				p.at += 3
				continue
			}
		}
		b = append(b, c)
		p.at++
	}
	return pdfName(b)
}

// hex reads a string of hexadecimal digits, without others; a last one without its pair is the high half.
func (p *pdfScanner) hex() []byte {
	inside, rest, _ := bytes.Cut(p.s[p.at+1:], []byte(">"))
	p.at = len(p.s) - len(rest)
	digits := bytes.Map(func(r rune) rune {
		if !isHex(r) {
			return -1
		}
		return r
	}, inside)
	if len(digits)%2 == 1 {
		digits = append(digits, '0')
	}
	b, _ := hex.AppendDecode(nil, digits) // they are digits
	return b
}

func isHex(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F'
}

func (p *pdfScanner) literal() []byte {
	p.at++
	var b []byte
	open := 1
	for p.at < len(p.s) {
		c := p.s[p.at]
		p.at++
		switch c {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return b
			}
		case '\\':
			b = p.escaped(b)
			continue
		}
		b = append(b, c)
	}
	return b
}

func (p *pdfScanner) escaped(b []byte) []byte {
	if p.at >= len(p.s) {
		return b
	}
	c := p.s[p.at]
	p.at++
	switch c {
	case 'n':
		return append(b, '\n')
	case 'r':
		return append(b, '\r')
	case 't':
		return append(b, '\t')
	case 'b':
		return append(b, '\b')
	case 'f':
		return append(b, '\f')
	case '\r':
		if p.peek(0) == '\n' {
			p.at++
		}
		return b
	case '\n':
		return b
	}
	if c < '0' || c > '7' {
		return append(b, c)
	}
	n := int(c - '0')
	for i := 0; i < 2 && p.at < len(p.s) && p.s[p.at] >= '0' && p.s[p.at] <= '7'; i++ {
		n = n<<3 | int(p.s[p.at]-'0')
		p.at++
	}
	return append(b, byte(n))
}

func (p *pdfScanner) array(depth int) []any {
	var list []any
	for {
		token, ok := p.token(depth + 1)
		if !ok || token == closeArray || depth > maxOperand {
			return list
		}
		if len(list) < maxOperands {
			list = append(list, token)
		}
	}
}

func (p *pdfScanner) dict(depth int) map[pdfName]any {
	values := map[pdfName]any{}
	for {
		key, ok := p.token(depth + 1)
		if !ok || key == closeDict || depth > maxOperand {
			return values
		}
		name, is := key.(pdfName)
		if !is {
			continue
		}
		value, ok := p.token(depth + 1)
		if !ok || value == closeDict {
			return values
		}
		values[name] = value
	}
}

// skipImage passes over the bytes of an inline image up to EI between white space and something readable.
func (p *pdfScanner) skipImage() {
	for p.at < len(p.s) {
		i := bytes.Index(p.s[p.at:], []byte("EI"))
		if i < 0 {
			p.at = len(p.s)
			return
		}
		end := p.at + i
		p.at = end + 2
		if end == 0 || !pdfSpace(p.s[end-1]) || p.at < len(p.s) && !pdfSpace(p.s[p.at]) {
			continue
		}
		readable := true
		for _, c := range p.s[p.at:min(p.at+16, len(p.s))] {
			readable = readable && (c >= ' ' && c < 0x7f || pdfSpace(c) && c != 0)
		}
		if readable {
			return
		}
	}
}
