package extract

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citewell/citewell"
)

func TestReadFeed(t *testing.T) {
	read := func(file string) []byte {
		data, err := os.ReadFile("testdata/feed/" + file)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	latin := []byte("<?xml version=\"1.0\"?>\n<!-- made by hand -->\n<rdf:RDF " +
		"xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" " +
		"xmlns=\"http://purl.org/rss/1.0/\"><channel><title>M\xfchle</title></channel>" +
		"<item><title>Gr\xfc\xdfe</title><link>/gruss</link></item><item><title>Nowhere</title><link>http://[</link>" +
		"</item></rdf:RDF>")
	for name, test := range map[string]struct {
		page citewell.Page
		want Feed
		code citewell.Code
	}{
		"rss": {citewell.Page{URL: "https://quern.example/feed", ContentType: "text/html", Body: read("rss.xml")},
			Feed{"Mill news & more", []FeedItem{
				{"New stones arrived", "https://quern.example/stones", "2025-03-03",
					"Two stones of basalt arrived on Monday. - upper - lower After all."},
				{"Flood &file; warning", "https://quern.example/flood", "", "The river rose by 40 cm."}}}, ""},
		"atom": {citewell.Page{URL: "https://quern.example/feed", Body: read("atom.xml")},
			Feed{"Mühlennachrichten", []FeedItem{
				{"Neue Steine", "https://quern.example/steine", "2025-03-03", "Zwei Steine aus Basalt sind da."},
				{"Hochwasser", "", "", "Der Fluss stieg um 40 cm."}}}, ""},
		"rdf, relative, of another charset": {citewell.Page{URL: "http://a.example/",
			FinalURL: "https://b.example/feeds/all", ContentType: "text/xml; charset=iso-8859-1", Body: latin},
			Feed{"Mühle", []FeedItem{{Title: "Grüße", URL: "https://b.example/gruss"}, {Title: "Nowhere"}}}, ""},
		"empty": {citewell.Page{Body: []byte(`<rss version="2.0"><channel><title>T</title></channel></rss>`)},
			Feed{Title: "T"}, ""},
		"a page": {citewell.Page{ContentType: "application/rss+xml",
			Body: []byte("<!doctype html><html><body><rss>no</rss>")}, Feed{}, citewell.CodeUnsupportedType},
		"noise": {citewell.Page{Body: []byte("\x00\xff\x1f{[<")}, Feed{}, citewell.CodeUnsupportedType},
		"none":  {citewell.Page{}, Feed{}, citewell.CodeEmptyBody},
	} {
		got, err := ReadFeed(t.Context(), test.page)
		if diff := cmp.Diff(test.want, got); citewell.CodeOf(err) != test.code || diff != "" {
			t.Errorf("%s: %v, want - got +\n%s", name, err, diff)
		}
	}
	long := `<rss version="2.0"><channel>` + strings.Repeat("<item><title>t</title><description>"+
		strings.Repeat("word &lt;p&gt;", 5000)+"</description></item>", 2) +
		strings.Repeat("<item><title>t</title></item>", 3000) + "</channel></rss>"
	got, err := ReadFeed(t.Context(), citewell.Page{Body: []byte(long)})
	if err != nil || len(got.Items) != 2000 || len(got.Items[0].Text) > 8<<10 || len(got.Items[0].Text) < 7<<10 {
		t.Errorf("%d items, the first of %d bytes; %v", len(got.Items), len(got.Items[0].Text), err)
	}
}
