package main

import (
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/token"
	"math/big"
	"slices"
	"strings"
)

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
	if old == text || slices.ContainsFunc(f.mutants, func(m *mutant) bool {
		return m.start == start && m.end == end && m.text == text
	}) {
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
	if of != nil && (of.Name == "slog" || of.Name == "log" || of.Name == "errors" && selected.Sel.Name == "New" ||
		of.Name == "fmt" && selected.Sel.Name == "Errorf") {
		return true
	}
	return slices.Contains([]string{"Debug", "Info", "Warn", "DebugContext", "InfoContext", "WarnContext",
		"ErrorContext"}, selected.Sel.Name)
}

// condition negates what is no single == or !=: those are swapped where they stand.
func (f *finder) condition(c ast.Expr) {
	if binary, ok := c.(*ast.BinaryExpr); c == nil || ok && (binary.Op == token.EQL || binary.Op == token.NEQ) {
		return
	}
	f.add("negate", c.Pos(), c.End(), "!("+f.text[f.files.Position(c.Pos()).Offset:f.files.Position(c.End()).Offset]+
		")")
}

var swaps = map[token.Token]struct{ operator, other string }{
	token.LSS: {"boundary", "<="}, token.LEQ: {"boundary", "<"}, token.GTR: {"boundary", ">="},
	token.GEQ: {"boundary", ">"}, token.EQL: {"negate", "!="}, token.NEQ: {"negate", "=="},
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
