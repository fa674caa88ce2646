package cite

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

// Golden holds what was said to what is written in a file, line by line.
func Golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wants, gots := strings.Split(string(data), "\n"), strings.Split(got, "\n")
	if len(wants) != len(gots) {
		t.Errorf("%s has %d lines, want %d", path, len(wants), len(gots))
	}
	for i := range min(len(wants), len(gots)) {
		if gots[i] != wants[i] {
			t.Errorf("%s:%d\n%s\n is\n%s\nwas\n%s", path, i+1, gots[max(0, i-1)], gots[i], wants[i])
		}
	}
}
