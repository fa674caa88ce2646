package intake_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/internal/turns"
)

func post(kind string, body io.Reader) *http.Request {
	r := httptest.NewRequest("POST", "/", body)
	r.Header.Set("Content-Type", kind)
	return r
}

func TestBodies(t *testing.T) {
	bodies := intake.NewBodies(10, 100, "say less") // more than what is never released here
	for _, test := range []struct {
		name   string
		r      *http.Request
		status int
		code   citewell.Code
	}{
		{"as_long_as_may_be", post("application/json; charset=utf-8", strings.NewReader("0123456789")), 0, ""},
		{"too_long", post("application/json", strings.NewReader("0123456789x")), 413, citewell.CodeInvalidArgument},
		{"too_long_and_not_said", post("application/json", io.MultiReader(strings.NewReader("0123456789x"))), 413,
			citewell.CodeInvalidArgument},
		{"another_type", post("text/plain", strings.NewReader("{}")), 415, citewell.CodeUnsupportedType},
		{"no_type", post("", strings.NewReader("{}")), 415, citewell.CodeUnsupportedType},
		{"broken", post("application/json", io.MultiReader(strings.NewReader("{"), broken{})), 400,
			citewell.CodeInvalidArgument},
	} {
		t.Run(test.name, func(t *testing.T) {
			body, _, err := bodies.JSON(httptest.NewRecorder(), test.r)
			if test.code == "" && (err != nil || string(body) != "0123456789") || test.code != "" &&
				(citewell.CodeOf(err) != test.code || intake.StatusOf(err) != test.status) {
				t.Errorf("%q, %v", body, err)
			}
		})
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("reset") }

// Clients that announce much and send little keep nobody out.
func TestWhatIsAnnouncedTakesNoRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bodies := intake.NewBodies(10, 20, "")
		var slow []*io.PipeWriter
		done := make(chan error, 5)
		for range 5 {
			body, send := io.Pipe()
			slow = append(slow, send)
			r := post("application/json", body)
			r.ContentLength = 10
			go func() {
				_, release, err := bodies.JSON(httptest.NewRecorder(), r)
				if err == nil {
					release()
				}
				done <- err
			}()
			io.WriteString(send, "{")
		}
		began := time.Now()
		_, release, err := bodies.JSON(httptest.NewRecorder(), post("application/json",
			strings.NewReader("0123456789")))
		if err != nil || time.Since(began) != 0 {
			t.Fatalf("%v after %v", err, time.Since(began))
		}
		release()
		for _, send := range slow {
			send.Close()
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
}

// Of bodies for which there is no room one goes beyond it, the others wait until there is
// some and are refused where there is none for long; what they held is free then.
func TestBodiesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bodies := intake.NewBodies(10, 10, "")
		read := func() (release func(), took time.Duration, err error) {
			began := time.Now()
			_, release, err = bodies.JSON(httptest.NewRecorder(), post("application/json",
				strings.NewReader("0123456789")))
			return release, time.Since(began), err
		}
		var held []func()
		for range 2 { // the room, and beyond it
			release, took, err := read()
			if err != nil || took != 0 {
				t.Fatalf("%v after %v", err, took)
			}
			held = append(held, release)
		}
		go func() { time.Sleep(time.Second); held[0]() }()
		release, took, err := read()
		if err != nil || took != time.Second {
			t.Fatalf("%v after %v", err, took)
		}
		if _, took, err := read(); citewell.CodeOf(err) != citewell.CodeRateLimited || intake.StatusOf(err) != 429 ||
			took != 10*time.Second {
			t.Errorf("%v after %v", err, took)
		}
		go func() { time.Sleep(time.Second); held[1]() }()
		next, took, err := read() // which goes beyond in its turn
		if err != nil || took != time.Second {
			t.Fatalf("%v after %v", err, took)
		}
		release()
		next()
		for range 2 {
			if _, took, err := read(); err != nil || took != 0 {
				t.Errorf("%v after %v", err, took)
			}
		}
	})
}

// A caller whose bodies hold half of the room waits, and others find room.
func TestRoomIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bodies := intake.NewBodies(10, 40, "")
		read := func(caller string) (release func(), took time.Duration, err error) {
			began := time.Now()
			r := post("application/json", strings.NewReader("0123456789"))
			_, release, err = bodies.JSON(httptest.NewRecorder(), r.WithContext(turns.As(r.Context(), "", caller)))
			return release, time.Since(began), err
		}
		for i, test := range []struct {
			caller string
			wait   time.Duration
			// the third goes beyond
		}{{"greedy", 0}, {"greedy", 0}, {"greedy", 0}, {"greedy", 10 * time.Second}, {"one", 0}, {"", 0}} {
			if _, took, err := read(test.caller); took != test.wait || (err != nil) != (test.wait > 0) {
				t.Errorf("%d, %q: %v after %v", i, test.caller, err, took)
			}
		}
	})
}

// Many large bodies at once, each of which comes piece by piece, all come in: none waits
// for another that waits for it.
func TestBodiesDoNotWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const each, clients = 1 << 20, 20
		bodies := intake.NewBodies(each, 4*each, "")
		var all sync.WaitGroup
		began := time.Now()
		for range clients {
			all.Go(func() {
				body, send := io.Pipe()
				go func() {
					for range each >> 16 {
						io.WriteString(send, strings.Repeat("0", 1<<16))
						time.Sleep(time.Millisecond)
					}
					send.Close()
				}()
				_, release, err := bodies.JSON(httptest.NewRecorder(), post("application/json", body))
				if err != nil {
					t.Error(err)
					return
				}
				release()
			})
		}
		all.Wait()
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

func TestByMethod(t *testing.T) {
	refused := errors.New("")
	said := func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "for "+r.Method) }
	h := intake.ByMethod(map[string]http.HandlerFunc{"POST": said, "GET": said},
		func(w http.ResponseWriter, err error) { refused = err; w.WriteHeader(intake.StatusOf(err)) })
	for _, method := range []string{"GET", "POST", "HEAD", "PUT", "OPTIONS", "get", "TRACE"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, "/", nil))
		switch method {
		case "GET", "POST", "HEAD":
			if w.Code != 200 || w.Body.String() != "for "+method {
				t.Errorf("%s: %d %s", method, w.Code, w.Body)
			}
		default:
			if w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD, POST" ||
				!strings.Contains(refused.Error(), method+" is not for this path") {
				t.Errorf("%s: %d %v %v", method, w.Code, w.Header(), refused)
			}
		}
	}
}

func TestChoose(t *testing.T) {
	offers := []string{"text/markdown; charset=utf-8", "text/html; charset=utf-8", "application/json"}
	for _, test := range []struct{ accept, want string }{
		{"", offers[0]},
		{"*/*", offers[0]},
		{"text/*", offers[0]},
		{"text/html", offers[1]},
		{"application/json", offers[2]},
		{"application/*", offers[2]},
		{"text/html;q=0.5, application/json;q=0.9", offers[2]},
		{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", offers[1]},
		{"*/*;q=0.1, text/markdown;q=0", offers[1]},
		{"text/html;q=none, application/json;q=0.1", offers[2]},
		{"TEXT/HTML", offers[1]},
		{"nonsense", offers[0]},
		{"image/png", ""},
		{"*/*;q=0", ""},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		if test.accept != "" {
			r.Header.Set("Accept", test.accept)
		}
		got, err := intake.Choose(r, offers...)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%q gives %q, %v", test.accept, got, err)
		}
	}
}
