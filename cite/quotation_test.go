package cite

import "testing"

// A quotation has the sentence's meaning, not only its words.
func TestAQuotationCutBeforeItsDenial(t *testing.T) {
	const source = "The trial ran for two years. The new drug did not lower the risk of stroke in older patients. It was well tolerated."
	const quote = "lower the risk of stroke"
	for _, test := range []struct {
		claim, source string
		want          bool
	}{
		{"The drug did “lower the risk of stroke” in older patients.", source, true},
		{"The drug did not “lower the risk of stroke” in older patients.", source, false},
		{"The drug did “lower the risk of stroke” in older patients.", source + " Yet two others lower the risk of stroke.", false},
		{"The drug did “lower the risk of stroke” in older patients.", "Other drugs lower the risk of stroke in older patients.", false},
		{"The drug did “lower the risk of stroke” in older patients.", "It was well tolerated.", false},
	} {
		if got := deniesQuote(test.claim, quote, test.source, "en"); got != test.want {
			t.Errorf("%v: %s | %s", got, test.claim, test.source)
		}
	}
}
