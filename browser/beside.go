package browser

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Beside opens another tab of the same reader: it has the same cookies, locks and connections.
// Both are seen, as in two windows.
func (tab *Tab) Beside() *Tab {
	tab.t.Helper()
	tab.Expect("window: ")
	other := &Tab{t: tab.t, options: tab.options}
	var end context.CancelFunc
	other.ctx, end = chromedp.NewContext(tab.ctx, chromedp.WithListener(other.hear))
	if err := chromedp.Do(other.ctx); err != nil {
		end()
		tab.t.Fatalf("open a tab beside another: %v", err)
	}
	tab.t.Cleanup(func() {
		other.judge()
		end()
		other.dialogs.Wait()
	})
	other.do("open a tab", chromedp.Func(watchPolicy))
	other.do("open a tab", chromedp.Func(tab.options.emulate))
	for _, seen := range []*Tab{tab, other} {
		seen.do("show a tab", chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			_, err := cdp.Call(ctx, target, emulation.SetFocusEmulationEnabled,
				emulation.SetFocusEmulationEnabledParams{Enabled: true})
			return err
		}))
	}
	return other
}

// Choose puts files of this machine into a field for files.
func (tab *Tab) Choose(selector string, files ...string) {
	tab.t.Helper()
	tab.do("choose files in "+selector, chromedp.SetUploadFiles(chromedp.CSS(selector), files))
}
