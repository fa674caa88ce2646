package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
)

// What the operator says of a tool that acts: ask a person, let it, refuse it.
const (
	Ask   = "ask"
	Allow = "allow"
	Deny  = "deny"
)

// A Toolset is a named set of tools, and how it answers.
type Toolset struct {
	Name        string
	Description string
	Tools       []*Tool           // in the order in which they are listed
	Confirm     map[string]string // by tool name: Ask, Allow or Deny; a tool's own Spec where absent
	Original    bool              // it keeps to another system's contract where that is narrower than ours
	Leeway      Leeway            // what it makes of arguments that do not fit
	// Failure gives an error in the form that this toolset's callers know; nil leaves it an error.
	Failure func(error) Result
}

// Offered are the tools that can be called as things are configured.
func (s *Toolset) Offered() []*Tool {
	return slices.DeleteFunc(slices.Clone(s.Tools), func(t *Tool) bool { return !t.Offered() })
}

// Find returns the tool that name means: its own name, functions.NAME, or a class name (WebSearchTool for
// web_search_tool).
func (s *Toolset) Find(name string) (*Tool, error) {
	for _, candidate := range spellings(name) {
		if i := slices.IndexFunc(s.Tools, func(t *Tool) bool { return t.Name == candidate }); i >= 0 {
			return s.Tools[i], nil
		}
	}
	for _, candidate := range spellings(name) {
		if i := slices.IndexFunc(s.Tools, func(t *Tool) bool { return slices.Contains(t.Also, candidate) }); i >= 0 {
			return s.Tools[i], nil
		}
	}
	names := Names(s.Offered())
	message := fmt.Sprintf("there is no tool %.60q in the toolset %s", name, s.Name) +
		text.DidYouMean(Snake(name), names)
	return nil, &citewell.Error{Code: citewell.CodeUnknownTool, Message: message,
		Hint: "it has " + strings.Join(names, ", ")}
}

// spellings are the forms of one name, the given one first.
func spellings(name string) []string {
	bare := strings.TrimPrefix(name, "functions.")
	return []string{name, bare, strings.ReplaceAll(bare, ".", "_"), Snake(bare)}
}

// Snake turns WebSearchTool into web_search_tool.
func Snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// Call finds the tool, asks for confirmation if the operator wants it, and runs it. The toolset may form failures.
func (s *Toolset) Call(ctx context.Context, name string, arguments json.RawMessage) (Result, error) {
	r, err := s.call(ctx, name, arguments)
	if err != nil && s.Failure != nil {
		r = s.Failure(err)
		r.Err = err
		return r, nil
	}
	return r, err
}

func (s *Toolset) call(ctx context.Context, name string, arguments json.RawMessage) (Result, error) {
	t, err := s.Find(name)
	if err != nil {
		return Result{}, err
	}
	c := CallerOf(ctx)
	c.Toolset = s
	ctx = WithCaller(ctx, c)
	if err := s.confirmed(ctx, t, arguments); err != nil {
		return Result{}, err
	}
	return t.call(ctx, arguments, s.Leeway)
}

// Permit reports whether the tool may be called with these arguments, and asks a person if it must.
func (s *Toolset) Permit(ctx context.Context, name string, arguments json.RawMessage) error {
	t, err := s.Find(name)
	if err != nil {
		return err
	}
	return s.confirmed(ctx, t, arguments)
}

// Asks says whether a person is asked before the tool acts.
func (s *Toolset) Asks(t *Tool) bool { return s.word(t) == Ask }

// word is Ask, Allow or Deny; empty where neither the operator nor the tool says one.
func (s *Toolset) word(t *Tool) string {
	word := s.Confirm[t.Name]
	if word == "" && t.Confirm {
		word = Ask
	}
	return word
}

// confirmed says whether the tool may act: what the operator wrote goes before what the tool itself wants.
func (s *Toolset) confirmed(ctx context.Context, t *Tool, arguments json.RawMessage) error {
	switch s.word(t) {
	case Deny:
		return &citewell.Error{Code: citewell.CodePermissionDenied, Op: t.Name,
			Message: t.Name + " is switched off by the operator", Hint: "confirm." + t.Name +
				" in the configuration says deny"}
	case Ask:
	default:
		return nil
	}
	if _, _, err := t.readArguments(arguments, s.Leeway); err != nil {
		return err // nobody is asked about a call that cannot be made
	}
	ask := CallerOf(ctx).Confirm
	if ask == nil {
		return &citewell.Error{Code: citewell.CodeConfirmationRequired, Op: t.Name,
			Message: t.Name + " needs a person's consent before it acts, and nobody can be asked here",
			Hint:    "set confirm." + t.Name + ": allow in the configuration"}
	}
	allowed, err := ask(ctx, Question{Tool: t.Name, Arguments: arguments})
	if err != nil {
		return err
	}
	if !allowed {
		return &citewell.Error{Code: citewell.CodePermissionDenied, Op: t.Name,
			Message: "the user did not allow " + t.Name, Hint: "do not call it again with the same " +
				"arguments; ask the " +
				"user what to do instead"}
	}
	return nil
}

// Names are those of tools, in their order.
func Names(tools []*Tool) []string {
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
	}
	return names
}
