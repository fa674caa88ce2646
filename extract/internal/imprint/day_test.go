package imprint

import "testing"

// A day is read where it can be read in one way only, and where a page may be of it.
func TestDay(t *testing.T) {
	for s, want := range map[string]string{
		"2025-03-04": "2025-03-04", " 2025-03-04T05:06:07Z": "2025-03-04", "2025-03-04 05:06": "2025-03-04",
		"2025-03-04x": "", "2025-02-30": "", "2025-13-01": "",
		"20250304": "2025-03-04", "2025/03/04": "2025-03-04", "2025/3/4": "2025-03-04", "2025-3-4": "2025-03-04",
		"March 4, 2025": "2025-03-04", "Mar 4, 2025": "2025-03-04", "4 March 2025": "2025-03-04",
		"4 Mar 2025":                    "2025-03-04",
		"Tue, 04 Mar 2025 10:00:00 GMT": "2025-03-04", "Tue, 04 Mar 2025 10:00:00 +0100": "2025-03-04",
		"Tuesday, 04-Mar-25 10:00:00 GMT": "2025-03-04",
		"03/04/2025":                      "", "March 2025": "", "2025": "", "": "", "1990-01-01": "1990-01-01",
		"1989-12-31": "", "2100-12-31": "2100-12-31", "2101-01-01": "", "1 January 1970": "",
	} {
		if got := Day(s); got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
	for path, want := range map[string]string{
		"/2025/03/04/mill": "2025-03-04", "/2025-3-4-mill": "2025-03-04", "/news/2025/3/4": "2025-03-04",
		"/a2025/3/4": "", "/2025/3/": "", "/2025/2/30/x": "", "/1989/3/4/x": "", "/1899/3/4/x": "", "/2025/13/1/x": "",
		"/2025/3/4x": "",
	} {
		if got := DayInPath(path); got != want {
			t.Errorf("%q: got %q, want %q", path, got, want)
		}
	}
}

func TestLanguage(t *testing.T) {
	for s, want := range map[string]string{"en-GB": "en", "DE": "de", "pt_BR": "pt", " fr, en": "fr", "gsw": "gsw",
		"x": "", "deutsch": "", "und": "", "mul": "", "": "", "e1": "", "zh-Hans-CN": "zh"} {
		if got := Language(s); got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}

func TestPerson(t *testing.T) {
	name := "Ada Lindqvist of the mill that turns with the tide, who wrote of it at length and in many words for the " +
		"papers of the county"
	for s, want := range map[string]string{"By Ada": "Ada", "by Ada": "Ada", " Ada\nMiller ": "Ada Miller", "": "",
		"https://a.example/ada": "", name[:120]: name[:120], name[:121]: ""} {
		if got := Person(s); got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}

// Front matter stands at the very start of a file, between lines that are nothing but dashes.
func TestCutFront(t *testing.T) {
	for _, test := range []struct{ file, title, rest string }{
		{"---\ntitle: A\n---\nWords.", "A", "Words."}, {"\n\n---\ntitle: A\n---", "A", ""},
		{"---\ntitle: A\n--- \t\nWords.", "A", "Words."},
		{"---\ntitle: A\n----\nWords.", "", "---\ntitle: A\n----\nWords."},
		{"---\ntitle: A\n x---\nWords.", "", "---\ntitle: A\n x---\nWords."},
		{"Words.\n---\ntitle: A\n---", "", "Words.\n---\ntitle: A\n---"},
		{"<!--{\"Title\": \"A\"}-->Words.", "A", "Words."}, {"<!--{\"Title\": \"A\"}Words.", "",
			"<!--{\"Title\": \"A\"}Words."}, {"<!--[]-->Words.", "", "<!--[]-->Words."},
		{"<!--{-->Words.", "", "<!--{-->Words."},
		{"---\ntitle: [A, B]\n---\n", "A", ""}, {"---\ntitle: 7\n---\n", "", ""},
	} {
		front, rest := CutFront(test.file)
		if front.Title != test.title || rest != test.rest {
			t.Errorf("%q: got %q and %q", test.file, front.Title, rest)
		}
	}
}
