package brief

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/weburl"
	"github.com/citewell/citewell/search"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A fakeProvider answers after a while.
type fakeProvider struct {
	name   string
	after  time.Duration
	search func(ctx context.Context, q citewell.Query) ([]citewell.Result, error)
}

func (p *fakeProvider) Name() string { return p.name }

func (p *fakeProvider) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	if err := pause(ctx, p.after); err != nil {
		return nil, err
	}
	return p.search(ctx, q)
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// finds is a provider that finds these URLs, in this order.
func finds(name string, after time.Duration, urls ...string) *fakeProvider {
	return &fakeProvider{name, after, func(context.Context, citewell.Query) ([]citewell.Result, error) {
		results := make([]citewell.Result, len(urls))
		for i, u := range urls {
			results[i] = citewell.Result{Provider: name, Title: "Amber cranes " + u, URL: u,
				Snippet: "Amber cranes breed in the marshes, says " + weburl.Host(u) + ".", Rank: i + 1}
		}
		return results, nil
	}}
}

func failsWith(name string, after time.Duration, code citewell.Code) *fakeProvider {
	return &fakeProvider{name, after, func(context.Context, citewell.Query) ([]citewell.Result, error) {
		return nil, &citewell.Error{Code: code, Message: name + " says no"}
	}}
}

// A fakeWeb gives pages by URL and counts what was asked for.
type fakeWeb struct {
	pages map[string]fakePage // what is missing is a page of a few sentences, at once

	mu    sync.Mutex
	asked []string
	ended map[string]error // of fetches that did not bring a page
}

type fakePage struct {
	text  string
	after time.Duration
	err   error
	deaf  bool // it does not heed its context
}

func (w *fakeWeb) Get(ctx context.Context, r fetch.Request) (citewell.Page, error) {
	w.mu.Lock()
	w.asked = append(w.asked, r.URL)
	w.mu.Unlock()
	p := w.pages[r.URL]
	if p.text == "" {
		p.text = "Some 212 amber cranes breed in the marshes near " + weburl.Host(r.URL) + ". The marshes are wet."
	}
	err := p.err
	if p.deaf {
		time.Sleep(p.after)
	} else if ended := pause(ctx, p.after); ended != nil {
		err = ended
	}
	if err != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.ended == nil {
			w.ended = map[string]error{}
		}
		w.ended[r.URL] = err
		return citewell.Page{}, err
	}
	return citewell.Page{URL: r.URL, FinalURL: r.URL, Status: 200, ContentType: "text/plain", Body: []byte(p.text),
		SHA256: citewell.SHA256([]byte(p.text)), FetchedAt: time.Now().UTC(), Outcome: citewell.FetchOK}, nil
}

func (w *fakeWeb) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.asked)
}

// plainText makes each paragraph of a page a passage.
func plainText(_ context.Context, page citewell.Page) (citewell.Document, error) {
	text := string(page.Body)
	doc := citewell.Document{URL: page.FinalURL, MediaType: "text/plain", Text: text,
		TextSHA256: citewell.SHA256(page.Body), Extractor: citewell.Extractor{ID: "plain", Version: 1}}
	start := 0
	for _, block := range strings.SplitAfter(text, "\n\n") {
		trimmed := strings.TrimRight(block, "\n")
		if trimmed != "" {
			doc.Passages = append(doc.Passages, citewell.Passage{Start: start, End: start + len(trimmed),
				Text: trimmed})
		}
		start += len(block)
	}
	return doc, nil
}

// memory is an archive and a cache that forget when the test ends.
type memory struct {
	mu        sync.Mutex
	snapshots map[string]snapshot // by final URL
	sources   int
	briefs    map[string]citewell.Brief
	cache     map[string][]byte
	fails     map[string]error // by method
}

type snapshot struct {
	page citewell.Page
	doc  citewell.Document
}

func newMemory() *memory {
	return &memory{snapshots: map[string]snapshot{}, briefs: map[string]citewell.Brief{}, cache: map[string][]byte{},
		fails: map[string]error{}}
}

func (m *memory) lock() func() { m.mu.Lock(); return m.mu.Unlock }

func (m *memory) PutSnapshot(_ context.Context, page citewell.Page, doc citewell.Document) error {
	defer m.lock()()
	m.snapshots[page.FinalURL] = snapshot{page, doc}
	return m.fails["PutSnapshot"]
}

func (m *memory) Snapshot(_ context.Context, finalURL string) (citewell.Page, citewell.Document, error) {
	defer m.lock()()
	s, ok := m.snapshots[finalURL]
	if !ok {
		return s.page, s.doc, &citewell.Error{Code: citewell.CodeNotFound}
	}
	return s.page, s.doc, nil
}

func (m *memory) AddSource(context.Context, string, citewell.Source, []citewell.Passage) error {
	defer m.lock()()
	m.sources++
	return m.fails["AddSource"]
}

func (m *memory) PutBrief(_ context.Context, b citewell.Brief) error {
	defer m.lock()()
	m.briefs[b.ID] = b
	return m.fails["PutBrief"]
}

func (m *memory) Brief(_ context.Context, id string) (citewell.Brief, error) {
	defer m.lock()()
	b, ok := m.briefs[id]
	if !ok {
		return b, &citewell.Error{Code: citewell.CodeNotFound}
	}
	return b, nil
}

func (m *memory) CacheGet(_ context.Context, key string) ([]byte, time.Time, bool, error) {
	defer m.lock()()
	value, ok := m.cache[key]
	return value, time.Time{}, ok, m.fails["CacheGet"]
}

func (m *memory) CachePut(_ context.Context, key string, value []byte, _ time.Duration) error {
	defer m.lock()()
	m.cache[key] = value
	return m.fails["CachePut"]
}

// writer is a Writer over fakes; o fills in what the test is about.
func writer(o Options, providers ...search.Provider) (*Writer, *fakeWeb, *memory) {
	web, archive := &fakeWeb{}, newMemory()
	o.Providers = providers
	if o.Fetcher == nil {
		o.Fetcher = web
	} else {
		web = o.Fetcher.(*fakeWeb)
	}
	if o.Extract == nil {
		o.Extract = plainText
	}
	if o.Archive == nil {
		o.Archive = archive
	} else {
		archive = o.Archive.(*memory)
	}
	return New(o), web, archive
}

const cranes = "How many amber cranes breed in the marshes?"

func write(t *testing.T, w *Writer, depth int) citewell.Brief {
	t.Helper()
	b, err := w.Write(t.Context(), Request{Query: citewell.Query{Text: cranes}, Depth: depth})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func wantCode(t *testing.T, err error, code citewell.Code) {
	t.Helper()
	if got := citewell.CodeOf(err); got != code {
		t.Fatalf("code %q (%v), want %q", got, err, code)
	}
}

// fetched gives the outcome of each fetch by host.
func fetched(b citewell.Brief) map[string]citewell.FetchOutcome {
	outcomes := map[string]citewell.FetchOutcome{}
	for _, f := range b.Coverage.Fetches {
		outcomes[weburl.Host(f.URL)] = f.Outcome
	}
	return outcomes
}

func hostsOf(b citewell.Brief) string {
	var hosts []string
	for _, s := range b.Sources {
		hosts = append(hosts, s.Host)
	}
	return strings.Join(hosts, " ")
}

func said(b citewell.Brief) string {
	var all strings.Builder
	for _, f := range b.Findings {
		all.WriteString(f.Text + "\n")
	}
	return all.String()
}
