package minilm_test

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/testing/minilm"
)

// The cosines are those that the model's publisher shows for these sentences.
func TestVectorsAreTheModels(t *testing.T) {
	base := minilm.Start(t)
	if again := minilm.Start(t); again != base {
		t.Fatalf("two servers: %s and %s", base, again)
	}
	body, err := json.Marshal(map[string]any{"model": minilm.Model, "input": []string{
		"That is a happy person", "That is a happy dog", "That is a very happy person", "Today is a sunny day"}})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Client{Timeout: 5 * time.Minute}).Post(base+"/embeddings", "application/json",
		bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct {
		Data []struct {
			Index     int
			Embedding []float64
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || len(answer.Data) != 4 {
		t.Fatalf("%d vectors, %v", len(answer.Data), err)
	}
	first := answer.Data[0].Embedding
	if len(first) != minilm.Dimensions {
		t.Fatalf("%d dimensions", len(first))
	}
	for i, want := range []float64{1, 0.695, 0.943, 0.257} {
		cosine := 0.0
		for k, x := range answer.Data[i].Embedding {
			cosine += x * first[k]
		}
		if answer.Data[i].Index != i || math.Abs(cosine-want) > 0.001 {
			t.Errorf("vector %d (index %d): cosine %.4f, want %.3f", i, answer.Data[i].Index, cosine, want)
		}
	}
}
