package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// testVersion is one that every format writes in another way.
const testVersion = "v0.1.0-rc.1"

var workFolder string

func TestMain(m *testing.M) {
	var err error
	if workFolder, err = os.MkdirTemp("", "citewell-release-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(workFolder)
	os.Exit(code)
}

// made is a release of this machine's target, which the tests install.
func made(t *testing.T) *release {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("installs what is made for Linux")
	}
	r, err := makeOnce()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var makeOnce = sync.OnceValues(func() (*release, error) { return makeRelease("..", filepath.Join(workFolder, "dist")) })

func makeRelease(source, out string) (*release, error) {
	version, err := parseVersion(testVersion)
	if err != nil {
		return nil, err
	}
	at, err := commitTime("..")
	if err != nil {
		return nil, err
	}
	only, err := chosen("linux/" + runtime.GOARCH)
	if err != nil {
		return nil, err
	}
	r := &release{version: version, time: at, source: source, out: out, targets: only,
		image: "registry.example/citewell"}
	return r, r.make()
}

func (r *release) path(name string) string { return filepath.Join(r.out, name) }

// need finds a program.
func need(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		realpart.Lacking(t, "needs %s of scripts/test-setup.sh", program)
	}
	return path
}

// must runs a command in a folder and returns what it says.
func must(t *testing.T, dir, command string, args ...string) string {
	t.Helper()
	cmd := exec.Command(command, args...)
	cmd.Dir, cmd.Env = dir, homeless(t)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", command, args, err, out)
	}
	return string(out)
}

// homeless is an environment without settings of this machine's user, and without network
// for the installers.
func homeless(t *testing.T) []string {
	home := t.TempDir()
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "LC_ALL=C.UTF-8", "PIP_NO_INDEX=1",
		"PIP_DISABLE_PIP_VERSION_CHECK=1",
		"npm_config_offline=true", "npm_config_cache=" + filepath.Join(home, "npm"), "npm_config_update_notifier=false"}
}

// tryOut uses an installed Citewell as its user does first: its version, the demo, and the
// tools for an MCP client.
func tryOut(t *testing.T, r *release, start func(args ...string) *exec.Cmd) {
	t.Helper()
	run := func(args ...string) string {
		cmd := start(args...)
		out, err := cmd.Output()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, exit.Stderr)
		} else if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	if out := run("version"); !strings.HasPrefix(out, "citewell "+r.version.Stamp()+" linux/") {
		t.Errorf("version says %q", out)
	}
	if out := run("demo"); !strings.Contains(out, "## Key findings") || !strings.Contains(out, "640 gigawatt-hours") {
		t.Errorf("demo says %q", out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "release-test", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: start("mcp")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if server := session.InitializeResult().ServerInfo; server.Version != r.version.Stamp() {
		t.Errorf("the MCP server calls itself %s %s", server.Name, server.Version)
	}
	listed, err := session.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(listed.Tools, func(tool *mcp.Tool) bool { return tool.Name == "web_search" }) {
		t.Errorf("%d tools, and web_search is not one", len(listed.Tools))
	}
}

// started starts a program that was installed at that path.
func started(t *testing.T, path string) func(args ...string) *exec.Cmd {
	environ := homeless(t)
	return func(args ...string) *exec.Cmd {
		cmd := exec.Command(path, args...)
		cmd.Dir, cmd.Env = t.TempDir(), environ
		return cmd
	}
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The same source gives the same bytes, wherever it lies.
func TestReproducible(t *testing.T) {
	first := made(t)
	source := t.TempDir()
	for path := range strings.SplitSeq(strings.TrimSuffix(must(t, "..", "git", "ls-files", "-z", "--cached", "--others",
		"--exclude-standard"), "\x00"), "\x00") {
		from, err := os.Open(filepath.Join("..", path))
		if errors.Is(err, os.ErrNotExist) {
			continue // deleted, and the deletion is not committed yet
		} else if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(source, path)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		file, err := os.Create(to)
		if err == nil {
			_, err = file.ReadFrom(from)
		}
		if err := errors.Join(err, file.Close(), from.Close()); err != nil {
			t.Fatal(err)
		}
	}
	second, err := makeRelease(source, filepath.Join(t.TempDir(), "elsewhere"))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := read(t, first.path("checksums.txt")), read(t, second.path("checksums.txt")); a != b {
		t.Errorf("once:\n%s\nand again:\n%s", a, b)
	}
}

func TestChecksums(t *testing.T) {
	r := made(t)
	said := must(t, r.out, need(t, "sha256sum"), "--check", "--strict", "checksums.txt")
	entries, err := os.ReadDir(r.out)
	if err != nil {
		t.Fatal(err)
	}
	if good := strings.Count(said, ": OK\n"); good != len(entries)-1 || good < 9 {
		t.Errorf("%d of %d files have a sum", good, len(entries)-1)
	}
}

// A version is taken of a tree without changes alone.
func TestVersionOfTree(t *testing.T) {
	source := t.TempDir()
	commit := func(words string) {
		must(t, source, "git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet",
			"--allow-empty", "-m", words)
	}
	must(t, source, "git", "init", "--quiet")
	commit("one")
	check := func(want string) {
		t.Helper()
		if v, err := versionOf(source, ""); err != nil || v.Semver() != want {
			t.Errorf("%q, %v; want %s", v.Semver(), err, want)
		}
	}
	check("0.0.1-dev.1")
	must(t, source, "git", "tag", "v0.3.0")
	check("0.3.0")
	commit("two")
	check("0.3.1-dev.1")
	if err := os.WriteFile(filepath.Join(source, "new"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if v, err := versionOf(source, ""); err == nil || !strings.Contains(err.Error(), "-version") {
		t.Errorf("with a file that no commit has: %s, %v", v.Semver(), err)
	}
}
