package nearcopy

import (
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
)

// TestWordsThatCannotTell compares sentences that words must leave to a judge, and beside them such as they decide.
func TestWordsThatCannotTell(t *testing.T) {
	for _, test := range []struct {
		rule, lang, claim, evidence string
		missing                     []string
		want                        citewell.Verdict
	}{
		{"a scale of another language is no word like others", "de", "Belediye 5 bin ağaç dikti.",
			"Belediye 5 milyon ağaç dikti.", nil, citewell.VerdictUndecided},
		{"scales differ", "hu", "Az építés 42 milliárd forintba került.", "Az építés 42 millió forintba került.", nil,
			citewell.VerdictContradicted},
		{"numbers in words are not read in Polish", "pl", "Wieża ma 18 m wysokości.",
			"Wieża ma osiemnaście metrów wysokości.", []string{"18 m"}, citewell.VerdictUndecided},
		{"in English they are", "en", "The tower is 18 m high and carries a lamp.",
			"The tower is high and carries a lamp.", []string{"18 m"}, citewell.VerdictUnsupported},
		{"not before is later", "en", "The drug was approved in 2019.", "The drug was not approved until 2019.", nil,
			citewell.VerdictUndecided},
		{"a denial alone", "en", "The drug was approved in 2019.", "The drug was not approved in 2019.", nil,
			citewell.VerdictContradicted},
		{"No. is a number", "en", "Plant 5 opened in May.", "Plant No. 5 opened in May.", nil,
			citewell.VerdictUndecided},
		{"no is a denial", "en", "The plant has a roof over its gate.", "The plant has no roof over its gate.", nil,
			citewell.VerdictContradicted},
		{"nº is a number", "es", "La planta 5 abrió en mayo de 2019.", "La planta Nº 5 abrió en mayo de 2019.", nil,
			citewell.VerdictUndecided},
		{"ne alone denies nothing", "fr", "Il partira avant que la mine ferme ses portes.",
			"Il partira avant que la mine ne ferme ses portes.", nil, citewell.VerdictUndecided},
		{"pas does", "fr", "La mine ferme ses portes en mai.", "La mine ferme pas ses portes en mai.", nil,
			citewell.VerdictContradicted},
		{"without hesitation", "zh", "总统签署了这项法案。", "总统毫不犹豫地签署了这项法案。", nil, citewell.VerdictUndecided},
		{"without doubt", "ja", "委員会は計画を承認した。", "委員会は間違いなく計画を承認した。", nil, citewell.VerdictUndecided},
		{"a prefix that denies nothing", "en", "The migrants came by ship.", "The immigrants came by ship.", nil,
			citewell.VerdictUndecided},
		{"a prefix that denies nothing", "de", "Die Kosten des Vereins sind hoch.",
			"Die Unkosten des Vereins sind hoch.", nil, citewell.VerdictUndecided},
		{"a prefix that denies", "en", "The bridge in the harbour is stable.", "The bridge in the harbour is unstable.",
			nil, citewell.VerdictUndecided},
		{"a prefix of verbs that denies", "cs", "Rada města schválila plán.", "Rada města neschválila plán.", nil,
			citewell.VerdictContradicted},
		{"did not", "ja", "委員会は計画を承認した。", "委員会は計画を承認しなかった。", nil, citewell.VerdictContradicted},
	} {
		got := Compare(text.Read(test.claim, test.lang), text.Read(test.evidence, test.lang), test.missing)
		if got.Verdict != test.want {
			t.Errorf("%s: %+v, want %s", test.rule, got, test.want)
		}
	}
}
