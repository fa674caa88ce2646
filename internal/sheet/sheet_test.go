package sheet

import "fmt"

func ExampleReport_String() {
	speed := Table{
		Title:   "How fast",
		Columns: []Column{{"per_s", "pages/s", 1}, {"ratio", "× limit", 2}},
		Rows: []Row{
			{Name: "ours", Origin: Measured, Figures: map[string]float64{"per_s": 21, "ratio": 0.25}},
			{Name: "parsing alone", Origin: Limit, Figures: map[string]float64{"per_s": 84, "ratio": 1},
				Note: "makes no text"},
			{Name: "another", Origin: Published, Figures: map[string]float64{"per_s": 7.25}},
		},
		Notes: []string{"one after another"},
	}
	fmt.Print(Report{Tables: []Table{speed, {Title: "Nothing"}}})
	// Output:
	// How fast
	//                  pages/s  × limit
	//   ours              21.0     0.25
	//   parsing alone     84.0     1.00  limit; makes no text
	//   another            7.2        –  published
	//   * one after another
	//
	// Nothing
}
