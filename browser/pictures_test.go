package browser

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/report"
)

// lookers are the readers whose pictures are compared. Nothing of theirs moves, and no script
// scrolls; of two builds one may have a page and the other its script.
var lookers = map[string]Options{
	"light": {NoScript: true}, "dark": {NoScript: true, Dark: true},
	"phone": {NoScript: true, Width: 390, Height: 844, Touch: true},
}

// statesOf are the pages of a run, by name.
func statesOf(run string, r citewell.Report) map[string]string {
	all := map[string]string{"report": "", "source": "/s/1", "log": "/log", "map": "/map", "time": "/time"}
	for _, c := range report.Citations(r) {
		all["citation "+string(c.Verdict)] = fmt.Sprintf("/c/%d", c.K) // with #cite the browser scrolls, now or later
	}
	for state := range all {
		all[state] = "/runs/" + run + all[state]
	}
	return all
}

// picture is the page at an address, whole and from its top, with the focus nowhere.
func (tab *Tab) picture(address string) *image.RGBA {
	tab.t.Helper()
	tab.Goto(address)
	Eval[any](tab, `(document.activeElement.blur(), scrollTo(0, 0))`)
	decoded, err := png.Decode(bytes.NewReader(get(tab, "take a picture", chromedp.FullScreenshot(100))))
	if err != nil {
		tab.t.Fatal(err)
	}
	points := image.NewRGBA(decoded.Bounds())
	draw.Draw(points, points.Bounds(), decoded, image.Point{}, draw.Src)
	return points
}

// rounding is how many points the browser draws otherwise from one time to the next: edges of
// lines on a phone's screen, 10 were seen. A digit that changes is more.
const rounding = 16

// unlike is in how many points two pictures differ; all that one of them has alone are some.
func unlike(a, b *image.RGBA) (n int) {
	if a.Rect == b.Rect && bytes.Equal(a.Pix, b.Pix) {
		return 0
	}
	both := a.Bounds().Union(b.Bounds())
	shared := a.Bounds().Intersect(b.Bounds())
	n = both.Dx()*both.Dy() - shared.Dx()*shared.Dy()
	for y := range shared.Dy() {
		for x := range shared.Dx() {
			if a.RGBAAt(x, y) != b.RGBAAt(x, y) {
				n++
			}
		}
	}
	return n
}

// What is kept is drawn the same each time: no page of a run that has ended has anything of
// the hour or of chance in it.
func TestSamePicture(t *testing.T) {
	t.Parallel()
	s, run := shareStory(t, doubts)
	states := statesOf(run, s.reportOf(run))
	for who, o := range lookers {
		tab := Open(t, o)
		var taken []*image.RGBA
		looked := []string{"report", "citation contradicted"}
		if who == "light" {
			looked = append(looked, "log", "map", "time")
		}
		for i := range 2 * len(looked) { // each is loaded anew the second time
			state := looked[i%len(looked)]
			taken = append(taken, tab.picture(s.URL+states[state]))
			if i < len(looked) {
				continue
			}
			if n := unlike(taken[i-len(looked)], taken[i]); n > rounding {
				t.Errorf("%s, %s: two pictures differ in %d points", state, who, n)
			}
		}
	}
}

// TestPicturesOfBuilds compares this tree's pages with those of another build over one store,
// and logs which states differ, in how many points: make compare-pictures. Where
// CITEWELL_SCREENSHOTS names a folder, both pictures of each that differs are written to it.
func TestPicturesOfBuilds(t *testing.T) {
	base := os.Getenv("CITEWELL_BASE_BINARY")
	if base == "" {
		t.Skip("CITEWELL_BASE_BINARY names no build to compare with: make compare-pictures makes one")
	}
	s := serveStories(t, doubts, writings, sixty())
	s.Stop()
	// a store is opened by its own build and later ones
	if err := os.RemoveAll(filepath.Join(s.home, "data")); err != nil {
		t.Fatal(err)
	}
	s.program = base
	s.Start()
	addresses := map[string]string{"ask": "/", "runs": "/runs", "no run": "/runs?q=nowhere", "nothing": "/runs/nothing"}
	for name, st := range map[string]story{"doubts": doubts, "writings": writings, "sixty": sixty()} {
		run := s.tells(st)
		for state, address := range statesOf(run, s.reportOf(run)) {
			addresses[name+" "+state] = address
		}
	}
	taken := map[string]map[string]*image.RGBA{}
	take := func() {
		for who, o := range lookers {
			tab := Open(t, o)
			tab.Expect("404")
			for state, address := range addresses {
				if taken[state+", "+who] == nil {
					taken[state+", "+who] = map[string]*image.RGBA{}
				}
				taken[state+", "+who][s.program] = tab.picture(s.URL + address)
			}
		}
	}
	take()
	s.Stop()
	s.program = ""
	s.Start()
	take()
	changed := 0
	for _, state := range slices.Sorted(maps.Keys(taken)) {
		was, is := taken[state][base], taken[state][""]
		n := unlike(was, is)
		if n <= rounding {
			continue
		}
		changed++
		t.Logf("%s: %d of %d points differ", state, n, is.Bounds().Dx()*is.Bounds().Dy())
		keepPicture(t, state+" before", was)
		keepPicture(t, state+" after", is)
	}
	t.Logf("%d of %d pictures differ", changed, len(taken))
}

// keepPicture writes a picture to the folder of CITEWELL_SCREENSHOTS, where that names one.
func keepPicture(t *testing.T, name string, picture image.Image) {
	t.Helper()
	folder := os.Getenv("CITEWELL_SCREENSHOTS")
	if folder == "" {
		return
	}
	var file bytes.Buffer
	err := png.Encode(&file, picture)
	if err == nil {
		err = os.MkdirAll(folder, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), file.Bytes(), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
