package mcptools

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tool is a server's tool as one of ours.
func (r *remote) tool(t *mcp.Tool) *tool.Tool {
	spec := tool.Spec{Name: toolName(r.server.Name, t.Name),
		Title:       cmp.Or(about(t.Title, maxTitle), about(t.Name, maxTitle)),
		Description: about(t.Description, maxDescription), Also: []string{t.Name}}
	trust := r.server.Trust
	spec.Origin = tool.Origin{Name: r.server.Name, Foreign: true, Private: trust.Private, Public: trust.Public,
		Setting: "mcp.mcpServers." + r.server.Name + ".trust"}
	spec.Hints = tool.Hints{Destructive: true, OpenWorld: true} // what a server says of itself binds nobody
	a := t.Annotations
	if a != nil {
		spec.Hints.Idempotent = a.IdempotentHint
	}
	if trust.ReadOnly && a != nil && a.ReadOnlyHint || slices.Contains(trust.ReadOnlyTools, t.Name) {
		spec.Hints.ReadOnly, spec.Hints.Destructive = true, false
	}
	return tool.Raw(spec, repaired(t.InputSchema), nil, func(ctx context.Context,
		arguments json.RawMessage) (tool.Result, error) {
		return r.call(ctx, t.Name, arguments)
	})
}

// call asks the server, once more where the session with it has gone before it can have heard of the call.
func (r *remote) call(ctx context.Context, name string, arguments json.RawMessage) (tool.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	tell := tool.CallerOf(ctx).Progress
	for attempt := 1; ; attempt++ {
		session, err := r.connected(ctx)
		if err != nil {
			return tool.Result{}, err
		}
		tell(float64(attempt), 0, "calling "+r.server.Name)
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments})
		if err == nil {
			return r.result(ctx, name, result)
		}
		if ctx.Err() != nil {
			return tool.Result{}, ctx.Err()
		}
		if said, ok := errors.AsType[*jsonrpc.Error](err); ok {
			return tool.Result{}, r.failed(name, said.Message, err)
		}
		if bad, ok := errors.AsType[base64.CorruptInputError](err); ok { // the session is well
			return tool.Result{}, r.failed(name, "its result holds what is no base64: "+bad.Error(), err)
		}
		r.drop(session)
		if attempt > 1 || !errors.Is(err, mcp.ErrConnectionClosed) {
			return tool.Result{}, &citewell.Error{Code: citewell.CodeConnectFailed, Op: "mcp " + r.server.Name,
				Message: "the MCP server " + r.server.Name + " went away during the call",
				Hint:    "it may have done its work; look before you call again", Err: err}
		}
	}
}

// hidden is what the server says without the secrets that it was given: an error may quote its request.
func (r *remote) hidden(said string) string {
	for _, given := range []map[string]citewell.Secret{r.server.Headers, r.server.Env} {
		for name, secret := range given {
			if httpwire.NamesSecret(name) {
				said = secret.Hide(said)
			}
		}
	}
	return said
}

func (r *remote) failed(name, said string, err error) error {
	said = text.Shorten(text.OneLine(clean(r.hidden(said))), 500)
	return &citewell.Error{Code: citewell.CodeToolFailed, Op: "mcp " + r.server.Name,
		Message: fmt.Sprintf("%s of the MCP server %s failed: %s", name, r.server.Name, said), Err: err}
}

// result is what the server answered, within the limit.
func (r *remote) result(ctx context.Context, name string, result *mcp.CallToolResult) (tool.Result, error) {
	text, parts := r.opened(ctx, result.Content)
	if result.IsError {
		return tool.Result{}, r.failed(name, text, nil)
	}
	out := tool.Result{Text: tool.Shorten(text, r.o.Limit), Parts: parts}
	if result.StructuredContent != nil {
		data, err := tool.Marshal(result.StructuredContent)
		if err != nil {
			return tool.Result{}, r.failed(name, "its data is no JSON", err)
		}
		out.Structured = json.RawMessage(tool.Shorten(r.hidden(string(data)), r.o.Limit))
		if text == "" {
			out.Text = string(out.Structured.(json.RawMessage))
		}
	}
	return out, nil
}
