package demo

import (
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start serves the demo web and gives a client that reaches it whatever the host
// is, and follows no redirect.
func start(t *testing.T) (*Web, *http.Client) {
	t.Helper()
	w, err := Start(t.Context(), Options{SlowPage: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", w.Addr())
	}}
	t.Cleanup(func() {
		w.Close()
		transport.CloseIdleConnections()
	})
	return w, &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

func get(t *testing.T, client *http.Client, url string) (*http.Response, string) {
	t.Helper()
	resp, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	return resp, string(body)
}

func TestStartRefusesAddresses(t *testing.T) {
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, addr := range []string{"0.0.0.0:0", "192.0.2.7:8080", "localhost:80", "127.0.0.1", "nonsense",
		taken.Addr().String()} {
		if w, err := Start(t.Context(), Options{Addr: addr}); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("Start at %q: %v, %v; want invalid_argument", addr, w, err)
		}
	}
}

func TestContextEndsTheWeb(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w, err := Start(ctx, Options{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	<-w.done
	if conn, err := net.Dial("tcp", w.Addr()); err == nil {
		conn.Close()
		t.Error("still listening after its context ended")
	}
	if err := w.Close(); err != nil {
		t.Error("a second end:", err)
	}
}

func TestCloseEndsHangingAnswers(t *testing.T) {
	w, client := start(t)
	if err := w.Fail(SearXNG, ModeHang); err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", w.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "GET /search?q=crane&format=json HTTP/1.1\r\nHost: "+searchHost+"\r\n\r\n")
	get(t, client, w.HomeURL()) // the server is accepting
	w.Close()
	if answer, _ := io.ReadAll(conn); len(answer) != 0 {
		t.Errorf("a hanging endpoint answered %q", answer)
	}
}

// TestQuestions holds what the README and the demo promise: each suggested
// question finds the pages that answer it, those that disagree among them.
func TestQuestions(t *testing.T) {
	w, err := newWeb("127.0.0.1:8000", 0)
	if err != nil {
		t.Fatal(err)
	}
	wants := [][]string{
		{"wiki.openlore/page/Skarrow_Sound_tidal_plant", "skarrow-tidal/plant",
			"turbine-quarterly/issue-31/skarrow-sound-revisited", "harbour-courier/2024/05/five-years-of-skarrow",
			"newsreel/story/skarrow-five-years", "tidewater-institute/reports/skarrow-output", "skarrow-spotters/"},
		{"wiki.openlore/page/Amber_crane", "crane-study/papers/amber-crane-migration", "lowmere-trust/amber-crane",
			"blog.fenfield/crane-count"},
		{"blog.coldstorage/larch-2-measured", "wiki.openlore/page/Larch_file_format", "docs.larch/releases",
			"docs.larch/guide/compression", "docs.larch/internal/roadmap", "larch-format/download"},
		{"wiki.openlore/page/Skarrow_Sound_tidal_plant", "skarrow-tidal/plant",
			"harbour-courier/2019/05/skarrow-opens"},
		{"docs.larch/guide/go"},
		{"powerdeals/skarrow-tariffs", "skarrow-tidal/faq", "harbour-courier/2024/05/five-years-of-skarrow"},
		{"nordlicht-magazin/natur/bernsteinkranich"},
		{"skarrow-tidal/plant", "wiki.openlore/page/Skarrow_Sound_tidal_plant",
			"harbour-courier/2019/05/skarrow-opens"},
	}
	questions := w.Questions()
	if len(questions) != len(wants) {
		t.Fatalf("%d questions, %d expectations", len(questions), len(wants))
	}
	for i, question := range questions {
		var found []string
		for _, h := range w.index.search(question, filter{}) {
			found = append(found, h.url)
		}
		found = found[:min(perPage, len(found))]
		for _, want := range wants[i] {
			host, path, _ := strings.Cut(want, "/")
			if !slices.Contains(found, w.URL(host, "/"+path)) {
				t.Errorf("%q does not find %s among\n%s", question, want, strings.Join(found, "\n"))
			}
		}
	}
}

func TestNothingFound(t *testing.T) {
	w, err := newWeb("127.0.0.1:8000", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"", "the", "capital of France", "zyzzyva", "?!", "東京"} {
		if hits := w.index.search(query, filter{}); len(hits) != 0 {
			t.Errorf("%q finds %s", query, hits[0].url)
		}
	}
}

func TestFilters(t *testing.T) {
	w, err := newWeb("127.0.0.1:8000", 0)
	if err != nil {
		t.Fatal(err)
	}
	since := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	hits := w.index.search("Skarrow Sound tidal plant", filter{since: since})
	if len(hits) == 0 {
		t.Fatal("nothing since 2024")
	}
	for _, h := range hits {
		if h.date.Before(since) {
			t.Errorf("%s of %s is older than the range", h.url, h.date)
		}
	}
	if first := w.index.search("Skarrow Sound", filter{lang: "de"})[0]; first.lang != "de" {
		t.Errorf("asked in German, the first result is %s", first.url)
	}
}

// BenchmarkStart is what `citewell demo` pays before its first question: well
// under 50 ms.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		if _, err := newWeb("127.0.0.1:8000", 0); err != nil {
			b.Fatal(err)
		}
	}
}
