package extract

import (
	"context"
	"strings"
	"testing"
)

// TestSiteParts holds what is taken for a part of the site around a page, by its element, its
// role and its names, and what is not.
func TestSiteParts(t *testing.T) {
	filler := "<p>" + sentences(12) + "</p>"
	words := "<p>These words are in question.</p>"
	in := func(element, around string) string {
		name, _, _ := strings.Cut(element, " ")
		return "<" + element + ">" + around + "</" + name + ">"
	}
	for _, test := range []struct {
		name, page string
		kept       bool
	}{
		{"nothing", in("div", words), true},
		{"nav", in("nav", words), false},
		{"footer", in("footer", words), false},
		{"footer of a quotation", in("blockquote", in("footer", words)), true},
		{"header", in("header", words), false},
		{"header of an article", in("article", in("header", words)+"<p>More.</p>"), true},
		{"header of main", in("main", in("header", words)+"<p>More.</p>"), true},
		{"aside", in("aside", words), false},
		{"aside in main", in("main", in("aside", words)+"<p>More.</p>"), true},
		{"aside in a main role", in("div role=main", in("aside", words)+"<p>More.</p>"), true},
		{"aside that is called a margin", in("main", in("aside class=related", words)+"<p>More.</p>"), false},
		{"aside as docutils has it", in("main", in("aside class=sidebar", words)+"<p>More.</p>"), true},
		{"aside of a note", in("aside class=note", words), true},
		{"role", in("div role=Navigation", words), false},
		{"role of a margin", in("div role=banner", words), false},
		{"role that is none", in("div role=group", words), true},
		{"name", in("div class=sidebar", words), false},
		{"name in an id", in("div id=sidebar", words), false},
		{"name among others", in("div class='col left-sidebar'", words), false},
		{"name in camel case", in("div class=siteNavBar", words), false},
		{"names run together", in("div class=sitenavbar", words), true},
		{"long name", in("div class=how-to-use-sidebar", words), true},
		{"name of three words", in("div class=to-use-sidebar", words), false},
		{"name in letters of others", in("div class='été-menu'", words), false},
		{"name of an address", in("section id=comments", words), true},
		{"name of a paragraph", in("p class=sidebar", "These words are in question."), true},
		{"paragraph that shares", in("p class=share", "These words are in question."), false},
		{"heading of that name", in("h2 class=related", "These words are in question.") + "<p>More.</p>", true},
		{"word of that name in a text", in("b class=menu", words), true},
		{"callout of that name", in("div class='admonition sidebar'", words), true},
		{"contents", in("div class=toc", words), false},
		{"contents of a table", in("div class=table-of-contents", words), false},
		{"contents as docutils has it", in("div class='contents topic'", words), false},
		{"contents alone", in("div class=contents", words), true},
		{"contents of something", in("div class=list-of-contents", words), true},
		{"name of most of the page", in("div class=sidebar", words+"<p>"+sentences(12)+"</p>"), true},
		{"name of the main heading", in("div class=menu", "<h1>Mill</h1>"+words), true},
		{"name around main", in("div class=menu", "<main>"+words+"</main>"), true},
		{"nav with the main heading", in("nav", "<h1>Mill</h1>"+words), false},
		{"comments", in("div class=comments", words), false},
		{"part of a part", in("div class=sidebar", in("div", words)), false},
	} {
		d, err := Extract(context.Background(), htmlPage("<!doctype html><body>"+filler+test.page))
		if kept := strings.Contains(d.Text, "These words are in question."); err != nil || kept != test.kept {
			t.Errorf("%s: kept %v, want %v, %v", test.name, kept, test.kept, err)
		}
	}
	// Of menus more is left out than of margins: what most of a page stands in may be a name by
	// chance.
	for _, test := range []struct {
		name, class string
		of          int // of some hundred parts of the text
		kept        bool
	}{
		{"a third in a margin", "sidebar", 33, false}, {"half in a margin", "sidebar", 50, true},
		{"half in a menu", "menu", 50, false}, {"three quarters in a menu", "menu", 75, false},
		{"nearly all in a menu", "menu", 85, true},
	} {
		page := "<p>" + strings.Repeat("x", 100*(100-test.of)) + "</p><div class=" + test.class + "><p>" +
			strings.Repeat("y", 100*test.of) + "</p></div>"
		d, err := Extract(context.Background(), htmlPage("<!doctype html><body>"+page))
		if kept := strings.Contains(d.Text, "y"); err != nil || kept != test.kept {
			t.Errorf("%s: kept %v, want %v, %v", test.name, kept, test.kept, err)
		}
	}
}

// TestVisibleRules holds which text is seen, beside what TestHiddenTextStaysOut has.
func TestVisibleRules(t *testing.T) {
	filler := "<p>" + sentences(3) + "</p>"
	for _, test := range []struct {
		page string
		seen bool
	}{
		{"<p hidden=until-found>XX", true}, {"<p aria-hidden=false>XX", true}, {"<p aria-hidden=' TRUE'>XX", false},
		{"<p style='display:block'>XX", true}, {"<p style='display:none'>XX", false},
		{"<p style='color:red;DISPLAY:none!important'>XX", false},
		{"<p style='visibility:collapse'>XX", false}, {"<p style='visibility:visible'>XX", true},
		{"<p style='opacity:0.0'>XX", false}, {"<p style='opacity:0%'>XX", false}, {"<p style='opacity:0.5'>XX", true},
		{"<p style='font-size:0'>XX", false}, {"<p style='font-size:0pt'>XX", false},
		{"<p style='font-size:0em'>XX", false}, {"<p style='font-size:0%'>XX", false},
		{"<p style='font-size:10px'>XX", true}, {"<p style='width:0'>XX", true},
		{"<p class='a SR-Only'>XX", false}, {"<p class='a visually-hidden'>XX", false}, {"<p class=hiddenish>XX", true},
		{"<p><del>XX</del>", false}, {"<p><s>XX</s>", false}, {"<p><strike>XX</strike>", false},
		{"<p><span style='text-decoration:line-through'>XX</span>", false}, {"<p><ins>XX</ins>", true},
		{"<p><span class=lineno>XX</span>", false}, {"<p><a class='x headerlink'>XX</a>", false},
		{"<p><a href='#x'>¶</a>", false}, {"<p><a href='#x'>↩</a>", false}, {"<p><a href='/x'>↑XX</a>", true},
		{"<p>Word<sup><a href='#n1'>[XX]</a></sup>", false}, {"<p>Word<sup><a href='/n1'>[XX]</a></sup>", true},
		{"<p>Word<a href='#n1'><sup>[XX]</sup></a>", false}, {"<p>Word<sup><b><a href='#n1'>[XX]</a></b></sup>", false},
		{"<p>Word<sup><a href='#n1'>XX</a></sup>", true},
		{"<p>Word<sup><a href='#n1'>[XX of a longer mark]</a></sup>", true}, {"<p>Word<sup>[XX]</sup>", true},
		{"<audio>XX</audio>", false}, {"<video>XX</video>", false}, {"<object>XX</object>", false},
		{"<canvas>XX</canvas>", false}, {"<datalist><option>XX</datalist>", false}, {"<progress>XX</progress>", false},
		{"<p><ruby>a<rp>XX</rp></ruby>", false},
	} {
		d, err := Extract(context.Background(), htmlPage("<!doctype html><body>"+filler+test.page))
		signs := strings.Contains(d.Text, "XX") || strings.ContainsAny(d.Text, "¶↩")
		if err != nil || signs != test.seen {
			t.Errorf("%s: seen %v, want %v, %v", test.page, signs, test.seen, err)
		}
	}
}

// TestFlatRules holds what is read of a page that is nested too deep for a tree.
func TestFlatRules(t *testing.T) {
	deep := strings.Repeat("<div>", 600)
	for _, test := range []struct{ name, page, want string }{
		{"headings", "<h1>One</h1><h3>Three</h3>Words", "One\n\nThree\n\nWords\n--\n# One\n\n### Three\n\nWords"},
		{"lists", "<ul><li>One<li>Two</ul>After<ol><li>Three</ol>", "- One\n- Two\n\nAfter\n\n- Three"},
		{"item of paragraphs", "<ul><li><p>One</p><p>Two</p></ul><p>After", "- One\n- Two\n\nAfter"},
		{"code", "<pre>a\n  b</pre>After", "a\n  b\n\nAfter\n--\n```\na\n  b\n```\n\nAfter"},
		{"terms", "<dl><dt>One<dd>Two</dl>", "One\n\nTwo"},
		{"breaks", "<p>One<br>two<br/>three<hr>four", "One\ntwo\nthree\n\nfour"},
		{"breaks before words", "<br><br>One", "One"},
		{"parts of the site", "<nav>Home <nav>more</nav> and on</nav><footer>Foot</footer><div " +
			"class=menu>Menu</div><p>One", "Foot\n\nOne"},
		{"hidden", "<p hidden>Unseen<b>this</b></p><p>Seen<script>x = '</p>'</script>", "Seen"},
		{"titles", "<title>Mill</title><p>One", "One"},
		{"blank texts", "<p> \n </p>One <b> </b> two", "One two"},
	} {
		page := htmlPage("<!doctype html><body>" + deep + test.page)
		d, err := Extract(context.Background(), page)
		got := d.Text
		if d.Markdown != got {
			got += "\n--\n" + d.Markdown
		}
		if want := test.want; err != nil || got != want && strings.ReplaceAll(got, "  \n", "\n") != want+"\n--\n"+
			want || !strings.Contains(d.Degraded, "nested deeper") {
			t.Errorf("%s: got %q, want %q, degraded %q, %v", test.name, got, want, d.Degraded, err)
		}
	}
}
