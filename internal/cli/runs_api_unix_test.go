//go:build unix

package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/citewell/citewell/internal/testing/score"
)

// apiTester is the schema-driven tester of scripts/test-setup.sh, schemathesis; the
// test skips without it, and fails with CI=true.
func apiTester(t *testing.T) (python string) {
	t.Helper()
	home, err := realpart.Home("api-tester", filepath.Join(testdata, "..", "..", "..", "scripts"),
		[]string{"api-tester.txt"}, filepath.Join("bin", "python"))
	realpart.Need(t, "the tester of APIs", err)
	return filepath.Join(home, "bin", "python")
}

// readableAttachments keeps the tester from attaching what no reader reads, and from watching
// questions without words: no schema can say which bytes those are.
const readableAttachments = `
import schemathesis

@schemathesis.hook
def filter_body(context, body):
    question = body.get("question") if isinstance(body, dict) else None
    if isinstance(question, str) and not any(c.isalnum() for c in question):
        return False
    files = body.get("attachments") if isinstance(body, dict) else None
    if not isinstance(files, list):
        return True
    return not any(isinstance(f, dict) and ("data" in f or "file_data" in f or not str(f.get("text", "x")).isalnum()) for f in files)
`

// The API of runs holds what its own document says, against a program that makes up
// requests of that document, good and bad ones, and chains of them. Budgets are without
// limits here: how much is too much depends on the agent, which no schema knows.
func TestRunsAPIByItsDocument(t *testing.T) {
	if score.RaceDetector { // one request after the other
		t.Skip("takes a minute and a half")
	}
	t.Parallel()
	python := apiTester(t)
	l := newLab(t, researcher{})
	config := filepath.Join(l.home, "citewell.yaml")
	settings, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	write(t, config, string(settings)+"budget: {tokens: 0, wall_time: 0s, searches: 0, fetches: 0}\n")
	token, _, code := here(t, l.home, "token", "create", "tester", "--scope", "api")
	if code != 0 {
		t.Fatal("no token could be made")
	}
	address := serveAll(t, l.home)
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), python, "-m", "schemathesis.cli", "run", address+"/openapi.json", "--url",
		address, "--checks", "all", "--phases", "examples,coverage,fuzzing,stateful",
		"--max-examples", "12", "--seed", "1", "--generation-deterministic", "--no-color", "--request-timeout", "30",
		"--suppress-health-check", "all", "-H", "Authorization: Bearer "+strings.TrimSpace(token))
	write(t, filepath.Join(dir, "readable.py"), readableAttachments)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "PYTHONPATH="+dir, "PYTHONIOENCODING=utf-8", "NO_COLOR=1",
		"SCHEMATHESIS_HOOKS=readable")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	t.Logf("%s", out.String())
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(\d+) generated`).FindStringSubmatch(out.String())
	if m == nil {
		t.Fatal("it does not say how many requests it made")
	}
	if n, err := strconv.Atoi(m[1]); err != nil || n < 200 {
		t.Errorf("it made %s requests alone", m[1])
	}
}

// The server is killed in the middle of a stream. The next server goes on with the run
// when the lease of the first has run out, and with the stream where it broke off.
func TestRunsAPIKilled(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	reached := l.stopsAt(5)
	first, address := serve(t, l.home)
	c := newRunsClient(t, address, "")
	id := c.begin(`{"task": "` + larchTask + `"}`)
	var before []heard
	broken, begun := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(broken)
		broken <- c.listen(t.Context(), "/v1/runs/"+id+"/events", func(h heard) bool {
			if before = append(before, h); len(before) == 3 {
				close(begun)
			}
			return true
		})
	}()
	await(t, "the fifth call", reached)
	await(t, "the middle of the stream", begun)
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-broken; err == nil {
		t.Fatalf("%d events, %v", len(before), err)
	}
	first.Wait()
	c.base = serveAll(t, l.home)
	all := append(before, c.whole("/v1/runs/"+id+"/events", "Last-Event-Id", before[len(before)-1].id)...)
	_, runs := l.runs(t)
	events, err := runs.Events(t.Context(), id, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	takenOver := false
	for i, e := range events {
		if i >= len(all) || all[i].id != strconv.FormatInt(e.Seq, 10) || all[i].event != e.Type {
			t.Fatalf("entry %d of %d is %s, and the two streams together have %+v", e.Seq, len(events), e.Type, all)
		}
		takenOver = takenOver || strings.Contains(all[i].data, `"taken_over":true`)
	}
	if end := all[len(all)-1]; len(all) != len(events)+1 || end.event != "stream.end" ||
		!strings.Contains(end.data, `"outcome":"answered"`) || !takenOver {
		t.Errorf("%d entries, taken over %v, %d events, the last %+v", len(events), takenOver, len(all), end)
	}
}

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// The examples of doc/runs-api.md do what it says, one after the other.
func TestRunsAPIByItsDocumentation(t *testing.T) {
	t.Parallel()
	home, out := doExamples(t, "runs-api.md")
	if strings.Count(out, "event: stream.end") != 2 || strings.Count(out, "\nid: 5\n") != 1 ||
		!strings.Contains(out, "2 of 2 citations hold") {
		t.Errorf("%s", out)
	}
	for _, name := range []string{"report.html", "report.md", "evidence.wacz"} {
		if info, err := os.Stat(filepath.Join(home, name)); err != nil || info.Size() < 500 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// doExamples has a shell do the examples of a document of an API against a server, and
// returns where it did and what they said.
func doExamples(t *testing.T, document string) (home, out string) {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		realpart.Lacking(t, "needs curl: %v", err)
	}
	// scripts change the working folder
	text, err := os.ReadFile(filepath.Join(testdata, "..", "..", "..", "doc", document))
	if err != nil {
		t.Fatal(err)
	}
	l := newLab(t, researcher{})
	token, _, code := here(t, l.home, "token", "create", "laptop", "--scope", "api")
	if code != 0 {
		t.Fatal("no token could be made")
	}
	address := serveAll(t, l.home)
	var script strings.Builder
	for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
		script.WriteString(block[1])
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-ec", strings.NewReplacer("http://127.0.0.1:8010", address, "TOKEN",
		strings.TrimSpace(token)).Replace(script.String()))
	cmd.Dir, cmd.Env = l.home, append(cmd.Environ(), homeEnviron(l.home)...)
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return l.home, string(said)
}
