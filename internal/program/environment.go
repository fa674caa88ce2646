package program

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell"
)

// environment is all that a program is told of where it is; path is where it finds other programs.
func (p *Programs) environment(own folders, path string, settings []setting) []string {
	work := "off"
	if info, err := os.Lstat(filepath.Join(p.o.Workdir.Path(), "go.work")); err == nil && info.Mode().IsRegular() {
		work = filepath.Join(p.o.Workdir.Path(), "go.work") // never one of a folder above
	}
	env := []string{
		"PATH=" + path, "HOME=" + own.home, "TMPDIR=" + own.tmp,
		"LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TERM=dumb", "PAGER=cat",
		"GOCACHE=" + own.goCache, "GOMODCACHE=" + p.o.GoModules, "GOPATH=" + filepath.Join(own.home, "go"),
		"GOWORK=" + work,
		"GOENV=off", "GOFLAGS=-buildvcs=false", "GOTOOLCHAIN=local", "GOPROXY=off", "GOSUMDB=off", "GOVCS=*:off",
		"GO111MODULE=on", "CGO_ENABLED=0",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=" + os.DevNull, "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_ATTR_NOSYSTEM=1", "GIT_TEMPLATE_DIR=",
		"GIT_CEILING_DIRECTORIES=" + filepath.Dir(p.o.Workdir.Path()), "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=false",
		"GIT_SEQUENCE_EDITOR=false", "GIT_PAGER=cat", "GIT_ASKPASS=false", "GIT_SSH_COMMAND=false",
		"GIT_NO_LAZY_FETCH=1",
	}
	return append(env, gitConfig(settings)...)
}

// searched are the folders in which the programs lie, as in the variable PATH.
func (p *Programs) searched() string {
	var dirs []string
	for _, path := range p.found {
		dirs = append(dirs, filepath.Dir(path))
	}
	slices.Sort(dirs)
	return strings.Join(slices.Compact(dirs), string(filepath.ListSeparator))
}

// A setting of git's is a key and a value.
type setting struct{ key, value string }

// behind is a key that git does not know: where it is told of, git takes settings from its environment.
const behind = "citewell.behind"

// gitSettings switch off what a repository's own configuration may have git start.
var gitSettings = []setting{
	{behind, "yes"},
	{"core.fsmonitor", "false"}, {"core.hooksPath", os.DevNull}, {"core.pager", "cat"}, {"core.editor", "false"},
	{"core.sshCommand", "false"}, {"core.askPass", "false"},
	{"core.attributesFile", os.DevNull}, {"core.excludesFile", os.DevNull}, {"credential.helper", ""},
	{"protocol.allow", "never"}, {"safe.directory", "*"},
	{"commit.gpgSign", "false"}, {"tag.gpgSign", "false"}, {"log.showSignature", "false"}, {"gpg.program", "false"},
	{"gpg.ssh.program", "false"}, {"gpg.x509.program", "false"},
	{"interactive.diffFilter", "cat"}, {"diff.ignoreSubmodules", "all"}, {"submodule.recurse", "false"},
	{"status.submoduleSummary", "false"}, {"fetch.recurseSubmodules", "false"},
	{"gc.auto", "0"}, {"maintenance.auto", "false"}, {"trace2.eventTarget", "0"}, {"trace2.normalTarget", "0"},
	{"trace2.perfTarget", "0"},
}

// gitConfig gives settings as git takes them from its environment, from version 2.31 on.
func gitConfig(settings []setting) []string {
	env := []string{fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(settings))}
	for i, s := range settings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, s.key),
			fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, s.value))
	}
	return env
}

// quietGit asks git which settings hold where it is to run, and switches off those that start programs of the
// repository's choice: filters, drivers of differences and of merges. If git cannot say, that is the result of the
// call.
func (p *Programs) quietGit(ctx context.Context, s *Start, own folders) (r Result, done bool, err error) {
	ask := *s
	ask.Args = []string{"config", "--list", "--null"}
	ask.Stdin = strings.NewReader("")
	listing := Programs{o: p.o}
	listing.o.MaxOutput = 8 << 20
	r, err = listing.run(ctx, ask)
	if err != nil || r.ExitCode != 0 || r.Signal != "" || ctx.Err() != nil {
		return r, true, err
	}
	if r.Truncated {
		return Result{}, true, &citewell.Error{Code: citewell.CodeToolFailed, Op: "run_cli",
			Message: "the repository's configuration is too long to be checked"}
	}
	quiet, told := quieted(r.Stdout)
	if !told {
		return Result{}, true, &citewell.Error{Code: citewell.CodeToolFailed, Op: "run_cli",
			Message: "this git takes no settings from its environment, so a repository's configuration cannot be " +
				"switched off",
			Hint: "git 2.31 or newer does"}
	}
	// Git finds no other git by its name: .gitmodules may have it ask one in each submodule.
	s.Env = append(p.environment(own, own.home, append(slices.Clone(gitSettings), quiet...)), "GIT_EXEC_PATH="+own.home)
	return Result{}, false, nil
}

// quieted are the settings that switch off what a listing of all settings has git start; told reports whether ours hold
// there. An empty filter is none; an empty driver of differences ends git, unless --no-ext-diff is given; cat shows the
// file.
func quieted(listing string) (quiet []setting, told bool) {
	seen := map[string]bool{}
	for entry := range strings.SplitSeq(listing, "\x00") {
		key, _, _ := strings.Cut(entry, "\n")
		told = told || entry == behind+"\nyes"
		section, name := key[:max(0, strings.Index(key, "."))], key[strings.LastIndex(key, ".")+1:]
		value, starts := "", false
		switch section {
		case "filter":
			if starts = slices.Contains([]string{"clean", "smudge", "process", "required"}, name); name == "required" {
				value = "false"
			}
		case "diff":
			switch name {
			case "textconv":
				starts, value = true, "cat"
			case "command", "external":
				starts = true
			}
		case "merge":
			if starts = name == "driver"; starts {
				value = "false"
			}
		case "trailer":
			starts, value = name == "command" || name == "cmd", "true"
		case "hook":
			if starts = name == "command" || name == "enabled"; name == "enabled" {
				value = "false"
			}
		}
		if starts && !seen[key] {
			seen[key] = true
			quiet = append(quiet, setting{key, value})
		}
	}
	return quiet, told
}

// wholeAtEnd drops a character that is cut at the end.
func wholeAtEnd(b []byte) []byte {
	for i := 1; i <= min(utf8.UTFMax-1, len(b)); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// wholeAtStart drops what is left of a character at the start.
func wholeAtStart(b []byte) []byte {
	for i := 0; i < min(utf8.UTFMax-1, len(b)); i++ {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	return b
}
