package provider

import (
	"context"
	"net/http"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/services"
)

// exaContents gives texts of pages from Exa's index, or crawls them where they are
// not in it: a charge for each page. Docs: https://docs.exa.ai/reference/get-contents
type exaContents struct{ *reader }

// NewExaContents returns it where Exa is configured; its errors are New's.
func NewExaContents(d Deps) (*exaContents, error) {
	r, err := newReader(d, exaName, "https://api.exa.ai", "/contents", exaRefused)
	if err != nil {
		return nil, err
	}
	return &exaContents{r}, nil
}

// exaPageChars bounds the text of one page, in characters.
const exaPageChars = 200_000

// Read returns the pages in the order of urls, 1 to MaxPageURLs of them. A page that
// could not be read has an error of its own; the error beside them is of the whole
// call.
func (p *exaContents) Read(ctx context.Context, urls []string) ([]services.PageText, error) {
	if err := services.CheckPageURLs(urls); err != nil {
		return nil, err
	}
	body := struct {
		URLs []string `json:"urls"`
		Text struct {
			MaxCharacters int `json:"maxCharacters"`
		} `json:"text"`
	}{URLs: urls}
	body.Text.MaxCharacters = exaPageChars
	r, err := p.ask(ctx, http.Header{"X-Api-Key": {p.key.Reveal()}}, body)
	if err != nil {
		return nil, err
	}
	return p.read(r, urls)
}

type exaPages struct {
	Results []struct {
		ID, URL, Title, Text loose
	}
	Statuses []struct {
		ID, Status loose
		Error      struct {
			Tag    loose
			Status loose `json:"httpStatusCode"`
		}
	}
}

// read matches pages and statuses by id, which is the URL as it was asked: the order
// of neither is promised, and a page that failed is missing among the results.
func (p *exaContents) read(r *reply, urls []string) ([]services.PageText, error) {
	var answer exaPages
	if err := p.readAnswer(r, &answer, "results", "statuses"); err != nil {
		return nil, err
	}
	var found []services.PageText
	for _, page := range answer.Results {
		url := page.ID.orElse(page.URL)
		if !strings.Contains(url, "://") {
			url = string(page.URL) // an older id, which is no URL
		}
		found = append(found, p.page(url, page.Title, page.Text))
	}
	for _, s := range answer.Statuses {
		if s.Status == "error" {
			why := p.statusOf(string(s.Error.Tag), string(s.Error.Status))
			found = append(found, services.PageText{URL: string(s.ID), Err: why})
		}
	}
	return p.inOrder(urls, found), nil
}

// statusOf is the error of one page, by Exa's tag.
func (p *exaContents) statusOf(tag, status string) *citewell.Error {
	code := citewell.CodeHTTPFailed
	said := map[string]string{
		"CRAWL_NOT_FOUND": "there is no such page", "CRAWL_TIMEOUT": "the page did not come in time",
		"CRAWL_LIVECRAWL_TIMEOUT": "the page did not come in time",
		"SOURCE_NOT_AVAILABLE":    "the site does not let it be read", "UNSUPPORTED_URL": "such a URL is not read",
	}[tag]
	switch tag {
	case "CRAWL_NOT_FOUND":
		code = citewell.CodeNotFound
	case "CRAWL_TIMEOUT", "CRAWL_LIVECRAWL_TIMEOUT":
		code = citewell.CodeTimeout
	case "SOURCE_NOT_AVAILABLE":
		code = citewell.CodeBlockedByProvider
	case "UNSUPPORTED_URL":
		code = citewell.CodeUnsupportedType
	}
	for _, own := range []string{tag, status} {
		if ownWord.MatchString(own) {
			said = strings.TrimSpace(said + " (" + own + ")")
		}
	}
	return p.pageFailed(code, said)
}
