package tool

import (
	"slices"

	"github.com/citewell/citewell/internal/jsonform"
)

// Narrowed is the tool without the arguments that are beyond the contract of the system from which it comes.
func (t *Tool) Narrowed() *Tool {
	if len(t.Beyond) == 0 {
		return t
	}
	narrow := *t
	narrow.Input = t.Input.CloneSchemas()
	narrow.Input.PropertyOrder = slices.DeleteFunc(slices.Clone(jsonform.Order(t.Input)), func(name string) bool {
		return slices.Contains(t.Beyond, name)
	})
	for _, name := range t.Beyond {
		delete(narrow.Input.Properties, name)
	}
	return &narrow
}
