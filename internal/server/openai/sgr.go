package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
)

func (a *API) health(w http.ResponseWriter, _ *http.Request) {
	respond(w, http.StatusOK, map[string]string{"status": "healthy", "service": "citewell"}, nil)
}

// listed is a run as SGR lists it.
type listed struct {
	AgentID      string            `json:"agent_id"`
	Task         string            `json:"task"`
	State        runstore.RunState `json:"state"`
	CreationTime time.Time         `json:"creation_time"`
}

// listAgents lists runs, which SGR calls agents: the newest, as many as a page has.
func (a *API) listAgents(w http.ResponseWriter, r *http.Request) {
	runs, _, err := a.o.Desk.List(r.Context(), runstore.RunQuery{Limit: runstore.MaxRunPage})
	if err != nil {
		RefuseDetail(w, err)
		return
	}
	list := []listed{}
	for _, run := range runs {
		list = append(list, listed{run.ID, job.Task(run), run.State, run.CreatedAt})
	}
	respond(w, http.StatusOK, map[string]any{"agents": list, "total": len(list)}, nil)
}

// agentState is the state of a run as SGR tells it.
func (a *API) agentState(w http.ResponseWriter, r *http.Request) {
	s, err := a.status(r.Context(), r.PathValue("id"))
	if err != nil {
		RefuseDetail(w, err)
		return
	}
	state := struct {
		AgentID        string            `json:"agent_id"`
		Task           string            `json:"task"`
		State          runstore.RunState `json:"state"`
		Iteration      int               `json:"iteration"`
		Searches       int               `json:"searches_used"`
		Clarifications int               `json:"clarifications_used"`
		Sources        int               `json:"sources_count"`
		Reasoning      *agent.Reasoning  `json:"current_step_reasoning"`
		Result         *string           `json:"execution_result"`
	}{s.ID, s.Task, s.State, s.Iteration, s.Searches, s.Clarifications, s.Sources, s.Reasoning, nil}
	if s.State.Ended() {
		result, err := a.o.Desk.Result(r.Context(), s.ID)
		if err != nil {
			RefuseDetail(w, err)
			return
		}
		if result.Answer != "" {
			state.Result = &result.Answer
		}
	}
	respond(w, http.StatusOK, state, nil)
}

// status is the status of a run; not_found also for what cannot be an id.
func (a *API) status(ctx context.Context, id string) (job.Status, error) {
	missing := &citewell.Error{Code: citewell.CodeNotFound, Op: "openai", Message: "there is no agent " + quoted(id),
		Hint: "/agents lists them"}
	if len(id) > maxRunID {
		return job.Status{}, missing
	}
	s, err := a.o.Desk.Status(ctx, id)
	if citewell.CodeOf(err) == citewell.CodeNotFound {
		return s, missing
	}
	return s, err
}

// clarify is POST /agents/{id}/provide_clarification, answered as a stream.
func (a *API) clarify(w http.ResponseWriter, r *http.Request) {
	leave, err := a.enter(r)
	if err != nil {
		RefuseDetail(w, err)
		return
	}
	defer leave()
	f, err := a.clarified(w, r)
	if err != nil {
		RefuseDetail(w, err)
		return
	}
	w.Header().Set("X-Agent-ID", f.id)
	w.Header().Set("X-Agent-Model", f.agent)
	a.stream(w, r, f, false)
}

// clarified answers the question of a run, in either form of SGR's.
func (a *API) clarified(w http.ResponseWriter, r *http.Request) (followed, error) {
	var given struct {
		Clarifications json.RawMessage `json:"clarifications"`
		Messages       []message       `json:"messages"`
	}
	release, err := a.readJSON(w, r, &given)
	if err != nil {
		return followed{}, err
	}
	defer release()
	s, err := a.status(r.Context(), r.PathValue("id"))
	if err != nil {
		return followed{}, err
	}
	var text string
	switch {
	case len(given.Messages) > 0:
		said, err := a.conversation(r.Context(), given.Messages)
		if err != nil {
			return followed{}, err
		}
		text = said.Task
	case json.Unmarshal(given.Clarifications, &text) != nil:
		return followed{}, wrong("clarifications", "clarifications must be a text",
			`or messages, as in [{"role": "user", "content": "..."}]`)
	}
	if s.Question == nil {
		return followed{}, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "openai",
			Message: "the agent is not waiting for clarification: it is " + string(s.State)}
	}
	return a.answer(r.Context(), s, text)
}

// Deleting a run waits for its executor to let it go, which takes two seconds at most where that is alive.
const (
	deleteWithin = 10 * time.Second
	deleteLook   = 100 * time.Millisecond
)

// deleteAgent cancels a run and deletes it with all that was kept of it alone.
func (a *API) deleteAgent(w http.ResponseWriter, r *http.Request) {
	s, err := a.status(r.Context(), r.PathValue("id"))
	if err != nil {
		RefuseDetail(w, err)
		return
	}
	if !s.State.Ended() {
		if _, err := a.o.Desk.Cancel(r.Context(), s.ID); err != nil {
			RefuseDetail(w, err)
			return
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), deleteWithin)
	defer cancel()
	state, err := a.deleted(ctx, s.ID)
	if err != nil {
		RefuseDetail(w, err)
		return
	}
	respond(w, http.StatusOK, map[string]any{"agent_id": s.ID, "deleted": true, "final_state": state}, nil)
}

// deleted deletes a run as soon as it has ended and nobody holds it, and gives the state in which it ended.
func (a *API) deleted(ctx context.Context, id string) (runstore.RunState, error) {
	look := time.NewTicker(deleteLook)
	defer look.Stop()
	for {
		now, err := a.o.Desk.Status(ctx, id)
		if err != nil {
			return "", err
		}
		if now.State.Ended() {
			if err := a.o.Desk.Delete(ctx, id); citewell.CodeOf(err) != citewell.CodeRunLeased {
				return now.State, err
			}
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return "", runstore.RunLeased("openai", now.Executor)
		}
	}
}
