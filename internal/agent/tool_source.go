package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/internal/notation"
	"github.com/citewell/citewell/internal/siteclass"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/internal/verbatim"
	"github.com/citewell/citewell/internal/weburl"
)

// MaxToolResult is how much of the result of a tool that is not the agent's own is kept
// as a source, in bytes. The model is shown Limits.ToolLimit of it.
const MaxToolResult = 1 << 20

// Bounds of what is made of a call.
const (
	maxCallTitle = 160  // bytes of a source's title
	leastEcho    = 3    // words of an argument that prove nothing where the result says them again
	maxSaid      = 2000 // strings of arguments; once more were said, no result is a source
)

// toolScheme begins the address of a tool's result: tool:SERVER/NAME?sha256=HASH, the
// hash being the beginning of that of the result.
const toolScheme = "tool:"

// A toolResult is the result of such a tool as the journal keeps it.
type toolResult struct {
	Text    string            `json:"text"`              // as the model is shown it
	Pages   []gotten          `json:"pages,omitempty"`   // that it shows, or the whole result as one
	Sources []citewell.Source `json:"sources,omitempty"` // whose numbers the text has
}

// taken is what is kept of a result: the pages that it shows, the sources that it cites, or itself. What only says that
// something was done, or is no word of anybody outside, is no source.
func (r *run) taken(ctx context.Context, t *tool.Tool, arguments json.RawMessage,
	result tool.Result) (toolResult, error) {
	kept := toolResult{Text: tool.Shorten(result.Text, r.o.Limits.ToolLimit)}
	if t.Unsourced || result.Err != nil {
		return kept, nil
	}
	if len(r.said) > maxSaid {
		kept.Text += "\n\n(This result has no number, and cannot be cited: so much was said to tools that it may be " +
			"told back.)"
		return kept, nil
	}
	kept.Sources = result.Sources
	pages, parts := slices.Clone(result.Pages), result.Parts
	if parts == nil && len(pages)+len(kept.Sources) == 0 {
		parts = []tool.Page{{Page: citewell.Page{Body: []byte(result.Text)}}}
	}
	for _, part := range parts {
		if part.Doc.Text == "" && !states(string(part.Body)) {
			continue
		}
		page, err := r.resultPage(ctx, t, arguments, part)
		switch {
		case ctx.Err() != nil:
			return kept, fmt.Errorf("agent: result of %s: %w", t.Name, err)
		case err != nil:
			kept.Text += "\n\n(This result has no number, and cannot be cited: " + citewell.View(err).Message + ")"
		default:
			pages = append(pages, page)
		}
	}
	for _, p := range pages {
		got, err := r.keepPage(ctx, p.Page, p.Doc)
		if err != nil {
			return kept, err
		}
		kept.Pages = append(kept.Pages, got)
	}
	return kept, nil
}

// states says whether a result says more than that something was done: it has words, or
// as JSON a value other than true, false and null.
func states(result string) bool {
	var value any
	if json.Unmarshal([]byte(result), &value) != nil {
		value = result
	}
	return hasValue(value)
}

func hasValue(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v) != ""
	case float64:
		return true
	case []any:
		return slices.ContainsFunc(v, hasValue)
	case map[string]any:
		for _, each := range v {
			if hasValue(each) {
				return true
			}
		}
	}
	return false
}

// resultPage is a part of a tool's result as a page: its bytes, and what can be quoted of them.
func (r *run) resultPage(ctx context.Context, t *tool.Tool, arguments json.RawMessage,
	part tool.Page) (tool.Page, error) {
	page, doc, title := part.Page, part.Doc, fmt.Sprintf("%s(%s)", t.Name, callWords(arguments))
	page.FetchedAt, page.Outcome = time.Now().UTC().Truncate(time.Millisecond), citewell.FetchOK
	if doc.Text == "" {
		whole := page.Body
		page.Body, page.ContentType = []byte(tool.Shorten(string(whole), MaxToolResult)), "text/plain; charset=utf-8"
		if json.Valid(page.Body) {
			page.ContentType = "application/json"
		}
		if len(page.Body) < len(whole) {
			page.Outcome = citewell.FetchTruncated
		}
	} else if doc.Title != "" {
		title = doc.Title + " of " + title
	}
	page.SHA256 = citewell.SHA256(page.Body)
	page.URL = resultsOf(t) + page.SHA256[:16]
	page.FinalURL = page.URL
	if doc.Text == "" {
		var err error
		if doc, err = extract.Extract(ctx, page); err != nil {
			return tool.Page{}, err
		}
	}
	doc.URL, doc.Title, doc.LowYield = page.URL, fmt.Sprintf("%s, %s UTC", title,
		page.FetchedAt.Format("2006-01-02 15:04")), false
	if own := r.withoutEchoes(doc.Text); own != doc.Text {
		doc.Text, doc.TextSHA256, doc.Markdown, doc.Passages, doc.Pages, doc.PageUnit = own,
			citewell.SHA256([]byte(own)), "", nil, nil, ""
		doc.Passages = extract.Passages(doc)
	}
	return tool.Page{Page: page, Doc: doc}, nil
}

// resultsOf is what the addresses of a tool's results begin with.
func resultsOf(t *tool.Tool) string {
	name := url.PathEscape(t.Name)
	if t.Origin.Foreign && len(t.Also) > 0 {
		name = url.PathEscape(t.Origin.Name) + "/" + url.PathEscape(t.Also[0])
	}
	return toolScheme + name + "?sha256="
}

// callWords are the arguments of a call in a line, as "location: Oslo, units: metric".
func callWords(arguments json.RawMessage) string {
	decoder := json.NewDecoder(strings.NewReader(string(without(arguments, "reasoning"))))
	if _, err := decoder.Token(); err != nil {
		return ""
	}
	var said []string
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			break
		}
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			break
		}
		said = append(said, fmt.Sprintf("%v: %s", key, strings.Join(textsIn(value), ", ")))
	}
	return text.Shorten(oneLine(strings.Join(said, ", ")), maxCallTitle)
}

// remember keeps the words that the model gives to a tool: what comes back of them is its own.
func (r *run) remember(arguments json.RawMessage) {
	var value any
	if json.Unmarshal(arguments, &value) != nil {
		return
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			r.said = append(r.said, v)
		case []any:
			var whole []string // a tool may join what it is given
			for _, each := range v {
				walk(each)
				if word, ok := each.(string); ok {
					whole = append(whole, word)
				}
			}
			if len(whole) > 1 {
				r.said = append(r.said, strings.Join(whole, " "))
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) { // a replay must come to the same
				r.said = append(r.said, key) // where any name will do, it may be a sentence
				walk(v[key])
			}
		}
	}
	walk(value)
	r.said = r.said[:min(len(r.said), maxSaid+1)]
}

// sourced gives a tool's result its numbers, and is what the model is shown of it.
func (r *run) sourced(ctx context.Context, p *foreignCall) (string, error) {
	got := p.got
	numbers := map[int]int{}
	for _, s := range got.Sources {
		if _, err := weburl.Parse(s.URL); err != nil && !isLocal(s.URL) {
			continue
		}
		known := r.number(tool.Shorten(oneLine(s.Title), maxTitle), s.URL, tool.Shorten(oneLine(s.Snippet), maxSnippet),
			s.Date, s.Work)
		numbers[s.N], r.seen[known.key] = known.N, true
	}
	shown := got.Text
	if len(numbers) > 0 {
		shown = notation.MapMarks(shown, func(mark notation.Reference) string {
			var here []int
			for _, n := range mark.Numbers {
				if numbers[n] > 0 {
					here = append(here, numbers[n])
				}
			}
			if len(here) == 0 {
				return ""
			}
			return notation.Numbers(here...)
		})
	}
	var heads strings.Builder
	for _, g := range got.Pages {
		s, err := r.sourceOf(ctx, p, g)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&heads, "[%d] %s", s.N, oneLine(s.Title))
		if !isResult(s.URL) {
			heads.WriteString(" - " + s.URL)
		}
		heads.WriteByte('\n')
	}
	if heads.Len() > 0 {
		shown = heads.String() + "\n" + shown
	}
	return shown, nil
}

// sourceOf is the source that a page of a result is. A page of the web is one as if it
// was read by the agent's own tool.
func (r *run) sourceOf(ctx context.Context, p *foreignCall, g gotten) (*source, error) {
	doc, t := g.document(), p.tool
	s := r.number(oneLine(doc.Title), g.Page.URL, "", "", nil)
	if isResult(g.Page.URL) {
		s.Class, s.Host, s.whose = siteclass.ClassTool, t.Name, p.source()
		if t.Origin.Foreign {
			s.Host = t.Origin.Name
		}
		doc.Links = r.linksIn(doc.Text)
	}
	return s, r.settle(ctx, s, g.Page, doc)
}

// withoutEchoes is the text of a result without what the model has said to a tool itself: a
// tool that says it again is no witness to it, now or in a run that goes on from this one.
func (r *run) withoutEchoes(result string) string {
	for _, words := range r.said {
		if len(text.Words(words)) < leastEcho {
			continue
		}
		var rest strings.Builder
		at := 0
		for {
			start, end, ok := verbatim.Locate(words, result[at:])
			if !ok {
				break
			}
			rest.WriteString(result[at:at+start] + "[…]")
			at += end
		}
		result = rest.String() + result[at:]
	}
	return result
}

// linksIn are the addresses in a result, which may be read as a page's links may. One whose host the model has named to
// a tool is not among them: it may be one that was to be passed on to it.
func (r *run) linksIn(result string) []citewell.Link {
	var links []citewell.Link
	for _, found := range urlInWords.FindAllString(result, maxPassages) {
		found = strings.TrimRight(found, ".,;:!?")
		host := strings.ToLower(weburl.Host(found))
		// a name in other letters than ASCII has a form of its own
		_, written, _ := strings.Cut(strings.ToLower(found), "://")
		written, _, _ = strings.Cut(strings.NewReplacer("?", "/", "#", "/").Replace(written), "/")
		if host != "" && !slices.ContainsFunc(r.said, func(words string) bool {
			words = strings.ToLower(words)
			return strings.Contains(words, host) || strings.Contains(words, written)
		}) {
			links = append(links, citewell.Link{URL: found})
		}
	}
	return links
}
