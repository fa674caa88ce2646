package text

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"max_results", "query", "category"}
	for key, want := range map[string]string{
		"max_result": "max_results", "qery": "query", "Query": "query", "catgory": "category",
		"": "", "x": "", "completely_different": "",
	} {
		if got := Nearest(key, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", key, got, want)
		}
	}
}
