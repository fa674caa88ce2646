package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/judge"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/llm"
)

// A Shape is how one turn of the loop asks the model.
type Shape string

// The shapes. What a model with how much strength is good for: below 14 B SGR, to 32 B
// SGRToolCalling, above ToolCalling; Iron for endpoints that know neither functions nor
// schemas; Dialog for a conversation that goes on after an answer.
const (
	ShapeSGR            Shape = "sgr_agent"              // one JSON object a turn: the reasoning and the call
	ShapeToolCalling    Shape = "tool_calling_agent"     // one native call a turn
	ShapeSGRToolCalling Shape = "sgr_tool_calling_agent" // a forced call of reasoning_tool, then the call
	ShapeIron           Shape = "iron_agent"             // plain text with JSON in it, tried up to five times
	ShapeDialog         Shape = "dialog_agent"           // as SGRToolCalling, with answers in between
)

// A Searcher answers a query from whatever providers are configured, merged and
// best first. No results and no error means that there is nothing to find.
type Searcher interface {
	Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error)
}

// A Reader gives a page as a document with its passages. The error's code says what kept it from that.
type Reader interface {
	Read(ctx context.Context, url string) (citewell.Page, citewell.Document, error)
}

// An Archive keeps what is cited; a store is one.
type Archive interface {
	PutSnapshot(ctx context.Context, page citewell.Page, doc citewell.Document) error
	AddSource(ctx context.Context, brief string, source citewell.Source, passages []citewell.Passage) error
	PutBrief(ctx context.Context, brief citewell.Brief) error
}

// Limits bound a run; a zero field means the default beside it.
type Limits struct {
	MaxIterations     int // 10; that iteration already offers only report and final answer
	MaxClarifications int // 3; below 0 none
	MaxSearches       int // 4; below 0 none
	MaxResults        int // 10; of one search
	ContentLimit      int // bytes of a page that one call shows; an eighth of the model's window, 1,500 to 20,000 bytes
	ToolLimit         int // 15000 bytes of the result of a tool that is not the agent's own
	MaxTokens         int // 8000; of one answer
}

// A Budget is a wall: what is used up is used up. A zero field means none, but for the defaults beside it.
type Budget struct {
	Tokens   int           // 500,000, in and out; below 0 none
	USD      float64       // none
	WallTime time.Duration // 30 min without waiting for a person; below 0 none
	Searches int           // 20; below 0 none
	Fetches  int           // 60; below 0 none
}

// Options are what an Agent is made of. Model and Journal are required.
type Options struct {
	Name     string // of the definition; the shape's when empty
	Shape    Shape  // ShapeSGRToolCalling when empty
	Model    Model
	Price    llm.Price
	Searcher Searcher // nil takes web_search_tool away
	// SearchesHere says that the Searcher asks nobody but this machine.
	SearchesHere bool
	// PrivateWords says what becomes of a call that would tell others words which only
	// private texts have: tool.Ask (also when empty), tool.Allow or tool.Deny.
	PrivateWords string
	Reader       Reader // nil takes extract_page_content_tool away
	// Indexed reports whether a file: address is that of an indexed document which the run may
	// read though no search has found it; nil lets it read none.
	Indexed func(ctx context.Context, url string) (bool, error)
	Archive Archive // nil keeps nothing for later checks
	Journal Journal
	// Own names the agent's own tools that it has; all of them when nil. The final
	// answer is always there, and so is the report unless NoReport.
	Own      []string
	NoReport bool
	Extra    []*tool.Tool      // tools that are not its own: of MCP servers, of the operator
	Confirm  map[string]string // for Extra, as Toolset.Confirm
	Prompts  Prompts
	Limits   Limits
	Budget   Budget
	Wishes   Wishes // of all runs, where a run or its task has none of its own; no outline
	// Searching names those of Extra that search: they count as searches and go when these are used up.
	Searching []string
	// Standing says what registers have of a work that a report cites, and whether it still
	// stands: it is asked of those of which no provider has said so. Nil asks nobody.
	Standing func(ctx context.Context, w citewell.Work) (citewell.Work, error)
	// SaveReport keeps a report's Markdown under a file name and says where that is; nil keeps no file. Judge is asked
	// of cited sentences that words leave undecided; nil leaves them so.
	Judge      Judge
	SaveReport func(ctx context.Context, name, markdown string) (path string, err error)
	// Render gives a report as the Markdown of its file; required with SaveReport.
	Render func(citewell.Report) string
	// Ask gives a person's answer, or ErrWaiting where that comes later: then the run stops in the state
	// waiting_for_clarification, and is run again when it is there. It is also asked, where Allow is nil, before a call
	// of Extra that needs a person's word (Toolset.Asks). Nil takes clarification_tool away.
	Ask func(ctx context.Context, q Question) (string, error)
	// Allow asks a person before a tainted action, and before private words are told; nil
	// refuses the one, and has Ask ask about the other.
	Allow func(ctx context.Context, q tool.Question) (bool, error)
	// Calling hears of each call of a tool that the model makes, and gives the context that
	// it is made in. What it returns hears of the end, with the error that the model is told;
	// not of a call that was played from the journal, or that stopped the run. Nil hears nothing.
	Calling func(ctx context.Context, c ToolCall) (context.Context, func(error))
	// Tell hears what happens, in order, while it happens. It must not block.
	Tell func(Event)
}

// A Question is what the agent asks the user.
type Question struct {
	Run       string   `json:"run"`
	Key       string   `json:"key"`       // unique within the run, and the same when it is run again
	Number    int      `json:"number"`    // 1 for the run's first; 0 for an answer that is shown
	Questions []string `json:"questions"` // empty for an answer that is shown and may be gone on from
	Text      string   `json:"text"`      // as shown
	// Kind is one of the kinds of a question; empty in logs of before there were any.
	Kind string `json:"kind,omitempty"`
	// Of a confirmation: the call that it is about. A person's yes is the answer "yes", and all else a no.
	Tool      string          `json:"tool,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // as the model wrote them; long ones are shortened
	Why       string          `json:"why,omitempty"`       // a person has to decide
}

// The kinds of a question.
const (
	QuestionClarification = "clarification" // the model does not know what is meant
	QuestionPlan          = "plan"          // whether to go on with the plan that is shown
	QuestionConfirmation  = "confirmation"  // whether a call may be made
	QuestionAnswer        = "answer"        // none: an answer from which the conversation may go on
)

// journalled is the question as the journal knows a call by it: Key says the rest.
func (q Question) journalled() json.RawMessage {
	q.Kind, q.Tool, q.Arguments, q.Why = "", "", nil, ""
	return tool.MustMarshal(q)
}

func (o Options) withDefaults() Options {
	set := func(v *int, otherwise int) {
		if *v == 0 {
			*v = otherwise
		}
		*v = max(*v, 0)
	}
	set(&o.Limits.MaxIterations, 10)
	set(&o.Limits.MaxClarifications, 3)
	set(&o.Limits.MaxSearches, 4)
	set(&o.Limits.MaxResults, 10)
	set(&o.Limits.ContentLimit, 0)
	set(&o.Limits.ToolLimit, 15_000)
	set(&o.Limits.MaxTokens, 8000)
	set(&o.Budget.Tokens, 500_000)
	for _, wall := range []struct {
		v         *int
		otherwise int
	}{{&o.Budget.Searches, 20}, {&o.Budget.Fetches, 60}} {
		if *wall.v < 0 {
			*wall.v = math.MaxInt
		}
		set(wall.v, wall.otherwise)
	}
	switch {
	case o.Budget.WallTime == 0:
		o.Budget.WallTime = 30 * time.Minute
	case o.Budget.WallTime < 0:
		o.Budget.WallTime = 0
	}
	o.Shape = cmp.Or(o.Shape, ShapeSGRToolCalling)
	o.Name = cmp.Or(o.Name, string(o.Shape))
	if o.Tell == nil {
		o.Tell = func(Event) {}
	}
	if o.Calling == nil {
		o.Calling = func(ctx context.Context, _ ToolCall) (context.Context, func(error)) { return ctx, func(error) {} }
	}
	return o
}

// An Agent is one definition: a shape with its model, tools and limits.
type Agent struct{ o Options }

// A Task is what a run is about.
type Task struct {
	ID      string      // of the run; a fresh runstore.NewRunID when empty
	Text    string      // the user's words
	Images  []llm.Image // shown with them, in every request; a model that sees none refuses them
	History []Message
	// From gives the sources of the ended run that this one goes on from, by number without
	// a gap; nil where it begins anew. It is asked once: what it gave is in the journal.
	From   func(context.Context) ([]Former, error)
	Wishes Wishes // of this run
	// Private says that History may tell of the user's own texts: a run said it that had read some.
	Private bool
	// Lens is the name of the lens through which the run looks, for its report; empty where it looks through none.
	Lens string
}

// A Result is where a run stands, mostly at its end.
type Result struct {
	ID      string              `json:"id"`
	State   runstore.RunState   `json:"state"`
	Outcome runstore.RunOutcome `json:"outcome,omitempty"` // once the run is over
	Reason  string              `json:"reason,omitempty"`  // of an outcome other than answered
	// when the model may be asked again, where it said so and that was too late
	RetryAt        time.Time         `json:"retry_at,omitzero"`
	Answer         string            `json:"answer,omitempty"`
	Report         *citewell.Report  `json:"report,omitempty"`
	ReportPath     string            `json:"report_path,omitempty"`
	Question       *Question         `json:"question,omitempty"` // in the state waiting_for_clarification
	Iteration      int               `json:"iteration"`
	Clarifications int               `json:"clarifications_used"`
	Sources        []citewell.Source `json:"sources"` // all, by number
	Usage          Usage             `json:"usage"`
	Reasoning      *Reasoning        `json:"current_step_reasoning,omitempty"`
	// what speaks against relying on it, whatever it came to
	Warnings []string `json:"warnings,omitempty"`
	// it has read the user's own texts, and what it says may be of them
	Private bool `json:"private,omitempty"`
}

// A Judge says what sources say of statements; judge.Judge is one.
type Judge interface {
	Name() string
	Ask(ctx context.Context, q judge.Question, about []*cite.Inquiry, through judge.Through) ([]cite.Opinion, error)
}

// Wishes are how the user wants a run to go and its answer to be. The zero value wants nothing.
type Wishes struct {
	// code of the language of answers and reports; empty is what the task asks for, else its own
	Language string `json:"language,omitempty"`
	// headings of the report: the lines that begin with #, or all lines where none does
	Outline string `json:"outline,omitempty"`
	// nothing is searched or read before the user has answered to the plan
	ApprovePlan bool `json:"approve_plan,omitempty"`
}

// MaxOutline bounds Wishes.Outline, in characters.
const MaxOutline = 8 << 10

// Check says what is wrong with wishes that somebody gave: invalid_argument. The language
// may be a name, which becomes its code.
func (w *Wishes) Check() error {
	invalid := func(message, hint string) error {
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "runs", Message: message, Hint: hint}
	}
	if asked := strings.TrimSpace(w.Language); asked != "" {
		if w.Language = text.ParseLanguage(asked); w.Language == "" {
			return invalid(
				fmt.Sprintf("the language %.60q is not known", asked),
				"a code such as de, or a name such as German",
			)
		}
	}
	if n := utf8.RuneCountInString(w.Outline); n > MaxOutline {
		return invalid(
			fmt.Sprintf("the outline has %d characters; at most %d are taken", n, MaxOutline),
			"give the headings alone",
		)
	}
	return nil
}

// headings are the lines of the outline as Markdown's headings, in their order.
func (w Wishes) headings() []string {
	var marked, plain []string
	for line := range strings.Lines(w.Outline) {
		line = strings.TrimSpace(line)
		if headingLine.MatchString(line) {
			marked = append(marked, line)
		} else if words := strings.TrimSpace(itemStart.ReplaceAllString(line, "")); strings.ContainsFunc(words,
			unicode.IsLetter) {
			plain = append(plain, "## "+words)
		}
	}
	if len(marked) > 0 {
		return marked
	}
	return plain
}

// Bounds of the check.
const (
	maxContent  = 200_000 // bytes of a report
	candidates  = 4       // passages of one source that a sentence is compared with
	maxProblems = 12      // told of at once
)

// A Former is a source of an ended run, as a run that goes on from it has it.
type Former struct {
	citewell.Source
	// Doc is the text that the source was cited by, with its passages; without a text where it had none.
	Doc citewell.Document
}
