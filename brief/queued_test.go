package brief

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
)

// A question whose turn comes too late for its caller ends at once, and says when it would come.
func TestAQuestionSaysWhenItsTurnComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := search.Guarded(finds("web", 0), search.Limits{Rate: 0.05})
		if _, err := p.Search(t.Context(), citewell.Query{Text: "herons"}); err != nil {
			t.Fatal(err)
		}
		_, err := New(Options{Providers: []search.Provider{p}, Archive: newMemory()}).Write(t.Context(),
			Request{Query: citewell.Query{Text: "herons"}})
		if message := citewell.View(err).Message; citewell.CodeOf(err) != citewell.CodeAllProvidersFailed ||
			!strings.Contains(message, "queued (our own limit of 0.05 calls a second leaves no time for this one, "+
				"whose turn comes in 20s") {
			t.Errorf("%v", err)
		}
	})
}
