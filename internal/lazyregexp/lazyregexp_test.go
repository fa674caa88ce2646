package lazyregexp

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestEveryExpressionCompiles reads the expressions of the whole module that are written
// as one literal, since nothing else compiles one that no test comes across.
func TestEveryExpressionCompiles(t *testing.T) {
	found := 0
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			function, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || function.Sel.Name != "New" {
				return true
			}
			if of, ok := function.X.(*ast.Ident); !ok || of.Name != "lazyregexp" {
				return true
			}
			literal, ok := call.Args[0].(*ast.BasicLit)
			if !ok {
				return true
			}
			expression, err := strconv.Unquote(literal.Value)
			if err == nil {
				_, err = regexp.Compile(expression)
			}
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			found++
			return true
		})
		return nil
	})
	if err != nil || found < 100 {
		t.Errorf("%d expressions: %v", found, err)
	}
}

// TestMethodsAreRegexps holds that each method has the name and the signature of
// regexp.Regexp's and gives its result.
func TestMethodsAreRegexps(t *testing.T) {
	const expression, text = `a(b+)|\d`, "xabbb7 ab"
	arguments := map[reflect.Type]reflect.Value{
		reflect.TypeFor[string](): reflect.ValueOf(text), reflect.TypeFor[[]byte](): reflect.ValueOf([]byte(text)),
		reflect.TypeFor[int]():                 reflect.ValueOf(-1),
		reflect.TypeFor[func(string) string](): reflect.ValueOf(strings.ToUpper),
	}
	ours, theirs := reflect.ValueOf(New(expression)), reflect.ValueOf(regexp.MustCompile(expression))
	if ours.NumMethod() == 0 {
		t.Fatal("no method")
	}
	for i := range ours.NumMethod() {
		name := ours.Type().Method(i).Name
		method, same := ours.Method(i), theirs.MethodByName(name)
		if !same.IsValid() || method.Type() != same.Type() {
			t.Errorf("%s is not a method of regexp.Regexp", name)
			continue
		}
		var in []reflect.Value
		for p := range method.Type().NumIn() {
			in = append(in, arguments[method.Type().In(p)])
		}
		if got, want := method.Call(in)[0].Interface(), same.Call(in)[0].Interface(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s gives %v, want %v", name, got, want)
		}
	}
}

func TestCompilesAtFirstUse(t *testing.T) {
	r := New("(")
	if r.String() != "(" {
		t.Errorf("%q", r)
	}
	defer func() {
		if recover() == nil {
			t.Error("an expression that does not compile was used")
		}
	}()
	r.MatchString("")
}
