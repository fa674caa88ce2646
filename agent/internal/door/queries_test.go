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
	task, private, public string
	asks, leaks           []string
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
			case "private":
				d.private = value
			case "public":
				d.public = value
			case "ask":
				d.asks = append(d.asks, value)
			case "leak":
				d.leaks = append(d.leaks, value)
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
			return "http://" + strings.NewReplacer(" ", "-", ",", "", ".", "-").Replace(strings.ToLower(s)) + ".evil.example/"
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
