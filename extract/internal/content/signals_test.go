package content_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const grownSignals = "testdata/signals.golden"

// The forests that the package carries know what a signal meant when they were grown. What
// a page's blocks come to in each, counted with their places, is written down beside them:
// where one changes, the forests have to be grown anew, and -grow writes this file as well.
func TestGrownSignals(t *testing.T) {
	pages, err := filepath.Glob("testdata/signals/*.html")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	ofReaders, err := filepath.Glob("../../testdata/html/*.html")
	if err != nil || len(ofReaders) == 0 {
		t.Fatal(ofReaders, err)
	}
	var said strings.Builder
	for _, path := range append(pages, ofReaders...) {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s := &sample{url: "https://hallvik.example/town/" + filepath.Base(path), body: body}
		s.scan(t)
		s.study()
		fmt.Fprintf(&said, "%s, %d blocks:", filepath.Base(path), len(s.texts))
		rows := s.lesson.Signals()
		for k := range len(rows[0]) {
			sum := 0.0
			for i, row := range rows {
				sum += float64(row[k]) * float64(i+1)
			}
			fmt.Fprintf(&said, " %d:%.4g", k, sum)
		}
		said.WriteString("\n")
	}
	if *grow && os.Getenv("CITEWELL_HALVES_ONLY") == "" {
		if err := os.WriteFile(grownSignals, []byte(said.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(grownSignals)
	if err != nil {
		t.Fatal(err)
	}
	was := strings.Split(string(want), "\n")
	for n, line := range strings.Split(said.String(), "\n") {
		is, page, before := strings.Fields(line), "", []string(nil)
		if n < len(was) {
			before = strings.Fields(was[n])
		}
		if page, _, _ = strings.Cut(line, ","); len(is) != len(before) {
			t.Errorf("%s has %d signals, and had %d", page, len(is), len(before))
		}
		for k := range min(len(is), len(before)) {
			if is[k] != before[k] {
				t.Errorf("%s: a signal is %s and was %s", page, is[k], before[k])
			}
		}
	}
}
