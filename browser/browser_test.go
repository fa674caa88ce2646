package browser

import (
	"context"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

// A judged stands for a test that tabs fail: it keeps what its tab has to say at its end. A
// step that cannot be done fails the real one.
type judged struct {
	testing.TB
	said     []string
	cleanups []func()
}

func (j *judged) Helper()                      {}
func (j *judged) Cleanup(f func())             { j.cleanups = append(j.cleanups, f) }
func (j *judged) Error(args ...any)            { j.said = append(j.said, fmt.Sprint(args...)) }
func (j *judged) Errorf(form string, a ...any) { j.said = append(j.said, fmt.Sprintf(form, a...)) }

// faultsOf is what a test is told that does steps in a tab.
func faultsOf(t *testing.T, options Options, steps func(*Tab)) (said []string) {
	t.Helper()
	j := &judged{TB: t}
	defer func() {
		for _, end := range slices.Backward(j.cleanups) {
			end()
		}
		said = j.said
	}()
	steps(Open(j, options))
	return nil
}

// policy is the strictest that a page of ours has.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
	"trusted-types 'none'"

// pages serves files by path, all with the same headers.
func pages(t *testing.T, headers map[string]string, bodies map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := bodies[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		for name, value := range headers {
			w.Header().Set(name, value)
		}
		kind := "text/html; charset=utf-8"
		switch {
		case strings.HasSuffix(r.URL.Path, ".js"):
			kind = "text/javascript"
		case strings.HasSuffix(r.URL.Path, ".css"):
			kind = "text/css"
		}
		w.Header().Set("Content-Type", kind)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// document is a page that has nothing wrong, with more in it.
func document(more string) string {
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Larch</title><meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"></head><body><main><h1>Larch</h1>` + more + `</main></body></html>`
}

// waitFault waits for a fault that a page commits after it is loaded.
func waitFault(tab *Tab, beginning string) {
	tab.t.Helper()
	tab.waitUntil("hear of "+beginning, func(context.Context) (bool, error) {
		tab.faults.mu.Lock()
		defer tab.faults.mu.Unlock()
		return slices.ContainsFunc(tab.faults.said, func(fault string) bool {
			return strings.HasPrefix(fault, beginning)
		}), nil
	})
}

// Each fault of a page fails the test that sees it, and is told by its kind. What is broken
// of the policy or cannot be loaded is told by the console as well.
func TestFaults(t *testing.T) {
	strict := map[string]string{"Content-Security-Policy": policy}
	const unresolved = "console: Failed to load resource: net::ERR_NAME_NOT_RESOLVED"
	tests := []struct {
		name    string
		headers map[string]string
		more    string   // of the document
		want    []string // what each thing that is said begins with
	}{
		{"nothing", strict, `<p>It is <em>fine</em>.</p><script src="/quiet.js"></script>`, nil},
		{"foreign_image", nil, `<img src="http://tracker.example/dot.png" alt="">`,
			[]string{"foreign request: GET http://tracker.example/dot.png", unresolved}},
		{"foreign_frame", nil,
			`<iframe title="more" sandbox srcdoc="<img src='http://tracker.example/dot.png'>"></iframe>`,
			[]string{"foreign request: GET http://tracker.example/dot.png", unresolved}},
		{"foreign_fetch", nil, `<script>fetch("http://tracker.example/", {method: "POST"}).catch(() => {})</script>`,
			[]string{"foreign request: POST http://tracker.example/", unresolved}},
		{"foreign_beacon", nil, `<script>navigator.sendBeacon("http://tracker.example/")</script>`,
			[]string{"foreign request: POST http://tracker.example/", unresolved}},
		{"foreign_socket", nil, `<script>new WebSocket("ws://tracker.example/")</script>`,
			[]string{"foreign request: GET ws://tracker.example/", "console: WebSocket connection"}},
		{"another_port", nil, `<script>fetch("http://127.0.0.1:9/").catch(() => {})</script>`,
			[]string{"foreign request: GET http://127.0.0.1:9/", "console: Failed to load"}},
		{"forbidden_image", strict, `<img src="http://tracker.example/dot.png" alt="">`,
			[]string{"policy: img-src kURLViolation http://tracker.example/dot.png", "console: Loading the image",
				"foreign request: GET http://tracker.example/dot.png"}},
		{"inline_style", strict, `<p style="color: red">Red</p>`,
			[]string{"policy: style-src-attr", "console: Applying inline style"}},
		{"inline_script", strict, `<script>document.title = "x"</script>`,
			[]string{"policy: script-src-elem", "console: Executing inline script"}},
		{"inner_html", strict, `<script src="/inner.js"></script>`,
			[]string{"policy: require-trusted-types-for", "console: This document requires 'TrustedHTML'",
				"exception: Uncaught TypeError"}},
		{"console", nil, `<script>console.log("fine"); console.error("it is", 7)</script>`,
			[]string{`console: "it is" 7`}},
		{"not_found", nil, `<img src="/absent.png" alt="">`, []string{
			"console: Failed to load resource: the server responded with a status of 404"}},
		{"exception", nil, `<script>throw new Error("oh")</script>`, []string{"exception: Uncaught Error: oh"}},
		{"rejection", nil, `<script>Promise.reject(new Error("oh"))</script>`,
			[]string{"exception: Uncaught (in promise) Error: oh"}},
		{"dialog", nil, `<script>confirm("sure?") && fetch("http://tracker.example/")</script>`,
			[]string{`dialog: confirm "sure?"`}},
		{"window", nil, `<a id="go" href="/quiet.js" target="_blank">More</a>`, []string{"window: "}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := pages(t, test.headers, map[string]string{"/": document(test.more), "/quiet.js": "",
				"/inner.js": "document.body.innerHTML = ''"})
			visit := func(tab *Tab) {
				tab.Goto(server + "/")
				if strings.Contains(test.more, "id=") {
					tab.Click("#go")
				}
				for _, want := range test.want {
					waitFault(tab, want)
				}
			}
			said := faultsOf(t, Options{}, func(tab *Tab) {
				visit(tab)
				tab.judge() // with nothing expected
				for _, want := range test.want {
					tab.Expect(want)
				}
				tab.Expect("a crocodile")
			})
			last := len(said) - 1
			for _, fault := range said[:last] {
				if !slices.ContainsFunc(test.want, func(want string) bool { return strings.HasPrefix(fault, want) }) {
					t.Errorf("%q is said as well", fault)
				}
			}
			if last < len(test.want) {
				t.Errorf("the test is told %q alone", said)
			}
			if said[last] != "expected, and did not come: a crocodile" {
				t.Errorf("with the faults expected: %q", said)
			}
		})
	}
}

// A page with every fault that axe-core is here to find is told of each, at its place.
func TestAxe(t *testing.T) {
	t.Parallel()
	server := pages(t, map[string]string{"Content-Security-Policy": policy}, map[string]string{
		"/": document(`<p>It is fine.</p>`),
		"/faulty": strings.Replace(document(
			`<p class="pale">pale</p><h3>low</h3><input><a class="small" href="/1">1</a><a class="small" href="/2">2</a>`),
			"<main>", `<link rel="stylesheet" href="/pale.css"><main>`, 1),
		"/pale.css": ".pale { color: #ccc; background: #fff } .small { display: inline-block; width: 10px; height: " +
			"10px; overflow: hidden }",
	})
	for name, options := range map[string]Options{"desktop": {}, "phone": {Width: 390, Touch: true, Dark: true},
		"no_script": {NoScript: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := faultsOf(t, options, func(tab *Tab) {
				tab.Goto(server + "/")
				tab.Axe("the fine page")
				tab.Axe("the fine page again")
			})
			if len(said) != 0 {
				t.Errorf("of a page without a fault: %q", said)
			}
			said = faultsOf(t, options, func(tab *Tab) {
				tab.Goto(server + "/faulty")
				tab.Axe("the page")
			})
			all := strings.Join(said, "\n")
			for _, want := range []string{"the page: color-contrast at p: ", "the page: label at input: ",
				"the page: heading-order at h3: ", "the page: target-size at "} {
				if !strings.Contains(all, want) {
					t.Errorf("no %q in\n%s", want, all)
				}
			}
		})
	}
}

// A tab is the reader whom its options describe, and no other.
func TestOptions(t *testing.T) {
	t.Parallel()
	server := pages(t, nil, map[string]string{"/": document(
		`<p id="text">0123456789</p><script>document.querySelector("h1").textContent = "by script"</script>`)})
	media := func(query string) string { return fmt.Sprintf("matchMedia(%q).matches", "("+query+")") }
	tests := []struct {
		name    string
		options Options
		truths  []string
	}{
		{"zero", Options{}, []string{"innerWidth === 1280", "innerHeight === 800", media("prefers-color-scheme: light"),
			media("forced-colors: none"), media("prefers-reduced-motion: no-preference"), media("pointer: fine"),
			`getComputedStyle(document.body).fontSize === "16px"`,
			`document.querySelector("h1").textContent === "by script"`, "document.visibilityState === 'visible'",
			"isSecureContext"}},
		{"width", Options{Width: 390, Height: 700}, []string{"innerWidth === 390", "innerHeight === 700"}},
		{"touch", Options{Width: 390, Touch: true}, []string{"innerWidth === 390", media("pointer: coarse"),
			media("hover: none")}},
		{"dark", Options{Dark: true}, []string{media("prefers-color-scheme: dark"), media("forced-colors: none")}},
		{"forced_colors", Options{ForcedColors: true}, []string{media("forced-colors: active")}},
		{"reduced_motion", Options{ReducedMotion: true}, []string{media("prefers-reduced-motion: reduce")}},
		{"no_script", Options{NoScript: true}, []string{`document.querySelector("h1").textContent === "Larch"`}},
		{"text_zoom", Options{TextZoom: 2}, []string{`getComputedStyle(document.body).fontSize === "32px"`,
			"innerWidth === 1280"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tab := Open(t, test.options)
			tab.Goto(server + "/")
			for _, truth := range test.truths {
				if !Eval[bool](tab, truth) {
					t.Errorf("not true: %s", truth)
				}
			}
		})
	}
}

// What a reader does, by mouse and by keyboard, with states of script in the history and
// without script.
func TestReader(t *testing.T) {
	t.Parallel()
	server := pages(t, map[string]string{"Content-Security-Policy": policy}, map[string]string{
		"/": document(
			`<form action="/next"><label>Words <input name="q"></label> <button id="state" type="button">State</button><button>Go</button></form><p id="late" hidden>late</p><script src="/app.js"></script>`),
		"/next": document(`<p id="there" title="yes">You are there.</p><a id="home" href="/">Home</a>`),
		"/app.js": `document.querySelector("#state").onclick = () => { history.pushState(null, "", "/state"); setTimeout(() => { document.querySelector("#late").hidden = false }, 50) };
			addEventListener("keydown", e => { document.title += " " + (e.ctrlKey ? "Control+" : "") + (e.shiftKey ? "Shift+" : "") + e.key });`,
	})
	tab := Open(t, Options{})
	tab.Goto(server + "/")
	if got := tab.Text("h1"); got != "Larch" {
		t.Errorf("the heading is %q", got)
	}
	tab.Click("#state")
	tab.WaitVisible("#late")
	if got := Eval[string](tab, "location.pathname"); got != "/state" {
		t.Errorf("the state is at %s", got)
	}
	tab.Back()
	if got := Eval[string](tab, "location.pathname"); got != "/" {
		t.Errorf("back is %s", got)
	}
	tab.Press("/", "Control+Shift+ArrowDown", "Escape", "+")
	if got := Eval[string](tab, "document.title"); got != "Larch / Control+Shift+ArrowDown Escape Shift++" {
		t.Errorf("pressed: %q", got)
	}
	tab.Type("input", "a b?")
	tab.Press("Tab", "Tab")
	if got := Eval[string](tab, "document.activeElement.textContent"); got != "Go" {
		t.Errorf("the focus is on %q", got)
	}
	tab.Press("Enter")
	tab.WaitFor(`location.pathname === "/next" && document.querySelector("#there").title`)
	if got := Eval[string](tab, "location.search"); got != "?q=a+b%3F" {
		t.Errorf("the form sent %q", got)
	}
	if got, has := tab.Attribute("#there", "title"); got != "yes" || !has {
		t.Errorf("the title is %q, %v", got, has)
	}
	if _, has := tab.Attribute("#there", "lang"); has {
		t.Error("it has an attribute that it lacks")
	}

	tab = Open(t, Options{NoScript: true})
	tab.Goto(server + "/next")
	tab.Follow("#home")
	if got := tab.Text("button:last-of-type"); got != "Go" {
		t.Errorf("home has %q", got)
	}
	tab.Back()
	tab.Reload()
	tab.WaitVisible("#there")
}

// Who sits where somebody else has sat finds nothing of theirs.
func TestNothingIsLeftBehind(t *testing.T) {
	t.Parallel()
	server := pages(t, map[string]string{"Cache-Control": "max-age=3600"},
		map[string]string{"/": document(`<p id="text">x</p>`)})
	traces := `[document.cookie, localStorage.taste || '', sessionStorage.taste || '', history.length, innerWidth, matchMedia('(prefers-color-scheme: dark)').matches, matchMedia('(pointer: fine)').matches,
		getComputedStyle(document.body).fontSize, performance.getEntriesByType('navigation')[0].transferSize > 300].join(' ')`
	for range 2 {
		said := faultsOf(t, Options{Width: 390, Touch: true, Dark: true, TextZoom: 2}, func(tab *Tab) {
			tab.Goto(server + "/")
			Eval[any](tab,
				`(document.cookie = 'taste=sweet', localStorage.taste = 'sour', sessionStorage.taste = 'salt', history.pushState(null, '', '#there'))`)
			call(tab, "let script read the clipboard", browser.SetPermission,
				browser.SetPermissionParams{Permission: &browser.PermissionDescriptor{Name: "clipboard-read"},
					Setting: browser.PermissionSettingGranted, Origin: server, BrowserContextID: tab.profile()})
		})
		if len(said) > 0 {
			t.Fatal(said)
		}
		tab := Open(t, Options{})
		tab.Goto(server + "/")
		if got := Eval[string](tab, traces); got != "   2 1280 false true 16px true" {
			t.Errorf("it finds %s", got)
		}
		if got := Eval[string](tab, `navigator.permissions.query({name: 'clipboard-read'}).then(p => p.state)`); got !=
			"prompt" {
			t.Errorf("to read the clipboard is %s", got)
		}
	}
}

// Each tab has a profile of its own.
func TestProfiles(t *testing.T) {
	t.Parallel()
	server := pages(t, nil, map[string]string{"/": document("")})
	one, other := Open(t, Options{}), Open(t, Options{})
	one.Goto(server + "/")
	other.Goto(server + "/")
	Eval[string](one, `document.cookie = "taste=sweet"`)
	if got := Eval[string](other, "document.cookie"); got != "" {
		t.Errorf("the other profile has %q", got)
	}
}

// The same server under plain.test is one of a local network, without a secure context.
func TestPlainOrigin(t *testing.T) {
	t.Parallel()
	server := pages(t, nil, map[string]string{"/": document("")})
	tab := Open(t, Options{})
	tab.Goto(strings.Replace(server, "127.0.0.1", "plain.test", 1) + "/")
	if Eval[bool](tab, "isSecureContext") {
		t.Error("plain.test is a secure context")
	}
}

// What moves, what keeps the page busy and when it is painted are numbers.
func TestSpeed(t *testing.T) {
	t.Parallel()
	server := pages(t, nil, map[string]string{
		"/still": document(`<p>Still</p>`),
		"/moved": document(`<p id="pushed">Pushed</p>`),
	})
	tab := Open(t, Options{})
	tab.Goto(server + "/still")
	still := tab.Speed()
	if still.FirstPaint <= 0 || still.LayoutShift != 0 {
		t.Errorf("a still page: %+v", still)
	}
	tab.Goto(server + "/moved")
	tab.Speed() // once it is painted
	Eval[bool](tab, `new Promise(resolve => setTimeout(() => {
		const wide = document.createElement("div");
		wide.style.height = "300px";
		document.querySelector("main").prepend(wide);
		for (const end = performance.now() + 120; performance.now() < end;);
		resolve(true);
	}))`)
	moved := tab.Speed()
	if moved.LayoutShift <= 0 || !slices.ContainsFunc(moved.LongTasks, func(task time.Duration) bool {
		return task >= 100*time.Millisecond && task < patience
	}) {
		t.Errorf("a moved page: %+v", moved)
	}
}

// Pictures go where the environment says, and nowhere else.
func TestScreenshot(t *testing.T) {
	server := pages(t, nil, map[string]string{"/": document("")})
	folder := filepath.Join(t.TempDir(), "pictures")
	t.Setenv("CITEWELL_SCREENSHOTS", "")
	tab := Open(t, Options{Width: 390})
	tab.Goto(server + "/")
	tab.Screenshot("none")
	t.Setenv("CITEWELL_SCREENSHOTS", folder)
	tab.Screenshot("the page")
	files, err := os.ReadDir(folder)
	if err != nil || len(files) != 1 || files[0].Name() != "TestScreenshot-the_page.png" {
		t.Fatalf("%v, %v", files, err)
	}
	file, err := os.Open(filepath.Join(folder, files[0].Name()))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if size, err := png.DecodeConfig(file); err != nil || size.Width != 390 {
		t.Errorf("the picture is %d wide: %v", size.Width, err)
	}
}

// A server answers the browser, is gone when it is killed, and comes back at its address.
func TestServe(t *testing.T) {
	t.Parallel()
	server := Serve(t, "serve")
	tab := Open(t, Options{})
	tab.Expect("/favicon.ico") // which the browser asks for where a page names no icon
	tab.Goto(server.URL + "/healthz")
	waitFault(tab, "console: Failed to load resource")
	body := tab.Text("body")
	if !strings.Contains(body, "ok") {
		t.Errorf("it answers %q", body)
	}
	address := server.URL
	for _, end := range []func(){server.Kill, server.Stop} {
		end()
		if resp, err := http.Get(address + "/healthz"); err == nil {
			resp.Body.Close()
			t.Error("it answers after its end")
		}
		server.Start()
		tab.Goto(address + "/healthz")
		if server.URL != address || tab.Text("body") != body {
			t.Errorf("it is back at %s with %q", server.URL, tab.Text("body"))
		}
	}
}
