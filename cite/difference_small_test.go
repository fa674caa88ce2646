package cite_test

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

// A judged row is a claim with evidence, its verdict, and a word of the reason.
type judged struct {
	lang, claim, evidence string
	want                  citewell.Verdict
	reason                string
}

func wantJudged(t *testing.T, rows []judged) {
	t.Helper()
	for _, row := range rows {
		if j := cite.Check(row.claim, row.evidence, row.lang); j.Verdict != row.want || !strings.Contains(j.Reason, row.reason) {
			t.Errorf("%s | %s\n\t%s, %q, want %s with %q", row.claim, row.evidence, j.Verdict, j.Reason, row.want, row.reason)
		}
	}
}

func TestCheckReadsSmallWords(t *testing.T) {
	wantJudged(t, []judged{
		{"en", "The guild voted for the toll.", "The guild voted against the toll.", "weak", `"against"`},
		{"en", "The guild voted for the toll.", "The guild, after a long debate, voted against it. The toll was set at 2 euros.", "weak", `"against"`},
		{"en", "The cargo was moved out of Larch in May.", "The cargo was moved into Larch in May.", "weak", `"into"`},
		{"en", "Herring from Larch was sold in 1904.", "Herring was sold to Larch in 1904.", "weak", `"to"`},
		{"en", "The valve is turned up at night.", "The valve is turned down at night.", "weak", `"down"`},
		{"en", "The pump runs twice a day.", "The pump runs once a day.", "weak", `"once"`},
		{"en", "The toll fell to 4%.", "The toll fell by 4% in spring.", "weak", `"by"`},
		{"en", "The boat was sold by Norvik in May.", "The boat was sold to Norvik in May.", "weak", `"to"`},
		{"de", "Die Gilde stimmte für den Zoll.", "Die Gilde stimmte gegen den Zoll.", "weak", `"gegen"`},
		{"de", "Der Zoll sank auf 4 Prozent.", "Der Zoll sank um 4 Prozent.", "weak", `"um"`},
		{"fr", "La guilde a voté pour le péage.", "La guilde a voté contre le péage.", "weak", `"contre"`},
		{"fr", "Le péage a baissé à 4 %.", "Le péage a baissé de 4 %.", "weak", `"de"`},
		{"es", "El puente abrió hasta mayo.", "El puente abrió desde mayo.", "weak", `"desde"`},

		{"en", "The cargo went to Brannock from Larch.", "The cargo went from Larch to Brannock.", "supported", ""},
		{"en", "Lamps for the harbour were bought against the advice of the guild.", "Against the advice of the guild, lamps for the harbour were bought.", "supported", ""},
		{"en", "Boats run to the harbour of Larch.", "Boats run to and from the harbour of Larch.", "supported", ""},
		{"en", "The old stone bridge of Larch, open to carts, carries carts and barges to market.", "The old stone bridge of Larch, safe from the floods of spring, carries carts and barges to market.", "supported", ""},
		{"en", "The pump acts by cooling the water.", "The pump acts to cool the water.", "supported", ""},
		{"en", "The toll fell by 4% to 2 euros.", "The toll fell to 2 euros, by 4%.", "supported", ""},
		{"en", "The lock raises boats to the upper basin of the canal.", "The lock, built by men from the valley, raises boats up to the upper basin of the canal.", "supported", ""},
		{"de", "Der Zoll sank um 4 Prozent auf 2 Euro.", "Der Zoll sank auf 2 Euro, um 4 Prozent.", "supported", ""},
		{"en", "The vaccine against measles is safe.", "The vaccine for measles is safe.", "supported", ""},
		{"de", "Das Mittel gegen Husten wirkt bei Kindern.", "Das Mittel für Husten wirkt bei Kindern.", "supported", ""},
		{"fr", "Le médicament contre la toux est efficace.", "Le médicament pour la toux est efficace.", "supported", ""},
		{"en", "The vote against the toll was held in May.", "The vote for the toll was held in May.", "weak", `"for"`},
		{"en", "Boats must use the northern gate.", "Boats can use the northern gate.", "weak", `"can"`},
		{"en", "The key must not be used twice.", "The key cannot be used twice.", "supported", ""},
		{"en", "The key must not be used twice.", "The key may not be used twice.", "supported", ""},
		{"en", "A report from NORVIK describes the herring.", "A report by NORVIK describes the herring.", "supported", ""},
		{"en", "The toll fell from 4%.", "The toll fell by 4% in spring.", "weak", `"by"`},
		{"de", "Die Zahl der Boote von Larch wächst.", "Die Zahl der Boote in Larch wächst.", "supported", ""},
		{"en", "The village grew by 2,000 to 12,000 people.", "The village grew to 12,000 people, an increase of 2,000.", "supported", ""},
	})
}
