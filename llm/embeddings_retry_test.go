package llm

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
)

// A script answers requests without a network, so that a test's clock may be faked;
// the last answer comes again and again.
type script struct {
	t       testing.TB
	answers []answer
	at      []time.Duration // of each request, since the first
	began   time.Time
}

type answer struct {
	status int
	after  string // Retry-After
	body   string
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		s.t.Error(err)
	}
	if len(s.at) == 0 {
		s.began = time.Now()
	}
	s.at = append(s.at, time.Since(s.began))
	a := s.answers[min(len(s.at), len(s.answers))-1]
	header := http.Header{"Content-Type": {"application/json"}}
	if a.after != "" {
		header.Set("Retry-After", a.after)
	}
	return &http.Response{StatusCode: a.status, Header: header, Body: io.NopCloser(bytes.NewReader([]byte(a.body))),
		Request: r}, nil
}

func scripted(t testing.TB, s *script) *Embeddings {
	guard, err := egress.NewGuard(egress.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := NewEmbeddings(EmbeddingOptions{BaseURL: "http://127.0.0.1:1/v1", Model: "m", Guard: guard})
	if err != nil {
		t.Fatal(err)
	}
	s.t = t
	e.endpoint.http = &http.Client{Transport: &wire{next: s}}
	return e
}

// EmbeddingsAnswering is an endpoint that gives one answer.
func EmbeddingsAnswering(t testing.TB, body []byte) *Embeddings {
	return scripted(t, &script{answers: []answer{{200, "", string(body)}}})
}

func TestEmbedTriesAgainWhenItIsTold(t *testing.T) {
	const ok = `{"data":[{"embedding":[3,4]}]}`
	synctest.Test(t, func(t *testing.T) {
		soon := time.Now().Add(7 * time.Second).UTC().Format(http.TimeFormat)
		tests := []struct {
			name    string
			answers []answer
			at      []time.Duration
			code    citewell.Code
		}{
			{"seconds", []answer{{429, "3", ``}, {200, "", ok}}, []time.Duration{0, 3 * time.Second}, ""},
			{"unsaid", []answer{{503, "", ``}, {500, "", ``}, {200, "", ok}},
				[]time.Duration{0, firstPause, 3 * firstPause}, ""},
			{"three times", []answer{{502, "", ``}}, []time.Duration{0, firstPause, 3 * firstPause},
				citewell.CodeModelFailed},
			{"longer than anyone waits", []answer{{429, "11", ``}, {200, "", ok}}, []time.Duration{0},
				citewell.CodeRateLimited},
			{"nonsense", []answer{{429, "soon", ``}, {200, "", ok}}, []time.Duration{0, firstPause}, ""},
			{"not for a wrong key", []answer{{401, "1", ``}}, []time.Duration{0}, citewell.CodeAuth},
			{"not for a wrong request", []answer{{400, "", ``}}, []time.Duration{0}, citewell.CodeModelFailed},
			{"not for a wrong answer", []answer{{200, "", `{"data":[]}`}}, []time.Duration{0},
				citewell.CodeBadResponse},
			{"a date", []answer{{429, soon, ``}, {200, "", ok}}, nil, ""},
		}
		for _, test := range tests {
			s := &script{answers: test.answers}
			_, err := scripted(t, s).Embed(t.Context(), []string{"one"})
			if citewell.CodeOf(err) != test.code {
				t.Errorf("%s: %v, want %q", test.name, err, test.code)
			}
			for i, want := range test.at {
				if i >= len(s.at) || s.at[i] != want || len(s.at) != len(test.at) {
					t.Errorf("%s: asked at %v, want %v", test.name, s.at, test.at)
					break
				}
			}
		}
		s := &script{answers: []answer{{429, "5", ``}}}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if _, err := scripted(t, s).Embed(ctx, []string{"one"}); citewell.CodeOf(err) != citewell.CodeRateLimited ||
			len(s.at) != 1 {
			t.Errorf("where the time does not allow the wait: %v after %d requests", err, len(s.at))
		}
	})
}

// RerankerAnswering is a reranker that gives one answer.
func RerankerAnswering(t testing.TB, body []byte) *Reranker {
	guard, err := egress.NewGuard(egress.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReranker(RerankOptions{BaseURL: "http://127.0.0.1:1/v1", Guard: guard})
	if err != nil {
		t.Fatal(err)
	}
	r.endpoint.http = &http.Client{Transport: &wire{next: &script{t: t, answers: []answer{{200, "", string(body)}}}}}
	return r
}
