package cite_test

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

// What is only said by somebody, and said to be false, is not said.
func TestReportedSpeechBearsNothingOut(t *testing.T) {
	for _, evidence := range []string{
		"It was wrongly claimed that the mayor resigned in March.",
		"Newspapers falsely reported that the mayor resigned in March.",
		"Rumours that the mayor resigned in March spread quickly.",
		"The opposition alleges that the mayor resigned in March.",
		"False claims that the mayor resigned in March spread quickly.",
		"Reports that the mayor resigned in March are false.",
	} {
		if j := cite.Check("The mayor resigned in March.", evidence, "en"); j.Verdict != citewell.VerdictWeak {
			t.Errorf("%s: %s, %s", evidence, j.Verdict, j.Reason)
		}
	}
	for _, evidence := range []string{ // it is not denied here, or something else is
		"It is not false that the mayor resigned in March.",
		"The mayor that resigned in March was wrong.",
		"The mayor resigned in March, as the false prophet had said.",
	} {
		if j := cite.Check("The mayor resigned in March.", evidence, "en"); j.Verdict != citewell.VerdictSupported {
			t.Errorf("%s: %s, %s", evidence, j.Verdict, j.Reason)
		}
	}
	if j := cite.Check("Quickly, rumours that the mayor resigned spread.", "Rumours that the mayor resigned spread quickly.", "en"); j.Verdict != citewell.VerdictSupported {
		t.Errorf("a rumour that is called one: %s, %s", j.Verdict, j.Reason)
	}
}

// A question says nothing, whatever its mark.
func TestAQuestionBearsNothingOut(t *testing.T) {
	for _, test := range []struct{ lang, claim, evidence string }{
		{"en", "The mayor resigned in March.", "Was it in March that the mayor resigned (and why?)"},
		{"zh", "市长三月辞职。", "市长三月辞职了吗？"},
		{"ar", "استقال رئيس البلدية في مارس.", "هل استقال رئيس البلدية في مارس؟"},
	} {
		if j := cite.Check(test.claim, test.evidence, test.lang); j.Verdict != citewell.VerdictWeak || j.Reason != "the evidence only asks it" {
			t.Errorf("%s: %s, %s", test.evidence, j.Verdict, j.Reason)
		}
	}
}

// In scripts without spaces another word on the same matter is no opposite.
func TestAnotherWordIsNoOpposite(t *testing.T) {
	for evidence, want := range map[string]bool{"政府禁止进口这种产品。": true, "政府讨论进口这种产品。": false} {
		if j := cite.Check("政府允许进口这种产品。", evidence, "zh"); strings.HasPrefix(j.Reason, "the claim says") != want {
			t.Errorf("%s: %s, %s", evidence, j.Verdict, j.Reason)
		}
	}
}
