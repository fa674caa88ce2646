package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
)

var toldWindow = lazyregexp.New(
	`(?i)(?:maximum (?:context|input|model) length (?:is|of)|maximum context (?:size|length)|max_model_len|context (?:size|window|length)(?: of| is| \()?|"n_ctx":)\s*\(?(\d{3,9})\b`)

// learnWindow takes a window from a refusal that names it.
func (c *Client) learnWindow(ctx context.Context, err error) {
	if !errors.Is(err, ErrContext) {
		return
	}
	refusal, ok := errors.AsType[statusError](err)
	if !ok {
		return
	}
	if m := toldWindow.FindStringSubmatch(refusal.said); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && sensible(n) {
			c.known.learn(ctx, func(t *traits) { t.Window = Window{n, FromError} })
		}
	}
}

// A Fit is how a request stands against the window.
type Fit struct {
	Tokens int // of the question, as the model counts
	Answer int // tokens that are kept for the answer
	Window Window
}

// Over is how many tokens are too many; not positive where the request fits.
func (f Fit) Over() int { return f.Tokens + f.Answer - f.Window.Tokens }

// leastAnswer is the room that an answer gets where the limit does not say, or cannot be had in full.
const leastAnswer = 512

// Fits measures a request with its tools, and the answer that is asked for, against the model's window.
func (c *Client) Fits(ctx context.Context, r Request) Fit {
	f := Fit{Tokens: c.Count(ctx, r), Answer: c.limit(r), Window: c.Window(ctx)}
	f.Answer = cmp.Or(f.Answer, leastAnswer)
	return f
}

// measured counts a request and compares it with the window. It lowers an answer's limit that does not fit beside the
// question, since endpoints refuse both together; a question that leaves no room for an answer is ErrContext. A window
// that is only assumed refuses nothing.
func (c *Client) measured(ctx context.Context, r Request) (Request, int, error) {
	counted := tokensOf(r)
	if c.o.ContextWindow == 0 {
		return r, counted, nil
	}
	limit := c.limit(r)
	if c.o.ContextWindow == AutoWindow && counted < measuredFrom && c.known.traitsNow(ctx).Window.Tokens == 0 {
		return r, counted, nil
	}
	w := c.Window(ctx)
	room := w.Tokens - corrected(counted, c.known.traitsNow(ctx).Ratio)
	switch {
	case w.From == FromNothing:
	case room < min(leastAnswer, max(limit, 1), w.Tokens/4):
		return r, counted, &citewell.Error{Code: citewell.CodeModelFailed, Op: "llm",
			Message: fmt.Sprintf("the question has %d tokens and the model reads %d (from %s)", w.Tokens-room,
				w.Tokens, w.From),
			Hint: "ask about less, or set llm.context_window if that is not the model's", Err: ErrContext}
	case limit > room:
		margin := counted / marginUnknown
		if c.known.traitsNow(ctx).Ratio != 0 {
			margin = counted / marginLearned
		}
		r.MaxTokens = max(room-margin, min(room, leastAnswer))
	}
	return r, counted, nil
}

// The part of a question's tokens that is kept free in the window beside question and answer: an endpoint counts by a
// tokenizer and a template of its own, and refuses one token too many.
const (
	marginUnknown = 4 // a quarter, until the endpoint has reported how it counts
	marginLearned = 16
)
