package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
)

// A Kind is what sort of sources a provider knows.
type Kind string

// The kinds of sources, in the order in which they are listed.
const (
	KindWeb          Kind = "web" // any page
	KindEncyclopedia Kind = "encyclopedia"
	KindScholarly    Kind = "scholarly"
	KindBooks        Kind = "books"
	KindCode         Kind = "code"
	KindNews         Kind = "news"
	KindLaw          Kind = "law"
	KindData         Kind = "data"
	KindLocal        Kind = "local" // the user's own documents
)

// Kinds are all of them.
var Kinds = []Kind{KindWeb, KindEncyclopedia, KindScholarly, KindBooks, KindCode, KindNews, KindLaw,
	KindData, KindLocal}

// Auto stands for the kinds that a question calls for.
const Auto = "auto"

// ParseKinds reads names of kinds, each once and in order. Nothing, or "auto" alone, leaves it to the question.
func ParseKinds(names []string) ([]Kind, error) {
	if len(names) == 0 {
		return nil, nil
	}
	var kinds []Kind
	for _, name := range names {
		kind := Kind(strings.ToLower(strings.TrimSpace(name)))
		switch {
		case kind == Auto && len(names) == 1:
			return nil, nil
		case !slices.Contains(Kinds, kind):
			return nil, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "search",
				Message: fmt.Sprintf("%.40q is no kind of sources%s", name, text.DidYouMean(name, KindNames())),
				Hint: "there are " + strings.Join(KindNames(), ", ") + "; and auto, alone, for what the " +
					"question calls for"}
		}
		kinds = append(kinds, kind)
	}
	return slices.DeleteFunc(slices.Clone(Kinds), func(k Kind) bool { return !slices.Contains(kinds, k) }), nil
}

// KindNames are the names of Kinds.
func KindNames() []string {
	names := make([]string, len(Kinds))
	for i, kind := range Kinds {
		names[i] = string(kind)
	}
	return names
}
