package extract

import (
	"context"
	"strings"
	"testing"

	"github.com/citewell/citewell"
)

// holdPages reads the body of each rule as a page that has nothing of a site around it, and
// holds its text, and its Markdown where that is another.
func holdPages(t *testing.T, rules []rule) {
	t.Helper()
	for _, r := range rules {
		d, err := Extract(context.Background(), citewell.Page{URL: "http://quern.example/a/b?c=d",
			ContentType: "text/html", Body: []byte("<!doctype html><body>" + r.page)})
		if err != nil {
			t.Errorf("%s: %v", r.name, err)
			continue
		}
		checkDocument(t, d)
		got := d.Text
		if d.Markdown != got {
			got += "\n--\n" + d.Markdown
		}
		if got != r.want {
			t.Errorf("%s: got %q, want %q", r.name, got, r.want)
		}
	}
}

func TestBlockRules(t *testing.T) {
	holdPages(t, []rule{
		{"paragraphs", "One<p>Two\n and \t three<div>Four<span style='display:block'>Five</span>Six</div><span " +
			"style='display:inline'>Se</span>ven", "One\n\nTwo and three\n\nFour\n\nFive\n\nSix\n\nSeven"},
		{"line breaks", "<p>One<br>two<br><br>three<br></p><h2>Head<br>line</h2><p><br>Four",
			"One\ntwo\nthree\n\nHead line\n\nFour\n--\nOne  \ntwo\n\nthree\n\n## Head line\n\nFour"},
		{"quoted words", "<p>He said <q>yes</q>, <ruby>石<rp>(</rp><rt>いし</rt><rp>)</rp></ruby> and un<wbr>broken",
			"He said “yes”, 石(いし) and unbroken"},
		{"lists", "<ul><li>One<ul><li>in it<ol " +
			"start=4><li>four<li>five</ol></ul><li>Two</ul><menu><li>Other</menu><dir><li>Last</dir>",
			"- One\n  - in it\n    4. four\n    5. five\n- Two\n\n- Other\n\n- Last"},
		{"items that say their number", "<ol><li>One<li value=4>Four<li>Five<li value=x>Six<li value=-1>Seven<li " +
			"value=1000001>Eight</ol><ul><li value=3>Bullet</ul>", "1. One\n4. Four\n5. Five\n6. Six\n7. Seven\n8. " +
			"Eight\n\n- Bullet"},
		{"lists that count", "<ol><li>One<li>Two<ol><li>in it<li>and next</ol><li>Three</ol><ol " +
			"start=0><li>Nought</ol><ol start=-3><li>Below</ol><ol start=1000001><li>Too far</ol><ol " +
			"start=1000000><li>Far</ol>", "1. One\n2. Two\n  1. in it\n  2. and next\n3. Three\n\n0. Nought\n\n1. " +
			"Below\n\n1. Too far\n\n1000000. Far\n--\n1. One\n2. Two\n   1. in it\n   2. and next\n3. Three\n\n0. " +
			"Nought\n\n1. Below\n\n1. Too far\n\n1000000. Far"},
		{"item of no list", "<p>One<li>Two<li>Three", "One\n\n- Two\n\n- Three\n--\nOne\n\nTwo\n\nThree"},
		{"item of paragraphs", "<ul><li><p>One<p>more of it<li><p>Two</ul>",
			"- One\n\nmore of it\n\n- Two\n--\n- One\n\n  more of it\n- Two"},
		{"list in an item's paragraph", "<ul><li>One<div><ul><li>in it</ul></div></ul>",
			"- One\n  - in it\n--\n- One\n\n  - in it"},
		{"deep list", strings.Repeat("<ul><li>", 10) + "Deep", "                - Deep\n--\n- - - - - - - - - - Deep"},
		{"terms", "<dl><dt>Quern<dd>A mill.<dt>Bill<dt>Pick<dd>A tool.<dl><dt>Mill bill<dd>Of steel.</dl></dl>",
			"Quern\nA mill.\n\nBill\nPick\nA tool.\n\nMill bill\nOf steel.\n--\n**Quern**\n\nA " +
				"mill.\n\n**Bill**\n\n**Pick**\n\nA tool.\n\n**Mill bill**\n\nOf steel."},
		{"code", "<pre>\n  one\n\n    two  " +
			"\n\n</pre><pre><div>a</div><div>b</div></pre><pre>a<br>b</pre><listing>c</listing><pre> </pre>",
			"  one\n\n    two\n\na\nb\n\na\nb\n\nc\n--\n```\n  one\n\n    " +
				"two\n```\n\n```\na\nb\n```\n\n```\na\nb\n```\n\n```\nc\n```"},
		{"code in rows", "<pre><table><tr><td>a</td></tr><tr><td>b</td></tr></table></pre>",
			"a\nb\n--\n```\na\nb\n```"},
		{"code in a list", "<ul><li>One<pre>code\nmore</pre>and on<li>Two</ul>",
			"- One\n\ncode\nmore\n\nand on\n\n- Two\n--\n- One\n\n  ```\n  code\n  more\n  ```\n\n  and on\n- Two"},
		{"headings", "<h1>One</h1><h4>Four</h4><h6>Six</h6><div class=note><h3>Note</h3><p>Words.</div><div " +
			"class=note><div><h3>Tip</h3></div></div><div class=notebook><h3>Books</h3></div><section " +
			"class=note><h3>Section</h3></section>",
			"One\n\nFour\n\nSix\n\nNote\n\nWords.\n\nTip\n\nBooks\n\nSection\n--\n# One\n\n#### Four\n\n###### " +
				"Six\n\n**Note**\n\nWords.\n\n**Tip**\n\n### Books\n\n### Section"},
		{"quotations", "<blockquote><p>One<blockquote>Two</blockquote></blockquote><p>Three",
			"One\n\nTwo\n\nThree\n--\n> One\n> \n> > Two\n\nThree"},
		{"quotations in each other", strings.Repeat("<blockquote>", 14) + "Deep",
			"Deep\n--\n> > > > > > > > > > > > Deep"},
		{"references in words", "<p>Write &amp;lt; or &amp;#60; or &amp;nothing",
			"Write &lt; or &#60; or &nothing\n--\nWrite &amp;lt; or &amp;#60; or &nothing"},
		{"marks in words", "<p>1. One<p># Two<p>* three * _four_ [five](six) `seven` ~~eight~~ a\\b",
			"1. One\n\n# Two\n\n* three * _four_ [five](six) `seven` ~~eight~~ a\\b\n--\n1\\. One\n\n\\# Two\n\n\\* " +
				"three * \\_four_ \\[five](six) \\`seven\\` \\~\\~eight\\~~ a\\\\b"},
		{"emphasis", "<p><b>One</b> <i>two</i> <code>three</code> <a href=/x><em>four</em></a> <u>five</u> " +
			"<mark>six</mark>", "One two three four five six\n--\n**One** *two* `three` " +
			"[*four*](http://quern.example/x) five six"},
		{"details", "<details><summary>One <b>two</b></summary>Three</details><center>Four</center>",
			"One two\n\nThree\n\nFour\n--\n**One two**\n\nThree\n\nFour"},
		{"deep box of a task", "<ul><li>" + strings.Repeat("<span>", 7) + "<input type=checkbox disabled>" +
			strings.Repeat("</span>", 7) + " One<li>" + strings.Repeat("<span>", 8) + "<input type=checkbox disabled>" +
			strings.Repeat("</span>", 8) + " Two</ul>", "- [ ] One\n- Two"},
		{"tasks", "<ul><li><input type=checkbox disabled> One<li><input type=CHECKBOX disabled checked> " +
			"Two<li><p><input type=checkbox disabled>Three<li>Four <input type=checkbox disabled><li><input " +
			"type=text " +
			"disabled> Five<li><input type=checkbox> Six<li class=task-list-item><input type=checkbox checked> " +
			"Seven</ul><p><input type=checkbox disabled> Eight", "- [ ] One\n- [x] Two\n- [ ] Three\n- Four\n- " +
			"Five\n- Six\n- [x] Seven\n\nEight"},
	})
}

func TestRaisedRules(t *testing.T) {
	up, down := func(s string) string { return "<sup>" + s + "</sup>" }, func(s string) string {
		return "<sub>" + s + "</sub>"
	}
	for _, test := range []struct{ page, want string }{
		{"10" + up("6"), "10^6"}, {"10" + up("-3") + " m", "10^-3 m"}, {"10" + up("6") + "m", "10^6 m"},
		{"10" + up("6") + "<b>m</b>", "10^6 m"}, {"<b>10" + up("6") + "</b>m", "10^6 m"},
		{"m" + up("2"), "m²"}, {"m" + up("3"), "m³"}, {"m" + up("4"), "m^4"}, {"5" + up("2"), "5^2"},
		{"(a+b)" + up("2"), "(a+b)^2"}, {"[a]" + up("n"), "[a]^n"},
		{"x" + up("n"), "x^n"}, {"x" + up("n+1"), "x^(n+1)"}, {"x" + up("½ a"), "x½ a"}, {"x" + up("ab c"), "xab c"},
		{"said." + up("3"), "said.[3]"}, {"said”" + up("12"), "said”[12]"}, {"said" + up("1,2"), "said[1,2]"},
		{"said" + up("1–3"), "said[1–3]"}, {"10" + up("1,2"), "10^(1,2)"},
		{"word" + up("a"), "word[a]"}, {"x" + up("a"), "x^a"}, {"1" + up("st"), "1st"}, {"M" + up("me"), "Mme"},
		{"2" + up("e"), "2e"}, {"n" + up("o"), "n^o"}, {"N" + up("o"), "No"}, {"N" + up("a"), "N^a"},
		{"5" + up("a"), "5a"},
		{"Mill" + up("TM"), "Mill™"}, {"Mill" + up("SM"), "Mill℠"}, {"20" + up("o") + "C", "20°C"},
		{"20" + up("o") + " C", "20o C"}, {"x" + up("o") + "C", "x^o C"},
		{up("3") + " He", "3 He"}, {"word " + up("3"), "word 3"},
		{"word" + up("a note of its own"), "worda note of its own"}, {"word" + up("123456789012"), "word^123456789012"},
		{"word" + up("1234567890123"), "word1234567890123"},
		{"word" + up("<b>3</b>"), "word³"}, {"x" + up("2"+down("i")), "x2_i"}, {"x" + up("<div>2</div>"), "x\n\n2"},
		{"x" + up(""), "x"}, {"x" + up("*"), "x*"}, {"x" + up("+"), "x+"}, {"%" + up("2"), "%2"},
		{"a!" + up("2"), "a![2]"}, {"12,5" + up("3"), "12,5^3"},
		{"H" + down("2") + "O", "H2O"}, {"x" + down("i"), "x_i"}, {"x" + down("i") + "y", "x_i y"},
		{"log" + down("2"), "log_2"}, {"10" + down("2"), "10_2"}, {"H" + down("2") + "5", "H_2 5"},
		{"(a)" + down("n"), "(a)_n"}, {"a " + down("n"), "a n"}, {"a" + down("n m"), "an m"},
		{"x" + down("max,i"), "x_(max,i)"}, {"%" + down("i"), "%i"}, {"H" + down("2") + up("+"), "H2+"},
		{"x" + down("1") + "<br>y", "x1\ny"},
	} {
		d, err := Extract(context.Background(), htmlPage("<!doctype html><p>"+test.page))
		if err != nil || d.Text != test.want {
			t.Errorf("%s: got %q, want %q, %v", test.page, d.Text, test.want, err)
		}
	}
}

func TestTableRules(t *testing.T) {
	table := func(rows ...string) string { return "<table><tr>" + strings.Join(rows, "<tr>") + "</table>" }
	words := func(n int) string { return strings.Repeat("word ", n) + "words" }
	holdPages(t, []rule{
		{"plain", table("<td>a<td>b", "<td>c<td>d"), "a | b\nc | d\n--\n| a | b |\n|---|---|\n| c | d |"},
		{"one column", table("<td>a", "<td>b"), "a\n\nb"},
		{"one row", table("<td>a<td>b"), "a | b\n--\n| a | b |\n|---|---|"},
		{"layout", "<table role=presentation><tr><td>a<td>b</table><table role=None><tr><td>c<td>d</table>",
			"a\n\nb\n\nc\n\nd"},
		{"table in a table", table("<td>a<td>" + table("<td>b<td>c")), "a\n\nb | c\n--\na\n\n| b | c |\n|---|---|"},
		{"heading in a table", table("<td><h3>a</h3><td>b"), "a\n\nb\n--\n### a\n\nb"},
		{"code in a table", table("<td>a<td><pre>1\n2\n3</pre>"), "a | 1, 2, 3\n--\n| a | `1 2 3` |\n|---|---|"},
		{"much code in a table", table("<td>a<td><pre>1\n2\n3\n4</pre>"),
			"a\n\n1\n2\n3\n4\n--\na\n\n```\n1\n2\n3\n4\n```"},
		{"long cell", table("<td>a<td>" + words(239)), "a | " + words(239) + "\n--\n| a | " + words(239) +
			" |\n|---|---|"},
		{"too long a cell", table("<td>a<td>" + words(240)), "a\n\n" + words(240)},
		{"caption", "<table><caption>Loads of <b>stones</b></caption><tr><td>a<td>b</table>",
			"Loads of stones\n\na | b\n--\nLoads of **stones**\n\n| a | b |\n|---|---|"},
		{"wide and tall", table("<th>a<th colspan=2>b", "<td rowspan=2>c<td>d<td>e", "<td>f<td>g",
			"<td>h<td rowspan=2 colspan=2>i", "<td>j"), "a | b\nc | d | e\nc | f | g\nh | i\nj | i\n--\n| a | b |  " +
			"|\n|---|---|---|\n| c | d | e |\n| c | f | g |\n| h | i |  |\n| j | i |  |"},
		{"tall over three rows", table("<td rowspan=3>a<td>b", "<td>c", "<td>d", "<td>e<td>f"),
			"a | b\na | c\na | d\ne | f\n--\n| a | b |\n|---|---|\n| a | c |\n| a | d |\n| e | f |"},
		{"wide in two places", table("<td colspan=3>a<td>b", "<td>c<td colspan=2>d<td>e",
			"<td rowspan=2>f<td>g<td rowspan=2>h<td>i", "<td>j<td>k"),
			"a |  |  | b\nc | d |  | e\nf | g | h | i\nf | j | h | k\n--\n| a |  |  | b " +
				"|\n|---|---|---|---|\n| c | d " +
				"|  | e |\n| f | g | h | i |\n| f | j | h | k |"},
		{"spans that are none", table("<td rowspan=0>a<td colspan=x>b", "<td>c<td>d"),
			"a | b\nc | d\n--\n| a | b |\n|---|---|\n| c | d |"},
		{"empty rows and cells", table("<td>a<td><td>b", "<td><td><td>", "<td><td>c<td>"),
			"a |  | b\n | c\n--\n| a |  | b |\n|---|---|---|\n|  | c |  |"},
		{"lines in a cell", table("<td>one<br>two<td>One.<br>Two<br><br>three", "<td><p>a<p>b<td><ul><li>c<li>d</ul>",
			"<td>"+strings.Repeat("long ", 10)+"<br>line<td>x"), "one, two | One. Two, three\na, b | c, d\nlong long " +
			"long long long long long long long long line | x\n--\n| one, two | One. Two, three " +
			"|\n|---|---|\n| a b | " +
			"c d |\n| long long long long long long long long long long , line | x |"},
		{"spans shown as blocks in a cell", table("<td><span style='display:block'>1</span><span style='display: "+
			"block'>2</span><td>3", "<td>4<div>5</div>6<td><span>7</span><span>8</span>"),
			"1, 2 | 3\n4, 5, 6 | 78\n--\n| 1 2 | 3 |\n|---|---|\n| 4 5 6 | 78 |"},
		{"links in a cell", table("<td><a href=/x>a</a><td><a href='#y'>b</a>", "<td><img src=/p.png alt=stone>c<td>d"),
			"a | b\nc | d\n--\n| [a](http://quern.example/x) | b |\n|---|---|\n| " +
				"![stone](http://quern.example/p.png)c | d |"},
		{"code in a cell", table("<td><code>a|b</code><td>c|d", "<td><pre>e|f</pre><td><kbd>g|h</kbd>"),
			"a|b | c|d\ne|f | g|h\n--\n| `a\\|b` | c\\|d |\n|---|---|\n| `e\\|f` | `g\\|h` |"},
		{"sides", table("<th align=LEFT>a<th style='color:red; Text-Align: right'>b<th align=center>c<th "+
			"style='text-align:end'>d<th align=justify>e", "<td>1<td>2<td>3<td>4<td>5"),
			"a | b | c | d | e\n1 | 2 | 3 | 4 | 5\n--\n| a | b | c | d | e |\n|---|--:|:-:|--:|---|\n| 1 | 2 | 3 " +
				"| 4 | 5 |"},
		{"table in a list", "<ul><li>One" + table("<td>a<td>b", "<td>c<td>d") + "<li>Two</ul>",
			"- One\n\na | b\nc | d\n\n- Two\n--\n- One\n\n  | a | b |\n  |---|---|\n  | c | d |\n- Two"},
		{"table of terms", "<dl><dt>One<dd>" + table("<td>a<td>b", "<td>c<td>d") + "</dl>",
			"One\n\na | b\nc | d\n--\n**One**\n\n| a | b |\n|---|---|\n| c | d |"},
		{"formula in a cell", table("<td>a<td><math><mi>x</mi><mo>|</mo><annotation encoding='application/x-tex'>x | " +
			"y \\| z</annotation></math>"), "a | x | y \\| z\n--\n| a | $x \\vert  y \\Vert  z$ |\n|---|---|"},
	})
	for _, test := range []struct{ name, rows, columns string }{
		{"marked", table("<th>Stone<th>Hours", "<td>basalt<td>120"), "Stone | Hours"},
		{"marked twice", table("<th>Loads", "<th>Stone<th>Hours", "<td>basalt<td>120"), "Stone | Hours"},
		{"marked in part", table("<th>Stone<td>Hours", "<td>basalt<td>soft", "<td>granite<td>hard"), ""},
		{"empty corner", table("<td><th>Hours<th>Days", "<th>basalt<td>120<td>5"), " | Hours | Days"},
		{"figures below", table("<td>Stone<td>Hours", "<td>basalt<td>120"), "Stone | Hours"},
		{"words below", table("<td>Stone<td>Maker", "<td>basalt<td>Ada"), ""},
		{"years", table("<td>Stone<td>2024", "<td>basalt<td>120"), "Stone | 2024"},
		{"figures above", table("<td>Stone<td>12 h", "<td>basalt<td>120"), ""},
		{"twice the same", table("<td>Hours<td>Hours", "<td>120<td>120"), ""},
		{"title above", table("<td>Loads of stones", "<td>Stone<td>Hours", "<td>basalt<td>120"), "Stone | Hours"},
		{"three titles above", table("<td>1", "<td>2", "<td>3", "<td>Stone<td>Hours", "<td>basalt<td>120"),
			"Stone | Hours"},
		{"four titles above", table("<td>1", "<td>2", "<td>3", "<td>4", "<td>Stone<td>Hours", "<td>basalt<td>120"), ""},
		{"long names", table("<td>Stone<td>"+strings.Repeat("h", 60), "<td>basalt<td>120"),
			"Stone | " + strings.Repeat("h", 60)},
		{"too long names", table("<td>Stone<td>"+strings.Repeat("h", 61), "<td>basalt<td>120"), ""},
		{"no name", table("<td>Stone<td><td>Hours", "<td>basalt<td>a<td>120"), ""},
		{"last row", table("<th>Stone<th>Hours"), ""},
		{"mixed column", table("<td>Stone<td>Hours", "<td>basalt<td>120", "<td>granite<td>many"), ""},
		{"years below", table("<td>Stone<td>Year", "<td>basalt<td>2024", "<td>granite<td>1999"), ""},
		{"years of other times", table("<td>Stone<td>Year", "<td>basalt<td>1824", "<td>granite<td>2199"),
			"Stone | Year"},
		{"years and figures", table("<td>Stone<td>Hours", "<td>basalt<td>2024", "<td>granite<td>12"), "Stone | Hours"},
		{"gap in a column", table("<td>Stone<td>Hours", "<td>basalt<td>12", "<td>granite<td>", "<td>flint<td>9"),
			"Stone | Hours"},
	} {
		d, err := Extract(context.Background(), htmlPage("<!doctype html><p>Words."+test.rows))
		if err != nil || len(d.Passages) == 0 || d.Passages[len(d.Passages)-1].Columns != test.columns {
			t.Errorf("%s: the columns are %q, want %q, %v", test.name, d.Passages[len(d.Passages)-1].Columns,
				test.columns, err)
		}
	}
}

func TestLinkAndPictureRules(t *testing.T) {
	holdPages(t, []rule{
		{"links", "<p><a href=x>one</a> <a href='/y?z#f'>two</a> <a href='#f'>three</a> <a href='?c=d#g'>four</a> <a " +
			"href='?c=e'>five</a> <a>six</a> <a href='mailto:a@b.example'>seven</a> <a " +
			"href='ftp://b.example/'>eight</a> <a href='http:///x'>nine</a> <a href='http://u@b.example/'>ten</a> <a " +
			"href=' //b.example/ '>eleven</a> <a href='http://[b'>twelve</a>",
			"one two three four five six seven eight nine ten eleven twelve\n--\n[one](http://quern.example/a/x) " +
				"[two](http://quern.example/y?z#f) three four [five](http://quern.example/a/b?c=e) six seven eight " +
				"nine ten [eleven](http://b.example/) twelve"},
		{"links around blocks", "<a href=/a><h3>Title</h3><p>Words <b>of</b> it.</p></a><p>Read <a href=/b><img " +
			"src=/p.png alt=p> <span><span style='display:block'>one</span></span><span " +
			"style='display:block'>two</span></a> on.</p><ul><li><a href=/c>a <i>b</i><div>c</div></a></ul><a " +
			"href=/d><ul><li>e<li>f</ul></a><h2><a href=/e><span style='display:block'>g</span> <span " +
			"style='display:block'>h</span></a></h2><a href='#f'><div>i</div><div>j</div></a><p>k</p>",
			"Title\n\nWords of it.\n\nRead\n\none\n\ntwo\n\non.\n\n- a b\n\nc\n\n- e\n- " +
				"f\n\ng\n\nh\n\ni\n\nj\n\nk\n--\n### [Title](http://quern.example/a)\n\nWords **of** " +
				"it.\n\nRead\n\n![p](http://quern.example/p.png)\n\n[one](http://quern.example/b)\n\ntwo\n\non.\n\n- " +
				"[a *b*](http://quern.example/c)\n\n  c\n\n- [e](http://quern.example/d)\n- f\n\n## [**g** " +
				"**h**](http://quern.example/e)\n\ni\n\nj\n\nk"},
		{"links around a picture's block", "<p>One</p><figure><a href=/big><figure><img " +
			"src=/b.png></figure></a><figcaption>Mill</figcaption></figure>",
			"One\n\nMill\n--\nOne\n\n[![](http://quern.example/b.png)](http://quern.example/big)\n\nMill"},
		{"pictures", "<p>One <img src=/a.png alt=Stone> two <img src=/b.png> three",
			"One two three\n--\nOne ![Stone](http://quern.example/a.png) two three"},
		{"small pictures", "<p>One <img src=/a.png alt=a width=31> <img src=/b.png alt=b height=31px> <img " +
			"src=/c.png " +
			"alt=c width=32 height=32> <img src=/d.png alt=d width=100%>",
			"One\n--\nOne ![c](http://quern.example/c.png) ![d](http://quern.example/d.png)"},
		{"pictures that are none", "<p>One <img src=/a.png alt=a hidden> <img src=/b.png alt=b role=presentation> " +
			"<img src=/c.png alt=c role=none> <img src='data:image/png,x' alt=d> <img alt=e> <img " +
			"src='javascript:x' alt=f>", "One"},
		{"pictures that come late", "<p>One <img src='data:image/gif,x' data-src=/a.png alt=a> <img " +
			"data-original=/b.png alt=b> <img data-lazy-src=/c.png alt=c> <img srcset='/d.png 1x, /e.png 2x' alt=d> " +
			"<img data-srcset='/f.png, /g.png 2x' alt=f>", "One\n--\nOne ![a](http://quern.example/a.png) " +
			"![b](http://quern.example/b.png) ![c](http://quern.example/c.png) ![d](http://quern.example/d.png) " +
			"![f](http://quern.example/f.png)"},
		{"pictures of figures", "<figure><img src=/a.png><figcaption>Stone</figcaption></figure><div><figure><a " +
			"href=/big><img src=/b.png></a><figcaption>Mill</figcaption></figure></div>",
			"Stone\n\nMill\n--\n![](http://quern.example/a.png)\n\nStone\n\n[![](http://quern.example/b.png)](http://" +
				"quern.example/big)\n\nMill"},
		{"words of pictures", "<p>One <img src='/a (1).png' alt='a [b] *c* _d_ `e` | &lt;f> &amp;g \\h'>",
			"One\n--\nOne ![a \\[b\\] \\*c\\* \\_d\\_ \\`e\\` \\| &lt;f> &amp;g " +
				"\\\\h](http://quern.example/a%20%281%29.png)"},
		{"pictures between", "<div><img src=/a.png alt=a><p>One</p><img src=/b.png alt=b><p>Two</p><img src=/c.png " +
			"alt=c></div>", "One\n\nTwo\n--\nOne\n\n![b](http://quern.example/b.png)\n\nTwo"},
		{"pictures in lists and cells", "<ul><li><img src=/a.png alt=a> One</ul><blockquote><img src=/b.png " +
			"alt=b>Two</blockquote><h2><img src=/c.png alt=c>Three</h2><a href=/x><img src=/d.png alt=d>Four</a>",
			"- One\n\nTwo\n\nThree\n\nFour\n--\n- ![a](http://quern.example/a.png) One\n\n> " +
				"![b](http://quern.example/b.png)Two\n\n## " +
				"Three\n\n[![d](http://quern.example/d.png)Four](http://quern.example/x)"},
		{"pictures of another part", "<nav><img src=/a.png alt=a>Menu</nav><p>One <span><img src=/b.png " +
			"alt=b></span></p>", "One\n--\nOne ![b](http://quern.example/b.png)"},
	})
	d, err := Extract(context.Background(), htmlPage("<!doctype html><head><base href='http://other.example/z/'><base "+
		"href='http://none.example/'></head><p><a href=x>One\n<b>two</b></a> <a href='x#f'>again</a> <a "+
		"href='mailto:x'>no</a> <a href='http://page.example/'>page</a>"))
	if got := d.Links; err != nil || len(got) != 2 || got[0] != (citewell.Link{
		Text: "One two", URL: "http://other.example/z/x"}) || got[1].URL != "http://page.example/" {
		t.Errorf("got %v, %v", got, err)
	}
	d, err = Extract(context.Background(), htmlPage("<!doctype html><head><base href='mailto:x'></head><p>Words <a "+
		"href=x>one</a>"))
	if err != nil || len(d.Links) != 1 || d.Links[0].URL != "http://page.example/x" {
		t.Errorf("a base that is no address: %v, %v", d.Links, err)
	}
}

func TestCodeLanguageRules(t *testing.T) {
	pre := "<pre>x = 1</pre>"
	for _, test := range []struct{ page, want string }{
		{"<pre class=language-go>x = 1</pre>", "go"}, {"<pre><code class='hljs language-Rust'>x = 1</code></pre>",
			"rust"}, {"<pre class='lang-c++'>x = 1</pre>", "c++"},
		{"<div class=highlight-python3>" + pre + "</div>", "python3"},
		{"<div class='highlight highlight-source-js'>" + pre + "</div>", "js"},
		{"<div class=mw-highlight-lang-lua>" + pre + "</div>", "lua"},
		{"<pre data-lang=go>x = 1</pre>", "go"}, {"<pre data-language=TOML>x = 1</pre>", "toml"},
		{"<pre class='brush: java; toolbar: false'>x = 1</pre>", "java"},
		{"<pre class='sourceCode haskell'>x = 1</pre>", "haskell"},
		{"<pre><code class='hljs bash'>x = 1</code></pre>", "bash"},
		{"<figure class='highlight ruby'>" + pre + "</figure>", "ruby"},
		{"<div class='highlight ruby'>" + pre + "</div>", ""},
		{"<pre class=language-none>x = 1</pre>", ""}, {"<pre class=language-text>x = 1</pre>", ""},
		{"<pre class='language-9x'>x = 1</pre>", ""}, {"<pre class='hljs copyable'>x = 1</pre>", ""}, {pre, ""},
		{"<div class=lang-de><div><div>" + pre + "</div></div></div>", "de"},
		{"<div class=lang-de><div><div><div>" + pre + "</div></div></div></div>", ""},
		{"<div class=highlight-go>" + strings.Repeat("<div>", 6) + pre + strings.Repeat("</div>", 6) + "</div>", "go"},
		{"<div class=highlight-go>" + strings.Repeat("<div>", 7) + pre + strings.Repeat("</div>", 7) + "</div>", ""},
		{"<pre class=language-go><code class=language-c>x = 1</code></pre>", "c"},
		{"<pre class=language-go><code>x</code><code class=language-c> = 1</code></pre>", "go"},
	} {
		d, err := Extract(context.Background(), htmlPage("<!doctype html><p>Words.</p>"+test.page))
		if want := "Words.\n\n```" + test.want + "\nx = 1\n```"; err != nil || d.Markdown != want {
			t.Errorf("%s: got %q, want %q, %v", test.page, d.Markdown, want, err)
		}
	}
}
