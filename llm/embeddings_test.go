package llm_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/testing/minilm"
	"github.com/citewell/citewell/llm"
)

func embeddings(t *testing.T, e *endpoint, o llm.EmbeddingOptions) *llm.Embeddings {
	t.Helper()
	guard, err := egress.NewGuard(egress.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o.BaseURL, o.Guard = e.URL+"/v1", guard
	if o.Model == "" {
		o.Model = "asked-model"
	}
	if o.MaxWait == 0 {
		o.MaxWait = time.Nanosecond // no test waits for another try
	}
	made, err := llm.NewEmbeddings(o)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// lengths answers with vectors that show which text they are of: (length of the
// text, 1), last text first where backwards.
func lengths(t *testing.T, e **endpoint, form string, backwards bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		asked := (*e).asked[len((*e).asked)-1]
		var data []any
		for i, text := range asked["input"].([]any) {
			var vector any = []float32{float32(len(text.(string))), 1}
			if form == "base64" {
				raw := binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(len(text.(string)))))
				vector = base64.StdEncoding.EncodeToString(binary.LittleEndian.AppendUint32(raw, math.Float32bits(1)))
			}
			datum := map[string]any{"object": "embedding", "embedding": vector}
			if form != "no index" {
				datum["index"] = i
			}
			data = append(data, datum)
		}
		if backwards {
			for i, k := 0, len(data)-1; i < k; i, k = i+1, k-1 {
				data[i], data[k] = data[k], data[i]
			}
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(map[string]any{"object": "list", "model": "m", "data": data}); err != nil {
			t.Error(err)
		}
	}
}

// lengthOf undoes the unit length.
func lengthOf(vector []float32) int { return int(math.Round(float64(vector[0] / vector[1]))) }

func TestEmbedKeepsOrderInBatchesOfEveryForm(t *testing.T) {
	var texts []string
	for i := range 70 {
		texts = append(texts, strings.Repeat("x", 1+i*37%70))
	}
	for _, form := range []string{"float", "base64", "no index"} {
		var e *endpoint
		e = serve(t, func(w http.ResponseWriter, r *http.Request) { lengths(t, &e, form, form != "no index")(w, r) })
		client := embeddings(t, e, llm.EmbeddingOptions{APIKey: citewell.NewSecret("sk-1")})
		vectors, err := client.Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(form, err)
		}
		for i, v := range vectors {
			if lengthOf(v) != len(texts[i]) || math.Abs(float64(v[0]*v[0]+v[1]*v[1])-1) > 1e-6 {
				t.Fatalf("%s: text %d of length %d got %v", form, i, len(texts[i]), v)
			}
		}
		if len(e.asked) != 3 || e.auth != "Bearer sk-1" || client.Dimensions() != 2 {
			t.Errorf("%s: %d requests with %q, %d dimensions", form, len(e.asked), e.auth, client.Dimensions())
		}
		for _, asked := range e.asked {
			if n := len(asked["input"].([]any)); n > 32 || asked["model"] != "asked-model" ||
				asked["dimensions"] != nil {
				t.Errorf("%s: asked %v", form, asked)
			}
		}
	}
}

func TestEmbedBoundsABatchByBytesAndRefusesWhatNoModelReads(t *testing.T) {
	var e *endpoint
	e = serve(t, func(w http.ResponseWriter, r *http.Request) { lengths(t, &e, "float", false)(w, r) })
	client := embeddings(t, e, llm.EmbeddingOptions{})
	big := strings.Repeat("y", llm.MaxEmbeddingText)
	if _, err := client.Embed(t.Context(), []string{big, big[1:], big[2:]}); err != nil || len(e.asked) != 2 {
		t.Errorf("%d requests, %v; want two of at most 128 KiB", len(e.asked), err)
	}
	for _, texts := range [][]string{{"a", " \n"}, {big + "y"}} {
		if _, err := client.Embed(t.Context(), texts); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("%v, want invalid_argument", err)
		}
	}
	if vectors, err := client.Embed(t.Context(), nil); err != nil || len(vectors) != 0 || len(e.asked) != 2 {
		t.Errorf("nothing asked: %v, %v", vectors, err)
	}
}

type keptVectors struct {
	mu     sync.Mutex
	values map[string][]byte
	broken bool
}

func (k *keptVectors) CacheGet(_ context.Context, key string) ([]byte, time.Time, bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.broken {
		return nil, time.Time{}, false, errors.New("the disk is gone")
	}
	value, ok := k.values[key]
	return value, time.Time{}, ok, nil
}

func (k *keptVectors) CachePut(_ context.Context, key string, value []byte, _ time.Duration) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.broken {
		return errors.New("the disk is gone")
	}
	k.values[key] = value
	return nil
}

// A text is asked for once by endpoint, model, dimensions and words, whoever asks;
// what is damaged in the cache is asked for again.
func TestEmbedAsksOnceForATextOfAModel(t *testing.T) {
	var e *endpoint
	e = serve(t, func(w http.ResponseWriter, r *http.Request) { lengths(t, &e, "float", false)(w, r) })
	kept := &keptVectors{values: map[string][]byte{}}
	embed := func(o llm.EmbeddingOptions, want int, texts ...string) {
		t.Helper()
		before := 0
		for _, asked := range e.asked {
			before += len(asked["input"].([]any))
		}
		o.Cache = kept
		vectors, err := embeddings(t, e, o).Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		after := 0
		for _, asked := range e.asked {
			after += len(asked["input"].([]any))
		}
		if after-before != want {
			t.Errorf("%d texts asked for, want %d", after-before, want)
		}
		for i, v := range vectors {
			if lengthOf(v) != len(texts[i]) {
				t.Errorf("%q got %v", texts[i], v)
			}
		}
	}
	embed(llm.EmbeddingOptions{}, 2, "one", "three", "one")
	embed(llm.EmbeddingOptions{}, 1, "three", "seventh", "one")
	embed(llm.EmbeddingOptions{Model: "other"}, 1, "one")
	embed(llm.EmbeddingOptions{Dimensions: 2}, 1, "one")
	for key := range kept.values {
		kept.values[key] = kept.values[key][:5]
	}
	embed(llm.EmbeddingOptions{}, 2, "one", "three")
	kept.broken = true
	embed(llm.EmbeddingOptions{}, 1, "one")
}

// An endpoint with models of one size only refuses to be told it.
func TestEmbedLeavesDimensionsOutWhereTheyAreRefused(t *testing.T) {
	var e *endpoint
	e = serve(t, func(w http.ResponseWriter, r *http.Request) {
		if e.asked[len(e.asked)-1]["dimensions"] != nil {
			fails(400, `{"error":{"message":"this model does not support matryoshka representation"}}`)(w, r)
			return
		}
		lengths(t, &e, "float", false)(w, r)
	})
	client := embeddings(t, e, llm.EmbeddingOptions{Dimensions: 2})
	for _, text := range []string{"a", "b"} {
		if _, err := client.Embed(t.Context(), []string{text}); err != nil {
			t.Fatal(err)
		}
	}
	if len(e.asked) != 3 {
		t.Errorf("%d requests, want one with dimensions and two without", len(e.asked))
	}
	if _, err := embeddings(t, e, llm.EmbeddingOptions{Dimensions: 3}).Embed(t.Context(),
		[]string{"a"}); citewell.CodeOf(err) != citewell.CodeBadResponse {
		t.Errorf("vectors of another size: %v, want bad_response", err)
	}
}

// Each way an embedding endpoint can fail has its own code, and none shows the key.
func TestEmbeddingFailures(t *testing.T) {
	const key = "sk-secret-key"
	answers := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, body)
		}
	}
	data := func(vectors ...string) http.HandlerFunc {
		return answers(`{"data":[` + strings.Join(vectors, ",") + `]}`)
	}
	tests := []struct {
		name    string
		handler http.HandlerFunc
		code    citewell.Code
	}{
		{"wrong key", fails(401, `{"error":{"message":"Incorrect API key provided: `+key+
			`","code":"invalid_api_key"}}`), citewell.CodeAuth},
		{"forbidden", fails(403, `{}`), citewell.CodeAuth},
		{"rate limited", fails(429, `{"error":{"message":"slow down `+key+`"}}`), citewell.CodeRateLimited},
		{"credits used up", fails(429,
			`{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`),
			citewell.CodeQuotaExhausted},
		{"no such model", fails(404, `{"error":"model '`+key+`' not found"}`), citewell.CodeModelFailed},
		{"too long", fails(413, `{"error":{"message":"batch size 32 > maximum allowed batch size 8"}}`),
			citewell.CodeModelFailed},
		{"server error without JSON", fails(500, `oops`), citewell.CodeModelFailed},
		{"error with status 200", answers(`{"error":{"message":"no key ` + key + `"}}`), citewell.CodeModelFailed},
		{"HTML with 200", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "<!doctype html><html><body>hello")
		}, citewell.CodeBadResponse},
		{"half a JSON", answers(`{"data":[{"embedd`), citewell.CodeBadResponse},
		{"no vectors", answers(`{}`), citewell.CodeBadResponse},
		{"one too few", data(`{"index":0,"embedding":[1,2]}`), citewell.CodeBadResponse},
		{"one too many", data(`{"index":0,"embedding":[1,2]}`, `{"index":1,"embedding":[1,2]}`,
			`{"index":2,"embedding":[1,2]}`), citewell.CodeBadResponse},
		{"twice one index", data(`{"index":1,"embedding":[1,2]}`, `{"index":1,"embedding":[1,2]}`),
			citewell.CodeBadResponse},
		{"an index outside", data(`{"index":0,"embedding":[1,2]}`, `{"index":-7,"embedding":[1,2]}`),
			citewell.CodeBadResponse},
		{"two sizes", data(`{"index":0,"embedding":[1,2]}`, `{"index":1,"embedding":[1,2,3]}`),
			citewell.CodeBadResponse},
		{"no numbers", data(`{"index":0,"embedding":[1,2]}`, `{"index":1,"embedding":[]}`), citewell.CodeBadResponse},
		{"null", data(`{"index":0,"embedding":null}`, `{"index":1,"embedding":[1,2]}`), citewell.CodeBadResponse},
		{"only zeros", data(`{"index":0,"embedding":[0,0]}`, `{"index":1,"embedding":[1,2]}`),
			citewell.CodeBadResponse},
		{"not a number", data(`{"index":0,"embedding":"AADAfwAAgD8="}`, `{"index":1,"embedding":[1,2]}`),
			citewell.CodeBadResponse},
		{"broken base64", data(`{"index":0,"embedding":"AADA"}`, `{"index":1,"embedding":[1,2]}`),
			citewell.CodeBadResponse},
		{"a map", data(`{"index":0,"embedding":{"float":[1]}}`, `{"index":1,"embedding":[1,2]}`),
			citewell.CodeBadResponse},
		{"redirect away", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.example/v1", http.StatusTemporaryRedirect)
		}, citewell.CodeBlockedRedirect},
		{"broken connection", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := w.(http.Hijacker).Hijack()
			conn.Close()
		}, citewell.CodeHTTPFailed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := serve(t, test.handler)
			vectors, err := embeddings(t, e, llm.EmbeddingOptions{APIKey: citewell.NewSecret(key)}).Embed(t.Context(),
				[]string{"one", "two"})
			if code := citewell.CodeOf(err); code != test.code || vectors != nil {
				t.Fatalf("code %s (%v), want %s; vectors %v", code, err, test.code, vectors)
			}
			for cause := err; cause != nil; cause = errors.Unwrap(cause) {
				if strings.Contains(cause.Error(), key) {
					t.Errorf("the key is in the message: %v", cause)
				}
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	e := serve(t, func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() })
	if _, err := embeddings(t, e, llm.EmbeddingOptions{}).Embed(ctx,
		[]string{"one"}); citewell.CodeOf(err) != citewell.CodeCanceled {
		t.Errorf("canceled: %v", err)
	}
}

func TestNewEmbeddingsRefusesWhatCannotWork(t *testing.T) {
	guard, err := egress.NewGuard(egress.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]llm.EmbeddingOptions{
		"no model": {BaseURL: "http://h/v1"},
		"no host":  {BaseURL: "h/v1", Model: "m"},
		"ftp":      {BaseURL: "ftp://h/v1", Model: "m"},
		"negative": {BaseURL: "http://h/v1", Model: "m", Dimensions: -1},
	} {
		o.Guard = guard
		if _, err := llm.NewEmbeddings(o); citewell.CodeOf(err) != citewell.CodeInvalidConfig {
			t.Errorf("%s: %v, want invalid_config", name, err)
		}
	}
}

// A real model behind a real server.
func TestEmbedWithARealModel(t *testing.T) {
	base := minilm.Start(t)
	guard, err := egress.NewGuard(egress.Options{})
	if err != nil {
		t.Fatal(err)
	}
	client, err := llm.NewEmbeddings(llm.EmbeddingOptions{BaseURL: base, Model: minilm.Model,
		Dimensions: minilm.Dimensions, Guard: guard})
	if err != nil {
		t.Fatal(err)
	}
	vectors, err := client.Embed(t.Context(), []string{"The ferry was called off.", "They cancelled the boat.",
		"Tin melts at 232 °C."})
	if err != nil {
		t.Fatal(err)
	}
	dot := func(a, b []float32) (sum float64) {
		for i := range a {
			sum += float64(a[i]) * float64(b[i])
		}
		return sum
	}
	if same, other := dot(vectors[0], vectors[1]), dot(vectors[0], vectors[2]); same < 0.5 || other > 0.2 {
		t.Errorf("the paraphrase has cosine %.2f, the other sentence %.2f", same, other)
	}
}

func FuzzEmbeddingAnswer(f *testing.F) {
	f.Add([]byte(`{"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":"AACAPwAAAEA="}]}`))
	f.Add([]byte(`{"data":[{"index":1e9,"embedding":[1e99]}],"error":null}`))
	f.Add([]byte(`{"error":["no"]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		client := llm.EmbeddingsAnswering(t, body)
		vectors, err := client.Embed(t.Context(), []string{"one", "two"})
		if err != nil {
			return
		}
		for _, v := range vectors {
			sum := 0.0
			for _, x := range v {
				sum += float64(x) * float64(x)
			}
			if len(vectors) != 2 || len(v) != len(vectors[0]) || math.Abs(sum-1) > 1e-3 {
				t.Fatalf("%q gave %v", body, vectors)
			}
		}
	})
}
