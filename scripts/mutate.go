//go:build ignore

// Command mutate changes one place of a package at a time and runs its tests, to show
// which rules no test holds: go run scripts/mutate.go [flags] PACKAGE-DIR [-- go test flags].
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
	"math/big"
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
	timeout = flag.Duration("timeout", 0, "of one test run; a minute and four times what the untouched packages take when 0")
	first   = flag.String("first", "", "flags of quick tests that are run first; what they let pass is tried again without these")
	memory  = flag.Int("memory", 8, "address space of one test program, in GiB; no bound when 0")
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
		log.Fatal("usage: go run scripts/mutate.go [flags] PACKAGE-DIR [-- go test flags]")
	}
	root := "./" + filepath.ToSlash(filepath.Clean(flag.Arg(0)))
	run := newRunner(root, flag.Args()[min(flag.NArg(), 2):])
	sources := load(root)
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
		fmt.Printf("%s: %d of %d mutants caught, %.0f %%; %d more did not compile\n", root, caught, tried, 100*float64(caught)/float64(tried), without)
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
	return fmt.Sprintf("%s:%d:%d\t%s\t%s → %s", m.file.path, m.at.Line, m.at.Column, m.operator, short(m.file.text[m.start:m.end]), short(m.text))
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
			tests = append(tests, slices.Concat(r.flags, []string{"-timeout", r.limit.String(), "-overlay", overlay}, flags, []string{pkg}))
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

// A finder collects the mutants of one file.
type finder struct {
	*source
	files *token.FileSet
	name  string         // the declaration it is in
	seen  map[string]int // how often a change was found in a declaration
}

func (f *finder) add(operator string, from, to token.Pos, text string) {
	start, end := f.files.Position(from).Offset, f.files.Position(to).Offset
	old := f.text[start:end]
	if old == text || slices.ContainsFunc(f.mutants, func(m *mutant) bool { return m.start == start && m.end == end && m.text == text }) {
		return
	}
	change := fmt.Sprintf("%d\n%s\n%s\n%s\n%s\n%s", *seed, f.path, f.name, operator, old, text)
	f.seen[change]++
	key := sha256.Sum256(fmt.Appendf(nil, "%s\n%d", change, f.seen[change]))
	f.mutants = append(f.mutants, &mutant{f.source, start, end, text, operator, f.files.Position(from), key})
}

// file leaves out tables: of a package's variables only the functions in them count.
func (f *finder) file(tree *ast.File) {
	for _, declared := range tree.Decls {
		switch d := declared.(type) {
		case *ast.FuncDecl:
			if f.name = d.Name.Name; d.Body != nil && f.name != "init" {
				f.body(d.Type, d.Body)
			}
		case *ast.GenDecl:
			f.name = d.Tok.String()
			for _, spec := range d.Specs {
				values, ok := spec.(*ast.ValueSpec)
				if !ok {
					continue
				}
				for _, value := range values.Values {
					if d.Tok == token.CONST {
						f.constants(value)
					}
					ast.Inspect(value, func(n ast.Node) bool {
						if literal, ok := n.(*ast.FuncLit); ok {
							f.body(literal.Type, literal.Body)
						}
						_, inside := n.(*ast.FuncLit)
						return !inside
					})
				}
			}
		}
	}
}

func (f *finder) constants(value ast.Expr) {
	ast.Inspect(value, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok {
			f.number(literal)
		}
		return true
	})
}

// body finds what can be changed in a function of a type.
func (f *finder) body(of *ast.FuncType, body *ast.BlockStmt) {
	alone := map[ast.Stmt]bool{} // the only statement of an if, which goes with its body
	statements := func(all []ast.Stmt) {
		for _, s := range all {
			if !alone[s] {
				f.statement(s)
			}
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			f.body(n.Type, n.Body)
			return false
		case *ast.IfStmt:
			f.condition(n.Cond)
			if len(n.Body.List) == 1 {
				alone[n.Body.List[0]] = true
			}
			if len(n.Body.List) > 0 {
				f.add("empty if", n.Body.Lbrace, n.Body.End(), "{}")
			}
		case *ast.ForStmt:
			f.condition(n.Cond)
		case *ast.SwitchStmt:
			for _, s := range n.Body.List {
				if n.Tag == nil {
					for _, c := range s.(*ast.CaseClause).List {
						f.condition(c)
					}
				}
			}
		case *ast.BlockStmt:
			statements(n.List)
		case *ast.CaseClause:
			statements(n.Body)
		case *ast.CommClause:
			statements(n.Body)
		case *ast.BinaryExpr:
			f.operation(n)
		case *ast.AssignStmt:
			if other, ok := map[token.Token]string{token.ADD_ASSIGN: "-=", token.SUB_ASSIGN: "+="}[n.Tok]; ok {
				f.add("plus", n.TokPos, n.TokPos+2, other)
			}
		case *ast.ReturnStmt:
			f.results(of, n)
		case *ast.UnaryExpr: // -1 is mostly nothing, and any other negative number is nothing too
			if literal, ok := n.X.(*ast.BasicLit); ok && n.Op == token.SUB && literal.Value == "1" {
				f.add("constant", n.Pos(), n.End(), "0")
				return false
			}
		case *ast.BasicLit:
			f.number(n)
		case *ast.Ident:
			if other, ok := map[string]string{"true": "false", "false": "true"}[n.Name]; ok {
				f.add("constant", n.Pos(), n.End(), other)
			}
		case *ast.ArrayType:
			return false
		case *ast.CallExpr:
			return !wording(n)
		}
		return true
	})
}

// wording says whether a call words an error or writes a log.
func wording(call *ast.CallExpr) bool {
	selected, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	of, _ := selected.X.(*ast.Ident)
	if of != nil && (of.Name == "slog" || of.Name == "log" || of.Name == "errors" && selected.Sel.Name == "New" || of.Name == "fmt" && selected.Sel.Name == "Errorf") {
		return true
	}
	return slices.Contains([]string{"Debug", "Info", "Warn", "DebugContext", "InfoContext", "WarnContext", "ErrorContext"}, selected.Sel.Name)
}

// condition negates what is no single == or !=: those are swapped where they stand.
func (f *finder) condition(c ast.Expr) {
	if binary, ok := c.(*ast.BinaryExpr); c == nil || ok && (binary.Op == token.EQL || binary.Op == token.NEQ) {
		return
	}
	f.add("negate", c.Pos(), c.End(), "!("+f.text[f.files.Position(c.Pos()).Offset:f.files.Position(c.End()).Offset]+")")
}

var swaps = map[token.Token]struct{ operator, other string }{
	token.LSS: {"boundary", "<="}, token.LEQ: {"boundary", "<"}, token.GTR: {"boundary", ">="}, token.GEQ: {"boundary", ">"},
	token.EQL: {"negate", "!="}, token.NEQ: {"negate", "=="},
	token.LAND: {"and or", "||"}, token.LOR: {"and or", "&&"},
	token.ADD: {"plus", "-"}, token.SUB: {"plus", "+"},
}

func (f *finder) operation(b *ast.BinaryExpr) {
	for _, side := range []ast.Expr{b.X, b.Y} {
		if literal, ok := side.(*ast.BasicLit); ok && b.Op == token.ADD && literal.Kind == token.STRING {
			return
		}
	}
	if swap, ok := swaps[b.Op]; ok {
		f.add(swap.operator, b.OpPos, b.OpPos+token.Pos(len(b.Op.String())), swap.other)
	}
}

// number makes of 0 a 1, and any other half as much again, rounded up.
func (f *finder) number(literal *ast.BasicLit) {
	value, ok := new(big.Rat).SetString(strings.ReplaceAll(literal.Value, "_", ""))
	if !ok || literal.Kind != token.INT && literal.Kind != token.FLOAT {
		return
	}
	other := "1"
	if value.Sign() != 0 {
		value.Mul(value, big.NewRat(3, 2))
		if other = strings.TrimRight(value.FloatString(6), "0"); literal.Kind == token.INT {
			half := new(big.Int).Add(value.Num(), new(big.Int).Sub(value.Denom(), big.NewInt(1)))
			other = half.Div(half, value.Denom()).String()
		}
	}
	f.add("constant", literal.Pos(), literal.End(), other)
}

// statement drops a call, or what is assigned to a field or an element.
func (f *finder) statement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		if call, ok := s.X.(*ast.CallExpr); !ok || wording(call) {
			return
		}
	case *ast.AssignStmt:
		if !slices.ContainsFunc(s.Lhs, func(e ast.Expr) bool {
			switch e.(type) {
			case *ast.SelectorExpr, *ast.IndexExpr:
				return s.Tok != token.DEFINE
			}
			return false
		}) {
			return
		}
	case *ast.DeferStmt, *ast.GoStmt:
	default:
		return
	}
	f.add("drop", s.Pos(), s.End(), "")
}

// results returns the zero value in place of each result in turn.
func (f *finder) results(of *ast.FuncType, r *ast.ReturnStmt) {
	var zeros []string
	if of.Results != nil {
		for _, field := range of.Results.List {
			for range max(1, len(field.Names)) {
				zeros = append(zeros, f.zero(field.Type))
			}
		}
	}
	if len(zeros) != len(r.Results) {
		return
	}
	for i, result := range r.Results {
		literal, ok := result.(*ast.CompositeLit)
		if name, isName := result.(*ast.Ident); ok && len(literal.Elts) == 0 || isName && name.Name == "nil" {
			continue
		}
		f.add("zero result", result.Pos(), result.End(), zeros[i])
	}
}

// zero writes the zero value of a type.
func (f *finder) zero(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.Ident:
		switch of.Name {
		case "string":
			return `""`
		case "bool":
			return "false"
		case "int", "int64", "int32", "byte", "rune", "uint64", "uint32", "float64":
			return "0"
		case "error", "any":
			return "nil"
		}
	case *ast.StarExpr, *ast.MapType, *ast.FuncType, *ast.InterfaceType, *ast.ChanType:
		return "nil"
	case *ast.ArrayType:
		if of.Len == nil {
			return "nil"
		}
	}
	return "*new(" + f.text[f.files.Position(of.Pos()).Offset:f.files.Position(of.End()).Offset] + ")"
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
