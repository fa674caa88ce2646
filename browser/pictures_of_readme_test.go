package browser

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestReadmePictures takes the two pictures that the README shows, into the folder that
// CITEWELL_README_PICTURES names: make pictures.
func TestReadmePictures(t *testing.T) {
	folder := os.Getenv("CITEWELL_README_PICTURES")
	if folder == "" {
		t.Skip("CITEWELL_README_PICTURES names no folder: the pictures are taken by make pictures")
	}
	s := serveDemo(t)
	take := func(name string, o Options, path string) {
		tab := Open(t, o)
		tab.Goto(s.URL + path)
		if err := os.WriteFile(filepath.Join(folder, name), get(tab, "take a picture", chromedp.CaptureScreenshot()),
			0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := Open(t, Options{}).ask(s, plantQuestion)
	take("page-citation.png", Options{Height: 760}, "/runs/"+run+"/c/3#cite")
	take("page-phone.png", Options{Width: 390, Height: 760, Touch: true, Dark: true}, "/runs/"+run+"/c/3#cite")
}
