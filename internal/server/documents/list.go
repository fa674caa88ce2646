package documents

import (
	"context"
	"net/http"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/store"
)

// Listed is a document as it is listed. From media_type on it is of the page that was kept
// last under its URL, and absent where none is.
type Listed struct {
	ID        string    `json:"id"`
	URL       string    `json:"url"`
	Title     string    `json:"title"`
	Language  string    `json:"language,omitempty"`
	Published string    `json:"date,omitempty"`
	IndexedAt time.Time `json:"indexed_at"`

	MediaType  string              `json:"media_type,omitempty"`
	Bytes      int64               `json:"bytes,omitempty"`
	TextBytes  int64               `json:"text_bytes,omitempty"`
	Pages      int                 `json:"pages,omitempty"`
	Unit       string              `json:"unit,omitempty"`
	FetchedAt  time.Time           `json:"fetched_at,omitzero"`
	PageSHA256 string              `json:"page_sha256,omitempty"`
	TextSHA256 string              `json:"text_sha256,omitempty"`
	Extractor  *citewell.Extractor `json:"extractor,omitempty"`
}

func listedOf(d store.ListedDocument) Listed {
	l := Listed{ID: idOf(d.URL), URL: d.URL, Title: d.Title, Language: d.Language, Published: d.Published,
		IndexedAt: d.IndexedAt,
		MediaType: d.MediaType, Bytes: d.Bytes, TextBytes: d.TextBytes, Pages: d.Pages, Unit: d.PageUnit,
		FetchedAt: d.FetchedAt, PageSHA256: d.PageSHA256, TextSHA256: d.TextSHA256}
	if d.Extractor.ID != "" {
		l.Extractor = &d.Extractor
	}
	return l
}

// prefix is the parameter that names documents by the beginning of their URLs.
var prefix = intake.Parameter{Name: "prefix", Form: lazyregexp.New(`^[^\x00]{0,1000}$`),
	Must: "the beginning of a URL, of at most 1,000 characters"}

var listParameters = []intake.Parameter{prefix,
	{Name: "limit", Form: intake.Digits, Must: "a number"},
	{Name: "cursor", Form: lazyregexp.New(`^[^\x00]+$`), Must: "what a list gave as next"},
}

// defaultListed is how many documents a page has where nobody says.
const defaultListed = 50

// list is GET /v1/documents.
func (a *API) list(w http.ResponseWriter, r *http.Request) error {
	values, err := intake.Query(r, listParameters...)
	if err != nil {
		return err
	}
	limit, err := intake.Number(values, "limit", defaultListed, 1, store.MaxListed)
	if err != nil {
		return err
	}
	page, err := a.List(r.Context(), store.DocumentQuery{URLPrefix: values.Get("prefix"), After: values.Get("cursor"),
		Limit: int(limit)})
	return intake.Answer(w, page, err)
}

// A List is a page of documents.
type List struct {
	Documents []Listed `json:"documents"`
	Total     int      `json:"total"`
	Next      string   `json:"next,omitempty"`
}

// List is a page of what there is.
func (a *API) List(ctx context.Context, q store.DocumentQuery) (List, error) {
	documents, err := a.o.Store.Documents(ctx, q)
	if err != nil {
		return List{}, err
	}
	page := List{Documents: make([]Listed, len(documents))}
	if page.Total, err = a.o.Store.CountDocuments(ctx, q.URLPrefix); err != nil {
		return List{}, err
	}
	for i, d := range documents {
		page.Documents[i] = listedOf(d)
	}
	if len(documents) == q.Limit {
		q.After, q.Limit = documents[q.Limit-1].URL, 1
		more, err := a.o.Store.Documents(ctx, q)
		if err != nil {
			return List{}, err
		}
		if len(more) > 0 {
			page.Next = q.After
		}
	}
	return page, nil
}

// show is GET /v1/documents/{id}.
func (a *API) show(w http.ResponseWriter, r *http.Request) error {
	if _, err := intake.Query(r); err != nil {
		return err
	}
	d, err := a.Document(r.Context(), r.PathValue("id"))
	return intake.Answer(w, d, err)
}

// Document is the one of an id.
func (a *API) Document(ctx context.Context, id string) (Listed, error) {
	url, err := urlOf(id)
	if err != nil {
		return Listed{}, err
	}
	// of all that begin so it is the shortest
	first, err := a.o.Store.Documents(ctx, store.DocumentQuery{URLPrefix: url, Limit: 1})
	if err != nil {
		return Listed{}, err
	}
	if len(first) == 0 || first[0].URL != url {
		return Listed{}, noDocument()
	}
	return listedOf(first[0]), nil
}

// remove is DELETE /v1/documents/{id}.
func (a *API) remove(w http.ResponseWriter, r *http.Request) error {
	if _, err := intake.Query(r); err != nil {
		return err
	}
	err := a.Remove(r.Context(), r.PathValue("id"))
	return intake.Gone(w, err)
}

// Remove takes the document of an id out of the library.
func (a *API) Remove(ctx context.Context, id string) error {
	url, err := urlOf(id)
	if err != nil {
		return err
	}
	there, err := a.o.Library.Remove(ctx, url)
	if err == nil && !there {
		err = noDocument()
	}
	return err
}
