package llm

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

type embeddingRequest struct {
	Model          string   `json:"model"`
	Input          []string `json:"input"`
	EncodingFormat string   `json:"encoding_format"`
	Dimensions     int      `json:"dimensions,omitempty"`
}

type embeddingAnswer struct {
	Data []struct {
		Index     *int            `json:"index"`
		Embedding json.RawMessage `json:"embedding"`
	} `json:"data"`
}

// batch asks for the vectors of one batch, and again where that may help.
func (e *Embeddings) batch(ctx context.Context, texts []string) ([][]float32, error) {
	var answer embeddingAnswer
	err := e.endpoint.again(ctx, func() (err error) {
		answer, err = e.askOnce(ctx, texts)
		return err
	})
	if err != nil {
		return nil, err
	}
	return e.vectors(answer, len(texts))
}

// askOnce sends one request. An endpoint that does not take dimensions is asked without them from then on.
func (e *Embeddings) askOnce(ctx context.Context, texts []string) (embeddingAnswer, error) {
	request := embeddingRequest{Model: e.o.Model, Input: texts, EncodingFormat: "float"}
	if !e.plain.Load() {
		request.Dimensions = e.o.Dimensions
	}
	answer, err := e.post(ctx, request)
	if request.Dimensions > 0 && refusesFormat(err) {
		request.Dimensions = 0
		plain, plainErr := e.post(ctx, request)
		if plainErr == nil {
			e.plain.Store(true)
			return plain, nil
		}
	}
	return answer, err
}

func (e *Embeddings) post(ctx context.Context, request embeddingRequest) (answer embeddingAnswer, err error) {
	err = e.endpoint.post(ctx, request, &answer, func() bool { return len(answer.Data) == 0 })
	return answer, err
}

// vectors reads an answer: one vector for each text, in the order of their index, or as they come where there is none.
func (e *Embeddings) vectors(answer embeddingAnswer, want int) ([][]float32, error) {
	if len(answer.Data) != want {
		return nil, badVectors(fmt.Sprintf("%d vectors for %d texts", len(answer.Data), want))
	}
	vectors := make([][]float32, want)
	for i, d := range answer.Data {
		at := i
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= want || vectors[at] != nil {
			return nil, badVectors(fmt.Sprintf("the index %d is not of one text", at))
		}
		vector, err := readVector(d.Embedding)
		if err != nil {
			return nil, badVectors(err.Error())
		}
		if err := e.fits(vector); err != nil {
			return nil, err
		}
		vectors[at] = vector
	}
	return vectors, nil
}

// readVector reads a list of numbers, or base64 of little-endian float32.
func readVector(raw json.RawMessage) ([]float32, error) {
	var vector []float32
	if json.Unmarshal(raw, &vector) == nil {
		return vector, nil
	}
	var encoded string
	if err := json.Unmarshal(raw, &encoded); err != nil {
		return nil, errors.New("a vector is neither numbers nor base64")
	}
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(data)%4 != 0 {
		return nil, errors.New("a vector is no base64 of float32")
	}
	return floatsOf(data), nil
}

// floatsOf reads little-endian float32.
func floatsOf(data []byte) []float32 {
	vector := make([]float32, len(data)/4)
	for i := range vector {
		vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return vector
}
