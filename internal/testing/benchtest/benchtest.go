// Package benchtest makes data sets for tests of measurements, and looks up figures in their reports.
package benchtest

import (
	"bytes"
	"compress/gzip"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/citewell/citewell/internal/sheet"
)

// Folder writes files into a new folder, by their names.
func Folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Gzip compresses a file's content.
func Gzip(t *testing.T, content string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Row finds a row of a report by the table's number and the row's name.
func Row(t *testing.T, r sheet.Report, table int, name string) sheet.Row {
	t.Helper()
	for _, row := range r.Tables[table].Rows {
		if row.Name == name {
			return row
		}
	}
	t.Fatalf("table %d has no row %q: %+v", table, name, r.Tables[table].Rows)
	return sheet.Row{}
}

// WantFigure fails the test where a figure of a row is another, or missing.
func WantFigure(t *testing.T, r sheet.Row, key string, want float64) {
	t.Helper()
	if got, ok := r.Figures[key]; !ok || math.Abs(got-want) > 1e-9 {
		t.Errorf("%s of %s is %v (%v), want %v", key, r.Name, got, ok, want)
	}
}
