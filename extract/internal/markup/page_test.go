package markup

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/media"
)

var quern = &url.URL{Scheme: "https", Host: "quern.example", Path: "/mills/tide"}

func parsed(t *testing.T, page string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// Links are absolute, in the page's order, each once and without its fragment; what is no address of the web, the
// page itself and an address with a password are none.
func TestLinks(t *testing.T) {
	root := parsed(t, `<a href="/wheel">The <b>wheel</b></a> <a href="dam#gate"> Dam
		</a> <a href="/wheel#axle">again</a> <a href="#top">top</a> <a href="/mills/tide#end">end</a> <a href="">none</a>
		<a href="mailto:a@quern.example">write</a> <a href="javascript:go()">go</a> <a href="ftp://quern.example/f">f</a>
		<a href="https://a:b@quern.example/">secret</a> <a href="//other.example/x?y=1">other</a> <a href="/last">last</a>`)
	want := []citewell.Link{
		{Text: "The wheel", URL: "https://quern.example/wheel"},
		{Text: "Dam", URL: "https://quern.example/mills/dam"},
		{Text: "other", URL: "https://other.example/x?y=1"},
		{Text: "last", URL: "https://quern.example/last"},
	}
	if got := Links(t.Context(), root, quern, 10); !slices.Equal(got, want) {
		t.Errorf("%q; want %q", got, want)
	}
	if got := Links(t.Context(), root, quern, 2); !slices.Equal(got, want[:2]) {
		t.Errorf("two links: %q", got)
	}
}

// A page names what its links are relative to, unless what it names is no address of the web.
func TestBase(t *testing.T) {
	for page, want := range map[string]string{
		`<base href="/en/">`:                  "https://quern.example/en/",
		`<base href="https://cdn.example/a">`: "https://cdn.example/a",
		`<base href="data:text/html,x">`:      quern.String(),
		`<base target=x><base href="/en/">`:   quern.String(), // the first is the page's
		`<p>none`:                             quern.String(),
	} {
		if got := Base(parsed(t, page), quern).String(); got != want {
			t.Errorf("%s: %s; want %s", page, got, want)
		}
	}
}

// A page becomes blocks, and Markdown that says the same.
func TestFromHTML(t *testing.T) {
	for name, test := range map[string]struct{ page, text, markdown string }{
		"headings": {"<h2>Tide <i>mills</i></h2><p>They turn twice a day.", "Tide mills\nThey turn twice a day.",
			"## Tide *mills*\n\nThey turn twice a day."},
		"lists": {"<ol start=3><li>dam<li>gate</ol>", "3. dam\n4. gate", "3. dam\n4. gate"},
		"links": {`<p>See <a href="/wheel">the wheel</a>.`, "See the wheel.",
			"See [the wheel](https://quern.example/wheel)."},
		"code": {"<pre><code class=language-go>x := 1\n\ty</code></pre>", "x := 1\n\ty", "```go\nx := 1\n\ty\n```"},
		"tables": {
			"<table><tr><th>Mill<th>Year<tr><td>Eling<td>1418<tr><td>Bembridge<td>1700</table>",
			"Mill | Year\nEling | 1418\nBembridge | 1700",
			"| Mill | Year |\n|---|---|\n| Eling | 1418 |\n| Bembridge | 1700 |",
		},
		"hidden": {"<p>Shown.<p hidden>Not shown.<script>let x</script><p style='display:none'>Nor this.",
			"Shown.", "Shown."},
		"raised":  {"<p>10<sup>6</sup> litres", "10^6 litres", ""},
		"escaped": {"<p>1 * 2 * 3 &lt;b&gt;", "1 * 2 * 3 <b>", ""},
	} {
		in := media.Input{Text: test.page, Base: quern, MaxText: 1 << 16, MaxLinks: 10}
		r, err := FromHTML(t.Context(), in, "<!doctype html>"+test.page, media.Reading{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var texts []string
		for _, b := range r.Blocks {
			texts = append(texts, b.Text)
		}
		if got := strings.Join(texts, "\n"); got != test.text {
			t.Errorf("%s: text %q; want %q", name, got, test.text)
		}
		if got := strings.TrimSpace(r.Markdown); test.markdown != "" && got != test.markdown {
			t.Errorf("%s: Markdown %q; want %q", name, got, test.markdown)
		}
	}
}
