package brief_test

import (
	"fmt"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
)

func ExampleQuote() {
	const said = "The museum opens at nine in the morning. Tickets cost 12 euros."
	doc := citewell.Document{URL: "file:///museum.md", Title: "Museum", Language: "en", Text: said,
		Passages: []citewell.Passage{{ID: "p1", Source: 1, End: len(said), Text: said}}}
	text := brief.Text{Source: citewell.Source{N: 1, Title: "Museum", URL: doc.URL}, Document: doc}
	for _, f := range brief.Quote("When does the museum open?", []brief.Text{text}) {
		fmt.Println(f.Text)
	}
	// Output:
	// The museum opens at nine in the morning.
}
