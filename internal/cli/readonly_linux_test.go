package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/testing/realpart"
)

// A store on a medium that cannot be written is read, searched, checked, verified and copied;
// what would write says that it cannot.
func TestAStoreThatCannotBeWritten(t *testing.T) {
	home := t.TempDir()
	data := filepath.Join(home, "data", "citewell")
	note := filepath.Join(home, "note.md")
	write(t, note, "# The gate\n\nThe gate of Hallvik closes at high water. It was painted in 1990.\n")
	for _, args := range [][]string{{"index", note}, {"call", "search_index",
		`{"id": "n1", "text": "The gate closes at high water."}`}, {"call", "graph_upsert_node", `{"id": "g"}`}} {
		if _, said, code := here(t, home, args...); code != 0 {
			t.Fatalf("%q: %s", args, said)
		}
	}
	brief, said, code := here(t, home, "search", "--provider", "local", "--json",
		"When does the gate of Hallvik close?")
	if code != 0 {
		t.Fatal(said)
	}
	file := filepath.Join(home, "brief.json")
	write(t, file, brief)
	var all struct{ Findings []struct{ Text string } }
	if err := json.Unmarshal([]byte(brief), &all); err != nil || len(all.Findings) == 0 {
		t.Fatalf("%v: %s", err, brief)
	}

	program, err := exec.LookPath("citewell")
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), program, args...)
		if os.Geteuid() == 0 { // whom no rights bind: a mount of its own does
			cmd = exec.CommandContext(t.Context(), "unshare", append([]string{
				"--mount", "sh", "-c", `mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"`, data,
				program}, args...)...)
		}
		cmd.Dir, cmd.Env = home, append(os.Environ(), homeEnviron(home)...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if os.Geteuid() == 0 {
		if out, err := exec.CommandContext(t.Context(), "unshare", "--mount", "true").CombinedOutput(); err != nil {
			realpart.Lacking(t, "no mount can be had here: %s", out)
		}
	} else if err := filepath.Walk(data, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			err = os.Chmod(path, 0o400)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	} else if err := os.Chmod(data, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(data, 0o700) }) // so that it can be removed
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"call", "search_query", `{"query": "gate high water"}`}, `"n1"`},
		{[]string{"call", "graph_get_node", `{"id": "g"}`}, `"g"`},
		{[]string{"store", "check"}, "0 problems"},
		{[]string{"store", "usage"}, "database"},
		{[]string{"verify", file}, "snapshot"},
		{[]string{"runs", "list"}, ""},
		{[]string{"store", "backup", filepath.Join(home, "copy")}, ""},
	} {
		if out, err := run(test.args...); err != nil || !strings.Contains(out, test.says) {
			t.Errorf("%q: %v: %s", test.args, err, out)
		}
	}
	for _, args := range [][]string{{"call", "search_index", `{"id": "n2", "text": "More."}`}, {"index", file},
		{"search", "--provider", "local", "When was the gate painted?"}} {
		if out, err := run(args...); err == nil || !strings.Contains(out, "written") {
			t.Errorf("%q: %v: %s", args, err, out)
		}
	}
}
