package agent

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// aliveIn returns the HTML that readers of Markdown find in a content: of CommonMark, and of GitHub's dialect.
func aliveIn(t testing.TB, content string) (alive []string) {
	t.Helper()
	source := []byte(content)
	for _, reader := range []goldmark.Markdown{goldmark.New(), goldmark.New(goldmark.WithExtensions(extension.GFM))} {
		err := ast.Walk(reader.Parser().Parse(text.NewReader(source)),
			func(n ast.Node, entering bool) (ast.WalkStatus, error) {
				if n.Kind() == ast.KindHTMLBlock || n.Kind() == ast.KindRawHTML {
					alive = append(alive, n.Kind().String())
				}
				return ast.WalkContinue, nil
			})
		if err != nil {
			t.Fatal(err)
		}
	}
	return alive
}

// Code keeps its tags, which every reader shows as they stand; anywhere else they are escaped.
func TestCodeKeepsItsTags(t *testing.T) {
	r := withSource("https://good.org/page", "good.org")
	for in, want := range map[string]string{
		"Run `git rebase <upstream>` [1].":                        "",
		"Run ``git `<upstream>` `` and <b> [1].":                  "Run ``git `<upstream>` `` and &lt;b> [1].",
		strings.Repeat("`", 80) + "<b>" + strings.Repeat("`", 80): "",
		"```html\n<p>\n```\n\n~~~\n<b>\n~~~\n\n<p>":               "```html\n<p>\n```\n\n~~~\n<b>\n~~~\n\n&lt;p>",
		"- Do:\n\n  ```\n  <p>\n  ```":                            "",
		"| a | b |\n|---|---|\n| `<x>` | 3 |":                     "",
		"Run `git <upstream> [1].":                                "Run `git &lt;upstream> [1].",
		"Run ``git <upstream>` [1].":                              "Run ``git &lt;upstream>` [1].",
		"Run \\`git <upstream>` [1].":                             "Run \\`git &lt;upstream>` [1].",
		"Run `git\n\n<upstream>` [1].":                            "Run `git\n\n&lt;upstream>` [1].",
		"# It `is\n<b>` so":                                       "# It `is\n&lt;b>` so",
		"So `it\n<script>x</script>` is":                          "So `it\n&lt;script>x&lt;/script>` is",
		"<a title=\"`\"> <b> `":                                   "&lt;a title=\"`\"> <b> `",
		"| ` | b |\n|---|---|\n| `<x>` | 3 |":                     "| ` | b |\n|---|---|\n| `&lt;x>` | 3 |",
		"[x]: /u '`'\n` `<b>` `":                                  "[x]: /u '`'\n` `&lt;b>` `",
		"``` <b>\nx\n```":                                         "``` &lt;b>\nx\n```",
		strings.Repeat("`", 81) + "<b>" + strings.Repeat("`", 81): strings.Repeat("`", 81) + "&lt;b>" +
			strings.Repeat("`", 81),
	} {
		if want == "" {
			want = in
		}
		got, _ := r.prepared(in, []int{1})
		if got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
		if alive := aliveIn(t, got); len(alive) > 0 {
			t.Errorf("%q gives %q, in which %q are alive", in, got, alive)
		}
	}
}

// Some readers take backticks for a part of the address before them.
func TestBackticksBehindAnAddressAreNoCode(t *testing.T) {
	if got := inert("See https://good.org/page`a b` `<b>` `", nil); !strings.Contains(got, "`&lt;b>`") {
		t.Errorf("got %q", got)
	}
}

// A number that goes out must not bring a tag to life that stood in code until then, and the places move with
// what is escaped.
func TestRemovedMarksKeepTagsInert(t *testing.T) {
	r := withSource("https://good.org/page", "good.org")
	for _, content := range []string{"[9]# So `\n<b>` is", "`[9]``<b>`` is", "[9]| ` | b |\n|---|---|\n| `<b>` | 3 |"} {
		prepared, _ := r.prepared(content, []int{1})
		places := []citewell.Place{{Start: strings.Index(prepared, "b>"), End: len(prepared)}}
		got := r.marked(prepared, nil, places)
		if alive := aliveIn(t, got); len(alive) > 0 {
			t.Errorf("%q gives %q, in which %q are alive", content, got, alive)
		}
		if !strings.HasPrefix(got[places[0].Start:], "b>") || places[0].End != len(got) {
			t.Errorf("%q gives %q and the place %+v", content, got, places[0])
		}
	}
	if got := r.marked("`[9]``<b>``", nil, nil); got != "```&lt;b>``" {
		t.Errorf("got %q", got)
	}
}
