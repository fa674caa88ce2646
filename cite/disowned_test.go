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
		"It is not true that the mayor resigned in March.",
		"It is not known why the mayor resigned in March.",
		"It was never established that the mayor resigned in March.",
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

// A claim that denies or leaves open what its evidence says is not borne out, though the
// evidence has nearly all its words.
func TestWhatIsSaidIsNotLeftOpen(t *testing.T) {
	for _, test := range []struct {
		lang, evidence string
		claims         []string
	}{
		{"en", "In 2024 the wardens counted 312 herons on the island.", []string{
			"It is not known how many herons the wardens counted in 2024.",
			"How many herons the wardens counted in 2024 is not known.",
			"Nobody knows how many herons the wardens counted in 2024.",
			"The wardens did not say how many herons they counted in 2024.",
			"It is doubtful whether the wardens counted 312 herons in 2024.",
			"It is false to say that the wardens counted 312 herons in 2024.",
			"It is not true that the wardens counted 312 herons in 2024.",
		}},
		{"en", "The bridge was opened by the mayor in May 1998.", []string{
			"Who opened the bridge is unknown.",
			"It has not been decided when the bridge is opened.",
			"Some doubt that the mayor opened the bridge in 1998.",
		}},
		{"de", "Die Wärter zählten 2024 auf der Insel 312 Reiher.", []string{"Es ist nicht bekannt, wie viele Reiher die Wärter 2024 zählten.", "Unklar ist, ob die Wärter 2024 Reiher zählten."}},
		{"fr", "Les gardiens ont compté 312 hérons sur l'île en 2024.", []string{"On ignore combien de hérons les gardiens ont compté en 2024.", "Il n'est pas vrai que les gardiens ont compté 312 hérons en 2024."}},
		{"es", "En 2024 los guardas contaron 312 garzas en la isla.", []string{"Se desconoce cuántas garzas contaron los guardas en 2024.", "Nadie dijo cuántas garzas contaron los guardas en 2024."}},
		{"it", "Nel 2024 i guardiani contarono 312 aironi sull'isola.", []string{"Non si sa quanti aironi contarono i guardiani nel 2024."}},
		{"pt", "Em 2024 os guardas contaram 312 garças na ilha.", []string{"Não se sabe quantas garças os guardas contaram em 2024."}},
		{"nl", "In 2024 telden de wachters 312 reigers op het eiland.", []string{"Het is niet bekend hoeveel reigers de wachters in 2024 telden."}},
		{"ru", "В 2024 году сторожа насчитали на острове 312 цапель.", []string{"Неизвестно, сколько цапель сторожа насчитали в 2024 году.", "Никто не знает, сколько цапель насчитали сторожа в 2024 году."}},
	} {
		for _, claim := range test.claims {
			if j := cite.Check(claim, test.evidence, test.lang); j.Verdict != citewell.VerdictWeak || !strings.HasPrefix(j.Reason, "the claim ") {
				t.Errorf("%s: %s, %s", claim, j.Verdict, j.Reason)
			}
		}
	}
}

// What a claim says of the statement that follows does not always leave it open.
func TestWhatIsAffirmedIsSaid(t *testing.T) {
	for claim, evidence := range map[string]string{
		"There is no doubt that the vaccine lowers the risk of severe illness.":    "The vaccine lowers the risk of severe illness in adults.",
		"It is no secret that the wardens counted 312 herons.":                     "In 2024 the wardens counted 312 herons on the island.",
		"According to the report, the wardens counted 312 herons in 2024.":         "In 2024 the wardens counted 312 herons on the island.",
		"It is not known who wrote the poem.":                                      "Nobody knows who wrote the poem.",
		"It is unclear whether aspirin lowers the risk.":                           "Whether aspirin lowers the risk remains unclear.",
		"The ministry denied that the mayor had resigned.":                         "Reports that the mayor had resigned were denied by the ministry.",
		"Sales did not rise when prices fell.":                                     "When prices fell, sales stayed the same.",
		"The tool does not work if the file is missing.":                           "If the file is missing, the tool fails.",
		"The command finds out whether the module is out of date.":                 "The command looks at dates to see if the module is out of date, and finds out by itself.",
		"Two programs cannot be served by one installation of different versions.": "One installation of different versions leaves two programs that cannot be served.",
	} {
		if j := cite.Check(claim, evidence, "en"); j.Verdict != citewell.VerdictSupported {
			t.Errorf("%s: %s, %s", claim, j.Verdict, j.Reason)
		}
	}
	if j := cite.Check("According to Dr Orme, the wardens counted 312 herons in 2024.", "In 2024 the wardens counted 312 herons on the island.", "en"); j.Verdict != citewell.VerdictWeak {
		t.Errorf("a source that the evidence does not name: %s, %s", j.Verdict, j.Reason)
	}
}

// A negation before a word of doubt or surprise makes a plain statement of what follows.
func TestWhatNobodyDoubtsIsSaid(t *testing.T) {
	for _, test := range []struct {
		lang, plain string
		affirmed    []string
	}{
		{"en", "The lamp lowers the risk of a collision.", []string{
			"It is not surprising that the lamp lowers the risk of a collision.",
			"It is no coincidence that the lamp lowers the risk of a collision.",
			"It is no accident that the lamp lowers the risk of a collision.",
			"There is no question that the lamp lowers the risk of a collision.",
			"No one doubts that the lamp lowers the risk of a collision.",
			"Nobody was surprised that the lamp lowers the risk of a collision.",
			"It should not be forgotten that the lamp lowers the risk of a collision.",
			"Do not forget that the lamp lowers the risk of a collision.",
		}},
		{"it", "La lampada protegge le barche dalla nebbia.", []string{"Non c'è dubbio che la lampada protegge le barche dalla nebbia."}},
		{"pt", "A lâmpada protege os barcos no nevoeiro.", []string{"Não há dúvida de que a lâmpada protege os barcos no nevoeiro."}},
		{"nl", "De lamp beschermt de boten in de mist.", []string{"Er is geen twijfel dat de lamp de boten in de mist beschermt."}},
		{"ru", "Лампа защищает лодки в тумане.", []string{"Нет сомнений, что лампа защищает лодки в тумане."}},
		{"fr", "La lampe protège les bateaux dans la brume.", []string{
			"Nul doute que la lampe protège les bateaux dans la brume.",
			"Il ne fait aucun doute que la lampe protège les bateaux dans la brume.",
		}},
		{"de", "Die Lampe schützt Boote im Nebel.", []string{
			"Es besteht kein Zweifel, dass die Lampe Boote im Nebel schützt.",
			"Dass die Lampe Boote im Nebel schützt, daran besteht kein Zweifel.",
			"Dass die Lampe Boote im Nebel schützt, steht außer Zweifel.",
		}},
	} {
		for _, affirmed := range test.affirmed {
			if j := cite.Check(test.plain, affirmed, test.lang); j.Verdict != citewell.VerdictSupported {
				t.Errorf("evidence: %s: %s, %s", affirmed, j.Verdict, j.Reason)
			}
			if j := cite.Check(affirmed, test.plain, test.lang); test.lang == "en" && j.Verdict != citewell.VerdictSupported {
				t.Errorf("claim: %s: %s, %s", affirmed, j.Verdict, j.Reason)
			}
		}
	}
	wantJudged(t, []judged{
		{"en", "No man who rang the bell drowned.", "None of those who rang the bell drowned.", "supported", ""},
		{"en", "The stone stays dry when it is heated.", "No matter how long it is heated, the stone stays dry.", "supported", ""},
		{"en", "No one knows who opened the bridge.", "The bridge was opened by the mayor in May 1998.", "weak", "the claim leaves it open"},
		{"en", "The lamp lowers the risk of a collision.", "Some question that the lamp lowers the risk of a collision.", "weak", "question"},
		{"de", "Die Gilde schleppt Boote, Kähne und Flöße.", "Die Gilde schleppt Boote und Kähne außer Flöße.", "weak", "außer Flöße"},
		{"de", "Die Lampe schützt Boote im Nebel.", "Es gibt Zweifel, dass die Lampe Boote im Nebel schützt.", "weak", "Zweifel"},
	})
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
