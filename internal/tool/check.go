package tool

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/jsonform"
)

// Bounds of what a caller may send.
const (
	MaxArguments = 17 << 20 // bytes: one document of 16 MiB and what stands around it
	maxProblems  = 5        // told of in one message
)

// A Leeway is how a toolset reads arguments that do not fit: one that imitates a system takes what that took.
type Leeway int

// None refuses what does not fit, but for an object that is sent as JSON in a string. Kinds also reads a number or a
// truth value in quotes, Nearest takes the nearest number in range, and Default the argument's default.
const (
	None Leeway = iota
	Kinds
	Nearest
	Default
)

// readArguments checks the arguments, says everything that is wrong with them at once, lets them be judged, and returns
// them as JSON of the input schema, with defaults. The notes say what l read otherwise.
func (t *Tool) readArguments(arguments json.RawMessage, l Leeway) (checked json.RawMessage, notes []string, err error) {
	if len(arguments) > MaxArguments {
		return nil, nil, t.invalid(fmt.Sprintf("the arguments have %d bytes; at most %d are taken", len(arguments),
			MaxArguments))
	}
	if t.Mend != nil {
		arguments, l = t.Mend(arguments), None
	}
	if given := bytes.TrimSpace(arguments); len(given) == 0 || string(given) == "null" {
		arguments = json.RawMessage("{}")
	}
	value, _, err := jsonform.Parse(arguments)
	if err != nil {
		return nil, nil, t.invalid("the arguments are no JSON object: " + err.Error())
	}
	if _, ok := value.(map[string]any); !ok {
		return nil, nil, t.invalid("the arguments must be a JSON object; they are " + jsonform.Shown(value))
	}
	value, found := jsonform.Check(value, t.Input, jsonform.Reading{NullAbsent: true, Defaults: true, Objects: true,
		Unquote: l >= Kinds, Clamp: l >= Nearest, Reset: l == Default})
	if len(found.Problems) > 0 {
		return nil, found.Notes, t.invalid(jsonform.Say(found.Problems, maxProblems))
	}
	checked, err = json.Marshal(value)
	if err == nil && t.judge != nil {
		err = t.judge(checked)
	}
	return checked, found.Notes, err
}

// invalid is the error of arguments that do not fit; its hint is what would.
func (t *Tool) invalid(message string) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: t.Name, Message: message, Hint: t.usage()}
}
