package report_test

import (
	"fmt"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/report"
)

func ExampleBibTeX() {
	fmt.Print(report.BibTeX(citewell.Report{Sources: []citewell.Source{{N: 1, Title: "The tower", URL: "https://hallvik.example/tower", Host: "hallvik.example"}},
		Findings: []citewell.Finding{{Text: "It was built in 1871.", Citations: []citewell.Citation{{N: 1}}}}}, nil))
	// Output:
	// @online{hallvik-example-nd-acc3f2a6,
	//   title        = {{The tower}},
	//   organization = {hallvik.example},
	//   url          = {https://hallvik.example/tower},
	//   note         = {the page was not read}
	// }
}
