package mcpserver

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/tool"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A confirmation is what a person is asked during one call. The call ends with the
// questions, the client asks them, and calls again with the answers. A question's id
// is signed over the tool and its arguments, so that an answer is never taken for
// one to another call.
type confirmation struct {
	key     []byte
	answers mcp.InputResponseMap

	mu        sync.Mutex
	questions mcp.InputRequestMap
}

func newConfirmation(key []byte, req *mcp.CallToolRequest) *confirmation {
	return &confirmation{key: key, answers: req.Params.InputResponses, questions: mcp.InputRequestMap{}}
}

// confirm gives the answer to a question, or notes the question.
func (c *confirmation) confirm(_ context.Context, q tool.Question) (bool, error) {
	id := c.id(q)
	if answer, ok := c.answers[id].(*mcp.ElicitResult); ok {
		allowed, said := answer.Content["allow"].(bool)
		return answer.Action == "accept" && (allowed || !said), nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.questions[id] = &mcp.ElicitParams{
		Message: fmt.Sprintf("Allow %s with these arguments? %s", q.Tool, shortened(string(q.Arguments))),
		RequestedSchema: &jsonschema.Schema{Type: "object", Required: []string{"allow"}, Properties: map[string]*jsonschema.Schema{
			"allow": {Type: "boolean", Title: "Allow", Description: "whether " + q.Tool + " may act"}}},
	}
	return false, &citewell.Error{Code: citewell.CodeConfirmationRequired, Op: q.Tool, Message: "a person is being asked", Err: tool.ErrAsking}
}

func (c *confirmation) id(q tool.Question) string {
	mac := hmac.New(sha256.New, c.key)
	fmt.Fprintf(mac, "%s\x00%s", q.Tool, q.Arguments)
	return "confirm-" + hex.EncodeToString(mac.Sum(nil)[:16])
}

// open are the questions without an answer.
func (c *confirmation) open() mcp.InputRequestMap {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.questions
}

// shownArguments is how much of a call's arguments a person is shown, in
// characters.
const shownArguments = 1000

func shortened(arguments string) string {
	runes := []rune(arguments)
	if len(runes) <= shownArguments {
		return arguments
	}
	return fmt.Sprintf("%s … (%d characters in all)", string(runes[:shownArguments]), len(runes))
}
