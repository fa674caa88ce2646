package manifold

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/tool"
)

func init() { Definitions.Add(Name, "web_fetch", newWebFetch) }

type fetchInput struct {
	URL string `json:"url" jsonschema:"absolute http or https URL"`
	tool.FetchLimits
}

type fetchOutput struct {
	OK           bool      `json:"ok"`
	InputURL     string    `json:"input_url"`
	FinalURL     string    `json:"final_url"`
	Status       int       `json:"status"`
	ContentType  string    `json:"content_type"`
	Charset      string    `json:"charset"`
	Title        string    `json:"title"`
	Markdown     string    `json:"markdown"`
	UsedReadable bool      `json:"used_readable"`
	FetchedAt    time.Time `json:"fetched_at"`

	read []tool.Page
}

// ReadPages is the page, where it has text.
func (o fetchOutput) ReadPages() []tool.Page { return o.read }

// maxMarkdown bounds the Markdown, of which a caller cannot ask for parts, in bytes.
const maxMarkdown = 200_000

func newWebFetch(d Deps) *tool.Tool {
	return tool.New(tool.Spec{Name: "web_fetch", Title: "Read a web page",
		Description: "Fetches a web URL over HTTP(S) and returns best-effort Markdown, the main content where it can " +
			"be told; JSON comes as it is, in a fence. Only cite pages that were fetched so.",
		Hints: tool.Hints{ReadOnly: true, Idempotent: true, OpenWorld: true}},
		func(ctx context.Context, in fetchInput) (fetchOutput, error) {
			page, doc, err := d.Read(ctx, in.URL, in.FetchLimits)
			if err != nil {
				return fetchOutput{}, err
			}
			out := fetchOutput{OK: true, InputURL: in.URL, FinalURL: page.FinalURL, Status: page.Status,
				ContentType: page.ContentType, FetchedAt: page.FetchedAt}
			if doc == nil {
				out.Markdown = tool.WithoutText(page)
				return out, nil
			}
			out.Charset, out.Title, out.UsedReadable = doc.Charset, doc.Title, in.PreferReadable
			out.Markdown = markdownOf(page, doc.Markdown)
			out.read = []tool.Page{{Page: page, Doc: *doc}}
			return out, nil
		})
}

// markdownOf is what is shown of a page: JSON as it came, of others their Markdown.
func markdownOf(page citewell.Page, markdown string) string {
	window := tool.Window{MaxLength: maxMarkdown}
	shown, part := window.Cut(markdown)
	if strings.Contains(strings.ToLower(page.ContentType), "json") && utf8.Valid(page.Body) {
		shown, part = window.Cut(strings.Map(tool.Visible, string(page.Body))) // JSON stays JSON
		shown = fenced("json", shown)
	}
	if part.NextIndex > 0 {
		shown += fmt.Sprintf("\n\n[cut: %d of %d bytes]", part.NextIndex, part.TotalLength)
	}
	return shown
}

// fenced is code between fences that it does not hold itself.
func fenced(language, code string) string {
	marks := "```"
	for strings.Contains(code, marks) {
		marks += "`"
	}
	return marks + language + "\n" + strings.TrimRight(code, "\n") + "\n" + marks
}
