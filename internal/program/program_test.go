package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/citewell/citewell/internal/workdir"
)

// bare runs a program without a wall.
func bare(ctx context.Context, s Start) (Ended, error) {
	cmd := exec.CommandContext(ctx, s.Path, s.Args...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = s.Dir, s.Env, s.Stdin, s.Stdout,
		s.Stderr, time.Second
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); exited {
		err = nil
	}
	return Ended{ExitCode: cmd.ProcessState.ExitCode()}, err
}

func programs(t testing.TB, w workdir.Dir, change func(*Options)) *Programs {
	t.Helper()
	o := Options{Workdir: w, Path: os.Getenv("PATH"), Scratch: filepath.Join(t.TempDir(), "scratch"),
		MaxOutput: 256 << 10, Timeout: 2 * time.Minute, MaxTimeout: 5 * time.Minute, Start: bare}
	if change != nil {
		change(&o)
	}
	return New(o)
}

// ran runs a program, which must end well.
func ran(t testing.TB, p *Programs, argv ...string) Result {
	t.Helper()
	r, err := p.Run(t.Context(), Call{Command: argv[0], Args: argv[1:]})
	if err != nil {
		t.Fatalf("%q: %v %+v", argv, err, citewell.View(err))
	}
	return r
}

func need(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			realpart.Lacking(t, "%s is not installed", name)
		}
	}
}

// put writes files into the working folder.
func put(t testing.TB, w workdir.Dir, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(w.Path(), name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A program of the working folder is never taken for one of the system's.
func TestProgramsAreTheSystems(t *testing.T) {
	need(t, "cat")
	w := folder(t)
	bin := filepath.Join(w.Path(), "bin")
	put(t, w, map[string]string{"bin/cat": "#!/bin/sh\necho planted\n"})
	if err := os.Chmod(filepath.Join(bin, "cat"), 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "bin")
	if err := os.Symlink(bin, link); err != nil {
		t.Fatal(err)
	}
	t.Chdir(w.Path())
	linked := t.TempDir()
	if err := os.Symlink(filepath.Join(bin, "cat"), filepath.Join(linked, "cat")); err != nil {
		t.Fatal(err)
	}
	p := programs(t, w, func(o *Options) {
		o.Path = strings.Join([]string{"", ".", "bin", bin, link, linked, os.Getenv("PATH")},
			string(filepath.ListSeparator))
	})
	if r := ran(t, p, "cat", "a.txt"); r.Stdout != "one\ntwo\n" {
		t.Errorf("%+v", r)
	}
}

func TestAllowAndBlock(t *testing.T) {
	need(t, "cat", "env", "sort")
	w := folder(t)
	for name, test := range map[string]struct {
		allow, block []string
		can, cannot  string
	}{
		"ours":    {nil, nil, "cat", "env"},
		"theirs":  {[]string{"env"}, nil, "env", "cat"},
		"blocked": {nil, []string{"sort"}, "cat", "sort"},
		"both":    {[]string{"cat", "env"}, []string{"env"}, "cat", "env"},
		"a_path":  {[]string{"cat", "../bin/env", "/usr/bin/env"}, nil, "cat", "env"},
	} {
		p := programs(t, w, func(o *Options) { o.Allow, o.Block = test.allow, test.block })
		if err := p.Judge(Call{Command: test.can}); err != nil {
			t.Errorf("%s: %s: %v", name, test.can, err)
		}
		if err := p.Judge(Call{Command: test.cannot}); citewell.CodeOf(err) != citewell.CodeCommandNotAllowed {
			t.Errorf("%s: %s: %v", name, test.cannot, err)
		}
	}
}

// What is no program's name is refused as what it is, before its arguments are looked at.
func TestCommands(t *testing.T) {
	need(t, "cat")
	p := programs(t, folder(t), nil)
	for command, code := range map[string]citewell.Code{"cat": "", "cat a.txt": citewell.CodeInvalidArgument,
		"cat|wc": citewell.CodeInvalidArgument, "$SHELL": citewell.CodeInvalidArgument,
		"`id`": citewell.CodeInvalidArgument, "": citewell.CodeCommandNotAllowed,
		"./cat": citewell.CodeCommandNotAllowed, "/bin/cat": citewell.CodeCommandNotAllowed,
		`bin\cat`: citewell.CodeCommandNotAllowed, "bash": citewell.CodeCommandNotAllowed,
		"rm": citewell.CodeCommandNotAllowed, "..": citewell.CodeCommandNotAllowed} {
		err := p.Judge(Call{Command: command})
		if v := citewell.View(err); v.Code != code || code != "" && (v.Message == "" || v.Hint == "") {
			t.Errorf("%q: %+v, want %q", command, v, code)
		}
	}
	for where, code := range map[string]citewell.Code{"": "", "sub": "", "inner": "", "sub/../sub": "",
		"..": citewell.CodePathOutsideWorkdir, "/": citewell.CodePathOutsideWorkdir,
		"escape": citewell.CodePathOutsideWorkdir, "gone": citewell.CodeFileNotFound,
		"a.txt": citewell.CodeFileNotFound} {
		if _, err := p.Run(t.Context(), Call{Command: "cat", Folder: where}); citewell.CodeOf(err) != code {
			t.Errorf("in %q: %v, want %q", where, err, code)
		}
	}
	for arg, code := range map[string]citewell.Code{"b.txt": "", "../a.txt": "",
		"../../a.txt": citewell.CodePathOutsideWorkdir, "/etc/passwd": citewell.CodePathOutsideWorkdir,
		"../escape/secret": citewell.CodePathOutsideWorkdir} {
		if err := p.Judge(Call{Command: "cat", Args: []string{arg}, Folder: "sub"}); citewell.CodeOf(err) != code {
			t.Errorf("%q in sub: %v, want %q", arg, err, code)
		}
	}
	r, err := p.Run(t.Context(), Call{Command: "cat", Args: []string{"b.txt", "-"}, Folder: "sub", Stdin: "aaa\n"})
	if err != nil || r.Stdout != "three\naaa\n" || r.ExitCode != 0 || r.Duration <= 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A program that takes its own rights of its folders leaves nothing behind, and one that
// cannot be given any is not started.
func TestFoldersOfACall(t *testing.T) {
	need(t, "cat")
	w := folder(t)
	p := programs(t, w, func(o *Options) {
		o.Start = func(_ context.Context, s Start) (Ended, error) {
			home := s.ReadWrite[1]
			return Ended{}, errors.Join(os.MkdirAll(filepath.Join(home, "home", "x", "y"), 0o755),
				os.Chmod(filepath.Join(home, "home", "x"), 0o500), os.Chmod(filepath.Join(home, "home"), 0))
		}
	})
	if _, err := p.Run(t.Context(), Call{Command: "cat"}); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(p.o.Scratch, "call-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
	p = programs(t, w, func(o *Options) { o.Scratch = filepath.Join(w.Path(), "a.txt", "scratch") })
	if _, err := p.Run(t.Context(), Call{Command: "cat"}); citewell.CodeOf(err) != citewell.CodeToolFailed {
		t.Errorf("%v", err)
	}
	p = programs(t, w, func(o *Options) {
		o.Start = func(context.Context, Start) (Ended, error) { return Ended{}, errors.New("no more processes") }
	})
	if _, err := p.Run(t.Context(), Call{Command: "cat"}); citewell.CodeOf(err) != citewell.CodeToolFailed ||
		!strings.Contains(citewell.View(err).Message, "no more processes") {
		t.Errorf("%v", err)
	}
}

// Only so many run at once; who waits can give up.
func TestRoom(t *testing.T) {
	need(t, "cat")
	begun, end := make(chan struct{}), make(chan struct{})
	p := programs(t, folder(t), func(o *Options) {
		o.Start = func(context.Context, Start) (Ended, error) {
			begun <- struct{}{}
			<-end
			return Ended{}, nil
		}
	})
	done := make(chan error)
	for range MaxAtOnce {
		go func() {
			_, err := p.Run(context.Background(), Call{Command: "cat"})
			done <- err
		}()
		<-begun
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Run(ctx, Call{Command: "cat"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(end)
	for range MaxAtOnce {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// A git that does not take our settings is not used.
func TestOldGit(t *testing.T) {
	need(t, "git")
	asked := 0
	p := programs(t, folder(t), func(o *Options) {
		o.Start = func(_ context.Context, s Start) (Ended, error) {
			asked++
			_, err := s.Stdout.Write([]byte("core.bare\nfalse\x00citewell.behind\nno\x00"))
			return Ended{}, err
		}
	})
	_, err := p.Run(t.Context(), Call{Command: "git", Args: []string{"status"}})
	if v := citewell.View(err); v.Code != citewell.CodeToolFailed || !strings.Contains(v.Hint, "2.31") || asked != 1 {
		t.Errorf("%+v after %d starts", v, asked)
	}
}

// Nothing of our environment reaches a program, its home is empty and gone afterwards.
func TestEnvironmentIsFresh(t *testing.T) {
	need(t, "env")
	t.Setenv("OPENAI_API_KEY", "sk-canary")
	t.Setenv("GIT_DIR", "/canary")
	w := folder(t)
	p := programs(t, w, func(o *Options) { o.Allow = []string{"env", "ls"} })
	r := ran(t, p, "env")
	if strings.Contains(r.Stdout, "canary") || !strings.Contains(r.Stdout, "GIT_CONFIG_NOSYSTEM=1\n") {
		t.Errorf("the environment is\n%s", r.Stdout)
	}
	for _, settings := range [][]setting{gitSettings, {{"a.b", "c"}}} {
		told := map[string]bool{}
		// of a name that stands twice, one program takes the first and one the last
		for _, v := range p.environment(folders{}, "/bin", settings) {
			name, _, _ := strings.Cut(v, "=")
			if told[name] {
				t.Errorf("%s stands twice", name)
			}
			told[name] = true
		}
	}
	left, err := os.ReadDir(p.o.Scratch)
	if err != nil || len(left) != 1 || left[0].Name() != "go-build" {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestEnds(t *testing.T) {
	for _, test := range []struct{ most, size, step int }{{10, 9, 1}, {10, 10, 3}, {10, 11, 1}, {100, 100_000, 7},
		{100, 100_000, 1000}, {64, 65, 64}} {
		e := newEnds(int64(test.most))
		whole := strings.Repeat("abcdefghij", test.size/10+1)[:test.size]
		for i := 0; i < len(whole); i += test.step {
			if n, err := e.Write([]byte(whole[i:min(i+test.step, len(whole))])); err != nil || n == 0 {
				t.Fatal(n, err)
			}
		}
		want := whole
		if half := test.most / 2; test.size > test.most {
			want = whole[:half] + fmt.Sprintf("\n[... %d bytes left out ...]\n", test.size-test.most) +
				whole[test.size-half:]
		}
		if got := e.String(); got != want || e.cut() != (test.size > test.most) {
			t.Errorf("%+v: %.200q, want %.200q", test, got, want)
		}
		if cap(e.tail) > 6*test.most+test.step+64 {
			t.Errorf("%+v: %d bytes are held", test, cap(e.tail))
		}
	}
	e := newEnds(9) // halves of four bytes, amid characters of three
	_, _ = e.Write([]byte("世界世界世界"))
	if got := e.String(); got != "世\n[... 12 bytes left out ...]\n界" || !utf8.ValidString(got) {
		t.Errorf("%q", got)
	}
}

// The end of a program's time is a result, that of its caller's an error.
func TestTimeouts(t *testing.T) {
	need(t, "sleep")
	p := programs(t, folder(t), func(o *Options) { o.Allow = []string{"sleep"} })
	r, err := p.Run(t.Context(), Call{Command: "sleep", Args: []string{"600"}, Timeout: 50 * time.Millisecond})
	if err != nil || !r.TimedOut || r.ExitCode != 124 {
		t.Errorf("%+v, %v", r, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if r, err := p.Run(ctx, Call{Command: "sleep", Args: []string{"600"}}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%+v, %v", r, err)
	}
}

// What a repository's configuration would start is not started, whatever git is asked.
func TestPlantedRepository(t *testing.T) {
	need(t, "git", "touch")
	w := folder(t)
	mark := filepath.Join(t.TempDir(), "mark")
	by := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-c",
			"protocol.file.allow=always"}, args...)...)
		cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1",
			"GIT_CONFIG_GLOBAL=/dev/null"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v %s", args, err, out)
		}
	}
	inner := filepath.Join(t.TempDir(), "inner")
	if err := os.Mkdir(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(inner, "f.txt"), []byte("in\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	attributes := "*.txt filter=planted diff=planted merge=planted\n*.bin diff=shown\n"
	if err := os.WriteFile(filepath.Join(inner, ".gitattributes"),
		[]byte(strings.ReplaceAll(attributes, "planted", "deep")), 0o644); err != nil {
		t.Fatal(err)
	}
	by(inner, "init", "-q")
	by(inner, "add", ".")
	by(inner, "commit", "-qm", "inner")
	put(t, w, map[string]string{".gitattributes": attributes, "x.bin": "a\x00b"})
	by(w.Path(), "init", "-q")
	by(w.Path(), "submodule", "--quiet", "add", inner, "module")
	by(w.Path(), "add", "a.txt", "x.bin", ".gitattributes", "module", ".gitmodules")
	by(w.Path(), "commit", "-qm", "first")
	plant := func(config, name string) {
		t.Helper()
		file, err := os.OpenFile(config, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		run := "touch " + mark + "; cat"
		fmt.Fprintf(file, strings.ReplaceAll(
			"[core]\nfsmonitor=%[1]q\npager=%[1]q\neditor=%[1]q\nsshCommand=%[1]q\n[diff]\nexternal="+
				"%[1]q\nignoreSubmodules=none\n[filter \"planted\"]\nclean=%[1]q\nsmudge=%[1]q\nrequired=true\n"+
				"[filter \"other\"]\nprocess=%[1]q\n[diff \"planted\"]\ncommand=%[1]q\ntextconv=%[1]q\n[diff "+
				"\"shown\"]\ntextconv=%[1]q\n[merge "+
				"\"planted\"]\ndriver=%[1]q\n[gpg]\nprogram=%[1]q\n[log]\nshowSignature=true\n"+
				"[commit]\ngpgSign=true\n[alias]\nstatus=\"!%[2]s\"\nst=\"!%[2]s\"\n[status]\nsubmoduleSummary="+
				"true\n[user]\nname=a\nemail=a@example.org\n[pager]\nlog=%[1]q\n", "planted", name), run, run)
		hooks := filepath.Join(filepath.Dir(config), "hooks")
		if err := os.MkdirAll(hooks, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, hook := range []string{"pre-commit", "post-commit", "post-checkout", "post-index-change", "commit-msg",
			"prepare-commit-msg"} {
			if err := os.WriteFile(filepath.Join(hooks, hook), []byte("#!/bin/sh\ntouch "+mark+"\n"),
				0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	plant(filepath.Join(w.Path(), ".git", "config"), "planted")
	plant(filepath.Join(w.Path(), ".git", "modules", "module", "config"), "deep")
	by(w.Path(), "config", "-f", ".gitmodules", "submodule.module.ignore", "none")
	put(t, w, map[string]string{"a.txt": "one\nmore\n", "module/f.txt": "IN\n", "x.bin": "a\x00c",
		".gitattributes": attributes + "# more\n"})
	p := programs(t, w, nil)
	for _, argv := range [][]string{{"status"}, {"diff"}, {"diff", ".gitattributes"}, {"diff", "module"},
		{"diff", "--no-ext-diff"}, {"log", "-p"}, {"show"}, {"blame", "a.txt"}, {"add", "a.txt", "x.bin"},
		{"commit", "-m", "second"}, {"commit", "-am", "third"},
		{"switch", "-c", "other"}, {"restore", "--source=HEAD~1", "a.txt"}, {"grep", "one"}, {"cat-file", "-p", "HEAD"},
		{"describe", "--always", "--dirty"}, {"ls-files", "-m"}, {"tag", "-m", "x", "x"}, {"diff", "HEAD~1", "HEAD"},
		{"status", "-v"},
		{"diff", "--stat", "--no-ext-diff"}} {
		r := ran(t, p, append([]string{"git"}, argv...)...)
		if _, err := os.Stat(mark); err == nil {
			t.Errorf("git %q started what the repository configures: %+v", argv, r)
			if err := os.Remove(mark); err != nil {
				t.Fatal(err)
			}
		}
		if strings.Contains(r.Stderr, "not a git repository") || strings.Contains(r.Stderr, "dubious") {
			t.Errorf("git %q: %+v", argv, r)
		}
	}
	if r := ran(t, p, "git", "log", "--oneline"); strings.Count(r.Stdout, "\n") < 2 {
		t.Errorf("nothing was committed: %+v", r)
	}
}

// A repository above the working folder is not seen.
func TestRepositoryAbove(t *testing.T) {
	need(t, "git")
	w := folder(t)
	if out, err := exec.Command("git", "-C", filepath.Dir(w.Path()), "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	if r := ran(t, programs(t, w, nil), "git", "status"); r.ExitCode == 0 {
		t.Errorf("%+v", r)
	}
}

// Code of the working folder is built and tested without a network, and go.work of a folder
// above means nothing.
func TestGo(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a part of the standard library")
	}
	need(t, "go", "gofmt")
	w := folder(t)
	put(t, w, map[string]string{"go.mod": "module example.org/m\n\ngo 1.21\n",
		"m.go": "package m\n\n// One is one.\nfunc One() int { return  1 }\n",
		"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {\n\tif One() != 1 " +
			"{\n\t\tt.Fatal()\n\t}\n}\n", "../go.work": "go 1.21\n\nuse ./absent\n"})
	p := programs(t, w, func(o *Options) {
		o.Timeout = time.Hour // a part of the standard library is built, for as long as the machine lets it wait
		o.Start = func(ctx context.Context, s Start) (Ended, error) {
			ended, err := bare(ctx, s)
			for _, v := range s.Env {
				if home, ok := strings.CutPrefix(v, "HOME="); ok {
					if kept, err := os.ReadDir(filepath.Join(home, ".config", "go", "telemetry")); err != nil ||
						len(kept) != 1 {
						t.Errorf("%v: go counts what it does, in a process that outlives the call: %v, %v",
							s.Args, kept, err)
					}
				}
			}
			return ended, err
		}
	})
	for _, test := range []struct {
		argv string
		code int
		said string
	}{{"go build ./...", 0, ""}, {"go test -vet=off ./...", 0, "ok  \texample.org/m"}, {"go vet .", 0, ""},
		{"go list ./...", 0, "example.org/m"}, {"gofmt -l .", 0, "m.go"}, {"gofmt -w m.go", 0, ""},
		{"gofmt -l .", 0, ""}, {"go version", 0, "go1."}} {
		if r := ran(t, p, strings.Fields(test.argv)...); r.ExitCode != test.code ||
			!strings.Contains(r.Stdout, test.said) {
			t.Errorf("%s: %+v", test.argv, r)
		}
	}
}
