//lint:file-ignore SA1019 clients lend their models by sampling as long as the protocol has it

package mcpserver

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/server/access"
	"github.com/citewell/citewell/internal/tool"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Bounds of asking the model of a client. Its user may have to allow each question, and many clients
// give up a call after a minute.
const (
	sampleTime    = 45 * time.Second // for an answer, in the protocols before the newest
	maxUnanswered = 3                // questions without an answer; a client that has so many is not asked
	forgetAfter   = 10 * time.Minute // a question without an answer; then it is as if it had not been asked
	leastWarm     = 1e-3             // the temperature: the SDK leaves out 0, and clients then take their own
)

// canSample reports whether the client lends its model.
func canSample(c *mcp.ClientCapabilities) bool { return c != nil && c.Sampling != nil }

// lent begins the ids of the questions that a client's model is asked.
const lent = "sample-"

// lending are the questions that models of clients have not answered: a client whose user says no is not asked the same
// again, and soon nothing more. In the newest protocol a no is told to nobody: the client gives the call up.
type lending struct {
	mu         sync.Mutex
	unanswered []asked // oldest first
}

type asked struct {
	client, id string
	at         time.Time
}

// begin notes a question, and reports whether the client may be asked it.
func (l *lending) begin(client, id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unanswered = slices.DeleteFunc(l.unanswered, func(a asked) bool { return time.Since(a.at) > forgetAfter })
	count := 0
	for _, a := range l.unanswered {
		if a.client == client {
			if count++; a.id == id || count == maxUnanswered {
				return false
			}
		}
	}
	l.unanswered = append(l.unanswered, asked{client, id, time.Now()})
	l.unanswered = l.unanswered[max(0, len(l.unanswered)-maxPutOff):]
	return true
}

// answered notes that the client answers.
func (l *lending) answered(client string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unanswered = slices.DeleteFunc(l.unanswered, func(a asked) bool { return a.client == client })
}

// programOf is the name and version of the client, as it tells them itself.
func programOf(req *mcp.CallToolRequest) string {
	if c := req.ClientInfo(); c != nil {
		return c.Name + " " + c.Version
	}
	return ""
}

// sample asks the client's model. In the newest protocol the call ends with the question, as with
// those to a person; in the older ones the client is asked while the call waits.
func (c *confirmation) sample(ctx context.Context, l *lending, p tool.Prompt) (tool.Sampled, error) {
	client, id := access.CallerOf(ctx).Name+"\x00"+programOf(c.req), lent+c.sign("prompt", p.Key)
	if answer, ok := c.req.Params.InputResponses[id].(*mcp.CreateMessageWithToolsResult); ok {
		l.answered(client)
		return said(answer), nil
	}
	for other := range c.req.Params.InputResponses {
		if strings.HasPrefix(other, lent) {
			l.answered(client)
			return tool.Sampled{}, unsampled("what is to be judged changed while the client's model was asked", nil)
		}
	}
	if !l.begin(client, id) {
		return tool.Sampled{}, unsampled("the client's model was asked before and gave no answer", nil)
	}
	question := &mcp.CreateMessageWithToolsParams{SystemPrompt: p.System, MaxTokens: int64(p.MaxTokens),
		Temperature: leastWarm, Messages: []*mcp.SamplingMessageV2{
			{Role: "user", Content: []mcp.Content{&mcp.TextContent{Text: p.Text}}}}}
	if c.req.ProtocolVersion() >= sessionless {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.questions[id] = question
		return tool.Sampled{}, unsampled("the client's model is being asked", tool.ErrAsking)
	}
	within, cancel := context.WithTimeout(ctx, sampleTime)
	defer cancel()
	answer, err := c.req.Session.CreateMessageWithTools(within, question)
	switch {
	case err == nil:
		l.answered(client)
		return said(answer), nil
	case ctx.Err() != nil:
		return tool.Sampled{}, ctx.Err()
	case errors.Is(within.Err(), context.DeadlineExceeded):
		return tool.Sampled{}, unsampled("the client's model did not answer within "+sampleTime.String(), err)
	}
	return tool.Sampled{}, unsampled("the client did not let its model be asked", err)
}

func unsampled(message string, err error) error {
	return &citewell.Error{Code: citewell.CodeModelFailed, Op: "mcp", Message: message, Err: err}
}

// said is the text of an answer.
func said(r *mcp.CreateMessageWithToolsResult) tool.Sampled {
	var parts []string
	for _, c := range r.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			parts = append(parts, t.Text)
		}
	}
	return tool.Sampled{Model: r.Model, Text: strings.Join(parts, "\n")}
}
