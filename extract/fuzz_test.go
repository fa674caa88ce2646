package extract

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/textual"
	"github.com/citewell/citewell/internal/testing/extracttest"
	"github.com/citewell/citewell/internal/testing/realpart"
)

// fuzzed reads one page of hostile bytes: it ends, and what comes is a document
// like any other or a named error.
func fuzzed(t *testing.T, contentType string, body []byte) {
	t.Helper()
	e := New(Options{Timeout: time.Minute})
	address := "http://fuzz.example/a/b?c=d"
	document, err := e.Extract(context.Background(), citewell.Page{
		URL: address, FinalURL: address, ContentType: contentType, Body: body})
	if err != nil {
		switch citewell.CodeOf(err) {
		case citewell.CodeEmptyBody, citewell.CodeUnsupportedType:
			return
		case citewell.CodeExtractionFailed:
			if !strings.Contains(err.Error(), "no readable text") {
				t.Fatalf("%v: %v", err, errors.Unwrap(err))
			}
			return
		}
		t.Fatal(err)
	}
	checkDocument(t, document)
	checkInert(t, document.Markdown)
	again, err := e.Extract(context.Background(), citewell.Page{
		URL: address, FinalURL: address, ContentType: contentType, Body: body})
	if err != nil || again.TextSHA256 != document.TextSHA256 || again.Markdown != document.Markdown {
		t.Fatalf("a second reading differs (%v):\n%q\n%q", err, document.Text, again.Text)
	}
}

// checkInert: read as HTML outside of its code, Markdown has no element at all.
func checkInert(t *testing.T, markdown string) {
	t.Helper()
	page, _, err := textual.HTML(t.Context(), markdown)
	if err != nil {
		t.Fatal(err)
	}
	for tokens := html.NewTokenizer(strings.NewReader(page)); ; {
		switch tokens.Next() {
		case html.ErrorToken:
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			token := tokens.Token()
			switch token.Data {
			case "script", "style", "iframe", "object", "embed", "svg", "form", "base", "meta", "link":
				t.Fatalf("Markdown makes <%s>:\n%q", token.Data, markdown)
			case "input":
				if !strings.Contains(token.String(), `disabled="" type="checkbox"`) {
					t.Fatalf("Markdown makes %s:\n%q", token, markdown)
				}
			}
			for _, a := range token.Attr {
				value := strings.ToLower(strings.TrimSpace(a.Val))
				if strings.HasPrefix(a.Key, "on") || (a.Key == "href" || a.Key == "src") &&
					!strings.HasPrefix(value, "http://") && !strings.HasPrefix(value, "https://") &&
					!strings.HasPrefix(value, "mailto:") {
					t.Fatalf("Markdown makes %s:\n%q", token, markdown)
				}
			}
		}
	}
}

func addGolden(f *testing.F, folder string) {
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".golden") {
			continue
		}
		body, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
}

func FuzzHTML(f *testing.F) {
	addGolden(f, "html")
	addGolden(f, "recordings")
	for _, seed := range []string{
		"<", "</", "<!", "<!--", "<p", "<p a=", "<p a='", "&", "&#", "&#x110000;", "<title>", "<textarea><p>x",
		"<table><p>x<tr><td><table>y",
		"<ul><ol start=99999999999><li><li value=-1>x", "<dl><dd><dt><dl><dt>x", "<h1><h2><p>x",
		"<a href=javascript:x><a href='http://[::1'>x</a>",
		"<base href='javascript:x'><a href=y>z</a>", "<p>a<sup>2<sup>3</sup></sup><sub>x</sub>",
		"<pre>\n\n\tx\n<br>y</pre>", "<q><q>x</q></q>",
		"<noscript><p>x</noscript>", "<svg><foreignObject><p>x</svg>",
		"<math><mi>x</mi><annotation-xml encoding=text/html><p>y</math>",
		"<table><caption>c<tr><td colspan=2>a|b<td>`c`<br>d</table>",
		"<p>&lt;script&gt;x&lt;/script&gt;<p>[a](javascript:b) ![c](d) <p># e<p>```<p>~~~",
		"<frameset><frame><noframes><p>x", "<template><p>x</template><p>y",
		"<p style='display:block'><span style='display:block'>x</span>y",
		"<pre>```\n<script>\n```</pre><p>x", "<li>a<p>b<ul><li>c</ul><p>d",
		"<p>a<img src='x](javascript:y) \"' alt='](javascript:z) <script>'>b",
		"<p>a <math><mtext>](javascript:x) `<img src=y>`</mtext></math>",
		"<p>a <script type='math/tex'>`[x](javascript:y)` <script> $ \\</script>b",
		"<p>x<sup>2<sub>y</sub></sup><sub>a,b</sub>", "<li><input type=checkbox disabled>x", "<ol><li value=-3>x<li>y",
		"<table><tr><td rowspan=99 colspan=99>a<td>b<tr><td>c<td><pre>d|\n\ne</pre></table>",
		"<pre class='lang-&#96;&#96;&#96;'>x</pre>", "<ruby>a<rt>b</ruby>", "<dt>term</dt><h2>head</h2><dd>x",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) { fuzzed(t, "text/html; charset=utf-8", body) })
}

func FuzzMarkdown(f *testing.F) {
	addGolden(f, "markdown")
	for _, seed := range []string{
		"---\na: [\n---\n# x", "---\n- a\n---\nb", "<!--{\"Title\": 3}-->\nx", "# [a](javascript:b)",
		"[a]: data:x\n[a]", "<script>\nx\n</script>\ny",
		"| a |\n|---|\n| `b|c` |", strings.Repeat("> ", 300) + "x", strings.Repeat("- ", 300) + "x",
		strings.Repeat("*a ", 500), "![a](b)", "<a@b.c> <http://d.e>",
		"term\n: explanation", "```\n<img>\n", "\\<script>", "&lt;script&gt;", "<p onclick=x>y</p>", "a\\\nb  \nc",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) { fuzzed(t, "text/markdown", body) })
}

func FuzzText(f *testing.F) {
	addGolden(f, "text")
	for _, seed := range []string{"a\r\nb\rc", "A\n=\n", "A\n===\nb\n---\n", "    code\n\n    more", "- a\n  b\n1. c",
		"\t\tx", "<script>x</script>", "a\x00b", "x   y\nz   w"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) { fuzzed(t, "text/plain", body) })
}

func FuzzCaptions(f *testing.F) {
	addGolden(f, "captions")
	for _, seed := range []string{
		"WEBVTT", "WEBVTT\n\n00:01.000 --> 00:02.000\nx", "WEBVTT - <script>x</script>\nLanguage: " +
			"\x00\n\n1\n00:00:01.000 --> 00:00:00.000 position:10%\n<v ><b>x</b></v>",
		"\ufeffWEBVTT\r\rNOTE\r\rSTYLE\r::cue{}\r\r999:59:59.999 --> 999:59:59.999\r<v.loud A&lt;b>x&#0;&lt;img " +
			"src=y&gt;", "1\n00:00:01,000 --> 00:00:02,000\n{\\an8}<i>x</i>\n2\n00:00:02,000 --> 00:00:03,000\ny",
		"WEBVTT\n\n00:02.000 --> 00:03.000\n# x\n\n00:01.000 --> 00:02.000\n| y |\n```",
		"WEBVTT\n\n00:01.000 --> 00:02.000\n" + strings.Repeat("<c>", 500) + "x",
		"WEBVTT\n" + strings.Repeat("\n00:01.000 --> 00:02.000\nx.\n", 300),
		"WEBVTT\n\n99999:00:01.000 --> 00:02.000\nx", "WEBVTT\n\n00:01.000-->00:02.000\n-->\n00:01.000 --> 00:02.000",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		fuzzed(t, citewell.MediaVTT, body)
		fuzzed(t, citewell.MediaSRT, body)
	})
}

// TestMalformedMarkup feeds every input of html5lib's tokenizer suite as a page.
func TestMalformedMarkup(t *testing.T) {
	extracttest.Measured(t)
	files := extracttest.Unpack(t, realpart.Data(t, "html5lib-tests/html5lib-tests.tar.gz"))
	inputs := 0
	for name, raw := range files {
		if !strings.HasPrefix(name, "tokenizer/") || !strings.HasSuffix(name, ".test") {
			continue
		}
		var suite struct {
			Tests []struct{ Input string }
		}
		if err := json.Unmarshal(raw, &suite); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, test := range suite.Tests {
			inputs++
			fuzzed(t, "text/html; charset=utf-8", []byte("<p>Before.</p>"+test.Input+"<p>After.</p>"))
		}
	}
	if inputs < 1000 {
		t.Errorf("only %d inputs", inputs)
	}
}
