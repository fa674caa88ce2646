//go:build unix

package citewell_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMutateScript has the script change a small package: what its test sees is caught,
// what it does not see survives, and tables, tests and the tree are let be.
func TestMutateScript(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	module, script := t.TempDir(), filepath.Join(t.TempDir(), "mutate")
	files := map[string]string{
		"go.mod": "module example\n\ngo 1.26\n",
		"pay/pay.go": `package pay

import "errors"

var table = []int{1, 2, 3}

func Pay(age int) (int, error) {
	if age < 0 {
		return 0, errors.New("no age")
	}
	if age < 18 {
		return 5, nil
	}
	return 8, nil
}

func none() int { return -1 }
`,
		"pay/pay_test.go": `package pay

import "testing"

func TestPay(t *testing.T) {
	for age, want := range map[int]int{17: 5, 18: 8} {
		if got, err := Pay(age); got != want || err != nil {
			t.Error(age, got, err)
		}
	}
}
`,
	}
	for path, content := range files {
		path = filepath.Join(module, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", script,
		"./scripts/mutate").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), script, args...)
		cmd.Dir = module
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := run("-only", "pay.go:(9|11)", "pay", "--", "-short")
	for _, want := range []string{
		"pay.go:9:10\tconstant\t0 → 1\tsurvived\t", "pay.go:9:13\tzero result\terrors.New(\"no age\") → nil\tdoes " +
			"not compile",
		"pay.go:11:9\tboundary\t< → <=\tcaught\t", "pay.go:11:14\tempty if\t{ return 5, nil } → {}\tcaught\t",
		"./pay: 4 of 5 mutants caught, 80 %; 1 more did not compile",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in: %v\n%s", want, err, out)
		}
	}
	if out, err := run("-first", "-run=None", "-only", "pay.go:11:9", "pay"); err != nil ||
		!strings.Contains(out, "1 of 1 mutants caught") {
		t.Errorf("what the first tests let pass is not tried again: %v\n%s", err, out)
	}
	if out, _ := run("-list", "-only", "-1 → 0", "pay"); !strings.Contains(out, "-1 → 0") ||
		strings.Count(out, "\n") != 1 {
		t.Errorf("of -1 is made\n%s", out)
	}
	if all, _ := run("-list", "pay"); !strings.Contains(all, "pay.go:14") || strings.Contains(all, "pay.go:5") ||
		strings.Contains(all, "_test.go") {
		t.Errorf("a table or a test is changed, or code is not:\n%s", all)
	}
	if none, _ := run("-list", "-except", "pay/p.y", "pay"); none != "" {
		t.Errorf("a file that is left out is changed:\n%s", none)
	}
	once, _ := run("-n", "4", "-list", "pay")
	again, _ := run("-n", "4", "-list", "pay")
	other, _ := run("-n", "4", "-list", "-seed", "2", "pay")
	if once != again || once == other || strings.Count(once, "\n") != 4 {
		t.Errorf("the draw of a seed is\n%s and\n%s of another\n%s", once, again, other)
	}
	if data, err := os.ReadFile(filepath.Join(module, "pay", "pay.go")); err != nil ||
		string(data) != files["pay/pay.go"] {
		t.Errorf("the tree was written: %v", err)
	}
}
