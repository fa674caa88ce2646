package cogtrix

import (
	"context"
	"net/http"

	"github.com/citewell/citewell/internal/tool"
)

func init() {
	Definitions.Add("", "http_get", newHTTPGet)
	Definitions.Add(Name, "http_get", newOriginalHTTPGet)
}

var httpGetSpec = tool.Spec{Name: "http_get", Title: "Call a URL by GET",
	Description: tool.Description(descriptions, "http_get"),
	Hints:       tool.Hints{ReadOnly: true, Idempotent: true, OpenWorld: true}}

type httpGetArguments struct {
	URL     string `json:"url"`
	Headers any    `json:"headers,omitempty" jsonschema:"an object of names and values; for this host alone"`
	Timeout int    `json:"timeout,omitempty" jsonschema:"seconds in all" default:"30" bounds:"1..120"`
}

type httpGetInput struct {
	httpGetArguments
	tool.Window
}

type httpGetOutput struct {
	httpAnswer
	tool.Part
}

// Text is the answer as a model reads it.
func (o httpGetOutput) Text() string { return o.text(o.Body + o.Note()) }

func newHTTPGet(d Deps) *tool.Tool {
	return withHeaders(tool.New(httpGetSpec, func(ctx context.Context, in httpGetInput) (httpGetOutput, error) {
		a, err := d.call(ctx, http.MethodGet, in.URL, in.Headers, in.Timeout, nil)
		part, which := in.Cut(a.Body)
		return httpGetOutput{a.shown(part), which}, err
	}))
}

func newOriginalHTTPGet(d Deps) *tool.Tool {
	return withHeaders(tool.New(httpGetSpec, func(ctx context.Context,
		in httpGetArguments) (originalHTTPOutput, error) {
		return originalHTTP(d.call(ctx, http.MethodGet, in.URL, in.Headers, in.Timeout, nil))
	}))
}
