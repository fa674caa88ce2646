package measure

import (
	"context"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/claim"
	"github.com/citewell/citewell/internal/testing/benchtest"
)

// Each change is played on one sentence whose only change of that kind is known.
func TestChanges(t *testing.T) {
	for _, test := range []struct{ change, lang, sentence, want string }{
		{"unit", "en", "The pump runs for 12 hours without oil.", "The pump runs for 12 minutes without oil."},
		{"unit", "de", "Die Pumpe läuft 12 Stunden ohne Öl.", "Die Pumpe läuft 12 Minuten ohne Öl."},
		{"direction", "en", "The valve increased the flow of water.", "The valve decreased the flow of water."},
		{"direction", "zh", "该值必须大于零。", "该值必须小于零。"},
		{"negation", "en", "The valve was opened by hand.", "The valve was not opened by hand."},
		{"negation", "fr", "La valve est ouverte à la main.", "La valve n'est pas ouverte à la main."},
		{"quantifier", "en", "All the valves leak water.", "Some the valves leak water."},
		{"exact", "ru", "Насос работает.", "Насос работает."},
		{"punctuation", "en", "The pump's valve leaks.", "The pump’s valve leaks"},
		{"clause moved", "en", "In the first year, the old pump was left to rust.",
			"The old pump was left to rust in the first year."},
		{"number word", "en", "The harbour has 4 pumps.", "The harbour has four pumps."},
		{"contraction", "en", "The pump does not leak.", "The pump doesn't leak."},
		{"parenthesis left out", "en", "The pump (an old one) leaks.", "The pump leaks."},
		{"synonym", "en", "The pump began to leak.", "The pump started to leak."},
		{"another fact", "en", "The pump leaks.", "The pump leaks, and sarum lost 12 hours in a storm."},
		{"another fact", "zh", "泵漏水。", "泵漏水，Sarum lost 12 hours in a storm。"},
		{"disowned", "ru", "Насос работает.", "Неизвестно, почему насос работает."},
		{"small word", "en", "The council voted for the pump.", "The council voted against the pump."},
		{"small word", "en", "For a year the flow fell by 4 litres.", "For a year the flow fell to 4 litres."},
		{"small word", "de", "Die Pumpe ist für den Brunnen.", "Die Pumpe ist gegen den Brunnen."},
		{"small word", "fr", "La pompe passe de 4 litres.", "La pompe passe à 4 litres."},
		{"small word", "en", "The pump leaks.", ""},
		{"disowned", "zh", "泵漏水。", ""},
		{"another's subject", "en", "The pump was sold in May, and Sarum was flooded in June.",
			"Sarum was sold in May."},
		{"another's subject", "fr", "La pompe est neuve, mais le moteur est en panne.", "Le moteur est neuve."},
		{"another's subject", "en", "It was sold in May, and Sarum was flooded in June.", ""},
		{"another's subject", "en", "The pump was sold in May, and the owner of the pump was ill.", ""},
		{"another's figure", "en", "The mill has 12 doors, and the barn has 5 doors.", "The mill has 5 doors."},
		{"another's figure", "de", "Die Mühle schloss 1990, aber die Scheune schloss 1995.", "Die Mühle schloss 1995."},
		{"another's figure", "en", "The mill has 12 doors, and the barn has 5 windows.", ""},
		{"year", "en", "The pump was never built.", ""},
		{"swap", "en", "Pumps leak.", ""},
	} {
		for _, c := range changes {
			if c.name != test.change {
				continue
			}
			got, ok := c.make(test.sentence, tongues[test.lang], &maker{
				Rand: newDraw(test.sentence), names: map[string][]string{"en": {"Sarum"}},
				beside: []string{"The valves of brass leak at night, and loudly."},
				apart:  []string{"Sarum lost 12 hours in a storm."}})
			if got != test.want || ok != (test.want != "") {
				t.Errorf("%s: %q gives %q, want %q", test.change, test.sentence, got, test.want)
			}
		}
	}
}

const abstract = "In 1998, the Corrin pump moved 40 litres of water for three towns. The valves of the pump (made of " +
	"brass) are larger than those of Marden. " +
	"Most engineers show that the pump is not used at night and that Sarum lost 12 hours."

// Near-copies are judged by kind on the half that is reported, and never on the other.
func TestClaimsOnNearCopies(t *testing.T) {
	lines := ""
	for _, id := range strings.Fields("a b c d e f g h i j k l m n o p") {
		lines += `{"_id":"` + id + `","title":"Pumps","text":"` + abstract + `"}` + "\n"
	}
	dir := benchtest.Folder(t, map[string]string{"corpus.jsonl.gz": benchtest.Gzip(t, lines)})
	said := ""
	judge := func(_ context.Context, pairs []claim.Pair) ([]citewell.Verdict, error) {
		var given []citewell.Verdict
		for _, p := range pairs {
			if p.Title != "Pumps" || *p.Evidence != abstract {
				t.Errorf("%q against %q under %q", p.Claim, *p.Evidence, p.Title)
			}
			said += p.Claim
			verdict := citewell.VerdictContradicted
			if strings.Contains(abstract, p.Claim) {
				verdict = citewell.VerdictSupported
			}
			given = append(given, verdict)
		}
		return given, nil
	}
	r, err := Claims(t.Context(), dir, judge, Reader{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	benchtest.WantFigure(t, benchtest.Row(t, r, 0, "exact"), "supported", 1)
	benchtest.WantFigure(t, benchtest.Row(t, r, 0, "year"), "contradicted", 1)
	benchtest.WantFigure(t, benchtest.Row(t, r, 1, "falsehoods"), "supported", 0)
	again := said
	said = ""
	if _, err := Claims(t.Context(), dir, judge, Reader{}, Options{}); err != nil || said != again {
		t.Errorf("another run makes other near-copies (%v)", err)
	}
}

func TestProseOfFolders(t *testing.T) {
	manual := ".TH PUMP 1\n.SH NAME\npump \\- pumpt Wasser\n.PP\nDie \\fBPumpe\\fP läuft\nohne Öl.\n.PP\nBleibt " +
		"\\*[x] weg.\n"
	for _, test := range []struct {
		name  string
		files map[string]string
		want  prose
	}{
		{"articles", map[string]string{"articles.json": `[{"title":"Pumps","paragraphs":[{"text":"They leak."}]}]`},
			prose{"Pumps 0", "Pumps", "They leak.", "en"}},
		{"manuals", map[string]string{"de/man1/pump.1.gz": benchtest.Gzip(t, manual)},
			prose{"de pump.1.gz", "pump", "pump - pumpt Wasser\n\nDie Pumpe läuft ohne Öl.", "de"}},
	} {
		texts, err := readProse(t.Context(), benchtest.Folder(t, test.files), Reader{})
		if err != nil || len(texts) != 1 || texts[0] != test.want {
			t.Errorf("%s: %+v, %v", test.name, texts, err)
		}
	}
}
