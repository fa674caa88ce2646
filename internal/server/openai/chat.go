package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/server/access"
)

// chat is POST /v1/chat/completions.
func (a *API) chat(w http.ResponseWriter, r *http.Request) {
	leave, err := a.enter(r)
	if err != nil {
		Refuse(w, err)
		return
	}
	defer leave()
	var q request
	var f followed
	release, err := a.readJSON(w, r, &q)
	if err == nil {
		f, err = a.take(r, q)
		release()
	}
	if err != nil {
		Refuse(w, err)
		return
	}
	w.Header().Set("X-Agent-ID", f.id)
	w.Header().Set("X-Agent-Model", f.agent)
	if q.Stream {
		a.stream(w, r, f, q.usage())
		return
	}
	a.whole(w, r, f)
}

// busyFor is how long a client is asked to wait that found no place.
const busyFor = 5 * time.Second

// enter takes one of the places for requests that follow a run.
func (a *API) enter(r *http.Request) (leave func(), err error) {
	leave, ok := a.places.Take(r.Context())
	if !ok {
		return nil, &citewell.Error{Code: citewell.CodeRateLimited, Op: "openai", RetryAfter: busyFor,
			Message: fmt.Sprintf("%d requests are answered at once, of one caller as many as are left free for others",
				a.places.Most()), Hint: "wait, or follow runs at /v1/runs"}
	}
	return leave, nil
}

// take begins a run, answers the question of one, or finds one that is under way: as model says.
func (a *API) take(r *http.Request, q request) (followed, error) {
	if err := q.check(); err != nil {
		return followed{}, err
	}
	isAgent := q.Model == "" || slices.ContainsFunc(a.o.Desk.Agents(), func(d job.Definition) bool {
		return d.Name == q.Model
	})
	if isAgent {
		return a.begin(r, q)
	}
	status, err := a.o.Desk.Status(r.Context(), q.Model)
	if code := citewell.CodeOf(err); code == citewell.CodeNotFound || code == citewell.CodeInvalidArgument {
		f, err := a.begin(r, q) // which knows why an agent cannot be used
		switch citewell.CodeOf(err) {
		case citewell.CodeNotFound:
			err = a.unknownModel(q.Model)
		case citewell.CodeInvalidConfig:
			err = &fault{error: err, param: "model", status: http.StatusBadRequest}
		}
		return f, err
	} else if err != nil {
		return followed{}, err
	}
	if status.Question == nil && !status.State.Ended() {
		return followed{id: status.ID, agent: status.Agent, from: status}, nil
	}
	said, err := a.conversation(r.Context(), q.Messages)
	if err != nil {
		return followed{}, err
	}
	if len(said.Images)+len(said.Files) > 0 && !status.State.Ended() {
		return followed{}, wrong("messages", "an answer to a question is words alone",
			"leave the image or file out, or begin a new run with it")
	}
	return a.answer(r.Context(), status, said.Task)
}

// begin starts a run of an agent. A request that comes again with its Idempotency-Key finds the run that it began.
func (a *API) begin(r *http.Request, q request) (followed, error) {
	s, err := a.conversation(r.Context(), q.Messages)
	if err != nil {
		return followed{}, err
	}
	asked, err := q.extended()
	if err != nil {
		return followed{}, err
	}
	s.Budget = asked.Budget
	if s.From, err = a.former(r.Context(), q, asked); err != nil {
		return followed{}, err
	}
	key := r.Header.Get("Idempotency-Key")
	if len(key) > maxIdempotency {
		return followed{}, wrong("Idempotency-Key", fmt.Sprintf("the Idempotency-Key has %d bytes; at most %d "+
			"are taken", len(key), maxIdempotency), "")
	}
	if s.Agent = q.Model; key != "" {
		if s.Agent, err = a.o.Desk.AgentFor(r.Context(), q.Model, s.From); err != nil {
			return followed{}, err
		}
		s.ID = job.IDOf(s.Agent, access.CallerOf(r.Context()).Name, key)
	}
	run, err := a.o.Desk.Start(r.Context(), s)
	if err != nil {
		return followed{}, err
	}
	f := followed{id: run.ID, agent: run.Agent, from: job.Status{Run: run}}
	if key != "" { // it may be under way
		if f.from, err = a.o.Desk.Status(r.Context(), run.ID); err != nil {
			return followed{}, err
		}
	}
	return f, nil
}

// answer answers the question of a run.
func (a *API) answer(ctx context.Context, status job.Status, text string) (followed, error) {
	if status.State.Ended() {
		return followed{}, runstore.RunFinished("openai", status.State)
	}
	if err := a.o.Desk.Answer(ctx, status.ID, text); err != nil {
		return followed{}, err
	}
	return followed{id: status.ID, agent: status.Agent, from: status, after: status.Seq, answered: status.Question.Key,
		before: status.Spent}, nil
}

// whole answers with one message, when the run has come to its end or to a question.
func (a *API) whole(w http.ResponseWriter, r *http.Request, f followed) {
	end, err := a.follow(r.Context(), f, func(job.Beat) error { return nil }, func(runstore.RunEvent) error {
		return nil
	})
	if err == nil {
		var said content
		if said, err = a.content(r.Context(), f, end); err == nil {
			respond(w, http.StatusOK, said.completion(f), nil)
			return
		}
	}
	Refuse(w, aboutRun(f, err))
}

// aboutRun says which run an error is about.
func aboutRun(f followed, err error) error {
	if _, ok := errors.AsType[*fault](err); ok {
		return err
	}
	status := 0
	if errors.Is(err, errEnds) {
		status = http.StatusServiceUnavailable
	}
	return &fault{error: err, status: status, begun: &about{Run: f.id, Agent: f.agent}}
}
