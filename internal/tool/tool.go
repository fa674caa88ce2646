package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/citewell/citewell"
	"github.com/google/jsonschema-go/jsonschema"
)

// A Spec is what is said about a tool beside its types.
type Spec struct {
	Name        string   // snake_case
	Also        []string // other names that it is found by, where no tool has them as its own
	Title       string   // for people
	Description string   // for models: what it is for, when to use it, what to beware of
	Hints       Hints
	Confirm     bool   // asks a person before it acts, unless the operator allows it
	Hidden      string // why it is not offered, a missing key for one; empty where it is
	Origin      Origin
	// Beyond are arguments that the original system lacks: its toolset (Toolset.Original) has the tool without them.
	Beyond    []string
	Unsourced bool // what it gives proves nothing: our own words, as a confirmation, or a model's
	// Mend, unless nil, brings arguments that models often get wrong into the form of the schema, before the check.
	Mend func(json.RawMessage) json.RawMessage
	// Judge, unless nil, says what is wrong with checked arguments by what the tool is made of, before anybody is asked
	// whether the call may be made.
	Judge func(json.RawMessage) error
}

// An Origin is who is behind a tool, and what the operator says of that one. The zero value is Citewell itself.
type Origin struct {
	Name    string // of the MCP server or of the operator's section
	Foreign bool   // what is said of the tool are the words of somebody other than the operator
	Private bool   // what it is told stays with the operator
	Public  bool   // what it says may be told to anybody
	Setting string // the key under which the operator says so
}

// SaysPrivate reports whether results of the tool are the user's own texts: if it reads the stores of this machine,
// hands its arguments back, or is another's tool that is not said to be public.
func (t *Tool) SaysPrivate() bool {
	if t.Origin.Name == "" {
		return !t.Hints.OpenWorld || t.Origin.Private
	}
	return !t.Origin.Public
}

// TellsOthers says whether arguments of the tool reach somebody other than the operator.
func (t *Tool) TellsOthers() bool {
	return !t.Origin.Private && (t.Hints.OpenWorld || t.Origin.Foreign)
}

// Hints tell a client how careful it must be; they have MCP's meaning.
type Hints struct {
	ReadOnly    bool // changes nothing
	Destructive bool // may delete or overwrite
	Idempotent  bool // calling twice is as calling once
	OpenWorld   bool // reaches beyond this machine's own stores
}

// A Tool is one callable. Build it with New or Raw.
type Tool struct {
	Spec
	Input  *jsonschema.Schema
	Output *jsonschema.Schema          // nil where the text is all there is
	judge  func(json.RawMessage) error // of checked arguments, what no schema can say; nil says nothing
	run    func(context.Context, json.RawMessage) (Result, error)
}

// A Result is what a call gives: text for a model, and the same as data.
type Result struct {
	Text       string
	Structured any // of the Output schema; nil where the text is all there is
	Links      []Link
	Pages      []Page // that the result shows, as they were read
	// what of the result can be cited, where that is not its Text as a whole; one without Doc is read by its bytes
	Parts   []Page
	Sources []citewell.Source // whose numbers the text has, where it cites by number
	Notes   []string          // what of the arguments was taken otherwise than it was given
	Err     error             // the failure that the result tells of in a form of its own
}

// A Page is a page of the web with what was read from it, passages included.
type Page struct {
	citewell.Page
	Doc citewell.Document
}

// A Link names something that can be read beside the result, by its URI.
type Link struct {
	URI, Name, MediaType string
}

// A Texter is an output that says itself how a model reads it. Other outputs are read as their JSON.
type Texter interface{ Text() string }

// A Linker is an output with something more to read beside it.
type Linker interface{ Links() []Link }

// A Pager is an output that shows pages of the web.
type Pager interface{ ReadPages() []Page }

// A Sourcer is an output whose text cites sources by number.
type Sourcer interface{ NumberedSources() []citewell.Source }

// A Failer is an output that may tell of a failure in a form of its own.
type Failer interface{ Err() error }

// A Judge is an input that says what is wrong with it, where no schema can, before anybody is asked for the call.
type Judge interface{ Judge() error }

// Description reads what NAME.md says of a tool, and panics without it.
func Description(descriptions fs.ReadFileFS, name string) string {
	text, err := descriptions.ReadFile(name + ".md")
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(text))
}

// New makes a tool of a function. In is a struct, and Out one too; the tags of
// their fields are the schema:
//
//	json:"depth,omitempty"    the name; omitempty or omitzero make it optional
//	jsonschema:"how many"     the description
//	default:"3"               JSON; what an absent argument is taken for
//	bounds:"1..10"            of a number; of a string its characters; of a list its items
//	oneof:"metric imperial"   the values of a string, between spaces
//
// A required string may not be blank. New panics on a type without a schema: a
// mistake in the program, which any test finds.
func New[In, Out any](s Spec, run func(context.Context, In) (Out, error)) *Tool {
	s.Description = strings.TrimSpace(s.Description)
	t := &Tool{Spec: s, Input: schemaOf[In](s.Name, true), Output: outputOf[Out](s.Name), judge: s.Judge}
	inputOf := func(arguments json.RawMessage) (in In, err error) {
		if err := json.Unmarshal(arguments, &in); err != nil {
			return in, t.misfit(err)
		}
		return in, nil
	}
	if _, ok := any(*new(In)).(Judge); ok {
		t.judge = func(arguments json.RawMessage) error {
			in, err := inputOf(arguments)
			if err != nil {
				return err
			}
			return any(in).(Judge).Judge()
		}
	}
	t.run = func(ctx context.Context, arguments json.RawMessage) (Result, error) {
		in, err := inputOf(arguments)
		if err != nil {
			return Result{}, err
		}
		out, err := run(ctx, in)
		if err != nil {
			return Result{}, err
		}
		return resultOf(out)
	}
	return t
}

// misfit is the error of arguments that fit the schema but not the program's types, without the names of these.
func (t *Tool) misfit(err error) error {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return t.invalid("the arguments do not fit: " + err.Error())
	}
	path := strings.Split(wrong.Field, ".")
	for len(path) > 1 && t.Input.Properties[path[0]] == nil {
		path = path[1:] // a struct that holds the field
	}
	return t.invalid(fmt.Sprintf("%s cannot hold the %.60s; it is too large", strings.Join(path, "."), wrong.Value))
}

// Raw makes a tool of a function that takes and gives what it wants, as for another server's tools. Its arguments are
// checked against input.
func Raw(s Spec, input, output *jsonschema.Schema, run func(context.Context, json.RawMessage) (Result, error)) *Tool {
	return &Tool{Spec: s, Input: input, Output: output, run: run}
}

// resultOf gives out as text and data.
func resultOf(out any) (Result, error) {
	r := Result{Structured: out}
	if l, ok := out.(Linker); ok {
		r.Links = l.Links()
	}
	if p, ok := out.(Pager); ok {
		r.Pages = p.ReadPages()
	}
	if s, ok := out.(Sourcer); ok {
		r.Sources = s.NumberedSources()
	}
	if f, ok := out.(Failer); ok {
		r.Err = f.Err()
	}
	if t, ok := out.(Texter); ok {
		r.Text = t.Text()
		return r, nil
	}
	text, err := Marshal(out)
	if err != nil {
		return Result{}, fmt.Errorf("the result as JSON: %w", err)
	}
	r.Text = string(text)
	return r, nil
}

// Marshal is v as JSON, without the escapes that HTML would need.
func Marshal(v any) ([]byte, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return []byte(strings.TrimSuffix(b.String(), "\n")), nil
}

// MustMarshal is Marshal for values of our own types, and panics if one cannot be written as JSON.
func MustMarshal(v any) json.RawMessage {
	data, err := Marshal(v)
	if err != nil {
		panic("as JSON: " + err.Error())
	}
	return data
}

// Offered says whether the tool can be called as things are configured.
func (t *Tool) Offered() bool { return t.Hidden == "" }

// Call checks the arguments and runs the tool. It asks nobody: Toolset.Call does.
func (t *Tool) Call(ctx context.Context, arguments json.RawMessage) (Result, error) {
	return t.call(ctx, arguments, None)
}

func (t *Tool) call(ctx context.Context, arguments json.RawMessage, l Leeway) (r Result, err error) {
	if !t.Offered() {
		return Result{}, &citewell.Error{Code: citewell.CodeToolNotConfigured, Op: t.Name,
			Message: t.Name + " is not configured", Hint: t.Hidden}
	}
	checked, notes, err := t.readArguments(arguments, l)
	if err != nil {
		return Result{Notes: notes}, err
	}
	defer func() {
		if p := recover(); p != nil {
			r, err = Result{}, &citewell.Error{Code: citewell.CodeInternal, Op: t.Name,
				Message: t.Name + " failed by a bug of its own", Hint: "please report it",
				Err: fmt.Errorf("panic: %v", p)}
		}
		r.Notes = append(r.Notes, notes...)
	}()
	return t.run(ctx, checked)
}
