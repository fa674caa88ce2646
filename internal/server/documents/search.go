package documents

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/meaning"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/store"
)

// Bounds of a search.
const (
	defaultFound = 10
	maxFound     = 100
	maxOffset    = 1000
	maxExcerpt   = 600 // bytes of one in which no word was looked for
)

var searchParameters = []intake.Parameter{
	{Name: "q", Form: lazyregexp.New(`^[\s\S]{1,1000}$`), Must: "1 to 1,000 characters"}, prefix,
	{Name: "limit", Form: intake.Digits, Must: "a number"},
	{Name: "offset", Form: intake.Digits, Must: "a number"},
}

// Found is a result, and why it is one.
type Found struct {
	Place     int      `json:"place"` // from 1, in the joined ranking
	ID        string   `json:"id"`
	URL       string   `json:"url"`
	Title     string   `json:"title"`
	Language  string   `json:"language,omitempty"`
	Published string   `json:"date,omitempty"`
	Words     int      `json:"words_rank,omitempty"`
	Meaning   int      `json:"meaning_rank,omitempty"`
	Matched   []string `json:"matched"` // words as the excerpt has them, each once
	Excerpt   *Excerpt `json:"excerpt,omitempty"`
}

// An Excerpt is a span of the text of a document, and the words in it that were looked for.
type Excerpt struct {
	Start int          `json:"start"`
	End   int          `json:"end"`
	Text  string       `json:"text"`
	Marks []store.Span `json:"marks"`
}

// search is GET /v1/documents/search.
func (a *API) search(w http.ResponseWriter, r *http.Request) error {
	values, err := intake.Query(r, searchParameters...)
	if err != nil {
		return err
	}
	limit, err := intake.Number(values, "limit", defaultFound, 1, maxFound)
	if err != nil {
		return err
	}
	offset, err := intake.Number(values, "offset", 0, 0, maxOffset)
	if err != nil {
		return err
	}
	if !values.Has("q") {
		return intake.Invalid("q is missing: what is looked for")
	}
	answer, err := a.Search(r.Context(), store.TextQuery{Text: values.Get("q"), URLPrefix: values.Get("prefix"),
		Limit: int(limit), Offset: int(offset)})
	return intake.Answer(w, answer, err)
}

// Findings are a page of what a search found, best first.
type Findings struct {
	Results    []Found      `json:"results"`
	Total      int          `json:"total"`
	NextOffset int          `json:"next_offset,omitempty"`
	Mode       meaning.Mode `json:"mode"`
	Warning    string       `json:"warning,omitempty"`
}

// Search is what a query finds, and why.
func (a *API) Search(ctx context.Context, q store.TextQuery) (Findings, error) {
	all, err := a.o.Finder.Find(ctx, q, "")
	if err != nil {
		return Findings{}, err
	}
	answer := Findings{make([]Found, len(all.Found)), all.Total, all.Next, all.Mode, all.Warning}
	if answer.NextOffset > maxOffset {
		answer.NextOffset = 0
	}
	for i, f := range all.Found {
		answer.Results[i] = Found{Place: q.Offset + i + 1, ID: idOf(f.ID), URL: f.URL, Title: f.Title,
			Language: f.Language, Published: f.Published,
			Words: f.Words, Meaning: f.Meaning, Matched: matched(f.Excerpt), Excerpt: excerptOf(f.Excerpt)}
	}
	return answer, nil
}

// matched are the words of an excerpt that were looked for, in small letters, each once.
func matched(e store.Excerpt) []string {
	words := []string{}
	for _, m := range e.Marks {
		if word := strings.ToLower(e.Text[m.Start-e.Start : m.End-e.Start]); !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// excerptOf is nil where the place is not known.
func excerptOf(e store.Excerpt) *Excerpt {
	if e.Text == "" {
		return nil
	}
	if len(e.Marks) == 0 {
		e.Text = text.Prefix(e.Text, maxExcerpt)
		e.End = e.Start + len(e.Text)
	}
	return &Excerpt{e.Start, e.End, e.Text, append([]store.Span{}, e.Marks...)}
}
