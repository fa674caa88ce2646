package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/demo"
	"github.com/citewell/citewell/internal/testing/golden"
	"github.com/citewell/citewell/internal/testing/modeltest"
)

// recording is the folder of one recorded run: what passed between it and the network, the
// configuration that it had, and what is to come of it.
var recording = filepath.Join(testdata, "golden")

// recordAgent records a run of the scripted model over the demo web.
func recordAgent(t *testing.T) {
	t.Helper()
	web, err := demo.Start(context.Background(), demo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	model := modeltest.Serve(t)
	model.Script, model.Models = researcher{mode: "invents"}.reply, `{"data":[{"id":"scripted","max_model_len":32768}]}`
	for _, file := range []string{"citewell.yaml", "research.jsonl"} {
		if err := os.RemoveAll(filepath.Join(recording, file)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(recording, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(recording, "citewell.yaml"), fmt.Appendf(nil,
		"search:\n  providers:\n    searxng: {base_url: %q}\n    duckduckgo: {base_url: %q, rate: 100}\nfetch:\n  "+
			"allow_networks: [127.0.0.0/8, \"::1/128\"]\nllm: {base_url: %q, model: scripted}\n",
		web.SearchURL(), web.DuckDuckGoURL(), model.Base()), 0o600); err != nil {
		t.Fatal(err)
	}
	runAt(t, t.TempDir(), []string{recordVariable + "=" + filepath.Join(recording, "research.jsonl"),
		"OPENAI_API_KEY=" + modelKey}, goldenResearch...)
}

var goldenResearch = []string{"--config", filepath.Join(recording, "citewell.yaml"), "research", "--json", larchTask}

// A run of the agent is recorded: the plan, a search, a page, a report with an invented
// figure that is sent back, the report that is accepted, the answer. Played again at its
// time it comes to the same report to the byte, and so do its exports; on any other day to
// the same but for the times. The recording has no key.
func TestAgentGolden(t *testing.T) {
	if golden.Updating() {
		recordAgent(t)
	}
	raw, err := os.ReadFile(filepath.Join(recording, "research.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), modelKey) || !strings.Contains(string(raw), "[redacted]") {
		t.Error("the recording has the key, or no request with one")
	}
	play := func(run func(args ...string) string) map[string]string {
		var r agent.Result
		if err := json.Unmarshal([]byte(run(goldenResearch...)), &r); err != nil {
			t.Fatal(err)
		}
		files := map[string]string{}
		for file, format := range map[string]string{"report.md": "md", "report.json": "json", "report.bib": "bibtex"} {
			files[file] = run("--config", filepath.Join(recording, "citewell.yaml"), "runs", "export", "--format",
				format, r.ID)
		}
		return files
	}
	said := func(report string) string { // without the hash of a text that has its time in it
		text, _, _ := strings.Cut(report, "## Verification")
		return steady(text)
	}
	defer func() {
		if t.Failed() {
			t.Log("were prompts or tools changed on purpose? go test ./internal/cli -run TestAgentGolden -update " +
				"records the run anew")
		}
	}()
	home := t.TempDir()
	today := play(func(args ...string) string {
		return runAt(t, home, []string{replayVariable + "=" + filepath.Join(recording, "research.jsonl")}, args...)
	})
	inBubble := func() (files map[string]string) {
		inReplay(t, filepath.Join(recording, "research.jsonl"), func(_ *testing.T, run func(args ...string) string) {
			files = play(run)
		})
		return files
	}
	first, second := inBubble(), inBubble()
	for file, got := range first {
		if second[file] != got {
			t.Errorf("%s: two replays differ:\n%s\n%s", file, got, second[file])
		}
		if got, want := said(today[file]), said(got); file == "report.md" && got != want {
			t.Errorf("played on another day it is another report:\n%s\n%s", got, want)
		}
		golden.Check(t, filepath.Join(recording, file), got)
	}
	if strings.Contains(first["report.md"], "48,613") || !strings.Contains(first["report.md"],
		"Larch 2.0 was released on 9 March 2022 [2]") {
		t.Errorf("the invented figure is in the report, or the fact is not:\n%s", first["report.md"])
	}
}
