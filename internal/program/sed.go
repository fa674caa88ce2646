package program

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell"
)

// judgeSed refuses a script of GNU sed that it does not understand, or that runs (e), writes (w, W) or reads files (r,
// R).
func judgeSed(script string, inside func(string) error) error {
	s := sedScript{rest: script, inside: inside}
	if !utf8.ValidString(script) {
		return s.refuse("it is no UTF-8")
	}
	for {
		s.rest = strings.TrimLeft(s.rest, " \t\r\n\v\f;")
		switch {
		case s.rest == "":
			return nil
		case s.rest[0] == '#':
			s.line()
			continue
		}
		if err := s.command(); err != nil {
			return err
		}
	}
}

// A sedScript is what is left to read of a script.
type sedScript struct {
	rest   string
	inside func(string) error
}

func (s *sedScript) refuse(why string) error {
	return &citewell.Error{Code: citewell.CodeArgumentNotAllowed, Op: "run_cli",
		Message: "the sed script is not allowed: " + why,
		Hint:    "sed may edit text: addresses, s without the flags e and w, y, a, i, c, d, p and their like"}
}

// byte takes the next one; 0 at the end, which no argument holds.
func (s *sedScript) byte() byte {
	if s.rest == "" {
		return 0
	}
	b := s.rest[0]
	s.rest = s.rest[1:]
	return b
}

func (s *sedScript) blanks() { s.rest = strings.TrimLeft(s.rest, " \t\r\v\f") }

// line takes the rest of the line.
func (s *sedScript) line() string {
	line, rest, _ := strings.Cut(s.rest, "\n")
	s.rest = rest
	return line
}

// skip takes what consists of these bytes.
func (s *sedScript) skip(set string) { s.rest = strings.TrimLeft(s.rest, set) }

const digits = "0123456789"

// addresses takes what stands before a command.
func (s *sedScript) addresses() error {
	for second := false; ; second = true {
		if second {
			s.skip("+~")
		}
		switch {
		case s.rest == "":
		case strings.Contains(digits, s.rest[:1]):
			s.skip(digits)
			s.skip("~")
			s.skip(digits)
		case s.rest[0] == '$':
			s.byte()
		case s.rest[0] == '/' || s.rest[0] == '\\':
			if s.rest[0] == '\\' {
				s.byte()
			}
			if err := s.delimited(s.byte(), true); err != nil {
				return err
			}
			s.skip("IM")
		}
		s.blanks()
		if !strings.HasPrefix(s.rest, ",") {
			break
		}
		s.byte()
		s.blanks()
	}
	s.skip("! \t\r\v\f")
	return nil
}

// delimited takes text up to a delimiter that is not escaped and, in an expression, stands in no brackets.
func (s *sedScript) delimited(delimiter byte, expression bool) error {
	if delimiter < ' ' || delimiter >= utf8.RuneSelf || strings.IndexByte(`\[]`, delimiter) >= 0 {
		return s.refuse("it has no delimiter that can be read")
	}
	for i := 0; i < len(s.rest); i++ {
		switch s.rest[i] {
		case delimiter:
			s.rest = s.rest[i+1:]
			return nil
		case '\\':
			i++
		case '[':
			if !expression {
				continue
			}
			length := bracketed(s.rest[i:])
			if length == 0 {
				return s.refuse("a [ in an expression has no ]")
			}
			i += length - 1
		case '\n':
			return s.refuse("a line ends within an expression or a replacement")
		}
	}
	return s.refuse("an expression or a replacement has no end")
}

// bracketed is the length of the brackets at the start of text; 0 if their line does not end them. ] may come first.
func bracketed(text string) int {
	i := 1
	if strings.HasPrefix(text[i:], "^") {
		i++
	}
	if strings.HasPrefix(text[i:], "]") {
		i++
	}
	for i < len(text) && text[i] != '\n' {
		if text[i] == ']' {
			return i + 1
		}
		if text[i] != '[' || i+1 >= len(text) || strings.IndexByte(":.=", text[i+1]) < 0 {
			i++
			continue
		}
		end := strings.Index(text[i+2:], text[i+1:i+2]+"]")
		if end < 0 || strings.Contains(text[i+2:i+2+end], "\n") {
			return 0
		}
		i += 2 + end + 2
	}
	return 0
}

// command takes one command with its addresses.
func (s *sedScript) command() error {
	if err := s.addresses(); err != nil {
		return err
	}
	c := s.byte()
	switch c {
	case '{':
		return nil
	case '}', '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', 'F':
		return s.end()
	case 'l', 'L', 'q', 'Q':
		s.blanks()
		s.skip(digits)
		return s.end()
	case 'a', 'i', 'c':
		return s.text()
	case ':', 'b', 't', 'T', 'v':
		s.blanks()
		s.rest = s.rest[strings.IndexAny(s.rest+"\n", " \t\r\n\v\f;}"):]
		return s.end()
	case 'r', 'R':
		s.blanks()
		return s.inside(s.line())
	case 's':
		return s.substitution()
	case 'y':
		delimiter := s.byte()
		for range 2 {
			if err := s.delimited(delimiter, false); err != nil {
				return err
			}
		}
		return s.end()
	case 'e':
		return s.refuse("the command e starts a program")
	case 'w', 'W':
		return s.refuse(fmt.Sprintf("the command %c writes a file", c))
	}
	return s.refuse("a command in it is not known")
}

// text takes that of a, i and c: up to the end of a line that no backslash goes before.
func (s *sedScript) text() error {
	s.blanks()
	if s.rest == "" {
		return s.refuse("the text of a, i or c belongs into the same argument")
	}
	for i := 0; i < len(s.rest); i++ {
		switch s.rest[i] {
		case '\\':
			if i++; i >= len(s.rest) {
				return s.refuse("the text of a, i or c belongs into the same argument")
			}
		case '\n':
			s.rest = s.rest[i+1:]
			return nil
		}
	}
	s.rest = ""
	return nil
}

func (s *sedScript) substitution() error {
	delimiter := s.byte()
	if err := s.delimited(delimiter, true); err != nil {
		return err
	}
	if err := s.delimited(delimiter, false); err != nil {
		return err
	}
	s.skip("gpiImM" + digits)
	switch {
	case strings.HasPrefix(s.rest, "e"):
		return s.refuse("the flag e of s starts a program")
	case strings.HasPrefix(s.rest, "w"):
		return s.refuse("the flag w of s writes a file")
	}
	return s.end()
}

// end takes what may follow a command.
func (s *sedScript) end() error {
	s.blanks()
	if s.rest == "" || strings.ContainsAny(s.rest[:1], "\n;}#") {
		return nil
	}
	return s.refuse("something follows a command that does not belong to it")
}
