package sqlite_test

import (
	"context"
	"fmt"
	"os"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/sqlite"
)

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "store-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	db, err := sqlite.Open(ctx, dir, sqlite.Options{})
	if err != nil {
		panic(err)
	}
	defer db.Close()
	notes := db.Tenant("")
	doc := citewell.Document{URL: "file:///notes/museum.md", Title: "Museum", Language: "en",
		Text: "The museum opens at nine in the morning."}
	if err := notes.IndexDocument(ctx, doc, "version 1"); err != nil {
		panic(err)
	}
	hits, err := notes.SearchText(ctx, store.TextQuery{Text: "opening of the museum"})
	for _, hit := range hits {
		fmt.Println(hit.URL, hit.Snippet)
	}
	fmt.Println(err)
	// Output:
	// file:///notes/museum.md The museum opens at nine in the morning.
	// <nil>
}
