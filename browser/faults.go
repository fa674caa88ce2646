package browser

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// settling is how long a tab is watched after its test: what the browser's own process tells
// of a page may come after the page's answers.
const settling = 100 * time.Millisecond

// faults are what a tab's pages did that no page of ours may do.
type faults struct {
	mu       sync.Mutex
	hosts    map[string]bool // with their ports, which the test went to
	said     []string
	expected []string
}

func (f *faults) allow(host string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.hosts == nil {
		f.hosts = map[string]bool{}
	}
	f.hosts[host] = true
}

func (f *faults) add(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.said = append(f.said, fmt.Sprintf(format, args...))
}

// addRequest adds a request to a host that the test did not go to. What a page carries in
// itself asks nobody.
func (f *faults) addRequest(method, address string) {
	u, err := url.Parse(address)
	f.mu.Lock()
	own := err == nil && (f.hosts[u.Host] && u.Host != "" ||
		slices.Contains([]string{"data", "blob", "about"}, u.Scheme))
	f.mu.Unlock()
	if !own {
		f.add("foreign request: %s %s", method, address)
	}
}

// left are the faults that the test did not expect, and what it expected in vain.
func (f *faults) left() (unmeant, inVain []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, fault := range f.said {
		if !slices.ContainsFunc(f.expected, func(words string) bool { return strings.Contains(fault, words) }) {
			unmeant = append(unmeant, fault)
		}
	}
	for _, words := range f.expected {
		if !slices.ContainsFunc(f.said, func(fault string) bool { return strings.Contains(fault, words) }) {
			inVain = append(inVain, words)
		}
	}
	return unmeant, inVain
}

// Expect says that the test means to see faults with these words, one or more: they are let
// pass, and the test fails where none has come by its end. A fault begins with its kind:
// "foreign request" (one that the policy stopped too), "policy", "console", "exception",
// "dialog", "window", "crash". What breaks the policy or cannot be loaded is told by the
// console as well.
func (tab *Tab) Expect(words string) {
	tab.faults.mu.Lock()
	defer tab.faults.mu.Unlock()
	tab.faults.expected = append(tab.faults.expected, words)
}

// judge fails the test for the tab's faults.
func (tab *Tab) judge() {
	tab.t.Helper()
	time.Sleep(settling)
	unmeant, inVain := tab.faults.left()
	for _, fault := range unmeant {
		tab.t.Error(fault)
	}
	for _, words := range inVain {
		tab.t.Errorf("expected, and did not come: %s", words)
	}
}

// watchPolicy has the browser tell of each breach of a page's content security policy.
func watchPolicy(ctx context.Context, t *chromedp.Target) error {
	_, err := cdp.Call(ctx, t, audits.Enable, cdp.Empty{})
	return err
}

// hear takes each event of the tab. It runs where the tab's messages are read, and must not wait.
func (tab *Tab) hear(event any) {
	f := &tab.faults
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		f.addRequest(e.Request.Method, e.Request.URL)
	case *network.EventWebSocketCreated:
		f.addRequest("GET", e.URL)
	case *audits.EventIssueAdded:
		if breach := e.Issue.Details.ContentSecurityPolicyIssueDetails; breach != nil {
			f.add("policy: %s %s%s", breach.ViolatedDirective, breach.ContentSecurityPolicyViolationType,
				location(breach))
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeAssert {
			f.add("console: %s", arguments(e.Args))
		}
	case *runtime.EventExceptionThrown:
		f.add("exception: %s", exception(e.ExceptionDetails))
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			f.add("console: %s %s", e.Entry.Text, e.Entry.URL)
		}
	case *page.EventJavascriptDialogOpening:
		f.add("dialog: %s %q", e.Type, e.Message)
		tab.dialogs.Go(tab.closeDialog)
	case *inspector.EventTargetCrashed:
		f.add("crash: the page's process ended")
	}
}

func location(breach *audits.ContentSecurityPolicyIssueDetails) string {
	where := ""
	if breach.BlockedURL != "" {
		where += " " + breach.BlockedURL
	}
	if at := breach.SourceCodeLocation; at != nil {
		where += fmt.Sprintf(" at %s:%d", at.URL, at.LineNumber+1)
	}
	return where
}

func exception(e *runtime.ExceptionDetails) string {
	if e.Exception == nil {
		return e.Text
	}
	return e.Text + " " + arguments([]*runtime.RemoteObject{e.Exception})
}

func arguments(args []*runtime.RemoteObject) string {
	var words []string
	for _, arg := range args {
		if arg.Description != "" {
			words = append(words, arg.Description)
		} else {
			words = append(words, string(arg.Value))
		}
	}
	return strings.Join(words, " ")
}

// closeDialog answers a dialog with no: a page stands still until somebody answers.
func (tab *Tab) closeDialog() {
	ctx, stop := context.WithTimeout(tab.ctx, patience)
	defer stop()
	// It may be gone already, with its page.
	_, _ = chromedp.Call(ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: false})
}

// hearWindows takes the browser's events of windows that are opened in the tab's profile:
// their requests are seen by nobody.
func (tab *Tab) hearWindows(event any) {
	c := chromedp.FromContext(tab.ctx)
	if e, ok := event.(*target.EventTargetCreated); ok && e.TargetInfo.BrowserContextID == c.BrowserContextID &&
		e.TargetInfo.Type == "page" {
		tab.faults.add("window: %s", e.TargetInfo.URL)
	}
}
