package extract

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/text/encoding/charmap"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/passage"
	"github.com/citewell/citewell/extract/internal/textual"
	"github.com/citewell/citewell/internal/testing/extracttest"
)

func htmlPage(body string) citewell.Page {
	return citewell.Page{URL: "http://page.example/", ContentType: "text/html; charset=utf-8", Body: []byte(body)}
}

func TestErrorsAreNamed(t *testing.T) {
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	tests := []struct {
		name string
		ctx  context.Context
		page citewell.Page
		o    Options
		want citewell.Code
	}{
		{"no_bytes", context.Background(), citewell.Page{}, Options{}, citewell.CodeEmptyBody},
		{"no_text", context.Background(), htmlPage("<html><script>x</script><p hidden>never seen</p></html>"),
			Options{}, citewell.CodeExtractionFailed},
		{"only_space", context.Background(), citewell.Page{ContentType: "text/plain", Body: []byte(" \n\t\r\n")},
			Options{}, citewell.CodeExtractionFailed},
		{"deadline", context.Background(), htmlPage(strings.Repeat("<p>words</p>", 200_000)),
			Options{Timeout: time.Millisecond}, citewell.CodeExtractionTimeout},
		{"canceled", canceled, htmlPage(strings.Repeat("<p>words</p>", 200_000)), Options{}, citewell.CodeCanceled},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := New(test.o).Extract(test.ctx, test.page)
			if citewell.CodeOf(err) != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// takePlace takes a place of e, when one is free.
func takePlace(t *testing.T, e *Extractor) {
	t.Helper()
	if err := e.options.Places.Enter(context.Background(), "test", true); err != nil {
		t.Fatal(err)
	}
}

// keepPlaces has each reader that outlives its page keep its place, until the test ends.
func keepPlaces(t *testing.T, e *Extractor) {
	ended := make(chan struct{})
	t.Cleanup(func() { close(ended) })
	e.options.Places.Outlived(func() {}, ended)
}

// Who finds no place is told within the deadline.
func TestNoPlaceWithinTheDeadline(t *testing.T) {
	e := New(Options{Parallel: 1, Timeout: 20 * time.Millisecond})
	takePlace(t, e)
	_, err := e.Extract(context.Background(), htmlPage("<p>words"))
	if citewell.CodeOf(err) != citewell.CodeExtractionTimeout || !strings.Contains(err.Error(), "busy") ||
		!strings.Contains(citewell.View(err).Hint, "brief.deadlines.extract") {
		t.Errorf("got %v, want extraction_timeout that says the readers are busy", err)
	}
	e.options.Places.Leave()
	if _, err := e.Extract(context.Background(), htmlPage("<p>words")); err != nil {
		t.Errorf("a freed place was not used: %v", err)
	}
}

// Waiting is not counted as work: a busy machine reads a page later, and reads it. Who has
// no time for that says so by ctx.
func TestWaitingForAPlaceIsNoWork(t *testing.T) {
	const work = 200 * time.Millisecond
	e := New(Options{Parallel: 1, Timeout: work})
	takePlace(t, e)
	time.AfterFunc(3*work, e.options.Places.Leave)
	if _, err := e.Extract(t.Context(), htmlPage("<p>words")); err != nil {
		t.Errorf("a page that waited: %v", err)
	}
	late, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	if _, err := e.Extract(late, htmlPage(strings.Repeat("<p>words</p>", 200_000))); citewell.CodeOf(
		err) != citewell.CodeExtractionTimeout || !strings.Contains(citewell.View(err).Hint, "timeout_seconds") {
		t.Errorf("a caller without time: %v", err)
	}
}

func TestManyAtOnce(t *testing.T) {
	var group sync.WaitGroup
	e := New(Options{Parallel: 2, Timeout: time.Minute})
	for range 16 {
		group.Go(func() {
			document, err := e.Extract(context.Background(), htmlPage("<h1>Wheel</h1><p>"+
				strings.Repeat("It turns. ", 50)))
			if err != nil || len(document.Passages) == 0 {
				t.Errorf("got %d passages and %v", len(document.Passages), err)
			}
		})
	}
	group.Wait()
}

func TestDeepNestingIsReadFlat(t *testing.T) {
	page := "<title>Deep</title>" + strings.Repeat("<div>", 100_000) +
		"<h2>Below</h2><p>First words.<p>Second <b>words</b>.<ul><li>one<li>two</ul><nav>Home</nav><p " +
		"hidden>unseen</p><pre>a\n  b</pre><script>x</script>"
	document, err := Extract(context.Background(), htmlPage(page))
	if err != nil {
		t.Fatal(err)
	}
	checkDocument(t, document)
	want := "Below\n\nFirst words.\n\nSecond words.\n\n- one\n- two\n\na\n  b"
	if document.Text != want || !strings.Contains(document.Degraded, "nested") || document.Title != "Deep" {
		t.Errorf("got title %q, degraded %q, text\n%s\nwant\n%s", document.Title, document.Degraded,
			document.Text, want)
	}
}

func TestLimits(t *testing.T) {
	page := htmlPage("<p>" + strings.Repeat("Words to count. ", 1000) + "</p><p>End of it.</p>")
	document, err := New(Options{MaxText: 1000}).Extract(context.Background(), page)
	if err != nil || len(document.Text) > 1000 || !strings.Contains(document.Degraded, "cut after 1000 bytes") {
		t.Errorf("got %d bytes of text, degraded %q, %v", len(document.Text), document.Degraded, err)
	}
	extracttest.CheckPassages(t, document.Text, document.Passages, passage.Longest)
	document, err = New(Options{MaxBytes: 500}).Extract(context.Background(), page)
	if err != nil || len(document.Text) > 500 || !strings.Contains(document.Degraded, "first 500 bytes") {
		t.Errorf("got %d bytes of text, degraded %q, %v", len(document.Text), document.Degraded, err)
	}
	document, err = New(Options{MaxLinks: 2}).Extract(context.Background(),
		htmlPage("<p>words<a href=/a>a</a><a href=/b>b</a><a href=/c>c</a>"))
	if err != nil || len(document.Links) != 2 {
		t.Errorf("got %d links and %v", len(document.Links), err)
	}
}

func TestHiddenTextStaysOut(t *testing.T) {
	hidden := []string{
		`<p hidden>SECRET</p>`, `<div aria-hidden="true"><p>SECRET</p></div>`,
		`<p style="color:red; Display : none !important">SECRET</p>`,
		`<p style="visibility:hidden">SECRET</p>`, `<p style="font-size:0px">SECRET</p>`,
		`<p style="opacity:0">SECRET</p>`,
		`<span class="sr-only">SECRET</span>`, `<!-- SECRET -->`, `<template><p>SECRET</p></template>`,
		`<script>SECRET</script>`,
		`<style>SECRET</style>`, `<noscript>SECRET</noscript>`, `<textarea>SECRET</textarea>`,
		`<select><option>SECRET</select>`,
		`<svg><title>SECRET</title></svg>`, `<img alt="SECRET">`, `<iframe srcdoc="SECRET">SECRET</iframe>`,
		`<dialog>SECRET</dialog>`, `<p title="SECRET"></p>`, `<button>SECRET</button>`,
	}
	filler := strings.Repeat("Words that everybody sees are kept as they stand. ", 10)
	for _, part := range hidden {
		document, err := Extract(context.Background(), htmlPage("<body><p>"+filler+"</p>"+part+"<p>"+filler+"</p>"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(document.Text+document.Markdown, "SECRET") {
			t.Errorf("%s is in the text:\n%s", part, document.Text)
		}
	}
}

func TestMarkdownIsInert(t *testing.T) {
	page := `<p>` + strings.Repeat("Plain words around what would be dangerous. ", 8) + `</p>
<p>&lt;script&gt;alert(1)&lt;/script&gt; <a href="javascript:alert(1)">one</a> <a href="data:text/html,x">two</a> <a href="https://ok.example/?a=(b)">three</a>
<a href="//other.example/x">four</a> <a href="http://user:pw@bad.example/">five</a> <img src=x onerror=alert(1)></p>
<table><tr><td>a|b</td><td>&lt;b onclick=x&gt;</td></tr><tr><td>1</td><td>2</td></tr></table>`
	document, err := Extract(context.Background(), htmlPage(page))
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "javascript:", "data:text", "<b onclick", "<img", "![", "user:pw"} {
		if strings.Contains(document.Markdown, bad) {
			t.Errorf("Markdown holds %q:\n%s", bad, document.Markdown)
		}
	}
	for _, good := range []string{"(https://ok.example/?a=", "(http://other.example/x)", `a\|b`} {
		if !strings.Contains(document.Markdown, good) {
			t.Errorf("Markdown lacks %q:\n%s", good, document.Markdown)
		}
	}
}

// What holds most of a page is not hidden, whatever its style says: a script fades it
// in. A few hidden words beside a page's text stay hidden.
func TestTextThatFadesIn(t *testing.T) {
	long := "<h1>The wheel</h1><p>" + strings.Repeat("The wheel turns with the tide, and the stones turn with the "+
		"wheel. ", 20) + "</p>"
	tests := []struct {
		name, page string
		shown      bool
	}{
		{"faded_main", `<body><nav>Home</nav><main style="opacity:0">` + long + `</main></body>`, true},
		{"streamed", `<body><div id="B:0">Loading</div><div hidden id="S:0">` + long + `</div></body>`, true},
		{"invisible_body", `<body style="visibility: hidden"><div>` + long + `</div></body>`, true},
		{"display_none", `<body><p>Seen.</p><div style="display:none">` + long + `</div></body>`, false},
		{"hidden", `<body><p>Seen.</p><div hidden>` + long + `</div></body>`, false},
		{"smaller_part", `<body>` + long + strings.ReplaceAll(long, "wheel", "mill") +
			`<div style="opacity:0"><p>Here ` + strings.Repeat("the wheel stands still. ", 30) +
			`</p></div></body>`, false},
	}
	for _, test := range tests {
		document, err := Extract(context.Background(), htmlPage(test.page))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		got := strings.Contains(document.Text, "turn with the wheel") && test.name != "smaller_part" ||
			strings.Contains(document.Text, "stands still")
		if got != test.shown {
			t.Errorf("%s: shown %v, want %v:\n%.200s", test.name, got, test.shown, document.Text)
		}
		if test.shown && test.name != "invisible_body" && !strings.Contains(document.Degraded, "scripts") {
			t.Errorf("%s: degraded is %q", test.name, document.Degraded)
		}
	}
}

func TestTextInStructuredData(t *testing.T) {
	sentence := "The wheel turns with the tide, and the stones turn with the wheel."
	for name, body := range map[string]string{
		"text": strings.Repeat(sentence+" ", 5) + `\n\n` + sentence,
		"html": `<p>` + strings.Repeat(sentence+" ", 5) + `<\/p><p hidden>SECRET<\/p><script>SECRET()<\/script><p>` +
			sentence + `<\/p>`,
	} {
		document, err := Extract(context.Background(), htmlPage(`<title>Wheel</title><div id="app">Loading…</div>
<script type="application/ld+json">{"@type":"NewsArticle","headline":"Wheel","articleBody":"`+body+`"}</script>`))
		if err != nil {
			t.Fatal(err)
		}
		checkDocument(t, document)
		want := strings.TrimSpace(strings.Repeat(sentence+" ", 5)) + "\n\n" + sentence
		if document.Text != want || document.Markdown != want ||
			document.Degraded != "the page shows its text by script: read from its structured data" {
			t.Errorf("%s: degraded %q, text\n%s\nwant\n%s", name, document.Degraded, document.Text, want)
		}
	}
}

// A product that only scripts show is read from its structured data, before what else
// the page shows; one that the page shows is not told twice.
func TestProductInStructuredData(t *testing.T) {
	const description = "A kettle of hammered copper that boils a litre of water in three minutes and keeps it warm " +
		"for an hour."
	data := `<script type="application/ld+json">{"@graph":[{"@type":"Product","name":"Copper Kettle","description":"` +
		description + `",
"offers":{"@type":"Offer","price":49.5,"priceCurrency":"EUR","availability":"https://schema.org/InStock"}}]}</script>`
	others := "<p>" + strings.Repeat("Customers also bought many other things that stand in this shop. ", 6) + "</p>"
	for name, test := range map[string]struct {
		page string
		told bool
	}{
		"by script":         {data + others, true},
		"name shown":        {data + "<h1>Copper kettle</h1>" + others, false},
		"description":       {data + "<p>" + description + "</p>" + others, false},
		"one of several":    {data + data + others, false},
		"several, declared": {`<meta property="og:type" content="product">` + data + data + others, false},
		"no offer at hand":  {strings.Replace(data, "offers", "offered", 1) + others, false},
	} {
		document, err := Extract(context.Background(), htmlPage(`<title>Shop</title>`+test.page))
		if err != nil {
			t.Fatal(err)
		}
		checkDocument(t, document)
		lines := "Copper Kettle\n\n" + description + "\n\nPrice: 49.5 EUR\n\nAvailability: InStock\n\n"
		if told := strings.HasPrefix(document.Text, lines) && strings.HasPrefix(document.Markdown, lines) &&
			document.Degraded == "nothing was chosen of the product that the page sells: the first lines are from its "+
				"structured data"; told != test.told {
			t.Errorf("%s: told %v, want %v; degraded %q, text\n%.400s", name, told, test.told, document.Degraded,
				document.Text)
		}
		if !strings.Contains(document.Text, "Customers also") {
			t.Errorf("%s: what the page shows is lost:\n%s", name, document.Text)
		}
	}
}

// Of a text much longer than is kept, the rest is not worked on, and the document
// says so.
func TestLongTextIsCutEarly(t *testing.T) {
	words := "All on one line, with no end. "
	document, err := New(Options{MaxText: 1000, Timeout: time.Minute}).Extract(t.Context(),
		citewell.Page{URL: "http://long.example/", ContentType: "text/plain",
			Body: []byte(strings.Repeat(words, 1000))})
	if err != nil || len(document.Text) > 1000 || len(document.Text) < 900 ||
		!strings.Contains(document.Degraded, "only the first 2000 bytes of the text were read") {
		t.Errorf("%v, %d bytes, degraded %q", err, len(document.Text), document.Degraded)
	}
}

// A document says that its text ends before its page does, whatever it was that ended
// it, and says so of no other.
func TestTruncated(t *testing.T) {
	extracttest.Measured(t)
	if testing.Short() {
		t.Skip("takes seconds")
	}
	text := func(body string) citewell.Page {
		return citewell.Page{URL: "http://long.example/", ContentType: "text/plain", Body: []byte(body)}
	}
	cutOnItsWay := text("Words of a page.")
	cutOnItsWay.Outcome = citewell.FetchTruncated
	items := strings.Repeat("<item><title>A</title><description>Words.</description></item>", textual.MaxItems+1)
	for name, test := range map[string]struct {
		page    citewell.Page
		options Options
		want    bool
	}{
		"whole":      {text("Words of a page."), Options{}, false},
		"guessed":    {text("W\xf6rter einer Seite, die l\xe4nger w\xe4re."), Options{}, false},
		"body":       {text(strings.Repeat("Words of a page. ", 100)), Options{MaxBytes: 1000}, true},
		"text":       {text(strings.Repeat("Words of a page.\n\n", 100)), Options{MaxText: 1000}, true},
		"on_its_way": {cutOnItsWay, Options{}, true},
		"pages": {citewell.Page{URL: "http://long.example/",
			Body: extracttest.PDFOf(slices.Repeat([]string{"BT /F1 10 Tf 72 740 Td (Words of a page.) Tj ET"}, 40)...)},
			Options{MaxText: 100, Timeout: time.Minute}, true},
		"whole_pages": {citewell.Page{URL: "http://long.example/",
			Body: extracttest.PDFOf("BT /F1 10 Tf 72 740 Td (Words of a page.) Tj ET")},
			Options{Timeout: time.Minute}, false},
		"feed": {citewell.Page{URL: "http://long.example/", ContentType: "application/rss+xml",
			Body: []byte(`<rss version="2.0"><channel><title>T</title>` + items + "</channel></rss>")},
			Options{Timeout: time.Minute}, true},
		"many_parts": {citewell.Page{URL: "http://long.example/", ContentType: "text/html",
			Body: []byte("<p>Words of a page.</p>" + strings.Repeat("<b></b>", 2_000_000))},
			Options{Timeout: time.Minute}, true},
	} {
		d, err := New(test.options).Extract(t.Context(), test.page)
		if err != nil || d.Truncated != test.want {
			t.Errorf("%s: truncated %v, degraded %q, %v", name, d.Truncated, d.Degraded, err)
		}
	}
}

// A document says which character set its page was read as, and that it is a guess where nothing declares one.
func TestCharsetIsTold(t *testing.T) {
	const words = "Музей открыт каждый день, кроме понедельника. Приливная мельница снова смолола муку, и её можно " +
		"было купить у причала."
	body, err := charmap.Windows1251.NewEncoder().String(words)
	if err != nil {
		t.Fatal(err)
	}
	for contentType, degraded := range map[string]string{
		"text/plain; charset=windows-1251": "", "text/plain": "the character set is a guess: windows-1251",
		"text/html; charset=windows-1251": "", "text/html": "the character set is a guess: windows-1251",
	} {
		d, err := Extract(context.Background(), citewell.Page{URL: "http://quern.example/a", ContentType: contentType,
			Body: []byte(body)})
		if err != nil || d.Charset != "windows-1251" || d.Degraded != degraded || d.Text != words {
			t.Errorf("%s: %v, read as %s, degraded %q, text %q", contentType, err, d.Charset, d.Degraded, d.Text)
		}
	}
}
