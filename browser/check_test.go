package browser

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/testing/extracttest"
)

// writings is a story of sentences in which a byte, a character and what JavaScript counts
// are three things.
var writings = story{
	task: "What do ferries of many writings do?", title: "Ferries 🚢 of many writings",
	pages: []told{
		{key: "emoji", lang: "en", title: "The ferry 🛥️ Marigold", paragraphs: []string{
			"The harbour of Lowmere 👩‍👩‍👧‍👦 has one ferry, which people call 🛥️ Marigold 🇳🇱.",
			"Around the cape the ferry 🛥️ Marigold carries 312 passengers on each crossing, and 👩🏽‍🚀 nobody pays.",
			"It sails all year but for the two weeks in which its hull is painted, as it has done since it " +
				"was built."}},
		{key: "marks", lang: "fr", title: "Le bac de Lowmère", paragraphs: []string{
			"Le bac traverse la baie de Lowme\u0300re en 25 minutes, et le cafe\u0301 du port ferme a\u0300 minuit.",
			"Les habitants de la ville disent que le trajet est plus beau le soir, quand la mare\u0301e est haute."}},
		{key: "cjk", lang: "zh", title: "潮汐渡轮", paragraphs: []string{
			"这艘渡轮每年运送三十一万二千名乘客，𠮷田港的居民都免费乘坐。",
			"渡轮全年运行，只有在船体上漆的两个星期内才会停航，这是自建造以来一直如此的做法。"}},
		{key: "rtl", lang: "ar", title: "عبّارة الميناء", paragraphs: []string{
			"تنقل العبّارة 312 راكبا في كل رحلة بين الميناء والجزيرة (Lowmere) دون مقابل.",
			"تعمل العبّارة طوال العام ما عدا أسبوعين يتم فيهما طلاء هيكلها كما جرت العادة منذ بنائها."}},
		{key: "hebrew", lang: "he", title: "המעבורת של הנמל", paragraphs: []string{
			"המעבורת מסיעה 312 נוסעים בכל הפלגה בין הנמל לאי, והתושבים אינם משלמים.",
			"המעבורת פועלת כל השנה פרט לשבועיים שבהם צובעים את גוף הספינה, כפי שנהוג מאז שנבנתה."}},
	},
	content: "Around the cape the ferry 🛥️ Marigold carries 312 passengers on each crossing, and 👩🏽‍🚀 nobody pays " +
		"{emoji}.\n\n" +
		"Le bac traverse la baie de Lowme\u0300re en 25 minutes, et le cafe\u0301 du port ferme a\u0300 minuit " +
		"{marks}.\n\n" +
		"这艘渡轮每年运送三十一万二千名乘客，𠮷田港的居民都免费乘坐{cjk}。\n\n" +
		"تنقل العبّارة 312 راكبا في كل رحلة بين الميناء والجزيرة (Lowmere) دون مقابل {rtl}.\n\n" +
		"המעבורת מסיעה 312 נוסעים בכל הפלגה בין הנמל לאי, והתושבים אינם משלמים {hebrew}.",
}

// What is marked is the quote byte for byte in every writing, in view, with the language of
// its text, and runs in the direction of its script.
func TestEveryWriting(t *testing.T) {
	t.Parallel()
	s, run := shareStory(t, writings)
	r := s.reportOf(run)
	cited := report.Citations(r)
	if len(cited) != 5 {
		t.Fatalf("%d citations: %+v", len(cited), r)
	}
	for name, o := range map[string]Options{"desktop": {}, "phone": {Width: 390, Height: 844, Touch: true}} {
		tab := Open(t, o)
		tab.Goto(s.URL + "/runs/" + run)
		for i, lang := range []string{"en", "fr", "zh", "ar", "he"} {
			c := cited[i]
			tab.Goto(fmt.Sprintf("%s/runs/%s/c/%d#cite", s.URL, run, c.K))
			got := Eval[struct {
				Text, Lang, Direction, Sentence string
				Lit                             bool
			}](tab, `(m => ({text: m.textContent, lang: m.closest('[lang]').lang, direction: getComputedStyle(m.parentElement).direction, lit: `+lit+`,
				sentence: [...document.querySelectorAll('.said.here')].map(e => e.textContent).join('')}))(document.getElementById('cite'))`)
			if got.Text != c.Quote || c.Verdict != citewell.VerdictSupported {
				t.Errorf("%s, %s: %s, marked is %q, quoted %q", name, lang, c.Verdict, got.Text, c.Quote)
			}
			if rtl := lang == "ar" || lang == "he"; got.Lang != lang || (got.Direction == "rtl") != rtl {
				t.Errorf("%s, %s: the text is said to be %q and runs %s", name, lang, got.Lang, got.Direction)
			}
			if !got.Lit || !strings.Contains(got.Sentence, r.Findings[c.Finding].Text[:30]) {
				t.Errorf("%s, %s: in view is %v, the sentence %q", name, lang, got.Lit, got.Sentence)
			}
			tab.Screenshot(name + " " + lang)
			tab.Axe(name + " " + lang)
		}
		if langs := Eval[string](tab,
			`[...document.querySelectorAll('.cite blockquote')].map(e => e.lang).join(' ')`); langs !=
			"en fr zh ar he" {
			t.Errorf("the quotes are said to be %s", langs)
		}
	}
}

// doubts is a story whose sentences stand in every way.
var doubts = story{
	task: "What is known of the Alder pier?", title: "The Alder pier",
	pages: []told{
		{key: "survey", host: "survey", lang: "en", title: "A survey of the Alder pier", paragraphs: []string{
			"The Alder pier stands in the north of the bay and belongs to the town.",
			"The Alder pier is 290 metres long and was opened on 6 June 1921 by the mayor of the town.",
			"The wardens of the Alder pier count its visitors by hand on every Sunday in the summer."}},
		{key: "manual.pdf", host: "library", title: "The Quern Manual", kind: "application/pdf",
			data: extracttest.PDFOf(extracttest.FirstPage, pdfPage("The wheel of the Alder pier turns 14 times a "+
				"minute when the tide falls.", "Its keeper oils the wheel of the pier on every second day of "+
				"the week."))},
		{key: "rumour", host: "rumours", lang: "en", title: "Rumours of the pier", unread: true,
			snippet: "The old lamp of the Alder pier was sold to a museum in the capital."},
	},
	content: "All wardens of the Alder pier count its visitors by hand on every Sunday in the summer {survey}.\n\n" +
		"The Alder pier is 310 metres long and was opened on 6 June 1921 by the mayor of the town {survey}.\n\n" +
		"The Alder pier stands in the north of the bay and belongs to the town {survey}.\n\n" +
		"The wheel of the Alder pier turns 14 times a minute when the tide falls {manual.pdf}.\n\n" +
		"The old lamp of the Alder pier was sold to a museum in the capital {rumour}.\n\n" +
		"The keeper of the Alder pier wrote that “penguins have governed the moon since the war of the " +
		"teapots” {survey}.",
}

// pdfPage is the content of a page with lines.
func pdfPage(lines ...string) string {
	return "BT /F1 10 Tf 72 690 Td 12 TL (" + strings.Join(lines, ") Tj T* (") + ") Tj ET"
}

// pane opens a citation, and gives what its pane says.
func (tab *Tab) pane(s *Server, run string, k int) string {
	tab.t.Helper()
	tab.Goto(fmt.Sprintf("%s/runs/%s/c/%d#cite", s.URL, run, k))
	return tab.Text(".pane")
}

// Each way in which a sentence can stand is told for what it is: the figure that decided is
// bold on both sides, x leads to what is doubtful, a page that was never read is called that,
// a document names its page, and a text that was altered is not believed.
func TestDoubts(t *testing.T) {
	t.Parallel()
	s := serveStories(t, doubts)
	run := s.tells(doubts)
	r := s.reportOf(run)
	stands := map[citewell.Verdict]int{}
	var doubtful []string
	for _, c := range report.Citations(r) {
		stands[c.Verdict] = c.K
		if c.Verdict != citewell.VerdictSupported {
			doubtful = append(doubtful, fmt.Sprint(c.K))
		}
	}
	for _, v := range []citewell.Verdict{citewell.VerdictSupported, citewell.VerdictUndecided,
		citewell.VerdictContradicted, citewell.VerdictUnsupported, citewell.VerdictSnippetOnly} {
		if stands[v] == 0 {
			t.Fatalf("nothing is %s: %v in %s", v, stands, r.Content)
		}
	}
	tab := Open(t, Options{})
	tab.Goto(s.URL + "/runs/" + run)
	tab.Screenshot("report")
	var found []string
	for range doubtful {
		tab.Press("x")
		tab.WaitFor(fmt.Sprintf(`(document.querySelector('.pane-in')?.dataset.k || '') !== %q`,
			strings.Join(found[max(0, len(found)-1):], "")))
		found = append(found, Eval[string](tab, `document.querySelector('.pane-in').dataset.k`))
	}
	if slices.Sort(found); !slices.Equal(found, doubtful) {
		t.Errorf("x leads to %v, doubtful are %v", found, doubtful)
	}
	for name, o := range map[string]Options{"light": {}, "dark": {Dark: true},
		"phone": {Width: 390, Height: 844, Touch: true}, "forced colours": {ForcedColors: true}} {
		tab := Open(t, o)
		tab.pane(s, run, stands[citewell.VerdictContradicted])
		tab.Screenshot(name + " contradicted")
		tab.Axe(name + " contradicted")
		if bold := Eval[string](tab,
			`[...document.querySelectorAll('#report strong, #cite strong')].map(e => e.textContent + (getComputedStyle(e).fontWeight >= 600 ? '' : ' thin')).join(' < ')`); bold != "310 metres < 290 metres" {
			t.Errorf("%s: bold is %q", name, bold)
		}
		if name == "light" {
			tab.Goto(s.URL + "/v1/runs/" + run + "/report?format=html")
		}
	}
	if said := tab.pane(s, run, stands[citewell.VerdictSnippetOnly]); !strings.Contains(said,
		"This page was never read") || !strings.Contains(said, "only a snippet") || strings.Contains(said, "Read") ||
		strings.Contains(said, "Page sha256") {
		t.Errorf("a snippet is told as %s", said)
	}
	tab.Screenshot("snippet only")
	tab.Axe("snippet only")
	k := slices.IndexFunc(report.Citations(r), func(c report.Cited) bool { return c.Page == 2 }) + 1
	if said := tab.pane(s, run, k); !strings.Contains(said, "page 2") ||
		strings.Index(said, "page 2") > strings.Index(said, "The wheel") && strings.Contains(said, "before") {
		t.Errorf("of a page of a document: %s", said)
	}
	if where := Eval[bool](tab,
		`!!(document.querySelector('.pane-body p > strong').compareDocumentPosition(document.getElementById('cite')) & Node.DOCUMENT_POSITION_FOLLOWING)`); !where {
		t.Error("the page is named behind its words")
	}
	tab.Screenshot("document")

	s.Stop()
	s.alter(t, r.Sources[0].TextSHA256, "The Alder pier stands in the north", "The Alder pier stands in the south")
	s.Start()
	k = stands[citewell.VerdictContradicted]
	if said := tab.pane(s, run, k); !strings.Contains(said, "does not match its hash") ||
		!strings.Contains(said, "Nothing is marked") {
		t.Errorf("a text that was altered is told as %s", said)
	}
	if marks := Eval[int](tab, `document.querySelectorAll('mark').length`); marks != 0 {
		t.Errorf("%d marks in a text that was altered", marks)
	}
	tab.Screenshot("altered")
	tab.Axe("altered")
	tab.Click("#checks button")
	tab.WaitVisible(".again")
	if said := tab.Text(".again"); !strings.Contains(said, "do not hold") {
		t.Errorf("checked again after it was altered: %s", said)
	}
	tab.Screenshot("altered checked")
	for _, c := range report.Citations(r) {
		failed := Eval[bool](tab, fmt.Sprintf(`!!document.querySelector('#checks .trouble a[href$="/c/%d#cite"]')`,
			c.K))
		if failed != (c.N == 1) {
			t.Errorf("citation %d of source %d is said to fail: %v", c.K, c.N, failed)
		}
	}
}
