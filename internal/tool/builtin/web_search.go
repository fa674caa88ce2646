package builtin

import (
	"context"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/internal/region"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/tool"
)

func init() { register("web_search", newWebSearch, ofBriefs) }

// Briefs return a writer of briefs over all providers that are configured.
type Briefs func(context.Context) (*brief.Writer, error)

type webSearchInput struct {
	Query   string   `json:"query" jsonschema:"search terms (subject, names, years), no instructions" bounds:"1..2000"`
	Depth   int      `json:"depth,omitempty" jsonschema:"sources to read; absent: 3, or 10 of own documents alone; 5 to 10 for deep research" bounds:"1..10"`
	Region  string   `json:"region,omitempty" jsonschema:"COUNTRY-LANGUAGE; wt-wt: the world" default:"wt-wt"`
	Sources []string `json:"sources,omitempty" jsonschema:"kinds: web, encyclopedia, scholarly, books, code, news, law, data, local; or one lens; absent: what the query calls for" bounds:"0..9"`
	Compact bool     `json:"compact,omitempty" jsonschema:"without extracts: about 5 KB, not 18" default:"false"`
}

// webSearchOutput is the brief without the texts of its passages, which are in the
// store: near the size of the Markdown, with the hashes that a check needs.
type webSearchOutput struct {
	citewell.Brief
	text   string
	failed error // no provider answered
}

// Text is the brief as Markdown.
func (o webSearchOutput) Text() string { return o.text }

// Links name what the citations lean on, as it was read.
func (o webSearchOutput) Links() []tool.Link { return snapshotLinks(o.Sources) }

// NumberedSources are the brief's, those that were not read behind those that were.
func (o webSearchOutput) NumberedSources() []citewell.Source {
	sources := slices.Clone(o.Sources)
	for i, a := range o.Additional {
		sources = append(sources, citewell.Source{N: len(o.Sources) + i + 1, Title: a.Title, URL: a.URL, Date: a.Date,
			Snippet: a.Snippet})
	}
	return sources
}

// Err is why there is nothing but the coverage.
func (o webSearchOutput) Err() error { return o.failed }

func newWebSearch(briefs Briefs) *tool.Tool {
	return tool.New(tool.Spec{
		Name: "web_search", Title: "Search the web, with citations",
		Description: tool.Description(descriptions, "web_search"), Hints: tool.Hints{ReadOnly: true, OpenWorld: true},
	}, func(ctx context.Context, in webSearchInput) (webSearchOutput, error) {
		region, err := region.Parse(in.Region)
		if err != nil {
			return webSearchOutput{}, err
		}
		writer, err := briefs(ctx)
		if err != nil {
			return webSearchOutput{}, err
		}
		scope, err := writer.Scope(in.Sources)
		if err != nil {
			return webSearchOutput{}, err
		}
		b, err := writer.Write(ctx, brief.Request{
			Query: citewell.Query{Text: in.Query, Region: region}, Sources: scope, Depth: in.Depth,
			Progress: briefProgress(ctx),
		})
		if err != nil && citewell.CodeOf(err) != citewell.CodeAllProvidersFailed {
			return webSearchOutput{}, err
		}
		out := webSearchOutput{Brief: b, text: report.Markdown(b, report.Options{Compact: in.Compact}), failed: err}
		out.Passages = nil
		if in.Compact {
			out.Additional = []citewell.Additional{}
		}
		return out, nil
	})
}
