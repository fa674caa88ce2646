// Package manifold holds the tools of Manifold's catalogue. They use Citewell's store, reader and search, with
// Manifold's arguments, results and failures. Tools that only Manifold has (models as tools, many calls at once) are
// here for every toolset.
//
// Flow: Deps → a definition → Tool; a failure is data (Failure).
// Units: lengths in bytes.
// Errors: those of the parts; the toolset reports one as a result with ok false.
// Concurrency: its tools may be called from many goroutines; all searches of one tool share one limit.
// Source: Manifold's list of available tools.
package manifold

import (
	"context"
	"embed"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/program"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/internal/tool/compat/searxng"
	"github.com/citewell/citewell/internal/workdir"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/store"
)

// Name is the toolset of the system that is imitated here.
const Name = "manifold"

// Deps are the parts that its tools work with.
type Deps struct {
	Search searxng.Deps
	// Read gets a page and its text, and keeps both; the document is nil where the page has no text.
	Read func(ctx context.Context, url string, limits tool.FetchLimits) (citewell.Page, *citewell.Document, error)
	// Texts, Vectors and Graph are the user's knowledge; nil without a store.
	Texts   Texts
	Vectors Vectors
	Graph   store.Graph
	// Chat returns the model of a name at an endpoint, both empty for the caller's own or the configured one; nil
	// without one.
	Chat func(ctx context.Context, model, baseURL string) (Chatter, error)
	// Specialists are those that are not paused.
	Specialists []Specialist
	// Programs are what run_cli may run; an error says why it may run none. Nil where there are none.
	Programs func() (*program.Programs, error)
	// Workdir is the folder of which describe_image reads pictures; nil for none.
	Workdir *workdir.Dir
}

// A Chatter answers in plain text; llm.Client is one.
type Chatter interface {
	Name() string
	Chat(ctx context.Context, r llm.Request) (llm.Reply, error)
}

// A Specialist is a model with a purpose.
type Specialist struct {
	Name        string
	Description string
	System      string
	Effort      string // of reasoning, where the call does not say; empty leaves it to the model
	// Suits says whether the operator's routes send this prompt here.
	Suits func(prompt string) bool
	// Chat returns its model with that effort of reasoning.
	Chat func(effort string) (Chatter, error)
}

// descriptions are of tools, NAME.md each.
//
//go:embed *.md
var descriptions embed.FS

// Definitions are its tools.
var Definitions = tool.Definitions[Deps]{}

// done is all that its tools say where there is nothing to tell.
type done struct {
	OK bool `json:"ok"`
}

// What tools that keep, read and remove things do.
var (
	putHints    = tool.Hints{Idempotent: true, Destructive: true}
	readHints   = tool.Hints{ReadOnly: true, Idempotent: true}
	removeHints = tool.Hints{Destructive: true, Idempotent: true}
)

// needsStore says why a tool is hidden that keeps things, or reads what was kept.
func needsStore(there bool) string {
	if there {
		return ""
	}
	return "there is no store here"
}
