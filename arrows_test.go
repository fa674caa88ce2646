package citewell_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
)

// mostUp is the largest share of the arrows between the files of a package that may run up.
const mostUp = 0.1

// TestFilesReadDownwards orders the files of the largest packages so that a file stands above those whose types and
// functions it uses, and counts what still points up: two files that need each other are one idea in two places, or
// hold a part that belongs elsewhere.
func TestFilesReadDownwards(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the packages that it reads")
	}
	for _, dir := range []string{"cite", "brief", "internal/agent"} {
		t.Run(dir, func(t *testing.T) {
			arrows := arrowsBetween(t, dir)
			order, up := orderOf(arrows)
			all := 0
			for _, to := range arrows {
				all += len(to)
			}
			t.Logf("%d files, %d arrows, %d up", len(arrows), all, len(up))
			if float64(len(up)) > mostUp*float64(all) {
				t.Errorf("%d of %d arrows between files run up, more than a tenth:\n%s\nin the order %s",
					len(up), all, strings.Join(up, "\n"), strings.Join(order, " "))
			}
		})
	}
}

// arrows are, for each file of a package, the files that it uses, with the names that it uses of each.
type arrows map[string]map[string][]string

// arrowsBetween reads the uses between the files of a package.
func arrowsBetween(t *testing.T, dir string) arrows {
	t.Helper()
	exports := map[string]string{}
	list, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "./"+dir).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(list)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[path] = file
	}
	files := token.NewFileSet()
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	paths, err := filepath.Glob(dir + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var parsed []*ast.File
	all := arrows{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
		all[filepath.Base(path)] = map[string][]string{}
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(files, "gc", open)}
	pkg, err := config.Check(module+"/"+dir, files, parsed, &info)
	if err != nil {
		t.Fatal(err)
	}
	for id, object := range info.Uses {
		if object.Pkg() != pkg || !object.Pos().IsValid() || !atTop(pkg, object) {
			continue
		}
		from, to := filepath.Base(files.Position(id.Pos()).Filename),
			filepath.Base(files.Position(object.Pos()).Filename)
		if from != to && !slices.Contains(all[from][to], object.Name()) {
			all[from][to] = append(all[from][to], object.Name())
		}
	}
	return all
}

// atTop reports whether an object is a declaration of the package or a method. A field goes with its type.
func atTop(pkg *types.Package, object types.Object) bool {
	if f, ok := object.(*types.Func); ok && f.Signature().Recv() != nil {
		return true
	}
	return object.Parent() == pkg.Scope()
}

// orderOf returns the files in an order in which few arrows run up, and those that do. It moves single files as long
// as that helps.
func orderOf(all arrows) (order, up []string) {
	for file := range all {
		order = append(order, file)
	}
	sort.Slice(order, func(i, j int) bool {
		a, b := balance(all, order[i]), balance(all, order[j])
		return a > b || a == b && order[i] < order[j]
	})
	least := countUp(all, order)
	for better := true; better; {
		better = false
		for i := range order {
			for j := range order {
				tried := slices.Delete(slices.Clone(order), i, i+1)
				tried = slices.Insert(tried, j, order[i])
				if n := countUp(all, tried); n < least {
					order, least, better = tried, n, true
				}
			}
		}
	}
	return order, pointingUp(all, order)
}

// balance is how many files a file uses, less those that use it.
func balance(all arrows, file string) (n int) {
	for from, to := range all {
		if _, uses := to[file]; uses {
			n--
		}
		if from == file {
			n += len(to)
		}
	}
	return n
}

// countUp counts the arrows that run up in an order.
func countUp(all arrows, order []string) (n int) {
	above := map[string]bool{}
	for _, file := range order {
		for to := range all[file] {
			if above[to] {
				n++
			}
		}
		above[file] = true
	}
	return n
}

// pointingUp lists the arrows that run up in an order.
func pointingUp(all arrows, order []string) (up []string) {
	at := map[string]int{}
	for i, file := range order {
		at[file] = i
	}
	for _, file := range order {
		for to, names := range all[file] {
			if at[to] < at[file] {
				sort.Strings(names)
				up = append(up, fmt.Sprintf("%s uses %s: %s", file, to, strings.Join(names, ", ")))
			}
		}
	}
	return up
}
