package quantity_test

import (
	"fmt"

	"github.com/citewell/citewell/internal/quantity"
	"github.com/citewell/citewell/internal/text"
)

func ExampleFigures() {
	for _, f := range quantity.Figures(text.Read("The tower is 48 metres high and cost 1.2 million euros.", "en")) {
		fmt.Printf("%s: %g %s\n", f.Raw, f.Value, f.Unit)
	}
	// Output:
	// 48 metres: 48 m
	// 1.2 million euros: 1.2e+06 EUR
}
