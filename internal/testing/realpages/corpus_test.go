package realpages

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/citewell/citewell/internal/testing/score"
	"github.com/citewell/citewell/library"
)

// emptyPages are those of the data set that have no text of their own: they send
// the reader on by script or by a refresh.
const emptyPages = 3

// readPages gives the pages by their path, as in sqlite/wal.html.
func readPages(name string) (map[string][]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	pages := map[string][]byte{}
	for entries := tar.NewReader(plain); ; {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return pages, nil
		}
		if err != nil {
			return nil, err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		if pages[path.Clean(header.Name)], err = io.ReadAll(entries); err != nil {
			return nil, err
		}
	}
}

// sites serves the first folder of each page's path as a site of its own: the page
// sqlite/wal.html is http://sqlite.localhost/wal.html.
func sites(pages map[string][]byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		name := strings.TrimSuffix(host, ".localhost") + r.URL.Path
		body, ok := pages[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		kind := "text/html; charset=utf-8"
		if path.Ext(name) == ".md" {
			kind = "text/markdown; charset=utf-8"
		}
		w.Header().Set("Content-Type", kind)
		w.Write(body)
	})
}

// A corpus is an app that has all pages in its index.
type corpus struct {
	app     *app.App
	port    string
	summary library.Summary
	took    time.Duration
	pages   int
	err     error
}

// indexed indexes the pages once for all tests, since that takes the longest.
var indexed = sync.OnceValue(func() *corpus {
	c := &corpus{}
	name, found := realpart.FindData("demo-web", "pages.tar.gz")
	if !found {
		return c
	}
	pages, err := readPages(name)
	if err != nil {
		c.err = err
		return c
	}
	c.pages = len(pages)
	server := httptest.NewServer(sites(pages))
	defer server.Close() // a brief reads indexed pages from the store
	c.port = server.URL[strings.LastIndex(server.URL, ":"):]
	if c.app, c.err = open(); c.err == nil {
		c.err = c.index(pages)
	}
	return c
})

// folder keeps the store; TestMain removes it. isOpen says that there is one.
var (
	folder string
	isOpen bool
)

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "citewell-realpages-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if isOpen {
		indexed().app.Close()
	}
	os.RemoveAll(folder)
	os.Exit(code)
}

// open opens an app with a store of its own, which may fetch from loopback.
func open() (*app.App, error) {
	loaded := config.Loaded{Config: config.Default()}
	loaded.Config.Store.URL = "sqlite:" + filepath.Join(folder, "store")
	loaded.Config.Fetch.AllowNetworks = egress.MustParseNetworks("127.0.0.0/8")
	loaded.Config.Brief.Deadlines.Extract = 20 * time.Second // the race detector is slow
	loaded.Paths.Cache = filepath.Join(folder, "cache")
	a, err := app.Open(context.Background(), app.Options{Config: loaded, Version: "test"})
	isOpen = err == nil
	return a, err
}

// index reads every page by its URL, the sites side by side. The pause between two
// requests to one site is left out: the site is ours.
func (c *corpus) index(pages map[string][]byte) error {
	client := fetch.New(fetch.Options{Guard: c.app.Guard, UserAgent: "Citewell/test", Spacing: time.Nanosecond})
	defer client.Close()
	lib := library.New(library.Options{Fetcher: client, Extract: c.app.Extract.Extract, Store: c.app.Store})
	targets := map[string][]string{}
	for name := range pages {
		site, _, _ := strings.Cut(name, "/")
		targets[site] = append(targets[site], c.url(name))
	}
	began := time.Now()
	group, ctx := errgroup.WithContext(context.Background())
	var mu sync.Mutex
	for _, urls := range targets {
		group.Go(func() error {
			slices.Sort(urls)
			sum, err := lib.Index(ctx, urls, nil)
			mu.Lock()
			defer mu.Unlock()
			c.summary.Indexed += sum.Indexed
			c.summary.Skipped += sum.Skipped
			c.summary.Failed += sum.Failed
			return err
		})
	}
	err := group.Wait()
	c.took = time.Since(began)
	return err
}

// url is where a page of the archive is served.
func (c *corpus) url(name string) string {
	site, rest, _ := strings.Cut(name, "/")
	return "http://" + site + ".localhost" + c.port + "/" + rest
}

// page is the path in the archive of a page served at url.
func (c *corpus) page(url string) string {
	host, rest, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	return strings.TrimSuffix(host, ".localhost"+c.port) + "/" + rest
}

// opened gives the corpus, or skips the test where the data is missing.
func opened(t *testing.T) *corpus {
	t.Helper()
	if testing.Short() {
		t.Skip("indexing some hundred pages takes seconds")
	}
	c := indexed()
	if c.err != nil {
		t.Fatal(c.err)
	}
	if c.app == nil {
		realpart.Data(t, "demo-web", "pages.tar.gz") // which skips
	}
	return c
}

func TestIndex(t *testing.T) {
	if score.RaceDetector {
		t.Skip("measured without the race detector")
	}
	c := opened(t)
	t.Logf("%d pages in %s", c.pages, c.took.Round(time.Millisecond))
	if c.summary.Indexed != c.pages-emptyPages || c.summary.Skipped != emptyPages || c.summary.Failed != 0 {
		t.Errorf("of %d pages: %+v, want all but %d indexed", c.pages, c.summary, emptyPages)
	}
	n, err := c.app.Store.CountDocuments(t.Context(), "")
	if err != nil || n != c.summary.Indexed {
		t.Errorf("the store counts %d documents (%v), want %d", n, err, c.summary.Indexed)
	}
}

// ask writes a brief as citewell search --provider local does.
func (c *corpus) ask(t *testing.T, question string) citewell.Brief {
	t.Helper()
	writer, err := c.app.Brief(t.Context(), agentplan.Sources{Providers: []string{"local"}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := writer.Write(t.Context(), request(question))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
