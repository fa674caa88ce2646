package cite_test

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

const hall = "The market hall of Brannock was built by the weavers in 1712. Its tower has a clock with four faces. The hall burnt down in the great fire and was never rebuilt."

// A claim of several facts holds where the evidence says each, in whatever sentence, and
// is weak where it knows nothing of one.
func TestAClaimIsJudgedFactByFact(t *testing.T) {
	for _, test := range []struct {
		claim, evidence string
		want            citewell.Verdict
		reason          string
	}{
		{"The market hall of Brannock was built by the weavers in 1712 and inspired several painters.", hall, citewell.VerdictWeak, `nothing of "and inspired several painters"`},
		{"The market hall of Brannock was built by the weavers in 1712, which pleased the bishop.", hall, citewell.VerdictWeak, `nothing of "which pleased the bishop"`},
		{"Loved by every painter, the market hall of Brannock was built by the weavers in 1712.", hall, citewell.VerdictWeak, `nothing of "Loved by every painter"`},
		{"The market hall of Brannock was built by the weavers in 1712, and its tower has a clock with four faces.", hall, citewell.VerdictSupported, ""},
		{"The market hall of Brannock was built by the weavers in 1712, and it burnt down in the great fire and was never rebuilt.", hall, citewell.VerdictSupported, ""},
		{"The market hall of Brannock was built by the weavers in 1712, and its tower has no clock with four faces.", hall, citewell.VerdictContradicted, ""},
		{"The market hall of Brannock was built by the weavers in 1712, happily.", hall, citewell.VerdictSupported, ""}, // one word asserts nothing
		{"The market hall of Brannock, in short, was built by the weavers in 1712.", hall, citewell.VerdictSupported, ""},
		{"The market hall of Brannock was built in 1712 because of painters.", hall, citewell.VerdictWeak, `nothing of "because of painters"`}, // of a cause one word does
		{"The market hall of Brannock was built in 1712 because of the great fire.", hall + " It made the town rich. The lords came. A great fire is feared.", citewell.VerdictWeak, `nothing of "because of the great fire"`},
		{"The market hall of Brannock burnt down because of a fire.", "The market hall of Brannock was built in 1712. It burnt down in the great fire.", citewell.VerdictSupported, ""},
		{"The tower has a clock with four faces thanks to the weavers.", hall, citewell.VerdictSupported, ""},    // a neighbour says it
		{"The valley is dry thanks to the dam.", "The dam keeps the valley dry.", citewell.VerdictSupported, ""}, // "thanks" is not part of the cause
		{"The valley is dry thanks to the dam.", "The sun keeps the valley dry.", citewell.VerdictWeak, `nothing of "thanks to the dam"`},
		{"The old stone cellar below the mill of Marden is dank.", "The old stone cellar below the mill of Marden is damp.", citewell.VerdictSupported, ""}, // a cause in German
		{"Die Halle wurde 1712 dank Malern gebaut.", "Die Halle wurde 1712 von den Webern gebaut.", citewell.VerdictWeak, `nothing of "dank Malern gebaut"`},
		{"La halle a été construite en 1712 grâce aux peintres.", "La halle a été construite en 1712. Elle est au bord de la rivière.", citewell.VerdictWeak, `nothing of "grâce aux peintres"`},
		{"El mercado cerró en 1712 debido a los pintores.", "El mercado cerró en 1712. Está junto al río.", citewell.VerdictWeak, `nothing of "debido a los pintores"`},
		{"Die Halle wurde 1712 von den Webern gebaut und begeisterte viele Maler.", "Die Halle wurde 1712 von den Webern gebaut. Sie steht am Fluss.", citewell.VerdictWeak, `nothing of "und begeisterte viele Maler"`},
		{"大厅由织工在1712年建造，深受画家喜爱。", "大厅由织工在1712年建造。它位于河边。", citewell.VerdictWeak, "nothing of"},
	} {
		j := cite.Check(test.claim, test.evidence, "")
		if j.Verdict != test.want || !strings.Contains(j.Reason, test.reason) {
			t.Errorf("%s: %s, %s; want %s, %s", test.claim, j.Verdict, j.Reason, test.want, test.reason)
		}
	}
}
