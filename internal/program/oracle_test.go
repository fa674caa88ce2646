package program

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/testing/realpart"
)

// getopt has the system's own reader of options take arguments apart, by what a grammar
// lets through and what it refuses: abbreviated, bundled and glued as programs take them.
func getopt(t testing.TB, program string, g grammar, args []string) (options, operands []string, ok bool) {
	t.Helper()
	var short, long []string
	add := func(name, arguments string) {
		if strings.HasPrefix(name, "--") {
			long = append(long, name[2:]+arguments)
		} else {
			short = append(short, name[1:]+arguments)
		}
	}
	for name, o := range optionsOf(g.options) {
		switch {
		case o.glued:
			add(name, "::")
		case len(o.values) > 0:
			add(name, ":")
		default:
			add(name, "")
		}
	}
	for _, r := range g.refused {
		for name := range strings.FieldsSeq(r.options) {
			add(name, "::")
		}
	}
	argv := append([]string{"-u", "-o", strings.Join(short, ""), "-l", strings.Join(long, ","), "-n", program, "--"},
		args...)
	out, err := exec.Command("getopt", argv...).Output()
	if err != nil {
		return nil, nil, false
	}
	words := strings.Fields(string(out)) // unquoted: the caller gives words without spaces only
	end := slices.Index(words, "--")
	return words[:end], words[end+1:], true
}

// FuzzOptions holds the judge against getopt: what it lets through has none of the refused
// options in any spelling, and every operand that getopt sees was judged as one.
func FuzzOptions(f *testing.F) {
	if _, err := exec.LookPath("getopt"); err != nil {
		realpart.Lacking(f, "getopt is not installed")
	}
	var programs []string
	for name, g := range grammars {
		if g.style == gnu && g.subcommands == nil && !g.digits && name != "jq" {
			programs = append(programs, name)
		}
	}
	slices.Sort(programs)
	for i := range programs {
		for _, argv := range []string{"-a b", "--comp x", "-xo y", "--out=z -- --pre", "-zT/x a", "--files0 --follow",
			"a -f ../b", "-nr -- -o"} {
			f.Add(uint(i), argv)
		}
	}
	f.Fuzz(func(t *testing.T, which uint, written string) {
		name := programs[which%uint(len(programs))]
		g, args := grammars[name], strings.Fields(written)
		if strings.ContainsAny(written, "\x00'\"\\") {
			return
		}
		var judged []string
		err := line{program: name, args: args, inside: func(p string) error {
			judged = append(judged, p)
			return nil
		}}.judge()
		if err != nil {
			return
		}
		options, operands, ok := getopt(t, name, g, args)
		if !ok {
			return // an ambiguity, which the program refuses as well
		}
		for _, r := range g.refused {
			for bad := range strings.FieldsSeq(r.options) {
				for _, o := range options {
					if o == bad && !slices.Contains(args, o) || o == bad && !known(g, o, args) {
						t.Fatalf("%s %q was let through with %s", name, args, bad)
					}
				}
			}
		}
		if g.operands == path && g.first == "" {
			for _, operand := range operands {
				if !slices.Contains(judged, operand) {
					t.Fatalf("%s %q was let through, and %q was not judged as a path", name, args, operand)
				}
			}
		}
	})
}

// known says whether the word o stands as an option's value in args, by the grammar.
func known(g grammar, o string, args []string) bool {
	pieces, err := g.readArguments("it", args)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(pieces, func(p piece) bool { return slices.Contains(p.values, o) })
}

// FuzzSed holds the judge of scripts against sed itself, which has a mode that refuses what
// starts programs and touches files.
func FuzzSed(f *testing.F) {
	if out, err := exec.Command("sed", "--sandbox", "p").CombinedOutput(); err != nil {
		realpart.Lacking(f, "sed --sandbox does not work: %v %s", err, out)
	}
	for _, script := range []string{"s/a/b/g", ":a;N;$!ba;s/\\n/ /g", "1,3{p;d}", "a\\\ntext\nw x", "s,a,b,w x",
		"/a/,/b/!s/[^/]*$//;e", "y/abc/xyz/;R f", "$!{h;d};x;G", "i\\  foo\\", "s/a/b\\\nw x/;W y",
		"\\,a,d;1~2p;0,/x/I{=;l 3}", "c x\n}w y",
		"}e", "b x;:x w y", "t;w", "s/[/]/w x/", "#n\np;#e\nq5", "a;e\ne", "r f\ne", "F;z;v 4.2;e", "s/[/]/x/w y",
		"s/[[:]/]/x/;e", "s/[\\]/x/;w y", "s/[]/]x/y/;e", "s/a[^]]/b/w x", "/[[.a.]/]/e", "s/[a\\]/]/;e", "y/[/]/;e",
		"s/x/\\\n/;w y", "1!{ /\\//s//\\//e }", "s\nx\ny\n", "s/a/b/ w z", "s/./&/3gpw q", "/x/{a foo\n}\n;e"} {
		f.Add(script)
	}
	f.Fuzz(func(t *testing.T, script string) {
		if len(script) > 200 || strings.ContainsRune(script, 0) {
			return
		}
		if judgeSed(script, func(string) error { return errOutside }) != nil {
			return
		}
		cmd := exec.Command("sed", "--sandbox", "-n", "-e", script)
		var said bytes.Buffer
		cmd.Stderr, cmd.Env, cmd.WaitDelay = &said, []string{"LC_ALL=C.UTF-8"}, time.Second
		_ = cmd.Run() // a script that is none is no harm
		if strings.Contains(said.String(), "sandbox") {
			t.Fatalf("%q was let through; sed says %s", script, said.String())
		}
	})
}

var errOutside = errors.New("outside")

// FuzzJudge holds the judge against its own table, read another way: what it lets through
// of any program has no refused option where an option can stand, and every word of it
// was taken for something.
func FuzzJudge(f *testing.F) {
	var lines []string
	every(grammars, "", func(name string, g grammar) {
		if g.subcommands == nil && g.style != free {
			lines = append(lines, name)
		}
	})
	slices.Sort(lines)
	for i := range lines {
		for _, argv := range []string{"-x a", "--output=b -- -o", "-exec id ;", "-toolexec=id ./...",
			"--ext-diff HEAD:../x", "-e w -f /x", "-L/x . ../b", "( -name x ) -o -delete"} {
			f.Add(uint(i), argv)
		}
	}
	w := folder(f)
	f.Fuzz(func(t *testing.T, which uint, written string) {
		name := lines[which%uint(len(lines))]
		named := strings.Fields(name)
		g, args := grammars[named[0]], strings.Fields(written)
		for _, sub := range named[1:] {
			g = g.subcommands[sub]
		}
		if (line{program: named[0], args: append(named[1:], args...), inside: w.Inside}).judge() != nil {
			return
		}
		pieces, err := g.readArguments(name, args)
		if err != nil {
			t.Fatalf("%s %q was let through, and read with %v", name, args, err)
		}
		values, taken := map[string]int{}, ""
		for _, p := range pieces {
			taken += strings.TrimLeft(p.option, "-")
			for i, value := range p.values {
				values[value]++
				taken += value
				if k := p.kinds[i]; k == path || k == archive {
					if data, err := os.ReadFile(filepath.Join(w.Path(), value)); err == nil &&
						!strings.HasPrefix(string(data), "one") && !strings.HasPrefix(string(data), "three") {
						t.Fatalf("%s %q was let through and reads %q", name, args, value)
					}
				}
			}
		}
		drop := strings.NewReplacer("-", "", "=", "", "true", "", "false", "")
		if got, want := drop.Replace(taken), drop.Replace(strings.Join(args, "")); got != want {
			t.Fatalf("%s %q was let through; it was read as %q", name, args, taken)
		}
		for i, a := range args {
			if a == "--" && g.style != words {
				break
			}
			option, _, _ := strings.Cut(a, "=")
			if g.style == flags {
				option = "-" + strings.TrimLeft(option, "-")
			}
			if values[a] > 0 || !strings.HasPrefix(a, "-") {
				continue
			}
			for _, r := range g.refused {
				for bad := range strings.FieldsSeq(r.options) {
					if option == bad || g.style == gnu && strings.HasPrefix(option, "--") && len(option) > 2 &&
						strings.HasPrefix(bad, option) && !slices.Contains(listed(g.options), option) {
						t.Fatalf("%s %q was let through with %s (argument %d)", name, args, bad, i)
					}
				}
			}
		}
	})
}
