package cogtrix

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/citewell/citewell/internal/tool"
)

func init() {
	Definitions.Add("", "exa_find_similar", newExaFindSimilar)
	Definitions.Add(Name, "exa_find_similar", newOriginalExaFindSimilar)
}

type findSimilarArguments struct {
	URL         string `json:"url" jsonschema:"the page that the others shall be like"`
	NumResults  int    `json:"num_results,omitempty" jsonschema:"how many pages" default:"5" bounds:"1..10"`
	IncludeText bool   `json:"include_text,omitempty" jsonschema:"first 2,000 characters of each" default:"true"`
}

type findSimilarInput struct {
	findSimilarArguments
	tool.Window
}

// similarText is how much of each page is shown, in characters.
const similarText = 2000

type similarPage struct {
	Title string   `json:"title"`
	URL   string   `json:"url"`
	Date  string   `json:"date,omitempty" jsonschema:"YYYY-MM-DD, where it is known"`
	Score *float64 `json:"score,omitempty" jsonschema:"how much it is alike, as Exa counts; absent where it does not say"`
	Text  string   `json:"text,omitempty"`
}

type similarOutput struct {
	URL     string        `json:"url"`
	Results []similarPage `json:"results"`
}

// Text is the list as a model reads it.
func (o similarOutput) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Exa search results for: pages similar to %s\n\n", o.URL)
	if len(o.Results) == 0 {
		b.WriteString("No results found.")
	}
	for i, p := range o.Results {
		title := cmp.Or(p.Title, "(no title)")
		fmt.Fprintf(&b, "%d. %s\n   URL: %s\n", i+1, title, p.URL)
		if p.Score != nil {
			fmt.Fprintf(&b, "   Relevance: %.4f\n", *p.Score)
		}
		if p.Text != "" {
			fmt.Fprintf(&b, "   %s\n", strings.ReplaceAll(p.Text, "\n", "\n   "))
		}
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n")
}

// A similarPartOutput shows a part of the list as text; the data hold all of it: ten pages of 2,000 characters.
type similarPartOutput struct {
	similarOutput
	tool.Part
	text string
}

// Text is the part as a model reads it.
func (o similarPartOutput) Text() string { return o.text + o.Note() }

func (d Deps) exaFindSimilarSpec() tool.Spec {
	s := tool.Spec{Name: "exa_find_similar", Title: "Find pages like one, by Exa",
		Description: tool.Description(descriptions, "exa_find_similar"),
		Hints:       tool.Hints{ReadOnly: true, OpenWorld: true}}
	if d.Similar == nil {
		s.Hidden = needsExa
	}
	return s
}

func newExaFindSimilar(d Deps) *tool.Tool {
	return tool.New(d.exaFindSimilarSpec(), func(ctx context.Context, in findSimilarInput) (similarPartOutput, error) {
		out, err := d.similar(ctx, in.findSimilarArguments)
		text, part := in.Cut(out.Text())
		return similarPartOutput{out, part, text}, err
	})
}

func newOriginalExaFindSimilar(d Deps) *tool.Tool {
	return tool.New(d.exaFindSimilarSpec(), d.similar)
}

func (d Deps) similar(ctx context.Context, in findSimilarArguments) (similarOutput, error) {
	chars := 0
	if in.IncludeText {
		chars = similarText
	}
	out := similarOutput{URL: strings.TrimSpace(in.URL), Results: []similarPage{}}
	pages, err := d.Similar.Similar(ctx, out.URL, in.NumResults, chars)
	for _, p := range pages {
		page := similarPage{Title: p.Title, URL: p.URL, Date: p.Published, Score: p.Score}
		if in.IncludeText {
			text := tool.CleanLines(p.Text)
			if page.Text = firstRunes(text, similarText); len(page.Text) < len(text) {
				page.Text += "..."
			}
		}
		out.Results = append(out.Results, page)
	}
	return out, err
}
