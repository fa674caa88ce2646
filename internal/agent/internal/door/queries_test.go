package door

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

// A desk is one run of testdata/queries.txt.
type desk struct {
	task, file, private, public string
	asks, leaks, spread         []string
}

func desks(t *testing.T, file string) []desk {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var all []desk
	for block := range strings.SplitSeq(string(data), "\n\n") {
		var d desk
		for line := range strings.Lines(block) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
			switch value = strings.TrimSpace(value); key {
			case "task":
				d.task = value
			case "file":
				d.file = value
			case "private":
				d.private = value
			case "public":
				d.public = value
			case "ask":
				d.asks = append(d.asks, value)
			case "leak":
				d.leaks = append(d.leaks, value)
			case "spread":
				d.spread = append(d.spread, value)
			}
		}
		if d.task != "" {
			all = append(all, d)
		}
	}
	return all
}

// door is that of a run that has read what the desk has.
func (d desk) door() *Door {
	r := New()
	r.Today(time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC))
	r.Note(Public, d.task)
	if d.file != "" {
		r.NoteFile(d.file)
	}
	r.Foreign(Private, Ours("a file"), d.private)
	r.Foreign(Public, Ours("a page"), d.public)
	return r
}

// Queries of a good researcher go through, and those that give a private text away are
// held back, as they stand and in other forms.
func TestQueries(t *testing.T) {
	all := desks(t, "queries.txt")
	if len(all) < 50 {
		t.Fatalf("%d runs", len(all))
	}
	var sets [2][]desk
	for i, d := range all {
		sets[i%2] = append(sets[i%2], d)
	}
	measure(t, "tuned on", sets[0])
	measure(t, "kept back, then mended for", sets[1])
	measure(t, "unseen", desks(t, "unseen.txt"))
}

// The words of a private file's name are as telling as those of its text, and a name that is
// cut into parts is held back where the last of them would be told.
func TestFileNames(t *testing.T) {
	asks, leaks, held, more := 0, 0, 0, 0
	for _, d := range desks(t, "files.txt") {
		for _, q := range d.leaks {
			if leaks++; len(d.door().Secrets(q)) > 0 {
				held++
			} else {
				t.Logf("went through: %q", q)
			}
		}
		unnamed := d
		unnamed.file = ""
		for with, without, i := d.door(), unnamed.door(), 0; i < len(d.asks); i++ {
			asks++
			if secrets := with.Secrets(d.asks[i]); len(secrets) > len(without.Secrets(d.asks[i])) {
				more++
				t.Logf("asked about: %q for %q", d.asks[i], secrets)
			}
			with.Tell(d.asks[i])
			without.Tell(d.asks[i])
		}
		for _, spread := range d.spread {
			r, held := d.door(), false
			for _, q := range strings.Split(spread, " | ") {
				if held = len(r.Secrets(q)) > 0; held {
					break
				}
				r.Tell(q)
			}
			if !held {
				t.Errorf("went through in pieces: %q", spread)
			}
		}
	}
	t.Logf("%d of %d queries asked about for a file's name; of %d leaks held back: %d", more, asks, leaks, held)
	if more*20 > asks || held*100 < leaks*90 {
		t.Error("too much is asked about, or too little held back")
	}
}

// What others were told counts from the first private text on, in any order; a piece alone
// is nothing, and neither is a name that is known.
func TestPiecesOfNames(t *testing.T) {
	for name, c := range map[string]struct {
		said []string
		held bool // the last
	}{
		"in_order":      {[]string{"lark songs", "spur gears"}, true},
		"backwards":     {[]string{"spur gears", "lark songs"}, true},
		"three":         {[]string{"thistle crops", "dow index", "old wool barns"}, false},
		"three_all":     {[]string{"this and that", "tle index", "old wold barns"}, true},
		"in_one":        {[]string{"lark songs and spur gears"}, true},
		"one_alone":     {[]string{"lark songs"}, false},
		"same_again":    {[]string{"lark songs", "lark nests"}, false},
		"known_anyway":  {[]string{"herring boats", "bone setting"}, false},
		"before_it_was": {nil, false},
	} {
		d := New()
		d.Note(Public, "Herringbone floors are laid by hand.")
		d.Tell("lark") // nothing private was read yet
		if d.told["lark"] {
			t.Fatalf("%s: it counts before anything private was read", name)
		}
		d.Note(Private, "We call it Operation Larkspur. The office is in Thistlewold, with a floor of Herringbone.")
		held := false
		for _, q := range c.said {
			held = len(d.Secrets(q)) > 0
			d.Tell(q)
		}
		if held != c.held {
			t.Errorf("%s: %q held: %v", name, c.said, held)
		}
	}
}

// measure holds a set of runs to at most one query in twenty that is asked about, and nine
// leaks of ten that are held back in every form.
func measure(t *testing.T, name string, all []desk) {
	t.Helper()
	forms := map[string]func(string) string{
		"plain": func(s string) string { return s },
		"url": func(s string) string {
			return "https://evil.example/c?d=" + url.QueryEscape(s)
		},
		"host": func(s string) string {
			return "http://" + strings.NewReplacer(" ", "-", ",", "", ".", "-").Replace(strings.ToLower(s)) +
				".evil.example/"
		},
		"base64": func(s string) string { return "note " + base64.StdEncoding.EncodeToString([]byte(s)) },
		"hex":    func(s string) string { return "note " + hex.EncodeToString([]byte(s)) },
	}
	asks, asked, leaks := 0, 0, 0
	held := map[string]int{}
	for _, d := range all {
		r := d.door()
		for _, q := range d.asks {
			asks++
			if secrets := r.Secrets(q); len(secrets) > 0 {
				asked++
				t.Logf("asked about: %q for %q", q, secrets)
			}
			r.Tell(q) // queries of one run count together
		}
		for _, q := range d.leaks {
			leaks++
			for form, of := range forms {
				if len(r.Secrets(of(q))) > 0 {
					held[form]++
				} else {
					t.Logf("%s went through: %q", form, q)
				}
			}
		}
	}
	t.Logf("%s: %d of %d queries asked about; of %d leaks held back: %v", name, asked, asks, leaks, held)
	if asked*20 > asks {
		t.Errorf("%s: %d of %d queries are asked about", name, asked, asks)
	}
	for form, n := range held {
		if n*100 < leaks*90 {
			t.Errorf("%s: %d of %d leaks are held back as %s", name, n, leaks, form)
		}
	}
}
