package extract

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
)

func TestFeedRules(t *testing.T) {
	rss := func(items string) []byte {
		return []byte(`<rss version="2.0"><channel><title>News</title>` + items + `</channel></rss>`)
	}
	item := func(parts string) string { return "<item>" + parts + "</item>" }
	holdRules(t, "application/xml", rss, []rule{
		{"description", `<description>Of &lt;b&gt;mills&lt;/b&gt;.</description><subtitle>More.</subtitle>` +
			item("<title>One</title>"), "# News\n\nMore.\n\nOf mills.\n\n## One"},
		{"no title", item("<description>Words.</description>"), "# News\n\n## Untitled\n\nWords."},
		{"who and when", item("<title>One</title><pubDate>Mon, 3 Mar 2025 08:30:00 "+
			"+0100</pubDate><creator>Ada</creator><author>Bo</author>") +
			item("<title>Two</title><author>Bo</author>") +
			item("<title>Three</title><author><name>Cy</name><email>c@quern.example</email></author>"),
			"# News\n\n## One\n\n2025-03-03, Ada\n\n## Two\n\nBo\n\n## Three\n\nCy"},
		{"days", item("<title>One</title><pubDate>soon</pubDate><updated>2025-03-04T05:06:07Z</updated>") +
			item("<title>Two</title><date>2025-03-05</date>") + item(
			"<title>Three</title><published>2025-03-06</published><updated>2025-03-07</updated>"),
			"# News\n\n## One\n\n2025-03-04\n\n## Two\n\n2025-03-05\n\n## Three\n\n2025-03-06"},
		{"longest form", item("<title>One</title><description>Short.</description><encoded>Long.</encoded>") +
			item("<title>Two</title><summary>Summary.</summary><description>Description.</description>") +
			item("<title>Three</title><summary>Summary.</summary><content>Content.</content>"),
			"# News\n\n## One\n\nLong.\n\n## Two\n\nDescription.\n\n## Three\n\nContent."},
		{"pictures", item(
			`<title>One</title><media:content xmlns:media="http://search.yahoo.com/mrss/">A picture.</media:content><description>Words.</description>`), "# News\n\n## One\n\nWords."},
		{"xhtml", item(
			`<title>One</title><content type="xhtml"><div>With <b>weight</b> and <a href="https://quern.example/">a link</a>.</div></content>`) + item(`<title>Two</title><content type="html">With &lt;b&gt;weight&lt;/b&gt;.</content>`), "# News\n\n## One\n\nWith **weight** and [a link](https://quern.example/).\n\n## Two\n\nWith **weight**."},
		{"links", item(`<title>One</title><link>https://quern.example/1</link>`) +
			item(`<title>Two</title><link href="https://quern.example/self" rel="self"/><link href="https://quern.example/2" rel="alternate"/>`) + item(`<title>Three</title><link href="https://quern.example/3"/>`) +
			item(`<title>Four</title><link> </link><guid>https://quern.example/4</guid>`) +
			item(`<title>Five</title><guid isPermaLink="false">https://quern.example/5</guid>`) +
			item(`<title>Six</title><guid>6</guid>`) +
			item(`<title>Seven</title><other>https://quern.example/7</other>`),
			"# News\n\n## One\n\n[https://quern.example/1](https://quern.example/1)\n\n## " +
				"Two\n\n[https://quern.example/2](https://quern.example/2)\n\n## " +
				"Three\n\n[https://quern.example/3](https://quern.example/3)\n\n## " +
				"Four\n\n[https://quern.example/4](https://quern.example/4)\n\n## Five\n\n## Six\n\n## Seven"},
	})
	holdAbout(t, "", rss, []rule{
		{"rss", "<language>de-AT</language><pubDate>Mon, 3 Mar 2025 08:30:00 " +
			"+0100</pubDate><lastBuildDate>Tue, 4 Mar " +
			"2025 08:30:00 +0100</lastBuildDate>" + item("<title>One</title>"), "News||2025-03-03|de|feed"},
		{"built alone", "<lastBuildDate>Tue, 4 Mar 2025 08:30:00 +0100</lastBuildDate>" + item("<title>One</title>"),
			"News||2025-03-04||feed"},
	})
	holdAbout(t, "", asWritten, []rule{
		{"atom", `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" xml:lang="fr"><title>Nouvelles</title><updated>2025-03-04T05:06:07Z</updated><entry><title>Un</title></entry></feed>`, "Nouvelles||2025-03-04|fr|feed"},
	})
	const words = "<title>T</title><item><title>One</title></item>"
	for _, test := range []struct{ name, declared, body, want string }{
		{"rss", "text/xml", "<rss><channel>" + words + "</channel></rss>", "application/rss+xml"},
		{"with attributes", "", "<rss\nversion='2.0'><channel>" + words + "</channel></rss>", "application/rss+xml"},
		{"signed", "text/xml", "\ufeff <?xml version='1.0'?>\n<!-- a > b --><!DOCTYPE rss [<!ENTITY a " +
			"'b>'>]>\n<rss><channel>" + words + "</channel></rss>", "application/rss+xml"},
		{"type of its own", "text/xml", "<!DOCTYPE rss PUBLIC '-//N//N' 'http://n.example/rss.dtd'><rss><channel>" +
			words + "</channel></rss>", "application/rss+xml"},
		{"rdf", "application/rdf+xml",
			`<rdf:RDF xmlns="http://purl.org/rss/1.0/"><channel><title>T</title></channel><item><title>One</title></item></rdf:RDF>`, "application/rss+xml"},
		{"other rdf", "application/rdf+xml",
			`<rdf:RDF xmlns="http://other.example/"><channel><title>T</title></channel><item><title>One</title></item></rdf:RDF>`, "application/rdf+xml"},
		{"other feed", "text/xml", "<feed><title>T</title><entry><title>One</title></entry></feed>", "text/xml"},
		{"comment without its end", "text/xml", "<!-- <rss><channel>" + words + "</channel></rss>", ""},
		{"name that goes on", "text/xml", "<rssfeed><channel>" + words + "</channel></rssfeed>", "text/xml"},
		{"declared as the other", "application/atom+xml", "<rss><channel>" + words + "</channel></rss>",
			"application/atom+xml"},
	} {
		document, err := readDocument("http://quern.example/", test.declared, []byte(test.body))
		if (err != nil) != (test.want == "") || document.MediaType != test.want {
			t.Errorf("%s: read as %q, %v; want %q", test.name, document.MediaType, err, test.want)
		}
	}
}

func TestXMLRules(t *testing.T) {
	holdRules(t, "application/xml", asWritten, []rule{
		{"records", "<all><one><name>Quern</name><load>8</load></one><one><name>Runner</name><load></load></one><one>" +
			"<a>1</a><b>2</b><c><d>3</d></c></one></all>", "name: Quern  \nload: 8\n\nRunner\n\n1\n\n2\n\n3"},
		{"long values", "<all><one><name>Quern</name><words>" + strings.Repeat("w", 201) +
			"</words></one><one><name>Runner</name><words>" + strings.Repeat("w", 200) + "</words></one></all>",
			"Quern\n\n" + strings.Repeat("w", 201) + "\n\nname: Runner  \nwords: " + strings.Repeat("w", 200)},
		{"paragraphs", "<all><sec><p>One.</p><p>Two.</p></sec><sec><para>Three.</para><note>Four.</note></sec></all>",
			"One.\n\nTwo.\n\nThree.\n\nFour."},
		{"headings", "<all><title>One</title><chapter><Heading>Two</Heading><p>Words.</p><part><headline>Three</" +
			"headline><p>More.</p></part></chapter><title>" + strings.Repeat("Long ", 61) + "</title><p>End.</p></all>",
			"## One\n\n### Two\n\nWords.\n\n#### Three\n\nMore.\n\n" + strings.TrimSpace(strings.Repeat("Long ", 61)) +
				"\n\nEnd."},
		{"deep headings", strings.Repeat("<part>", 8) + "<head>Deep</head><p>Words.</p><p>More.</p>" +
			strings.Repeat("</part>", 8), "###### Deep\n\nWords.\n\nMore."},
		{"prose", "<all><sec>Most of it is its <b>own</b>.</sec><sec>Less: <b>more than half of it is not its " +
			"own</b></sec></all>", "Most of it is its own.\n\nLess:\n\nmore than half of it is not its own"},
		{"too deep", strings.Repeat("<a>", 40) + "<p>One.</p><p>Two.</p>" + strings.Repeat("</a>", 40), "One.\n\nTwo."},
		{"no text", "<all><a/><b c='d'/></all>", "```\n<all><a/><b c='d'/></all>\n```"},
	})
	document, err := New(Options{MaxText: 300}).Extract(t.Context(),
		page("application/xml", []byte("<all>"+strings.Repeat("<p>"+strings.Repeat("word ", 20)+"</p>", 10)+"</all>")))
	if n := strings.Count(document.Markdown, "word"); err != nil || n < 60 || n > 80 {
		t.Errorf("%d words of Markdown, %v", n, err)
	}
	for declared, want := range map[string]string{"text/xml": "text/xml", "application/tei+xml": "application/tei+xml",
		"": "application/xml"} {
		if document, err := readDocument("http://quern.example/", declared,
			[]byte("<?xml version='1.0'?><all><p>One.</p><p>Two.</p></all>")); err != nil ||
			document.MediaType != want || document.Text != "One.\n\nTwo." {
			t.Errorf("%q: read as %q, %q, %v", declared, document.MediaType, document.Text, err)
		}
	}
}

func TestPaperRules(t *testing.T) {
	paper := func(parts string) []byte {
		meta, body, _ := strings.Cut(parts, "|")
		return []byte(
			`<?xml version="1.0"?><article xml:lang="en"><front><article-meta><title-group><article-title>Stones</article-title></title-group>` + meta + "</article-meta></front>" + body + "</article>")
	}
	body := func(s string) string { return "|<body>" + s + "</body>" }
	holdRules(t, "application/xml", paper, []rule{
		{"abstracts", "<abstract><p>One.</p></abstract><abstract abstract-type='summary'><title>In " +
			"short</title><p>Two.</p></abstract><abstract " +
			"abstract-type='graphical'><p>Three.</p></abstract><abstract " +
			"abstract-type='toc'><p>Four.</p></abstract>|<body> </body>",
			"# Stones\n\n## Abstract\n\nOne.\n\n## In short\n\nTwo."},
		{"sections", body("<sec><label>1.</label><title>First</title><p>One.</p><sec><title>In " +
			"it</title><p>Two.</p></sec></sec><boxed-text><title>Box</title><p>Three.</p></boxed-text><sec><p>No " +
			"heading.</p></sec>"), "# Stones\n\n## 1. First\n\nOne.\n\n### In it\n\nTwo.\n\n## " +
			"Box\n\nThree.\n\nNo heading."},
		{"deep sections", body(strings.Repeat("<sec><title>T</title>", 6) + "<p>One.</p>" +
			strings.Repeat("</sec>", 6)), "# Stones\n\n## T\n\n### T\n\n#### T\n\n##### T\n\n###### T\n\n###### " +
			"T\n\nOne."},
		{"abstract of sections", "<abstract><sec><title>Aim</title><p>One.</p></sec></abstract>",
			"# Stones\n\n## Abstract\n\n### Aim\n\nOne."},
		{"lists", body("<list list-type='order'><title>Steps</title><list-item><p>One</p></list-item></list><list " +
			"list-type='alpha-lower'><list-item><p>Two</p></list-item></list><list " +
			"list-type='roman-upper'><list-item><p>Three</p></list-item></list><list " +
			"list-type='bullet'><list-item><p>Four</p></list-item></list>"),
			"# Stones\n\nSteps\n\n1. One\n\n1. Two\n\n1. Three\n\n- Four"},
		{"references that are raised", body("<p>Proved<sup><xref ref-type='bibr'>1</xref>, <xref " +
			"ref-type='bibr'>2</xref></sup> of 10<sup>6</sup> and<sup><xref ref-type='fig'>3</xref></sup> " +
			"x<sup><xref " +
			"ref-type='bibr'>4</xref> y</sup>.</p>"), "# Stones\n\nProved of 10^6 and³ x4 y."},
		{"formulas", body(
			"<p><inline-formula><alternatives><tex-math>$x^2$</tex-math><math><mi>x</mi></math></alternatives></" +
				"inline-formula> <tex-math>\\documentclass{a}\\begin{document}$$a+b$$\\end{document}</tex-math> " +
				"<alternatives><tex-math> c </tex-math></alternatives> <alternatives><p>words</p></alternatives></p>"),
			"# Stones\n\nx $a+b$ $c$\n\nwords"},
		{"tables", body("<table-wrap><label>Table " +
			"1</label><caption><title>Loads</title></caption><table><tr><td>a</td><td>b</td></tr><tr><td " +
			"colspan='2'>both</td></tr><tr><td " +
			"rowspan='2'>c</td><td>d</td></tr><tr><td>e</td></tr></table></table-wrap>"),
			"# Stones\n\nTable 1\n\nLoads\n\n| a | b |\n|---|---|\n| both |  |\n| c | d |\n| c | e |"},
		{"left out", body("<p>One.<object-id>Two</object-id></p><fig><label>Fig. "+
			"1</label><caption><p>Three.</p></caption><graphic>Four</graphic><alt-text>Five</alt-text><attrib>Six</"+
			"attrib><permissions>Seven</permissions></fig><ref-list><ref>Eight</ref></ref-list>") +
			"<back><fn-group><fn><p>Nine.</p></fn></fn-group><app-group><app><title>Annex</title><p>Ten.</p></app></" +
			"app-group><ack><p>Eleven.</p></ack></back><floats-group><fig><caption><p>Twelve.</p></caption></fig></" +
			"floats-group>", "# Stones\n\nOne.\n\nFig. 1\n\nThree.\n\n## Annex\n\nTen.\n\nTwelve."},
	})
	name := func(given, surname string) string {
		return "<contrib contrib-type='author'><name><surname>" + surname + "</surname><given-names>" + given +
			"</given-names></name></contrib>"
	}
	date := func(year, month, day string) string {
		return "<pub-date><day>" + day + "</day><month>" + month + "</month><year>" + year + "</year></pub-date>"
	}
	holdAbout(t, "application/xml", paper, []rule{
		{"subtitle", "<title-group><subtitle>of mills</subtitle></title-group>" + body("<p>One.</p>"),
			"Stones|||en|article"},
		{"authors", "<contrib-group>" + name("Ada", "Miller") + name("Ada", "Miller") +
			"<contrib contrib-type='editor'><name><surname>Cy</surname></name></contrib><contrib><collab>The mill " +
			"group</collab></contrib></contrib-group><contrib-group>" + name("Bo", "Baker") + "</contrib-group>" +
			body("<p>One.</p>"), "Stones|Ada Miller, The mill group, Bo Baker||en|article"},
		{"days", date("2023", "11", "2") + date("2023", "3", "04") + date("2022", "", "") + date("2023", "13", "1") +
			body("<p>One.</p>"), "Stones||2023-03-04|en|article"},
		{"later day", date("2023", "3", "04") + date("2023", "11", "2") + body("<p>One.</p>"),
			"Stones||2023-03-04|en|article"},
		{"abstract alone", "<abstract><p>One.</p></abstract>", "Stones|||en|abstract"},
	})
	whole := string(paper(body("<p>One.</p>")))
	for _, test := range []struct{ name, declared, address, body, want string }{
		{"declared", "application/jats+xml", "", whole, citewell.MediaJATS},
		{"nothing declared", "", "", whole, citewell.MediaJATS},
		{"text of that name", "text/plain", "a.nxml", whole, citewell.MediaJATS},
		{"text", "text/plain", "a.txt", whole, "text/plain"},
		{"page", "text/html", "", whole, "text/html"},
		{"page that quotes one", "application/xhtml+xml", "", "<html>" + whole + "</html>", "application/xhtml+xml"},
		{"other article", "application/xml", "", "<article><p>One.</p><p>Two.</p></article>", "application/xml"},
	} {
		if document, err := readDocument("http://quern.example/"+test.address, test.declared,
			[]byte(test.body)); err != nil || document.MediaType != test.want {
			t.Errorf("%s: read as %q, %v; want %q", test.name, document.MediaType, err, test.want)
		}
	}
}

func TestCaptionRules(t *testing.T) {
	vtt := func(cues string) []byte { return []byte("WEBVTT" + cues) }
	cue := func(from, until, words string) string { return "\n\n" + from + " --> " + until + "\n" + words }
	long := strings.TrimSpace(strings.Repeat("The stones turn with the wheel. ", 10))
	endless := strings.TrimSpace(strings.Repeat("and the stones turn ", 65))
	holdRules(t, "text/vtt", vtt, []rule{
		{"times", cue("01:02.000", "01:04.500", "One.") + cue("1:02:03.000", "1:02:04.000", "Two.") +
			cue("999:00:00.000", "999:00:01.000", "Three."), "## 1:02\n\nOne.\n\n## 1:02:03\n\nTwo.\n\n## " +
			"277:46:40\n\nThree."},
		{"voices", cue("00:01.000", "00:02.000", "<v Ada>One.</v>") + cue("00:02.000", "00:03.000", "<v Ada>Two.") +
			cue("00:03.000", "00:04.000", "<v.loud Bo &amp; Cy>Three."),
			"## 0:01\n\nAda: One. Two.\n\nBo \\& Cy: Three."},
		{"another voice", cue("00:01.000", "00:02.000", "- One.\n- Two.") + cue("00:02.000", "00:03.000", ">> Three."),
			"## 0:01\n\nOne. Two. Three."},
		{"tags", cue("00:01.000", "00:02.000", "<i>One</i> <c.red>two</c> {\\an8}<00:01.500>three &lt;four&gt;"),
			"## 0:01\n\nOne two three \\<four>"},
		{"said once", cue("00:01.000", "00:02.000", "One.") + cue("00:02.000", "00:03.000", "One.\nTwo.") +
			cue("00:03.000", "00:04.000", "Two.\nThree."), "## 0:01\n\nOne. Two. Three."},
		{"notes", "\n\nNOTE\nunseen\n00:09.000 --> 00:10.000\n\nSTYLE\nunseen\n\nREGION\nunseen\n\nNOTES\n" +
			cue("00:01.000", "00:02.000", "One."), "## 0:01\n\nOne."},
		{"note at the end", cue("00:01.000", "00:02.000", "One.") + "\n\nNOTE\nunseen", "## 0:01\n\nOne."},
		{"silence", cue("00:01.000", "00:02.000", "One.") + cue("00:10.000", "00:11.000", "Two.") +
			cue("00:20.000", "00:21.000", "Three."), "## 0:01\n\nOne. Two.\n\n## 0:20\n\nThree."},
		{"enough is said", cue("00:01.000", "00:02.000", long) + cue("00:03.000", "00:04.000", "Two.") +
			cue("00:05.000", "00:06.000", "Three."), "## 0:01\n\n" + long + "\n\n## 0:03\n\nTwo. Three."},
		{"enough without an end", cue("00:01.000", "00:02.000", long[:len(long)-1]) +
			cue("00:03.000", "00:04.000", "two."), "## 0:01\n\n" + long[:len(long)-1] + " two."},
		{"too much is said", cue("00:01.000", "00:02.000", endless) + cue("00:03.000", "00:04.000", "Two."),
			"## 0:01\n\n" + endless + "\n\n## 0:03\n\nTwo."},
		{"sections of one second", cue("00:01.000", "00:01.200", long) + cue("00:01.300", "00:02.000", "Two."),
			"## 0:01\n\n" + long + "\n\nTwo."},
		{"number of the next", "\n\n1\n00:01.000 --> 00:02.000\nOne.\n2\n00:02.000 --> " +
			"00:03.000\nTwo.\n12\n\n3\n00:03.000 --> 00:04.000\nThree.\n4", "## 0:01\n\nOne. Two. 12 Three. 4"},
		{"words at once", "\n00:01.000 --> 00:02.000\nOne.", "## 0:01\n\nOne."},
		{"until before from", cue("00:09.000", "00:02.000", "One.") + cue("00:16.000", "00:17.000", "Two."),
			"## 0:09\n\nOne. Two."},
	})
	holdAbout(t, "text/vtt", vtt, []rule{
		{"title and language", " - Talk\nLanguage: de\nKind: captions" + cue("00:01.000", "00:02.000", "One."),
			"Talk|||de|transcript"},
		{"no head", cue("00:01.000", "00:02.000", "One."), "||||transcript"},
		{"no cues", "\n\nWords.", "||||text"},
	})
	for _, test := range []struct{ declared, address, body, want string }{
		{"", "", "WEBVTT\n\n00:01.000 --> 00:02.000\nOne.", "text/vtt"},
		{"text/plain", "", "\ufeffWEBVTT one\n\n00:01.000 --> 00:02.000\nOne.", "text/vtt"},
		{"text/plain", "", "WEBVTTs\n\n00:01.000 --> 00:02.000\nOne.", "text/plain"},
		{"text/plain", "a.vtt", "00:01.000 --> 00:02.000\nOne.", "text/vtt"},
		{"text/srt", "", "1\n00:00:01,000 --> 00:00:02,000\nOne.", citewell.MediaSRT},
		{"text/plain", "a.srt", "1\n00:00:01,000 --> 00:00:02,000\nOne.", citewell.MediaSRT},
	} {
		if document, err := readDocument("http://quern.example/"+test.address, test.declared,
			[]byte(test.body)); err != nil || document.MediaType != test.want {
			t.Errorf("%q at %q: read as %q, %v", test.declared, test.address, document.MediaType, err)
		}
	}
	document, err := New(Options{MaxText: 100}).Extract(t.Context(),
		page("text/vtt", vtt(cue("00:01.000", "00:02.000", long)+cue("01:05.000", "01:06.000", "Two.")+
			cue("02:05.000", "02:06.000", "Three."))))
	if err != nil || !strings.HasPrefix(document.Degraded, "the captions were read to 1:06, as much as is kept") {
		t.Errorf("degraded %q, %v", document.Degraded, err)
	}
}

func TestJSONRules(t *testing.T) {
	holdRules(t, "application/json", asWritten, []rule{
		{"values", `{"a": "", "b": 1.50, "c": true, "d": false, "e": null, "f": {}, "g": [], "h": "one\ntwo\n"}`,
			"```\na: \"\"\nb: 1.50\nc: true\nd: false\ne: null\nf: {}\ng: []\nh: one\n  two\n```"},
		{"nested", `{"a": {"b": [1, {"c": 2}], "d": [[3]]}}`, "```\na:\n  b:\n    - 1\n    - c: 2\n  d:\n    " +
			"-\n      - 3\n```"},
		{"records", `[{"at": {"id": "DE", "name": "Marl"}, "day": "2023", "": null, "of": 7}, {"at": {}, "of": 8}, {"of": [9]}, {"a": {"b": {"c": 1}}}, {"say": "a|b"}, {"say": "a\nb"}]`,
			"```\n- at.id: DE | at.name: Marl | day: 2023 | : null | of: 7\n-\n  at: {}\n  of: 8\n-\n  of:\n    - " +
				"9\n-\n  a:\n    b:\n      c: 1\n-\n  say: a|b\n-\n  say: a\n    b\n```"},
		{"a record too long for a line", `[{"a": "` + strings.Repeat("long ", 70) + `"}]`,
			"```\n-\n  a: " + strings.TrimSpace(strings.Repeat("long ", 70)) + "\n```"},
		{"a record that breaks off", `[{"a": 1}, {"a": 2, "b"`, "```\n- a: 1\n-\n  a: 2\n```"},
		{"lines", "{\"a\": 1}\n{\"a\": 2}\n", "```\na: 1\na: 2\n```"},
		{"one value", `"words"`, "```\nwords\n```"},
	})
	for depth, read := range map[int]bool{101: true, 102: false} {
		document, err := readDocument("http://quern.example/", "application/json",
			[]byte(strings.Repeat("[", depth)+"1"+strings.Repeat("]", depth)))
		if err != nil || (document.Degraded == "") != read || strings.Contains(document.Text, "- 1") != read {
			t.Errorf("%d lists in each other: degraded %q, %v", depth, document.Degraded, err)
		}
	}
	document, err := New(Options{MaxText: 100}).Extract(t.Context(),
		page("application/json", []byte("["+strings.Repeat(`"words",`, 50)+"1]")))
	if n := strings.Count(document.Text, "words"); err != nil || n != 12 || document.Degraded != "" {
		t.Errorf("%d values, degraded %q, %v", n, document.Degraded, err)
	}
	for declared, want := range map[string]string{"text/json": "text/json",
		"application/x-ndjson": "application/x-ndjson", "application/jsonl": "application/jsonl",
		"": "application/json", "application/geo+json": "application/geo+json"} {
		if document, err := readDocument("http://quern.example/", declared,
			[]byte(`{"a": 1, "b": [1, 2]}`)); err != nil || document.MediaType != want || document.Kind != "data" {
			t.Errorf("%q: read as %q, %q, %v", declared, document.MediaType, document.Kind, err)
		}
	}
}

func TestMarkdownAbout(t *testing.T) {
	holdAbout(t, "text/markdown", asWritten, []rule{
		{"front", "---\ntitle: Stones\ndate: 2025-03-04\nauthors: [Ada, Bo]\nlang: de\n---\n# Other\n\nWords.",
			"Stones|Ada, Bo|2025-03-04|de|markdown"},
		{"front in capitals", "---\nTitle: Stones\nPublished: 2025-03-04\nBy: Ada\nLanguage: de\n---\nWords.",
			"Stones|Ada|2025-03-04|de|markdown"},
		{"author with a name", "---\nauthor:\n  name: Ada\n---  \n# Stones\n\nWords.", "Stones|Ada|||markdown"},
		{"front without its end", "---\ntitle: Stones\n\nWords.", "||||markdown"},
		{"front that is no YAML", "---\n: [\n---\n# Stones\n\nWords.", ": [||||markdown"},
		{"comment", "<!--{\"title\": \"Stones\", \"by\": [{\"name\": \"Ada\"}, \"Bo\"]}-->\n# Other\n\nWords.",
			"Stones|Ada, Bo|||markdown"},
		{"other comment", "<!-- words -->\n\n# Stones\n\nWords.", "Stones||||markdown"},
		{"comment that is no JSON", "<!--{title}-->\n# Stones\n\nWords.", "Stones||||markdown"},
		{"nothing", "Words.", "||||markdown"},
	})
	for _, name := range []string{"a.md", "a.markdown", "a.mdown", "a.mkd"} {
		if d, err := readDocument("http://quern.example/"+name, "text/plain", []byte("# Stones")); err != nil ||
			d.MediaType != "text/markdown" {
			t.Errorf("%s: read as %q, %v", name, d.MediaType, err)
		}
	}
}
