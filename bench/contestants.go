package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/bench/measure"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/relevance"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/provider"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/sqlite"
	"golang.org/x/sync/errgroup"
)

// What is measured is built from the parts' own defaults, never from a configuration: the
// figures are of the program, not of a setting.

// tenant is whose texts the indexes hold.
const tenant = "bench"

// timeout is what a page has when quality is measured: the deadline of a search
// is counted apart.
const timeout = 30 * time.Second

// readersOf are the contestants of extraction. halves is a folder with
// half0.bin and half1.bin, forests grown from one half of the pages each, or empty.
func readersOf(halves string) (measure.Readers, error) {
	readers := measure.Readers{Ours: ourReader(extract.Forests{}), Peers: readerPeers()}
	if halves == "" {
		return readers, nil
	}
	readers.Halves = new([2]measure.Reader)
	for i, name := range []string{"half0.bin", "half1.bin"} {
		raw, err := os.ReadFile(filepath.Join(halves, name))
		if err != nil {
			return readers, &citewell.Error{Code: citewell.CodeNotFound, Op: "bench",
				Message: halves + " has no " + name,
				Hint:    "make bin/halves/half1.bin grows them into bin/halves", Err: err}
		}
		forests, err := extract.ReadForests(raw)
		if err != nil {
			return readers, err
		}
		readers.Halves[i] = ourReader(forests)
	}
	return readers, nil
}

func ourReader(forests extract.Forests) measure.Reader {
	e := extract.New(extract.Options{Timeout: timeout, Forests: forests})
	return measure.Reader{Name: "citewell", Read: func(ctx context.Context, url string, body []byte) (string, error) {
		d, err := e.Extract(ctx, citewell.Page{URL: url, FinalURL: url, ContentType: "text/html; charset=utf-8",
			Body: body})
		return d.Text, err
	}}
}

// engines are the contestants of retrieval.
func engines() []measure.Engine {
	return append([]measure.Engine{
		{Name: "citewell, store full text", Open: openTextIndex(writers), Together: writers,
			Note: "keeps and compresses the text, finds its snippets in it"},
		{Name: "citewell, the same by one caller", Open: openTextIndex(1), Together: 1, Again: true,
			Note: "who waits for each to be on disk"},
		{Name: "citewell, the same in batches", Open: openBatchedIndex,
			Note: "one call for all texts, as a program of its own would"},
		{Name: "citewell, BM25 in memory", Open: openMemoryIndex, Note: "ranks passages; its index is not kept"},
	}, enginePeers()...)
}

// A textIndex is the embedded store's, given single documents by some callers at once.
type textIndex struct {
	*sqlite.Store
	db      *sqlite.DB
	callers int
}

func openTextIndex(callers int) func(context.Context, string) (measure.Index, error) {
	return func(ctx context.Context, dir string) (measure.Index, error) {
		db, err := sqlite.Open(ctx, dir, sqlite.Options{})
		if err != nil {
			return nil, err
		}
		return textIndex{db.Tenant(tenant), db, callers}, nil
	}
}

// writers is how many documents are handed to the store at once, as when a folder is
// indexed.
const writers = 32

func (x textIndex) Add(ctx context.Context, texts []measure.Text) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(x.callers)
	for _, t := range texts {
		group.Go(func() error {
			return x.IndexDocument(ctx, citewell.Document{URL: t.ID, Title: t.Title, Text: t.Text,
				Language: t.Language}, "")
		})
	}
	return group.Wait()
}

func (x textIndex) Search(ctx context.Context, query string, limit int) ([]string, error) {
	return x.find(ctx, store.TextQuery{Text: query, Limit: limit})
}

func (x textIndex) find(ctx context.Context, query store.TextQuery) ([]string, error) {
	hits, err := x.SearchText(ctx, query)
	ids := make([]string, len(hits))
	for i, hit := range hits {
		ids[i] = hit.URL
	}
	return ids, err
}

func (x textIndex) Close() error { return x.db.Close() }

// A batchedIndex is the same, given all texts at once.
type batchedIndex struct{ textIndex }

func openBatchedIndex(ctx context.Context, dir string) (measure.Index, error) {
	x, err := openTextIndex(0)(ctx, dir)
	if err != nil {
		return nil, err
	}
	return batchedIndex{x.(textIndex)}, nil
}

func (x batchedIndex) Add(ctx context.Context, texts []measure.Text) error {
	docs := make([]store.TextDocument, len(texts))
	for i, t := range texts {
		docs[i] = store.TextDocument{ID: t.ID, URL: t.ID, Title: t.Title, Text: t.Text, Language: t.Language}
	}
	return x.IndexDocuments(ctx, store.Library, docs)
}

// growthEngines are the contestants of growth.
func growthEngines() []measure.Engine {
	return append([]measure.Engine{{Name: "citewell, store full text", Open: openBatchedIndex, Note: "with snippets"}},
		enginePeers()...)
}

// SearchFolder implements measure.FolderIndex.
func (x textIndex) SearchFolder(ctx context.Context, folder, query string, limit int) ([]string, error) {
	return x.find(ctx, store.TextQuery{Text: query, URLPrefix: folder, Limit: limit})
}

// A memoryIndex is package rank's.
type memoryIndex struct {
	ids   []string
	index *relevance.Index
}

func openMemoryIndex(context.Context, string) (measure.Index, error) { return &memoryIndex{}, nil }

func (x *memoryIndex) Add(_ context.Context, texts []measure.Text) error {
	docs := make([][]string, len(texts))
	for i, t := range texts {
		x.ids = append(x.ids, t.ID)
		docs[i] = text.Terms(t.Title+"\n"+t.Text, t.Language)
	}
	x.index = relevance.NewIndex(docs)
	return nil
}

func (x *memoryIndex) Search(_ context.Context, query string, limit int) ([]string, error) {
	scores := x.index.Score(text.Terms(query, "en"))
	order := make([]int, 0, len(scores))
	for i, s := range scores {
		if s > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	ids := make([]string, min(limit, len(order)))
	for i := range ids {
		ids[i] = x.ids[order[i]]
	}
	return ids, nil
}

func (x *memoryIndex) Close() error { return nil }

// loopback is where the simulated web is.
var loopback = egress.MustParseNetworks("127.0.0.0/8", "::1/128")

// openPipeline is the contestant of search: the parts of a search with their
// defaults over a store of its own, which done removes.
func openPipeline(ctx context.Context, engines []measure.Endpoint) (func(context.Context, string,
	int) (citewell.Brief, error), func() error, error) {
	guard, err := egress.NewGuard(egress.Options{AllowNetworks: loopback})
	if err != nil {
		return nil, nil, err
	}
	var providers []search.Provider
	for _, e := range engines {
		p, err := provider.New("searxng", provider.Deps{Guard: guard,
			Settings: map[string]provider.Settings{"searxng": {BaseURL: e.URL}}})
		if err != nil {
			return nil, nil, err
		}
		providers = append(providers, search.Guarded(renamed{p, e.Name}, provider.Deps{}.Limits("searxng")))
	}
	dir, err := os.MkdirTemp("", "citewell-bench-")
	if err != nil {
		return nil, nil, err
	}
	db, err := sqlite.Open(ctx, dir, sqlite.Options{})
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	client := fetch.New(fetch.Options{Guard: guard})
	done := func() error {
		client.Close()
		return errors.Join(db.Close(), os.RemoveAll(dir))
	}
	w := brief.New(brief.Options{Providers: providers, Fetcher: client, Extract: extract.New(extract.Options{}).Extract,
		Archive: db.Tenant(tenant)})
	ask := func(ctx context.Context, question string, depth int) (citewell.Brief, error) {
		return w.Write(ctx, brief.Request{Query: citewell.Query{Text: question}, Depth: depth, Fresh: true})
	}
	return ask, done, nil
}

// renamed lets one kind of provider take part several times.
type renamed struct {
	search.Provider
	name string
}

func (r renamed) Name() string { return r.name }

// getters are the contestants of fetch, bare net/http first.
func getters() []measure.Getter {
	return []measure.Getter{
		{Name: "bare net/http", Open: func(kept bool) (func(context.Context, string) (int, error), func(), error) {
			t := &http.Transport{DisableCompression: true, DisableKeepAlives: !kept}
			return roundTrip(t, func(_ context.Context, resp *http.Response) ([]byte, error) {
				defer resp.Body.Close()
				return io.ReadAll(resp.Body)
			}), t.CloseIdleConnections, nil
		}},
		{Name: "through the guard", Note: "every address judged, the body within its limits",
			Open: func(kept bool) (func(context.Context, string) (int, error), func(), error) {
				guard, err := egress.NewGuard(egress.Options{AllowNetworks: loopback})
				if err != nil {
					return nil, nil, err
				}
				t := guard.Transport()
				t.DisableKeepAlives = !kept
				return roundTrip(t, func(ctx context.Context, resp *http.Response) ([]byte, error) {
					body, _, err := httpwire.ReadBody(ctx, resp, httpwire.Budget{})
					return body, err
				}), t.CloseIdleConnections, nil
			}},
		{Name: "fetch.Client", Note: "guard, robots.txt, turns at hosts, redirects, retry, hash; no pause between " +
			"requests", Open: openClient},
	}
}

func roundTrip(t *http.Transport, read func(context.Context, *http.Response) ([]byte, error)) func(context.Context,
	string) (int, error) {
	return func(ctx context.Context, url string) (int, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return 0, err
		}
		resp, err := t.RoundTrip(req)
		if err != nil {
			return 0, err
		}
		body, err := read(ctx, resp)
		return len(body), err
	}
}

// openClient opens the whole client; it keeps its connections.
func openClient(kept bool) (func(context.Context, string) (int, error), func(), error) {
	if !kept {
		return nil, nil, nil
	}
	guard, err := egress.NewGuard(egress.Options{AllowNetworks: loopback})
	if err != nil {
		return nil, nil, err
	}
	client := fetch.New(fetch.Options{Guard: guard, Spacing: -1})
	get := func(ctx context.Context, url string) (int, error) {
		page, err := client.Get(ctx, fetch.Request{URL: url})
		return len(page.Body), err
	}
	return get, client.Close, nil
}
