package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/jsonform"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
)

// A request is what is read of a chat completion; everything else in it is passed over.
type request struct {
	Model          string    `json:"model"`
	Messages       []message `json:"messages"`
	Stream         bool      `json:"stream"`
	N              *int      `json:"n"`
	StreamOptions  *options  `json:"stream_options"`
	ResponseFormat *struct {
		Type string `json:"type"`
	} `json:"response_format"`
	Metadata json.RawMessage `json:"metadata"` // of which run_id alone is read
	Citewell json.RawMessage `json:"citewell"` // an extension
}

// An extension is what a request may ask of Citewell alone. What it misspells is
// refused: a wall that is not understood is none.
type extension struct {
	From   string     `json:"from,omitempty" jsonschema:"the id of a run that has ended: this one goes on from it"`
	Budget job.Budget `json:"budget,omitzero" jsonschema:"what the run may spend; what is absent is as the agent has it, and none may be more than that"`
}

var extensionForm = tool.NewForm[extension]("openai")

// extended reads the extension of a request.
func (q request) extended() (extension, error) {
	if len(q.Citewell) == 0 || string(q.Citewell) == "null" {
		return extension{}, nil
	}
	e, err := extensionForm.Read(q.Citewell)
	if err != nil {
		return e, wrong("citewell", "citewell: "+citewell.View(err).Message, "")
	}
	return e, nil
}

type options struct {
	IncludeUsage bool `json:"include_usage"`
}

// usage says whether a stream ends with what it cost.
func (q request) usage() bool { return q.StreamOptions != nil && q.StreamOptions.IncludeUsage }

// readJSON takes the body of a request as JSON. What it holds counts until release is
// called, which it must be where there is no error.
func (a *API) readJSON(w http.ResponseWriter, r *http.Request, into any) (release func(), err error) {
	body, release, err := a.bodies.JSON(w, r)
	if err != nil {
		return nil, err
	}
	if err := readJSON(body, into); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

func readJSON(body []byte, into any) error {
	if _, _, err := jsonform.Parse(body); err != nil {
		return wrong("", "the body is no JSON: "+text.Prefix(err.Error(), 200), "")
	}
	if err := json.Unmarshal(body, into); err != nil {
		if typed, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return wrong(typed.Field, fmt.Sprintf("%s must not be %s", cmp.Or(typed.Field, "the body"), typed.Value),
				"")
		}
		return wrong("", "the body cannot be read", "")
	}
	return nil
}

// check refuses what would be promised and not kept.
func (q request) check() error {
	switch {
	case len(q.Messages) == 0:
		return wrong("messages", "messages is empty", `as in [{"role": "user", "content": "what to find out"}]`)
	case len(q.Model) > maxRunID:
		return &fault{param: "model", code: "model_not_found", error: &citewell.Error{
			Code: citewell.CodeNotFound, Op: "openai", Message: "there is no model " + quoted(q.Model)}}
	case q.N != nil && *q.N != 1:
		return wrong("n", fmt.Sprintf("n is %d", *q.N), "one completion is made of a request: leave n out")
	case q.ResponseFormat != nil && q.ResponseFormat.Type != "" && q.ResponseFormat.Type != "text":
		return wrong("response_format", "response_format "+quoted(q.ResponseFormat.Type)+" is not made",
			"a report is Markdown; its parts as JSON are at /v1/runs")
	}
	return nil
}

// conversation reads the messages, with their images made ready.
func (a *API) conversation(ctx context.Context, messages []message) (job.Start, error) {
	all, err := turnsOf(messages)
	if err != nil {
		return job.Start{}, err
	}
	c, err := converse(all)
	if err != nil {
		return job.Start{}, err
	}
	images, documents, err := a.show(ctx, c)
	if err != nil {
		return job.Start{}, err
	}
	s := job.Start{Task: c.task.text}
	if s.Files, err = a.filed(ctx, c.files); err != nil {
		return job.Start{}, err
	}
	s.Files = append(s.Files, documents...)
	s.Images = images.of(c.task)
	for _, t := range c.history {
		said := t.said()
		said.Images = images.of(t)
		s.History = append(s.History, said)
	}
	return s, nil
}
