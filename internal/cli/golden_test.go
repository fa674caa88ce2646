package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell/internal/demo"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/replay"
)

// runAt runs the command in a home of its own and returns what it printed.
func runAt(t *testing.T, home string, environ []string, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	e := &env{version: "v0.0.0-test", environ: environ, stdin: strings.NewReader(""), stdout: &output{w: &stdout},
		stderr: &console{w: &stderr}}
	for name, sub := range map[string]string{"HOME": "", "XDG_CONFIG_HOME": "config", "XDG_DATA_HOME": "data",
		"XDG_CACHE_HOME": "cache"} {
		e.environ = append(e.environ, name+"="+filepath.Join(home, sub))
	}
	if code := e.run(t.Context(), args); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	return stdout.String()
}

// replayed runs the command over a recording, at the time of the recording and with
// random numbers that are always the same: what it prints can stand in a golden file.
func replayed(t *testing.T, recording string, args ...string) (printed string) {
	t.Helper()
	inReplay(t, recording, func(t *testing.T, run func(args ...string) string) { printed = run(args...) })
	return printed
}

// inReplay has several commands run one after the other like that, in one home. What all
// stores of a process share, and is made at its first use, must not be made in here.
func inReplay(t *testing.T, recording string, all func(t *testing.T, run func(args ...string) string)) {
	t.Helper()
	player, err := replay.Open(recording, replay.Options{Redact: func(s string) string {
		return s
	}, IsSecret: httpwire.NamesSecret, Classify: httpwire.Classify})
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	t.Run("replay", func(t *testing.T) { // the random numbers begin anew with each
		cryptotest.SetGlobalRandom(t, 1)
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(player.Started()))
			all(t, func(args ...string) string {
				return runAt(t, home, []string{replayVariable + "=" + recording}, args...)
			})
		})
	})
}

// A replay in a bubble is the same to the byte each time, ids, moments and durations
// included, and but for those it is the recorded run.
func TestAReplayInABubbleIsTheSameToTheByte(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := t.TempDir()
	web, err := demo.Start(context.Background(), demo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	configured := filepath.Join(dir, "citewell.yaml")
	if err := os.WriteFile(configured, fmt.Appendf(nil,
		"search:\n  providers:\n    searxng: {base_url: %q}\n    duckduckgo: {base_url: %q}\nfetch:\n  "+
			"allow_networks: [127.0.0.0/8, \"::1/128\"]\n",
		web.SearchURL(), web.DuckDuckGoURL()), 0o600); err != nil {
		t.Fatal(err)
	}
	recordings := map[string][]string{}
	recorded := map[string]string{}
	for name, args := range map[string][]string{
		"search.jsonl":   {"search", "--depth", "3", "--json", "How long is the Skarrow Sound barrage?"},
		"research.jsonl": {"research", "--no-model", "Larch format"},
	} {
		file := filepath.Join(dir, name)
		recordings[file] = append([]string{"--config", configured, "--set", "search.providers.duckduckgo.rate=100"},
			args...)
		recorded[file] = runAt(t, filepath.Join(dir, "home"), []string{recordVariable + "=" + file},
			recordings[file]...)
	}
	web.Close()
	for file, args := range recordings {
		first, second := replayed(t, file, args...), replayed(t, file, args...)
		if first != second {
			t.Errorf("%s: two replays differ:\n%s\n%s", file, first, second)
		}
		if got, want := steady(first), steady(recorded[file]); got != want {
			t.Errorf("%s: the replay is not the recorded run:\n%s\n%s", file, got, want)
		}
	}
}
