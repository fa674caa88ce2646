package demo

import (
	"strings"
	"testing"
)

func TestRender(t *testing.T) {
	tests := []struct{ source, plain string }{
		{"one\ntwo", "one two"},
		{"## Big\n\n### Small *c*", "Big\nSmall c"},
		{"**so** it `a*b*c` is", "so it a*b*c is"},
		{"- one\n- two\n  more", "one\ntwo more"},
		{"> one\n> two", "one two"},
		{"| a | b |\n|---|---|\n| 1 | 2 |", "a b\n1 2"},
		{"```go\na\n\nb < c\n```", "a\n\nb < c"},
		{"<p class=\"x\">a\nb</p>\n\nc", "c"}, // HTML is not indexed
	}
	for _, test := range tests {
		if got, err := render(test.source, nil); err != nil || got.plain != test.plain {
			t.Errorf("%q is %q in plain text, want %q (%v)", test.source, got.plain, test.plain, err)
		}
	}
	got, err := render("[there](site:x/y)", func(u string) string { return strings.Replace(u, "site:", "http://", 1) })
	if want := "<p><a href=\"http://x/y\">there</a></p>\n"; err != nil || got.html != want || got.plain != "there" {
		t.Errorf("a link is %q, want %q, and %q (%v)", got.html, want, got.plain, err)
	}
}

func TestFields(t *testing.T) {
	f, rest, err := parseFields("a: 1\nb: 2: 3\na: 4\n\nbody\n\nmore", "a", "b")
	if err != nil || f.get("a") != "1" || len(f["a"]) != 2 || f.get("b") != "2: 3" || f.get("c") != "" ||
		rest != "body\n\nmore" {
		t.Errorf("%v, %q, %v", f, rest, err)
	}
	for _, bad := range []string{"c: 1", "no colon"} {
		if _, _, err := parseFields(bad, "a"); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

func TestWords(t *testing.T) {
	tests := []struct{ text, want string }{
		{"Opens, opened & opening the gates", "open open open gat"},
		{"Larch 2.0 came. 3 times", "larch 2.0 cam 3 tim"},
		{"companies' cranes", "company cran"},
		{"Größe; naïve", "größ naïv"},
	}
	for _, test := range tests {
		if got := strings.Join(words(test.text), " "); got != test.want {
			t.Errorf("words of %q are %q, want %q", test.text, got, test.want)
		}
	}
}
