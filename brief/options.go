package brief

import (
	"context"
	"slices"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/search"
)

// Defaults and bounds of a Request and a ResearchRequest.
const (
	DefaultDepth    = 3  // sources that are read
	DefaultOwnDepth = 10 // the same, where only the user's own documents are asked
	MaxDepth        = 10

	DefaultResearchDepth = 2 // fan-outs; one of many queries is one search
	MaxResearchDepth     = 3
	DefaultMaxSources    = 5
	MaxMaxSources        = 10
)

// Options are the parts a Writer works with. Providers, Fetcher, Extract and
// Archive are required.
type Options struct {
	Providers []search.Provider // of several with one name, the first is asked
	Fetcher   Fetcher
	Extract   func(context.Context, citewell.Page) (citewell.Document, error)
	Archive   Archive
	Copies    bool     // whether the web's archive is asked for copies of results that are gone
	Models    []Model  // asked in this order; none means extractive findings
	Embedder  Embedder // for the choice of what is quoted; nil means by words
	Reranker  Reranker // of passages; nil leaves them as words and meaning rank them
	// code of the language that a model writes in, where the question asks for none; "" is the question's
	Language  string
	Deadlines Deadlines
	Lenses    map[string]search.Scope         // by their names, for Scope
	Named     bool                            // Providers were named, for Scope
	PerDomain int                             // sources of one registered domain; 2 when 0
	Cache     Cache                           // of whole briefs; nil keeps none
	Log       func(message string, err error) // what went wrong and hurt nobody; nil drops it
	// Standing says what registers have of a work that is cited, and whether it still stands:
	// it is asked at the end, of those of which no provider has said so. Nil asks nobody.
	Standing func(ctx context.Context, w citewell.Work) (citewell.Work, error)
	// Judge says of each claim what its sources say of it, with an empty Verdict where it cannot; nil
	// leaves what words cannot decide undecided.
	Judge func(ctx context.Context, question, topic string, about []*cite.Inquiry) ([]cite.Opinion, error)
	// JudgeReport says how far the judge is believed; nil says nothing.
	JudgeReport func(ctx context.Context) citewell.JudgeReport
	Weighed     func(query string, sentences []Weighed) // told what was looked at, for learning from it; may be nil
}

// A Fetcher gets a page; fetch.Client is one.
type Fetcher interface {
	Get(ctx context.Context, r fetch.Request) (citewell.Page, error)
}

// An Archive keeps what is cited; a store is one. Snapshot also gives the pages
// of indexed documents, which are read from there and not from the network.
type Archive interface {
	PutSnapshot(ctx context.Context, page citewell.Page, doc citewell.Document) error
	Snapshot(ctx context.Context, finalURL string) (citewell.Page, citewell.Document, error)
	AddSource(ctx context.Context, brief string, source citewell.Source, passages []citewell.Passage) error
	PutBrief(ctx context.Context, brief citewell.Brief) error
	Brief(ctx context.Context, id string) (citewell.Brief, error)
}

// A Model answers a request with JSON of a given schema; llm.Client is one.
type Model interface {
	Name() string
	Decode(ctx context.Context, r llm.Request, out any) (llm.Reply, error)
}

// An Embedder gives texts as vectors of unit length, in their order; llm.Embeddings is one.
type Embedder interface {
	Name() string
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// A Reranker says how well each text answers a question, in numbers that are comparable
// within one answer; llm.Reranker is one.
type Reranker interface {
	Name() string
	Rerank(ctx context.Context, question string, texts []string) ([]float64, error)
}

// Weighed is a sentence that was looked at, and its signals for the first aspect of
// the question: what the weights are learnt from.
type Weighed struct {
	Text    string
	Signals []float64
}

// A Cache remembers for a while which brief of the Archive answers a question.
type Cache interface {
	CacheGet(ctx context.Context, key string) (value []byte, put time.Time, ok bool, err error)
	CachePut(ctx context.Context, key string, value []byte, ttl time.Duration) error
}

// Deadlines bound the stages. A zero field means the default beside it.
type Deadlines struct {
	// 5 s, of each provider from when it is really asked, and before that for its turn; a search.Patient one has longer
	Fanout  time.Duration
	Fetch   time.Duration // 6 s, each page with its robots.txt, waits and retry
	Extract time.Duration // 2 s, each page
	// Synthesis is 10 s of silence for the first model, and half of it for each further one. 0 also
	// waits for a last one on loopback to the end.
	Synthesis time.Duration
	Total     time.Duration // 25 s; in a context with a searchcall.Wait its Until instead
}

const defaultSynthesis = 10 * time.Second

func (d Deadlines) withDefaults() Deadlines {
	set := func(v *time.Duration, otherwise time.Duration) {
		if *v <= 0 {
			*v = otherwise
		}
	}
	set(&d.Fanout, 5*time.Second)
	set(&d.Fetch, 6*time.Second)
	set(&d.Extract, 2*time.Second)
	set(&d.Total, 25*time.Second)
	return d
}

// A Request is one question.
type Request struct {
	Query    citewell.Query
	Sources  search.Scope // where to look; its zero value is what the question calls for
	Depth    int          // sources to read, 1..10; when 0, 3, or 10 where only the user's own documents are asked
	Fresh    bool         // no brief, answer of a provider or page comes from the cache
	Progress func(Event)  // called from many goroutines, one at a time; may be nil
}

// A Writer writes briefs.
type Writer struct{ o Options }

// New returns a Writer over the given parts.
func New(o Options) *Writer {
	o.Deadlines = o.Deadlines.withDefaults()
	if o.PerDomain <= 0 {
		o.PerDomain = 2
	}
	if o.Log == nil {
		o.Log = func(string, error) {}
	}
	var providers []search.Provider
	for _, p := range o.Providers {
		if !slices.ContainsFunc(providers, func(known search.Provider) bool { return known.Name() == p.Name() }) {
			providers = append(providers, p)
		}
	}
	o.Providers = providers
	return &Writer{o}
}

// Scope reads where to look: names of kinds of sources, or that of one of the lenses.
func (w *Writer) Scope(names []string) (search.Scope, error) {
	scope, err := search.ParseScope(names, w.o.Lenses)
	scope.Named = w.o.Named
	return scope, err
}
