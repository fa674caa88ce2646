// Command goclient does with OpenAI's Go client what a file of steps says, and prints
// what came of it as JSON. It is a module of its own: what it needs is no part of
// Citewell. client.py and client.mjs do the same in their languages.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

type plan struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	Steps []struct {
		Do   string          `json:"do"`
		Body json.RawMessage `json:"body"`
	} `json:"steps"`
}

type done struct {
	Failed    string   `json:"failed,omitempty"`
	Status    int      `json:"status,omitempty"`
	Code      string   `json:"code,omitempty"`
	Type      string   `json:"type,omitempty"`
	Names     []string `json:"names,omitempty"`
	Run       string   `json:"run,omitempty"`
	Model     string   `json:"model,omitempty"`
	Content   string   `json:"content,omitempty"`
	Finish    string   `json:"finish,omitempty"`
	Tokens    int64    `json:"tokens,omitempty"`
	Calls     []call   `json:"calls,omitempty"`
	Cited     []string `json:"cited,omitempty"`
	Citations []string `json:"citations,omitempty"`
	Outcome   string   `json:"outcome,omitempty"`
}

type call struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// beside is what OpenAI's types have no place for.
type beside struct {
	Citations []string `json:"citations"`
	Citewell  struct {
		Outcome string `json:"outcome"`
	} `json:"citewell"`
}

func told(c openai.ChatCompletion) done {
	d := done{Model: c.Model, Content: c.Choices[0].Message.Content, Finish: string(c.Choices[0].FinishReason),
		Tokens: c.Usage.TotalTokens}
	for _, t := range c.Choices[0].Message.ToolCalls {
		d.Calls = append(d.Calls, call{t.ID, t.Function.Name, t.Function.Arguments})
	}
	for _, a := range c.Choices[0].Message.Annotations {
		d.Cited = append(d.Cited, a.URLCitation.URL)
	}
	return d
}

func (d *done) besides(raw string) {
	var b beside
	if json.Unmarshal([]byte(raw), &b) != nil {
		return
	}
	if b.Citations != nil {
		d.Citations = b.Citations
	}
	if b.Citewell.Outcome != "" {
		d.Outcome = b.Citewell.Outcome
	}
}

func act(ctx context.Context, client openai.Client, do string, body json.RawMessage) (done, error) {
	var named struct {
		Model string `json:"model"`
	}
	if len(body) > 0 {
		if err := json.Unmarshal(body, &named); err != nil {
			return done{}, err
		}
	}
	var params openai.ChatCompletionNewParams
	switch do {
	case "models":
		page, err := client.Models.List(ctx)
		var d done
		if err == nil {
			for _, m := range page.Data {
				d.Names = append(d.Names, m.ID)
			}
		}
		return d, err
	case "model":
		m, err := client.Models.Get(ctx, named.Model)
		if err != nil {
			return done{}, err
		}
		return done{Names: []string{m.ID}}, nil
	}
	if err := json.Unmarshal(body, &params); err != nil {
		return done{}, err
	}
	var answer *http.Response
	if do == "chat" {
		c, err := client.Chat.Completions.New(ctx, params, option.WithResponseInto(&answer))
		if err != nil {
			return done{}, err
		}
		d := told(*c)
		d.besides(c.RawJSON())
		d.Run = answer.Header.Get("X-Agent-ID")
		return d, nil
	}
	params.StreamOptions.IncludeUsage = openai.Bool(true)
	stream := client.Chat.Completions.NewStreaming(ctx, params, option.WithResponseInto(&answer))
	var all openai.ChatCompletionAccumulator
	var d done
	for stream.Next() {
		chunk := stream.Current()
		if !all.AddChunk(chunk) {
			return done{}, fmt.Errorf("the chunk %s belongs to another answer", chunk.RawJSON())
		}
		d.besides(chunk.RawJSON())
	}
	if err := stream.Err(); err != nil {
		return done{}, err
	}
	citations, outcome := d.Citations, d.Outcome
	d = told(all.ChatCompletion)
	d.Citations, d.Outcome, d.Run = citations, outcome, answer.Header.Get("X-Agent-ID")
	return d, nil
}

func run() error {
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		return err
	}
	var p plan
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	client := openai.NewClient(option.WithBaseURL(p.URL), option.WithAPIKey(p.Token), option.WithMaxRetries(0))
	steps := []done{}
	for _, s := range p.Steps {
		d, err := act(context.Background(), client, s.Do, s.Body)
		if err != nil {
			d = done{Failed: err.Error()}
			if e, ok := errors.AsType[*openai.Error](err); ok {
				d.Failed, d.Status, d.Code, d.Type = e.Message, e.StatusCode, e.Code, e.Type
			}
		}
		steps = append(steps, d)
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"steps": steps})
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
