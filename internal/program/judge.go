package program

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
)

// Bounds of a command line, well below what kernels take.
const (
	MaxArguments      = 10_000
	MaxArgumentLength = 128<<10 - 1 // bytes of one
	MaxArgumentsBytes = 1 << 20     // of all
)

// A line is a command line that is judged.
type line struct {
	program string
	args    []string
	inside  func(name string) error // as workdir.Dir.Inside, from the folder where it runs
}

// judge says what of a command line is not let through; nil lets it through.
func (l line) judge() error {
	size := len(l.program)
	for _, a := range l.args {
		size += len(a) + 1
		switch {
		case strings.ContainsRune(a, 0):
			return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "run_cli",
				Message: "an argument has a NUL byte in it", Hint: "no program can be given one"}
		case len(a) > MaxArgumentLength:
			return tooLarge("an argument has %d bytes; at most %d are taken", len(a), MaxArgumentLength)
		}
	}
	switch {
	case len(l.args) > MaxArguments:
		return tooLarge("there are %d arguments; at most %d are taken", len(l.args), MaxArguments)
	case size > MaxArgumentsBytes:
		return tooLarge("the arguments have %d bytes; at most %d are taken", size, MaxArgumentsBytes)
	}
	g, known := grammars[l.program]
	if !known {
		return l.judgeUnknown()
	}
	return l.judgeBy(l.program, g, l.args)
}

func tooLarge(format string, numbers ...any) error {
	return &citewell.Error{Code: citewell.CodeArgumentsTooLarge, Op: "run_cli",
		Message: fmt.Sprintf(format, numbers...), Hint: "give fewer, or the text on stdin"}
}

// judgeBy judges arguments by a grammar, and by that of the subcommand that they name.
func (l line) judgeBy(program string, g grammar, args []string) error {
	pieces, err := g.readArguments(program, args)
	if err != nil {
		return err
	}
	if g.subcommands != nil {
		return l.judgeSubcommand(program, g, args, pieces)
	}
	unless, given := strings.Fields(g.unless), false
	for _, p := range pieces {
		given = given || slices.Contains(unless, p.option)
	}
	first := g.first != "" && !given
	for _, p := range pieces {
		for i, value := range p.values {
			k := p.kinds[i]
			if p.option == "" && first {
				k, first = g.first, false
			}
			if err := l.judgeValue(program, k, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// judgeSubcommand judges what follows the first operand by the grammar of that name.
func (l line) judgeSubcommand(program string, g grammar, args []string, pieces []piece) error {
	i := slices.IndexFunc(pieces, func(p piece) bool { return p.option == "" })
	if i < 0 {
		return nil // options alone
	}
	name := pieces[i].values[0]
	sub, known := g.subcommands[name]
	if !known {
		return &citewell.Error{Code: citewell.CodeArgumentNotAllowed, Op: "run_cli",
			Message: fmt.Sprintf("%s %s is not let through", program, shown(name)),
			Hint:    "there are " + strings.Join(slices.Sorted(maps.Keys(g.subcommands)), ", ")}
	}
	return l.judgeBy(program+" "+name, sub, args[slices.Index(args, name)+1:])
}

// judgeValue judges one value as what it is.
func (l line) judgeValue(program string, k kind, value string) error {
	switch k {
	case path:
		return l.inside(value)
	case rev:
		if err := l.inside(value); err != nil {
			return err
		}
		_, after, _ := strings.Cut(value, ":")
		return l.inside(after)
	case archive:
		if strings.Contains(value, ":") {
			return refusedValue(program, value, "a colon names another machine")
		}
		return l.inside(value)
	case suffix:
		if strings.ContainsAny(value, "/*") {
			return refusedValue(program, value, "the copy would lie elsewhere")
		}
	case script:
		return judgeSed(value, l.inside)
	case filter:
		if notAlone.MatchString(value) {
			return refusedValue(program, value, "a filter that begins with import, include, module or a comment may "+
				"load files")
		}
	}
	return nil
}

// notAlone is the beginning of a filter of jq's that can take in other files: its imports come before everything else.
var notAlone = lazyregexp.New(`^\s*(?:#|(?:import|include|module)\b)`)

func refusedValue(program, value, why string) error {
	return &citewell.Error{Code: citewell.CodeArgumentNotAllowed, Op: "run_cli",
		Message: fmt.Sprintf("%s of %s is not let through: %s", shown(value), program, why)}
}

// judgeUnknown judges the arguments of a program of which nothing is known: whatever in them may be a path.
func (l line) judgeUnknown() error {
	for _, a := range l.args {
		for _, candidate := range candidates(a) {
			if err := l.inside(candidate); err != nil {
				return err
			}
		}
	}
	return nil
}

// candidates are what of an argument may be a path: all of it, what follows each =, and what is glued to short options.
func candidates(a string) []string {
	all := []string{a}
	for rest := a; ; {
		_, after, found := strings.Cut(rest, "=")
		if !found {
			break
		}
		all, rest = append(all, after), after
	}
	if len(a) < 2 || a[0] != '-' || a[1] == '-' {
		return all
	}
	for i, letter := range a[1:] {
		end := 1 + i + utf8.RuneLen(letter)
		if end > len(a) { // no letter: a byte that is no UTF-8
			break
		}
		all = append(all, a[end:])
		if !('a' <= letter && letter <= 'z' || 'A' <= letter && letter <= 'Z' || '0' <= letter && letter <= '9') {
			break
		}
	}
	return all
}
