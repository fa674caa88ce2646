package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/server/mcpserver"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/internal/tool/builtin"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type echoInput struct {
	Text  string `json:"text" jsonschema:"what to say" bounds:"1..100"`
	Times int    `json:"times,omitempty" jsonschema:"how often" default:"1" bounds:"1..5"`
}

type echoOutput struct {
	Said []string `json:"said"`
}

func (o echoOutput) Links() []tool.Link {
	return []tool.Link{{URI: "citewell://snapshots/" + citewell.SHA256([]byte("kept")), Name: "kept",
		MediaType: "text/plain"}}
}

// tools are one of each manner: one that answers, one that asks, one that asks twice,
// one that takes its time, and one that is not configured.
func tools(waiting chan<- error) *tool.Toolset {
	echo := func(_ context.Context, in echoInput) (echoOutput, error) {
		if in.Text == "nothing" {
			return echoOutput{}, &citewell.Error{Code: citewell.CodeRateLimited, Message: "too many words for now",
				Hint: "wait a minute"}
		}
		return echoOutput{Said: slices.Repeat([]string{in.Text}, in.Times)}, nil
	}
	return &tool.Toolset{Name: "test", Tools: []*tool.Tool{
		tool.New(tool.Spec{Name: "echo_text", Title: "Echo", Description: "Says it again.",
			Hints: tool.Hints{ReadOnly: true, Idempotent: true}}, echo),
		tool.New(tool.Spec{Name: "act", Title: "Act", Description: "Acts.", Confirm: true,
			Hints: tool.Hints{Destructive: true}}, echo),
		tool.New(tool.Spec{Name: "act_through", Title: "Act through", Description: "Acts by another tool.",
			Confirm: true},
			func(ctx context.Context, in echoInput) (echoOutput, error) {
				if err := tool.CallerOf(ctx).Toolset.Permit(ctx, "act",
					json.RawMessage(`{"text":"inner"}`)); err != nil {
					return echoOutput{}, err
				}
				return echo(ctx, in)
			}),
		tool.New(tool.Spec{Name: "wait", Title: "Wait", Description: "Waits."},
			func(ctx context.Context, in echoInput) (echoOutput, error) {
				tell := tool.CallerOf(ctx).Progress
				for i := range 3 {
					tell(float64(i+1), 3, "step")
					tell(float64(i), 3, "never back")
					time.Sleep(110 * time.Millisecond) // longer than the least time between two notices
				}
				if in.Text == "forever" {
					<-ctx.Done()
					waiting <- ctx.Err()
					return echoOutput{}, ctx.Err()
				}
				return echoOutput{Said: []string{}}, nil
			}),
		tool.New(tool.Spec{Name: "absent", Title: "Absent", Description: "Is not there.", Hidden: "set a key"}, echo),
	}}
}

// kept is a store with one text and one brief.
type kept struct{}

func (kept) Blob(_ context.Context, sha256 string) ([]byte, error) {
	if sha256 == citewell.SHA256([]byte("kept")) {
		return []byte("kept"), nil
	}
	return nil, &citewell.Error{Code: citewell.CodeNotFound}
}

func (kept) Brief(_ context.Context, id string) (citewell.Brief, error) {
	if id == "0123456789abcdef0123456789abcdef" {
		return citewell.Brief{ID: id, Query: "what is kept"}, nil
	}
	return citewell.Brief{}, &citewell.Error{Code: citewell.CodeNotFound}
}

// connections are the ways in, in the newest protocol and the one before it: each
// returns a session with a client of the options.
var connections = map[string]func(t *testing.T, set *tool.Toolset, o *mcp.ClientOptions) *mcp.ClientSession{
	"in_memory": func(t *testing.T, set *tool.Toolset, o *mcp.ClientOptions) *mcp.ClientSession {
		near, far := mcp.NewInMemoryTransports()
		if _, err := mcpserver.New(set, mcpserver.Options{Kept: kept{}}).Connect(t.Context(), far, nil); err != nil {
			t.Fatal(err)
		}
		return connect(t, near, o, "")
	},
	"http_older": func(t *testing.T, set *tool.Toolset, o *mcp.ClientOptions) *mcp.ClientSession {
		return connect(t, overHTTP(t, set), o, "2025-11-25")
	},
	"http": func(t *testing.T, set *tool.Toolset, o *mcp.ClientOptions) *mcp.ClientSession {
		return connect(t, overHTTP(t, set), o, "")
	},
}

func overHTTP(t *testing.T, set *tool.Toolset) mcp.Transport {
	t.Helper()
	server := httptest.NewServer(mcpserver.Handler(func(string) (*tool.Toolset, error) {
		return set, nil
	}, mcpserver.Options{Kept: kept{}}))
	t.Cleanup(server.Close)
	return &mcp.StreamableClientTransport{Endpoint: server.URL}
}

func connect(t *testing.T, transport mcp.Transport, o *mcp.ClientOptions, version string) *mcp.ClientSession {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, o).Connect(t.Context(), transport,
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// overEach runs a test over every way in.
func overEach(t *testing.T, set *tool.Toolset, o *mcp.ClientOptions, run func(*testing.T, *mcp.ClientSession)) {
	for name, open := range connections {
		t.Run(name, func(t *testing.T) { run(t, open(t, set, o)) })
	}
}

func TestList(t *testing.T) {
	overEach(t, tools(nil), nil, func(t *testing.T, session *mcp.ClientSession) {
		list, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, d := range list.Tools {
			names = append(names, d.Name)
		}
		if !slices.Equal(names, []string{"act", "act_through", "echo_text", "wait"}) {
			t.Errorf("it lists %v", names)
		}
		echo := list.Tools[2]
		for _, d := range list.Tools {
			got, err := json.Marshal(d.Annotations)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{
				// may destroy, as a client takes for granted
				"act":         `{"idempotentHint":false,"openWorldHint":false,"readOnlyHint":false}`,
				"act_through": `{"destructiveHint":false,"idempotentHint":false,"openWorldHint":false,"readOnlyHint":false}`,
				"echo_text":   `{"idempotentHint":true,"openWorldHint":false,"readOnlyHint":true}`,
			}[d.Name]
			if want != "" && string(got) != want {
				t.Errorf("%s is listed with %s", d.Name, got)
			}
		}
		if echo.Title != "Echo" {
			t.Errorf("its title is %q", echo.Title)
		}
		if schema, _ := json.Marshal(echo.OutputSchema); string(schema) != `{"type":"object"}` {
			t.Errorf("output schema %s", schema)
		}
	})
}

func text(t *testing.T, r *mcp.CallToolResult) string {
	t.Helper()
	if len(r.Content) == 0 {
		t.Fatal("no content")
	}
	return r.Content[0].(*mcp.TextContent).Text
}

func TestCall(t *testing.T) {
	overEach(t, tools(nil), nil, func(t *testing.T, session *mcp.ClientSession) {
		for _, name := range []string{"echo_text", "functions.echo_text", "EchoText"} {
			r, err := session.CallTool(t.Context(), &mcp.CallToolParams{
				Name: name, Arguments: map[string]any{"text": "hi", "times": 2}})
			if err != nil {
				t.Fatal(err)
			}
			structured, _ := json.Marshal(r.StructuredContent)
			if r.IsError || text(t, r) != `{"said":["hi","hi"]}` || string(structured) != `{"said":["hi","hi"]}` {
				t.Errorf("%s answered %s with %s", name, text(t, r), structured)
			}
			if link, ok := r.Content[1].(*mcp.ResourceLink); !ok ||
				!strings.HasPrefix(link.URI, "citewell://snapshots/") {
				t.Errorf("it links to %+v", r.Content[1])
			}
		}
	})
}

// A failure is a result that says what to do; a tool that is not there is none.
func TestFailures(t *testing.T) {
	overEach(t, tools(nil), nil, func(t *testing.T, session *mcp.ClientSession) {
		for arguments, want := range map[string]string{
			`{"text":"nothing"}`:      `{"error":{"code":"rate_limited","category":"rate_limited","message":"too many words for now","hint":"wait a minute","retryable":true}}`,
			`{"text":"hi","times":9}`: `times must be from 1 to 5; it is 9`,
			`{"txt":"hi"}`:            `did you mean text?`,
		} {
			r, err := session.CallTool(t.Context(), &mcp.CallToolParams{
				Name: "echo_text", Arguments: json.RawMessage(arguments)})
			if err != nil {
				t.Fatal(err)
			}
			if !r.IsError || r.StructuredContent != nil || !strings.Contains(text(t, r), want) {
				t.Errorf("%s answered %s", arguments, text(t, r))
			}
		}
		if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo_txt"}); err == nil ||
			!strings.Contains(err.Error(), "did you mean echo_text?") {
			t.Errorf("an unknown tool: %v", err)
		}
		if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{
			Name: "absent", Arguments: map[string]any{"text": "hi"}}); err == nil {
			t.Error("a hidden tool was called")
		}
	})
}

// A tool that acts asks the person at the client, in this protocol and in the older
// ones; without one, it says how to allow it.
func TestConfirmation(t *testing.T) {
	answers := map[string]struct {
		answer mcp.ElicitResult
		want   string
	}{
		"yes":       {mcp.ElicitResult{Action: "accept", Content: map[string]any{"allow": true}}, `{"said":["hi"]}`},
		"no":        {mcp.ElicitResult{Action: "accept", Content: map[string]any{"allow": false}}, "permission_denied"},
		"declined":  {mcp.ElicitResult{Action: "decline"}, "permission_denied"},
		"dismissed": {mcp.ElicitResult{Action: "cancel"}, "permission_denied"},
	}
	for name, test := range answers {
		t.Run(name, func(t *testing.T) {
			var asked sync.Map
			o := &mcp.ClientOptions{ElicitationHandler: func(_ context.Context,
				r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				asked.Store(r.Params.Message, true)
				return &test.answer, nil
			}}
			overEach(t, tools(nil), o, func(t *testing.T, session *mcp.ClientSession) {
				r, err := session.CallTool(t.Context(), &mcp.CallToolParams{
					Name: "act", Arguments: map[string]any{"text": "hi"}})
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(text(t, r), test.want) {
					t.Errorf("it answered %s", text(t, r))
				}
				if _, ok := asked.Load(`Allow act with these arguments? {"text":"hi"}`); !ok {
					t.Error("the person was not asked so")
				}
			})
		})
	}
	// Nobody can be asked where the client shows nothing, nor where it only opens pages.
	for _, o := range []*mcp.ClientOptions{nil, {
		Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{
			URL: &mcp.URLElicitationCapabilities{}}},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return nil, errors.New("asked")
		}}} {
		overEach(t, tools(nil), o, func(t *testing.T, session *mcp.ClientSession) {
			r, err := session.CallTool(t.Context(), &mcp.CallToolParams{
				Name: "act", Arguments: map[string]any{"text": "hi"}})
			if err != nil {
				t.Fatal(err)
			}
			if !r.IsError || !strings.Contains(text(t, r), "confirm.act: allow") {
				t.Errorf("it answered %s", text(t, r))
			}
		})
	}
}

// A tool that acts through another asks for both, one after the other, and nothing is
// asked twice; a state that was not given is refused.
func TestConfirmationOfSeveral(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	o := &mcp.ClientOptions{ElicitationHandler: func(_ context.Context,
		r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.Params.Message)
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"allow": true}}, nil
	}}
	overEach(t, tools(nil), o, func(t *testing.T, session *mcp.ClientSession) {
		asked = nil
		r, err := session.CallTool(t.Context(), &mcp.CallToolParams{
			Name: "act_through", Arguments: map[string]any{"text": "hi"}})
		if err != nil {
			t.Fatal(err)
		}
		if text(t, r) != `{"said":["hi"]}` {
			t.Errorf("it answered %s", text(t, r))
		}
		if want := []string{`Allow act_through with these arguments? {"text":"hi"}`,
			`Allow act with these arguments? {"text":"inner"}`}; !slices.Equal(asked, want) {
			t.Errorf("it asked %q", asked)
		}
		if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{
			Name: "act", Arguments: map[string]any{"text": "hi"}, RequestState: "7b7d.00"}); err == nil {
			t.Error("it takes a state of somebody else")
		}
	})
}

// A batch asks once for each call that needs a word, and the answer to one is not that
// to another.
func TestConfirmationOfABatch(t *testing.T) {
	set, err := builtin.New(builtin.Parts{}, map[string][]string{"both": {"act", "multi_tool_use_parallel"}},
		tools(nil).Tools).Toolset("both")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var asked []string
	o := &mcp.ClientOptions{ElicitationHandler: func(_ context.Context,
		r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.Params.Message)
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{
			"allow": strings.Contains(r.Params.Message, "one")}}, nil
	}}
	overEach(t, set, o, func(t *testing.T, session *mcp.ClientSession) {
		asked = nil
		r, err := session.CallTool(t.Context(), &mcp.CallToolParams{
			Name: "multi_tool_use_parallel", Arguments: map[string]any{"tool_uses": []any{
				map[string]any{"recipient_name": "act", "parameters": map[string]any{"text": "one"}},
				map[string]any{"recipient_name": "act", "parameters": map[string]any{"text": "two"}}}}})
		if err != nil {
			t.Fatal(err)
		}
		if said := text(t, r); len(asked) != 2 || !strings.Contains(said, `{"said":["one"]}`) ||
			strings.Contains(said, `"two"]`) || !strings.Contains(said, "permission_denied") {
			t.Errorf("asked %q: %s", asked, said)
		}
	})
}

// Progress rises, and goes only to who asked for it.
func TestProgress(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	var mu sync.Mutex
	var seen []float64
	o := &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context,
		r *mcp.ProgressNotificationClientRequest) {
		mu.Lock()
		defer mu.Unlock()
		if r.Params.ProgressToken != "mine" || r.Params.Message != "step" || r.Params.Total != 3 {
			t.Errorf("a notice of %+v", r.Params)
		}
		seen = append(seen, r.Params.Progress)
	}}
	overEach(t, tools(nil), o, func(t *testing.T, session *mcp.ClientSession) {
		call := func(token any) []float64 {
			mu.Lock()
			seen = nil
			mu.Unlock()
			params := &mcp.CallToolParams{Name: "wait", Arguments: map[string]any{"text": "a while"}}
			if token != nil {
				params.SetProgressToken(token)
			}
			if _, err := session.CallTool(t.Context(), params); err != nil {
				t.Fatal(err)
			}
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(seen)
		}
		if got := call("mine"); len(got) == 0 || !slices.IsSorted(got) ||
			slices.Compact(slices.Clone(got))[0] != got[0] {
			t.Errorf("progress %v", got)
		}
		if got := call(nil); len(got) != 0 {
			t.Errorf("progress %v without a token", got)
		}
	})
}

// A call that the client cancels ends the work below it.
func TestCancellation(t *testing.T) {
	for name, open := range connections {
		t.Run(name, func(t *testing.T) {
			ended, began := make(chan error, 1), make(chan struct{}, 10)
			o := &mcp.ClientOptions{ProgressNotificationHandler: func(context.Context,
				*mcp.ProgressNotificationClientRequest) {
				began <- struct{}{}
			}}
			session := open(t, tools(ended), o)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			go func() {
				select {
				case <-began: // it is at work
					cancel()
				case <-ctx.Done():
				}
			}()
			params := &mcp.CallToolParams{Name: "wait", Arguments: map[string]any{"text": "forever"}}
			params.SetProgressToken("mine")
			if _, err := session.CallTool(ctx, params); err == nil {
				t.Fatal("it answered")
			}
			select {
			case err := <-ended:
				if !errors.Is(err, context.Canceled) {
					t.Errorf("the work ended with %v", err)
				}
			case <-time.After(time.Minute):
				t.Error("the work goes on")
			}
		})
	}
}

func TestResources(t *testing.T) {
	overEach(t, tools(nil), nil, func(t *testing.T, session *mcp.ClientSession) {
		templates, err := session.ListResourceTemplates(t.Context(), nil)
		if err != nil || len(templates.ResourceTemplates) != 2 {
			t.Fatalf("%+v, %v", templates, err)
		}
		for uri, want := range map[string]string{
			"citewell://snapshots/" + citewell.SHA256([]byte("kept")): "kept",
			"citewell://briefs/0123456789abcdef0123456789abcdef":      "# Research: what is kept",
		} {
			r, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
			if err != nil || !strings.HasPrefix(r.Contents[0].Text, want) {
				t.Errorf("%s is %+v, %v", uri, r, err)
			}
		}
		for _, uri := range []string{"citewell://snapshots/" + citewell.SHA256(nil),
			"citewell://snapshots/..%2F..%2Fetc", "citewell://briefs/x", "file:///etc/passwd"} {
			if r, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
				t.Errorf("%s is %+v", uri, r)
			}
		}
	})
}
