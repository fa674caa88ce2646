package tree

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/charset"
	"github.com/citewell/citewell/internal/testing/extracttest"
	"github.com/citewell/citewell/internal/testing/realpart"
)

// oddTags are what a quick look at a page gets wrong.
var oddTags = []string{
	`<p a='>' b=">" c=x/>y</p ><br/><br / ><img src=a/ ><svg><path d=m/></svg><a =b==c / d= >z</a>`,
	"<script><!-- <script>a</script> b --></script>c<script><!--</script>d", "<script><!--><script></script>",
	"<script><!-- <<script></script>",
	"<script><!-- <script </script> -- > </script></scripty></SCRIPT\t>",
	"<title>a</title ></titles></title><textarea><p></textarea>",
	"<!--><p>--><!---><!----!><!-- --!x> --!-->x<!doctype html><!doctype><!x><?php ?></><//><!-", "a<b", "a<", "</",
	"<a b", "<a b='", "<plaintext></plaintext>",
	"<svg><style><a></style></svg><style>b</style>", "<svg><title><svg></title></svg><script>a</script>",
	"<svg><![CDATA[</svg>]]><style><p>a</style>",
	`<svg><script>a<b c="</script></svg><style>"> seen </style>`, "<svg></mAth><sCript>0",
	"<svg><foreignObject><p></svg></p></foreignObject><style>a<b></style>",
	"<svg/><style>a</style><math><mi>x</math><script>b</script>", "<style>a", "<select><style>a</style></select>",
	"<noscript><style>a</style></noscript>",
	`<script type="application/ld+json">{}</script><script type=math/tex>x</script><style style="opacity:0">a</style>`,
	"<xmp><b></xmp><İ><K>",
}

// FuzzTags holds that tags and html.Tokenizer cut a page alike, and that the tree of a
// page without its idle scripts is the page's own but for their text.
func FuzzTags(f *testing.F) {
	for _, page := range oddTags {
		f.Add(page)
	}
	for _, page := range extracttest.HostilePages() {
		f.Add(page[:min(len(page), 2000)])
	}
	f.Fuzz(func(t *testing.T, page string) {
		if len(page) > 1<<14 {
			return
		}
		page, _, _ = charset.Decode([]byte(page), "utf-8", true)
		checkTags(t, page)
	})
}

func checkTags(t *testing.T, page string) {
	t.Helper()
	all, tokens := tags{page: page}, html.NewTokenizer(strings.NewReader(page))
	for {
		p, kind := all.next(), tokens.Next()
		if kind == html.DoctypeToken {
			kind = html.CommentToken // it has no words
		}
		if kind == html.SelfClosingTagToken && p.kind == html.StartTagToken {
			kind = p.kind // of two attributes of one name a tokenizer forgets the second
		}
		if p.kind != kind {
			t.Fatalf("%v at %d in %q, want %v", p.kind, p.start, page, kind)
		}
		if kind == html.ErrorToken {
			break
		}
		if raw := string(tokens.Raw()); page[p.start:p.end] != raw {
			t.Fatalf("%q in %q, want %q", page[p.start:p.end], page, raw)
		}
		if name, _ := tokens.TagName(); atom.Lookup(name) != p.tag {
			t.Fatalf("%v in %q, want %s", p.tag, page, name)
		}
	}
	whole, _, err := Parse(context.Background(), page, true)
	if err != nil {
		t.Fatal(err)
	}
	words, _, err := ParseWords(context.Background(), page)
	if err != nil {
		t.Fatal(err)
	}
	if want, got := bare(whole), bare(words); got != want {
		t.Fatalf("the tree of %q is\n%s\nwithout scripts\n%s", page, want, got)
	}
}

// bare writes a tree without the text of scripts and styles.
func bare(root *html.Node) string {
	var b strings.Builder
	for n := range root.Descendants() {
		if (n.DataAtom == atom.Script || n.DataAtom == atom.Style) && n.Namespace == "" {
			for n.FirstChild != nil {
				n.RemoveChild(n.FirstChild)
			}
		}
	}
	var write func(n *html.Node)
	write = func(n *html.Node) {
		b.WriteString("(" + n.Namespace + ":" + n.Data)
		for _, a := range n.Attr {
			b.WriteString(" " + a.Key + "=" + a.Val)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			write(c)
		}
		b.WriteString(")")
	}
	write(root)
	return b.String()
}

// Real pages are cut as a tokenizer cuts them, and their trees are the same.
func TestTagsOfRealPages(t *testing.T) {
	extracttest.Measured(t)
	files, err := filepath.Glob(filepath.Join(realpart.Data(t, "extraction-articles-dev"), "html", "*.gz"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		page, _, _ := charset.Decode(extracttest.Gunzip(t, file), "", true)
		checkTags(t, page)
	}
}
