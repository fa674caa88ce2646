package intake_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/server/intake"
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
		{"too_long_and_not_said", post("application/json", io.MultiReader(strings.NewReader("0123456789x"))), 413, citewell.CodeInvalidArgument},
		{"another_type", post("text/plain", strings.NewReader("{}")), 415, citewell.CodeUnsupportedType},
		{"no_type", post("", strings.NewReader("{}")), 415, citewell.CodeUnsupportedType},
		{"broken", post("application/json", io.MultiReader(strings.NewReader("{"), broken{})), 400, citewell.CodeInvalidArgument},
	} {
		t.Run(test.name, func(t *testing.T) {
			body, _, err := bodies.JSON(httptest.NewRecorder(), test.r)
			if test.code == "" && (err != nil || string(body) != "0123456789") || test.code != "" && (citewell.CodeOf(err) != test.code || intake.StatusOf(err) != test.status) {
				t.Errorf("%q, %v", body, err)
			}
		})
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("reset") }

// Bodies for which there is no room wait until there is.
func TestBodiesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bodies := intake.NewBodies(10, 10, "")
		slow, send := io.Pipe()
		first, second := make(chan error), make(chan error)
		read := func(body io.Reader, done chan<- error) {
			_, release, err := bodies.JSON(httptest.NewRecorder(), post("application/json", body))
			if err == nil {
				release()
			}
			done <- err
		}
		go read(slow, first)
		synctest.Wait()
		go read(strings.NewReader("{}"), second)
		synctest.Wait()
		select {
		case err := <-second:
			t.Errorf("the second did not wait: %v", err)
		default:
		}
		send.Close()
		if err := errors.Join(<-first, <-second); err != nil {
			t.Error(err)
		}
	})
}

func TestByMethod(t *testing.T) {
	refused := errors.New("")
	said := func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "for "+r.Method) }
	h := intake.ByMethod(map[string]http.HandlerFunc{"POST": said, "GET": said}, func(w http.ResponseWriter, err error) { refused = err; w.WriteHeader(intake.StatusOf(err)) })
	for _, method := range []string{"GET", "POST", "HEAD", "PUT", "OPTIONS", "get", "TRACE"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, "/", nil))
		switch method {
		case "GET", "POST", "HEAD":
			if w.Code != 200 || w.Body.String() != "for "+method {
				t.Errorf("%s: %d %s", method, w.Code, w.Body)
			}
		default:
			if w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD, POST" || !strings.Contains(refused.Error(), method+" is not for this path") {
				t.Errorf("%s: %d %v %v", method, w.Code, w.Header(), refused)
			}
		}
	}
}
