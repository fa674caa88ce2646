package mcpserver

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/tool"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxPutOff bounds the questions that are remembered as put off; the oldest are forgotten, and may be asked once more.
const maxPutOff = 1000

// asking are the questions that people at the clients of one server are being asked, and those that they would not
// answer: nobody is asked twice. What is not answered here stays for whoever answers it otherwise.
type asking struct {
	mu     sync.Mutex
	shown  map[string]*form // by question
	putOff []string         // questions, oldest first
}

// A form is a question that somebody sees now.
type form struct {
	over chan struct{} // closed when it is answered or gone
	err  error         // why there is no answer; read it when over
}

// errPutOff is what a caller gets whose question somebody would not answer.
var errPutOff = &citewell.Error{Code: citewell.CodeConfirmationRequired, Op: "mcp",
	Message: "the person at the client did not answer", Hint: "answer the question in another way"}

// begin returns the form of a question, and whether it is new: then it has to be shown
// and ended. Nil where somebody would not answer it.
func (a *asking) begin(key string) (f *form, isNew bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if slices.Contains(a.putOff, key) {
		return nil, false
	}
	if f := a.shown[key]; f != nil {
		return f, false
	}
	if a.shown == nil {
		a.shown = map[string]*form{}
	}
	f = &form{over: make(chan struct{})}
	a.shown[key] = f
	return f, true
}

// end says what became of a form.
func (a *asking) end(key string, f *form, err error) {
	if errors.Is(err, errPutOff) {
		a.remember(key)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.shown, key)
	f.err = err
	close(f.over)
}

// remember notes a question that somebody would not answer.
func (a *asking) remember(key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.putOff = append(a.putOff, key)
	a.putOff = a.putOff[max(0, len(a.putOff)-maxPutOff):]
}

func (a *asking) isPutOff(key string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Contains(a.putOff, key)
}

// inWords is a form with one field for an answer.
func inWords(text string) *mcp.ElicitParams {
	return &mcp.ElicitParams{Message: text, RequestedSchema: &jsonschema.Schema{
		Type: "object", Required: []string{"answer"},
		Properties: map[string]*jsonschema.Schema{"answer": {Type: "string", Title: "Answer",
			Description: "in your own words"}}}}
}

// ask asks the person at the client something in words, as confirm asks for a yes. In the older protocols a person may
// take longer than the call: the form stays open, and the answer is taken when it comes.
func (c *confirmation) ask(ctx context.Context, a *asking, q tool.Inquiry) error {
	if c.req.ProtocolVersion() >= sessionless {
		return c.askAgain(ctx, a, q)
	}
	f, isNew := a.begin(q.Key)
	if f == nil {
		return errPutOff
	}
	if isNew {
		go func() {
			ctx := context.WithoutCancel(ctx) // until the connection ends, not the call
			answer, err := c.req.Session.Elicit(ctx, inWords(q.Text))
			if err == nil {
				err = passOn(ctx, answer, q)
			}
			a.end(q.Key, f, err)
		}()
	}
	select {
	case <-f.over:
		return f.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// askAgain ends the call with the question, and takes the answer from the next.
func (c *confirmation) askAgain(ctx context.Context, a *asking, q tool.Inquiry) error {
	id := "answer-" + c.sign("inquiry", q.Key)
	if answer, ok := c.req.Params.InputResponses[id].(*mcp.ElicitResult); ok {
		err := passOn(ctx, answer, q)
		if errors.Is(err, errPutOff) {
			a.remember(q.Key)
		}
		return err
	}
	if a.isPutOff(q.Key) {
		return errPutOff
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.questions[id] = inWords(q.Text)
	return &citewell.Error{Code: citewell.CodeConfirmationRequired, Op: "mcp", Message: "a person is being asked",
		Err: tool.ErrAsking}
}

// passOn gives what a person wrote to who asked.
func passOn(ctx context.Context, r *mcp.ElicitResult, q tool.Inquiry) error {
	said, _ := r.Content["answer"].(string)
	if said = strings.TrimSpace(said); r.Action != "accept" || said == "" {
		return errPutOff
	}
	return q.Take(ctx, said)
}
