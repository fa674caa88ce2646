package server

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
)

// Each answer is heard of once, by the pattern of its route and its status, however its
// handler gave it; a stream flushes as before.
func TestWatched(t *testing.T) {
	type heard struct {
		route  string
		status int
	}
	type within struct{}
	var all []heard
	mux := http.NewServeMux()
	mux.HandleFunc("GET /said/{what}", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(http.StatusTeapot)
		w.WriteHeader(http.StatusOK) // too late
	})
	mux.HandleFunc("/written", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "x") })
	mux.HandleFunc("/silent", func(_ http.ResponseWriter, r *http.Request) {
		if r.Context().Value(within{}) != true {
			t.Error("it is not answered as watch gave it")
		}
	})
	mux.HandleFunc("/broken", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	mux.HandleFunc("/flushed", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "x")
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
	})
	h := watched(mux, func(r *http.Request) (*http.Request, func(string, int)) {
		return r.WithContext(context.WithValue(r.Context(), within{}, true)), func(route string, status int) {
			all = append(all, heard{route, status})
		}
	})
	for _, path := range []string{"/said/secret?q=word", "/written", "/silent", "/broken", "/flushed", "/nowhere"} {
		func() {
			defer func() { _ = recover() }() // net/http does so
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
		}()
	}
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/said/x", nil))
	want := []heard{{"GET /said/{what}", 418}, {"/written", 200}, {"/silent", 200}, {"/broken", 500}, {"/flushed", 200},
		{"", 404}, {"", 405}}
	if !slices.Equal(all, want) {
		t.Errorf("heard %v, want %v", all, want)
	}
}
