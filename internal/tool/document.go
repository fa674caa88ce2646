package tool

import (
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/jsonform"
	"github.com/google/jsonschema-go/jsonschema"
)

// Document describes the tool for people, in Markdown: what it does and may do, its arguments and its result.
func (t *Tool) Document() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s. %s\n\n%s\n", t.Title, t.manners(), strings.TrimSpace(t.Description))
	fields(&b, "argument", t.Input)
	if t.Output != nil {
		fields(&b, "result", t.Output)
	}
	return b.String()
}

// manners says in words what the hints say.
func (t *Tool) manners() string {
	words := "Changes things"
	switch {
	case t.Hints.ReadOnly:
		words = "Only reads"
	case t.Hints.Destructive:
		words = "May delete or overwrite"
	}
	if t.Hints.OpenWorld {
		words += ", reaches the network"
	}
	if t.Confirm {
		words += ", asks before it acts"
	}
	return words + "."
}

// fields is the table of an object's fields, those of objects within it with dots between.
func fields(b *strings.Builder, what string, s *jsonschema.Schema) {
	rows := 0
	var walk func(path string, s *jsonschema.Schema)
	walk = func(path string, s *jsonschema.Schema) {
		for _, name := range jsonform.Order(s) {
			p := s.Properties[name]
			if rows++; rows == 1 {
				fmt.Fprintf(b, "\n| %s | type | |\n|---|---|---|\n", what)
			}
			about := strings.ReplaceAll(p.Description, "|", `\|`)
			if what == "argument" && slices.Contains(s.Required, name) {
				about = "required; " + about
			}
			if p.Default != nil {
				about += "; default " + string(p.Default)
			}
			fmt.Fprintf(b, "| `%s` | %s | %s |\n", path+name, Kind(p), strings.TrimSuffix(about, "; "))
			switch {
			case p.Properties != nil:
				walk(path+name+".", p)
			case p.Items != nil && p.Items.Properties != nil:
				walk(path+name+"[].", p.Items)
			}
		}
	}
	walk("", s)
}
