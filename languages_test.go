package citewell_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/text/lang"
)

// namesLanguages are the files that name languages by their codes, each with its reason.
var namesLanguages = map[string]string{
	"internal/text/asked.go":       "names of languages in twelve of them are variables of golang.org/x/text",
	"search/provider":              "codes are parameters of the providers",
	"internal/tool/compat/searxng": "codes are parameters of SearXNG",
	"internal/demo/layout.go":      "the demo's sites are in English and German",
	"internal/judge/canary.go":     "canaries are made in English",
	"internal/testing/storesuite":  "texts of the suite",
	"bench":                        "a module of its own",
}

// TestNoPackageNamesALanguage fails where a package compares a language with a code, or keeps a table by
// codes: what a language has stands in its file, and a package asks for a trait or a section.
func TestNoPackageNamesALanguage(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		for allowed := range namesLanguages {
			if strings.HasPrefix(filepath.ToSlash(path), allowed) {
				return nil
			}
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if named := languageNamed(files, n); named != "" {
				t.Errorf("%s: %s: ask for a trait or a section of internal/text/lang", files.Position(n.Pos()), named)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// languageNamed returns what a node says of the codes of languages.
func languageNamed(files *token.FileSet, n ast.Node) string {
	isLanguage := func(e ast.Expr) bool {
		var source bytes.Buffer
		printer.Fprint(&source, files, e) // a buffer takes all
		return strings.Contains(strings.ToLower(source.String()), "lang")
	}
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if (n.Op == token.EQL || n.Op == token.NEQ) && (isCode(n.X) && isLanguage(n.Y) || isCode(n.Y) &&
			isLanguage(n.X)) {
			return "a language is compared with a code"
		}
	case *ast.SwitchStmt:
		if n.Tag == nil || !isLanguage(n.Tag) {
			return ""
		}
		for _, clause := range n.Body.List {
			for _, e := range clause.(*ast.CaseClause).List {
				if isCode(e) {
					return "a switch has a case for a code"
				}
			}
		}
	case *ast.CompositeLit:
		codes := 0
		for _, element := range n.Elts {
			if pair, ok := element.(*ast.KeyValueExpr); ok && isCode(pair.Key) {
				codes++
			}
		}
		if codes > 2 && 2*codes > len(n.Elts) {
			return "a table has codes for keys"
		}
	}
	return ""
}

// isCode reports whether an expression is the code of a language that has a file, as a literal.
func isCode(e ast.Expr) bool {
	literal, ok := e.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return false
	}
	code, err := strconv.Unquote(literal.Value)
	return err == nil && code != "" && lang.Of(code).Code == code
}
