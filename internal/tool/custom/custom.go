// Package custom makes tools of the operator's section tools: a command that reads JSON and writes JSON, or an HTTP
// endpoint.
//
// Flow: section → Parse → Spec → New → tool.Tool. A call passes the arguments as one JSON object, on standard input or
// as the body of a POST; an answer that is a JSON object is data, any other is text.
// Limits: Timeout (30 s), 1 MiB of answer, 4 KiB of a command's standard error. A command's environment is PATH, HOME,
// LANG and what the operator adds, so it has none of Citewell's keys; at its deadline it is killed with its process
// group. One whose section names read, write or network runs in the sandbox of internal/sandbox, which allows what they
// name, and is killed with all that it started.
// Errors: invalid_config naming the tool; tool_failed with the command's own words or the endpoint's status; timeout;
// response_too_large.
// Concurrency: a tool may be called many times at once; each call is a process or a request of its own.
package custom

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/tool"
	"github.com/google/jsonschema-go/jsonschema"
)

// Limits of one call.
const (
	DefaultTimeout = 30 * time.Second
	MaxTimeout     = 10 * time.Minute
	maxAnswer      = 1 << 20
)

// A Spec is one tool of the operator's.
type Spec struct {
	Name        string
	Description string
	Input       *jsonschema.Schema
	Command     []string // the program and its first arguments
	Env         map[string]string
	URL         *url.URL // or an endpoint
	Headers     map[string]string
	Timeout     time.Duration
	Confirm     bool
	ReadOnly    bool
	Private     bool // what the endpoint is told stays with the operator; a command's does
	Public      bool // what it says may be told to anybody
	Walled      bool // a command behind the wall: one of the next three is named
	Read, Write []string
	Network     bool
	Python      string // a base_class that only SGR's Python has
}

var nameForm = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)

// Parse reads the section tools, but for the settings of Citewell's own tools, which known names. The error names each
// tool that is wrong, a line each.
func Parse(section map[string]any, known func(name string) bool) ([]Spec, error) {
	var specs []Spec
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(section)) {
		fields, _ := section[name].(map[string]any)
		_, command := fields["command"]
		_, endpoint := fields["url"]
		class, _ := fields["base_class"].(string)
		switch {
		case !command && !endpoint && (class == "" || known(class)):
			if class == "" && !known(name) {
				wrong = append(wrong, mistakeIn(name, "needs a command or a url"))
			}
		case command && endpoint:
			wrong = append(wrong, mistakeIn(name, "has both a command and a url"))
		default:
			spec, mistake := parse(name, fields)
			if mistake != "" {
				wrong = append(wrong, mistakeIn(name, mistake))
				continue
			}
			if !command && !endpoint {
				spec.Python = class
			}
			specs = append(specs, spec)
		}
	}
	if len(wrong) > 0 {
		return nil, &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "config", Message: strings.Join(wrong, "\n")}
	}
	return specs, nil
}

func mistakeIn(name, mistake string) string { return fmt.Sprintf("tools.%.60s %s", name, mistake) }

// A setting is a key of one tool's section.
type setting struct {
	mistake string // what is said of a value that it does not take
	read    func(s *Spec, value any) (ok bool)
}

// settings are what one tool's section may hold.
var settings = map[string]setting{
	"base_class": {read: func(*Spec, any) bool { return true }},
	"command":    {"must have command: [PROGRAM, ARGUMENT, ...]", readCommand},
	"confirm":    {"must have confirm: true or false", yesNo(func(s *Spec) *bool { return &s.Confirm })},
	"description": {"has a description that is no text", func(s *Spec, value any) (ok bool) {
		s.Description, ok = value.(string)
		return ok
	}},
	"env": {"must have env: {NAME: value}", func(s *Spec, value any) (ok bool) {
		s.Env, ok = texts(value)
		return ok
	}},
	"headers": {"must have headers: {Name: value}", func(s *Spec, value any) (ok bool) {
		s.Headers, ok = texts(value)
		return ok
	}},
	"input":   {"must have input: a JSON schema with type: object", readInput},
	"network": {"must have network: true or false", walled(yesNo(func(s *Spec) *bool { return &s.Network }))},
	"private": {"must have private: true or false", yesNo(func(s *Spec) *bool { return &s.Private })},
	"public":  {"must have public: true or false", yesNo(func(s *Spec) *bool { return &s.Public })},
	"read": {"must have read: [FOLDER, ...], absolute",
		walled(paths(func(s *Spec) *[]string { return &s.Read }))},
	"read_only": {"must have read_only: true or false", yesNo(func(s *Spec) *bool { return &s.ReadOnly })},
	"timeout":   {"must have a timeout such as 30s, 10m at most", readTimeout},
	"url":       {"has a url that is no http or https URL", readURL},
	"write": {"must have write: [FOLDER, ...], absolute",
		walled(paths(func(s *Spec) *[]string { return &s.Write }))},
}

// parse reads one tool, and says what is wrong with it.
func parse(name string, fields map[string]any) (s Spec, mistake string) {
	s = Spec{Name: name, Timeout: DefaultTimeout}
	if !nameForm.MatchString(name) {
		return s, "is no name for a tool: letters, digits, _ and -, 64 at most"
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		set, known := settings[key]
		switch {
		case !known && (s.Command != nil || s.URL != nil || fields["base_class"] == nil):
			return s, fmt.Sprintf("has an unknown key %.60s; there are %s", key,
				strings.Join(slices.Sorted(maps.Keys(settings)), ", "))
		case known && !set.read(&s, fields[key]):
			return s, set.mistake
		}
	}
	if s.Private && s.Public {
		return s, "cannot be both private and public"
	}
	if s.Walled && s.Command == nil {
		return s, "has no command for read, write and network to bound"
	}
	s.Input = cmp.Or(s.Input, &jsonschema.Schema{Type: "object"})
	s.Description = cmp.Or(s.Description, "A tool of the operator's.")
	return s, ""
}

func yesNo(field func(*Spec) *bool) func(*Spec, any) bool {
	return func(s *Spec, value any) (ok bool) {
		*field(s), ok = value.(bool)
		return ok
	}
}

// walled is a setting that puts the command behind the wall.
func walled(read func(*Spec, any) bool) func(*Spec, any) bool {
	return func(s *Spec, value any) bool {
		s.Walled = true
		return read(s, value)
	}
}

func paths(field func(*Spec) *[]string) func(*Spec, any) bool {
	return func(s *Spec, value any) bool {
		list, ok := value.([]any)
		for _, v := range list {
			path, text := v.(string)
			ok = ok && text && filepath.IsAbs(path)
			*field(s) = append(*field(s), path)
		}
		return ok
	}
}

func readCommand(s *Spec, value any) (ok bool) {
	s.Command, ok = words(value)
	return ok && len(s.Command) > 0 && s.Command[0] != ""
}

func readURL(s *Spec, value any) bool {
	address, _ := value.(string)
	var err error
	s.URL, err = url.Parse(address)
	return err == nil && s.URL.Host != "" && (s.URL.Scheme == "http" || s.URL.Scheme == "https")
}

func readTimeout(s *Spec, value any) bool {
	written, _ := value.(string)
	var err error
	s.Timeout, err = time.ParseDuration(written)
	return err == nil && s.Timeout > 0 && s.Timeout <= MaxTimeout
}

func readInput(s *Spec, value any) bool {
	data, err := json.Marshal(value)
	s.Input = &jsonschema.Schema{}
	if err != nil || json.Unmarshal(data, s.Input) != nil || s.Input.Type != "object" {
		return false
	}
	_, err = s.Input.Resolve(nil)
	return err == nil
}

func words(value any) ([]string, bool) {
	if text, ok := value.(string); ok {
		return strings.Fields(text), true
	}
	list, ok := value.([]any)
	var out []string
	for _, v := range list {
		switch v.(type) {
		case string, int, int64, uint64, float64, bool:
			out = append(out, fmt.Sprint(v))
		default:
			ok = false
		}
	}
	return out, ok
}

func texts(value any) (map[string]string, bool) {
	mapping, ok := value.(map[string]any)
	out := map[string]string{}
	for key, v := range mapping {
		switch v.(type) {
		case string, int, int64, uint64, float64, bool:
			out[key] = fmt.Sprint(v)
		default:
			ok = false
		}
	}
	return out, ok
}

// hidden is what a tool says without the secrets that it was given, of which its errors may tell.
func hidden(said string, given map[string]string) string {
	for name, value := range given {
		if httpwire.NamesSecret(name) {
			said = citewell.NewSecret(value).Hide(said)
		}
	}
	return said
}

// answered is what came back, as a result: a JSON object is data.
func answered(said string) tool.Result {
	text := strings.TrimSpace(strings.ToValidUTF8(said, "\uFFFD"))
	r := tool.Result{Text: text}
	var object map[string]any
	if json.Unmarshal([]byte(text), &object) == nil && object != nil {
		r.Structured = json.RawMessage(text)
	}
	return r
}

func failed(name, message, hint string, err error) error {
	return &citewell.Error{Code: citewell.CodeToolFailed, Op: name, Message: message, Hint: hint, Err: err}
}
