package report_test

import (
	"context"
	"os"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/report"
)

func ExampleWrite() {
	tower := citewell.Report{Sources: []citewell.Source{{N: 1, Title: "The tower", URL: "https://hallvik.example/tower",
		Host: "hallvik.example"}},
		Findings: []citewell.Finding{{Text: "It was built in 1871.", Citations: []citewell.Citation{{N: 1}}}}}
	if err := report.Write(context.Background(), os.Stdout, report.FormatBibTeX, tower, nil); err != nil {
		panic(err)
	}
	// Output:
	// @online{hallvik-example-nd-acc3f2a6,
	//   title        = {{The tower}},
	//   organization = {hallvik.example},
	//   url          = {https://hallvik.example/tower},
	//   note         = {the page was not read}
	// }
}
