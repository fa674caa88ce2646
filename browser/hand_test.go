package browser

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/report"
)

// profile is the tab's own.
func (tab *Tab) profile() cdp.BrowserContextID { return chromedp.FromContext(tab.ctx).BrowserContextID }

// call calls a method of the browser's protocol.
func call[P, R any](tab *Tab, what string, method cdp.Command[P, R], params P) {
	tab.t.Helper()
	tab.do(what, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, method, params)
		return err
	}))
}

// tabTo presses Tab until the focus is on what fits a selector, and wants it seen there.
func (tab *Tab) tabTo(selector string) {
	tab.t.Helper()
	const most = 120
	for range most {
		tab.Press("Tab")
		if !Eval[bool](tab, fmt.Sprintf(`document.activeElement.matches(%q)`, selector)) {
			continue
		}
		if seen := Eval[bool](tab,
			`(() => { const style = getComputedStyle(document.activeElement), box = document.activeElement.getBoundingClientRect();
			return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 && box.bottom > 0 && box.top < innerHeight })()`); !seen {
			tab.t.Errorf("the focus on %s is not seen", selector)
		}
		return
	}
	tab.t.Fatalf("%d times Tab do not lead to %s", most, selector)
}

// The whole way by keyboard, the focus seen at each step: ask, open a citation, check all
// again, and take the report along in each form.
func TestTheWholeWayByKeyboard(t *testing.T) {
	t.Parallel()
	s, _ := shareDemo(t)
	tab := Open(t, Options{})
	folder := t.TempDir()
	call(tab, "let files be saved", browser.SetDownloadBehavior,
		browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder,
			BrowserContextID: tab.profile()})
	tab.Goto(s.URL + "/")
	tab.do("type", chromedp.KeyEvent(plantQuestion))
	tab.tabTo("button.primary")
	tab.Press("Enter")
	tab.WaitFor(`document.querySelector('.reading') || document.querySelector('.below a')`)
	if Eval[bool](tab, `!document.querySelector('.reading')`) {
		tab.tabTo(".below a")
		tab.Press("Enter")
		tab.WaitVisible("#report")
	}
	run, _ := tab.Attribute(".reading", "data-run")
	tab.tabTo("#checks button")
	tab.Press("Enter")
	tab.WaitVisible(".again")
	tab.tabTo("#report a.mark")
	tab.Press("Enter")
	tab.WaitVisible("#cite")
	tab.Press("Escape")
	tab.WaitFor(`!document.getElementById('pane') && document.activeElement.matches('#report a.mark')`)
	for _, form := range []string{"html", "json"} {
		tab.tabTo(`.export a[href$="format=` + form + `"]`)
		tab.Press("Enter")
		tab.waitUntil("save "+form, func(context.Context) (bool, error) {
			files, err := filepath.Glob(filepath.Join(folder, "*."+form))
			return len(files) == 1, err
		})
	}
	saved, err := filepath.Glob(filepath.Join(folder, "*.html"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(saved[0])
	if err != nil || !bytes.Contains(page, []byte(run)) {
		t.Errorf("the export of %s is saved as %s: %v", run, saved, err)
	}
}

// What is clicked again is scrolled back to; what is copied has the numbers and their
// sources, as words and as HTML; the single keys can be switched off, and Escape still works.
func TestHandles(t *testing.T) {
	t.Parallel()
	s, run := shareStory(t, doubts)
	tab := Open(t, Options{Height: 500})
	call(tab, "let script read the clipboard", browser.SetPermission,
		browser.SetPermissionParams{Permission: &browser.PermissionDescriptor{Name: "clipboard-read"},
			Setting: browser.PermissionSettingGranted, Origin: s.URL, BrowserContextID: tab.profile()})
	tab.Goto(s.URL + "/runs/" + run)
	tab.Click("#m2")
	tab.WaitVisible("#cite")
	Eval[any](tab, `scrollTo(0, document.body.scrollHeight)`)
	tab.WaitFor(`document.getElementById('m2').getBoundingClientRect().bottom < 0`)
	Eval[any](tab, `document.getElementById('m2').click()`)
	tab.WaitFor(`(b => b.top > 0 && b.bottom < innerHeight)(document.getElementById('m2').getBoundingClientRect())`)
	tab.Press("Escape")

	tab.Click("button[data-copy-report]")
	tab.WaitFor(`document.getElementById('said').textContent === 'Copied'`)
	copied := Eval[map[string]string](tab,
		`navigator.clipboard.read().then(async ([item]) => ({words: await (await item.getType('text/plain')).text(), page: await (await item.getType('text/html')).text()}))`)
	for _, want := range []string{"The Alder pier is 310 metres long", "[1]",
		"[3] The Quern Manual http://library.localhost:", "/manual.pdf"} {
		if !strings.Contains(copied["words"], want) {
			t.Errorf("no %q among the copied words:\n%s", want, copied["words"])
		}
	}
	for _, want := range []string{"<h1>The Alder pier</h1>", "<strong>310 metres</strong>", "[1]",
		"<li>[3] The Quern Manual http://library.localhost:"} {
		if !strings.Contains(copied["page"], want) {
			t.Errorf("no %q in the copied page:\n%s", want, copied["page"])
		}
	}

	tab.Press("?")
	tab.WaitVisible("#keys")
	tab.Screenshot("keys")
	Eval[any](tab,
		`[...document.querySelectorAll('#keys button')].find(b => b.textContent === 'Switch single keys off').click()`)
	tab.Press("Escape")
	tab.Reload()
	tab.Press("n", "x", "v", "?", "g", "r", "/")
	if Eval[bool](tab,
		`!!document.getElementById('pane') || !!document.querySelector('.again') || !!document.querySelector('dialog[open]') || document.activeElement !== document.body || location.pathname === '/runs'`) {
		t.Error("single keys do something after they were switched off")
	}
	tab.Click("#m1")
	tab.WaitVisible("#cite")
	tab.Press("Escape")
	tab.WaitFor(`!document.getElementById('pane')`)
	tab.Click("button[data-keys]")
	Eval[any](tab,
		`[...document.querySelectorAll('#keys button')].find(b => b.textContent === 'Switch single keys on').click()`)
	tab.Press("Escape", "n")
	tab.WaitVisible("#cite")
}

// Nothing moves for who asked for that, and something does for others.
func TestMotion(t *testing.T) {
	t.Parallel()
	s, run := shareStory(t, doubts)
	for reduced, want := range map[bool]string{true: "none 0", false: "come 1"} {
		tab := Open(t, Options{ReducedMotion: reduced})
		tab.Goto(s.URL + "/runs/" + run)
		Eval[any](tab,
			`new MutationObserver(() => { if (document.getElementById('pane')) globalThis.moving ??= getComputedStyle(document.getElementById('pane')).animationName + ' ' + document.getAnimations().length }).observe(document.body, {childList: true, subtree: true})`)
		tab.Click("#m1")
		tab.WaitFor(`globalThis.moving`)
		if got := Eval[string](tab, `globalThis.moving`); got != want {
			t.Errorf("with reduced motion %v: %s", reduced, got)
		}
	}
}

// Verdicts are told apart without colour: in grey by the shape of each, in forced colours by
// shape and line, and everywhere by a word.
func TestVerdictsWithoutColour(t *testing.T) {
	t.Parallel()
	s, run := shareStory(t, doubts)
	all := report.Citations(s.reportOf(run))
	for name, o := range map[string]Options{"grey": {}, "grey dark": {Dark: true},
		"forced colours": {ForcedColors: true}} {
		tab := Open(t, o)
		call(tab, "take the colours away", emulation.SetEmulatedVisionDeficiency,
			emulation.SetEmulatedVisionDeficiencyParams{Type: emulation.SetEmulatedVisionDeficiencyTypeAchromatopsia})
		tab.Goto(s.URL + "/runs/" + run)
		tab.Screenshot(name)
		type box struct{ X, Y, Width, Height float64 }
		shown := Eval[[]struct {
			Word string
			Box  box
		}](tab, `[...document.querySelectorAll('.counts > li > [data-cite]')].map(a => { const b = a.querySelector('svg').getBoundingClientRect(); return {word: a.textContent.trim(), box: {x: b.x + scrollX, y: b.y + scrollY, width: b.width, height: b.height}} })`)
		if len(shown) != 5 {
			t.Fatalf("%s: %d verdicts are counted", name, len(shown))
		}
		whole, err := png.Decode(bytes.NewReader(get(tab, "take a picture", chromedp.FullScreenshot(100))))
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range shown {
			for _, b := range shown[i+1:] {
				if a.Word == b.Word {
					t.Errorf("%s: two verdicts are called %s", name, a.Word)
				}
				at := func(b box) image.Point { return image.Pt(int(b.X+.5), int(b.Y+.5)) }
				if n := differing(whole, at(a.Box), at(b.Box), int(a.Box.Width)); n < 8 {
					t.Errorf("%s: the shapes of %q and %q differ in %d points", name, a.Word, b.Word, n)
				}
			}
		}
		lines := Eval[map[string]string](tab,
			`Object.fromEntries([...document.querySelectorAll('.said')].map(e => [e.className.replace(/said ?/, '') || 'supported', getComputedStyle(e).textDecorationStyle + ' ' + getComputedStyle(e).textDecorationLine]))`)
		for verdict, line := range map[string]string{"contradicted": "double underline",
			"unsupported": "dashed underline", "undecided": "solid none", "snippet-only": "dotted underline",
			"supported": "solid none"} {
			if lines[verdict] != line {
				t.Errorf("%s: under a %s sentence is %q", name, verdict, lines[verdict])
			}
		}
		for _, c := range all {
			label, _ := tab.Attribute(fmt.Sprintf("#m%d", c.K), "aria-label")
			if !strings.Contains(label, report.Said(c.Verdict).Word) ||
				!strings.Contains(label, fmt.Sprintf("citation %d of %d", c.K, len(all))) {
				t.Errorf("%s: number %d is called %q", name, c.K, label)
			}
		}
	}
}

// differing is how many points of two squares of a picture differ in brightness by a third.
func differing(picture image.Image, a, b image.Point, side int) (n int) {
	bright := func(p image.Point) int {
		r, g, b, _ := picture.At(p.X, p.Y).RGBA()
		return int(299*r+587*g+114*b) / 1000
	}
	for y := range side {
		for x := range side {
			d := image.Pt(x, y)
			if gap := bright(a.Add(d)) - bright(b.Add(d)); max(gap, -gap) > 0xffff/3 {
				n++
			}
		}
	}
	return n
}

// What sources state differently stands side by side, each value with its sites, its words
// and where they are from; copies of one text are one site, and said to be copies.
func TestSidesAndCopies(t *testing.T) {
	t.Parallel()
	s, _ := shareDemo(t)
	tab := Open(t, Options{})
	run := tab.ask(s, "How much electricity does the Skarrow Sound tidal plant generate?")
	r := s.reportOf(run)
	said := map[string][]report.Cited{}
	for _, c := range report.Citations(r) {
		if c.Says != "" {
			said[c.Says] = append(said[c.Says], c)
		}
	}
	if len(said) < 2 {
		t.Fatalf("the report has no disagreement: %s", r.Content)
	}
	shown := Eval[map[string]string](tab,
		`Object.fromEntries([...document.querySelectorAll('.side')].map(e => [e.querySelector('h3').textContent, e.innerText]))`)
	for value, citations := range said {
		sites := map[string]bool{}
		for _, c := range citations {
			source := r.Sources[slices.IndexFunc(r.Sources, func(s citewell.Source) bool { return s.N == c.N })]
			sites[report.SiteOf(source)] = true
			for _, want := range []string{c.Quote, fmt.Sprintf("[%d]", c.N), source.Host, source.Date,
				report.Said(c.Verdict).Word} {
				if !strings.Contains(packed(shown[value]), packed(want)) {
					t.Errorf("the side of %q does not say %q: %s", value, want, shown[value])
				}
			}
		}
		if want := fmt.Sprintf("%d site", len(sites)); !strings.Contains(shown[value], want) {
			t.Errorf("the side of %q does not say %q", value, want)
		}
	}
	if tops := Eval[[]float64](tab,
		`[...document.querySelectorAll('.sides')[0].children].map(e => e.getBoundingClientRect().top)`); len(
		tops) < 2 || tops[0] != tops[1] {
		t.Errorf("the sides begin at %v", tops)
	}
	if bold := Eval[[]string](tab,
		`[...document.querySelectorAll('.side blockquote strong')].map(e => e.textContent + (getComputedStyle(e).fontWeight >= 600 ? '' : ' thin'))`); len(bold) < len(said) {
		t.Errorf("of %d values %q are bold", len(said), bold)
	} else {
		for _, want := range []string{"640 GWh", "590 GWh", "640 million kilowatt-hours", "14 May 2019",
			"2 September 2019"} {
			if !slices.Contains(bold, want) {
				t.Errorf("%q does not stand out among %q", want, bold)
			}
		}
	}
	tab.Screenshot("sides")
	copies := 0
	for _, source := range r.Sources {
		for _, url := range source.Copies {
			copies++
			if words := tab.Text(fmt.Sprintf("#s%d", source.N)); !strings.Contains(words,
				"The same text, counted once") || !strings.Contains(words, url) {
				t.Errorf("source %d does not name its copy %s: %s", source.N, url, words)
			}
		}
	}
	if sites := fmt.Sprintf("%d sites", len(report.Sites(r))); copies == 0 ||
		!strings.Contains(tab.Text("#checks"), sites) {
		t.Errorf("%d copies, and the bar does not say %s: %s", copies, sites, tab.Text("#checks"))
	}
}
