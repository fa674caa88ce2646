package job

import (
	"time"

	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
)

// A Listed is a run as doors list it. Who executes it and the parts of its agent are the operator's.
type Listed struct {
	ID              string              `json:"id"`
	Agent           string              `json:"agent"`
	State           runstore.RunState   `json:"state"`
	Outcome         runstore.RunOutcome `json:"outcome,omitempty"`
	Detail          string              `json:"detail,omitempty"` // why it is in that state, or what it asks
	Task            string              `json:"task"`
	From            string              `json:"from,omitempty"` // the run that it goes on from
	CreatedAt       time.Time           `json:"created_at"`
	UpdatedAt       time.Time           `json:"updated_at"`
	EndedAt         time.Time           `json:"ended_at,omitzero"`
	CancelRequested bool                `json:"cancel_requested,omitempty"`

	Priority runstore.RunPriority `json:"priority,omitempty"`
}

// ListedOf is a run as it is listed.
func ListedOf(r runstore.Run) Listed {
	return Listed{r.ID, r.Agent, r.State, r.Outcome, r.Detail, Task(r), From(r), r.CreatedAt, r.UpdatedAt, r.EndedAt,
		r.CancelRequested, r.Priority}
}

// A Shown is a run as doors show it at any time.
type Shown struct {
	Listed
	Budget         Budget           `json:"budget"`
	Choices        Choices          `json:"choices,omitzero"` // where it was made to look
	Iteration      int              `json:"iteration"`
	Searches       int              `json:"searches_used"`
	Clarifications int              `json:"clarifications_used"`
	Sources        int              `json:"sources_count"`
	Question       *agent.Question  `json:"question,omitempty"`
	Reasoning      *agent.Reasoning `json:"current_step_reasoning,omitempty"`
}

// Shown is the status as it is shown. It fails where the run's budget cannot be read.
func (s *Status) Shown() (Shown, error) {
	granted, err := Granted(s.Run)
	return Shown{ListedOf(s.Run), granted, ChoicesOf(s.Run), s.Iteration, s.Searches, s.Clarifications, s.Sources,
		s.Question, s.Reasoning}, err
}
