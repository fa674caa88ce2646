package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/citewell/citewell/internal/testing/realpart"
)

func TestArchive(t *testing.T) {
	r, dir := made(t), t.TempDir()
	must(t, dir, need(t, "tar"), "-xzf", r.path(r.archiveName(r.targets[0])))
	inside := filepath.Join(dir, strings.TrimSuffix(r.archiveName(r.targets[0]), ".tar.gz"))
	for _, paper := range r.documents {
		if got := read(t, inside, paper.Path); got != string(paper.Data) || got == "" {
			t.Errorf("%s has %d bytes", paper.Path, len(got))
		}
	}
	licences := read(t, inside, "THIRD_PARTY_LICENSES")
	// on Linux alone, on Windows alone
	for _, linked := range []string{"Go's library", "modernc.org/sqlite: BSD",
		"github.com/landlock-lsm/go-landlock: MIT", "github.com/inconshreveable/mousetrap: Apache-2.0"} {
		if !strings.Contains(licences, "= "+linked+"\n") {
			t.Errorf("THIRD_PARTY_LICENSES lacks %s", linked)
		}
	}
	checkManual(t, filepath.Join(inside, "man", "man1"))
	must(t, inside, need(t, "bash"), "-n", "completions/citewell.bash")
	tryOut(t, r, started(t, filepath.Join(inside, "citewell")))
}

// checkManual wants a page for each command of a user.
func checkManual(t *testing.T, folder string) {
	t.Helper()
	pages, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, page := range pages {
		names[strings.TrimSuffix(page.Name(), ".gz")] = true
	}
	for _, want := range []string{"citewell.1", "citewell-search.1", "citewell-runs-export.1", "citewell-serve.1",
		"citewell-worker.1"} {
		if !names[want] {
			t.Errorf("%s is missing of %d pages", want, len(names))
		}
	}
	for _, unwanted := range []string{"citewell-bench.1", "citewell-completion.1", "citewell-help.1"} {
		if names[unwanted] {
			t.Errorf("%s is there", unwanted)
		}
	}
}

func TestWheel(t *testing.T) {
	r, dir := made(t), t.TempDir()
	must(t, dir, need(t, "python3"), "-m", "venv", "venv")
	wheels, err := filepath.Glob(r.path("*.whl"))
	if err != nil || len(wheels) != 1 || !strings.HasPrefix(filepath.Base(wheels[0]),
		"citewell-0.1.0rc1-py3-none-manylinux_2_17_") {
		t.Fatalf("%v, %v", wheels, err)
	}
	python := filepath.Join(dir, "venv", "bin", "python")
	must(t, dir, python, "-m", "pip", "install", "--no-index", wheels[0])
	tryOut(t, r, started(t, filepath.Join(dir, "venv", "bin", "citewell")))
	shown := must(t, dir, python, "-c", "from importlib.metadata import *; m = metadata('citewell'); "+
		"print(m['License-Expression'], m['Author-email'], m.get_payload())")
	if !strings.HasPrefix(shown, licence+" "+maintainer) ||
		!strings.Contains(shown, "<!-- mcp-name: "+serverName+" -->") {
		t.Errorf("the metadata is %s", shown)
	}
	must(t, dir, python, "-m", "pip", "uninstall", "--yes", "citewell")
	if left, err := filepath.Glob(filepath.Join(dir, "venv", "*", "citewell*")); err != nil || left != nil {
		t.Errorf("it leaves %v, %v", left, err)
	}
}

func TestNPM(t *testing.T) {
	r, npm := made(t), need(t, "npm")
	main := r.path("citewell-" + r.version.Semver() + ".tgz")
	t.Run("both", func(t *testing.T) {
		dir := t.TempDir()
		carrier := strings.NewReplacer("@", "", "/", "-").Replace(npmName(r.targets[0])) + "-" +
			r.version.Semver() + ".tgz"
		must(t, dir, npm, "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", main, r.path(carrier))
		start := started(t, filepath.Join(dir, "node_modules", ".bin", "citewell"))
		tryOut(t, r, start)
		wrong := start("no-such-command")
		if err := wrong.Run(); err == nil || wrong.ProcessState.ExitCode() != 2 {
			t.Errorf("a wrong command ends with %v", err)
		}
		checkSignal(t, start("serve", "--listen", "127.0.0.1:0"))
	})
	t.Run("launcher_alone", func(t *testing.T) {
		dir := t.TempDir()
		must(t, dir, npm, "install", "--offline", "--omit=optional", "--no-audit", "--no-fund", main)
		cmd := started(t, filepath.Join(dir, "node_modules", ".bin", "citewell"))("version")
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), npmName(r.targets[0])+" is not installed") {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// checkSignal wants a server to end well when the one who started it asks for that.
func checkSignal(t *testing.T, server *exec.Cmd) {
	t.Helper()
	said, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(said)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "listening on ") {
	}
	if err := server.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	for lines.Scan() { // until it has closed them
	}
	if err := server.Wait(); err != nil {
		t.Errorf("after SIGTERM it ends with %v", err)
	}
}

func TestBundle(t *testing.T) {
	r, dir := made(t), t.TempDir()
	must(t, dir, need(t, "unzip"), "-q", r.path(r.bundleName(r.targets[0])))
	tryOut(t, r, started(t, filepath.Join(dir, "server", "citewell")))
	home, err := realpart.Home("mcpb", "mcpb", []string{"package-lock.json"}, "node_modules/.bin/mcpb")
	realpart.Need(t, "the validator of MCP bundles", err)
	mcpb := filepath.Join(home, "node_modules", ".bin", "mcpb")
	if said := must(t, dir, mcpb, "validate", "manifest.json"); !strings.Contains(said, "validation passes") {
		t.Errorf("mcpb validate says %s", said)
	}
	must(t, dir, mcpb, "unpack", r.path(r.bundleName(r.targets[0])), "unpacked")
	if info, err := os.Stat(filepath.Join(dir, "unpacked", "server", "citewell")); err != nil ||
		info.Mode().Perm() != 0o755 {
		t.Errorf("the unpacked binary: %v, %v", info, err)
	}
}
