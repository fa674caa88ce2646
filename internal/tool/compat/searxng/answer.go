package searxng

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/search"
)

// An Answer is the JSON of a SearXNG, an instance's own with every field, or ours. Untyped parts have several shapes.
type Answer struct {
	Query               any      `json:"query" jsonschema:"the query as it was asked"`
	NumberOfResults     any      `json:"number_of_results,omitempty" jsonschema:"how many there are, where it is known; 0 means it is not"`
	Results             []Result `json:"results"`
	Answers             []any    `json:"answers" jsonschema:"direct answers: text, or an object with answer; computed ones too"`
	Corrections         []any    `json:"corrections" jsonschema:"the query spelled otherwise"`
	Infoboxes           []any    `json:"infoboxes" jsonschema:"what an encyclopedia says of the subject"`
	Suggestions         []any    `json:"suggestions" jsonschema:"other queries"`
	UnresponsiveEngines []any    `json:"unresponsive_engines" jsonschema:"[name, reason] of each engine that did not answer: what it would have found is not here"`
	ResultsDropped      int      `json:"results_dropped,omitempty" jsonschema:"how many more results there were on this page than are returned"`
	Notes               []string `json:"notes,omitempty" jsonschema:"what else to know of the answer"`
	other               map[string]json.RawMessage
}

// A Result is one result. Its fields are those that most results have; each engine adds its own, and all are kept.
type Result struct {
	URL           any `json:"url,omitempty" jsonschema:"the page"`
	Title         any `json:"title,omitempty"`
	Content       any `json:"content,omitempty" jsonschema:"a snippet of the page"`
	Engine        any `json:"engine,omitempty" jsonschema:"which found it first"`
	Engines       any `json:"engines,omitempty" jsonschema:"all that found it"`
	Score         any `json:"score,omitempty" jsonschema:"higher is better"`
	Category      any `json:"category,omitempty"`
	PublishedDate any `json:"publishedDate,omitempty"`
	ImgSrc        any `json:"img_src,omitempty" jsonschema:"the picture itself"`
	raw           json.RawMessage
}

// Decode reads the result into v, as far as v has its fields.
func (h Result) Decode(v any) error { return json.Unmarshal(h.raw, v) }

// MarshalJSON is the result as it came.
func (h Result) MarshalJSON() ([]byte, error) { return h.raw, nil }

// MarshalJSON puts what an instance adds behind what every instance has.
func (a Answer) MarshalJSON() ([]byte, error) {
	type plain Answer
	known, err := tool.Marshal(plain(a))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Write(known[:len(known)-1])
	for _, name := range slices.Sorted(maps.Keys(a.other)) {
		key, err := tool.Marshal(name)
		if err != nil {
			return nil, err
		}
		b.WriteByte(',')
		b.Write(key)
		b.WriteByte(':')
		b.Write(a.other[name])
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// wholeAnswer takes over an instance's answer.
func wholeAnswer(query string, from services.SearXNGAnswer) Answer {
	a := emptyAnswer(query)
	a.Results = resultsIn(from.Results)
	for list, raw := range map[*[]any][]json.RawMessage{&a.Answers: from.Answers, &a.Corrections: from.Corrections,
		&a.Infoboxes: from.Infoboxes, &a.Suggestions: from.Suggestions,
		&a.UnresponsiveEngines: from.UnresponsiveEngines} {
		for _, element := range raw {
			*list = append(*list, element)
		}
	}
	a.other = maps.Clone(from.Other)
	for name, field := range map[string]*any{"query": &a.Query, "number_of_results": &a.NumberOfResults} {
		if raw, ok := a.other[name]; ok {
			*field = raw
			delete(a.other, name)
		}
	}
	delete(a.other, "results_dropped") // they would stand twice
	delete(a.other, "notes")
	return a
}

func emptyAnswer(query string) Answer {
	return Answer{Query: query, NumberOfResults: 0, Results: []Result{}, Answers: []any{}, Corrections: []any{},
		Infoboxes: []any{}, Suggestions: []any{}, UnresponsiveEngines: []any{}}
}

func resultsIn(raw []json.RawMessage) []Result {
	found := []Result{}
	for _, one := range raw {
		if bytes.HasPrefix(bytes.TrimSpace(one), []byte("{")) { // and not a null
			found = append(found, Result{raw: one})
		}
	}
	return found
}

// An ownResult is a result of our own providers, in the order of fields of SearXNG's.
type ownResult struct {
	URL           string   `json:"url"`
	Title         string   `json:"title"`
	Content       string   `json:"content"`
	PublishedDate *string  `json:"publishedDate"`
	ImgSrc        string   `json:"img_src,omitempty"`
	Engine        string   `json:"engine"`
	Template      string   `json:"template"`
	ParsedURL     []string `json:"parsed_url"`
	Engines       []string `json:"engines"`
	Positions     []int    `json:"positions"`
	Score         float64  `json:"score"`
	Category      string   `json:"category"`
}

var templates = map[string]string{verticalImages: "images.html", verticalVideos: "videos.html"}

func newOwnResult(r search.Ranked, category string) ownResult {
	h := ownResult{URL: r.URL, Title: r.Title, Content: r.Snippet, ImgSrc: r.Image, Engine: r.Provider,
		Template:  templates[category],
		ParsedURL: parsedURL(r.URL), Engines: r.Providers, Positions: []int{r.Rank},
		Score: float64(int(r.Score*1000)) / 1000, Category: category}
	h.Template = cmp.Or(h.Template, "default.html")
	if r.Published != "" {
		published := r.Published + "T00:00:00"
		h.PublishedDate = &published
	}
	return h
}

func (h ownResult) result() Result {
	return Result{URL: h.URL, raw: tool.MustMarshal(h)}
}

// parsedURL is scheme, host, path, parameters, query and fragment.
func parsedURL(raw string) []string {
	u, err := url.Parse(raw)
	if err != nil {
		return []string{}
	}
	path, parameters, _ := strings.Cut(u.EscapedPath(), ";")
	return []string{u.Scheme, u.Host, path, parameters, u.RawQuery, u.EscapedFragment()}
}

// keepBest keeps the best results: at most limit, and no more than fit into size bytes
// with what stands around them, but one. What is dropped is counted and said.
func (a *Answer) keepBest(limit, size int) error {
	rest := *a
	rest.Results = []Result{}
	around, err := tool.Marshal(rest)
	if err != nil {
		return err
	}
	used := len(around)
	n := 0
	for n < min(len(a.Results), limit) {
		used += len(a.Results[n].raw) + len(",")
		if used > size && n > 0 {
			break
		}
		n++
	}
	a.ResultsDropped = len(a.Results) - n
	a.Results = a.Results[:n]
	return nil
}
