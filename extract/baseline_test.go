package extract

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/markusmobius/go-trafilatura"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/realpart"
)

// libraryText is what the library that this package is measured against takes for
// a page's content.
func libraryText(address string, body []byte) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	result, err := trafilatura.Extract(bytes.NewReader(body), trafilatura.Options{
		OriginalURL: parsed, EnableFallback: true, Focus: trafilatura.FavorRecall, ExcludeComments: true,
	})
	if err != nil {
		return ""
	}
	return result.ContentText
}

// BenchmarkArticles and BenchmarkLibrary read the same 109 articles from bytes: this
// package to a whole document (text, Markdown, metadata, links, passages), the
// library to its text.
func BenchmarkArticles(b *testing.B) {
	e := New(Options{Timeout: time.Minute})
	eachArticle(b, func(address string, body []byte) int {
		d, err := e.Extract(context.Background(), citewell.Page{URL: address, ContentType: "text/html; charset=utf-8", Body: body})
		if err != nil {
			b.Error(err)
		}
		return len(d.Text)
	})
}

func BenchmarkLibrary(b *testing.B) {
	eachArticle(b, func(address string, body []byte) int { return len(libraryText(address, body)) })
}

func eachArticle(b *testing.B, read func(address string, body []byte) int) {
	folder := realpart.Data(b, "extraction-articles-dev")
	raw, err := os.ReadFile(filepath.Join(folder, "ground-truth.json"))
	if err != nil {
		b.Fatal(err)
	}
	var truth map[string]struct{ URL string }
	if err := json.Unmarshal(raw, &truth); err != nil {
		b.Fatal(err)
	}
	bodies, size := map[string][]byte{}, 0
	for id, article := range truth {
		bodies[article.URL] = gunzip(b, filepath.Join(folder, "html", id+".html.gz"))
		size += len(bodies[article.URL])
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		text := 0
		for address, body := range bodies {
			text += read(address, body)
		}
		if text == 0 {
			b.Fatal("no text")
		}
	}
}
