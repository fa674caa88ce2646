package trace_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell/internal/testing/otlptest"
	"github.com/citewell/citewell/internal/trace"
)

func tracer(t *testing.T, address string, change func(*trace.Options)) *trace.Tracer {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	o := trace.Options{Endpoint: u, Client: http.DefaultClient, Version: "1.2.3",
		Resource: []trace.Attr{{Key: "service.name", Value: "tester"}},
		Sampler:  trace.Sampler{Ratio: 1, ParentBased: true}, Log: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&o)
	}
	return trace.New(o)
}

const incoming = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// Spans arrive as they were told, each below its parent.
func TestSpansArrive(t *testing.T) {
	c := otlptest.Serve(t)
	r := tracer(t, c.URL+"/v1/traces", func(o *trace.Options) { o.Header = http.Header{"X-Tenant": {"a b"}} })
	ctx, server := r.Start(r.Continue(t.Context(), incoming), "GET", trace.Server)
	r.Record(ctx, "chat m", trace.Client, time.Minute, "timeout", trace.Attr{Key: "text", Value: "a\xffb"},
		trace.Attr{Key: "none", Value: ""}, trace.Attr{Key: "no", Value: false},
		trace.Attr{Key: "n", Value: -7}, trace.Attr{Key: "f", Value: 0.5},
		trace.Attr{Key: "list", Value: []string{"x", "y"}}, trace.Attr{
			Key: "long", Value: strings.Repeat("é", trace.MaxText)})
	server.Name("GET /x")
	server.End("", trace.Attr{Key: "status", Value: 200})
	r.RecordLong("run-1", r.Parent(ctx), "invoke_agent", time.Now().Add(-time.Hour), "",
		trace.Attr{Key: "late", Value: true})
	r.Close(t.Context())

	all := c.Spans()
	if sent, dropped := r.Counts(); len(all) != 3 || sent != 3 || dropped != 0 {
		t.Fatalf("%d came, %d sent, %d dropped", len(all), sent, dropped)
	}
	chat, request, run := all[0], all[1], all[2]
	if long, _ := chat.Attrs["long"].(string); len(long) > trace.MaxText+2 || len(long) < trace.MaxText-2 {
		t.Errorf("a text of %d bytes", len(long))
	}
	delete(chat.Attrs, "long")
	if want := map[string]any{"text": "a\uFFFDb", "no": false, "n": int64(-7), "f": 0.5, "list": []any{"x", "y"},
		"error.type": "timeout"}; !reflect.DeepEqual(chat.Attrs, want) {
		t.Errorf("attributes %v", chat.Attrs)
	}
	if request.Name != "GET /x" || request.Trace != incoming[3:35] || request.Parent != incoming[36:52] ||
		request.Flags != 0x301 || request.Status != 0 || request.Kind != 2 {
		t.Errorf("the request is %+v", request)
	}
	if chat.Trace != request.Trace || chat.Parent != request.ID || chat.Flags != 0x101 || chat.Status != 2 ||
		chat.Ended.Sub(chat.Began) != time.Minute {
		t.Errorf("the chat is %+v", chat)
	}
	if run.Trace != request.Trace || run.Parent != request.ID || run.Ended.Sub(run.Began) < time.Hour {
		t.Errorf("the run is %+v", run)
	}
	if run.Resource["service.name"] != "tester" || run.Scope != trace.Scope || run.Version != "1.2.3" {
		t.Errorf("%v %s %s", run.Resource, run.Scope, run.Version)
	}
	if _, heads, paths := c.Requests(); paths[0] != "/v1/traces" || heads[0].Get("X-Tenant") != "a b" ||
		heads[0].Get("Traceparent") != "" {
		t.Errorf("%v %v", paths, heads)
	}
}

// What outlives a process has the same ids in the next, with and without an origin.
func TestLongSpansAreTheSameEverywhere(t *testing.T) {
	c := otlptest.Serve(t)
	for _, origin := range []string{"", incoming, "nonsense"} {
		for range 2 {
			r := tracer(t, c.URL, nil)
			r.Record(r.Within(t.Context(), "run-1", origin), "chat", trace.Client, 0, "")
			r.RecordLong("run-1", origin, "run", time.Now(), "")
			r.Close(t.Context())
		}
	}
	all := c.Spans()
	for i, s := range all {
		same := all[i%2+i/4*4]
		if s.Trace != same.Trace || s.Name == "run" && s.ID != same.ID || s.Name == "chat" && s.Parent != all[i|1].ID {
			t.Errorf("%d: %+v is not of %+v", i, s, same)
		}
	}
	if len(all) != 12 || all[0].Trace != all[8].Trace || all[4].Trace != incoming[3:35] ||
		all[5].Parent != incoming[36:52] || all[1].Parent != "" {
		t.Errorf("%d spans: %+v", len(all), all)
	}
}

func TestTraceparent(t *testing.T) {
	r := tracer(t, "http://127.0.0.1:1", nil)
	for given, want := range map[string]string{
		incoming:                      incoming,
		incoming[:53] + "00":          incoming[:53] + "00",
		"01" + incoming[2:] + "-more": incoming,
		incoming + "-more":            "",
		"ff" + incoming[2:]:           "",
		strings.ToUpper(incoming):     "",
		"":                            "",
		"00-" + strings.Repeat("0", 32) + incoming[35:]: "",
		incoming[:36] + strings.Repeat("0", 16) + "-01": "",
		strings.Replace(incoming, "b", "x", 1):          "",
		strings.ReplaceAll(incoming, "-", "_"):          "",
	} {
		if got := r.Parent(r.Continue(t.Context(), given)); got != want {
			t.Errorf("%q is continued as %q, want %q", given, got, want)
		}
	}
	var none *trace.Tracer
	ctx, s := none.Start(none.Within(none.Continue(t.Context(), incoming), "x", ""), "x", trace.Internal)
	s.Name("y")
	s.End("")
	none.Record(ctx, "x", trace.Client, 0, "")
	none.RecordLong("x", "", "x", time.Now(), "")
	none.Close(ctx)
	if none.Parent(ctx) != "" {
		t.Error("no tracer has a parent")
	}
}

func TestSampling(t *testing.T) {
	c := otlptest.Serve(t)
	const many = 1000
	for _, test := range []struct {
		name        string
		sampler     trace.Sampler
		traceparent string
		least, most int
	}{
		{"a_part", trace.Sampler{Ratio: 0.25, ParentBased: true}, "", 150, 350},
		{"none", trace.Sampler{}, "", 0, 0},
		{"none_but_what_the_parent_tells", trace.Sampler{ParentBased: true}, incoming, many, many},
		{"what_the_parent_leaves_out", trace.Sampler{Ratio: 1, ParentBased: true}, incoming[:53] + "00", 0, 0},
		{"whatever_the_parent_says", trace.Sampler{Ratio: 1}, incoming[:53] + "00", many, many},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := len(c.Spans())
			r := tracer(t, c.URL, func(o *trace.Options) { o.Sampler = test.sampler })
			for range many {
				ctx, s := r.Start(r.Continue(t.Context(), test.traceparent), "one", trace.Internal)
				_, inner := r.Start(ctx, "one", trace.Internal)
				if r.Parent(ctx)[53:] == "01" {
					inner.End("")
				} else {
					inner.End("left out")
				}
				_ = s // only the inner ones are told
			}
			r.Close(t.Context())
			for _, s := range c.Spans()[before:] {
				if s.Status != 0 {
					t.Error("a trace is told in part")
				}
			}
			if n := len(c.Spans()) - before; n < test.least || n > test.most {
				t.Errorf("%d of %d were told", n, many)
			}
		})
	}
}

// A roundTripper is a collector without a network.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answering(status int) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("no"))}
}

// Nobody waits for a collector that does not answer: what does not fit is dropped and
// counted, and the end comes when it must.
func TestAHangingCollectorCostsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := tracer(t, "http://collector.example/v1/traces", func(o *trace.Options) {
			o.Queue = 10
			o.Client = &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				<-r.Context().Done()
				return nil, r.Context().Err()
			})}
		})
		began := time.Now()
		r.Record(t.Context(), "first", trace.Client, 0, "")
		time.Sleep(6 * time.Second) // it is on its way now
		began = began.Add(6 * time.Second)
		for range 30 {
			r.Record(t.Context(), "more", trace.Client, 0, "")
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("recording took %v", took)
		}
		if _, dropped := r.Counts(); dropped != 20 {
			t.Errorf("%d were dropped", dropped)
		}
		within, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		r.Close(within)
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("the end took %v", took)
		}
		r.Record(t.Context(), "late", trace.Client, 0, "")
		if sent, dropped := r.Counts(); sent != 0 || dropped != 32 {
			t.Errorf("%d sent, %d dropped of 32", sent, dropped)
		}
		r.Close(t.Context())
	})
}

// A collector that is away for a moment loses nothing; one that refuses is not asked again.
func TestTries(t *testing.T) {
	for name, test := range map[string]struct {
		answers       []int
		sent, dropped int64
		took          time.Duration // from the first request to the last
	}{
		"away_for_a_moment": {[]int{503, 429, 200}, 3, 0, 10 * time.Second},
		"gone":              {[]int{0, 0, 0, 0, 0}, 0, 3, 20 * time.Second},
		"refuses":           {[]int{401}, 0, 3, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				var mu sync.Mutex
				var at []time.Time
				r := tracer(t, "http://collector.example/v1/traces?key=hidden", func(o *trace.Options) {
					o.Log = slog.New(slog.NewTextHandler(&log, nil))
					o.Client = &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
						mu.Lock()
						defer mu.Unlock()
						at = append(at, time.Now())
						status := test.answers[len(at)-1]
						if status == 0 {
							return nil, io.ErrUnexpectedEOF
						}
						return answering(status), nil
					})}
				})
				for range 3 {
					r.Record(t.Context(), "one", trace.Client, 0, "")
				}
				time.Sleep(time.Minute)
				if sent, dropped := r.Counts(); sent != test.sent || dropped != test.dropped ||
					len(at) != len(test.answers) || at[len(at)-1].Sub(at[0]) != test.took {
					t.Errorf("%d sent, %d dropped after %v", sent, dropped, at)
				}
				r.Close(t.Context())
				if n := strings.Count(log.String(), "traces do not reach"); n != 1 ||
					strings.Contains(log.String(), "hidden") {
					t.Errorf("the log: %s", log.String())
				}
			})
		})
	}
}

func FuzzTraceparent(f *testing.F) {
	f.Add(incoming)
	f.Add("00--")
	r := trace.New(trace.Options{})
	f.Fuzz(func(t *testing.T, s string) {
		if got := r.Parent(r.Continue(t.Context(), s)); got != "" && (len(s) < 55 || got[2:53] != s[2:53]) {
			t.Errorf("%q is continued as %q", s, got)
		}
	})
}
