package provider

import (
	"context"
	"net/http"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/egress"
)

// TavilyExtract reads pages by Tavily's extract API: a credit for five pages that
// were read. Docs: https://docs.tavily.com/documentation/api-reference/endpoint/extract
type TavilyExtract struct {
	*reader
	key egress.Secret
}

// NewTavilyExtract returns it where Tavily is configured; its errors are New's.
func NewTavilyExtract(d Deps) (*TavilyExtract, error) {
	s, err := d.configured(tavilyName)
	if err != nil {
		return nil, err
	}
	r, err := newReader(d, tavilyName, s, "https://api.tavily.com", "/extract")
	if err != nil {
		return nil, err
	}
	return &TavilyExtract{r, s.APIKey}, nil
}

// Read returns the pages in the order of urls, 1 to MaxPageURLs of them. A page that
// could not be read has an error of its own; the error beside them is of the whole
// call.
func (p *TavilyExtract) Read(ctx context.Context, urls []string) ([]PageText, error) {
	if err := CheckPageURLs(urls); err != nil {
		return nil, err
	}
	if err := p.turn(ctx); err != nil {
		return nil, egress.Classify(p.op(), err)
	}
	body := struct {
		URLs   []string `json:"urls"`
		Depth  string   `json:"extract_depth"`
		Format string   `json:"format"`
	}{urls, "basic", "markdown"}
	r, err := p.postJSON(ctx, p.endpoint, http.Header{"Authorization": {"Bearer " + p.key.Reveal()}}, body)
	if err != nil {
		return nil, err
	}
	if r.status != http.StatusOK {
		return nil, p.unusable(r.status, tavilyRefused(p.wire, r))
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

func (p *TavilyExtract) read(r *reply, urls []string) ([]PageText, error) {
	var answer tavilyExtracted
	if err := p.readAnswer(r, &answer, "results", "failed_results"); err != nil {
		return nil, err
	}
	var found []PageText
	for _, page := range answer.Results {
		text := PageText{URL: string(page.URL), Title: oneLine(string(page.Title), maxTitleBytes), Text: strings.TrimSpace(string(page.Content))}
		if text.Text == "" {
			text.Err = p.fail(citewell.CodeEmptyBody, p.name+" found no content in it", "")
		}
		found = append(found, text)
	}
	for _, page := range answer.Failed {
		found = append(found, PageText{URL: string(page.URL), Err: p.pageFailed(citewell.CodeHTTPFailed, string(page.Error))})
	}
	return p.inOrder(urls, found), nil
}
