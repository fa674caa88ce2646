package extract

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/extracttest"
	"github.com/citewell/citewell/internal/testing/realpart"
)

// BenchmarkArticles reads 109 articles from bytes to whole documents (text, Markdown,
// metadata, links, passages). Beside other readers bench/ measures them.
func BenchmarkArticles(b *testing.B) {
	e := New(Options{Timeout: time.Minute})
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
		bodies[article.URL] = extracttest.Gunzip(b, filepath.Join(folder, "html", id+".html.gz"))
		size += len(bodies[article.URL])
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		text := 0
		for address, body := range bodies {
			d, err := e.Extract(context.Background(), citewell.Page{
				URL: address, ContentType: "text/html; charset=utf-8", Body: body})
			if err != nil {
				b.Error(err)
			}
			text += len(d.Text)
		}
		if text == 0 {
			b.Fatal("no text")
		}
	}
}
