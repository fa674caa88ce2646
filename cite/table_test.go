package cite

import (
	"strings"
	"testing"
)

func TestRow(t *testing.T) {
	for row, want := range map[string]string{
		"Lake|Area (ha)//Alder|48":       "Lake: Alder; Area (ha): 48 ha",
		"Lake|Area (ha)//Alder|48 acres": "Lake: Alder; Area (ha): 48 acres",
		"Weir|Year//Tarn|1840":           "Weir: Tarn; Year: 1840",
		"Weir|Age in years//Tarn|184":    "Weir: Tarn; Age in years: 184 years",
		"|Ahlen//Graves|212":             "Graves; Ahlen: 212",
		"Lake|Area//|48|more":            "Area: 48; more",
	} {
		head, cells, _ := strings.Cut(row, "//")
		if got := Row(strings.Split(head, "|"), strings.Split(cells, "|"), "en"); got != want {
			t.Errorf("%q is read as %q, want %q", row, got, want)
		}
	}
}
