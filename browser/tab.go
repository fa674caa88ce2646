package browser

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/citewell/citewell/internal/testing/realpart"
)

// Options are the reader whom a tab stands for. The zero Options are a desktop of 1280 × 800
// with a light theme and script.
type Options struct {
	Width, Height int  // of the window; 1280 and 800 when 0
	Touch         bool // a phone: fingers, and the width that the page asks for

	Dark, ForcedColors, ReducedMotion bool

	NoScript bool
	TextZoom float64 // of text whose size is not in pixels; 1 when 0, 2 is twice as large
}

// A Tab is one tab in a profile of its own.
type Tab struct {
	t       testing.TB
	seat    *seat
	ctx     context.Context // the tab as chromedp knows it
	options Options
	faults  faults
	dialogs sync.WaitGroup // those that are being closed
}

// Open opens a tab, which the test's end judges and closes. A server that the tab talks to
// is started before it, so that it ends after it.
func Open(t testing.TB, options Options) *Tab {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	if workFolder == "" {
		t.Fatal("TestMain has to call Main")
	}
	browser, err := launch()
	realpart.Need(t, "the browser", err)
	tab := &Tab{t: t, options: options}
	if tab.seat, err = takeSeat(browser); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	tab.ctx = tab.seat.ctx
	tab.seat.reader.Store(tab)
	t.Cleanup(func() {
		tab.judge()
		tab.leave()
		tab.dialogs.Wait()
	})
	tab.do("open a tab", chromedp.Func(options.emulate))
	tab.do("open a tab", allowScript(!options.NoScript))
	return tab
}

// emulate makes a new tab that of its reader.
func (o Options) emulate(ctx context.Context, target *chromedp.Target) (err error) {
	call := func(_ cdp.Empty, failure error) {
		if err == nil {
			err = failure
		}
	}
	call(cdp.Call(ctx, target, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: int64(cmp.Or(o.Width, 1280)), Height: int64(cmp.Or(o.Height, 800)), DeviceScaleFactor: 1,
		Mobile: o.Touch,
	}))
	call(cdp.Call(ctx, target, emulation.SetTouchEmulationEnabled,
		emulation.SetTouchEmulationEnabledParams{Enabled: o.Touch}))
	call(cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: choose(o.Dark, "dark", "light")},
			{Name: "forced-colors", Value: choose(o.ForcedColors, "active", "none")},
			{Name: "prefers-reduced-motion", Value: choose(o.ReducedMotion, "reduce", "no-preference")},
		}}))
	zoom := cmp.Or(o.TextZoom, 1) // of the browser's own sizes
	call(cdp.Call(ctx, target, page.SetFontSizes, page.SetFontSizesParams{
		FontSizes: &page.FontSizes{Standard: int64(16 * zoom), Fixed: int64(13 * zoom)}}))
	return err
}

// allowScript says whether pages may run script from now on.
func allowScript(on bool) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled,
			emulation.SetScriptExecutionDisabledParams{Value: !on})
		return err
	})
}

func choose(on bool, yes, no string) string {
	if on {
		return yes
	}
	return no
}

// do runs one step within patience, and ends the test where it fails.
func (tab *Tab) do(what string, step chromedp.Action[chromedp.Void]) {
	tab.t.Helper()
	get(tab, what, step)
}

// get is do for a step that has an answer.
func get[T any](tab *Tab, what string, step chromedp.Action[T]) T {
	tab.t.Helper()
	ctx, stop := context.WithTimeout(tab.ctx, patience)
	defer stop()
	answer, err := chromedp.Run(ctx, step)
	if err != nil {
		tab.t.Fatalf("%s: %v", what, err)
	}
	return answer
}

// Goto goes to a URL and waits until the page with all it shows is loaded. The URL's host is
// one that pages of this tab may ask from now on.
func (tab *Tab) Goto(address string) {
	tab.t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		tab.t.Fatal(err)
	}
	tab.faults.allow(u.Host)
	tab.do("go to "+address, chromedp.Navigate(address))
}

// Reload loads the page anew.
func (tab *Tab) Reload() {
	tab.t.Helper()
	tab.do("reload", chromedp.Reload())
}

// Back goes back as the reader's button does, to a page or to an earlier state of this one,
// and waits until it is there.
func (tab *Tab) Back() {
	tab.t.Helper()
	before := get(tab, "read the history", chromedp.NavigationEntries())
	if before.CurrentIndex == 0 {
		tab.t.Fatal("there is nothing to go back to")
	}
	// Not chromedp.NavigateBack, which waits for a page to load: a state of script loads none.
	entry := page.NavigateToHistoryEntryParams{EntryID: before.Entries[before.CurrentIndex-1].ID}
	tab.do("go back", chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, page.NavigateToHistoryEntry, entry)
		return err
	}))
	tab.waitUntil("be back", func(ctx context.Context) (bool, error) {
		now, err := chromedp.Run(ctx, chromedp.NavigationEntries())
		if err != nil || now.CurrentIndex != before.CurrentIndex-1 {
			return false, err
		}
		return chromedp.Run(ctx, chromedp.Evaluate[bool](`document.readyState === "complete"`))
	})
}

// Click clicks the middle of an element, once that is visible. A selector is of CSS, here
// and below, and means the first element that it fits.
func (tab *Tab) Click(selector string) {
	tab.t.Helper()
	tab.do("click "+selector, chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// Follow clicks what leads to another page, and waits until that is loaded.
func (tab *Tab) Follow(selector string) {
	tab.t.Helper()
	tab.do("follow "+selector, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.RunResponse(ctx, chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
		return err
	}))
}

// Type puts the focus on an element and types text, before the text that is in it.
func (tab *Tab) Type(selector, text string) {
	tab.t.Helper()
	tab.do("type into "+selector, chromedp.SendKeys(chromedp.CSS(selector), text, chromedp.NodeVisible))
}

// Text is what a reader sees of an element, once it is there.
func (tab *Tab) Text(selector string) string {
	tab.t.Helper()
	return get(tab, "text of "+selector, chromedp.Text(chromedp.CSS(selector)))
}

// Attribute is an attribute of an element, and whether it has it.
func (tab *Tab) Attribute(selector, name string) (value string, has bool) {
	tab.t.Helper()
	attribute := get(tab, name+" of "+selector, chromedp.AttributeValue(chromedp.CSS(selector), name))
	return attribute.Value, attribute.Exists
}

// Eval is the value of a JavaScript expression, or of its promise, through JSON. It works
// where the page's own script is off, but for promises.
func Eval[T any](tab *Tab, expression string) T {
	tab.t.Helper()
	return get(tab, expression, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// WaitVisible waits until an element is there and visible.
func (tab *Tab) WaitVisible(selector string) {
	tab.t.Helper()
	tab.do("wait for "+selector, chromedp.WaitVisible(chromedp.CSS(selector)))
}

// WaitFor waits until a JavaScript expression is true, on this page or on one that is loaded
// meanwhile. An expression that throws is not true yet.
func (tab *Tab) WaitFor(expression string) {
	tab.t.Helper()
	tab.waitUntil("wait for "+expression, func(ctx context.Context) (bool, error) {
		return chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
	})
}

// waitUntil asks again and again, within patience; an error is a no, as a page that is
// being left answers with one.
func (tab *Tab) waitUntil(what string, holds func(context.Context) (bool, error)) {
	tab.t.Helper()
	ctx, stop := context.WithTimeout(tab.ctx, patience)
	defer stop()
	last := errors.New("it stays false")
	for {
		yes, err := holds(ctx)
		if yes {
			return
		}
		if err != nil && ctx.Err() == nil {
			last = err
		}
		select {
		case <-ctx.Done():
			tab.t.Fatalf("%s: not within %v: %v", what, patience, last)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Screenshot writes a picture of the whole page to TEST-NAME.png in the folder that
// CITEWELL_SCREENSHOTS names; where it names none, there is no picture.
func (tab *Tab) Screenshot(name string) {
	tab.t.Helper()
	folder := os.Getenv("CITEWELL_SCREENSHOTS")
	if folder == "" {
		return
	}
	picture := get(tab, "take a picture", chromedp.FullScreenshot(100))
	file := strings.NewReplacer("/", "-", " ", "_").Replace(tab.t.Name()+"-"+name) + ".png"
	if err := os.MkdirAll(folder, 0o755); err != nil {
		tab.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, file), picture, 0o644); err != nil {
		tab.t.Fatal(err)
	}
}
