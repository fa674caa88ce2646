// Command provider searches an index of its own, here a list of three poems, beside what
// Citewell brings: a search.Provider is two methods.
//
//	go run ./provider QUERY
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
)

// poems answers from a list in memory.
type poems []citewell.Result

var anthology = poems{
	{Title: "The harbour at night", URL: "https://poems.example/harbour",
		Snippet: "The lamps of the harbour burn low."},
	{Title: "Snow in March", URL: "https://poems.example/snow", Snippet: "Late snow lies on the harbour wall."},
	{Title: "A field of rye", URL: "https://poems.example/rye", Snippet: "Wind goes through the rye like water."},
}

func (poems) Name() string { return "poems" }

// Search returns the poems that share a word of four letters or more with the query, most shared words first. It
// does no waiting and no retrying: search.Guarded does.
func (p poems) Search(_ context.Context, q citewell.Query) ([]citewell.Result, error) {
	words := func(s string) []string {
		all := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) })
		return slices.DeleteFunc(all, func(word string) bool { return len(word) < 4 }) // "the", "at", "in"
	}
	wanted := words(q.Text)
	shared := func(r citewell.Result) (n int) {
		has := words(r.Title + " " + r.Snippet)
		for _, term := range wanted {
			if slices.Contains(has, term) {
				n++
			}
		}
		return n
	}
	found := slices.DeleteFunc(slices.Clone(p), func(r citewell.Result) bool { return shared(r) == 0 })
	slices.SortStableFunc(found, func(a, b citewell.Result) int { return cmp.Compare(shared(b), shared(a)) })
	for i := range found {
		found[i].Provider, found[i].Rank = p.Name(), i+1
	}
	return found, nil
}

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: provider QUERY")
	}
	if err := find(context.Background(), os.Stdout, strings.Join(os.Args[1:], " ")); err != nil {
		log.Fatal(err)
	}
}

func find(ctx context.Context, out io.Writer, query string) error {
	limited := search.Guarded(anthology, search.Limits{Rate: 5, Tries: 2, MaxRetryAfter: time.Second})
	results, err := limited.Search(ctx, citewell.Query{Text: query})
	if err != nil {
		return err
	}
	for _, r := range results {
		fmt.Fprintf(out, "%d. %s\n   %s\n   %s\n", r.Rank, r.Title, r.URL, r.Snippet)
	}
	return nil
}
