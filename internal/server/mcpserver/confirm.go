package mcpserver

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/tool"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A confirmation is what a person, or the client's model, is asked during one call.
//
// In the newest protocol the call ends with the questions, the client asks them, and calls again with the answers;
// those of earlier rounds come back in the call's state. In the older ones the client is asked while the call waits. A
// question's id is signed over the tool and its arguments, and so is the state, so that an answer is never taken for
// one to another call.
type confirmation struct {
	key   []byte
	req   *mcp.CallToolRequest
	known map[string]bool // by question, from this round and those before

	mu        sync.Mutex
	questions mcp.InputRequestMap
}

// newConfirmation fails where the state is none of ours.
func newConfirmation(key []byte, req *mcp.CallToolRequest) (*confirmation, error) {
	c := &confirmation{key: key, req: req, known: map[string]bool{}, questions: mcp.InputRequestMap{}}
	if state := req.Params.RequestState; state != "" {
		text, sum, _ := strings.Cut(state, ".")
		if !hmac.Equal([]byte(sum), []byte(c.sign("state", text))) ||
			json.Unmarshal([]byte(unhex(text)), &c.known) != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams,
				Message: "the requestState is not from this server"}
		}
	}
	for id, answer := range req.Params.InputResponses {
		if r, ok := answer.(*mcp.ElicitResult); ok && strings.HasPrefix(id, confirming) {
			c.known[id] = allows(r)
		}
	}
	return c, nil
}

// canAsk says whether the client can show a form; one that says nothing about forms and addresses has forms.
func canAsk(c *mcp.ClientCapabilities) bool {
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// allows says whether the answer is yes. A client that shows no box for the one
// question there is accepts without content; anything in the box but true is a no.
func allows(r *mcp.ElicitResult) bool {
	said, given := r.Content["allow"]
	return r.Action == "accept" && (!given || said == true)
}

// confirm gives the answer to a question, or notes the question.
func (c *confirmation) confirm(ctx context.Context, q tool.Question) (bool, error) {
	id := c.id(q)
	if allowed, ok := c.known[id]; ok {
		return allowed, nil
	}
	question := &mcp.ElicitParams{
		Message: fmt.Sprintf("Allow %s with these arguments? %s", q.Tool, shown(string(q.Arguments))),
		RequestedSchema: &jsonschema.Schema{Type: "object", Required: []string{"allow"},
			Properties: map[string]*jsonschema.Schema{
				"allow": {Type: "boolean", Title: "Allow", Description: "whether " + q.Tool + " may act"}}},
	}
	if c.req.ProtocolVersion() < sessionless {
		answer, err := c.req.Session.Elicit(ctx, question)
		if err != nil {
			return false, &citewell.Error{Code: citewell.CodeConfirmationRequired, Op: q.Tool,
				Message: "the client could not ask a person for consent",
				Hint:    "set confirm." + q.Tool + ": allow in the configuration if no consent is needed", Err: err}
		}
		return allows(answer), nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.questions[id] = question
	return false, &citewell.Error{Code: citewell.CodeConfirmationRequired, Op: q.Tool,
		Message: "a person is being asked", Err: tool.ErrAsking}
}

// open are the questions without an answer, as what the call ends with; nil where there are none.
func (c *confirmation) open() (*mcp.CallToolResult, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.questions) == 0 {
		return nil, nil
	}
	known, err := json.Marshal(c.known)
	if err != nil {
		return nil, err
	}
	text := hex.EncodeToString(known)
	return &mcp.CallToolResult{InputRequests: c.questions, RequestState: text + "." + c.sign("state", text)}, nil
}

func unhex(text string) string {
	b, _ := hex.DecodeString(text) // what it could not read is no JSON either
	return string(b)
}

// confirming begins the ids of the questions that are answered with yes or no.
const confirming = "confirm-"

func (c *confirmation) id(q tool.Question) string {
	return confirming + c.sign("question", q.Tool, string(q.Arguments))
}

// sign is the same for the same parts alone.
func (c *confirmation) sign(parts ...string) string {
	mac := hmac.New(sha256.New, c.key)
	for _, p := range parts {
		fmt.Fprintf(mac, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// shownArguments is how much of a call's arguments a person is shown, in bytes.
const shownArguments = 1000

// shown are the arguments as a person can judge them: each by its name, long ones shortened in themselves, so that none
// hides behind another, and no character that is not seen or turns the others around.
func shown(arguments string) string {
	return tool.Shorten(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return '\uFFFD'
		}
		return r
	}, asSaid(arguments)), shownArguments)
}

// asSaid is JSON without escapes, which could hide what it says.
func asSaid(arguments string) string {
	d := json.NewDecoder(strings.NewReader(arguments))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil || d.More() {
		return arguments
	}
	plain, err := tool.Marshal(value)
	if err != nil {
		return arguments
	}
	return string(plain)
}
