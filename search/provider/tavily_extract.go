package provider

import (
	"context"
	"net/http"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/services"
)

// tavilyExtract reads pages by Tavily's extract API: a credit for five pages that
// were read. Docs: https://docs.tavily.com/documentation/api-reference/endpoint/extract
type tavilyExtract struct{ *reader }

// NewTavilyExtract returns it where Tavily is configured; its errors are New's.
func NewTavilyExtract(d Deps) (*tavilyExtract, error) {
	r, err := newReader(d, tavilyName, "https://api.tavily.com", "/extract", tavilyRefused)
	if err != nil {
		return nil, err
	}
	return &tavilyExtract{r}, nil
}

// Read returns the pages in the order of urls, 1 to MaxPageURLs of them. A page that
// could not be read has an error of its own; the error beside them is of the whole
// call.
func (p *tavilyExtract) Read(ctx context.Context, urls []string) ([]services.PageText, error) {
	if err := services.CheckPageURLs(urls); err != nil {
		return nil, err
	}
	body := struct {
		URLs   []string `json:"urls"`
		Depth  string   `json:"extract_depth"`
		Format string   `json:"format"`
	}{urls, "basic", "markdown"}
	r, err := p.ask(ctx, http.Header{"Authorization": {"Bearer " + p.key.Reveal()}}, body)
	if err != nil {
		return nil, err
	}
	return p.read(r, urls)
}

type tavilyExtracted struct {
	Results []struct {
		URL, Title loose
		Content    loose `json:"raw_content"`
	}
	Failed []struct{ URL, Error loose } `json:"failed_results"`
}

func (p *tavilyExtract) read(r *reply, urls []string) ([]services.PageText, error) {
	var answer tavilyExtracted
	if err := p.readAnswer(r, &answer, "results", "failed_results"); err != nil {
		return nil, err
	}
	var found []services.PageText
	for _, page := range answer.Results {
		found = append(found, p.page(string(page.URL), page.Title, page.Content))
	}
	for _, page := range answer.Failed {
		why := p.pageFailed(citewell.CodeHTTPFailed, string(page.Error))
		found = append(found, services.PageText{URL: string(page.URL), Err: why})
	}
	return p.inOrder(urls, found), nil
}
