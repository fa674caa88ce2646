package extract

import (
	"context"
	"os"
	"testing"

	"github.com/citewell/citewell"
)

// Given forests judge in place of the package's own; damaged ones are refused.
func TestReadForests(t *testing.T) {
	grown, err := os.ReadFile("internal/content/forest.bin")
	if err != nil {
		t.Fatal(err)
	}
	given, err := ReadForests(grown)
	if err != nil {
		t.Fatal(err)
	}
	page := citewell.Page{URL: "https://a.example/", ContentType: "text/html",
		Body: []byte("<h1>Wheel</h1><p>It turns. It has turned for two hundred years.</p>")}
	own, err := New(Options{}).Extract(context.Background(), page)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := New(Options{Forests: given}).Extract(context.Background(), page); err != nil || d.Text != own.Text {
		t.Errorf("read as %q, %v; with the package's own forests %q", d.Text, err, own.Text)
	}
	for name, raw := range map[string][]byte{"empty": nil, "cut": grown[:len(grown)/2]} {
		if _, err := ReadForests(raw); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
