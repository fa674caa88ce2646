// Package apidoc compares an API's code with its OpenAPI document: the fields that it sends and the parameters that it
// reads.
package apidoc

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/server/intake"
)

// A Document is what is read of one.
type Document struct {
	Paths map[string]map[string]json.RawMessage
	Comp  struct {
		Schemas map[string]struct {
			Properties map[string]json.RawMessage
			Required   []string
		}
		Parameters map[string]parameter
	} `json:"components"`
}

type parameter struct {
	Ref      string `json:"$ref"`
	Name, In string
	Schema   struct {
		Pattern string
		Enum    []string
		Items   struct{ Pattern string }
	}
}

// Read reads a document.
func Read(t testing.TB, data []byte) (d Document) {
	t.Helper()
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// FieldsOf are the JSON fields of a type, and those that are always there, sorted.
func FieldsOf(typ reflect.Type) (all, always []string) {
	for _, f := range reflect.VisibleFields(typ) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "" || name == "-" {
			continue
		}
		if all = append(all, name); !strings.Contains(options, "omit") {
			always = append(always, name)
		}
	}
	slices.Sort(all)
	slices.Sort(always)
	return all, always
}

// Fields holds schemas, by name, against the types that are sent.
func (d Document) Fields(t testing.TB, types map[string]reflect.Type) {
	t.Helper()
	for name, typ := range types {
		all, always := FieldsOf(typ)
		s := d.Comp.Schemas[name]
		var described []string
		for field := range s.Properties {
			described = append(described, field)
		}
		slices.Sort(described)
		if !slices.Equal(described, all) {
			t.Errorf("%s has %v, and is described with %v", name, all, described)
		}
		if required := slices.Sorted(slices.Values(s.Required)); !slices.Equal(required, always) {
			t.Errorf("%s always has %v, and is described with %v", name, always, required)
		}
	}
}

// Parameters holds the parameters of the query of GET of a path against those that are read.
func (d Document) Parameters(t testing.TB, path string, known []intake.Parameter) {
	t.Helper()
	var o struct{ Parameters []parameter }
	if err := json.Unmarshal(d.Paths[path]["get"], &o); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	var described, read []string
	for _, p := range known {
		read = append(read, p.Name)
	}
	for _, p := range o.Parameters {
		if name, shared := strings.CutPrefix(p.Ref, "#/components/parameters/"); shared {
			p = d.Comp.Parameters[name]
		}
		if p.In != "query" {
			continue
		}
		described = append(described, p.Name)
		i := slices.Index(read, p.Name)
		if form := p.Schema.Pattern + p.Schema.Items.Pattern; i >= 0 && form != "" && form != known[i].Form.String() {
			t.Errorf("%s of %s is %s, and described as %s", p.Name, path, known[i].Form, form)
		}
		for _, one := range p.Schema.Enum {
			if i >= 0 && !known[i].Form.MatchString(one) {
				t.Errorf("%s of %s is not %s, as it is described", p.Name, path, one)
			}
		}
	}
	slices.Sort(described)
	slices.Sort(read)
	if !slices.Equal(described, read) {
		t.Errorf("%s reads %v, and is described with %v", path, read, described)
	}
}
