package browser

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// sixty is a story of sixty citations.
func sixty() story {
	st := story{task: "What do sixty barges of Lowmere carry?", title: "The barges of Lowmere"}
	cargo := []string{"salt", "slate", "timber", "barley", "wool", "coal"}
	var content strings.Builder
	for i := range 6 {
		p := told{key: fmt.Sprintf("b%d", i), lang: "en", title: fmt.Sprintf("The barges of the %s quay", cargo[i])}
		for n := range 10 {
			said := fmt.Sprintf("Barge number %d of the %s quay carries %d tonnes of %s up the river in %d days.",
				10*i+n+1, cargo[i], 101+7*n+13*i, cargo[(i+n)%6], 2+n)
			p.paragraphs = append(p.paragraphs, said)
			fmt.Fprintf(&content, "%s {%s}\n\n", strings.TrimSuffix(said, "."), p.key)
		}
		st.pages = append(st.pages, p)
	}
	st.content = content.String()
	return st
}

// How soon a report of sixty citations is there, in milliseconds and for a machine that does
// nothing else: the server's time, the first paint of warm loads, and from a click on a
// number to its marked words. CITEWELL_PAINT asks for the figures of doc/page.md; without
// it what holds on any machine is held: that the page is small.
func TestPaint(t *testing.T) {
	st := sixty()
	s, run := shareStory(t, st)
	path := "/runs/" + run
	page := s.fetch(path)
	if n := len(s.reportOf(run).Findings); n != 60 {
		t.Fatalf("the report has %d findings", n)
	}
	tab := Open(t, Options{})
	tab.Goto(s.URL + path)
	assets := Eval[int](tab, `performance.getEntriesByType('resource').reduce((sum, r) => sum + r.decodedBodySize, 0)`)
	if all := len(page) + assets; all > 150_000 {
		t.Errorf("a report of 60 citations has %d bytes with all that it loads", all)
	}
	t.Logf("%d bytes of HTML, %d of style and script", len(page), assets)
	if os.Getenv("CITEWELL_PAINT") == "" {
		return
	}
	var served, painted, opened []time.Duration
	for range 200 {
		began := time.Now()
		s.fetch(path)
		served = append(served, time.Since(began))
	}
	for range 9 {
		tab.Reload()
		painted = append(painted, tab.Speed().FirstPaint)
	}
	for k := 2; k <= 60; k += 3 {
		took := Eval[float64](tab, fmt.Sprintf(`new Promise(resolve => {
			const began = performance.now();
			new MutationObserver((_, o) => { if (document.querySelector('.pane-in')?.dataset.k === '%d') { o.disconnect(); requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began))) } }).observe(document.body, {childList: true, subtree: true});
			document.getElementById('m%d').click();
		})`, k, k))
		opened = append(opened, milliseconds(took))
	}
	for what, times := range map[string][]time.Duration{"the server's time": served, "first paint": painted,
		"to the marked words": opened} {
		slices.Sort(times)
		t.Logf("%s: median %v, 95th of 100 %v, of %d", what, times[len(times)/2], times[len(times)*95/100], len(times))
	}
}
