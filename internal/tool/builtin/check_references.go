package builtin

import (
	"context"
	"fmt"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/bibliography"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
)

func init() { register("check_references", newCheckReferences, ofReferences) }

// mostReferences bounds one call, which a caller waits for.
const mostReferences = 50

// References return the parts that hold lists of references against registers, with the addresses in them or without.
type References func(links bool) (bibliography.Options, error)

type checkReferencesInput struct {
	Entries string `json:"entries,omitempty" jsonschema:"BibTeX, RIS or CSL-JSON; or text" bounds:"0..200000"`
	Text    string `json:"text,omitempty" jsonschema:"a text that ends with its list of references" bounds:"0..1000000"`
}

type checkReferencesOutput struct{ bibliography.Report }

// Text is a line for each reference, and why where something is wrong with it.
func (o checkReferencesOutput) Text() string {
	var b strings.Builder
	for _, c := range o.References {
		fmt.Fprintf(&b, "%d. %s: %s", c.N, c.Verdict, text.OneLine(c.Name()))
		if c.Verdict != bibliography.Matches {
			fmt.Fprintf(&b, "\n   %s", text.OneLine(c.Reason))
		}
		for _, note := range c.Notes {
			fmt.Fprintf(&b, "\n   %s", text.OneLine(note))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func newCheckReferences(references References) *tool.Tool {
	return tool.New(tool.Spec{Name: "check_references", Title: "Check a list of references", Unsourced: true,
		Description: tool.Description(descriptions, "check_references"),
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true, OpenWorld: true}},
		func(ctx context.Context, in checkReferencesInput) (checkReferencesOutput, error) {
			entries, err := in.list()
			if err != nil {
				return checkReferencesOutput{}, err
			}
			if len(entries) > mostReferences {
				return checkReferencesOutput{}, refuseReferences(fmt.Sprintf("there are %d references, and at most %d "+
					"are checked in one call", len(entries), mostReferences), "give them in parts")
			}
			o, err := references(true)
			if err != nil {
				return checkReferencesOutput{}, err
			}
			r, err := bibliography.Check(ctx, entries, o)
			return checkReferencesOutput{r}, err
		})
}

func refuseReferences(message, hint string) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "check_references", Message: message, Hint: hint}
}

// list reads the entries of the one argument that was given.
func (in checkReferencesInput) list() ([]bibliography.Entry, error) {
	hasEntries, hasText := strings.TrimSpace(in.Entries) != "", strings.TrimSpace(in.Text) != ""
	switch {
	case hasEntries && hasText:
		return nil, refuseReferences("entries and text exclude each other", "give one of them")
	case hasText:
		return bibliography.OfText(in.Text)
	case !hasEntries:
		return nil, refuseReferences("entries is required, or text", "entries are BibTeX, RIS or CSL-JSON")
	}
	format := bibliography.FormatOf("", []byte(in.Entries))
	if format == "" {
		return nil, refuseReferences("entries are neither BibTeX, RIS nor CSL-JSON", "a list in words is text")
	}
	return bibliography.Parse(format, []byte(in.Entries))
}
