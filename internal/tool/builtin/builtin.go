// Package builtin holds Citewell's own tools, one file each with its description beside it, and the toolsets that they
// form together with the tools of other systems.
//
// Flow: Parts → New → Registry → Toolset by name → Tool. A tool adds itself by register in its own file. Tools that
// keep another system's contract are below tool/compat and are adopted in wing.go; a definition for a system's own
// toolset overrides the one that all toolsets share.
// A tool whose key, model or backend is missing stays in its toolset, hidden, with the reason.
// Errors: unknown_tool for an unknown toolset; each tool's errors are in its description.
// Concurrency: a Registry may be used, and its tools called, from many goroutines.
package builtin

import (
	"cmp"
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
)

// descriptions are of tools, NAME.md each.
//
//go:embed *.md
var descriptions embed.FS

// definitions are all that Citewell brings: those of this package, one a file, and those of the wing.
var definitions = tool.Definitions[Parts]{}

// register adds a tool to every toolset; its file's init calls it. of gives the part that the constructor takes.
func register[Part any](name string, build func(Part) *tool.Tool, of func(Parts) Part) {
	definitions.Add("", name, func(p Parts) *tool.Tool { return build(of(p)) })
}

// Known says whether Citewell brings a tool of that name.
func Known(name string) bool {
	return slices.Contains(ToolNames(), name) || slices.Contains(agentTools, tool.Snake(name))
}

// ToolNames lists every tool that Citewell brings, and the agents' own.
func ToolNames() []string {
	names := slices.Clone(agentTools)
	for k := range definitions {
		names = append(names, k.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// A Registry builds toolsets from one set of parts.
type Registry struct {
	parts Parts
	own   map[string][]string // the operator's toolsets: tools by name
	extra []*tool.Tool        // the operator's own tools and those of other servers

	mu    sync.Mutex
	built map[tool.Key]*tool.Tool // each once: a tool may keep to limits of its own
}

// New returns a Registry. Extra tools join the toolsets default and all, and take a name before ours in own.
func New(parts Parts, own map[string][]string, extra []*tool.Tool) *Registry {
	return &Registry{parts: parts, own: own, extra: extra, built: map[tool.Key]*tool.Tool{}}
}

// Names lists the toolsets, the shipped ones first.
func (r *Registry) Names() []string {
	var names []string
	for _, c := range compositions {
		names = append(names, c.name)
	}
	for _, name := range slices.Sorted(maps.Keys(r.own)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Toolset returns the toolset of a name; the empty name is default.
func (r *Registry) Toolset(name string) (*tool.Toolset, error) {
	name = cmp.Or(name, DefaultToolset)
	if tools, ok := r.own[name]; ok {
		return r.compose(composition{name: name, description: "a toolset of your own", tools: tools})
	}
	if i := slices.IndexFunc(compositions, func(c composition) bool { return c.name == name }); i >= 0 {
		return r.compose(compositions[i])
	}
	message := fmt.Sprintf("there is no toolset %.60q", name) + text.DidYouMean(name, r.Names())
	return nil, &citewell.Error{Code: citewell.CodeUnknownTool, Message: message,
		Hint: "there are " + strings.Join(r.Names(), ", ")}
}

// compose builds the tools of one composition.
func (r *Registry) compose(c composition) (*tool.Toolset, error) {
	s := &tool.Toolset{Name: c.name, Description: c.description, Confirm: r.parts.Confirm, Original: c.original,
		Leeway: c.leeway, Failure: c.failure}
	for _, name := range c.tools {
		t, err := r.findTool(c.name, name)
		if err != nil {
			return nil, err
		}
		s.Tools = append(s.Tools, t)
	}
	if c.name == DefaultToolset || c.name == allToolset {
		for _, t := range r.extra {
			s.Tools = slices.DeleteFunc(s.Tools, func(known *tool.Tool) bool { return known.Name == t.Name })
			s.Tools = append(s.Tools, t)
		}
	}
	return s, nil
}

// Tool returns the tool of a name, also as TOOLSET/NAME.
func (r *Registry) Tool(name string) (*tool.Tool, error) { return r.findTool(DefaultToolset, name) }

// findTool returns the tool of a name in a toolset; the operator's may name any tool, also as TOOLSET/NAME.
func (r *Registry) findTool(toolset, name string) (*tool.Tool, error) {
	for _, t := range r.extra {
		if t.Name == name {
			return t, nil
		}
	}
	from, bare, qualified := strings.Cut(name, "/")
	if qualified {
		toolset, name = from, bare
	}
	if k, ok := definitions.Find(toolset, name); ok {
		return r.build(k), nil
	}
	for _, t := range r.parts.Agent {
		if t.Name == name && slices.ContainsFunc(compositions, func(c composition) bool {
			return c.name == toolset && c.original
		}) {
			return t.Narrowed(), nil
		} else if t.Name == name {
			return t, nil
		}
	}
	known := r.toolNames()
	message := fmt.Sprintf("the toolset %.60q names a tool %.60q that does not exist", toolset, name) +
		text.DidYouMean(name, known)
	return nil, &citewell.Error{Code: citewell.CodeUnknownTool, Message: message,
		Hint: "there are " + strings.Join(known, ", ")}
}

func (r *Registry) build(k tool.Key) *tool.Tool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.built[k] == nil {
		r.built[k] = definitions[k](r.parts)
	}
	return r.built[k]
}

// toolNames lists every tool that a toolset may name.
func (r *Registry) toolNames() []string {
	names := append(ToolNames(), tool.Names(r.extra)...)
	slices.Sort(names)
	return slices.Compact(names)
}
