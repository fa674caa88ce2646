package webpage

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/citewell/citewell/extract/internal/markup"
)

func TestMetadata(t *testing.T) {
	tests := []struct {
		name, address, head, body     string
		title, author, date, language string
	}{
		{name: "title_with_site", head: "<title>Tide mills | Courier</title>", body: "<h1>Tide mills</h1>",
			title: "Tide mills"},
		{name: "site_first", head: "<title>Courier: Tide mills</title>", body: "<h1>Tide mills</h1>",
			title: "Tide mills"},
		{name: "short_heading_inside_words", head: "<title>Understanding mills at sea</title>", body: "<h1>mill</h1>",
			title: "Understanding mills at sea"},
		{name: "declared_title", head: `<meta property="og:title" content="Mills &amp; tides"><title>x</title>`,
			title: "Mills & tides"},
		{name: "entities_in_structured_data",
			head: `<script type="application/ld+json">{"@type":"NewsArticle","headline":"Mills &amp; tides: the &lt;b&gt; wheel&#8217;s","author":{"name":"Ada &amp; Ben"}}</script>`, title: "Mills & tides: the <b> wheel’s", author: "Ada & Ben"},
		{name: "escaped_twice", head: `<title>Mills &amp;amp; tides</title>`, title: "Mills & tides"},
		{name: "about_entities", head: `<title>What is &amp;lt;? | Courier</title><meta property="og:title" content="What is &amp;lt;?">`, body: "<h1>What is &amp;lt;?</h1>", title: "What is &lt;?"},
		{name: "heading_only", body: "<h1>Mills\n <b>again</b></h1>", title: "Mills again"},
		{name: "svg_title_is_none", head: "", body: "<svg><title>icon</title></svg><h1>Mills</h1>", title: "Mills"},
		{name: "author", head: `<meta name=author content="By Ada Lindqvist">`, author: "Ada Lindqvist"},
		{name: "author_url_is_none", head: `<meta property="article:author" content="https://x.example/ada">`,
			author: ""},
		{name: "published_before_modified",
			head: `<meta property="article:modified_time" content="2025-05-01T00:00:00Z"><meta property="article:published_time" content="2024-02-03T10:00:00Z">`, date: "2024-02-03"},
		{name: "graph",
			head: `<script type="application/ld+json">{"@graph":[{"@type":"WebSite"},{"@type":["BlogPosting"],"datePublished":"2023-07-08","author":[{"name":"A. B."},{"name":"C. D."}],"headline":"Wheels"}]}</script>`, title: "Wheels", author: "A. B., C. D.", date: "2023-07-08"},
		{name: "broken_json", head: `<script type="application/ld+json">{"@type":"Article","datePublished":</script>`},
		{name: "ambiguous_date_is_none", head: `<meta name=date content="03/04/2025">`, date: ""},
		{name: "impossible_date_is_none", head: `<meta name=date content="2025-02-31">`, date: ""},
		{name: "distant_date_is_none", head: `<meta name=date content="0001-01-01">`, date: ""},
		{name: "time_in_article", body: `<article><time datetime="2022-01-02T03:04">x</time></article>`,
			date: "2022-01-02"},
		{name: "time_elsewhere_is_none", body: `<p>At <time datetime="2022-01-02">noon</time></p>`, date: ""},
		{name: "date_in_path", address: "https://x.example/2021/3/9/mill", date: "2021-03-09"},
		{name: "number_in_path_is_none", address: "https://x.example/2021/33/9/mill", date: ""},
		{name: "first_declared_title",
			head:  `<meta name="twitter:title" content="One"><meta name="dc.title" content="Two"><title>Three</title>`,
			title: "One"},
		{name: "title_of_structured_data",
			head: `<title>Wheels that turn | Courier</title><script type="application/ld+json">{"@type":"Report","headline":"Wheels that turn"}</script>`, title: "Wheels that turn"},
		{name: "most_of_the_title", head: "<title>All about tide mills today</title>",
			body: "<h1>About tide mills today</h1>", title: "About tide mills today"},
		{name: "less_of_the_title", head: "<title>All about tide mills today</title>", body: "<h1>tide mills</h1>",
			title: "All about tide mills today"},
		{name: "title_behind_the_site", head: "<title>Courier » Tide mills</title>", body: "<h1>Tide mills</h1>",
			title: "Tide mills"},
		{name: "title_before_words", head: "<title>Tide mills of the northern sea</title>", body: "<h1>Tide mills</h1>",
			title: "Tide mills of the northern sea"},
		{name: "two_letters", head: "<title>Go | Courier</title>", body: "<h1>Go</h1>", title: "Go | Courier"},
		{name: "declared_with_the_site", head: `<meta property="og:title" content="Tide mills - Courier">`,
			body: "<h1>Tide mills</h1>", title: "Tide mills"},
		{name: "longer_heading", head: "<title>Mills</title>", body: "<h1>Mills and more of them</h1>", title: "Mills"},
		{name: "first_heading", body: "<h1>One</h1><h1>Two</h1>", title: "One"},
		{name: "first_author", head: `<meta name=author content="Ada"><meta property="article:author" content="Ben">`,
			author: "Ada"},
		{name: "author_by_link", body: `<span rel=author>Ada</span><a rel=author>Ben</a><a rel=author>Cy</a>`,
			author: "Ben"},
		{name: "author_by_microdata", body: `<span itemprop=author>Ada</span><a itemprop=author>Ben</a>`,
			author: "Ben"},
		{name: "author_declared_first", head: `<meta name=author content="Ada">`, body: `<a rel=author>Ben</a>`,
			author: "Ada"},
		{name: "author_of_structured_data_second",
			head: `<meta name=author content="Ada"><script type="application/ld+json">{"@type":"Article","author":"Ben"}</script>`, author: "Ada"},
		{name: "first_published", head: `<meta name="pubdate" content="2024-02-03"><meta name="publish-date" content="2025-02-03">`, date: "2024-02-03"},
		{name: "first_of_other_dates",
			head: `<meta name="dc.date" content="2024-02-03"><meta name="date" content="2025-02-03">`,
			date: "2024-02-03"},
		{name: "structured_before_other",
			head: `<meta name="date" content="2025-02-03"><script type="application/ld+json">[{"@type":"Article","datePublished":"2024-02-03"},{"@type":"Article","datePublished":"2023-02-03"}]</script>`, date: "2024-02-03"},
		{name: "declared_before_structured",
			head: `<script type="application/ld+json">{"@type":"Article","datePublished":"2024-02-03"}</script><meta name="parsely-pub-date" content="2025-02-03">`, date: "2025-02-03"},
		{name: "other_thing's_date_is_none",
			head: `<script type="application/ld+json">{"@type":"Event","datePublished":"2024-02-03"}</script>`,
			date: ""},
		{name: "microdata_date", body: `<span itemprop=datePublished content="2024-02-03">x</span><span itemprop=dateCreated content="2025-02-03">x</span>`, date: "2024-02-03"},
		{name: "microdata_time", body: `<time itemprop=dateCreated datetime="2024-02-03">x</time>`, date: "2024-02-03"},
		{name: "microdata_words", body: `<b itemprop=datePublished>February 3, 2024</b>`, date: "2024-02-03"},
		{name: "microdata_of_change_is_none", body: `<b itemprop=dateModified>February 3, 2024</b>`, date: ""},
		{name: "other_before_time", head: `<meta name=date content="2024-02-03">`,
			body: `<article><time datetime="2022-01-02">x</time></article>`, date: "2024-02-03"},
		{name: "time_with_pubdate", body: `<p><time pubdate=x datetime="2022-01-02">x</time><article><time datetime="2023-01-02">y</time></article>`, date: "2022-01-02"},
		{name: "time_in_a_header", body: `<header><time datetime="2022-01-02">x</time></header>`, date: "2022-01-02"},
		{name: "time_before_path", body: `<article><time datetime="2022-01-02">x</time></article>`,
			address: "https://x.example/2021/3/9/mill", date: "2022-01-02"},
		{name: "deep_structured_data",
			head:  `<script type="application/ld+json">[[[[[[{"@type":"Article","headline":"Deep"}]]]]]]</script>`,
			title: "Deep"},
		{name: "too_deep_structured_data",
			head:  `<script type="application/ld+json">[[[[[[[{"@type":"Article","headline":"Deep"}]]]]]]]</script>`,
			title: ""},
		{name: "main_entity",
			head: `<script type="application/ld+json">{"@type":"WebPage","mainEntity":{"@type":"Article","headline":"Inner"}}</script>`, title: "Inner"},
		{name: "content_language", head: `<meta http-equiv="content-language" content="de-AT, en">`, language: "de"},
		{name: "language", head: "", body: "", language: "de", address: "lang=de-AT"},
		{name: "language_junk_is_none", address: "lang=deutsch!", language: ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			attribute, isLanguage := strings.CutPrefix(test.address, "lang=")
			page := "<html><head>" + test.head + "</head><body>" + test.body
			if isLanguage {
				page = `<html lang="` + attribute + `"><body>`
			}
			root, err := html.Parse(strings.NewReader(page))
			if err != nil {
				t.Fatal(err)
			}
			markup.Clean(t.Context(), root)
			address, err := url.Parse(test.address)
			if err != nil {
				t.Fatal(err)
			}
			m := readMetadata(root, address)
			if m.title != test.title || m.author != test.author || m.published != test.date ||
				m.language != test.language {
				t.Errorf("got title %q, author %q, date %q, language %q; want %q, %q, %q, %q",
					m.title, m.author, m.published, m.language, test.title, test.author, test.date, test.language)
			}
		})
	}
}

func TestPrintedDate(t *testing.T) {
	tests := []struct{ line, language, want string }{
		{"9 March 2025", "en", "2025-03-09"},
		{"By Ines Okafor, March 9, 2025 · 4 min read", "en", "2025-03-09"},
		{"9. März 2025", "de", "2025-03-09"},
		{"03/04/2025", "en", ""},
		{"March 2025", "en", ""},
		{"© 9 March 2025 Courier", "en", ""},
		{"From 9 March 2025 to 10 March 2025", "en", ""},
		{"The mill ran on 9 March 2025 for the first time since the war had ended.", "en", ""},
	}
	for _, test := range tests {
		if got := printedDate(test.line, test.language); got != test.want {
			t.Errorf("%q: got %q, want %q", test.line, got, test.want)
		}
	}
}
