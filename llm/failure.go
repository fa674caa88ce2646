package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/envelope"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
)

// In which way an answer was not usable; found with errors.Is in the errors of Client.
var (
	ErrSchema     = errors.New("schema-invalid")   // it did not have the form asked for
	ErrLength     = errors.New("length")           // it was cut at the token limit
	ErrRefused    = errors.New("refused")          // the model would not
	ErrFiltered   = errors.New("content-filter")   // the endpoint would not
	ErrEmpty      = errors.New("empty")            // it said nothing
	ErrRepetition = errors.New("repetition")       // it said the same without end
	ErrCut        = errors.New("cut")              // the connection broke before the end
	ErrContext    = errors.New("context-overflow") // the question is longer than the model reads
	ErrNoTools    = errors.New("no-tools")         // the endpoint takes no tools for this model
	ErrNoImages   = errors.New("no-images")        // the model, or its endpoint, takes no images
	ErrCalls      = errors.New("too-many-calls")   // it called more than MaxToolCalls tools

	// ErrQueued marks a request that waits, or waited in vain, in our own queue: the endpoint has not heard of it.
	ErrQueued = errors.New("our own queue")
)

func unusable(kind error, message string) error {
	return &citewell.Error{Code: citewell.CodeModelFailed, Op: "llm", Message: message, Err: kind}
}

// brokenOff is an answer that ended before its end.
func brokenOff(cause error) error {
	return &citewell.Error{Code: citewell.CodeHTTPFailed, Op: "llm", Message: "the model's answer broke off",
		Err: errors.Join(ErrCut, cause)}
}

// A statusError keeps what a refusal said.
type statusError struct {
	status int
	param  string // the field that it is about, where the endpoint says so
	said   string
	error
}

func (e statusError) Unwrap() error { return e.error }

var tooLong = lazyregexp.New(
	`(?i)context[_ ](?:length|size|window)|maximum context|too many tokens|prompt is too long|input is too long|exceed_context`)

// noTools are the words by which endpoints refuse tools: Ollama, llama.cpp's server, vLLM, OpenRouter.
var noTools = lazyregexp.New(
	`(?i)not support (?:tools?|function)|tools?['"]? (?:use )?(?:is|are) not supported|support tool use|tool choice requires|tools param requires|function calling is not (?:supported|enabled)`)

// noImages are the words by which endpoints refuse images.
var noImages = lazyregexp.New(
	`(?i)(?:not|n't|no endpoints found that) (?:support|take|accept|see) (?:the )?(?:images?|vision|image[_ ](?:inputs?|urls?))|image[_ ](?:inputs?|urls?)['"]? (?:is|are) (?:not|only) (?:supported|enabled)|` +
		`images?['"]? (?:is|are) not supported|not a (?:multimodal|vision) model|at most 0 images?|data required for image input|unknown variant ['"` + "`" + `]image_url|vision (?:is )?not (?:supported|enabled)`)

// refusal is the error for an answer that says no, with a code and without the key.
func (c *Client) refusal(status int, body json.RawMessage, wait time.Duration) error {
	said, code := toldOf(body)
	var object struct {
		Param any    `json:"param"`
		Type  string `json:"type"`
	}
	_ = json.Unmarshal(body, &object) // plain words have neither
	param, _ := object.Param.(string)
	short := safe(said, c.o.APIKey)
	cause := statusError{status: status, param: param, said: said, error: errors.New(short)}
	err := &citewell.Error{Code: citewell.CodeModelFailed, Op: "llm", RetryAfter: wait, Err: cause}
	switch {
	case code == "insufficient_quota" || status == http.StatusPaymentRequired:
		err.Code, err.Message = citewell.CodeQuotaExhausted, "the account's credits are used up"
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		err.Code, err.Message, err.Hint = citewell.CodeAuth, "the model's endpoint refused the key",
			"check llm.api_key and llm.base_url"
	case status == http.StatusTooManyRequests:
		if err.Code, err.Message = citewell.CodeRateLimited, "the model's endpoint is rate limited"; wait > 0 {
			err.Hint = "it asks to be left alone for " + wait.Round(time.Second).String()
		}
	case (status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge) &&
		(code == "context_length_exceeded" || tooLong.MatchString(object.Type) || tooLong.MatchString(said)):
		err.Message = strings.TrimSuffix("the question is longer than the model reads: "+short, ": ")
		err.Err = errors.Join(ErrContext, cause)
	default:
		answered := http.StatusText(status)
		if answered == "" {
			answered = fmt.Sprintf("status %d", status)
		}
		err.Message = strings.TrimSuffix("the model's endpoint answered "+answered+": "+short, ": ")
		switch {
		case status >= http.StatusBadRequest && noTools.MatchString(said):
			err.Err = errors.Join(ErrNoTools, cause)
		case status >= http.StatusBadRequest && noImages.MatchString(said):
			err.Err = errors.Join(ErrNoImages, cause)
		}
	}
	return err
}

// broken gives an error of the connection its code; the caller's end comes first.
func broken(ctx context.Context, err error) error {
	if errors.Is(err, errNotJSON) {
		return notChat(err)
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return httpwire.Classify("llm", err)
}

// unreached says of an endpoint that there is no way to it which one that is.
func unreached(what string, at *url.URL, err error) error {
	e, ours := errors.AsType[*citewell.Error](err)
	if !ours || e.Message != "" {
		return err
	}
	switch e.Code {
	case citewell.CodeConnectFailed, citewell.CodeDNSFailed, citewell.CodeTLSFailed:
		named := *e
		named.Message = fmt.Sprintf("%s at %.100s cannot be reached: %s", what, at.Host, e.Code.Row().Meaning)
		named.Hint = "is it running there? base_url in the configuration says where it is sought"
		return &named
	}
	return err
}

func notChat(err error) error {
	return &citewell.Error{Code: citewell.CodeBadResponse, Op: "llm",
		Message: "the model's endpoint did not answer in JSON of a chat",
		Hint:    "llm.base_url usually ends in /v1", Err: err}
}

// safe shortens what an endpoint said of an error and takes the key out, and what would steer a terminal.
func safe(said string, key citewell.Secret) string {
	said = text.OneLine(envelope.Neutralize(said))
	if !key.Empty() {
		said = strings.ReplaceAll(said, key.Reveal(), key.String())
	}
	return text.Shorten(said, 200)
}
