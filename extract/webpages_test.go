package extract

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/media"
)

// sentences are n sentences of prose that no other page has.
func sentences(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "The %dth stone of the mill turns with the tide, and the miller looks at it twice a day. ", i+1)
	}
	return strings.TrimSpace(b.String())
}

// TestKindRules holds by what a page is said to be documentation, a forum, an article or
// none of them.
func TestKindRules(t *testing.T) {
	prose, code := "<p>"+sentences(10)+"</p>", "<pre>"+strings.Repeat("x = 1\n", 60)+"</pre>"
	aLittleCode, headings := "<pre>"+strings.Repeat("x = 1\n", 10)+"</pre>",
		strings.Repeat("<h2>Head</h2><p>Words of it.</p>", 6)
	article := `<meta property="og:type" content="article">`
	terms := "<dl>" + strings.Repeat("<dt>Term<dd>Words of it.", 5) + "</dl>"
	for _, test := range []struct{ name, address, page, want string }{
		{"generator", "https://x.example/", `<meta name=generator content="MkDocs 1.5">` + prose,
			media.KindDocumentation},
		{"other generator", "https://x.example/", `<meta name=generator content="Press 6">` + prose, media.KindPage},
		{"declared", "https://x.example/", `<script type="application/ld+json">{"@type":"TechArticle"}</script>` +
			prose, media.KindDocumentation},
		{"declared reference", "https://x.example/",
			`<script type="application/ld+json">{"@type":"APIReference Article"}</script>` + prose,
			media.KindDocumentation},
		{"host", "https://docs.x.example/", prose, media.KindDocumentation},
		{"path and code", "https://x.example/manual/a", prose + code, media.KindDocumentation},
		{"path alone", "https://x.example/manual/a", prose, media.KindPage},
		{"two paths", "https://x.example/manual/api", prose, media.KindPage},
		{"much code", "https://x.example/a", prose + code, media.KindDocumentation},
		{"a little code", "https://x.example/a", prose + aLittleCode, media.KindPage},
		{"a little code in a manual", "https://x.example/guide/a", prose + aLittleCode, media.KindDocumentation},
		{"headings in a manual", "https://x.example/guide/a", prose + headings, media.KindDocumentation},
		{"five headings in a manual", "https://x.example/guide/a",
			prose + strings.Replace(headings, "<h2>Head</h2>", "", 1), media.KindPage},
		{"terms in a manual", "https://x.example/guide/a", prose + terms, media.KindDocumentation},
		{"four terms in a manual", "https://x.example/guide/a", prose + strings.Replace(terms, "<dt>Term", "", 1),
			media.KindPage},
		{"headings of the menu", "https://x.example/guide/a", prose + "<nav>" + headings + "</nav>", media.KindPage},
		{"article with code", "https://x.example/a", article + prose + code, media.KindArticle},
		{"article in a manual with code", "https://x.example/docs/a", article + prose + code, media.KindDocumentation},
		{"author", "https://x.example/a", `<meta name=author content="Ada Miller">` + prose, media.KindArticle},
		{"day", "https://x.example/a", `<meta name=date content="2025-03-04">` + prose, media.KindArticle},
		{"posting", "https://x.example/a", `<script type="application/ld+json">{"@type":"BlogPosting"}</script>` +
			prose, media.KindArticle},
		{"forum by its host", "https://forum.x.example/a", prose, media.KindForum},
		{"front of a forum", "https://forum.x.example/", prose, media.KindPage},
		{"forum by its path", "https://x.example/Thread/a", prose, media.KindForum},
		{"thread further down", "https://x.example/a/thread", prose, media.KindPage},
		{"declared question", "https://x.example/a", `<script type="application/ld+json">{"@type":"QAPage"}</script>` +
			prose, media.KindForum},
		{"declared discussion", "https://x.example/a",
			`<script type="application/ld+json">{"@type":"DiscussionForumPosting"}</script>` + prose, media.KindForum},
		{"thing that is sold under a thread's path", "https://x.example/t/a",
			`<script type="application/ld+json">{"@type":"Product","offers":{"price":"5"}}</script>` + prose,
			media.KindProduct},
		{"sale in a discussion", "https://x.example/t/a",
			`<script type="application/ld+json">[{"@type":"Product","offers":{"price":"5"}},{"@type":"Question"}]</script>` + prose, media.KindForum},
	} {
		d, err := Extract(context.Background(), citewell.Page{URL: test.address, ContentType: "text/html",
			Body: []byte("<!doctype html><title>Name</title><body>" + test.page)})
		if err != nil || d.Kind != test.want {
			t.Errorf("%s: the page is called %q, want %q, %v", test.name, d.Kind, test.want, err)
		}
	}
}

// TestDatelines holds which day of those that a page prints is its own.
func TestDatelines(t *testing.T) {
	p := func(s string) string { return "<p>" + s + "</p>" }
	words := p("Words of the page.")
	for _, test := range []struct{ name, page, want string }{
		{"below the headline", "<h1>Mill</h1>" + p("9 March 2025") + words, "2025-03-09"},
		{"above the headline", p("9 March 2025") + words + words + "<h1>Mill</h1>" + words, "2025-03-09"},
		{"too far above", p("9 March 2025") + words + words + words + "<h1>Mill</h1>" + words, ""},
		{"far below", "<h1>Mill</h1>" + strings.Repeat(words, 6) + p("9 March 2025"), "2025-03-09"},
		{"too far below", "<h1>Mill</h1>" + strings.Repeat(words, 7) + p("9 March 2025"), ""},
		{"first of three", "<h1>Mill</h1>" + p("9 March 2025") + p("8 March 2025") + p("7 March 2025"), "2025-03-09"},
		{"list of days", "<h1>Mill</h1>" + p("9 March 2025") + p("8 March 2025") + p("7 March 2025") +
			p("6 March 2025"), ""},
		{"in a heading", "<h1>Mill</h1><h2>9 March 2025</h2>" + words, ""},
		{"in code", "<h1>Mill</h1><pre>9 March 2025</pre>" + words, ""},
		{"in a table", "<h1>Mill</h1><table><tr><td>9 March 2025<td>x</table>" + words, ""},
		{"no headline", p("9 March 2025") + words, "2025-03-09"},
		{"smaller headline", words + "<h2>Mill</h2>" + p("9 March 2025"), "2025-03-09"},
		{"of rights", "<h1>Mill</h1>" + p("Copyright 9 March 2025") + p("© 9 March 2025"), ""},
		{"with words", "<h1>Mill</h1>" + p("9 March 2025 "+strings.Repeat("w", 44)), "2025-03-09"},
		{"with too many words", "<h1>Mill</h1>" + p("9 March 2025 "+strings.Repeat("w", 45)), ""},
		{"month alone", "<h1>Mill</h1>" + p("March 2025"), ""},
		{"long ago", "<h1>Mill</h1>" + p("9 March 1925"), ""},
	} {
		d, err := Extract(context.Background(), htmlPage("<!doctype html><html lang=en><body>"+test.page))
		if err != nil || d.Published != test.want {
			t.Errorf("%s: the day is %q, want %q, %v", test.name, d.Published, test.want, err)
		}
	}
}

// TestCaptionsOfPages holds which of the tracks of a page's recording is the one to read.
func TestCaptionsOfPages(t *testing.T) {
	video := func(tracks string) string { return "<video>" + tracks + "</video>" }
	track := func(about, src string) string { return "<track " + about + " src='" + src + "'>" }
	script := func(ld string) string { return `<script type="application/ld+json">` + ld + `</script>` }
	for _, test := range []struct{ name, page, want string }{
		{"first", video(track("", "/a.vtt") + track("", "/b.vtt")), "/a.vtt"},
		{"captions before subtitles", video(track("kind=subtitles", "/a.vtt") + track("kind=' Captions'", "/b.vtt")),
			"/b.vtt"},
		{"shown before captions", video(track("kind=captions", "/a.vtt") + track("default", "/b.vtt")), "/b.vtt"},
		{"language before shown", video(track("default kind=captions srclang=fr", "/a.vtt") +
			track("srclang=en-GB", "/b.vtt")), "/b.vtt"},
		{"other kinds", video(track("kind=chapters", "/a.vtt") + track("kind=descriptions", "/b.vtt")), ""},
		{"of the first recording", "<audio>" + track("", "/a.vtt") + "</audio>" +
			video(track("kind=captions", "/b.vtt")), "/a.vtt"},
		{"first recording without one", video(track("kind=chapters", "/a.vtt")) + video(track("", "/b.vtt")), "/b.vtt"},
		{"of no recording", track("", "/a.vtt"), ""},
		{"no address", video(track("", "") + track("", "mailto:x") + track("", "/c.vtt#t")), "/c.vtt"},
		{"structured data", script(`{"@type":"VideoObject","caption":{"contentUrl":"/a.vtt"}}`), "/a.vtt"},
		{"list of structured data", script(
			`{"@type":"https://schema.org/AudioObject","caption":["words",{"contentUrl":"/a.txt","encodingFormat":"text/plain"},{"contentUrl":"/b.vtt","encodingFormat":["text/VTT"]}]}`), "/b.vtt"},
		{"subrip", script(
			`{"@type":"PodcastEpisode","caption":{"contentUrl":"/a.srt","encodingFormat":"application/x-subrip"}}`),
			"/a.srt"},
		{"language of structured data",
			script(`{"@graph":[{"@type":"VideoObject","caption":[{"contentUrl":"/a.vtt","inLanguage":"fr"},{"contentUrl":"/b.vtt","inLanguage":"en"}]}]}`), "/b.vtt"},
		{"other thing", script(`{"@type":"ImageObject","caption":{"contentUrl":"/a.vtt"}}`), ""},
		{"thing in a thing",
			script(`{"@type":"Article","video":[{"@type":"VideoObject","caption":{"contentUrl":"/a.vtt"}}]}`),
			"/a.vtt"},
		{"as deep as is read", script(strings.Repeat("[", 8) +
			`{"@type":"VideoObject","caption":{"contentUrl":"/a.vtt"}}` + strings.Repeat("]", 8)), "/a.vtt"},
		{"too deep", script(strings.Repeat("[", 9) + `{"@type":"VideoObject","caption":{"contentUrl":"/a.vtt"}}` +
			strings.Repeat("]", 9)), ""},
	} {
		d, err := Extract(context.Background(), htmlPage("<!doctype html><html lang=en><body>"+test.page+
			"<p>Words of the page."))
		want := test.want
		if want != "" {
			want = "http://page.example" + want
		}
		listed := len(d.Links) == 1 && d.Links[0] == (citewell.Link{Text: "captions", URL: want})
		if err != nil || d.Captions != want || listed != (want != "") {
			t.Errorf("%s: the captions are at %q, want %q; links %v, %v", test.name, d.Captions, want, d.Links, err)
		}
	}
}

// TestTranscriptsOfPages holds when what structured data says is said in a recording is read.
func TestTranscriptsOfPages(t *testing.T) {
	said := sentences(4)
	script := func(ld string) string { return `<script type="application/ld+json">` + ld + `</script>` }
	recording := script(`{"@type":"VideoObject","transcript":"` + said + `"}`)
	for _, test := range []struct {
		name, page string
		told       bool
	}{
		{"not shown", recording + "<p>Words of the page.", true},
		{"shown", recording + "<p>" + said, false},
		{"shown in other letters", recording + "<p>" + strings.ToUpper(strings.ReplaceAll(said, " ", "  ")), false},
		{"beginning is shown", recording + "<p>" + said[:180], false},
		{"end is shown", recording + "<p>" + said[len(said)-180:], true},
		{"short", script(`{"@type":"VideoObject","transcript":"`+said[:media.LowYield-1]+`"}`) +
			"<p>Words of the page.", false},
		{"just long enough", script(`{"@type":"VideoObject","transcript":"`+said[:media.LowYield]+`"}`) +
			"<p>Words of the page.", true},
		{"first of two", recording + script(`{"@type":"VideoObject","transcript":"`+strings.Repeat("Other words. ", 40)+
			`"}`) + "<p>Words of the page.", true},
		{"of nothing that is recorded", script(`{"@type":"Article","transcript":"`+said+`"}`) +
			"<p>Words of the page.", false},
	} {
		d, err := Extract(context.Background(), htmlPage("<!doctype html><body>"+test.page))
		if told := strings.Contains(d.Text, "\n\nTranscript\n\n"+said[:150]) &&
			strings.Contains(d.Markdown, "\n\n## Transcript\n\n"+said[:150]); err != nil || told != test.told ||
			strings.Contains(d.Text, "Other words") {
			t.Errorf("%s: told %v, want %v; %v; %q", test.name, told, test.told, err, d.Text)
		}
	}
}

// TestArticleFrame holds what is left out of an article's head, since the document says it
// beside its text, and what becomes its heading.
func TestArticleFrame(t *testing.T) {
	head := `<meta property="og:type" content="article"><meta name=author content="Ada Miller"><title>Tide mills</title>`
	body := "<p>" + sentences(4) + "</p><p>" + sentences(3) + "</p>"
	for _, test := range []struct{ name, page, first string }{
		{"headline", head + "<article><h1>Tide mills</h1>" + body, "The 1th stone"},
		{"other headline", head + "<article><h1>Of mills at sea</h1>" + body, "The 1th stone"},
		{"title in a paragraph", head + "<article><p>Tide Mills</p>" + body, "The 1th stone"},
		{"byline", head + "<article><h1>Tide mills</h1><p>By Ada Miller, 9 March 2025</p>" + body, "The 1th stone"},
		{"line that ends as a sentence", head + "<article><h1>Tide mills</h1><p>Ada Miller went to the mill on the " +
			"coast today.</p>" + body, "Ada Miller went"},
		{"title of a page that is no article", "<title>Tide mills</title><p>tide mills</p>" + body, "# tide mills"},
		{"no title", "<p>tide mills</p>" + body, "tide mills"},
	} {
		d, err := Extract(context.Background(), htmlPage("<!doctype html><html lang=en>"+test.page))
		if err != nil || !strings.HasPrefix(d.Markdown, test.first) {
			t.Errorf("%s: begins with %.60q, want %q, %v", test.name, d.Markdown, test.first, err)
		}
	}
}

// TestNoscript holds when a page is read as readers without scripts see it.
func TestNoscript(t *testing.T) {
	for _, test := range []struct {
		name, page, want string
		told             bool
	}{
		{"shell", "<p>Loading.</p><noscript><p>" + sentences(4) + "</p></noscript>", "stone", true},
		{"little more", "<p>" + sentences(1) + "</p><noscript><p>" + sentences(1) + "</p></noscript>",
			"The 1th", false},
		{"enough is shown", "<p>" + sentences(3) + "</p><noscript><p>Other words. " + sentences(12) + "</p></noscript>",
			"The 1th", false},
		{"advice", "<p>Loading.</p><noscript><p>Turn scripts on.</p></noscript>", "Loading.", false},
	} {
		d, err := Extract(context.Background(), htmlPage("<!doctype html><body>"+test.page))
		if told := strings.HasPrefix(d.Degraded, "the page shows its text by script: read from what it has for "+
			"readers without"); err != nil || told != test.told || !strings.Contains(d.Text, test.want) ||
			strings.Contains(d.Text, "Other words") {
			t.Errorf("%s: %v, degraded %q, %q", test.name, err, d.Degraded, d.Text)
		}
	}
}
