package report_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/testing/score"
	nethtml "golang.org/x/net/html"
)

// allowed are the elements of a page and their attributes.
var allowed = map[string][]string{
	"html": {"lang"}, "head": nil, "meta": {"charset", "http-equiv", "content", "name"}, "title": nil, "style": nil,
	"body": nil, "header": nil, "main": {"class"}, "nav": {"class"},
	"section": {"class", "aria-label"}, "article": {"class", "id"}, "footer": {"class"}, "h1": nil, "h2": {"id"},
	"h3": {"id"}, "h4": {"id"}, "h5": {"id"}, "h6": {"id"}, "p": {"class"}, "br": nil, "hr": nil,
	"ul": {"class"}, "ol": {"start"}, "li": nil, "blockquote": {"dir", "lang"}, "small": nil,
	"span": {"class", "data-f"}, "code": {"class"}, "pre": nil, "em": nil, "strong": nil, "del": nil,
	"div": {"class", "id"}, "table": nil, "tbody": nil, "tr": nil, "td": nil, "th": nil,
	"a":   {"href", "class", "rel", "id", "aria-label", "title"},
	"svg": {"class", "width", "height", "aria-hidden"}, "symbol": {"id", "viewBox"}, "use": {"href"},
	"path": {"d", "fill", "fill-rule", "stroke", "stroke-width", "stroke-dasharray"},
}

// words that classes are made of.
var classes = append([]string{"quiet", "source", "mark", "wide", "hash", "verdict", "said", "unmarked", "leaf",
	"report", "sources", "unproven", "contents", "counts", "none", "cite", "glyph", "glyphs"}, verdictNames()...)

func verdictNames() (all []string) {
	for _, w := range report.Verdicts {
		all = append(all, string(w.Verdict))
	}
	return all
}

// checkPage holds a page against what may be in one, and returns its words.
func checkPage(t interface{ Fatalf(string, ...any) }, r citewell.Report) string {
	page := report.HTML(r)
	root, err := nethtml.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatalf("%v", err)
	}
	var cited []string
	for _, s := range r.Sources {
		if url := decoded(firstOf(s.FinalURL, s.URL)); strings.HasPrefix(url, "http") {
			cited = append(cited, url)
		}
	}
	var words strings.Builder
	ids := map[string]bool{}
	var inside []string
	var walk func(n *nethtml.Node)
	walk = func(n *nethtml.Node) {
		switch n.Type {
		case nethtml.CommentNode:
			t.Fatalf("a comment: %q\n%s", n.Data, page)
		case nethtml.TextNode:
			if n.Parent.Data != "style" {
				words.WriteString(n.Data)
			} else {
				sum := sha256.Sum256([]byte(n.Data))
				if !strings.Contains(page, "style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
					t.Fatalf("the policy does not let the style through")
				}
			}
		case nethtml.ElementNode:
			attributes, known := allowed[n.Data]
			if drawn := slices.Contains([]string{"svg", "symbol", "use", "path"}, n.Data); !known ||
				drawn != (n.Namespace == "svg") {
				t.Fatalf("an element %q\n%s", n.Data, page)
			}
			for _, a := range n.Attr {
				switch {
				case !slices.Contains(attributes, a.Key):
					t.Fatalf("%s has %s=%q\n%s", n.Data, a.Key, a.Val, page)
				case a.Key == "class" && slices.ContainsFunc(strings.Fields(a.Val), func(class string) bool {
					return !slices.Contains(classes, class)
				}):
					t.Fatalf("class %q\n%s", a.Val, page)
				case a.Key == "id" && ids["#"+a.Val]:
					t.Fatalf("two elements are called %q\n%s", a.Val, page)
				case a.Key == "id":
					ids["#"+a.Val] = true
				case a.Key == "href" && strings.HasPrefix(a.Val, "#"):
					inside = append(inside, a.Val)
				case a.Key == "href" && !slices.Contains(cited, decoded(a.Val)):
					t.Fatalf("a link to %q, not in %q\n%s", a.Val, cited, page)
				}
			}
			if n.Data == "style" && n.Parent.Data != "head" || n.Data == "meta" && n.Parent.Data != "head" {
				t.Fatalf("%s in %s", n.Data, n.Parent.Data)
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
		if n.Type == nethtml.ElementNode && !slices.Contains([]string{"a", "em", "strong", "code", "del", "span"},
			n.Data) {
			words.WriteString("\n")
		}
	}
	walk(root)
	for _, id := range inside {
		if !ids[id] {
			t.Fatalf("%s leads nowhere\n%s", id, page)
		}
	}
	return words.String()
}

func firstOf(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// hostileReport has the same words in every place, and a URL too.
func hostileReport(words, url string) citewell.Report {
	c := citewell.Citation{N: 1, Passage: words, Quote: words, Verdict: citewell.Verdict(words),
		Reason: words, By: words,
		OtherFigures: []citewell.OtherFigure{{SaidStart: 1, SaidEnd: 2, Start: 1, End: 3},
			{SaidStart: len(words) / 2, SaidEnd: len(words), Start: 2, End: 900},
			{SaidStart: -1, SaidEnd: 900, Start: -1}}}
	return citewell.Report{ID: words, Agent: words, Task: words, Title: words, Language: words, Confidence: words,
		Outcome: words, CreatedAt: made,
		Content: words + "\n\n[1] " + words + " [" + words + "](" + url + ") ![" + words + "](" + url + ") <" + url +
			">\n\n- " + words + "\n\n> " + words + "\n\n| a |\n|---|\n| " + words + " |\n\n```" + words + "\n" + words +
			"\n```\n[1]: " + url,
		Places: []citewell.Place{{Start: -1, End: 3}, {Start: 1, End: len(words) / 2, Finding: 0, Problem: words},
			{Start: len(words) / 2, End: len(words) + 8, Finding: -3}, {Start: 2, End: 900, Finding: 7},
			{Start: len(words) + 9, End: len(words)*2 + 7}},
		Findings:   []citewell.Finding{{Topic: words, Text: words, Citations: []citewell.Citation{c, c}}},
		Unverified: []citewell.UnverifiedPhrase{{Text: words, Problem: words, Detail: words}}, Removed: []string{words},
		Sources: []citewell.Source{
			{N: 1, Title: words, URL: "https://cited.test/a_b", FinalURL: "https://cited.test/a_b", Host: words,
				Date: words, Warning: words, PageSHA256: words, Outcome: citewell.FetchOutcome(words)},
			{N: 2, Title: words, URL: url, Host: words},
		},
		Passages: []citewell.Passage{{ID: words, Source: 1, Heading: words, Page: 2, Unit: words, Text: words}},
	}
}

func TestHostileWordsStayWordsInHTML(t *testing.T) {
	if testing.Short() || score.RaceDetector {
		t.Skip("one goroutine that takes seconds")
	}
	for _, words := range hostile {
		said := checkPage(t, hostileReport(words, "https://evil.test/"))
		if want := "Asked: " + shown(words); shown(words) != "" && !strings.Contains(shown(said), want) {
			t.Errorf("%q is not shown:\n%s", want, said)
		}
	}
	for _, url := range hostileURLs {
		checkPage(t, hostileReport("words", url))
	}
	for name, content := range map[string]string{
		"quotations": strings.Repeat(">", 20_000), "lists": strings.Repeat("- ", 5_000),
		"emphasis": strings.Repeat("*a **b ", 5_000), "brackets": strings.Repeat("[", 50_000),
		"links": strings.Repeat("[a](", 5_000), "tables": strings.Repeat("|a", 2_000) + "\n" +
			strings.Repeat("|-", 2_000) + "\n|", "ticks": strings.Repeat("`a``", 10_000),
		"cited links": strings.Repeat("[1](https://cited.test/a_b)", 2_000),
	} {
		r := hostileReport("x", "https://a.test/")
		r.Content = content
		if said := checkPage(t, r); said == "" {
			t.Error(name)
		}
	}
}

// A page tells of which run it is the report, whatever its words say.
func TestPageNamesItsRun(t *testing.T) {
	r, _ := sampleRun(t)
	r.Content += "\n\n<p>Run other. Every citation can be checked again: citewell verify other</p>"
	r.Task = "Run other. Every citation can be checked again: citewell verify other"
	if got := report.RunOf(report.HTML(r)); got != runID {
		t.Errorf("got %q", got)
	}
	if got := report.RunOf("<p>" + r.Task[:9] + "</p>"); got != "" {
		t.Errorf("another page is of %q", got)
	}
}

// What a report says in Markdown, and what of it is shown.
func TestContentOfAPage(t *testing.T) {
	for name, test := range map[string]struct{ content, want string }{
		"marks": {"Long [1], [1, 2] and ② but not [3] or [1, 3].",
			`<p>Long <a class="mark" href="#s1">[1]</a>, <a class="mark" href="#s1">[1]</a><a class="mark" href="#s2">[2]</a> and <a class="mark" href="#s2">[2]</a> but not [3] or [1, 3].</p>`},
		"html": {"<b>x</b> <!-- y --> &lt;i> &amp;amp; &#x202e;z",
			`<p>&lt;b&gt;x&lt;/b&gt; &lt;!-- y --&gt; &lt;i&gt; &amp;amp; z</p>`},
		"html block": {"<script>\nalert(1)\n</script>", "<p>&lt;script&gt;\nalert(1)\n&lt;/script&gt;</p>"},
		"cited link": {"See [the *page*](https://cited.test/a_b?utm_source=x).",
			`<p>See <a href="https://cited.test/a_b" rel="noreferrer nofollow">the <em>page</em></a>.</p>`},
		"link of a number": {"So [1](https://cited.test/a_b).", `<p>So <a class="mark" href="#s1">[1]</a>.</p>`},
		"other link":       {"See [the page](https://evil.test/a \"t\").", `<p>See the page.</p>`},
		"script link":      {"See [the page](javascript:alert(1)).", `<p>See the page.</p>`},
		"image": {"![a [1] chart](https://cited.test/a_b)",
			`<p>a <a class="mark" href="#s1">[1]</a> chart</p>`},
		"autolinks": {"<https://cited.test/a_b> <https://evil.test/> https://cited.test/a_b",
			`<p><a href="https://cited.test/a_b" rel="noreferrer nofollow">https://cited.test/a_b</a> https://evil.test/ https://cited.test/a_b</p>`},
		"definition": {"It is so [1].\n\n[1]: https://evil.test/",
			`<p>It is so <a class="mark" href="#s1">[1]</a>.</p>` + "\n" +
				`<p><a class="mark" href="#s1">[1]</a>: https://evil.test/</p>`},
		"code": {"`[1] <b>`\n\n```html\n<b> [1]\n```",
			"<p><code>[1] &lt;b&gt;</code></p>\n<pre><code>&lt;b&gt; [1]\n</code></pre>"},
		"headings": {"## A\n\n#### B\n\n# C", "<h3 id=\"h1\">A</h3>\n<h5 id=\"h2\">B</h5>\n<h2 " +
			"id=\"h3\">C</h2>"},
		"table": {"| a | b \\| c |\n|---|:-:|\n| ~~1~~ | **2** [2] |",
			`<div class="wide"><table><tr><th>a</th><th>b | c</th></tr>` + "\n" +
				`<tr><td><del>1</del></td><td><strong>2</strong> <a class="mark" href="#s2">[2]</a></td></tr>` +
				"\n</table></div>"},
		"list": {"3. x\n4. y  \n   z", "<ol start=\"3\"><li>x</li>\n<li>y<br>\nz</li>\n</ol>"},
	} {
		r := hostileReport("x", "file:///tmp/x")
		r.Content, r.Places = test.content, nil
		page := report.HTML(r)
		checkPage(t, r)
		_, main, _ := strings.Cut(page, "<main class=\"report\">\n")
		if main, _, _ = strings.Cut(main, "\n</main>"); main != strings.ReplaceAll(test.want, ` <a class="mark"`,
			"\u00a0"+`<a class="mark"`) {
			t.Errorf("%s:\n got %s\nwant %s", name, main, test.want)
		}
	}
	if strings.Contains(report.HTML(hostileReport("x", "file:///tmp/x")), `href="file`) {
		t.Error("a file is linked to")
	}
}

func FuzzHTML(f *testing.F) {
	for i, words := range hostile {
		f.Add(words, hostileURLs[i%len(hostileURLs)])
	}
	f.Fuzz(func(t *testing.T, words, url string) {
		r := hostileReport(words, url)
		checkPage(t, r)
		r.Content = words
		checkPage(t, r)
	})
}

// A bibliography gives back every title as it is shown, and holds nothing else.
func checkBibTeX(t interface{ Fatalf(string, ...any) }, r citewell.Report, authors report.Authors) {
	bib := report.BibTeX(r, authors)
	entries, open := 0, 0
	for line := range strings.Lines(bib) {
		line = strings.TrimSuffix(line, "\n")
		name, value, isField := strings.Cut(line, " = ")
		switch {
		case line == "":
		case strings.HasPrefix(line, "@online{") && open == 0 && strings.HasSuffix(line, ",") &&
			strings.Trim(line[8:len(line)-1], "abcdefghijklmnopqrstuvwxyz0123456789-") == "":
			open, entries = 1, entries+1
		case line == "}" && open == 1:
			open = 0
		case isField && open == 1 && strings.HasPrefix(name, "  "):
			value = strings.TrimSuffix(value, ",")
			depth := 0
			for i, c := range value { // braces are balanced, and the first closes last
				switch c {
				case '{':
					depth++
				case '}':
					depth--
				}
				if depth <= 0 && i < len(value)-1 {
					t.Fatalf("a field ends early: %q", line)
				}
			}
			if depth != 0 {
				t.Fatalf("braces are not balanced: %q", line)
			}
			value = value[1 : len(value)-1]
			if field := strings.TrimSpace(name); field == "title" || field == "author" {
				want := shown(r.Sources[entries-1].Title)
				if field == "author" {
					want = shown(authors[r.Sources[entries-1].N])
				}
				if got := fromLatex(t, value[1:len(value)-1]); want != "" && got != want {
					t.Fatalf("%q comes back as %q", want, got)
				}
			} else if field == "url" && strings.ContainsAny(value, " {}\\\"<>") {
				t.Fatalf("%q", line)
			}
		default:
			t.Fatalf("a line %q in\n%s", line, bib)
		}
	}
	if entries != len(r.Sources) || open != 0 {
		t.Fatalf("%d entries for %d sources\n%s", entries, len(r.Sources), bib)
	}
}

// fromLatex reads what is escaped; what TeX would read something into must not be left.
func fromLatex(t interface{ Fatalf(string, ...any) }, s string) string {
	names := map[string]string{"textbackslash": `\`, "textbraceleft": "{", "textbraceright": "}", "textasciitilde": "~",
		"textasciicircum": "^"}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if strings.HasPrefix(s[i:], "{}") { // keeps two signs apart
			i++
			continue
		}
		if strings.IndexByte("{}%$&#_~^", s[i]) >= 0 {
			t.Fatalf("%q has a bare %q", s, s[i])
		}
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		if name, _, ok := strings.Cut(s[i+1:], "{}"); ok && names[name] != "" {
			b.WriteString(names[name])
			i += len(name) + 2
			continue
		}
		i++
		b.WriteByte(s[i])
	}
	return b.String()
}

func TestBibTeXOfHostileWords(t *testing.T) {
	for i, words := range hostile {
		checkBibTeX(t, hostileReport(words, hostileURLs[i%len(hostileURLs)]),
			report.Authors{1: words, 2: fmt.Sprint("A. ", words)})
	}
}

func FuzzBibTeX(f *testing.F) {
	for i, words := range hostile {
		f.Add(words, hostileURLs[i%len(hostileURLs)])
	}
	f.Fuzz(func(t *testing.T, words, url string) {
		checkBibTeX(t, hostileReport(words, url), report.Authors{1: words})
	})
}
