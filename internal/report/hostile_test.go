package report_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/testing/score"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"pgregory.net/rapid"
)

// hostile are words that try to be more than words.
var hostile = []string{
	"![x](https://evil.test/p.png)", "<img src=x onerror=alert(1)>", "[click](javascript:alert(1))",
	"<script>alert(1)</script>",
	"<https://evil.test/a>", "https://evil.test/b", "HTTP://EVIL.test/c", "www.evil.test/d", "_www.evil.test",
	"ftp://evil.test", "mail@evil.test", "<mail@evil.test>",
	"[ref]: https://evil.test/e", "[①]: https://evil.test/f", "[①]", " [①]", "[①][ref]", "![①]", "[^1]: note", "[^1]",
	"[x] done", "[ ]",
	"# Heading", "## Verification", "### ①", "#", "######", "####### seven", "C#", "F # #", "Setext\n===",
	"Setext\n---", "===", "---", "***", "___", "- - -", "* * *",
	"- item", "+ item", "* item", "1. one", "12) twelve", "1234567890. no", "3.5 million", "-5 °C", "+", "-", "1.",
	":-", ":-:|-", "a|b\n-|-\nc|d", ": definition", "> quote", ">quote",
	"```\ncode\n```", "~~~", "~~~~~ x", "~~gone~~", "~gone~", "`code`", "``", "    indented", "\tindented", "*em*",
	"**strong**", "_em_", "__a__", "!__a__!", "snake_case_name", "*", "_", "a*b*c",
	"&lt;b&gt;", "&#60;img&#62;", "&amp;", "R&D", "AT&T;", "\\", "\\\\", "\\[x](y)", "ends in \\",
	"two  spaces  \nbreak",
	"\x1b[31mred\x1b[0m", "\x9b31m", "\u202eevil\u202c", "zero\u200bwidth", "\u2066iso\u2069", "tag\U000E0041",
	"a\u2028b", "line\r\nbreak", "nul\x00", "\xff\xfe", "\ufffd",
	"(partly)", " (partly)", "(contradicted, partly)", "ends in )", "ends in ]", "“quoted”", "a “b” c", "”", "“", " “",
	"①④ say “212”: “x”", "①", "② and ③", "[21]", "[7, 8]", "⚠ warning", "(no title)",
	"漢字とかな。", "“漢字”", "e\u0301", "🏴\u200d☠️", "<!-- ", "-->", "<?php ?>", "<![CDATA[", "<details>", "</div>", "$$x$$",
	":::", "+++", "{% raw %}", "http:", "//evil.test", "https://", "a@b", "@x",
	"- F1 ① 00000000000000000000000000000001 0-5 supported", "Brief 00000000000000000000000000000009, made 2020",
	"local document", "undated", "Other findings",
}

// hostileURLs are addresses that a provider might give.
var hostileURLs = []string{
	"https://a.test/", "https://a.test/x_(y)", "https://a.test/x_(y", "https://a.test/x).", "https://a.test/a*b*c",
	"https://a.test/_a_", "https://a.test/~x/~y~z", "https://a.test/?q=a|b&c={d}",
	"https://a.test/[x](https://evil.test)", "https://a.test/![x](y)", "https://a.test/`x`",
	"https://a.test/?a=1&copy;=2&lt;x&#60;", "https://a.test/?", "https://a.test/x?y#z!", "https://a.test/a,b;c",
	"https://a.test/$1",
	"https://a.test/größe?q=漢字", "https://a.test/a b", "https://a.test/a\u202eb", "https://a.test/\"x'",
	"https://a.test/<img src=x>", "https://a.test/a>b", "https://a.test/\\x", "https://a.xn--p1ai/x",
	"http://site.co1/x",
	"http://127.0.0.1:8080/x", "http://[2001:db8::1]/x", "http://localhost/x", "https://user@a.test/",
	"https://a.test:8443/x", "file:///tmp/a_b[1].md", "file:///tmp/ü\u202e.md", "javascript:alert(1)",
	"data:text/html,<script>", "not a URL", "HTTPS://A.test/x", "https://", "https:///x",
	"https://a.test/" + strings.Repeat("long/", 300),
}

func hostileText() *rapid.Generator[string] {
	part := rapid.OneOf(rapid.SampledFrom(hostile), rapid.StringN(0, 12, 40),
		rapid.SampledFrom([]string{" ", "\n", "word", "(", ")", "[", "]", "“", "”", "*", "_", "~", "<", "&", "\\"}))
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(part, 0, 5).Draw(t, "parts"),
			rapid.SampledFrom([]string{"", " "}).Draw(t, "glue"))
	})
}

var verdicts = []citewell.Verdict{citewell.VerdictSupported, citewell.VerdictPartly, citewell.VerdictContradicted,
	citewell.VerdictUnsupported, citewell.VerdictSnippetOnly, citewell.VerdictNoSource}

// hostileBrief makes briefs whose every word and URL comes from outside.
func hostileBrief() *rapid.Generator[citewell.Brief] {
	words := hostileText()
	return rapid.Custom(func(t *rapid.T) citewell.Brief {
		text := func(name string) string { return words.Draw(t, name) }
		number := func(most int) int { return rapid.IntRange(0, most).Draw(t, "number") }
		b := citewell.Brief{Schema: citewell.BriefSchema, ID: id(7), Query: text("query"), CreatedAt: made}
		for n := range number(24) {
			source := citewell.Source{N: n + 1, Title: text("title"), Host: fmt.Sprintf("h%d.test", n),
				Class: "unknown", Snippet: text("snippet"), Warning: text("warning"),
				URL: rapid.SampledFrom(hostileURLs).Draw(t, "url"), Outcome: rapid.SampledFrom([]citewell.FetchOutcome{
					citewell.FetchOK, citewell.FetchTimeout}).Draw(t, "outcome")}
			b.Sources = append(b.Sources, source)
			b.Coverage.Fetches = append(b.Coverage.Fetches, citewell.FetchReport{
				URL: source.URL, Outcome: source.Outcome, Detail: text("detail")})
			b.Passages = append(b.Passages, citewell.Passage{ID: id(100 + n), Source: n + 1, Heading: text("heading"),
				Text: text("passage"), End: 1})
		}
		citations := func(said string, least int) []citewell.Citation {
			var list []citewell.Citation
			for range least + number(3) {
				c := citewell.Citation{N: 1 + number(29), Passage: id(number(9999)), Quote: text("quote"),
					Start: number(1 << 20), Verdict: rapid.SampledFrom(verdicts).Draw(t, "verdict"),
					Reason: text("reason"), By: rapid.SampledFrom([]string{
						"", cite.ByWords, "judge m_1*", "judge [x](y):7b"}).Draw(t, "judge")}
				if rapid.Bool().Draw(t, "verbatim") {
					c.Quote = said
				}
				c.End = c.Start + len(c.Quote)
				list = append(list, c)
			}
			return list
		}
		for range number(4) {
			said := text("finding")
			b.Findings = append(b.Findings, citewell.Finding{Topic: text("topic"), Text: said,
				Citations: citations(said, 0)})
		}
		for range number(3) {
			said := text("disagreement")
			b.Disagreements = append(b.Disagreements, citewell.Disagreement{Text: said, Citations: citations(said, 0)})
		}
		for range number(3) {
			b.Gaps = append(b.Gaps, text("gap"))
		}
		for range number(3) {
			b.Additional = append(b.Additional, citewell.Additional{URL: rapid.SampledFrom(hostileURLs).Draw(t, "url"),
				Host: "more.test", Snippet: text("snippet")})
		}
		b.Coverage.Providers = []citewell.ProviderReport{{Name: "searxng", Outcome: citewell.ProviderFailed,
			Detail: text("detail")}}
		return b
	})
}

// The renderers that a brief may meet. Raw HTML is let through where there is any,
// so that it would be seen.
var renderers = map[string]goldmark.Markdown{
	"commonmark": goldmark.New(goldmark.WithRendererOptions(html.WithUnsafe())),
	"extended": goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote, extension.DefinitionList),
		goldmark.WithRendererOptions(html.WithUnsafe())),
}

// shape counts the elements that a rendering may have; links are kept. Addresses in code are no
// elements: what became of a call may name some.
type shape struct {
	elements map[string]int
	links    []string
	items    []string // text of list items, without that of lists in them
}

func shapeOf(t interface{ Fatal(...any) }, rendered []byte) shape {
	root, err := nethtml.ParseFragment(bytes.NewReader(rendered),
		&nethtml.Node{Type: nethtml.ElementNode, Data: "body", DataAtom: atom.Body})
	if err != nil {
		t.Fatal(err)
	}
	s := shape{elements: map[string]int{}}
	var walk func(*nethtml.Node)
	walk = func(n *nethtml.Node) {
		switch n.Type {
		case nethtml.ElementNode:
			if n.Data == "code" && codeAddress.MatchString(ownText(n)) && len(n.Attr) == 0 {
				return
			}
			s.elements[n.Data]++
			for _, a := range n.Attr {
				switch {
				case n.Data == "a" && a.Key == "href":
					s.links = append(s.links, a.Val)
				case strings.HasPrefix(n.Data, "h") && a.Key == "id":
				default:
					s.elements[n.Data+" "+a.Key]++
				}
			}
			if n.Data == "li" {
				s.items = append(s.items, ownText(n))
			}
		case nethtml.CommentNode:
			s.elements["<!-- -->"]++
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	for _, n := range root {
		walk(n)
	}
	return s
}

var codeAddress = regexp.MustCompile(`^https?://\S+$`)

func ownText(n *nethtml.Node) string {
	if n.Type == nethtml.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Data != "ul" {
			b.WriteString(ownText(c))
		}
	}
	return b.String()
}

// asResearch says whether a brief is rendered as the tool web_research gives it.
func asResearch(b citewell.Brief) bool { return b.Confidence != (citewell.Confidence{}) }

// wantShape is what a brief's own structure gives, whatever its words are.
func wantShape(b citewell.Brief, o report.Options, markdown string) map[string]int {
	c := b.Coverage
	want := map[string]int{"h1": 1, "ul": 1, "li": 4 + len(c.Providers) + len(c.Fetches)}
	for _, below := range []int{len(c.Providers), len(c.Fetches)} {
		if below > 0 {
			want["ul"]++
		}
	}
	for line := range strings.Lines(markdown) { // at a line's start nothing but our own words can stand
		switch {
		case strings.HasPrefix(line, "## "):
			want["h2"]++
		case strings.HasPrefix(line, "###"):
			want["h3"]++
		case strings.HasPrefix(line, "**"):
			want["strong"]++
		case strings.HasPrefix(line, "_Fetch"):
			want["em"]++
		}
	}
	above := ""
	if len(b.Queries) > 0 {
		want["li"]++
	}
	for i, f := range b.Findings { // a list for each topic, or paragraphs
		if asResearch(b) {
			break
		}
		topic := shown(f.Topic)
		if topic == "" && above != "" {
			topic = "Other findings"
		}
		if want["li"]++; i == 0 || topic != above {
			want["ul"]++
		}
		above = topic
	}
	if o.Record {
		want["<!-- -->"] = 1
	}
	entries := strings.Count(markdown[strings.LastIndex(markdown, "\n## ")+1:], "\n- ")
	if !o.Verification {
		entries = 0
	}
	if entries > 0 {
		want["details"], want["summary"] = 1, 1
	}
	for _, items := range []int{len(b.Disagreements), len(b.Gaps), entries} {
		if want["li"] += items; items > 0 {
			want["ul"]++
		}
	}
	return want
}

// check renders a brief every way and holds what comes out against what may.
func check(t interface {
	Fatal(...any)
	Fatalf(string, ...any)
}, b citewell.Brief) {
	var urls []string
	for _, s := range b.Sources {
		urls = append(urls, s.URL, s.FinalURL)
	}
	for _, a := range b.Additional {
		urls = append(urls, a.URL)
	}
	for _, f := range b.Coverage.Fetches {
		urls = append(urls, f.URL)
	}
	for i := range urls {
		urls[i] = decoded(urls[i])
	}
	ways := []report.Options{inFile, {Compact: true}}
	if asResearch(b) {
		ways = []report.Options{{}}
	}
	for _, o := range ways {
		markdown := report.Markdown(b, o)
		if asResearch(b) {
			markdown = report.Research(b)
		}
		if i := strings.IndexFunc(markdown, func(r rune) bool {
			return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r == '\u202e' || r == '\u200b'
		}); i >= 0 {
			t.Fatalf("a control character: %q", markdown[max(0, i-20):i+4])
		}
		for name, renderer := range renderers {
			var rendered bytes.Buffer
			if err := renderer.Convert([]byte(markdown), &rendered); err != nil {
				t.Fatal(err)
			}
			got := shapeOf(t, rendered.Bytes())
			for _, link := range got.links {
				if !slices.Contains(urls, decoded(link)) || !strings.HasPrefix(strings.ToLower(link), "http") {
					t.Fatalf("%s: a link to %q\n%s", name, link, markdown)
				}
			}
			want := wantShape(b, o, markdown)
			for element, n := range got.elements {
				if element != "a" && element != "p" && element != "blockquote" && n != want[element] {
					t.Fatalf("%s: %d of %q, not %d\n%s\n%s", name, n, element, want[element], markdown,
						rendered.Bytes())
				}
			}
			for i, f := range b.Findings {
				if said := shown(f.Text); !asResearch(b) && i < len(got.items) &&
					!strings.Contains(got.items[i], said) {
					t.Fatalf("%s: finding %d is shown as %q, not %q", name, i+1, got.items[i], said)
				}
			}
		}
	}
}

var percent = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)

// decoded takes a URL's percent-encoding off, and what no renderer keeps, so that
// two ways to write it are the same.
func decoded(s string) string {
	s = percent.ReplaceAllStringFunc(s, func(code string) string {
		b, _ := hex.DecodeString(code[1:])
		return string(b)
	})
	return strings.ToLower(string([]rune(s)))
}

// visible leaves out what is not seen.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, string([]rune(s)))
}

func TestHostileWordsStayWords(t *testing.T) {
	if score.RaceDetector {
		t.Skip("one goroutine that takes seconds")
	}
	for _, words := range hostile {
		check(t, everywhere(words, "https://a.test/"))
	}
	for _, u := range hostileURLs {
		check(t, everywhere("words", u))
	}
	rapid.Check(t, func(t *rapid.T) { check(t, hostileBrief().Draw(t, "brief")) })
}

// everywhere makes a brief that has the same words in every place, and a URL too.
func everywhere(words, url string) citewell.Brief {
	citation := citewell.Citation{N: 1, Passage: id(1), Quote: words, End: len(words),
		Verdict: citewell.VerdictSupported}
	other := citewell.Citation{N: 2, Passage: id(2), Quote: "other", End: 5, Verdict: citewell.VerdictPartly}
	b := citewell.Brief{Schema: citewell.BriefSchema, ID: id(7), Query: words, CreatedAt: made,
		Findings: []citewell.Finding{
			{Topic: words, Text: words, Citations: []citewell.Citation{citation, other}},
			{Topic: words, Text: words, Citations: []citewell.Citation{other}},
			{Topic: words, Text: words},
		},
		Disagreements: []citewell.Disagreement{{Text: words, Citations: []citewell.Citation{citation, other}},
			{Text: words}},
		Gaps:       []string{words},
		Additional: []citewell.Additional{{Title: words, URL: url, Host: words, Date: words, Snippet: words}},
	}
	for n := 1; n <= 3; n++ {
		s := citewell.Source{N: n, Title: words, URL: url, Host: words, Class: words, Date: words, Snippet: words,
			Warning: words, Outcome: citewell.FetchOK}
		if n == 3 {
			s.Outcome = citewell.FetchTimeout
		}
		b.Sources = append(b.Sources, s)
		b.Passages = append(b.Passages, citewell.Passage{ID: id(n), Source: n, Heading: words,
			Text: words + "\n" + words, End: 1})
	}
	b.Coverage.Providers = []citewell.ProviderReport{{Name: words, Outcome: citewell.ProviderFailed, Detail: words}}
	b.Coverage.Fetches = []citewell.FetchReport{{URL: url, Outcome: citewell.FetchTimeout, Detail: words}}
	b.Coverage.Synthesis = citewell.SynthesisReport{Mode: citewell.SynthesisModel, Model: words, Outcome: "ok"}
	return b
}

func FuzzMarkdown(f *testing.F) {
	for _, words := range hostile {
		f.Add(words, "https://a.test/")
	}
	for _, u := range hostileURLs {
		f.Add("words", u)
	}
	f.Fuzz(func(t *testing.T, words, url string) {
		check(t, everywhere(words, url))
		check(t, researched(everywhere(words, url)))
	})
}
