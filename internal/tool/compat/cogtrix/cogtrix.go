// Package cogtrix holds the tools of Cogtrix's catalogue that call services: pages read by Tavily and Exa, similar
// pages, any HTTP API, the weather. Each has Cogtrix's form in its toolset, and more arguments in every other one.
//
// Flow: Deps → a definition → Tool. A tool whose service has no key is hidden, with the reason.
// Units: lengths in bytes, those of the original's in characters; times UTC.
// Errors: those of each service and of fetch.Caller; no message contains a key.
// Concurrency: its tools may be called from many goroutines.
// Source: Cogtrix's documentation of its search and web tools.
package cogtrix

import (
	"context"
	"embed"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/internal/tool"
)

// Name is the toolset of the system that is imitated here.
const Name = "cogtrix"

// Deps are the services; each but Caller is nil without its key.
type Deps struct {
	// Caller calls APIs for http_get and http_post, and Extract reads the text of the pages that they answer with.
	Caller  Caller
	Extract func(context.Context, citewell.Page) (citewell.Document, error)
	// Tavily and Exa read pages on their own machines.
	Tavily  PageReader
	Exa     PageReader
	Similar SimilarFinder
	Weather *OpenWeather
}

// A Caller calls an HTTP API; fetch.Caller is one.
type Caller interface {
	Do(ctx context.Context, c fetch.Call) (fetch.Reply, error)
}

// A PageReader has a service read pages, in their order; provider.NewTavilyExtract and
// provider.NewExaContents make two.
type PageReader interface {
	Read(ctx context.Context, urls []string) ([]services.PageText, error)
}

// A SimilarFinder finds pages that are like one; provider.NewExaSimilar makes one.
type SimilarFinder interface {
	Similar(ctx context.Context, url string, n, textChars int) ([]services.SimilarPage, error)
}

// descriptions are of tools, NAME.md each.
//
//go:embed *.md
var descriptions embed.FS

// Definitions are its tools: each for every toolset, and as Cogtrix has it.
var Definitions = tool.Definitions[Deps]{}
