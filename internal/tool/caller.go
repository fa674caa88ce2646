package tool

import (
	"context"
	"encoding/json"
	"errors"
)

// A Caller is who calls a tool: what it can be told and asked meanwhile.
type Caller struct {
	// Toolset is what the caller may call; a tool that calls others keeps to it.
	Toolset *Toolset
	// Name is who calls, as far as it was proved; empty where nobody asked.
	Name string
	// Session tells callers apart whose calls belong together; empty where there is one caller only.
	Session string
	// Progress, unless nil, is told how far a long call is: done of total, 0 if that is not known.
	Progress func(done, total float64, message string)
	// Confirm asks a person; nil where there is none.
	Confirm func(context.Context, Question) (bool, error)
	// Ask, unless nil, asks a person something in words, and gives the answer to who wants it; an error means none.
	Ask func(context.Context, Inquiry) error
	// Sample, unless nil, asks the caller's own model, once. The caller's user may see each question, and forbid it.
	Sample func(context.Context, Prompt) (Sampled, error)
	// Program is the caller's name and version, as it tells them itself.
	Program string
}

// A Prompt is a question to the caller's own model.
type Prompt struct {
	Key       string // the same for the same question, so that its answer may come with another call
	System    string
	Text      string
	MaxTokens int // of the answer
}

// Sampled is an answer of the caller's own model.
type Sampled struct {
	Model string // its name, as the caller tells it
	Text  string
}

// An Inquiry is what a person is asked in words.
type Inquiry struct {
	Key  string // the same for the same question: nobody is asked it twice
	Text string
	// Take takes the answer. A person may need longer than the call lasts; it is called then nevertheless.
	Take func(ctx context.Context, said string) error
}

// ErrAsking is in the chain of what Confirm, Ask and Sample return while a person or the caller's
// model is being asked and the answer comes with another call: nothing may be done until then.
var ErrAsking = errors.New("the caller is being asked")

// A Question is asked before a tool acts.
type Question struct {
	Tool      string
	Arguments json.RawMessage
	Why       string // what speaks against the call; empty where only the operator wants to be asked
}

type callerKey struct{}

// WithCaller makes c the caller of the calls below ctx.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf returns who calls; its Progress is never nil.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	if c.Progress == nil {
		c.Progress = func(float64, float64, string) {}
	}
	return c
}
