package llm

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/egress"
)

// How often an endpoint is asked the same, and how long it is left alone between
// where it does not say.
const (
	embeddingTries = 3
	firstPause     = 500 * time.Millisecond // doubled after each try
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
	Error json.RawMessage `json:"error"` // some servers fail with status 200
}

// batch asks for the vectors of one batch, and again where that may help.
func (e *Embeddings) batch(ctx context.Context, texts []string) ([][]float32, error) {
	pause := firstPause
	for try := 1; ; try++ {
		answer, err := e.ask(ctx, texts)
		if err == nil {
			return e.vectors(answer, len(texts))
		}
		wait := pause
		if failed, ok := errors.AsType[*citewell.Error](err); ok && failed.RetryAfter > 0 {
			wait = failed.RetryAfter
		}
		if try == embeddingTries || !worthAnotherTry(err) || wait > e.o.MaxWait {
			return nil, err
		}
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < wait {
			return nil, err // it says more than that the time is over
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, egress.Classify("embedding", ctx.Err())
		}
		pause *= 2
	}
}

// worthAnotherTry says whether the same request may be answered a moment later.
func worthAnotherTry(err error) bool {
	if refused, ok := errors.AsType[statusError](err); ok && refused.status != http.StatusTooManyRequests {
		return refused.status >= 500 && refused.status != http.StatusNotImplemented
	}
	switch citewell.CodeOf(err) {
	case citewell.CodeRateLimited, citewell.CodeConnectFailed, citewell.CodeHTTPFailed:
		return true
	}
	return false
}

// ask sends one request. An endpoint that does not take dimensions, as those with
// models of one size only, is asked without from then on.
func (e *Embeddings) ask(ctx context.Context, texts []string) (embeddingAnswer, error) {
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

func (e *Embeddings) post(ctx context.Context, request embeddingRequest) (embeddingAnswer, error) {
	var answer embeddingAnswer
	body, err := json.Marshal(request)
	if err != nil {
		return answer, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.endpoint, bytes.NewReader(body))
	if err != nil {
		return answer, egress.Classify("embedding", err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	if !e.o.APIKey.Empty() {
		r.Header.Set("Authorization", "Bearer "+e.o.APIKey.Reveal())
	}
	resp, err := e.http.Do(r)
	if errors.Is(err, errNotJSON) {
		return answer, notJSON(err)
	} else if err != nil {
		return answer, unreached("the embedding endpoint", r.URL, e.broken(ctx, err))
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body) // wire bounds it
	if err != nil {
		return answer, e.broken(ctx, err)
	}
	err = json.Unmarshal(data, &answer)
	refused := len(answer.Error) > 0 && string(answer.Error) != "null"
	switch {
	case resp.StatusCode >= 300 || err == nil && refused && len(answer.Data) == 0:
		return answer, e.refusal(resp, answer.Error)
	case err != nil:
		return answer, notJSON(err)
	}
	return answer, nil
}

// broken gives an error of the connection its code; the caller's end comes first.
func (e *Embeddings) broken(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return egress.Classify("embedding", err)
}

func notJSON(err error) error {
	return &citewell.Error{Code: citewell.CodeBadResponse, Op: "embedding", Message: "the embedding endpoint did not answer in JSON of an embedding",
		Hint: "embedding.base_url usually ends in /v1", Err: err}
}

// refusal is the error for an answer that says no.
func (e *Embeddings) refusal(resp *http.Response, body json.RawMessage) error {
	said, code := toldOf(body)
	err := &citewell.Error{Op: "embedding", RetryAfter: retryAfter(resp.Header, time.Now()), Err: statusError{status: resp.StatusCode, error: errors.New(safe(said, e.o.APIKey))}}
	switch {
	case code == "insufficient_quota":
		err.Code, err.Message = citewell.CodeQuotaExhausted, "the account's credits are used up"
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden:
		err.Code, err.Message, err.Hint = citewell.CodeAuth, "the embedding endpoint refused the key", "check embedding.api_key and embedding.base_url"
	case resp.StatusCode == http.StatusTooManyRequests:
		err.Code, err.Message = citewell.CodeRateLimited, "the embedding endpoint is rate limited"
	default:
		err.Code, err.Message = citewell.CodeModelFailed, "the embedding endpoint answered "+http.StatusText(resp.StatusCode)
		if said = safe(said, e.o.APIKey); said != "" {
			err.Message += ": " + said
		}
	}
	return err
}

// toldOf reads what an endpoint says of an error: OpenAI's object, or plain words.
func toldOf(body json.RawMessage) (message, code string) {
	var object struct {
		Message string `json:"message"`
		Code    any    `json:"code"`
	}
	if json.Unmarshal(body, &object) == nil {
		code, _ = object.Code.(string)
		return object.Message, code
	}
	_ = json.Unmarshal(body, &message)
	return message, ""
}

// retryAfter reads how long an endpoint asks to be left alone: seconds or a date
// (RFC 9110, 10.2.3), and not more than a day.
func retryAfter(h http.Header, now time.Time) time.Duration {
	value := h.Get("Retry-After")
	var wait time.Duration
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 {
		wait = time.Duration(min(seconds, 86400) * float64(time.Second))
	} else if at, err := http.ParseTime(value); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), 24*time.Hour)
}

// vectors reads an answer: one vector for each text, in the order of their index or,
// where an endpoint gives none, as they come.
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
	vector = make([]float32, len(data)/4)
	for i := range vector {
		vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return vector, nil
}
