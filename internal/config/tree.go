package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// A node is a setting or a section before it has a type. Exactly one of value and
// children is set; origin says where it was written.
type node struct {
	children map[string]*node
	value    any // a scalar, a list, or text that came from a flag or the environment
	text     bool
	origin   string
	line     int // in its file; 0 is not known
}

func section(origin string) *node { return &node{children: map[string]*node{}, origin: origin} }

// keys gives the children's keys in a stable order.
func (n *node) keys() []string { return slices.Sorted(maps.Keys(n.children)) }

// set puts a value at a path, making sections on the way; a value that stood in
// the way is replaced, for the stronger word wins.
func (n *node) set(path []string, leaf *node) {
	for _, key := range path[:len(path)-1] {
		child := n.children[key]
		if child == nil || child.children == nil {
			child = section(leaf.origin)
			n.children[key] = child
		}
		n = child
	}
	n.children[path[len(path)-1]] = leaf
}

// merge lays over's settings on top of n's, section by section.
func (n *node) merge(over *node) {
	for key, child := range over.children {
		if own := n.children[key]; own != nil && own.children != nil && child.children != nil {
			own.merge(child)
			continue
		}
		n.children[key] = child
	}
}

// readFile reads one YAML file into a tree whose leaves know their lines.
func readFile(name string, getenv func(string) string) (*node, error) {
	data, err := readBounded(name, maxFile)
	if errors.Is(err, errTooLarge) {
		return nil, invalid(name, "larger than %d KiB; that is no configuration", maxFile>>10)
	}
	if err != nil {
		code := citewell.CodeNotFound
		if os.IsPermission(err) {
			code = citewell.CodePermissionDenied
		}
		return nil, &citewell.Error{Code: code, Op: "config", Message: "cannot read " + name,
			Hint: "citewell config init writes a new one", Err: err}
	}
	if nesting(data) > maxNesting {
		return nil, invalid(name, "nested deeper than %d brackets", maxNesting)
	}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, invalid(name, "not YAML: %s", yaml.FormatError(err, false, false))
	}
	lines := map[string]int{}
	for _, doc := range file.Docs {
		if doc.Body != nil {
			ast.Walk(lineFinder{lines}, doc.Body)
			bomb := &aliasFinder{}
			ast.Walk(bomb, doc.Body)
			if bomb.nested {
				return nil, invalid(name, "an anchor (&) holds an alias (*); write the values out")
			}
		}
	}
	var content any
	if err := yaml.Unmarshal(data, &content); err != nil {
		return nil, invalid(name, "not YAML: %s", yaml.FormatError(err, false, false))
	}
	if content == nil {
		return section(name), nil
	}
	mapping, ok := content.(map[string]any)
	if !ok {
		return nil, invalid(name, "the file must be a mapping of sections such as search: and fetch:")
	}
	return treeOf(mapping, "$", name, lines, getenv)
}

// Bounds of a configuration file: more is a mistake, or an attempt to make the
// program hang before it has said anything.
const (
	maxFile    = 512 << 10
	maxNesting = 64
)

var errTooLarge = errors.New("too large")

// readBounded reads a regular file of at most limit bytes.
func readBounded(name string, limit int64) ([]byte, error) {
	if info, err := os.Stat(name); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fs.ErrInvalid
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = errTooLarge
	}
	return data, err
}

// nesting is how deep brackets are nested at most, in strings too.
func nesting(data []byte) (deepest int) {
	depth := 0
	for _, c := range data {
		switch c {
		case '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ']', '}':
			depth = max(depth-1, 0)
		}
	}
	return deepest
}

// aliasFinder looks for aliases inside anchors, by which a few lines become billions.
type aliasFinder struct {
	inAnchor bool
	nested   bool
}

func (f *aliasFinder) Visit(n ast.Node) ast.Visitor {
	switch node := n.(type) {
	case *ast.AnchorNode:
		inside := &aliasFinder{inAnchor: true}
		ast.Walk(inside, node.Value)
		f.nested = f.nested || inside.nested
		return nil
	case *ast.AliasNode:
		f.nested = f.nested || f.inAnchor
	}
	return f
}

// lineFinder notes the line of every mapping key by its YAML path.
type lineFinder struct{ lines map[string]int }

func (f lineFinder) Visit(n ast.Node) ast.Visitor {
	if kv, ok := n.(*ast.MappingValueNode); ok && kv.Key != nil && kv.Key.GetToken() != nil {
		f.lines[kv.Key.GetPath()] = kv.Key.GetToken().Position.Line
	}
	return f
}

func treeOf(mapping map[string]any, path, name string, lines map[string]int,
	getenv func(string) string) (*node, error) {
	n := section(name)
	for key, value := range mapping {
		at := path + "." + key
		origin, line := name, lines[at]
		if line > 0 {
			origin = fmt.Sprintf("%s:%d", name, line)
		}
		if inner, ok := value.(map[string]any); ok {
			child, err := treeOf(inner, at, name, lines, getenv)
			if err != nil {
				return nil, err
			}
			child.origin, child.line = origin, line
			n.children[key] = child
			continue
		}
		expanded, err := expandAll(value, getenv)
		if err != nil {
			return nil, invalid(origin, "%s: %s", strings.TrimPrefix(at, "$."), err)
		}
		n.children[key] = &node{value: expanded, origin: origin, line: line}
	}
	return n, nil
}

var variable = lazyregexp.New(`\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`)

// expandAll replaces ${VAR} and ${VAR:-default} in every string of a value; $$ is
// a dollar sign, and a lone one stays as it is.
func expandAll(value any, getenv func(string) string) (any, error) {
	switch v := value.(type) {
	case string:
		return expand(v, getenv)
	case []any:
		for i := range v {
			expanded, err := expandAll(v[i], getenv)
			if err != nil {
				return nil, err
			}
			v[i] = expanded
		}
	case map[string]any:
		for key := range v {
			expanded, err := expandAll(v[key], getenv)
			if err != nil {
				return nil, err
			}
			v[key] = expanded
		}
	}
	return value, nil
}

func expand(s string, getenv func(string) string) (string, error) {
	var missing string
	out := variable.ReplaceAllStringFunc(s, func(match string) string {
		if match == "$$" {
			return "$"
		}
		m := variable.FindStringSubmatch(match)
		if v := getenv(m[1]); v != "" {
			return v
		}
		if m[2] == "" {
			missing = m[1]
		}
		return m[3]
	})
	if missing != "" {
		return "", fmt.Errorf("the environment variable %s is not set; set it, or write ${%s:-} where it may be empty",
			missing, missing)
	}
	return out, nil
}

func invalid(origin, format string, args ...any) error {
	return &citewell.Error{Code: citewell.CodeInvalidConfig, Message: origin + ": " + fmt.Sprintf(format, args...)}
}
