package mcpserver

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/citewell/citewell/internal/server/intake"
)

// Large bodies wait for room, small ones do not, and nothing is held for ever.
func TestBodiesAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	synctest.Test(t, func(t *testing.T) {
		inside, leave := make(chan int, 100), make(chan struct{})
		h := bounded(intake.NewRoom(allBodies), http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			inside <- len(body)
			<-leave
		}))
		send := func(size int, said bool) {
			var body io.Reader = strings.NewReader(strings.Repeat("a", size))
			if !said {
				body = io.MultiReader(body) // httptest cannot know its length
			}
			r := httptest.NewRequest("POST", "/mcp", body)
			h.ServeHTTP(httptest.NewRecorder(), r)
		}
		const large, clients = 16 << 20, 20
		for range clients {
			go send(large, true)
		}
		synctest.Wait()
		in := len(inside)
		if in == 0 || in > allBodies/large+1 {
			t.Errorf("%d of %d large bodies are in", in, clients)
		}
		for range 10 {
			go send(100, true)
		}
		synctest.Wait()
		if got := len(inside); got != in+10 {
			t.Errorf("%d are in", got)
		}
		for range clients + 10 {
			leave <- struct{}{}
		}
		synctest.Wait()
		for range 50 { // small ones in chunks, which all run at once
			go send(100, false)
		}
		synctest.Wait()
		if got := len(inside); got != clients+10+50 {
			t.Errorf("%d were in", got)
		}
		close(leave)
		synctest.Wait()
		go send(maxMessage+1000, false)
		synctest.Wait()
		last := 0
		for range len(inside) {
			last = <-inside
		}
		if last != maxMessage+1 {
			t.Errorf("%d bytes of a body that is too large came in", last)
		}
	})
}
