package demo

import (
	"strings"
	"testing"
)

func TestMarkup(t *testing.T) {
	tests := []struct{ name, source, html, plain string }{
		{"paragraph", "one\ntwo", "<p>one two</p>\n", "one two"},
		{"escapes", "a < b & *c*", "<p>a &lt; b &amp; <em>c</em></p>\n", "a < b & c"},
		{"headings", "## Big\n\n### Small", "<h2>Big</h2>\n<h3>Small</h3>\n", "Big\nSmall"},
		{"link", "[there](site:x/y)", "<p><a href=\"http://x/y\">there</a></p>\n", "there"},
		{"strong", "**so** it is", "<p><strong>so</strong> it is</p>\n", "so it is"},
		{"code_keeps_stars", "`a*b*c`", "<p><code>a*b*c</code></p>\n", "a*b*c"},
		{"list", "- one\n- two\n  more", "<ul>\n<li>one</li>\n<li>two more</li>\n</ul>\n", "one\ntwo more"},
		{"numbers", "1. one\n2. two", "<ol>\n<li>one</li>\n<li>two</li>\n</ol>\n", "one\ntwo"},
		{"quote", "> one\n> two", "<blockquote><p>one two</p></blockquote>\n", "one two"},
		{"table", "| a | b |\n|---|---|\n| 1 | 2 |", "<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td>2</td></tr>\n</table>\n", "a b\n1 2"},
		{"fence_keeps_empty_lines", "```go\na\n\nb < c\n```", "<pre><code class=\"language-go\">a\n\nb &lt; c\n</code></pre>\n", "a\n\nb < c"},
		{"html_is_not_indexed", "<p class=\"x\">a\nb</p>", "<p class=\"x\">a\nb</p>\n", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := render(test.source, func(u string) string { return strings.Replace(u, "site:", "http://", 1) })
			if got.html != test.html || got.plain != test.plain {
				t.Errorf("html %q\nwant %q\nplain %q\nwant  %q", got.html, test.html, got.plain, test.plain)
			}
		})
	}
}

func TestFields(t *testing.T) {
	f, rest, err := parseFields("a: 1\nb: 2: 3\na: 4\n\nbody\n\nmore", "a", "b")
	if err != nil || f.get("a") != "1" || len(f["a"]) != 2 || f.get("b") != "2: 3" || f.get("c") != "" || rest != "body\n\nmore" {
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
