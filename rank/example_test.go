package rank_test

import (
	"fmt"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/rank"
)

func ExamplePassages() {
	passages := []citewell.Passage{
		{Text: "Tickets cost 12 euros."},
		{Text: "The museum opens at nine in the morning."},
	}
	best := rank.Passages("When does the museum open?", passages, rank.Options{})[0]
	fmt.Println(passages[best.Index].Text)
	// Output: The museum opens at nine in the morning.
}
