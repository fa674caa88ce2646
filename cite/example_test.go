package cite_test

import (
	"fmt"

	"github.com/citewell/citewell/cite"
)

func ExampleCheck() {
	const evidence = "The barrage at Hallvik is 2.4 km long and was opened in 1996."
	for _, claim := range []string{
		"The barrage at Hallvik was opened in 1996.",
		"The barrage at Hallvik was opened in 1969.",
		"The ferry leaves at noon.",
	} {
		j := cite.Check(claim, evidence, "en")
		fmt.Println(j.Verdict, j.Missing)
	}
	// Output:
	// supported []
	// contradicted [1969]
	// unsupported []
}
