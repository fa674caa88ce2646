package citewell_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A promise names tests, and each of them is there.
func TestThreatModelNamesTests(t *testing.T) {
	text, err := os.ReadFile("doc/threat-model.md")
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	if err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		code, err := os.ReadFile(path)
		for _, found := range declared.FindAllStringSubmatch(string(code), -1) {
			there[found[1]] = true
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`((?:Test|Fuzz|Benchmark)\\w+)`").FindAllStringSubmatch(string(text), -1)
	if len(named) < 50 {
		t.Errorf("the promises name %d tests", len(named))
	}
	for _, name := range named {
		if !there[name[1]] {
			t.Errorf("%s shows a promise, and is not there", name[1])
		}
	}
	for _, promise := range strings.Split(string(text), "\n**P")[1:] {
		if !strings.Contains(promise, "Decided") || !strings.Contains(promise, "Shown by") {
			t.Errorf("it is not said where a promise is decided, or what shows it: P%.60s", promise)
		}
	}
}
