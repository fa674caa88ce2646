package llm

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
)

// Bounds of one request for embeddings. Hugging Face's server takes 32 texts by default; others take more.
const (
	batchTexts = 32
	batchBytes = 128 << 10
)

// vectorTTL is how long a vector is kept. If a server puts another model behind a name, a month ends the mixture.
const vectorTTL = 30 * 24 * time.Hour

// A Cache keeps vectors; store.Cache is one.
type Cache interface {
	CacheGet(ctx context.Context, key string) (value []byte, put time.Time, ok bool, err error)
	CachePut(ctx context.Context, key string, value []byte, ttl time.Duration) error
}

// EmbeddingOptions say which embedding model and how it is asked.
type EmbeddingOptions struct {
	BaseURL    string // DefaultBaseURL when empty
	APIKey     citewell.Secret
	Model      string
	Dimensions int           // of a vector; 0 takes what the model gives first
	MaxWait    time.Duration // longest Retry-After that is waited out; 10 s when 0
	Cache      Cache         // nil keeps nothing
	Guard      *egress.Guard // every connection goes through it; egress.Default when nil
	// hears of each request when it is over, as EndpointsOptions.Heard; nil hears nothing
	Heard func(context.Context, Exchange)
}

// Embeddings asks one embedding model at one endpoint for vectors of unit length, in batches, and keeps them by
// endpoint, model, dimensions and text. What is not the caller's fault is tried three times. A call sends one request
// at a time; ctx bounds it, with its waiting.
//
// Errors are those of Client, invalid_argument for a text that is empty or longer than MaxEmbeddingText, and
// bad_response for vectors that are too few, too many, of another dimension or no numbers.
type Embeddings struct {
	o        EmbeddingOptions
	endpoint *endpoint
	size     atomic.Int64 // dimensions, once they are known
	plain    atomic.Bool  // the endpoint refuses to be told the dimensions
}

// NewEmbeddings returns Embeddings. invalid_config where the endpoint or the model is missing or wrong.
func NewEmbeddings(o EmbeddingOptions) (*Embeddings, error) {
	switch {
	case o.Model == "":
		return nil, &citewell.Error{Code: citewell.CodeInvalidConfig, Message: "embedding.model is not set",
			Hint: "name the embedding model that the endpoint serves"}
	case o.Dimensions < 0:
		return nil, &citewell.Error{Code: citewell.CodeInvalidConfig, Message: "embedding.dimensions is negative",
			Hint: "leave it out to take what the model gives"}
	case o.BaseURL == "":
		o.BaseURL = DefaultBaseURL
	}
	at, err := newEndpoint("embedding", o.BaseURL, "embeddings", o.APIKey, o.MaxWait, o.Guard)
	if err != nil {
		return nil, err
	}
	at.heardBy(o.Heard, KindEmbedding, o.Model)
	e := &Embeddings{o: o, endpoint: at}
	e.size.Store(int64(o.Dimensions))
	return e, nil
}

// Name is the model's name.
func (e *Embeddings) Name() string { return e.o.Model }

// Dimensions of a vector; 0 while neither the settings nor an answer told them.
func (e *Embeddings) Dimensions() int { return int(e.size.Load()) }

// Close closes connections that nobody uses any more. Embeddings can be used on.
func (e *Embeddings) Close() { e.endpoint.http.CloseIdleConnections() }

// Embed returns the vectors of texts in their order, each of unit length. An error means that there are none.
func (e *Embeddings) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	asked := map[string][]int{} // where a text that is not kept stands
	var order []string
	for i, text := range texts {
		switch {
		case strings.TrimSpace(text) == "":
			return nil, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "embedding",
				Message: fmt.Sprintf("text %d is empty", i)}
		case len(text) > MaxEmbeddingText:
			return nil, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "embedding",
				Message: fmt.Sprintf("text %d has %d bytes; at most %d are embedded", i, len(text), MaxEmbeddingText)}
		}
		if vectors[i] = e.kept(ctx, text); vectors[i] != nil {
			continue
		}
		if len(asked[text]) == 0 {
			order = append(order, text)
		}
		asked[text] = append(asked[text], i)
	}
	for len(order) > 0 {
		n, bytes := 0, 0
		for n < len(order) && n < batchTexts && (n == 0 || bytes+len(order[n]) <= batchBytes) {
			bytes += len(order[n])
			n++
		}
		found, err := e.batch(ctx, order[:n])
		if err != nil {
			return nil, err
		}
		for i, text := range order[:n] {
			e.keepVector(ctx, text, found[i])
			for _, at := range asked[text] {
				vectors[at] = found[i]
			}
		}
		order = order[n:]
	}
	return vectors, nil
}

// key names a text's vector: all that decides it, and the text by its hash.
func (e *Embeddings) key(text string) string {
	maker := strings.Join([]string{e.endpoint.url, e.o.Model, strconv.Itoa(e.o.Dimensions)}, "\x00")
	return "embedding:" + citewell.SHA256([]byte(maker))[:16] + ":" + citewell.SHA256([]byte(text))
}

// kept returns the vector of a text from the cache, or nil. A cache that fails has nothing.
func (e *Embeddings) kept(ctx context.Context, text string) []float32 {
	if e.o.Cache == nil {
		return nil
	}
	value, _, ok, err := e.o.Cache.CacheGet(ctx, e.key(text))
	if err != nil || !ok || len(value) == 0 || len(value)%4 != 0 {
		return nil
	}
	vector := floatsOf(value)
	if e.fits(vector) != nil {
		return nil
	}
	return vector
}

func (e *Embeddings) keepVector(ctx context.Context, text string, vector []float32) {
	if e.o.Cache == nil {
		return
	}
	value := make([]byte, 0, 4*len(vector))
	for _, x := range vector {
		value = binary.LittleEndian.AppendUint32(value, math.Float32bits(x))
	}
	_ = e.o.Cache.CachePut(ctx, e.key(text), value, vectorTTL) // it is disposable: the next caller asks again
}

// fits brings a vector to unit length and says what is wrong with it, if anything is. The first one decides the
// dimensions, where the settings do not.
func (e *Embeddings) fits(vector []float32) error {
	e.size.CompareAndSwap(0, int64(len(vector)))
	if want := e.Dimensions(); len(vector) != want || want == 0 {
		return badVectors(fmt.Sprintf("a vector has %d dimensions, not %d", len(vector), want))
	}
	sum := 0.0
	for _, x := range vector {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return badVectors("a vector has no direction")
	}
	if length := math.Sqrt(sum); math.Abs(length-1) > 1e-6 {
		for i := range vector {
			vector[i] = float32(float64(vector[i]) / length)
		}
	}
	return nil
}

func badVectors(message string) error {
	return &citewell.Error{Code: citewell.CodeBadResponse, Op: "embedding",
		Message: "the embedding endpoint's answer is wrong: " + message,
		Hint:    "check embedding.model and embedding.dimensions"}
}
