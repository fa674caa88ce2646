package provider

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/internal/weburl"
)

// exaSimilar finds pages that are like a page, by meaning.
// Docs: https://docs.exa.ai/reference/find-similar-links
type exaSimilar struct{ *reader }

// NewExaSimilar returns it where Exa is configured; its errors are New's.
func NewExaSimilar(d Deps) (*exaSimilar, error) {
	r, err := newReader(d, exaName, "https://api.exa.ai", "/findSimilar", exaRefused)
	if err != nil {
		return nil, err
	}
	return &exaSimilar{r}, nil
}

// maxSimilar is how many pages one call may ask for.
const maxSimilar = 10

// Similar returns at most n pages that are like the one at raw, with the first
// textChars characters of each where that is not 0.
func (p *exaSimilar) Similar(ctx context.Context, raw string, n, textChars int) ([]services.SimilarPage, error) {
	if err := services.CheckPageURL(raw); err != nil {
		return nil, err
	}
	if n < 1 || n > maxSimilar {
		return nil, p.fail(citewell.CodeInvalidArgument, "num_results must be 1 to 10", "")
	}
	type contents struct {
		Text struct {
			MaxCharacters int `json:"maxCharacters"`
		} `json:"text"`
	}
	body := struct {
		URL        string    `json:"url"`
		NumResults int       `json:"numResults"`
		Contents   *contents `json:"contents,omitempty"`
	}{URL: raw, NumResults: n}
	if textChars > 0 {
		body.Contents = &contents{}
		body.Contents.Text.MaxCharacters = textChars
	}
	r, err := p.ask(ctx, http.Header{"X-Api-Key": {p.key.Reveal()}}, body)
	if err != nil {
		return nil, err
	}
	return p.read(r, n)
}

type exaAlike struct {
	Results []struct {
		ID, URL, Title, Text, Score loose
		Published                   loose `json:"publishedDate"`
	}
}

func (p *exaSimilar) read(r *reply, n int) ([]services.SimilarPage, error) {
	var answer exaAlike
	if err := p.readAnswer(r, &answer, "results"); err != nil {
		return nil, err
	}
	pages := []services.SimilarPage{}
	for _, found := range answer.Results {
		u, err := weburl.Parse(strings.TrimSpace(found.URL.orElse(found.ID)))
		if err != nil || len(pages) == n {
			continue
		}
		page := services.SimilarPage{Title: oneLine(string(found.Title), maxTitleBytes), URL: shownURL(u),
			Published: isoDate(string(found.Published)), Text: strings.TrimSpace(string(found.Text))}
		if score, err := strconv.ParseFloat(string(found.Score), 64); err == nil {
			page.Score = &score
		}
		pages = append(pages, page)
	}
	return pages, nil
}

// shownURL keeps the fragment out: it is no part of a page's address.
func shownURL(u *url.URL) string {
	bare := *u
	bare.Fragment, bare.RawFragment = "", ""
	return bare.String()
}

// ownWord is the form of a tag or a status of Exa's own.
var ownWord = lazyregexp.New(`^([A-Z]{2,}(_[A-Z]+)*|[1-5][0-9]{2})$`)
