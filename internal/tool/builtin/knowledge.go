package builtin

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/meaning"
	"github.com/citewell/citewell/store"
)

// knowledgeIndex is the index and the collection that a caller means who names none.
const knowledgeIndex = "knowledge"

// Knowledge is what the user keeps; a part of it is nil without a store.
type Knowledge struct {
	Texts    store.Text
	Vectors  store.Vectors
	Graph    store.Graph
	Embedder meaning.Embedder // nil where no embedding model is configured
}

// needsStore says why a tool is hidden that keeps things, or reads what was kept.
func needsStore(there bool) string {
	if there {
		return ""
	}
	return "there is no store here"
}

// metadataOf gives what a caller says about a document as text, numbers and booleans as they are written.
func metadataOf(given map[string]any) (map[string]string, error) {
	metadata := make(map[string]string, len(given))
	for _, key := range slices.Sorted(maps.Keys(given)) {
		switch v := given[key].(type) {
		case string:
			metadata[key] = v
		case nil:
		case bool, float64:
			text, err := json.Marshal(v)
			if err != nil {
				return nil, err
			}
			metadata[key] = string(text)
		default:
			return nil, &citewell.Error{Code: citewell.CodeInvalidArgument,
				Message: fmt.Sprintf("metadata.%.60s must be a string, a number, true or false", key),
				Hint:    "write a list or an object as one string"}
		}
	}
	return metadata, nil
}

// filtersOf gives a caller's exact values and ranges as the store's filters.
func filtersOf(exact map[string]any, ranges []store.Filter) ([]store.Filter, error) {
	values, err := metadataOf(exact)
	if err != nil {
		return nil, err
	}
	filters := slices.Clone(ranges)
	for _, key := range slices.Sorted(maps.Keys(values)) {
		filters = append(filters, store.Filter{Key: key, In: []string{values[key]}})
	}
	return filters, nil
}

// orEmpty is a map that is never null in JSON.
func orEmpty(metadata map[string]string) map[string]string {
	if metadata == nil {
		return map[string]string{}
	}
	return metadata
}
