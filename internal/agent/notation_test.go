package agent_test

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/score"
)

// notations are how models cite a page that was read: N is its number, URL its address,
// TITLE its title. What follows the colon stands at the end of the text.
var notations = []string{
	" [N].", ". [N]", "[N].", " [N, N].", " [N][N].", " [N](URL).", " [[N]](URL).", " 【N】.", "【N†source】.",
	" [^N].\n\n[^N]: URL", " [^a].\n\n[^a]: URL",
	" (URL).", ". (URL)", " [TITLE](URL).", ". [TITLE](URL)", " URL.", ". URL", " [Source N].", " (Source N).",
	" <cite>N</cite>.", " (N).", ". (N)", "⁽N⁾.", " ⓃN.", " [7].\n\n## Sources\n\n[7] TITLE - URL", " [S N].",
}

// A true sentence is answered whatever notation its source is cited in, in a report as
// in an answer: it is sent back to nobody, and what a reader sees is [n].
func TestEveryNotationOfATrueCitation(t *testing.T) {
	if testing.Short() || score.RaceDetector { // one run after the other, like those of other tests
		t.Skip("takes seconds, and under the race detector minutes")
	}
	const says = "The Skarrow Sound tidal plant generates 640 GWh of electricity in an average year, about " +
		"as much as " +
		"200,000 homes use"
	superscripts, circles := strings.Split("⁰¹²³⁴⁵⁶⁷⁸⁹", ""), strings.Split("⓪①②③④⑤⑥⑦⑧⑨", "")
	for _, notation := range notations {
		for _, tool := range []string{"report", "answer"} {
			t.Run(tool+" "+notation, func(t *testing.T) {
				d := newDesk(t)
				said := func(shown string) string {
					mark := strings.Trim(number(shown, "/plant"), "[]")
					text := strings.NewReplacer("⁽N⁾", superscripts[mark[0]-'0'], "ⓃN", circles[mark[0]-'0'],
						"S N", "S"+mark,
						"N", mark, "URL", d.url("skarrow-tidal", "/plant"), "TITLE", "The Skarrow Sound tidal plant").
						Replace(notation)
					return says + text
				}
				replies := []reply{calls(searchFor("Skarrow Sound tidal plant electricity a year")),
					calls(d.readPlant())}
				if tool == "report" {
					replies = append(replies, seeing(func(shown string) reply {
						return calls(reportCall(said(shown)))
					}), calls(finalCall("The report is written.")))
				} else {
					replies = append(replies, seeing(func(shown string) reply { return calls(finalCall(said(shown))) }))
				}
				m := &script{replies: replies}
				r := run(t, d.options(t, agent.ShapeToolCalling, m), question)
				if r.Outcome != runstore.RunAnswered || len(m.asked) != len(replies) {
					t.Fatalf("%s after %d calls; told %s", r.Outcome, len(m.asked), told(m))
				}
				f := r.Report.Findings
				if len(f) != 1 || len(f[0].Citations) != 1 || f[0].Citations[0].Verdict != citewell.VerdictSupported ||
					!strings.HasSuffix(r.Report.Sources[0].URL, "/plant") {
					t.Errorf("findings %+v", f)
				}
				if c := r.Report.Content; strings.Contains(c, "://") || strings.ContainsAny(c, "【†⁰¹²³⁴①②③④^<") ||
					!strings.Contains(c, "[") || len(r.Report.Removed) > 0 {
					t.Errorf("content %q, removed %q", c, r.Report.Removed)
				}
			})
		}
	}
}

// An address of nobody goes, with the brackets around it, and its digits are no figures
// of the sentence; a number of nobody is named.
func TestNotationsOfNobody(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, test := range []struct{ mark, problem string }{
		{" (https://evil.test/48613)", "uncited"}, {" [it](https://evil.test/48613)", "uncited"},
		{" https://evil.test/48613", "uncited"}, {" 【77】", "unknown_number"},
		{" [Source 77]", "unknown_number"}, {" [^77]", "unknown_number"}, {" <cite>77</cite>", "unknown_number"},
		{" [PLANT](https://evil.test/48613)", ""}, {" [PLANT, 77]", "unknown_number"},
		{" [77a]", "unknown_number"}, {" [n77]", "unknown_number"}, {" [PLANT]⁷⁷", "unknown_number"},
		{" [PLANT]⁷⁷ (doi:10.48613/77)", "unknown_number"},
	} {
		t.Run(test.mark, func(t *testing.T) {
			d := newDesk(t)
			bad := seeing(func(shown string) reply {
				return calls(reportCall("The Skarrow Sound tidal plant generates 640 GWh of electricity in an " +
					"average year" + strings.ReplaceAll(test.mark, "PLANT",
					strings.Trim(number(shown, "/plant"), "[]")) +
					// else the words of the sources would take its place
					".\n\nThe plant has an installed capacity of 286 megawatts " +
					number(shown, "/page/Skarrow_Sound_tidal_plant") + "."))
			})
			m := &script{replies: []reply{calls(searchFor("Skarrow Sound tidal plant electricity a year")),
				calls(d.readPlant()), bad, bad, bad, calls(finalCall("The report is written."))}}
			r := run(t, d.options(t, agent.ShapeToolCalling, m), question)
			problem := ""
			if u := r.Report.Unverified; len(u) > 0 {
				problem = u[0].Problem
			}
			if c := r.Report.Content; problem != test.problem || strings.Contains(c, "evil") ||
				strings.Contains(c, "77") || strings.Contains(c, "()") {
				t.Errorf("problem %q, content %q", problem, c)
			}
		})
	}
}
