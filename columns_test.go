package citewell_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// mostColumns is how wide a line of code may be. A tab counts as four columns.
const mostColumns = 120

// TestLinesAreNarrow holds the lines of all modules to mostColumns, but for those with a raw string, which stands as
// it is read (SQL, a pattern, a struct's tags), for generated files and for the directives of tools.
func TestLinesAreNarrow(t *testing.T) {
	files := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && (name == "testdata" || strings.HasPrefix(name, ".") && path != "."):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		files++
		return checkColumns(t, path)
	})
	if err != nil || files < 100 {
		t.Errorf("%d files were read: %v", files, err)
	}
}

func checkColumns(t *testing.T, path string) error {
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.ParseComments)
	if err != nil || ast.IsGenerated(file) {
		return err
	}
	raw := map[int]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING && s.Value[0] == '`' {
			for line := set.Position(s.Pos()).Line; line <= set.Position(s.End()).Line; line++ {
				raw[line] = true
			}
		}
		return true
	})
	number := 0
	for line := range strings.Lines(string(source)) {
		number++
		line = strings.TrimSuffix(line, "\n")
		width := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
		if width > mostColumns && !raw[number] && !strings.HasPrefix(strings.TrimSpace(line), "//go:") {
			t.Errorf("%s:%d has %d columns; at most %d are allowed", path, number, width, mostColumns)
		}
	}
	return nil
}
