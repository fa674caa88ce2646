package browser

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/testing/realpart"
)

// look is how a page looks in numbers: the sizes of its type, its primary buttons, what of
// its colours is at the end of the scale, the characters in a full line of its report, and
// words that no page says.
const look = `(() => {
	const sizes = new Set(), ends = [], wrong = [];
	let primary = 0;
	for (const e of document.querySelectorAll('body *')) {
		const style = getComputedStyle(e), box = e.getBoundingClientRect();
		if (!e.checkVisibility() || e.closest('.spoken, .skip, symbol, noscript') || box.width < 2) continue;
		if ([...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) sizes.add(Math.round(10 * parseFloat(style.fontSize)) / 10);
		if (e.matches('button.primary')) primary++;
		if (/^rgb\((0, 0, 0|255, 255, 255)\)$/.test(style.backgroundColor)) ends.push(e.tagName + '.' + e.className);
	}
	for (const word of document.body.innerText.match(/\b(NaN|null|undefined|Infinity|0001-01-01|1 Jan 0001)\b/g) || []) wrong.push(word);
	let longest = 0;
	for (const p of document.querySelectorAll('#report p')) {
		const lines = new Map(), walk = document.createTreeWalker(p, NodeFilter.SHOW_TEXT), range = document.createRange();
		for (let n; (n = walk.nextNode());) for (let i = 0; i < n.length; i++) {
			range.setStart(n, i); range.setEnd(n, i + 1);
			const y = Math.round(range.getBoundingClientRect().top / 12);
			lines.set(y, (lines.get(y) || 0) + 1);
		}
		if (lines.size > 2) longest = Math.max(longest, ...lines.values());
	}
	return {sizes: [...sizes].sort((a, b) => a - b), primary, ends, wrong, longest};
})()`

// looks fails the test where a page has more sizes of type than six, or one that is too
// small to read, two primary buttons, pure white or black in the dark, lines of its report that
// are too long, or a word that a program says by mistake.
func (tab *Tab) looks(state string) {
	tab.t.Helper()
	got := Eval[struct {
		Sizes       []float64
		Primary     int
		Ends, Wrong []string
		Longest     int
	}](tab, look)
	if len(got.Sizes) > 6 {
		tab.t.Errorf("%s has %d sizes of type: %v", state, len(got.Sizes), got.Sizes)
	}
	if len(got.Sizes) > 0 && got.Sizes[0] < 13 {
		tab.t.Errorf("%s has type of %v pixels", state, got.Sizes[0])
	}
	if got.Primary > 1 {
		tab.t.Errorf("%s has %d primary buttons", state, got.Primary)
	}
	if tab.options.Dark && len(got.Ends) > 0 {
		tab.t.Errorf("%s has pure white or black in the dark: %v", state, got.Ends)
	}
	if len(got.Wrong) > 0 {
		tab.t.Errorf("%s says %v", state, got.Wrong)
	}
	most := 80
	if tab.options.Width == 390 {
		most = 48
	}
	if got.Longest > most {
		tab.t.Errorf("a line of %s has %d characters", state, got.Longest)
	}
}

// printed is the PDF of a page as a reader prints it, and the words of each of its sheets.
func (tab *Tab) printed(name string) (sheets []string) {
	tab.t.Helper()
	program, err := exec.LookPath("pdftotext")
	if err != nil {
		realpart.Lacking(tab.t, "needs pdftotext of scripts/test-setup.sh")
	}
	folder := os.Getenv("CITEWELL_SCREENSHOTS")
	if folder == "" {
		folder = tab.t.TempDir()
	}
	file := filepath.Join(folder, "printed-"+name+".pdf")
	if err := os.WriteFile(file, get(tab, "print", chromedp.PrintToPDF()), 0o600); err != nil {
		tab.t.Fatal(err)
	}
	words, err := exec.Command(program, "-layout", file, "-").Output()
	if err != nil {
		tab.t.Fatal(err)
	}
	sheets = strings.Split(string(words), "\f")
	return sheets[:len(sheets)-1] // each ends with one
}

// words is a text without its white space, as a text that was broken into lines is compared.
func packed(s string) string { return strings.Join(strings.Fields(s), "") }

// On paper a report is all there is: no navigation, no button, each quote under its source
// with its verdict and its hash, from the page with or without a citation open, and from the
// HTML export.
func TestPrint(t *testing.T) {
	t.Parallel()
	s, run := shareStory(t, doubts)
	r := s.reportOf(run)
	tab := Open(t, Options{Dark: true})
	export := pages(t, nil, map[string]string{"/": report.HTML(r), "/favicon.ico": ""})
	for name, address := range map[string]string{"report": s.URL + "/runs/" + run,
		"citation": s.URL + "/runs/" + run + "/c/2#cite", "export": export + "/"} {
		tab.Goto(address)
		sheets := tab.printed(name)
		blank := 0
		for _, sheet := range sheets {
			if strings.TrimSpace(sheet) == "" {
				blank++
			}
		}
		all := packed(strings.Join(sheets, ""))
		if len(sheets) > 3 || blank > 0 {
			t.Errorf("%s: %d sheets, %d of them blank", name, len(sheets), blank)
		}
		for _, c := range report.Citations(r) {
			if !strings.Contains(all, packed(c.Quote)) {
				t.Errorf("%s: the quote of citation %d is not printed: %q", name, c.K, c.Quote)
			}
			if n := strings.Count(all, packed(report.Said(c.Verdict).Word)); n == 0 {
				t.Errorf("%s: nothing says %s", name, c.Verdict)
			}
		}
		for _, source := range r.Sources {
			if report.WasRead(source) && !strings.Contains(all, source.PageSHA256) {
				t.Errorf("%s: the hash of source %d is not printed", name, source.N)
			}
			if !strings.Contains(all, packed(source.URL)) {
				t.Errorf("%s: the address of source %d is not printed", name, source.N)
			}
		}
		for _, button := range []string{"Checkagain", "Copywith", "Askon", "Deletethis", "Skipto", "RunsWatches",
			"Watchthis", "nextdoubtful", "Takeitalong", "Howthiswasfound"} {
			if strings.Contains(all, button) {
				t.Errorf("%s: %s is printed", name, button)
			}
		}
	}
}

// longest is a story whose title and address break whatever can be broken.
var longest = story{
	task:  "What does the longest address lead to, " + strings.Repeat("unbroken", 35) + "?",
	title: strings.Repeat("Supercalifragilistic", 15),
	pages: []told{{key: "long", path: "/" + strings.Repeat("a-very/long_path%20of/", 14) + "?q=" +
		strings.Repeat("x", 300), lang: "en", title: strings.Repeat("Donaudampfschiff", 20), paragraphs: []string{
		"The longest address of the bay leads to a page on " + strings.Repeat("w", 320) + " and to no other page.",
		"The keeper of the page has written it by hand, and nobody has found a mistake in it since then."}}},
	content: "The keeper of the page has written it by hand, and nobody has found a mistake in it since then " +
		"{long}.\n\nThe longest address of the bay leads to a page on " + strings.Repeat("w", 320) +
		" and to no other page {long}.",
}

// A title, a word and an address of 300 characters widen no page.
func TestLongWords(t *testing.T) {
	t.Parallel()
	s, run := shareStory(t, longest)
	shelf := s.stock()
	for name, o := range map[string]Options{"desktop": {}, "phone": {Width: 390, Height: 844, Touch: true},
		"narrow": {Width: 320, Height: 640}} {
		tab := Open(t, o)
		states := map[string]string{"ask": "/", "runs": "/runs", "report": "/runs/" + run,
			"citation": "/runs/" + run + "/c/1#cite", "source": "/runs/" + run + "/s/1", "log": "/runs/" + run + "/log",
			"map": "/runs/" + run + "/map", "time": "/runs/" + run + "/time",
			"compare": fmt.Sprintf("/compare?a=%s&b=%s", run, run)}
		maps.Copy(states, shelf)
		for state, path := range states {
			tab.Goto(s.URL + path)
			if wide := Eval[int](tab, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
				t.Errorf("%s on %s is %d pixels wider than its window", state, name, wide)
			}
			tab.Screenshot(name + " " + state)
		}
	}
}
