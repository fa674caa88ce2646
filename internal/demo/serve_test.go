package demo

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// ask sends one request to a handler without a network.
func ask(ctx context.Context, h http.Handler, url string) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequestWithContext(ctx, http.MethodGet, url, nil))
	return rec
}

func TestHosts(t *testing.T) {
	w, err := newWeb("127.0.0.1:8000", 0)
	if err != nil {
		t.Fatal(err)
	}
	h := w.handler()
	tests := []struct {
		host   string
		status int
		want   string
	}{
		{"skarrow-tidal.localhost:8000", 200, "<title>Power on the timetable of the moon | Skarrow Tidal"},
		{"skarrow-tidal.localhost", 200, "Skarrow Tidal"},
		{"SKARROW-Tidal.Localhost.:8000", 200, "Skarrow Tidal"},
		{"docs.larch.localhost:8000", 200, "Larch documentation"},
		{"localhost:8000", 200, "The demo web"},
		{"127.0.0.1:8000", 200, "The demo web"},
		{"[::1]:8000", 200, "The demo web"},
		{"search.localhost:8000", 200, "search the demo web"},
		{"elsewhere.localhost:8000", 421, "no site of the demo web"},
		{"skarrow-tidal", 421, "no site"},
		{"skarrow-tidal.example.org", 421, "no site"},
		{"192.0.2.1:8000", 421, "no site"},
	}
	for _, test := range tests {
		req := httptest.NewRequest(http.MethodGet, "/", nil)
		req.Host = test.host
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, req)
		if rec.Code != test.status || !strings.Contains(rec.Body.String(), test.want) {
			t.Errorf("%s: %d %.80q, want %d and %q", test.host, rec.Code, rec.Body, test.status, test.want)
		}
	}
}

func TestRedirects(t *testing.T) {
	w, client := start(t)
	tests := []struct {
		name, from, to string
		status         int
	}{
		{"within_the_site", w.URL("skarrow-tidal", "/facts"), "/plant", 301},
		{"to_another_site", w.URL("newsreel", "/go/skarrow-output"),
			w.URL("tidewater-institute", "/reports/skarrow-output"), 302},
		{"to_another_registered_domain", w.URL("larch-format", "/download"), w.URL("docs.larch", "/releases"), 301},
		{"trailing_slash", w.URL("skarrow-tidal", "/plant/"), "/plant", 301},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			resp, _ := get(t, client, test.from)
			if got := resp.Header.Get("Location"); resp.StatusCode != test.status || got != test.to {
				t.Errorf("%d to %s, want %d to %s", resp.StatusCode, got, test.status, test.to)
			}
		})
	}
}

func TestRobots(t *testing.T) {
	w, client := start(t)
	tests := []struct {
		host, want string
		status     int
	}{
		{"harbour-courier", "Disallow: /archive/\n", 200},
		{"docs.larch", "Disallow: /internal/\n", 200},
		{"wiki.openlore", "Disallow: /*?action=\n", 200},
		{"tidewater-institute", "", 404},
	}
	for _, test := range tests {
		resp, body := get(t, client, w.URL(test.host, "/robots.txt"))
		if resp.StatusCode != test.status || !strings.Contains(body, test.want) {
			t.Errorf("%s: %d %q", test.host, resp.StatusCode, body)
		}
		if test.status == 200 && resp.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%s: %s", test.host, resp.Header.Get("Content-Type"))
		}
	}
	for _, path := range []string{"/archive/2014/first-stone", "/archive/terms"} {
		if resp, _ := get(t, client, w.URL("harbour-courier", path)); resp.StatusCode != 200 {
			t.Errorf("robots.txt is a request, not a lock: %s is %d", path, resp.StatusCode)
		}
	}
}

func TestSlowPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, err := newWeb("127.0.0.1:8000", 0)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		rec := ask(t.Context(), w.handler(), w.URL("tidewater-institute", "/reports/long-tide-record"))
		if took := time.Since(began); took != 700*time.Millisecond || rec.Code != 200 {
			t.Errorf("the slow page answered %d after %v", rec.Code, took)
		}
		began = time.Now()
		ask(t.Context(), w.handler(), w.URL("tidewater-institute", "/reports/skarrow-output"))
		if took := time.Since(began); took != 0 {
			t.Errorf("another page took %v", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		began = time.Now()
		ask(ctx, w.handler(), w.URL("tidewater-institute", "/reports/long-tide-record"))
		if took := time.Since(began); took != 100*time.Millisecond {
			t.Errorf("a client that left was waited for, %v", took)
		}
	})
}

func TestPagesCanBeRevalidated(t *testing.T) {
	w, client := start(t)
	first, _ := get(t, client, w.URL("skarrow-tidal", "/plant"))
	if got, want := first.Header.Get("Last-Modified"), "Mon, 20 Jan 2025 00:00:00 GMT"; got != want {
		t.Errorf("Last-Modified %q, want %q", got, want)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL("skarrow-tidal", "/plant"), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("If-None-Match", first.Header.Get("ETag"))
	second, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	second.Body.Close()
	if second.StatusCode != http.StatusNotModified {
		t.Errorf("asked again with its ETag, the page is %d", second.StatusCode)
	}
}
