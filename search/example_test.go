package search_test

import (
	"fmt"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
)

func ExampleMerge() {
	merged := search.Merge(
		[]citewell.Result{{Provider: "one", Title: "The tower",
			URL: "https://hallvik.example/tower?utm_source=one", Rank: 1}},
		[]citewell.Result{{Provider: "two", Title: "The tower", URL: "https://hallvik.example/tower", Rank: 1},
			{Provider: "two", Title: "The harbour", URL: "https://hallvik.example/harbour", Rank: 2}},
	)
	for _, r := range merged {
		fmt.Println(r.Title, r.Providers)
	}
	// Output:
	// The tower [one two]
	// The harbour [two]
}
