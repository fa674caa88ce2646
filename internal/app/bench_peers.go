//go:build peers

package app

import (
	"bytes"
	"context"
	"net/url"

	"github.com/markusmobius/go-trafilatura"

	"github.com/citewell/citewell/internal/bench"
)

// benchPeers is the library that extraction is measured against, first with the
// settings that read articles best, then with those that read other pages best.
func benchPeers() []bench.Reader {
	return []bench.Reader{
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
