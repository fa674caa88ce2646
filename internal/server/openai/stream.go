package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/tool"
)

// pieceSize is how many bytes of the content one chunk has at least.
const pieceSize = 512

// A stream is one answer in chunks.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	base    chunk
	usage   bool
	said    int // characters of content so far
	calls   int
	ids     map[string]bool
	waiting map[string]job.Entry // calls without a result, for details
}

// stream answers in chunks while the run goes on.
func (a *API) stream(w http.ResponseWriter, r *http.Request, f followed, withUsage bool) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("Connection", "keep-alive")
	h.Set("X-Accel-Buffering", "no") // nginx would keep chunks back
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	s := &stream{w: w, control: http.NewResponseController(w), usage: withUsage, ids: map[string]bool{},
		waiting: map[string]job.Entry{},
		base:    chunk{ID: completionID(), Object: "chat.completion.chunk", Created: time.Now().Unix(), Model: f.id}}
	if s.usage {
		s.base.Usage = json.RawMessage("null")
	}
	empty := ""
	if s.send(delta{Role: "assistant", Content: &empty}, nil) != nil {
		return
	}
	tell := s.toolCalls
	if a.o.Generator == AsDetails {
		tell = s.details
	}
	end, err := a.follow(r.Context(), f, s.beat, tell)
	if err == nil {
		var said content
		if said, err = a.content(r.Context(), f, end); err == nil {
			err = s.finish(said)
		}
	}
	if err == nil || r.Context().Err() != nil {
		return // the client is gone where the context ended; the run goes on
	}
	body, _ := bodyOf(aboutRun(f, err))
	if s.event(body) == nil {
		_ = s.write("data: [DONE]\n\n") // the client is gone where this fails
	}
}

// write sends what is whole.
func (s *stream) write(text string) error {
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}

func (s *stream) event(v any) error {
	return s.write("data: " + string(tool.MustMarshal(v)) + "\n\n")
}

// beat keeps the connection open; clients pass over it.
func (s *stream) beat(now job.Beat) error { return s.write(": " + string(now) + "\n\n") }

// send sends one chunk of the answer; beside stands next to the choices.
func (s *stream) send(d delta, beside any) error {
	c := s.base
	c.Choices, c.Citewell = []chunkChoice{{Delta: d}}, beside
	if d.Content != nil {
		s.said += utf8.RuneCountInString(*d.Content)
	}
	return s.event(c)
}

// toolCalls tells of an entry of the log as a tool call, and of what it brought.
func (s *stream) toolCalls(e runstore.RunEvent) error {
	var entry job.Entry
	if e.Type != "reasoning" && e.Type != "call" && e.Type != "result" || json.Unmarshal(e.Data, &entry) != nil {
		return nil
	}
	if e.Type == "result" {
		return s.send(delta{}, toolResult{phase{entry.CallID, entry.Name, entry.Text}})
	}
	id := entry.CallID
	if e.Type == "reasoning" {
		id = fmt.Sprintf("%d-reasoning", entry.Iteration)
	}
	for base, n := id, 2; s.ids[id]; n++ { // a step whose report was rejected is counted once
		id = fmt.Sprintf("%s.%d", base, n)
	}
	s.ids[id] = true
	s.calls++
	return s.send(delta{ToolCalls: []toolCall{{s.calls - 1, id, "function", function{entry.Name, entry.Text}}}}, nil)
}

// finish says the content and ends the stream.
func (s *stream) finish(c content) error {
	annotations := c.shifted(s.said)
	for _, piece := range pieces(c.text) {
		if err := s.send(delta{Content: &piece}, nil); err != nil {
			return err
		}
	}
	last, stop := s.base, "stop"
	last.Choices = []chunkChoice{{Delta: delta{Annotations: annotations}, FinishReason: &stop}}
	last.Citations, last.SearchResults = c.citations()
	last.Citewell = c.about
	if err := s.event(last); err != nil {
		return err
	}
	if s.usage {
		cost := s.base
		cost.Choices, cost.Usage = []chunkChoice{}, tool.MustMarshal(usageOf(c.spent))
		if err := s.event(cost); err != nil {
			return err
		}
	}
	return s.write("data: [DONE]\n\n")
}

// pieces cuts a text into whole lines of some size.
func pieces(text string) []string {
	var all []string
	var piece strings.Builder
	for line := range strings.SplitAfterSeq(text, "\n") {
		if piece.WriteString(line); piece.Len() >= pieceSize {
			all = append(all, piece.String())
			piece.Reset()
		}
	}
	if piece.Len() > 0 {
		all = append(all, piece.String())
	}
	return all
}
