package browser

import (
	"context"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A tab that is closed while its run goes on misses nothing: whoever opens the run later has
// every row, in its order. One that stays is told no more than a line a step, and its meters
// go with what is spent.
func TestClosedTab(t *testing.T) {
	t.Parallel()
	m := researcher{hold: map[string]bool{"extract_page_content_tool": true}, goOn: make(chan bool)}
	goOn := sync.OnceFunc(func() { close(m.goOn) })
	defer goOn()
	s := serveWithModel(t, m)
	closed, stays := Open(t, Options{}), Open(t, Options{})
	run := closed.begin(s, larchQuestion)
	closed.WaitFor(`document.querySelector('.row.search')`)
	stays.Goto(s.URL + "/runs/" + run)
	Eval[any](stays,
		`(globalThis.spoken = [], new MutationObserver(() => spoken.push(document.getElementById('said').textContent)).observe(document.getElementById('said'), {childList: true, characterData: true, subtree: true}))`)
	stays.WaitFor(`document.querySelector('.meters').innerText.includes('1 of')`)
	before := Eval[string](stays, `document.querySelector('.meters').innerText`)
	if !strings.Contains(before, "0 of") || !strings.Contains(before, "fetches") {
		t.Errorf("before a page is read the meters say %s", before)
	}
	closed.Goto(s.URL + "/healthz?") // the reader has gone elsewhere
	closed.Expect("/favicon.ico")
	waitFault(closed, "console: Failed to load resource")
	goOn()
	stays.WaitFor(
		`document.querySelector('.row.read') && /1 of \d+ fetches/.test(document.querySelector('.meters').innerText)`)
	stays.WaitFor(`document.querySelector('.below a')`)
	spoken, steps := Eval[[]string](stays, `spoken`), Eval[int](stays, `document.querySelectorAll('.step').length`)
	if len(spoken) > steps+1 || !strings.Contains(strings.Join(spoken, "\n"), "It has ended") {
		t.Errorf("in %d steps the live region said %d things: %q", steps, len(spoken), spoken)
	}
	shown := stays.rows()
	closed.Goto(s.URL + "/runs/" + run + "/log")
	if anew := closed.rows(); len(anew) == 0 || !slices.Equal(anew, shown) {
		t.Errorf("shown as they came: %v; to who came back: %v", shown, anew)
	}
	closed.Goto(s.URL + "/runs/" + run)
	if said := closed.Text("#report"); !strings.Contains(said, "9 March 2022") {
		t.Errorf("who came back reads %s", said)
	}
}

// A stream that is refused is told with what helps, and the page goes on without it.
func TestRefusedStream(t *testing.T) {
	t.Parallel()
	m := researcher{hold: map[string]bool{"extract_page_content_tool": true}, goOn: make(chan bool)}
	goOn := sync.OnceFunc(func() { close(m.goOn) })
	defer goOn()
	s := serveWithModel(t, m)
	var refused atomic.Int32
	address := front(t, s, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		if strings.HasSuffix(r.URL.Path, "/events") {
			refused.Add(1)
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		pass.ServeHTTP(w, r)
	})
	run := s.begins(story{task: larchQuestion}, nil)
	tab := Open(t, Options{Width: 390, Touch: true})
	tab.Expect("429")
	tab.Goto(address + "/runs/" + run)
	tab.WaitFor(`/refused; asking again in \d+ s.*close other windows/.test(document.getElementById('stream').textContent)`)
	tab.WaitFor(`document.querySelector('.row.search')`)
	tab.Axe("a refused stream")
	tab.Screenshot("refused")
	goOn()
	tab.WaitFor(`document.querySelector('.below a')`)
	if refused.Load() < 2 {
		t.Error("the stream was not asked for again")
	}
}

// cli runs a command of the server's own home.
func (s *Server) cli(args ...string) string {
	s.t.Helper()
	program, err := build()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = s.home, s.environment()
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("citewell %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}

// refuses waits until a token opens nothing: the server reads of it in its own time.
func (s *Server) refuses(tab *Tab, token string) {
	s.t.Helper()
	tab.waitUntil("be refused", func(ctx context.Context) (bool, error) {
		r, err := http.NewRequestWithContext(ctx, "GET", s.URL+"/v1/runs", nil)
		if err != nil {
			return false, err
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return false, err
		}
		return resp.StatusCode == http.StatusUnauthorized, resp.Body.Close()
	})
}

// A reader whose token ends while a run is watched is asked for another, and comes back to
// that run with it; what is asked of the page from elsewhere is refused in words.
func TestTokenEnds(t *testing.T) {
	t.Parallel()
	m := researcher{hold: map[string]bool{"extract_page_content_tool": true}, goOn: make(chan bool)}
	goOn := sync.OnceFunc(func() { close(m.goOn) })
	defer goOn()
	s := serveWithModel(t, m)
	token := s.cli("token", "create", "ann", "--config", s.args[len(s.args)-1])
	tab := Open(t, Options{})
	tab.Expect("401")
	s.refuses(tab, "")
	tab.Goto(s.URL + "/")
	tab.Axe("sign in")
	tab.Screenshot("sign in")
	tab.Type("#token", token)
	tab.Follow("button.primary")
	run := tab.begin(s, larchQuestion)
	tab.WaitFor(`document.querySelector('.row.search') && document.getElementById('stream').textContent.includes('live')`)
	s.cli("token", "revoke", "ann", "--config", s.args[len(s.args)-1])
	s.refuses(tab, token)
	goOn() // there is news that the reader may not have
	tab.WaitVisible("#token")
	if said := tab.Text("#main"); !strings.Contains(said, "citewell token create") {
		t.Errorf("of a token that ended: %s", said)
	}
	if path := Eval[string](tab, `location.pathname`); path != "/runs/"+run {
		t.Errorf("the run is left for %s", path)
	}
}

// A run that ends at a limit says which, and what it had by then.
func TestLimitOnThePage(t *testing.T) {
	t.Parallel()
	s := serveWithModel(t, researcher{})
	run := s.begins(story{task: larchQuestion}, map[string]any{
		"budget": map[string]int{"fetches": 1, "searches": 1, "tokens": 600}})
	s.fetch("/v1/runs/" + run + "/events")
	tab := Open(t, Options{})
	tab.Goto(s.URL + "/runs/" + run)
	tab.Axe("at its limit")
	tab.Screenshot("limit")
	if said := tab.Text("#main"); !strings.Contains(said, "Ended at its limit") || !strings.Contains(said, "tokens") {
		t.Errorf("a run at its limit says %s", said)
	}
	tab.Goto(s.URL + "/runs/" + run + "/log")
	if said := tab.Text(".meters"); !strings.Contains(said, "of 600 tokens") {
		t.Errorf("its meters say %s", said)
	}
}
