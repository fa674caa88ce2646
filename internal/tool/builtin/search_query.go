package builtin

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/citewell/citewell/internal/meaning"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/store"
)

func init() { register("search_query", newSearchQuery, ofKnowledge) }

type searchQueryInput struct {
	Query  string         `json:"query"`
	Index  string         `json:"index,omitempty" jsonschema:"library: the user's documents" default:"knowledge" bounds:"1..128"`
	Mode   string         `json:"mode,omitempty" jsonschema:"words, meaning (by an embedding model) or both; absent: both, where they can be" oneof:"text meaning hybrid"`
	Limit  int            `json:"limit,omitempty" default:"5" bounds:"1..100"`
	Offset int            `json:"offset,omitempty" default:"0" bounds:"0..1000"`
	Filter map[string]any `json:"filter,omitempty" jsonschema:"metadata, exactly so"`
	Ranges []store.Filter `json:"filters,omitempty" jsonschema:"several values, or a range of numbers or dates" bounds:"0..16"`
}

type searchQueryOutput struct {
	Results    []foundText `json:"results"`
	Total      int         `json:"total" jsonschema:"how many texts were found in all"`
	NextOffset int         `json:"next_offset,omitempty" jsonschema:"offset of the next results; absent at the end"`
	Mode       string      `json:"mode" jsonschema:"how it was searched"`
	Warning    string      `json:"warning,omitempty"`
}

type foundText struct {
	ID         string            `json:"id"`
	Title      string            `json:"title,omitempty"`
	URL        string            `json:"url,omitempty"`
	Score      float64           `json:"score" jsonschema:"comparable within one answer"`
	Snippet    string            `json:"snippet" jsonschema:"from the text, around the best match"`
	Highlights []highlight       `json:"highlights" jsonschema:"where in the text the words are"`
	Metadata   map[string]string `json:"metadata"`
}

type highlight struct {
	store.Span
	Text string `json:"text"`
}

// Text is the results as a model reads them.
func (o searchQueryOutput) Text() string {
	if len(o.Results) == 0 {
		return strings.TrimSpace("Nothing was found. " + o.Warning)
	}
	var b strings.Builder
	for i, r := range o.Results {
		title := cmp.Or(r.Title, r.ID)
		fmt.Fprintf(&b, "%d. %s (id %s)", i+1, text.OneLine(title), text.OneLine(r.ID))
		if r.URL != "" && r.URL != r.ID {
			fmt.Fprintf(&b, " %s", text.OneLine(r.URL))
		}
		fmt.Fprintf(&b, "\n   %s\n", text.OneLine(r.Snippet))
	}
	fmt.Fprintf(&b, "\n%d found in all", o.Total)
	if o.NextOffset > 0 {
		fmt.Fprintf(&b, "; offset %d for more", o.NextOffset)
	}
	if o.Warning != "" {
		b.WriteString(". " + o.Warning)
	}
	return b.String()
}

func newSearchQuery(k Knowledge) *tool.Tool {
	finder := meaning.NewFinder(k.Texts, k.meanings())
	return tool.New(tool.Spec{Name: "search_query", Title: "Search kept texts",
		Description: tool.Description(descriptions, "search_query"),
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true}, Hidden: needsStore(k.Texts != nil)},
		func(ctx context.Context, in searchQueryInput) (searchQueryOutput, error) {
			return k.query(ctx, in, finder)
		})
}

func (k Knowledge) query(ctx context.Context, in searchQueryInput, finder *meaning.Finder) (searchQueryOutput, error) {
	filters, err := filtersOf(in.Filter, in.Ranges)
	if err != nil {
		return searchQueryOutput{}, err
	}
	mode := meaning.Mode(in.Mode)
	if k.Embedder == nil && (mode == meaning.ByMeaning || mode == meaning.ByBoth) {
		return searchQueryOutput{}, withoutEmbedder()
	}
	all, err := finder.Find(ctx, store.TextQuery{Index: in.Index, Text: in.Query, Filters: filters, Limit: in.Limit,
		Offset: in.Offset}, mode)
	out := searchQueryOutput{Results: []foundText{}, Total: all.Total, NextOffset: all.Next, Mode: string(all.Mode),
		Warning: all.Warning}
	for _, f := range all.Found {
		out.Results = append(out.Results, asFound(f.TextHit))
	}
	return out, err
}

func asFound(h store.TextHit) foundText {
	f := foundText{ID: h.ID, Title: h.Title, URL: h.URL, Score: h.Score, Snippet: h.Snippet, Highlights: []highlight{},
		Metadata: orEmpty(h.Metadata)}
	for _, m := range h.Excerpt.Marks {
		words := h.Excerpt.Text[m.Start-h.Excerpt.Start : m.End-h.Excerpt.Start]
		f.Highlights = append(f.Highlights, highlight{Span: m, Text: words})
	}
	return f
}
