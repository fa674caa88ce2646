package block

import "testing"

func TestAffiliation(t *testing.T) {
	tests := []struct{ text, want string }{
		{"This site is not affiliated with Acme Corporation.", "This site is not affiliated with Acme Corporation."},
		{"We mill flour. We are in no way endorsed. We are not endorsed by or affiliated with the Mill Board.",
			"We are not endorsed by or affiliated with the Mill Board."},
		{"Welcome to the unofficial guide to Larkwater.", "Welcome to the unofficial guide to Larkwater."},
		{"An independent wiki about quern stones, run by fans.",
			"An independent wiki about quern stones, run by fans."},
		{"This is a fan-made website and not an official page of the trust.",
			"This is a fan-made website and not an official page of the trust."},
		{"Not affiliated with the Linux Foundation.", "Not affiliated with the Linux Foundation."},
		{"Diese Website ist nicht offiziell und gehört keinem Verlag.",
			"Diese Website ist nicht offiziell und gehört keinem Verlag."},
		{"Dies ist eine inoffizielle Seite von Freunden der Mühle.",
			"Dies ist eine inoffizielle Seite von Freunden der Mühle."},
		{"He is not affiliated with any party, and they are not sponsored by one.", ""},
		{"The function is not official yet and may change.", ""},
		{"This option is not officially supported.", ""},
		{"The table is not owned by this transaction.", ""},
		{"Each batch is tested by independent labs.", ""},
		{"The independent variable is the tide.", ""},
		{"Unofficial results put the yes vote at 54 percent.", ""},
	}
	for _, test := range tests {
		if got := Affiliation("", []Block{{Text: test.text}}); got != test.want {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
	}
}
