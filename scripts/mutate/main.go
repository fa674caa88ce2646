// Command mutate changes one place of a package at a time and runs its tests, to show
// which rules no test holds: go run ./scripts/mutate [flags] PACKAGE-DIR [-- go test flags].
//
// It reads the packages at and below PACKAGE-DIR, without their tests, what a generator wrote
// and tables. The tree is never written: go test -overlay puts each change into the build.
// Tests of the changed package run first, then those at PACKAGE-DIR. Files give mutants in
// proportion to the places they have; which ones, a hash decides, so that an edit changes
// the sample only where it was made.
package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

var (
	sample  = flag.Int("n", 60, "how many mutants to draw")
	seed    = flag.Int("seed", 1, "another seed draws others")
	list    = flag.Bool("list", false, "show the sample, with no test run")
	only    = flag.String("only", "", "in place of a sample, every mutant whose line matches this regular expression")
	except  = flag.String("except", "", "leave out the files whose path matches this regular expression")
	timeout = flag.Duration("timeout", 0, "of one test run; a minute and four times what the untouched packages "+
		"take when 0")
	first = flag.String("first", "", "flags of quick tests that are run first; what they let pass is tried again "+
		"without these")
	memory = flag.Int("memory", 8, "address space of one test program, in GiB; no bound when 0")
)

// A mutant is one change of one file.
type mutant struct {
	file       *source
	start, end int // bytes that text replaces
	text       string
	operator   string
	at         token.Position
	key        [sha256.Size]byte // its place in the draw
}

// A source is a Go file and its package.
type source struct {
	path, pkg string
	text      string
	mutants   []*mutant // in the order of the draw
}

func main() {
	log.SetFlags(0)
	flag.Parse()
	if flag.NArg() == 0 || flag.NArg() > 1 && flag.Arg(1) != "--" {
		log.Fatal("usage: go run ./scripts/mutate [flags] PACKAGE-DIR [-- go test flags]")
	}
	root := "./" + filepath.ToSlash(filepath.Clean(flag.Arg(0)))
	run := newRunner(root, flag.Args()[min(flag.NArg(), 2):])
	sources := load(root)
	if *except != "" {
		matches := regexp.MustCompile(*except)
		sources = slices.DeleteFunc(sources, func(s *source) bool { return matches.MatchString(s.path) })
	}
	if *only != "" {
		matches := regexp.MustCompile(*only)
		for _, s := range sources {
			s.mutants = slices.DeleteFunc(s.mutants, func(m *mutant) bool { return !matches.MatchString(m.String()) })
			slices.SortStableFunc(s.mutants, func(a, b *mutant) int { return cmp.Compare(a.start, b.start) })
		}
	}
	if !*list {
		run.baseline(sources)
	}
	tried, caught, without := 0, 0, 0
	try := func(m *mutant) bool {
		began, result := time.Now(), ""
		if !*list {
			result = run.try(m)
		}
		if result == "" && !*list {
			fmt.Printf("    %s\tdoes not compile\n", m)
			without++
			return false
		}
		if tried++; result != "survived" {
			caught++
		}
		if *list {
			fmt.Printf("%3d %s\n", tried, m)
		} else {
			fmt.Printf("%3d %s\t%s\t%.1f s\n", tried, m, result, time.Since(began).Seconds())
		}
		return true
	}
	owed := 0
	for i, quota := range quotas(sources) {
		owed += quota
		for _, m := range sources[i].mutants {
			if owed > 0 && try(m) {
				owed--
			}
		}
	}
	if tried > 0 && !*list {
		fmt.Printf("%s: %d of %d mutants caught, %.0f %%; %d more did not compile\n", root, caught, tried,
			100*float64(caught)/float64(tried), without)
	}
}

// quotas shares the sample out over the files, by how many places each has.
func quotas(sources []*source) []int {
	all := 0
	for _, s := range sources {
		all += len(s.mutants)
	}
	n := min(*sample, all)
	if *only != "" {
		n = all
	}
	each, done, before := make([]int, len(sources)), 0, 0
	for i, s := range sources {
		before += len(s.mutants)
		each[i] = (n*before+all/2)/max(all, 1) - done
		done += each[i]
	}
	return each
}

// String is where a mutant is, and what it changes.
func (m *mutant) String() string {
	short := func(s string) string {
		s = strings.Join(strings.Fields(s), " ")
		if runes := []rune(s); len(runes) > 70 {
			s = string(runes[:69]) + "…"
		}
		return s
	}
	return fmt.Sprintf("%s:%d:%d\t%s\t%s → %s", m.file.path, m.at.Line, m.at.Column, m.operator,
		short(m.file.text[m.start:m.end]), short(m.text))
}

// A runner runs the tests of one mutant after the other.
type runner struct {
	root  string // the package that PACKAGE-DIR names, as an import path
	flags []string
	dir   string // of the changed file and the overlay
	limit time.Duration
}

func newRunner(root string, flags []string) *runner {
	dir, err := os.MkdirTemp("", "mutate")
	check(err)
	r := &runner{dir: dir, flags: append([]string{"test", "-vet=off", "-failfast", "-ldflags=-s -w"}, flags...)}
	if *memory > 0 {
		r.flags = append(r.flags, "-exec", fmt.Sprintf(`sh -c 'ulimit -v %d; exec "$0" "$@"'`, *memory<<20))
	}
	for _, p := range packages(root) {
		if r.root == "" || len(p.ImportPath) < len(r.root) {
			r.root = p.ImportPath
		}
	}
	return r
}

// baseline runs the tests of every package without a change: they have to pass.
func (r *runner) baseline(sources []*source) {
	pkgs := map[string]bool{r.root: true}
	for _, s := range sources {
		if len(s.mutants) > 0 {
			pkgs[s.pkg] = true
		}
	}
	began := time.Now()
	cmd := exec.Command("go", append(slices.Clone(r.flags), slices.Sorted(maps.Keys(pkgs))...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		log.Fatalf("the tests fail without a change: %v\n%s", err, out)
	}
	if r.limit = *timeout; r.limit == 0 {
		r.limit = time.Minute + 4*time.Since(began)
	}
}

// try returns "caught", "survived", or nothing where the change does not compile.
func (r *runner) try(m *mutant) string {
	changed, overlay := filepath.Join(r.dir, "changed.go"), filepath.Join(r.dir, "overlay.json")
	check(os.WriteFile(changed, []byte(m.file.text[:m.start]+m.text+m.file.text[m.end:]), 0o644))
	path, err := filepath.Abs(m.file.path)
	check(err)
	data, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	check(err)
	check(os.WriteFile(overlay, data, 0o644))
	var tests [][]string
	for _, flags := range slices.CompactFunc([][]string{strings.Fields(*first), nil}, slices.Equal) {
		for _, pkg := range slices.Compact([]string{m.file.pkg, r.root}) {
			tests = append(tests, slices.Concat(r.flags, []string{"-timeout", r.limit.String(), "-overlay", overlay},
				flags, []string{pkg}))
		}
	}
	for _, flags := range tests {
		out, err := exec.Command("go", flags...).CombinedOutput()
		switch {
		case strings.Contains(string(out), "[build failed]"):
			return ""
		case strings.Contains(string(out), "panic: test timed out"):
			return "caught: hangs"
		case err != nil:
			return "caught"
		}
	}
	return "survived"
}

type goPackage struct {
	ImportPath, Dir string
	GoFiles         []string
}

func packages(root string) (all []goPackage) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles", root+"/...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	check(err)
	for decoder := json.NewDecoder(strings.NewReader(string(out))); decoder.More(); {
		var p goPackage
		check(decoder.Decode(&p))
		all = append(all, p)
	}
	return all
}

// load reads the files of the packages at root and below, and finds their mutants.
func load(root string) (sources []*source) {
	here, err := os.Getwd()
	check(err)
	for _, p := range packages(root) {
		for _, name := range p.GoFiles {
			path, err := filepath.Rel(here, filepath.Join(p.Dir, name))
			check(err)
			data, err := os.ReadFile(path)
			check(err)
			files := token.NewFileSet()
			tree, err := parser.ParseFile(files, path, data, parser.ParseComments|parser.SkipObjectResolution)
			check(err)
			if ast.IsGenerated(tree) {
				continue
			}
			s := &source{path: filepath.ToSlash(path), pkg: p.ImportPath, text: string(data)}
			f := finder{source: s, files: files, seen: map[string]int{}}
			f.file(tree)
			slices.SortFunc(s.mutants, func(a, b *mutant) int { return bytes.Compare(a.key[:], b.key[:]) })
			sources = append(sources, s)
		}
	}
	return sources
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
