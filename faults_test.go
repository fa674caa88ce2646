package citewell_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
)

// faults is what Citewell lives through; doc/faults.md has a row for each.
var faults = []string{
	"429, Retry-After in every form", "5xx", "time-out", "HTML with 200", "half a JSON with 200", "50 MB",
	"half-closed connection", "dripping connection", "several providers at once",

	"429, Retry-After in every form, of a model", "stream cut at any byte", "partial tool call", "invalid arguments",
	"unknown tool", "500 parallel calls", "refusal", "length", "context overflow", "endless repetition",
	"silent or hanging model",

	"disk full on a small tmpfs", "fsync error", "bit flips in the store", "read-only store", "clock jumps",
	"kill -9 at every write",
	"SIGTERM with work in flight", "random cancellation", "leaked goroutines", "leaked descriptors", "leaked processes",
	"leaked files",

	"a worker is killed", "a worker is killed in calls of a model that all share",
	"a worker is killed while it asks a host",
	"a later version migrates the database under this one", "the database's server is killed under load",
	"a connection is cut around a commit",
	"a worker is stopped past its lease and goes on", "the disk of the database is full", "clocks differ, and jump",
	"a synchronous standby takes over", "an asynchronous standby takes over",
}

// endings are the words for how something ended that a caller can read.
func endings() []string {
	words := []string{string(citewell.FetchTruncated), string(runstore.RunOverBudget)}
	for _, row := range citewell.Codes {
		words = append(words, string(row.Code))
	}
	return words
}

var (
	faultRow = regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \| (` + "`" + `[^|]+) \|$`)
	codeSpan = regexp.MustCompile("`([^`]+)`")
)

// doc/faults.md is whole: it has a row for each fault and none else. It is true: each test
// and each case that it names is there, and each outcome is a word of ours.
func TestFaultsAreShown(t *testing.T) {
	page, err := os.ReadFile("doc/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	known := endings()
	for _, row := range faultRow.FindAllStringSubmatch(string(page), -1) {
		listed = append(listed, row[1])
		for _, word := range codeSpan.FindAllStringSubmatch(row[2], -1) {
			if !slices.Contains(known, word[1]) {
				t.Errorf("%s: %q is no outcome", row[1], word[1])
			}
		}
		for _, shown := range codeSpan.FindAllStringSubmatch(row[3], -1) {
			if why := missing(t, shown[1]); why != "" {
				t.Errorf("%s: `%s`: %s", row[1], shown[1], why)
			}
		}
	}
	if !slices.Equal(listed, faults) {
		t.Errorf("the page has rows for\n%q\nwant\n%q", listed, faults)
	}
}

// missing says what of PACKAGE TEST/CASE is not there. Cases of a shared suite stand in the suite.
func missing(t *testing.T, shown string) string {
	t.Helper()
	dir, test, _ := strings.Cut(shown, " ")
	test, subtest, narrowed := strings.Cut(test, "/")
	if !strings.HasPrefix(test, "Test") {
		return "it is not PACKAGE TEST"
	}
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(code), "\nfunc "+test+"(t *testing.T)") {
			continue
		}
		if strings.Contains(string(code), "searchtest.Run(") {
			code = append(code, suite(t, "search/searchtest")...)
		}
		if narrowed && !strings.Contains(string(code), strconv.Quote(subtest)) {
			return "the test has no such case"
		}
		return ""
	}
	return "there is no such test"
}

func suite(t *testing.T, dir string) (code []byte) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		more, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		code = append(code, more...)
	}
	return code
}
