// Package door makes the text that a model is shown of its calls.
//
// Flow: a result, an error, a description → Door → Text → the model. Only constants of this program and the output of a
// Door can make a Text, so the compiler keeps every other string out. Untrusted words are neutralised, put into an
// envelope.Envelope, and taint the run: from then on a person decides about calls that act. Echo shows the model the
// words of its own call again.
// Provenance: a Door keeps the words of private and of public texts apart, and Secrets lists the words of a query that
// only private texts have.
// Units: MaxDescription and MaxTitle bound a description, in bytes.
// Errors: none; every text passes, in its envelope.
// Concurrency: a Door and its Texts belong to one goroutine.
package door

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/envelope"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
)

// Bounds of what a foreign server says of a tool, in bytes: the model reads it in every request.
const (
	MaxTitle       = 200
	MaxDescription = 4000
)

// A Text is what a model is shown, and the same as people are told it.
type Text struct{ shown, told string }

// Shown is the text as the model reads it.
func (t Text) Shown() string { return t.shown }

// Told is the text as people read it: without envelopes.
func (t Text) Told() string { return t.told }

func (t Text) part() Text { return t }

// constant keeps out what is no constant of this program: only an untyped constant becomes one outside of this package.
type constant string

// A Part is what a constant may be filled in with.
type Part interface{ part() Text }

// A Number is a Part that holds no words.
type Number int

func (n Number) part() Text { s := strconv.Itoa(int(n)); return Text{s, s} }

// A Name is a Part of which only letters, digits, _, - and . are left, 128 at most: the
// name of a tool, of a server, of a setting.
type Name string

func (n Name) part() Text {
	s := strings.Map(func(c rune) rune {
		if c < unicode.MaxASCII && (unicode.IsLetter(c) || unicode.IsDigit(c) || c == '_' || c == '-' || c == '.') {
			return c
		}
		return '_'
	}, string(n[:min(len(n), 128)]))
	return Text{s, s}
}

// Ours makes a Text of a constant of this program and its parts, each for a %s in it.
func Ours(format constant, parts ...Part) Text {
	if len(parts) == 0 {
		return Text{string(format), string(format)}
	}
	shown, told := make([]any, len(parts)), make([]any, len(parts))
	for i, p := range parts {
		t := p.part()
		shown[i], told[i] = t.shown, t.told
	}
	return Text{fmt.Sprintf(string(format), shown...), fmt.Sprintf(string(format), told...)}
}

// Echo makes a Text of the words of the model's own call, and of what our code says of them.
func Echo(said string) Text {
	said = envelope.Neutralize(said)
	return Text{said, said}
}

// Join puts a blank line between texts.
func Join(texts []Text) Text {
	var shown, told []string
	for _, t := range texts {
		shown, told = append(shown, t.shown), append(told, t.told)
	}
	return Text{strings.Join(shown, "\n\n"), strings.Join(told, "\n\n")}
}

// A Door is that of one run.
type Door struct {
	envelope  envelope.Envelope
	bare      bool            // nobody has told the model what the marks of an envelope mean
	tainted   bool            // the model has read foreign words
	described map[string]bool // servers whose words on their tools it has read
	ledger
}

// New returns the Door of a run, with an envelope of its own.
func New() *Door {
	return &Door{envelope: envelope.NewEnvelope(), described: map[string]bool{}, ledger: newLedger()}
}

// Bare returns the Door of a caller that is no run of ours: texts are neutralised and stand in no envelope.
func Bare() *Door {
	d := New()
	d.bare = true
	return d
}

// Rules tell the model what the marks of the envelope mean.
func (d *Door) Rules() string { return d.envelope.Rules() }

// Foreign makes a Text of foreign words, and taints the run. The label stands outside.
func (d *Door) Foreign(from Source, label Text, said string) Text {
	d.tainted = true
	d.Note(from, said)
	return d.Again(label, said)
}

// Again makes a Text of foreign words that came in before: what is left of an earlier Text, or what a check quotes.
func (d *Door) Again(label Text, said string) Text {
	told := envelope.Neutralize(said)
	if d.bare {
		return Text{told, told}
	}
	return Text{d.envelope.Wrap(label.shown, said), told}
}

// Offer gives a tool as the model is offered it. What a foreign server says of its tool is neutralised, bounded,
// labelled and in the envelope, and taints for the tools of all others: a server may say how its own tools are used.
func (d *Door) Offer(t *tool.Tool) *tool.Tool {
	if !t.Origin.Foreign {
		return t
	}
	d.described[t.Origin.Name] = true
	offered := *t
	title := text.OneLine(envelope.Neutralize(tool.Shorten(t.Title, MaxTitle)))
	offered.Title = Ours("%s: ", Name(t.Origin.Name)).shown + title
	offered.Description = d.Again(Ours("what %s says of its tool", Name(t.Origin.Name)),
		tool.Shorten(t.Description, MaxDescription)).shown
	offered.Input = cleaned(t.Input)
	return &offered
}

// Tainted says whether words that the model has read could have talked it into a call of this tool.
func (d *Door) Tainted(t *tool.Tool) bool {
	if d.tainted {
		return true
	}
	for name := range d.described {
		if !t.Origin.Foreign || name != t.Origin.Name {
			return true
		}
	}
	return false
}

// A Refusal is an error in words of ours.
type Refusal struct {
	code    citewell.Code
	message Text
	hint    Text
}

// Refuse makes a Refusal.
func Refuse(code citewell.Code, message, hint Text) error { return &Refusal{code, message, hint} }

// Error implements error.
func (e *Refusal) Error() string { return e.message.told }

// Unwrap gives the error as everybody else reads it.
func (e *Refusal) Unwrap() error {
	return &citewell.Error{Code: e.code, Message: e.message.told, Hint: e.hint.told}
}

// OwnError is the error of a tool of the agent's own: in our words and the model's.
func OwnError(err error) Text {
	if refused, ok := errors.AsType[*Refusal](err); ok {
		if refused.hint == (Text{}) {
			return Ours("Error (%s): %s", Name(refused.code), refused.message)
		}
		return Ours("Error (%s): %s\n%s", Name(refused.code), refused.message, refused.hint)
	}
	v := citewell.View(err)
	return Ours("Error (%s): %s", Name(v.Code), Echo(strings.TrimSpace(v.Message+"\n"+v.Hint)))
}

// Error is the error of a call whose words may be anybody's: a tool's, a provider's, a
// page's, a server's. The code is ours, and all else foreign.
func (d *Door) Error(from Source, label Text, err error) Text {
	if refused, ok := errors.AsType[*Refusal](err); ok {
		return OwnError(refused)
	}
	v := citewell.View(err)
	return Ours("Error (%s): %s", Name(v.Code), d.Foreign(from, label, strings.TrimSpace(v.Message+"\n"+v.Hint)))
}

// Note is that of the ledger; outside a run nobody's queries are judged.
func (d *Door) Note(from Source, said string) {
	if !d.bare {
		d.ledger.Note(from, said)
	}
}
