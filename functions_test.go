package citewell_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// The longest a function may be, in lines, and the most ways through it that need no reason.
const (
	mostLines = 80
	mostWays  = 30
)

// reason begins the sentence of a doc comment that says why a function has more ways.
const reason = "It is one table of "

// TestFunctionsAreShort holds what CONTRIBUTING.md says of functions, in all modules.
func TestFunctionsAreShort(t *testing.T) {
	functions, reasons := 0, 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			functions++
			begin, end := files.Position(f.Pos()), files.Position(f.End())
			if n := end.Line - begin.Line + 1; n > mostLines {
				t.Errorf("%s: %s has %d lines, of %d at most", begin, f.Name.Name, n, mostLines)
			}
			if n := ways(f); n <= mostWays {
				continue
			} else if !strings.Contains(strings.ReplaceAll(f.Doc.Text(), "\n", " "), reason) {
				t.Errorf("%s: %s has a cyclomatic complexity of %d and no word why: a comment with %q, or two "+
					"functions", begin, f.Name.Name, n, reason)
			}
			reasons++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if functions < 4000 || reasons == 0 {
		t.Errorf("%d functions were read, %d with many ways: is the rule looking at the whole tree?",
			functions, reasons)
	}
}

// ways is the cyclomatic complexity of a function: one, and one for each branch.
func ways(f *ast.FuncDecl) int {
	n := 1
	ast.Inspect(f, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if node.List != nil {
				n++
			}
		case *ast.CommClause:
			if node.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}
