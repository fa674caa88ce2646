package browser

import (
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/testing/judgetest"
	"github.com/citewell/citewell/internal/testing/modeltest"
)

// readings is a story that a judge reads: each of its sentences stands in another way.
var readings = story{
	task: "What is known of the Cormorant weir?", title: "The Cormorant weir",
	pages: []told{
		{key: "weir", host: "weir", lang: "en", title: "The Cormorant weir", paragraphs: []string{
			"The Cormorant weir was built by the millers of Tarn in 1783 and raised by a metre in 1840.",
			"Boats are not allowed to pass the weir between March and May, when the salmon climb it.",
			"Its keeper lives in the house on the left bank and opens the sluices before a storm."}},
	},
	content: "The Cormorant weir was built by the millers of Tarn in 1783 and raised by a metre in 1840 {weir}.\n\n" +
		"In spring boats have to stay away, as the fish need the weir for themselves {weir}.\n\n" +
		"Millers put the weir up, and the town has paid for it ever since {weir}.\n\n" +
		"When bad weather comes, somebody opens the gates, and the keeper sleeps in the town {weir}.\n\n" +
		"| Work | Year |\n|---|---|\n| The weir was raised | 1840 {weir} |\n",
	judged: map[string]string{
		"In spring boats have to stay away, as the fish need the weir for themselves.":         "supported",
		"Millers put the weir up, and the town has paid for it ever since.":                    "partly",
		"When bad weather comes, somebody opens the gates, and the keeper sleeps in the town.": "contradicted",
		"Work: The weir was raised; Year: 1840":                                                "supported",
	},
}

// judge answers as a judge that knows which statements are true: those of the story, of the
// examination, and what stands in a passage word for word.
func (st story) judge(a modeltest.Asked) (modeltest.Reply, bool) {
	statements, err := judgetest.Read(a.Last())
	if st.judged == nil || err != nil {
		return modeltest.Reply{}, false
	}
	var labels []judgetest.Label
	for text, verdict := range st.judged {
		labels = append(labels, judgetest.Label{Statement: text, Verdict: verdict})
	}
	right, err := judgetest.New("../internal/judge/exam.jsonl", labels...)
	if err != nil {
		panic(err) // the tests run in their folder
	}
	right.Reason = "as the page has it"
	return modeltest.Says(right.Answer(statements)), true
}

// What words support is plain; what a judge alone supports has a small sign with a name; every other
// verdict is apart. So it is on the page and in the export, in light and dark, wide and narrow.
func TestJudgesSign(t *testing.T) {
	t.Parallel()
	s := serveStories(t, readings)
	run := s.tells(readings)
	r := s.reportOf(run)
	var stands []string
	for _, c := range report.Citations(r) {
		stands = append(stands, string(c.Stands))
	}
	if got, want := strings.Join(stands, " "), "supported by-judge partly contradicted by-judge"; got != want {
		t.Fatalf("the citations stand %s, want %s: %+v", got, want, r.Findings)
	}
	export := pages(t, nil, map[string]string{"/": report.HTML(r), "/favicon.ico": ""})
	for name, address := range map[string]string{"page": s.URL + "/runs/" + run, "export": export + "/"} {
		for look, o := range map[string]Options{"light": {}, "dark": {Dark: true},
			"phone": {Width: 390, Height: 844, Touch: true}, "dark phone": {Width: 390, Height: 844, Dark: true}} {
			tab := Open(t, o)
			tab.Goto(address)
			tab.Screenshot("judge's sign, " + name + " " + look)
			tab.Axe(name + " " + look)
			tab.looks(name + " " + look)
			type mark struct {
				Label, Title string
				Glyph        float64
				Type         float64
				Border       string
			}
			marks := Eval[[]mark](tab,
				`[...document.querySelectorAll('.report a.mark')].map(a => ({label: a.getAttribute('aria-label'), title: a.title, glyph: a.querySelector('svg')?.getBoundingClientRect().width || 0,
				type: parseFloat(getComputedStyle(a).fontSize), border: getComputedStyle(a).borderStyle}))`)
			if len(marks) != len(stands) {
				t.Fatalf("%s, %s: %d numbers", name, look, len(marks))
			}
			for i, m := range marks {
				said := report.Said(report.Citations(r)[i].Stands)
				plain, small := stands[i] == "supported", stands[i] == "by-judge"
				if !strings.Contains(m.Label, said.Word) || plain != (m.Title == "") || !plain && m.Title != said.Long {
					t.Errorf("%s, %s: %s is called %q, %q", name, look, stands[i], m.Label, m.Title)
				}
				if plain != (m.Glyph == 0) || small != (m.Glyph > 0 && m.Glyph < .8*m.Type) ||
					(plain || small) != (m.Border == "none") {
					t.Errorf("%s, %s: %s has a sign of %.1f beside type of %.1f, its border is %s", name, look,
						stands[i], m.Glyph, m.Type, m.Border)
				}
			}
			if counts := tab.Text(".counts"); !strings.Contains(counts, "2 supported by a judge") ||
				strings.Contains(counts, "undecided") {
				t.Errorf("%s, %s: counted are %q", name, look, counts)
			}
			if wide := Eval[bool](tab, `document.documentElement.scrollWidth > innerWidth`); wide {
				t.Errorf("%s, %s is wider than its window", name, look)
			}
		}
	}
	if words := string(s.fetch("/v1/runs/" + run + "/report?format=md")); !strings.Contains(words, "[1]≈.") ||
		!strings.Contains(words, "*Signs behind numbers: ≈ supported by a judge · ◐ partly · ✗ contradicted*") {
		t.Errorf("Markdown has no signs:\n%s", words)
	}
}
