package runs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/server/access"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/search"
	"github.com/google/jsonschema-go/jsonschema"
)

// A start is the body of POST /v1/runs. Its numbers are bounded so that any program can
// count with them; what an agent may spend is less.
type start struct {
	Task    string     `json:"task" jsonschema:"what to find out; at most 262,144 bytes" bounds:"1..262144"`
	Agent   string     `json:"agent,omitempty" jsonschema:"the name of one of GET /v1/agents; the first of them when absent" bounds:"1..64"`
	Budget  job.Budget `json:"budget,omitzero" jsonschema:"what the run may spend; what is absent is as the agent has it, and none may be more than that"`
	History []said     `json:"history,omitempty" jsonschema:"of the conversation before the task, oldest first" bounds:"..200"`
	From    string     `json:"from,omitempty" jsonschema:"the id of a run that has ended: this one goes on from it, with its sources, their numbers and, where history is absent, its conversation"`
	// Files of the user's.
	Attachments []attachment `json:"attachments,omitempty" jsonschema:"files that the run has as sources from its beginning, read as citewell index reads them" bounds:"..8"`
	// Where it is to look.
	Sources   []string `json:"sources,omitempty"   jsonschema:"kinds of sources to ask, never widened: web, encyclopedia, scholarly, books, code, news, law, data, local; or one lens of GET /v1/agents, alone; auto alone is what the task calls for; absent: as the agent, or the run that this one goes on from, has it" bounds:"..9"`
	Providers []string `json:"providers,omitempty" jsonschema:"to ask, by name, all of them and no others; GET /v1/agents lists them; absent: as the agent has it" bounds:"..64"`
	Documents *bool    `json:"documents,omitempty" jsonschema:"true: the caller's own documents are searched too; false: they are not; absent: as the agent has it. For the documents alone, sources is local"`
	// What the user wants of the answer.
	Language    string `json:"language,omitempty" jsonschema:"code of the language of the answer and the report; when absent, what the task asks for, else its own"`
	Outline     string `json:"outline,omitempty" jsonschema:"headings of the report in Markdown, or one a line" bounds:"1..8192"`
	ApprovePlan bool   `json:"approve_plan,omitempty" jsonschema:"true: the run waits for an answer to its plan before it searches" default:"false"`
	// When it is wanted.
	Priority string  `json:"priority,omitempty" jsonschema:"among the runs that wait to be executed: high as if it had been begun an hour earlier, of a token without the scope admin before runs of its own alone; low an hour later; normal when absent" oneof:"low normal high"`
	ID       *string `json:"id,omitempty" jsonschema:"a UUID of your own in lower case: sent again with the same words, it gives the same run, whose id is AGENT_UUID"`
}

// An attachment is a file in the form of OpenAI's part, or a text. It has one of Data, FileData and Text.
type attachment struct {
	Filename string `json:"filename" jsonschema:"names the source, and says what the file is" bounds:"1..255"`
	Data     string `json:"data,omitempty" jsonschema:"the file in base64, or as a data URL, whose media type counts where the name says nothing" bounds:"1..16777216"`
	FileData string `json:"file_data,omitempty" jsonschema:"the same by another name, as a client of OpenAI's API has it" bounds:"1..16777216"`
	Text     string `json:"text,omitempty" jsonschema:"the words of the file, in place of its bytes" bounds:"1..16777216"`
}

type said struct {
	Role    string `json:"role" jsonschema:"who said it" oneof:"user assistant"`
	Content string `json:"content" jsonschema:"the words" bounds:"1..65536"`
}

// A reply is the body of POST /v1/runs/{id}/answer.
type reply struct {
	Text     string `json:"text" jsonschema:"the answer; at most 10,000 characters" bounds:"1..10000"`
	Question string `json:"question,omitempty" jsonschema:"the key of the question that it answers, as its question has it; what comes late is then no answer to the next one" bounds:"1..1000"`
}

var (
	startForm = tool.NewForm[start]("runs.start", func(s *jsonschema.Schema) {
		s.Properties["id"].Pattern = uuidForm.String() // which start looks at
		s.Properties["from"].Pattern = runID.String()
		for _, has := range []string{"data", "file_data", "text"} { // which attached looks at
			file := s.Properties["attachments"].Items
			file.OneOf = append(file.OneOf, &jsonschema.Schema{Required: []string{has}})
		}
		for _, code := range text.Languages() {
			s.Properties["language"].Enum = append(s.Properties["language"].Enum, code)
		}
	})
	replyForm = tool.NewForm[reply]("runs.answer")

	uuidForm = lazyregexp.New(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	keyForm  = lazyregexp.New(`^[!-~]{1,255}$`)
)

// kindsOrLens is the schema of a form that also says which words sources may have: kinds, or alone the name
// of a lens, or auto. A request is held to that by search.ParseScope, which knows the lenses.
func kindsOrLens(form *jsonschema.Schema) *jsonschema.Schema {
	var kinds []any
	for _, kind := range search.KindNames() {
		kinds = append(kinds, kind)
	}
	said, sources := *form, *form.Properties["sources"]
	said.Properties = maps.Clone(form.Properties)
	said.Properties["sources"] = &sources
	sources.AnyOf = []*jsonschema.Schema{{Items: &jsonschema.Schema{Enum: kinds}},
		{Items: &jsonschema.Schema{Pattern: "^[a-z0-9-]{1,64}$"}, MaxItems: jsonschema.Ptr(1)}}
	return &said
}

// noLens is not_found where a lens was chosen that is not there; any other error is as it is.
func noLens(err error) error {
	if view := citewell.View(err); errors.Is(err, job.ErrNoLens) {
		return &citewell.Error{Code: citewell.CodeNotFound, Op: "runs", Message: view.Message,
			Hint: view.Hint, Err: err}
	}
	return err
}

// idempotencyKey is what a request is to be known by when it is sent again; empty where it says nothing.
func idempotencyKey(r *http.Request) (string, error) {
	keys := r.Header.Values("Idempotency-Key")
	if len(keys) > 1 || len(keys) == 1 && !keyForm.MatchString(keys[0]) {
		return "", intake.Invalid("Idempotency-Key must be 1 to 255 visible ASCII characters without spaces")
	}
	return r.Header.Get("Idempotency-Key"), nil
}

// start is POST /v1/runs. The same id, or Idempotency-Key of the same caller and agent, gives the same run.
func (a *API) start(w http.ResponseWriter, r *http.Request) error {
	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	given, release, err := intake.Read(a.starts, w, r, startForm)
	if err != nil {
		return err
	}
	defer release()
	s := job.Start{Task: given.Task, Agent: given.Agent, From: given.From, Budget: given.Budget,
		Priority: runstore.RunPriority(given.Priority),
		Choices:  job.Choices{Sources: given.Sources, Providers: given.Providers, Documents: given.Documents},
		Wishes:   agent.Wishes{Language: given.Language, Outline: given.Outline, ApprovePlan: given.ApprovePlan}}
	for _, m := range given.History {
		s.History = append(s.History, agent.Message{Role: m.Role, Content: m.Content})
	}
	if s.From != "" && !runID.MatchString(s.From) {
		return intake.Invalid("from must be the id of a run; it is %.60q", s.From)
	}
	if s.Agent, err = a.o.Desk.AgentFor(r.Context(), s.Agent, s.From); err != nil {
		return intake.Instead(err, unknownRun("from"))
	}
	switch {
	case given.ID != nil && !uuidForm.MatchString(*given.ID):
		return intake.Invalid("id must be a UUID in lower case, without the agent's name; it is %.60q", *given.ID)
	case given.ID != nil:
		s.ID = s.Agent + "_" + *given.ID
	case key != "":
		s.ID = job.IDOf(s.Agent, access.CallerOf(r.Context()).Name, key)
	}
	if s.Files, err = a.attached(r.Context(), given.Attachments); err != nil {
		return err
	}
	run, err := a.o.Desk.Start(r.Context(), s)
	if err != nil {
		return noLens(err)
	}
	w.Header().Set("Location", "/v1/runs/"+run.ID)
	return a.respondStatus(w, r, http.StatusCreated, run.ID)
}

// attached reads what is attached to a task, and keeps it.
func (a *API) attached(ctx context.Context, list []attachment) ([]job.File, error) {
	sent := make([]intake.Sent, len(list))
	for i, f := range list {
		at, forms := fmt.Sprintf("attachments[%d]", i), 0
		for _, form := range []string{f.Data, f.FileData, f.Text} {
			if form != "" {
				forms++
			}
		}
		if forms != 1 {
			return nil, intake.Invalid("%s: the file %.80q must have one of data, file_data and text", at, f.Filename)
		}
		sent[i] = intake.Sent{Name: f.Filename, Coded: f.Data + f.FileData, Text: f.Text, At: at}
	}
	files, err := a.files.Read(ctx, sent)
	if fault, ok := errors.AsType[*intake.FileFault](err); ok {
		view := citewell.View(fault.Err)
		return nil, &intake.Fault{Status: http.StatusBadRequest,
			Err: &citewell.Error{Code: view.Code, Op: "runs", Message: fault.At + ": " + view.Message, Hint: view.Hint,
				Err: fault.Err}}
	}
	return files, err
}
