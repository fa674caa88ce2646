// Package browser tests Citewell's pages in a real browser, Debian's chromium. It holds the harness and the tests of
// pages.
//
// Flow: Main runs the tests → Serve starts the citewell binary → Open opens a Tab → Goto, Click, Text, Axe … → at the
// test's end the tab fails it if a page asked another host, broke its content security policy, wrote an error to the
// console, or opened a dialog or a window. Tab.Expect names those that the test intends.
// Units: lengths in CSS pixels, times in time.Duration.
// Errors: a method that cannot do its work ends the test that opened the tab. Without a browser the test skips and
// names it; under CI=true that is a failure.
// Concurrency: one browser for the test binary and one profile for each tab, so tests may run in parallel; a Tab and a
// Server belong to one test.
// For tests only: nothing that ships imports it.
package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/citewell/citewell/internal/testing/realpart"
)

// patience bounds one step of a test: a page that loads, an element that appears, a process
// that ends. Each takes a moment, on a machine that has other things to do.
const patience = 30 * time.Second

// workFolder has the browser's home and the binary while the tests run.
var workFolder string

// ends are what ends with the tests: the browser, and what several of them ask.
var ends struct {
	mu  sync.Mutex
	all []func()
}

// atEnd has end called after the last test, before those of earlier calls.
func atEnd(end func()) {
	ends.mu.Lock()
	defer ends.mu.Unlock()
	ends.all = append(ends.all, end)
}

// Main runs the tests of a package, which calls it in TestMain, and returns the exit code.
func Main(m *testing.M) int {
	var err error
	if workFolder, err = os.MkdirTemp("", "citewell-browser-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(workFolder)
	defer func() {
		for _, end := range slices.Backward(ends.all) {
			end()
		}
	}()
	return m.Run()
}

// launch starts the browser at the first test that needs it. No name outside this machine
// is looked up: 127.0.0.1 is the server, and plain.test is the same server as a browser sees
// one of the local network, where a page has no secure context. Frames stay in the process
// of their page, whose requests are then seen in one place.
var launch = sync.OnceValues(func() (context.Context, error) {
	program, err := exec.LookPath("chromium")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", realpart.ErrAbsent, err)
	}
	home := filepath.Join(workFolder, "chromium")
	flags := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(program),
		chromedp.UserDataDir(home),
		chromedp.Env("HOME=" + home),
		chromedp.NoFirstRun,
		chromedp.Flag("headless", true),
		chromedp.Flag("disable-gpu", true),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-features", "IsolateSandboxedIframes"),
		chromedp.Flag("disable-dev-shm-usage", true), // 64 MiB in a container
		// a mouse
		chromedp.Flag("blink-settings",
			"primaryPointerType=4,availablePointerTypes=4,primaryHoverType=2,availableHoverTypes=2"),
		chromedp.Flag("host-resolver-rules", "MAP plain.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
	}
	if os.Geteuid() == 0 { // the browser's own sandbox refuses to run as root
		flags = append(flags, chromedp.NoSandbox)
	}
	allocator, end := chromedp.NewExecAllocator(context.Background(), flags...)
	ctx, _ := chromedp.NewContext(allocator)
	if err := chromedp.Do(ctx); err != nil {
		end()
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	atEnd(func() {
		ctx, stop := context.WithTimeout(ctx, patience)
		defer stop()
		if err := chromedp.Cancel(ctx); err != nil {
			fmt.Fprintln(os.Stderr, "close the browser:", err)
		}
		end()
	})
	return ctx, nil
})
