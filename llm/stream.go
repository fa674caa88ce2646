package llm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/citewell/citewell"
)

// A Delta is a piece of an answer, for showing.
type Delta struct {
	Content   string
	Reasoning string // also what stands between <think> marks
	Calls     []CallDelta
}

// A CallDelta is a piece of a tool call. It is not to be acted on: the call may never become whole.
type CallDelta struct {
	Index     int    // which call of this answer
	Name      string // in its first piece
	Arguments string // a piece of their text
}

func (d Delta) empty() bool { return d.Content == "" && d.Reasoning == "" && len(d.Calls) == 0 }

// streamEnd is how long the end of a stream is waited for behind its [DONE].
const streamEnd = 100 * time.Millisecond

// readStream reads an answer that comes in pieces. It is whole once the endpoint gave a reason why it finished, or said
// [DONE]; one that ends before is ErrCut.
func (c *Client) readStream(ctx context.Context, cancel context.CancelCauseFunc, body io.Reader,
	on func(Delta)) (*incoming, error) {
	a := &incoming{streamed: true}
	stalled := &citewell.Error{Code: citewell.CodeTimeout, Op: "llm", Message: "the model stopped sending its answer"}
	alarm := time.AfterFunc(c.o.Stall, func() { cancel(stalled) })
	defer alarm.Stop()
	read := newEvents(watched{body, func() { alarm.Reset(c.o.Stall) }})
	var split splitter
	tell := func(d Delta) {
		if on != nil && !d.empty() {
			on(d)
		}
	}
	loop := repetitions{}
	for {
		data, err := read.next()
		switch {
		case err == nil && string(data) == "[DONE]":
			err = io.EOF
			alarm.Reset(streamEnd)
			_, _ = io.CopyN(io.Discard, body, 1<<10) // a connection is used again once its answer was read to the end
			if a.begun && a.finish == "" {
				a.finish = "stop" // some servers give no reason
			}
		case err == nil:
			var piece chunk
			if json.Unmarshal(data, &piece) != nil {
				return a, notChat(errors.New("an event of the stream is no JSON"))
			}
			if said(piece.Error) {
				return a, c.failed(piece.Error)
			}
			d, err := a.addChunk(piece)
			if err != nil {
				return a, err
			}
			if loop.grown(a) {
				return a, repetition()
			}
			tell(split.push(d))
			continue
		}
		tell(split.rest())
		switch {
		case a.finish != "":
			return a, nil
		case ctx.Err() != nil || citewell.CodeOf(err) == citewell.CodeResponseTooLarge:
			return a, broken(ctx, err)
		}
		return a, brokenOff(err)
	}
}

// tellWhole tells of a whole answer as of one piece.
func (a *incoming) tellWhole(on func(Delta)) {
	if on == nil || !a.begun {
		return
	}
	text, thinking := apart(a.content.String())
	d := Delta{Content: text, Reasoning: a.reasoning.String() + thinking}
	for i, call := range a.calls.list {
		d.Calls = append(d.Calls, CallDelta{Index: i, Name: call.name, Arguments: call.arguments.String()})
	}
	if !d.empty() {
		on(d)
	}
}

// watched tells of each read that brought something.
type watched struct {
	io.Reader
	alive func()
}

func (w watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if n > 0 {
		w.alive()
	}
	return n, err
}
