package builtin

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/bibliography"
	"github.com/citewell/citewell/internal/claim"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/program"
	"github.com/citewell/citewell/internal/workdir"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/provider"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/tool"
	"github.com/citewell/citewell/tool/compat/cogtrix"
	"github.com/citewell/citewell/tool/compat/manifold"
)

// Deps are the parts that tools work with. A tool says which it lacks by being
// hidden; only Briefs, Fetcher and the extractors are always there.
type Deps struct {
	// Briefs returns a writer of briefs over the providers of these names, over all
	// that are configured where none is named.
	Briefs func(ctx context.Context, providers []string) (*brief.Writer, error)
	// Providers returns what search providers are built from, and the names of those
	// that are asked where nobody says whom to ask.
	Providers func(ctx context.Context) (provider.Deps, []string, error)
	// Gates hold all calls of the process to the providers' limits; nil holds those of
	// one call only.
	Gates *search.Gates
	// References returns the parts that hold lists of references against registers, with the
	// addresses in them or without.
	References func(links bool) (bibliography.Options, error)
	Fetcher    Fetcher
	Extract    func(context.Context, citewell.Page) (citewell.Document, error)
	// ExtractWhole keeps all that a page shows, not its own content alone.
	ExtractWhole func(context.Context, citewell.Page) (citewell.Document, error)
	// Archive keeps what was read, so that a citation of it can be checked; nil keeps
	// nothing.
	Archive Archive
	// Judge is asked what words leave undecided of a claim; nil asks nobody.
	Judge claim.Ask
	// Kept are the briefs and texts of earlier runs; nil without a store.
	Kept claim.Kept
	// Texts, Vectors and Graph are the user's knowledge; nil without a store.
	Texts   store.Text
	Vectors store.Vectors
	Graph   store.Graph
	// Embedder makes vectors of texts; nil where no embedding model is configured.
	Embedder Embedder
	// Chat returns the model of a name at an endpoint; where both are empty, the
	// caller's own model, or the configured one. Nil where no model is configured.
	Chat func(ctx context.Context, model, baseURL string) (manifold.Chatter, error)
	// Runs are research runs; nil where none can be begun.
	Runs job.Service
	// Executed says whether this process takes up runs; it is asked where there are Runs.
	Executed func() bool
	// Agent are the agent's own eight tools as they work outside a run.
	Agent []*tool.Tool
	// Specialists are those that are not paused, by name.
	Specialists []manifold.Specialist
	// Programs are what run_cli may run; an error says why it may run none. Nil where there
	// are none.
	Programs func() (*program.Programs, error)
	// Workdir is the folder of which describe_image reads pictures; nil for none.
	Workdir *workdir.Dir
	// Services are those of others; ExtractWhole is their Extract.
	Services cogtrix.Deps
	// Confirm is the operator's word on tools that act: ask, allow or deny by name.
	Confirm map[string]string
}

// A Fetcher gets a page; fetch.Client is one.
type Fetcher interface {
	Get(ctx context.Context, r fetch.Request) (citewell.Page, error)
}

// An Archive keeps a page and its text; a store is one.
type Archive interface {
	PutSnapshot(ctx context.Context, page citewell.Page, doc citewell.Document) error
}

// An Embedder makes vectors of texts, in their order; llm.Embeddings is one.
type Embedder interface {
	Name() string
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}
