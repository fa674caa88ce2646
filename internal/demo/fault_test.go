package demo

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
)

func TestFaultShapes(t *testing.T) {
	w, client := start(t)
	urls := map[string]string{
		SearXNG:    w.SearchURL() + "/search?format=json&q=" + url.QueryEscape(craneQuery),
		DuckDuckGo: w.DuckDuckGoURL() + "?q=" + url.QueryEscape(craneQuery),
	}
	tests := []struct {
		endpoint, mode string
		status         int
		contentType    string
		want, lacks    string
	}{
		{SearXNG, ModeOK, 200, "application/json", "amber-crane", `"results":[]`},
		{SearXNG, Mode429, 429, "text/plain", "Too Many Requests", "{"},
		{SearXNG, Mode403, 403, "text/html", "403 Forbidden", "{"},
		{SearXNG, Mode500, 500, "text/html", "Internal Server Error", "{"},
		{SearXNG, ModeHTML, 200, "text/html", "guest network", "result"},
		{SearXNG, ModeEmpty, 200, "application/json", `"results":[]`, "CAPTCHA"},
		{SearXNG, ModeEmpty, 200, "application/json", `"unresponsive_engines":[]`, "localhost"},
		{SearXNG, ModeBlocked, 200, "application/json", `"results":[]`, "timeout"},
		{SearXNG, ModeBlocked, 200, "application/json", `["openlore","CAPTCHA"]`, "localhost"},
		{SearXNG, ModeEnginesDown, 200, "application/json", `"unresponsive_engines":[["harbour index","timeout"]`,
			"CAPTCHA"},
		{SearXNG, ModeEnginesDown, 200, "application/json", `"results":[]`, "localhost"},
		{SearXNG, ModeRedirect, 302, "text/html", "elsewhere.localhost", "amber-crane"},
		{DuckDuckGo, ModeOK, 200, "text/html", `class="result__a"`, "no-results"},
		{DuckDuckGo, Mode429, 429, "text/plain", "Too Many Requests", "result__a"},
		{DuckDuckGo, Mode403, 403, "text/html", "If this error persists", "result__a"},
		{DuckDuckGo, Mode500, 500, "text/html", "Internal Server Error", "result__a"},
		{DuckDuckGo, ModeHTML, 200, "text/html", "guest network", "result__a"},
		{DuckDuckGo, ModeEmpty, 200, "text/html", "No results found for <b>" + craneQuery, "result__a"},
		{DuckDuckGo, ModeBlocked, 202, "text/html", "bots use DuckDuckGo too", "result__a"},
		{DuckDuckGo, ModeRedirect, 302, "text/html", "elsewhere.localhost", "result__a"},
	}
	for _, test := range tests {
		t.Run(test.endpoint+"_"+test.mode, func(t *testing.T) {
			if err := w.Fail(test.endpoint, test.mode); err != nil {
				t.Fatal(err)
			}
			resp, body := get(t, client, urls[test.endpoint])
			if resp.StatusCode != test.status || !strings.HasPrefix(resp.Header.Get("Content-Type"), test.contentType) {
				t.Errorf("%d %s, want %d %s", resp.StatusCode, resp.Header.Get("Content-Type"), test.status,
					test.contentType)
			}
			if !strings.Contains(body, test.want) || strings.Contains(body, test.lacks) {
				t.Errorf("want %q and not %q in\n%s", test.want, test.lacks, body)
			}
			if test.mode == Mode429 && resp.Header.Get("Retry-After") != "30" {
				t.Errorf("Retry-After %q", resp.Header.Get("Retry-After"))
			}
		})
	}
}

func TestFaultsInTheMiddle(t *testing.T) {
	w, client := start(t)
	target := w.SearchURL() + "/search?format=json&q=" + url.QueryEscape(craneQuery)
	_, whole := get(t, client, target)

	w.Fail(SearXNG, ModeTruncated)
	if _, body := get(t, client, target); json.Valid([]byte(body)) || !strings.HasPrefix(whole, body) {
		t.Errorf("truncated reads\n%s", body)
	}
	for endpoint, target := range map[string]string{SearXNG: target,
		DuckDuckGo: w.DuckDuckGoURL() + "?q=" + url.QueryEscape(craneQuery)} {
		w.Fail(endpoint, ModeCut)
		resp, err := client.Get(target)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != 200 || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut %s: %d, %v", endpoint, resp.StatusCode, err)
		}
	}
}

func TestDripAndHangEndWithTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, err := newWeb("127.0.0.1:8000", 0)
		if err != nil {
			t.Fatal(err)
		}
		target := w.SearchURL() + "/search?format=json&q=crane"
		ctx, cancel := context.WithTimeout(t.Context(), time.Second+time.Millisecond)
		defer cancel()
		w.Fail(SearXNG, ModeDrip)
		began := time.Now()
		rec := ask(ctx, w.handler(), target)
		if n, took := rec.Body.Len(), time.Since(began); n != 11 || took != time.Second+time.Millisecond {
			t.Errorf("%d bytes dripped in %v", n, took)
		}

		w.Fail(SearXNG, ModeHang)
		ctx, cancel = context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		defer func() {
			if err := recover(); err != http.ErrAbortHandler || ctx.Err() == nil {
				t.Errorf("hanging ended with %v while the client's time is %v", err, ctx.Err())
			}
		}()
		ask(ctx, w.handler(), target)
	})
}

func TestFailRefuses(t *testing.T) {
	w, _ := start(t)
	for _, args := range [][2]string{{"google", Mode429}, {"", ""}, {SearXNG, "sideways"},
		{DuckDuckGo, ModeEnginesDown}} {
		if err := w.Fail(args[0], args[1]); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("Fail(%q, %q): %v", args[0], args[1], err)
		}
	}
}

func TestFailOverHTTP(t *testing.T) {
	w, client := start(t)
	post := func(target, origin string) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, target, nil)
		if err != nil {
			t.Fatal(err)
		}
		if origin != "" {
			req.Header.Set("Origin", origin)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	tests := []struct {
		name, target, origin string
		status               int
		want                 string
	}{
		{"on", w.HomeURL() + "_demo/fail?endpoint=searxng&mode=500", "", 200, `{"duckduckgo":"ok","searxng":"500"}`},
		{"on_at_the_engine", w.SearchURL() + "/_demo/fail?endpoint=duckduckgo&mode=blocked", "", 200,
			`{"duckduckgo":"blocked","searxng":"500"}`},
		{"off", w.HomeURL() + "_demo/fail?endpoint=searxng&mode=ok", "", 200,
			`{"duckduckgo":"blocked","searxng":"ok"}`},
		{"unknown_mode", w.HomeURL() + "_demo/fail?endpoint=searxng&mode=sideways", "", 400,
			`"code":"invalid_argument"`},
		{"from_another_site", w.HomeURL() + "_demo/fail?endpoint=searxng&mode=500", "http://evil.test", 403, ""},
		{"not_on_a_site", w.URL("skarrow-tidal", "/_demo/fail?endpoint=searxng&mode=500"), "", 405, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if status, body := post(test.target, test.origin); status != test.status ||
				!strings.Contains(body, test.want) {
				t.Errorf("%d %s, want %d %s", status, body, test.status, test.want)
			}
		})
	}
	if _, body := get(t, client, w.HomeURL()+"_demo/fail"); body != `{"duckduckgo":"blocked","searxng":"ok"}` {
		t.Errorf("the switch says %s", body)
	}
}
