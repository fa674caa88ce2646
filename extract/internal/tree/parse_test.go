package tree

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/citewell/citewell/extract/internal/deadline"
	"github.com/citewell/citewell/internal/testing/extracttest"
)

// leftOpen makes n elements of different formatting and leaves them open.
func leftOpen(n int, attributes string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<b id=%d%s>", i, attributes)
	}
	return b.String()
}

// unfoldingPages grow in a parser to many times their own parts.
var unfoldingPages = map[string]string{
	"paragraphs": "<p>" + leftOpen(400, "") + strings.Repeat("<p>x", 100_000),
	"blocks":     "<div>" + leftOpen(400, "") + "</div>" + strings.Repeat("<div>x</div>", 100_000),
	"in a cell":  "<table><tr><td><p>" + leftOpen(400, "") + strings.Repeat("<p>x", 100_000),
	"attributes": "<p>" + leftOpen(20, extracttest.Attributes(500)) + strings.Repeat("<p>x", 5_000),
	"inline":     "<span>" + leftOpen(400, "") + "</span>" + strings.Repeat("<span>x</span>", 100_000),
	"after words": strings.Repeat("<p>Words.</p>", 10_000) + "<p>" + leftOpen(400, "") +
		strings.Repeat("<p>x", 100_000), "list": "<ul><li>" + leftOpen(400, "") + strings.Repeat("<li>x", 100_000),
}

// The words of a page that would unfold are read; its tree is not made.
func TestUnfoldingPagesAreReadFlat(t *testing.T) {
	for name, page := range unfoldingPages {
		t.Run(name, func(t *testing.T) {
			if !weigh(context.Background(), page).tangled {
				t.Fatal("it is not found out")
			}
			root, degraded, err := Parse(context.Background(), page, true)
			if err != nil || degraded != NestedTooDeep {
				t.Fatalf("%q %v", degraded, err)
			}
			nodes := 0
			for range root.Descendants() {
				nodes++
			}
			if tags := strings.Count(page, "<"); nodes > 3*tags {
				t.Errorf("%d nodes of %d tags", nodes, tags)
			}
		})
	}
}

// What is untidy without harm stays a tree.
func TestUntidyPagesStayTrees(t *testing.T) {
	for name, page := range map[string]string{
		"cards": strings.Repeat(
			`<a href="/x" class="card card-large"><div><h3>Name</h3><p>Words</p><p>More</p></div></a>`, 20_000),
		"fonts":          strings.Repeat(`<p><font face="Arial" size="2">Words that go on`, 20_000),
		"bold to no end": strings.Repeat(`<b>Words<p>`, 20_000),
		"links":          strings.Repeat(`<li><a href="/here">Words`, 20_000),
		"cells": "<table>" + strings.Repeat(`<tr><td><font color="red"><b>Words<td><i>More`,
			20_000) + "</table>",
		"open cells": strings.Repeat("<table><tr><td><b><i><u>x</table>", 20_000),
		"a wrapper": "<b><i><font color=red>" + strings.Repeat("<div><p>Words</p></div>", 20_000) +
			"</font></i></b>",
		"icons": strings.Repeat(`<p><svg><g><path d="M0"/></g></svg><b>Words</b></p>`, 20_000),
	} {
		if w := weigh(context.Background(), page); w.tangled || w.upTo != len(page) {
			t.Errorf("%s: read to %d of %d, tangled %v", name, w.upTo, len(page), w.tangled)
		}
	}
}

func TestManyPartsAreCut(t *testing.T) {
	page := strings.Repeat("<br>", maxParts+1)
	if upTo := weigh(context.Background(), page).upTo; upTo != 4*maxParts {
		t.Errorf("read to %d, want %d", upTo, 4*maxParts)
	}
	_, degraded, err := Parse(context.Background(), page, true)
	if err != nil || degraded != ManyParts {
		t.Errorf("%q %v", degraded, err)
	}
}

// A parser gets little at a time even after a tag that was long, so that it sees its
// deadline soon.
func TestParsersAskOften(t *testing.T) {
	page := "<!--" + strings.Repeat("x", 1<<20) + "-->" + strings.Repeat("<p>x", 1<<18)
	reads := &counted{Context: context.Background()}
	if _, _, err := Parse(reads, page, true); err != nil {
		t.Fatal(err)
	}
	if least := len(page) / deadline.Step; reads.asked < least {
		t.Errorf("ctx was asked %d times, want %d", reads.asked, least)
	}
}

// A counted context counts how often it is asked whether it is over.
type counted struct {
	context.Context
	asked int
}

func (c *counted) Err() error { c.asked++; return nil }

// FuzzOpenings holds that the count of what is open follows any page.
func FuzzOpenings(f *testing.F) {
	for _, page := range extracttest.HostilePages() {
		f.Add(page[:min(len(page), 2000)])
	}
	f.Add("<table><td><b><table><td><i></table></td></td></table></b>x")
	f.Add("<p><b id=1><svg><p/></svg><caption><th></p></table>")
	f.Fuzz(func(t *testing.T, page string) {
		if len(page) > 1<<16 {
			return
		}
		if upTo := weigh(context.Background(), page).upTo; upTo > len(page) {
			t.Errorf("read to %d of %d", upTo, len(page))
		}
		var o openings
		all := tags{page: page}
		for p := all.next(); p.kind != html.ErrorToken; p = all.next() {
			o.part(page, p)
			if o.floor > len(o.formats) || o.floor < 0 || o.foreign < 0 || o.unfolded < 0 {
				t.Fatalf("floor %d of %d, foreign %d, unfolded %d", o.floor, len(o.formats), o.foreign, o.unfolded)
			}
		}
	})
}

// What is counted as repeated is what a parser repeats: the elements of its tree that no tag
// of the page opens.
func TestOpeningsAreWhatAParserRepeats(t *testing.T) {
	for name, page := range map[string]string{
		"nothing":             "<p><b>x</b><p>y",
		"one":                 "<p><b>x<p>y",
		"again and again":     "<p><b>x<p>y<p>z",
		"several":             "<p><b><i><u>x<p>y",
		"in the next inline":  "<p><b>x<p><i>y",
		"ended":               "<p><b>x<p>y</b><p>z",
		"three alike":         "<p><b><b><b><b><b>x<p>y",
		"alike but for names": "<p><b id=1><b id=2><b id=3><b id=4>x<p>y",
		"links":               "<p><a href=1>x<a href=2>y<p>z",
		"around blocks":       "<b><div>x</div><div>y</div></b>",
		"block that ends":     "<div><b>x</div>y",
		"list":                "<ul><li><b>x<li>y</ul>",
		"cell":                "<table><tr><td><b>x<td>y<tr><td>z</table>w",
		"before a cell":       "<p><b>x<table><tr><td>y</table>",
		"cell in a cell":      "<table><tr><td><b>x<table><tr><td><i>y</table><p>z</table>",
		"caption":             "<table><caption><b>x</caption><tr><td>y</table>",
		"heads":               "<table><tr><th><b>x<th>y<td>z</table>",
		"drawing":             "<p><svg><g/><path/></svg><b>x<p>y",
		"other elements":      "<div><span><b>x</span></div>y",
		"heading":             "<p><b>x<h2>y</h2>z",
		"option":              "<select><option>x<option>y</select><p><b>x<p>y",
	} {
		root, err := html.Parse(strings.NewReader(page))
		if err != nil {
			t.Fatal(err)
		}
		elements, opened := map[string]int{}, map[string]int{}
		for n := range root.Descendants() {
			if n.Type == html.ElementNode && goesOn[n.DataAtom] {
				elements[n.Data]++
			}
		}
		var o openings
		all := tags{page: page}
		for p := all.next(); p.kind != html.ErrorToken; p = all.next() {
			if p.kind == html.StartTagToken && goesOn[p.tag] {
				opened[p.tag.String()]++
			}
			o.part(page, p)
		}
		repeated := 0
		for tag, n := range elements {
			repeated += n - opened[tag]
		}
		if o.unfolded != repeated {
			t.Errorf("%s: counted %d, a parser repeats %d", name, o.unfolded, repeated)
		}
	}
}
