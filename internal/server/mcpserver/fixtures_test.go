//lint:file-ignore SA1019 the suite asks for sampling, roots and logging while the protocol has them

package mcpserver

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/tool"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The conformance suite calls tools, resources and prompts by names and with answers
// that it prescribes. What our tools can do goes the way of our tools; what they never
// do (pictures, sound, the client's model) is answered beside them.

type nothing struct{}

type saying struct {
	Said string `json:"said"`
}

func (s saying) Text() string { return s.Said }

// fixtureSet are the tools of the suite: the first three as ours are, then the names
// of those that fixtures answers.
func fixtureSet() *tool.Toolset {
	set := &tool.Toolset{Name: "conformance"}
	add := func(name, description string, run func(context.Context, nothing) (saying, error)) {
		set.Tools = append(set.Tools, tool.New(tool.Spec{Name: name, Title: name, Description: description}, run))
	}
	add("test_simple_text", "Answers with a text.", func(context.Context, nothing) (saying, error) {
		return saying{"This is a simple text response for testing."}, nil
	})
	add("test_error_handling", "Fails.", func(context.Context, nothing) (saying, error) {
		return saying{}, &citewell.Error{Code: citewell.CodeInternal,
			Message: "This tool intentionally returns an error for testing"}
	})
	add("test_tool_with_progress", "Tells how far it is.", func(ctx context.Context, _ nothing) (saying, error) {
		for _, done := range []float64{0, 50, 100} {
			tool.CallerOf(ctx).Progress(done, 100, "a step")
			time.Sleep(fastestProgress + 20*time.Millisecond)
		}
		return saying{"done"}, nil
	})
	for _, f := range fixtureTools {
		add(f.name, "One of the suite's.", func(context.Context, nothing) (saying, error) {
			return saying{}, fmt.Errorf("%s is answered beside the tools", f.name)
		})
	}
	return set
}

// fixtures is Options.more for the suite.
func fixtures(o *mcp.ServerOptions) func(*mcp.Server) {
	o.Capabilities = nil // by what there is, changes of lists included
	o.CompletionHandler = func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
		return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{
			Values: []string{"paris", "park"}, Total: 2}}, nil
	}
	o.SubscribeHandler = func(context.Context, *mcp.SubscribeRequest) error { return nil }
	o.UnsubscribeHandler = func(context.Context, *mcp.UnsubscribeRequest) error { return nil }
	return func(m *mcp.Server) {
		for _, f := range fixtureTools {
			schema := f.schema
			if schema == "" {
				schema = `{"type":"object"}`
			}
			m.AddTool(&mcp.Tool{Name: f.name, Description: "One of the suite's.", InputSchema: json.RawMessage(schema)},
				func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					return f.run(ctx, m, req)
				})
		}
		fixtureResources(m)
		fixturePrompts(m)
	}
}

type fixtureTool struct {
	name, schema string
	run          func(context.Context, *mcp.Server, *mcp.CallToolRequest) (*mcp.CallToolResult, error)
}

func content(c ...mcp.Content) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{Content: c}, nil
}

func answers(format string, args ...any) (*mcp.CallToolResult, error) {
	return content(&mcp.TextContent{Text: fmt.Sprintf(format, args...)})
}

// always is a tool with one answer.
func always(name string, c ...mcp.Content) fixtureTool {
	return fixtureTool{name: name, run: func(context.Context, *mcp.Server,
		*mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return content(c...)
	}}
}

// logs is a tool that tells the client's log.
func logs(name string, lines ...string) fixtureTool {
	return fixtureTool{name: name, run: func(ctx context.Context, _ *mcp.Server,
		req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, line := range lines {
			if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: line}); err != nil {
				return nil, err
			}
			time.Sleep(50 * time.Millisecond)
		}
		return answers("logged")
	}}
}

// elicits is a tool that asks the person while it runs, as the older protocols do.
func elicits(name, message string, properties string) fixtureTool {
	return fixtureTool{name: name, run: func(ctx context.Context, _ *mcp.Server,
		req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in struct{ Message string }
		if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
			return nil, err
		}
		if in.Message != "" {
			message = in.Message
		}
		r, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: message,
			RequestedSchema: json.RawMessage(`{"type":"object","properties":` + properties + `}`)})
		if err != nil {
			return nil, err
		}
		return answers("User response: action=%s, content=%v", r.Action, r.Content)
	}}
}

// asks is a tool that ends with questions and is called again with their answers.
// done says what the answers come to; nothing means they are asked again.
func asks(name string, questions func() mcp.InputRequestMap, done func(mcp.InputResponseMap) string) fixtureTool {
	return fixtureTool{name: name, run: func(_ context.Context, _ *mcp.Server,
		req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if text := done(req.Params.InputResponses); text != "" {
			return answers("%s", text)
		}
		return &mcp.CallToolResult{InputRequests: questions()}, nil
	}}
}

func question(message, property, kind string) *mcp.ElicitParams {
	return &mcp.ElicitParams{Message: message, RequestedSchema: &jsonschema.Schema{
		Type: "object", Required: []string{property},
		Properties: map[string]*jsonschema.Schema{property: {Type: kind}}}}
}

func sampling(text string) *mcp.CreateMessageParams {
	return &mcp.CreateMessageParams{MaxTokens: 100, Messages: []*mcp.SamplingMessage{
		{Role: "user", Content: &mcp.TextContent{Text: text}}}}
}

// accepted is one value of an answer that was given.
func accepted(answers mcp.InputResponseMap, id, property string) any {
	r, ok := answers[id].(*mcp.ElicitResult)
	if !ok || r.Action != "accept" {
		return nil
	}
	return r.Content[property]
}

func sampled(answers mcp.InputResponseMap, id string) string {
	r, ok := answers[id].(*mcp.CreateMessageWithToolsResult)
	if !ok {
		return ""
	}
	for _, c := range r.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			return text.Text
		}
	}
	return ""
}

// state is what a tool remembers between two calls, signed.
func state(text string) string {
	mac := hmac.New(sha256.New, []byte("of the suite"))
	mac.Write([]byte(text))
	return text + "." + hex.EncodeToString(mac.Sum(nil))
}

// stateOf is the text of a state, and an error where it is not ours.
func stateOf(signed string) (string, error) {
	text, _, _ := strings.Cut(signed, ".")
	if signed != "" && signed != state(text) {
		return "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "requestState was changed"}
	}
	return text, nil
}

// remembers is a tool that asks step by step and knows by its state how far it is.
func remembers(name string, steps ...*mcp.ElicitParams) fixtureTool {
	return fixtureTool{name: name, run: func(_ context.Context, _ *mcp.Server,
		req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		known, err := stateOf(req.Params.RequestState)
		if err != nil {
			return nil, err
		}
		done := len(known)
		if done > 0 {
			id := "confirm"
			if len(steps) > 1 {
				id = fmt.Sprintf("step%d", done)
			}
			if r, ok := req.Params.InputResponses[id].(*mcp.ElicitResult); !ok || r.Action != "accept" {
				done--
			}
		}
		if done == len(steps) {
			return answers("state-ok after %d answers", done)
		}
		id := "confirm"
		if len(steps) > 1 {
			id = fmt.Sprintf("step%d", done+1)
		}
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{id: steps[done]},
			RequestState: state(strings.Repeat("x", done+1))}, nil
	}}
}

func picture() []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		panic(err) // it was drawn here
	}
	return b.Bytes()
}

// sound is a WAV file without a sample.
var sound = []byte("RIFF\x24\x00\x00\x00WAVEfmt " +
	"\x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x00\x00\x00\x00")

func embedded(uri string) *mcp.EmbeddedResource {
	return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{
		URI: uri, MIMEType: "text/plain", Text: "This is an embedded resource content."}}
}

var fixtureTools = []fixtureTool{
	always("test_image_content", &mcp.ImageContent{Data: picture(), MIMEType: "image/png"}),
	always("test_audio_content", &mcp.AudioContent{Data: sound, MIMEType: "audio/wav"}),
	always("test_embedded_resource", embedded("test://embedded-resource")),
	always("test_multiple_content_types", &mcp.TextContent{Text: "Multiple content types test:"},
		&mcp.ImageContent{Data: picture(), MIMEType: "image/png"}, embedded("test://mixed-content-resource")),
	always("test_streaming_elicitation", &mcp.TextContent{Text: "nothing but this answer"}),
	logs("test_tool_with_logging", "Tool execution started", "Tool processing data", "Tool execution completed"),
	logs("test_logging_tool", "for who asked for it"),
	elicits("test_elicitation", "Who are you?", `{"username":{"type":"string","description":"your name"}}`),
	elicits("test_elicitation_sep1034_defaults", "Please check these", `{
		"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},
		"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}`),
	elicits("test_elicitation_sep1330_enums", "Please choose", `{
		"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
		"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
		"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
		"untitledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},
		"titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}`),
	{name: "test_sampling", run: func(ctx context.Context, _ *mcp.Server,
		req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in struct{ Prompt string }
		if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
			return nil, err
		}
		r, err := req.Session.CreateMessage(ctx, sampling(in.Prompt))
		if err != nil {
			return nil, err
		}
		return answers("LLM response: %v", r.Content.(*mcp.TextContent).Text)
	}},
	{name: "test_missing_capability", run: func(_ context.Context, _ *mcp.Server,
		req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if c := req.ClientCapabilities(); c != nil && c.Sampling != nil {
			return answers("the client can do that")
		}
		data, err := json.Marshal(mcp.MissingRequiredClientCapabilityData{
			RequiredCapabilities: &mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{}}})
		if err != nil {
			return nil, err
		}
		return nil, &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities,
			Message: "the client cannot do that", Data: data}
	}},
	{name: "test_trigger_tool_change", run: func(_ context.Context, m *mcp.Server,
		_ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		m.AddTool(&mcp.Tool{Name: "test_newcomer", Description: "Is new.",
			InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return answers("new here") })
		return answers("there is a new tool")
	}},
	{name: "test_trigger_prompt_change", run: func(_ context.Context, m *mcp.Server,
		_ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		m.AddPrompt(&mcp.Prompt{Name: "test_newcomer", Description: "Is new."}, prompting("new here"))
		return answers("there is a new prompt")
	}},
	{name: "test_reconnection", run: func(_ context.Context, _ *mcp.Server,
		req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if req.Extra != nil && req.Extra.CloseSSEStream != nil {
			req.Extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
		}
		time.Sleep(100 * time.Millisecond)
		return answers("sent after the stream was taken up again")
	}},
	{name: "json_schema_2020_12_tool",
		schema: `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
		"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
		"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},
			"phone":{"type":"string"},"email":{"type":"string"}},
		"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
		"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},
		"additionalProperties":false}`,
		run: func(_ context.Context, _ *mcp.Server, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return answers("called with %s", req.Params.Arguments)
		}},
	{name: "test_x_mcp_header", schema: `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer"}}}`,
		run: func(_ context.Context, _ *mcp.Server, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return answers("called with %s", req.Params.Arguments)
		}},
	asks("test_input_required_result_elicitation",
		func() mcp.InputRequestMap {
			return mcp.InputRequestMap{"user_name": question("What is your name?", "name", "string")}
		},
		func(a mcp.InputResponseMap) string {
			if name, ok := accepted(a, "user_name", "name").(string); ok {
				return "Hello, " + name + "!"
			}
			return ""
		}),
	asks("test_input_required_result_sampling",
		func() mcp.InputRequestMap {
			return mcp.InputRequestMap{"capital_question": sampling("What is the capital of France?")}
		},
		func(a mcp.InputResponseMap) string { return sampled(a, "capital_question") }),
	asks("test_input_required_result_list_roots",
		func() mcp.InputRequestMap { return mcp.InputRequestMap{"client_roots": &mcp.ListRootsParams{}} },
		func(a mcp.InputResponseMap) string {
			if r, ok := a["client_roots"].(*mcp.ListRootsResult); ok {
				return fmt.Sprintf("%d roots", len(r.Roots))
			}
			return ""
		}),
	{name: "test_input_required_result_multiple_inputs", run: func(_ context.Context, _ *mcp.Server,
		req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		a := req.Params.InputResponses
		name, _ := accepted(a, "user_name", "name").(string)
		greeting := sampled(a, "greeting")
		roots, _ := a["client_roots"].(*mcp.ListRootsResult)
		if name != "" && greeting != "" && roots != nil {
			return answers("%s %s, %d roots", greeting, name, len(roots.Roots))
		}
		return &mcp.CallToolResult{RequestState: state("several"),
			InputRequests: mcp.InputRequestMap{"user_name": question("What is your name?", "name", "string"),
				"greeting": sampling("Greet them"), "client_roots": &mcp.ListRootsParams{}}}, nil
	}},
	{name: "test_input_required_result_capabilities", run: func(_ context.Context, _ *mcp.Server,
		req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		open := mcp.InputRequestMap{}
		c := req.ClientCapabilities()
		if c != nil && c.Elicitation != nil {
			open["user_name"] = question("What is your name?", "name", "string")
		}
		if c != nil && c.Sampling != nil {
			open["greeting"] = sampling("Greet them")
		}
		if len(open) == 0 || len(req.Params.InputResponses) > 0 {
			return answers("nothing is left to ask")
		}
		return &mcp.CallToolResult{InputRequests: open}, nil
	}},
	remembers("test_input_required_result_request_state", question("Please confirm", "ok", "boolean")),
	remembers("test_input_required_result_tampered_state", question("Please confirm", "ok", "boolean")),
	remembers("test_input_required_result_multi_round", question("What is your name?", "name", "string"),
		question("Which colour?", "color", "string")),
}

func fixtureResources(m *mcp.Server) {
	give := func(c mcp.ResourceContents) mcp.ResourceHandler {
		return func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			c := c
			c.URI = req.Params.URI
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{&c}}, nil
		}
	}
	text := mcp.ResourceContents{MIMEType: "text/plain", Text: "This is the content of the static text resource."}
	m.AddResource(&mcp.Resource{URI: "test://static-text", Name: "static text", Description: "A text.",
		MIMEType: "text/plain"}, give(text))
	m.AddResource(&mcp.Resource{URI: "test://watched-resource", Name: "watched", Description: "A text.",
		MIMEType: "text/plain"}, give(text))
	m.AddResource(&mcp.Resource{URI: "test://static-binary", Name: "static binary", Description: "A picture.",
		MIMEType: "image/png"},
		give(mcp.ResourceContents{MIMEType: "image/png", Blob: picture()}))
	m.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "by id",
		Description: "Data of an id.", MIMEType: "application/json"},
		func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
				{URI: req.Params.URI, MIMEType: "application/json",
					Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id)}}}, nil
		})
}

func prompting(format string, arguments ...string) mcp.PromptHandler {
	return func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		var values []any
		for _, a := range arguments {
			values = append(values, req.Params.Arguments[a])
		}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
			{Role: "user", Content: &mcp.TextContent{Text: fmt.Sprintf(format, values...)}}}}, nil
	}
}

func fixturePrompts(m *mcp.Server) {
	m.AddPrompt(&mcp.Prompt{Name: "test_simple_prompt", Description: "One message."},
		prompting("This is a simple prompt for testing."))
	m.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_arguments", Description: "With two arguments.",
		Arguments: []*mcp.PromptArgument{{Name: "arg1", Description: "the first", Required: true},
			{Name: "arg2", Description: "the second", Required: true}}},
		prompting("Prompt with arguments: arg1='%s', arg2='%s'", "arg1", "arg2"))
	m.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_embedded_resource", Description: "With a resource.",
		Arguments: []*mcp.PromptArgument{{Name: "resourceUri", Description: "its address", Required: true}}},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
				{Role: "user", Content: embedded(req.Params.Arguments["resourceUri"])},
				{Role: "user", Content: &mcp.TextContent{Text: "Please process the embedded resource above."}}}}, nil
		})
	m.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_image", Description: "With a picture."},
		func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
				{Role: "user", Content: &mcp.ImageContent{Data: picture(), MIMEType: "image/png"}},
				{Role: "user", Content: &mcp.TextContent{Text: "Please analyze the image above."}}}}, nil
		})
	m.AddPrompt(&mcp.Prompt{Name: "test_input_required_result_prompt", Description: "Asks first."},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			about := accepted(req.Params.InputResponses, "user_context", "context")
			if about == nil {
				return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{
					"user_context": question("What is it about?", "context", "string")}}, nil
			}
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
				{Role: "user", Content: &mcp.TextContent{Text: fmt.Sprintf("Context: %v", about)}}}}, nil
		})
}
