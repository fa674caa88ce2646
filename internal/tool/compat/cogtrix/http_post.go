package cogtrix

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/tool"
)

func init() {
	Definitions.Add("", "http_post", newHTTPPost)
	Definitions.Add(Name, "http_post", newOriginalHTTPPost)
}

var httpPostSpec = tool.Spec{Name: "http_post", Title: "Send JSON to a URL by POST",
	Description: tool.Description(descriptions, "http_post"), Confirm: true,
	Hints: tool.Hints{Destructive: true, OpenWorld: true}}

type httpPostArguments struct {
	URL     string `json:"url"`
	Data    string `json:"data" jsonschema:"JSON in a string" bounds:"1..1000000"`
	Headers any    `json:"headers,omitempty" jsonschema:"as for http_get; Content-Type: application/json unless said"`
	Timeout int    `json:"timeout,omitempty" jsonschema:"seconds in all" default:"30" bounds:"1..120"`
}

// httpPostInput has no start_index: reading on would send the data again. The
// longest max_length is more than a whole body.
type httpPostInput struct {
	httpPostArguments
	MaxLength int `json:"max_length,omitempty" jsonschema:"in bytes; a second call sends the data again" default:"20000" bounds:"1..2000000"`
}

type httpPostOutput struct {
	httpAnswer
	TotalLength int `json:"total_length" jsonschema:"bytes of the whole text"`
}

// Text is the answer as a model reads it.
func (o httpPostOutput) Text() string {
	note := ""
	if len(o.Body) < o.TotalLength {
		note = fmt.Sprintf("\n\n[the first %d of %d bytes; max_length decides how many]", len(o.Body), o.TotalLength)
	}
	return o.text(o.Body + note)
}

func newHTTPPost(d Deps) *tool.Tool {
	return withHeaders(tool.New(httpPostSpec, func(ctx context.Context, in httpPostInput) (httpPostOutput, error) {
		a, err := d.post(ctx, in.httpPostArguments)
		part, which := tool.Window{MaxLength: in.MaxLength}.Cut(a.Body)
		return httpPostOutput{a.shown(part), which.TotalLength}, err
	}))
}

func newOriginalHTTPPost(d Deps) *tool.Tool {
	return withHeaders(tool.New(httpPostSpec, func(ctx context.Context,
		in httpPostArguments) (originalHTTPOutput, error) {
		return originalHTTP(d.post(ctx, in))
	}))
}

// Judge says what is wrong with the data and the headers.
func (in httpPostArguments) Judge() error {
	var ignored json.RawMessage
	if err := json.Unmarshal([]byte(in.Data), &ignored); err != nil {
		where := ""
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			where = fmt.Sprintf(" (at byte %d: %s)", syntax.Offset, syntax)
		}
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "http_post", Message: "data is not JSON" + where,
			Hint: `data is a string that holds JSON, as in "{\"name\": \"value\"}"; nothing was sent`, Err: err}
	}
	_, _, err := httpwire.ParseHeader(in.Headers)
	return err
}

func (d Deps) post(ctx context.Context, in httpPostArguments) (httpAnswer, error) {
	return d.call(ctx, http.MethodPost, in.URL, in.Headers, in.Timeout, []byte(in.Data))
}
