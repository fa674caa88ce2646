//go:build unix

package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/server/access"
)

// documents is the folder of what a stranger reads.
var documents = filepath.Join(ownFolder, "..", "..", "doc")

// A scraped metric is what a Prometheus server keeps of one.
type scraped struct {
	kind, help string
	labels     []string           // of its series, without le
	samples    map[string]float64 // by name and labels, as they are written
}

var (
	sampleLine = regexp.MustCompile(`^([a-z][a-z0-9_]*)(?:\{(.*)\})? (\S+)$`)
	labelPair  = regexp.MustCompile(`^([a-z_]+)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)`)
)

// readScrape reads the text format as strictly as it is written.
func readScrape(t *testing.T, text string) map[string]*scraped {
	t.Helper()
	all := map[string]*scraped{}
	var name string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "# HELP "); ok {
			var help string
			name, help, _ = strings.Cut(rest, " ")
			if all[name] != nil || help == "" {
				t.Errorf("twice, or without help: %s", line)
			}
			all[name] = &scraped{help: help, samples: map[string]float64{}}
			continue
		}
		if kind, ok := strings.CutPrefix(line, "# TYPE "+name+" "); ok {
			all[name].kind = kind
			continue
		}
		parts := sampleLine.FindStringSubmatch(line)
		if parts == nil || all[name] == nil || parts[1] != name &&
			(all[name].kind != "histogram" || !slices.Contains([]string{"_bucket", "_sum", "_count"},
				strings.TrimPrefix(parts[1], name))) {
			t.Fatalf("no sample of %s: %s", name, line)
		}
		var labels []string
		for rest := parts[2]; rest != ""; {
			pair := labelPair.FindStringSubmatch(rest)
			if pair == nil {
				t.Fatalf("no labels: %s", line)
			}
			if rest = rest[len(pair[0]):]; pair[1] != "le" {
				labels = append(labels, pair[1])
			}
		}
		v, err := strconv.ParseFloat(parts[3], 64)
		key, _, _ := strings.Cut(line, " "+parts[3])
		if _, twice := all[name].samples[key]; err != nil || twice || v < 0 {
			t.Errorf("twice, or no count: %s", line)
		}
		if all[name].labels = labels; strings.HasSuffix(name, "_total") != (all[name].kind == "counter") {
			t.Errorf("%s is a %s", name, all[name].kind)
		}
		all[name].samples[key] = v
	}
	return all
}

// metrics scrapes a server as one who has only that token.
func (l *lab) metrics(t *testing.T, base, token string) (map[string]*scraped, string) {
	t.Helper()
	resp := newRunsClient(t, base, token).send(t.Context(), "GET", "/metrics", "")
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/plain; "+
		"version=0.0.4; charset=utf-8" {
		t.Fatalf("%d %v: %v %s", resp.StatusCode, resp.Header, err, body)
	}
	return readScrape(t, string(body)), string(body)
}

// A run moves what is counted, and nothing of its words, hosts or addresses is told.
func TestMetrics(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	c, _ := l.api(t)
	token := func(scope string) string {
		given, _, code := here(t, l.home, "token", "create", "of "+scope, "--scope", scope)
		if code != 0 {
			t.Fatal("no token could be made")
		}
		return strings.TrimSpace(given)
	}
	scraper, mcp := token(access.ScopeMetrics), token(access.ScopeMCP) // before the server looks at the tokens
	for _, other := range []string{"", c.token} {
		if resp := newRunsClient(t, c.base, other).send(t.Context(), "GET", "/metrics",
			""); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("/metrics with another token: %d", resp.StatusCode)
		}
	}
	before, _ := l.metrics(t, c.base, scraper)
	if resp := newRunsClient(t, c.base, scraper).send(t.Context(), "GET", "/v1/runs",
		""); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a scraper's token opens runs: %d", resp.StatusCode)
	}
	const canary = "quaggaword"
	id := c.begin(`{"task": "` + larchTask + `", "history": [{"role": "user", "content": "` + canary +
		`"}, {"role": "assistant", "content": "Hello."}]}`)
	c.whole("/v1/runs/" + id + "/events")
	c.send(t.Context(), "GET", "/v1/"+canary, "")
	c.send(t.Context(), "GET", "/"+canary+"?q="+canary, "")
	newRunsClient(t, c.base, mcp).send(t.Context(), "POST", "/mcp",
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"`+canary+`","version":"1"}}}`,
		"Accept", "application/json, text/event-stream")

	after, text := l.metrics(t, c.base, scraper)
	for _, word := range []string{canary, "Larch", "larch", "127.0.0.1", "localhost", "http://", id,
		"tester", scraper} {
		if strings.Contains(text, word) {
			t.Errorf("a scrape tells %q", word)
		}
	}
	for name, m := range after {
		if len(m.samples) == 0 {
			t.Errorf("nothing moved %s", name)
		}
	}
	of := func(scrape map[string]*scraped, sample string) float64 {
		name, _, _ := strings.Cut(sample, "{")
		for _, suffix := range []string{"", "_count"} {
			if m := scrape[strings.TrimSuffix(name, suffix)]; m != nil {
				return m.samples[sample]
			}
		}
		return 0
	}
	for sample, grows := range map[string]float64{
		"citewell_runs_begun_total": 1, "citewell_runs_taken_total": 1,
		`citewell_runs_ended_total{outcome="answered"}`: 1, `citewell_run_seconds_count{outcome="answered"}`: 1,
		`citewell_runs{state="completed"}`: 1, "citewell_mcp_sessions": 1,
		`citewell_http_requests_total{route="/v1/runs",status="201"}`: 1,
		`citewell_http_requests_total{route="other",status="404"}`:    1,
		`citewell_http_requests_total{route="/v1/",status="404"}`:     1,
	} {
		if got := of(after, sample) - of(before, sample); got != grows {
			t.Errorf("%s grew by %v, want %v", sample, got, grows)
		}
	}
	for _, sample := range []string{"citewell_run_searches_total", "citewell_run_fetches_total",
		`citewell_model_requests_total{kind="chat",model="scripted",outcome="ok"}`,
		`citewell_model_tokens_total{model="scripted",direction="input"}`,
		`citewell_model_tokens_total{model="scripted",direction="output"}`,
		`citewell_provider_calls_total{provider="searxng",outcome="ok"}`,
		`citewell_fetches_total{outcome="ok",cached="false"}`, "citewell_fetch_bytes_total"} {
		if of(before, sample) != 0 || of(after, sample) == 0 {
			t.Errorf("%s went from %v to %v", sample, of(before, sample), of(after, sample))
		}
	}
	for sample, want := range map[string]float64{`citewell_limit{setting="server.limits.runs"}`: 256,
		`citewell_limit{setting="budget.wall_time"}`: 1800, `citewell_provider_left_alone{provider="searxng"}`: 0} {
		name, _, _ := strings.Cut(sample, "{")
		if got, there := after[name].samples[sample]; !there || got != want {
			t.Errorf("%s is %v, want %v", sample, got, want)
		}
	}
	t.Run("doc", func(t *testing.T) { holdTable(t, after) })
	t.Run("queries", func(t *testing.T) { holdQueries(t, after) })
}

// holdTable holds the table of doc/ops.md against what is exposed.
func holdTable(t *testing.T, all map[string]*scraped) {
	var table strings.Builder
	table.WriteString("| metric | type | labels | meaning |\n|---|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", name, all[name].kind,
			cmp.Or(strings.Join(all[name].labels, ", "), "–"), all[name].help)
	}
	const from, to = "<!-- metrics -->\n", "<!-- end of metrics -->\n"
	doc, err := os.ReadFile(filepath.Join(documents, "ops.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(doc), from)
	had, _, ended := strings.Cut(rest, to)
	if !found || !ended {
		t.Fatal("ops.md has no place for the table")
	}
	if had != table.String() {
		t.Errorf("ops.md is behind; it should have\n%s", table.String())
	}
}

var (
	queryMetric = regexp.MustCompile(`\b((?:citewell|go|process)_[a-z0-9_]+)(?:\{([^}]*)\})?`)
	queryLabels = regexp.MustCompile(`\bby \(([^)]*)\)`)
	queryMatch  = regexp.MustCompile(`([a-z_]+)(?:=~|!~|!=|=)"`)
)

// holdQueries holds each query of the dashboard and of the alerts against what is exposed.
func holdQueries(t *testing.T, all map[string]*scraped) {
	dashboard, err := os.ReadFile(filepath.Join(documents, "ops", "dashboard.json"))
	if err != nil || !json.Valid(dashboard) {
		t.Fatalf("the dashboard is no JSON: %v", err)
	}
	alerts, err := os.ReadFile(filepath.Join(documents, "ops", "alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	queries := 0
	for line := range bytes.Lines(slices.Concat(dashboard, alerts)) {
		query := strings.ReplaceAll(string(line), `\"`, `"`)
		known := []string{"job", "instance", "le"} // of the scraper, and of buckets
		for _, use := range queryMetric.FindAllStringSubmatch(query, -1) {
			queries++
			m := all[use[1]]
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				if base, ok := strings.CutSuffix(use[1], suffix); ok && all[base] != nil &&
					all[base].kind == "histogram" {
					m = all[base]
				}
			}
			if m == nil {
				t.Errorf("there is no %s: %s", use[1], query)
				continue
			}
			known = append(known, m.labels...)
			for _, match := range queryMatch.FindAllStringSubmatch(use[2], -1) {
				if !slices.Contains(append([]string{"job", "instance"}, m.labels...), match[1]) {
					t.Errorf("%s has no label %s: %s", use[1], match[1], query)
				}
			}
		}
		for _, by := range queryLabels.FindAllStringSubmatch(query, -1) {
			for label := range strings.SplitSeq(by[1], ",") {
				if label = strings.TrimSpace(label); !slices.Contains(known, label) {
					t.Errorf("no metric has the label %s: %s", label, query)
				}
			}
		}
	}
	if queries < 40 {
		t.Errorf("%d uses of metrics were found only: are the queries looked at?", queries)
	}
}

// A worker that is told to listen answers those who watch it, and nobody else.
func TestAWorkerIsWatched(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	_, runs := l.runs(t)
	worker := startChild(t, l.home, "worker", "--listen", "127.0.0.1:0")
	base := strings.Fields(waitFor(t, worker.stderr, "listening on http://"))[2]
	run, err := runs.Start(t.Context(), job.Start{Task: larchTask})
	if err != nil {
		t.Fatal(err)
	}
	waitFor(t, worker.stderr, "run "+run.ID+": completed, answered")
	got, _ := l.metrics(t, base, "")
	for name, want := range map[string]float64{"citewell_runs_taken_total": 1, "citewell_queue_seconds": 0} {
		if m := got[name]; m == nil || m.samples[name] != want {
			t.Errorf("%s: %+v", name, m)
		}
	}
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/v1/runs": 404, "/": 404, "/mcp": 404} {
		if resp := newRunsClient(t, base, "").send(t.Context(), "GET", path, ""); resp.StatusCode != want {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
	}
	worker.Process.Signal(syscall.SIGTERM)
	if _, stderr, code := worker.end(t); code != 0 {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
	other := startChild(t, l.home, "worker", "--listen", "0.0.0.0:0")
	if _, stderr, code := other.end(t); code == 0 || !strings.Contains(stderr, "there is no token") {
		t.Errorf("on all addresses without a token: exit code %d, stderr %q", code, stderr)
	}
}
