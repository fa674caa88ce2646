package llm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/httpwire"
)

// How often an endpoint is asked the same, and how long it is left alone between where it does not say.
const (
	endpointTries = 3
	firstPause    = 500 * time.Millisecond // doubled after each try

	defaultMaxWait = 10 * time.Second // the longest Retry-After that is waited out
)

// An endpoint answers one kind of request in JSON, without a stream: embeddings, rerank.
type endpoint struct {
	section string // of the configuration
	url     string
	key     citewell.Secret
	maxWait time.Duration // longest Retry-After that is waited out
	http    *http.Client
	host    *url.URL                                                 // of url
	tell    func(ctx context.Context, err error, took time.Duration) // when a request is over
}

// parseBase reads base_url of a section of the configuration. Invalid_config where that is no http or https URL.
func parseBase(section, baseURL string) (*url.URL, error) {
	base, err := url.Parse(strings.TrimRight(baseURL, "/"))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, &citewell.Error{Code: citewell.CodeInvalidConfig,
			Message: section + ".base_url is no http or https URL", Hint: "as in http://127.0.0.1:11434/v1"}
	}
	return base, nil
}

// newEndpoint returns the endpoint at path below a base URL.
func newEndpoint(section, baseURL, path string, key citewell.Secret, maxWait time.Duration,
	guard *egress.Guard) (*endpoint, error) {
	base, err := parseBase(section, baseURL)
	if err != nil {
		return nil, err
	}
	if maxWait <= 0 {
		maxWait = defaultMaxWait
	}
	client := cmp.Or(guard, egress.Default()).TrustedClient(base)
	return &endpoint{section: section, url: base.JoinPath(path).String(), host: bare(base), key: key, maxWait: maxWait,
		http: &http.Client{Transport: &wire{next: client.Transport}, CheckRedirect: client.CheckRedirect}}, nil
}

// again calls ask until it succeeds, as often as that may help.
func (e *endpoint) again(ctx context.Context, ask func() error) (err error) {
	defer func(began time.Time) { e.tell(ctx, err, time.Since(began)) }(time.Now())
	pause := firstPause
	for try := 1; ; try++ {
		err = ask()
		if err == nil {
			return nil
		}
		wait := pause
		if failed, ok := errors.AsType[*citewell.Error](err); ok && failed.RetryAfter > 0 {
			wait = failed.RetryAfter
		}
		if try == endpointTries || !worthAnotherTry(err) || wait > e.maxWait {
			return err
		}
		if stop := rest(ctx, e.section, wait, err, nil); stop != nil {
			return stop
		}
		pause *= 2
	}
}

// rest waits before another try. It returns err at once where the wait goes beyond the deadline of ctx: err says more
// than that the time is over. waits, unless nil, hears of a wait that begins.
func rest(ctx context.Context, op string, wait time.Duration, err error, waits func(time.Duration, error)) error {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < wait {
		return err
	}
	if waits != nil {
		waits(wait, err)
	}
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		return httpwire.Classify(op, ctx.Err())
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

// post sends one request and reads its answer into answer. An error beside an empty answer is a refusal whatever the
// status.
func (e *endpoint) post(ctx context.Context, request, answer any, empty func() bool) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return httpwire.Classify(e.section, err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	if !e.key.Empty() {
		r.Header.Set("Authorization", "Bearer "+e.key.Reveal())
	}
	resp, err := e.http.Do(r)
	if errors.Is(err, errNotJSON) {
		return e.notJSON(err)
	} else if err != nil {
		return unreached("the "+e.section+" endpoint", r.URL, e.broken(ctx, err))
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body) // wire bounds it
	if err != nil {
		return e.broken(ctx, err)
	}
	var failed struct {
		Error   json.RawMessage `json:"error"` // some servers fail with status 200
		Message json.RawMessage `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	err = json.Unmarshal(data, answer)
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) { // a list says nothing of errors
		err = errors.Join(json.Unmarshal(data, &failed), err)
	}
	switch {
	case resp.StatusCode >= 300 && said(failed.Error):
		return e.refusal(resp, failed.Error)
	case resp.StatusCode >= 300 && failed.Message != nil:
		return e.refusal(resp, failed.Message)
	case resp.StatusCode >= 300:
		return e.refusal(resp, failed.Detail)
	case err == nil && said(failed.Error) && empty():
		return e.refusal(resp, failed.Error)
	case err != nil:
		return e.notJSON(err)
	}
	return nil
}

// broken gives an error of the connection its code; the caller's end comes first.
func (e *endpoint) broken(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return httpwire.Classify(e.section, err)
}

func (e *endpoint) notJSON(err error) error {
	return &citewell.Error{Code: citewell.CodeBadResponse, Op: e.section,
		Message: "the " + e.section + " endpoint did not answer in JSON of its kind",
		Hint:    e.section + ".base_url usually ends in /v1", Err: err}
}

// refusal is the error for an answer that says no.
func (e *endpoint) refusal(resp *http.Response, body json.RawMessage) error {
	said, code := toldOf(body)
	err := &citewell.Error{Op: e.section, RetryAfter: retryAfter(resp.Header, time.Now()),
		Err: statusError{status: resp.StatusCode, error: errors.New(safe(said, e.key))}}
	switch {
	case code == "insufficient_quota":
		err.Code, err.Message = citewell.CodeQuotaExhausted, "the account's credits are used up"
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden:
		err.Code, err.Message, err.Hint = citewell.CodeAuth, "the "+e.section+" endpoint refused the key",
			"check "+e.section+".api_key and "+e.section+".base_url"
	case resp.StatusCode == http.StatusTooManyRequests:
		err.Code, err.Message = citewell.CodeRateLimited, "the "+e.section+" endpoint is rate limited"
	default:
		err.Code, err.Message = citewell.CodeModelFailed, "the "+e.section+" endpoint answered "+
			http.StatusText(resp.StatusCode)
		if said = safe(said, e.key); said != "" {
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

// retryAfter reads how long an endpoint asks to be left alone: seconds or a date, at most a day (RFC 9110, 10.2.3).
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
