package program

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/citewell/citewell"
)

// A style is how a program reads its options.
type style int

const (
	gnu   style = iota // --name=value, -abc, options anywhere before --
	flags              // Go's: -name=value or -name value, with one dash or two
	words              // find's: operands first, then words
	free               // there are none: every argument is a text
)

// A kind says what a value is judged as.
type kind string

const (
	text    kind = "text"    // anything
	path    kind = "path"    // of the working folder
	rev     kind = "rev"     // git's: a revision, a path, or REVISION:PATH
	script  kind = "sed"     // sed's commands
	filter  kind = "jq"      // jq's program
	archive kind = "archive" // tar's file: HOST:FILE would start a remote shell
	suffix  kind = "suffix"  // of a copy that is kept beside the file
)

// A grammar is what one program may be given. What stands in none of its lists is refused.
type grammar struct {
	style style
	// options are let through, between spaces: -q or --quiet alone, -n=text with a value of that kind, -i?text with one
	// that can only be glued to it. A second =kind is a second value.
	options string
	digits  bool // -5 is a number
	dashed  bool // the first argument is an option, though the program would take it without its dash
	// operands are of this kind, the first of kind first, if there is one, unless an option in unless is given.
	operands, first kind
	unless          string
	// refused are options that a model may well try, by what is wrong with them; others are refused as unknown.
	refused     []refused
	subcommands map[string]grammar
}

// refused are options that are not let through, for one reason.
type refused struct{ why, options string }

// Why options are refused.
const (
	starts = "it starts another program"
	writes = "it writes to a file of its own"
	loads  = "it loads configuration or code"
	names  = "it reads names of files that nobody has judged"
	leaves = "it follows links or changes folders; cwd says where a program works"
	asks   = "it waits for a person or goes on without end"
	others = "it reaches other machines or the user's own settings"
	guards = "it switches off a guard"
)

// An option is one that is let through.
type option struct {
	values []kind
	glued  bool // its value may be left out, and is never the next argument
}

// optionsOf reads a grammar's list of options, once for each.
var optionsOf = func() func(list string) map[string]option {
	var known sync.Map
	return func(list string) map[string]option {
		if m, ok := known.Load(list); ok {
			return m.(map[string]option)
		}
		all := map[string]option{}
		for word := range strings.FieldsSeq(list) {
			name, value, glued := strings.Cut(word, "?")
			if glued {
				all[name] = option{values: []kind{kind(value)}, glued: true}
				continue
			}
			parts := strings.Split(word, "=")
			o := option{}
			for _, k := range parts[1:] {
				o.values = append(o.values, kind(k))
			}
			all[parts[0]] = o
		}
		known.Store(list, all)
		return all
	}
}()

// A piece is an option with its values, or an operand, which has no option.
type piece struct {
	option string
	values []string
	kinds  []kind
}

// A reader takes arguments apart as a program of its grammar does.
type reader struct {
	program string
	g       grammar
	options map[string]option
	rest    []string
	pieces  []piece
}

// readArguments takes the arguments of a program apart, or says what is not let through.
func (g grammar) readArguments(program string, args []string) ([]piece, error) {
	r := &reader{program: program, g: g, options: optionsOf(g.options), rest: args}
	var err error
	switch g.style {
	case gnu:
		err = r.gnu()
	case flags:
		err = r.flags()
	case words:
		err = r.words()
	case free:
		for _, a := range args {
			r.pieces = append(r.pieces, piece{values: []string{a}, kinds: []kind{text}})
		}
	}
	return r.pieces, err
}

// next takes the next argument.
func (r *reader) next() (string, bool) {
	if len(r.rest) == 0 {
		return "", false
	}
	a := r.rest[0]
	r.rest = r.rest[1:]
	return a, true
}

func (r *reader) operand(a string) {
	r.pieces = append(r.pieces, piece{values: []string{a}, kinds: []kind{r.g.operands}})
}

// takeOption adds an option and what values it has, the first of which may be glued to it.
func (r *reader) takeOption(name, value string, glued bool) error {
	o, known := r.options[name]
	switch {
	case !known:
		return r.refuse(name)
	case glued && (len(o.values) == 0 || len(o.values) > 1):
		return r.refuse(name + "=")
	}
	p := piece{option: name, kinds: o.values}
	if glued {
		p.values = []string{value}
	}
	for !o.glued && len(p.values) < len(o.values) {
		a, there := r.next()
		if !there {
			return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "run_cli",
				Message: fmt.Sprintf("%s of %s lacks its value", name, r.program)}
		}
		p.values = append(p.values, a)
	}
	r.pieces = append(r.pieces, p)
	return nil
}

func (r *reader) gnu() error {
	for {
		a, there := r.next()
		var err error
		switch {
		case !there:
			return nil
		case a == "--" && r.g.subcommands == nil:
			for _, a := range r.rest {
				r.operand(a)
			}
			return nil
		case strings.HasPrefix(a, "--"):
			name, value, glued := strings.Cut(a, "=")
			err = r.takeOption(name, value, glued)
		case len(a) < 2 || a[0] != '-':
			if r.g.dashed && len(r.pieces) == 0 {
				return &citewell.Error{Code: citewell.CodeArgumentNotAllowed, Op: "run_cli",
					Message: fmt.Sprintf("the first argument of %s, %s, is no option", r.program, shown(a)),
					Hint:    "give its options with a dash, as in -xzf FILE"}
			}
			r.operand(a)
		case r.g.digits && strings.Trim(a[1:], "0123456789") == "":
			r.pieces = append(r.pieces, piece{option: a})
		default:
			err = r.bundle(a[1:])
		}
		if err != nil {
			return err
		}
		if r.g.subcommands != nil && len(r.pieces) > 0 && r.pieces[len(r.pieces)-1].option == "" {
			return nil // what follows is the subcommand's
		}
	}
}

// bundle takes short options that stand together; what follows one that has a value is its value.
func (r *reader) bundle(letters string) error {
	for i := range len(letters) {
		name, rest := "-"+letters[i:i+1], letters[i+1:]
		takesRest := rest != "" && len(r.options[name].values) > 0
		if err := r.takeOption(name, rest, takesRest); err != nil || takesRest {
			return err
		}
	}
	return nil
}

func (r *reader) flags() error {
	for {
		a, there := r.next()
		switch {
		case !there:
			return nil
		case a == "--" && r.g.subcommands == nil:
			for _, a := range r.rest {
				r.operand(a)
			}
			return nil
		case len(a) < 2 || a[0] != '-':
			r.operand(a)
			if r.g.subcommands != nil {
				return nil
			}
			continue
		}
		name, value, glued := strings.Cut("-"+strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-"), "=")
		if o, known := r.options[name]; known && len(o.values) == 0 && (value == "true" || value == "false") {
			glued = false
		}
		if err := r.takeOption(name, value, glued); err != nil {
			return err
		}
	}
}

func (r *reader) words() error {
	for {
		a, there := r.next()
		if !there {
			return nil
		}
		if !strings.HasPrefix(a, "-") && !slices.Contains([]string{"(", ")", "!", ","}, a) {
			r.operand(a)
			continue
		}
		if err := r.takeOption(a, "", false); err != nil {
			return err
		}
	}
}

// refuse says why an option is not let through: what it, or an option that it may abbreviate, would do.
func (r *reader) refuse(name string) error {
	name = strings.TrimSuffix(name, "=")
	message := fmt.Sprintf("%s of %s is not let through", shown(name), r.program)
	if why := r.g.why(name); why != "" {
		message += ": " + why
	}
	return &citewell.Error{Code: citewell.CodeArgumentNotAllowed, Op: "run_cli", Message: message,
		Hint: "there are " + strings.Join(listed(r.g.options), " ") + "; long ones are given in full"}
}

// why says what an option that is refused would do, also where it is cut short.
func (g grammar) why(name string) string {
	for _, r := range g.refused {
		for o := range strings.FieldsSeq(r.options) {
			if o == name || len(name) > 2 && strings.HasPrefix(name, "--") && strings.HasPrefix(o, name) {
				return r.why
			}
		}
	}
	return ""
}

// listed are the names in a list of options.
func listed(options string) []string {
	var all []string
	for word := range strings.FieldsSeq(options) {
		all = append(all, word[:max(1, strings.IndexAny(word+"=", "=?"))])
	}
	return all
}

func shown(s string) string { return fmt.Sprintf("%.80q", s) }
