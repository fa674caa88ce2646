package cite_test

import (
	"fmt"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

func ExampleHold() {
	const evidence = "The barrage at Hallvik is 2.4 km long. The barrage was opened in 1996."
	passage := citewell.Passage{ID: "p1", Source: 1, End: len(evidence), Text: evidence}
	for _, claim := range []string{
		"The barrage was opened in 1996.",
		"The barrage was opened in 1969.",
		"The barrage has been in use since the mid-nineties.",
	} {
		held := cite.Hold(cite.Claim{Text: claim, Lang: "en", Evidence: []cite.Evidence{
			{Passages: []citewell.Passage{passage}}}})
		fmt.Println(held.Citations[0].Verdict, held.Missing)
	}
	// Output:
	// supported []
	// contradicted [1969]
	// undecided []
}
