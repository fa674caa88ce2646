package runs

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/internal/tool"
)

const (
	keepAlive    = 15 * time.Second // proxies drop streams that are silent for two minutes
	reconnect    = 2 * time.Second  // after which a client is asked to come again
	buffered     = 16               // entries that wait for one client
	maxPage      = 1000
	defaultPage  = 100
	jsonType     = "application/json"
	streamType   = "text/event-stream"
	afterWords   = "the number of an event"
	lastEventKey = "Last-Event-ID"
)

var eventParameters = []intake.Parameter{{Name: "after", Form: intake.Digits, Must: afterWords},
	{Name: "limit", Form: intake.Digits, Must: "a number"}}

// events is GET /v1/runs/{id}/events: a stream, or a page where JSON is asked for.
func (a *API) events(w http.ResponseWriter, r *http.Request) error {
	w.Header().Add("Vary", "Accept")
	values, err := intake.Query(r, eventParameters...)
	if err != nil {
		return err
	}
	limit, err := intake.Number(values, "limit", defaultPage, 1, maxPage)
	if err != nil {
		return err
	}
	after, err := intake.Number(values, "after", 0, 0, intake.MaxNumber)
	if err != nil {
		return err
	}
	if last := r.Header.Values(lastEventKey); len(last) > 0 { // what a client had since its address was made
		if after, err = strconv.ParseInt(last[0], 10, 64); len(last) > 1 || !intake.Digits.MatchString(last[0]) ||
			err != nil || after > intake.MaxNumber {
			return intake.Invalid("%s must be %s, as an id of this stream; it is %.60q", lastEventKey, afterWords, last)
		}
	}
	kind, err := intake.Choose(r, streamType, jsonType)
	if err != nil {
		return err
	}
	if kind == jsonType {
		return a.page(w, r, after, int(limit))
	}
	return a.stream(w, r, after)
}

// page answers with the entries after one.
func (a *API) page(w http.ResponseWriter, r *http.Request, after int64, limit int) error {
	status, err := a.status(r, r.PathValue("id")) // read first: what ended is in the log then
	if err != nil {
		return err
	}
	events, err := a.o.Desk.Events(r.Context(), status.ID, after, limit)
	if err != nil {
		return ofRun(err)
	}
	page := struct {
		Events []runstore.RunEvent `json:"events"`
		Next   int64               `json:"next"`
		Over   bool                `json:"over"`
	}{make([]runstore.RunEvent, len(events)), after, false}
	for i, e := range events {
		page.Events[i], page.Next = publicEvent(e), e.Seq
	}
	page.Over = status.State.Ended() && page.Next >= status.Events
	return intake.Answer(w, page, nil)
}

// publicEvent is an entry of the log as it is told here: without who executes the run, and
// without the parts of its agent, which are the operator's.
func publicEvent(e runstore.RunEvent) runstore.RunEvent {
	var data any
	switch e.Type {
	case runstore.EventCreated:
		var c runstore.RunCreated
		if json.Unmarshal(e.Data, &c) == nil {
			data = struct {
				Agent  string          `json:"agent"`
				Task   string          `json:"task"`
				Budget json.RawMessage `json:"budget"`
			}{c.Agent, job.Task(runstore.Run{Request: c.Request}), c.Budget}
		}
	case runstore.EventAcquired:
		var t runstore.RunAcquired
		if json.Unmarshal(e.Data, &t) == nil {
			data = struct {
				Token     int64 `json:"token"`
				TakenOver bool  `json:"taken_over,omitempty"`
			}{t.Token, t.TakenOver}
		}
	default:
		return e
	}
	e.Data = tool.MustMarshal(data)
	return e
}

// A listener is one client of a stream.
type listener struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func (l listener) send(id int64, event string, data any) error {
	line := fmt.Sprintf("event: %s\ndata: %s\n\n", event, tool.MustMarshal(data))
	if id > 0 {
		line = fmt.Sprintf("id: %d\n%s", id, line)
	}
	_, err := l.w.Write([]byte(line))
	return err
}

// stream sends the entries after one as they come, until the run has ended. A client
// that is gone, or does not read, ends nothing but its stream.
func (a *API) stream(w http.ResponseWriter, r *http.Request, after int64) error {
	id := r.PathValue("id")
	release, ok := a.streams.Take(r.Context())
	if !ok {
		return intake.Busy(fmt.Sprintf("%d streams are followed at most, by one caller as many as are left free "+
			"for others", a.streams.Most()))
	}
	defer release()
	if _, err := a.o.Desk.Events(r.Context(), id, 0, 1); err != nil {
		return ofRun(err)
	}
	intake.Guard(w, streamType)
	w.Header().Set("X-Accel-Buffering", "no") // nginx would keep events back
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	l := listener{w, http.NewResponseController(w)}
	if _, err := fmt.Fprintf(w, "retry: %d\n\n", reconnect.Milliseconds()); err != nil || l.control.Flush() != nil {
		return nil
	}
	last, err := a.follow(r.Context(), id, after, l)
	if err == nil && last.State == "" { // it had the end already
		var status shown
		status, err = a.status(r, id)
		last.State, last.Outcome = status.State, status.Outcome
	}
	if cut := context.Cause(r.Context()); citewell.CodeOf(cut) == citewell.CodeAuth {
		err = cut // its token has ended
	} else if _, isGone := err.(gone); isGone || r.Context().Err() != nil {
		return nil // the run goes on
	}
	if err != nil {
		// the client is gone where this fails
		_ = l.send(0, "stream.error", map[string]citewell.ErrorView{"error": citewell.View(err)})
		return nil
	}
	_ = l.send(0, "stream.end", struct { // as above
		Run     string              `json:"run"`
		State   runstore.RunState   `json:"state"`
		Outcome runstore.RunOutcome `json:"outcome,omitempty"`
	}{id, last.State, last.Outcome})
	return nil
}

// gone is the error of a client that takes nothing more.
type gone struct{ error }

// follow sends entries until the run's end, and returns the state that it ended in. An error of the client is a gone.
func (a *API) follow(ctx context.Context, id string, after int64, l listener) (last runstore.RunChange, err error) {
	entries, stop := job.Tell(ctx, a.o.Desk, id, after, buffered)
	defer stop()
	silence := time.NewTicker(keepAlive)
	defer silence.Stop()
	soon, now := time.After(job.FirstBeat), job.BeatAfter(after)
	beat := func() error {
		_, err := l.w.Write([]byte(": " + string(now) + "\n\n"))
		if err == nil {
			err = l.control.Flush()
		}
		if err != nil {
			return gone{err}
		}
		return nil
	}
	for {
		select {
		case <-ctx.Done():
			return last, ctx.Err()
		case <-soon:
			if !now.Queued() {
				continue
			}
			if err := beat(); err != nil {
				return last, err
			}
		case <-silence.C:
			if err := beat(); err != nil {
				return last, err
			}
		case e, more := <-entries:
			switch {
			case !more:
				return last, ctx.Err()
			case e.Err != nil:
				return last, ofRun(e.Err) // which may be deleted by now
			}
			now = now.After(e.RunEvent)
			if e.Type == runstore.EventState {
				var change runstore.RunChange
				if json.Unmarshal(e.Data, &change) == nil && change.State.Ended() {
					last = change
				}
			}
			if err := l.send(e.Seq, e.Type, publicEvent(e.RunEvent)); err != nil {
				return last, gone{err}
			}
			silence.Reset(keepAlive)
			if len(entries) > 0 {
				continue // what waits goes with it
			}
			if err := l.control.Flush(); err != nil {
				return last, gone{err}
			}
		}
	}
}
