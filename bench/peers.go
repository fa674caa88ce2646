package main

import (
	"bytes"
	"context"
	"net/url"
	"path/filepath"

	"github.com/blevesearch/bleve/v2"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/en" // its English analyzer
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/markusmobius/go-trafilatura"

	"github.com/citewell/citewell/bench/measure"
)

// readerPeers is the library that extraction is measured against, first with the
// settings that read articles best, then with those that read other pages best.
func readerPeers() []measure.Reader {
	return []measure.Reader{
		{Name: "go-trafilatura, recall", Read: trafilaturaReader(false)},
		{Name: "go-trafilatura, recall, fallback", Read: trafilaturaReader(true)},
	}
}

func trafilaturaReader(fallback bool) func(context.Context, string, []byte) (string, error) {
	return func(_ context.Context, address string, body []byte) (string, error) {
		parsed, err := url.Parse(address)
		if err != nil {
			return "", err
		}
		result, err := trafilatura.Extract(bytes.NewReader(body), trafilatura.Options{
			OriginalURL: parsed, EnableFallback: fallback, Focus: trafilatura.FavorRecall, ExcludeComments: true,
		})
		if err != nil {
			return "", err
		}
		return result.ContentText, nil
	}
}

// enginePeers is bleve with its English analyzer, as its documents show it: all
// texts in one batch, kept on disk.
func enginePeers() []measure.Engine {
	return []measure.Engine{{Name: "bleve 2.5.7, scorch, en", Open: openBleve,
		Note: "one batch; keeps the text; ten titles and no snippets"}}
}

type bleveIndex struct{ bleve.Index }

func openBleve(_ context.Context, dir string) (measure.Index, error) {
	mapping := bleve.NewIndexMapping()
	mapping.DefaultAnalyzer = "en"
	index, err := bleve.NewUsing(filepath.Join(dir, "bleve"), mapping, scorch.Name, scorch.Name, nil)
	return bleveIndex{index}, err
}

func (x bleveIndex) Add(_ context.Context, texts []measure.Text) error {
	batch := x.NewBatch()
	for _, t := range texts {
		if err := batch.Index(t.ID, map[string]string{"title": t.Title, "text": t.Text}); err != nil {
			return err
		}
	}
	return x.Batch(batch)
}

func (x bleveIndex) Search(ctx context.Context, query string, limit int) ([]string, error) {
	request := bleve.NewSearchRequestOptions(bleve.NewMatchQuery(query), limit, 0, false)
	request.Fields = []string{"title"}
	found, err := x.SearchInContext(ctx, request)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(found.Hits))
	for i, hit := range found.Hits {
		ids[i] = hit.ID
	}
	return ids, nil
}
