package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"net/http"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/httpwire"
)

// chatTries is how often a request is sent that the endpoint does not take for the moment.
const chatTries = 3

const mediaStream = "text/event-stream"

// chat measures, sends and reads. What an endpoint refuses by name it is not sent again.
func (c *Client) chat(ctx context.Context, r Request, f format, on func(Delta)) (reply Reply, err error) {
	if allow := c.o.Endpoints.o.Allow; allow != nil {
		if err := allow(ctx); err != nil {
			return Reply{}, err
		}
	}
	defer func(began time.Time) { c.tellHeard(ctx, began, reply, err) }(time.Now())
	r, counted, err := c.measured(ctx, r)
	if err != nil {
		return Reply{}, err
	}
	for left := len(concessions) + 2; ; left-- {
		body := c.body(r, f, c.known.traitsNow(ctx).Refused, on != nil)
		reply, err = c.exchange(ctx, body, r, on)
		if err != nil && left > 0 && c.concede(ctx, err, body) {
			continue
		}
		c.counted(&reply, counted, r)
		c.learnWindow(ctx, err)
		return reply, err
	}
}

// exchange sends one request and reads its answer.
func (c *Client) exchange(ctx context.Context, body map[string]any, r Request, on func(Delta)) (Reply, error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return Reply{}, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "llm",
			Message: "the request cannot be written as JSON", Err: err}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	resp, err := c.open(ctx, encoded, r.Waits)
	if err != nil {
		return Reply{}, err
	}
	defer resp.Body.Close()
	var a *incoming
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if media == mediaStream {
		a, err = c.readStream(ctx, cancel, resp.Body, on)
	} else {
		a, err = c.readWhole(ctx, resp)
		a.tellWhole(on)
	}
	return a.reply(r, err)
}

// open sends a request until the endpoint begins to answer, and tells waits of its pauses. It holds a place at the
// endpoint until the answer is closed.
func (c *Client) open(ctx context.Context, body []byte, waits func(time.Duration, error)) (*http.Response, error) {
	pause := firstPause
	for try := 1; ; try++ {
		resp, err := c.post(ctx, body, waits)
		if err == nil {
			return resp, nil
		}
		// Half the pause is by chance, so that those who were refused together do not come back together.
		wait := pause/2 + rand.N(pause/2)
		if failed, ok := errors.AsType[*citewell.Error](err); ok && failed.RetryAfter > 0 {
			wait = failed.RetryAfter + rand.N(firstPause/4)
		}
		if try == chatTries || !Momentary(err) || wait > c.o.MaxWait {
			return nil, err
		}
		if stop := rest(ctx, "llm", wait, err, waits); stop != nil {
			return nil, stop
		}
		pause *= 2
	}
}

// Momentary says whether the endpoint refused for now, without having done anything.
func Momentary(err error) bool {
	refused, ok := errors.AsType[statusError](err)
	if !ok || citewell.CodeOf(err) == citewell.CodeQuotaExhausted {
		return false
	}
	switch refused.status {
	// 529: overloaded, as some hosts say
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout, 529:
		return true
	}
	return false
}

// longWait is from when on waiting for a place is told.
const longWait = time.Second

// place waits for a place at the endpoint, for at most three quarters of the time before the deadline of ctx.
func (c *Client) place(ctx context.Context, waits func(time.Duration, error)) (leave func(), err error) {
	waiting, stop := ctx, context.CancelFunc(func() {})
	if deadline, ok := ctx.Deadline(); ok {
		waiting, stop = context.WithTimeout(ctx, time.Until(deadline)*3/4)
	}
	defer stop()
	given := make(chan struct{})
	go func() {
		defer close(given)
		leave, err = c.slots.enter(waiting)
	}()
	queued := &citewell.Error{Code: citewell.CodeRateLimited, Op: "llm", Err: ErrQueued,
		Message: fmt.Sprintf("our own queue: %d requests to the model's endpoint are under way", c.slots.o.Parallel),
		Hint:    "make fewer calls at once, or raise server.limits.model_calls"}
	long := time.NewTimer(longWait)
	defer long.Stop()
	select {
	case <-given:
	case <-long.C:
		if waits != nil {
			waits(0, queued)
		}
		<-given
	}
	switch {
	case err == nil:
		return leave, nil
	case ctx.Err() != nil:
		return nil, httpwire.Classify("llm", ctx.Err())
	}
	return nil, queued
}

// post sends one request. The body of a good answer gives the place back when closed.
func (c *Client) post(ctx context.Context, body []byte, waits func(time.Duration, error)) (*http.Response, error) {
	release, err := c.place(ctx, waits)
	if err != nil {
		return nil, err
	}
	resp, err := c.request(ctx, http.MethodPost, c.base.JoinPath("chat/completions").String(), body)
	if err != nil {
		release()
		return nil, err
	}
	resp.Body = placed{resp.Body, release}
	return resp, nil
}

// A placed is a body whose end frees a place at the endpoint.
type placed struct {
	io.ReadCloser
	release func()
}

func (p placed) Close() error {
	defer p.release()
	return p.ReadCloser.Close()
}

// request sends one request to the endpoint; an answer that says no is an error.
func (c *Client) request(ctx context.Context, method, url string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, httpwire.Classify("llm", err)
	}
	r.Header.Set("Accept", "application/json, "+mediaStream)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if !c.o.APIKey.Empty() {
		r.Header.Set("Authorization", "Bearer "+c.o.APIKey.Reveal())
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, unreached("the model's endpoint", r.URL, broken(ctx, err))
	}
	if resp.StatusCode < 300 {
		return resp, nil
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		said = nil // the status says enough
	}
	return nil, c.refusal(resp.StatusCode, errorIn(said), retryAfter(resp.Header, time.Now()))
}

// errorIn finds what an error's body says: OpenAI's object, or the whole.
func errorIn(body []byte) json.RawMessage {
	var object struct {
		Error  json.RawMessage `json:"error"`
		Detail json.RawMessage `json:"detail"` // FastAPI's
	}
	_ = json.Unmarshal(body, &object) // what is no JSON has neither
	if len(object.Error) > 0 {
		return object.Error
	}
	if len(object.Detail) > 0 {
		quoted, err := json.Marshal(string(object.Detail))
		if err == nil {
			return quoted
		}
	}
	return json.RawMessage(body)
}
