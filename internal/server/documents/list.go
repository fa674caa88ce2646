package documents

import (
	"net/http"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/store"
)

// listed is a document as it is listed. From media_type on it is of the page that was kept
// last under its URL, and absent where none is.
type listed struct {
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

func listedOf(d store.ListedDocument) listed {
	l := listed{ID: idOf(d.URL), URL: d.URL, Title: d.Title, Language: d.Language, Published: d.Published, IndexedAt: d.IndexedAt,
		MediaType: d.MediaType, Bytes: d.Bytes, TextBytes: d.TextBytes, Pages: d.Pages, Unit: d.PageUnit, FetchedAt: d.FetchedAt, PageSHA256: d.PageSHA256, TextSHA256: d.TextSHA256}
	if d.Extractor.ID != "" {
		l.Extractor = &d.Extractor
	}
	return l
}

// prefix is the parameter that names documents by the beginning of their URLs.
var prefix = intake.Parameter{Name: "prefix", Form: lazyregexp.New(`^[^\x00]{0,1000}$`), Must: "the beginning of a URL, of at most 1,000 characters"}

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
	q := store.DocumentQuery{URLPrefix: values.Get("prefix"), After: values.Get("cursor"), Limit: int(limit)}
	documents, err := a.o.Store.Documents(r.Context(), q)
	if err != nil {
		return err
	}
	total, err := a.o.Store.CountDocuments(r.Context(), q.URLPrefix)
	if err != nil {
		return err
	}
	page := struct {
		Documents []listed `json:"documents"`
		Total     int      `json:"total"`
		Next      string   `json:"next,omitempty"`
	}{make([]listed, len(documents)), total, ""}
	for i, d := range documents {
		page.Documents[i] = listedOf(d)
	}
	if len(documents) == int(limit) {
		q.After, q.Limit = documents[limit-1].URL, 1
		more, err := a.o.Store.Documents(r.Context(), q)
		if err != nil {
			return err
		}
		if len(more) > 0 {
			page.Next = q.After
		}
	}
	intake.Respond(w, http.StatusOK, page)
	return nil
}

// show is GET /v1/documents/{id}.
func (a *API) show(w http.ResponseWriter, r *http.Request) error {
	if _, err := intake.Query(r); err != nil {
		return err
	}
	d, err := a.listed(r)
	if err == nil {
		intake.Respond(w, http.StatusOK, listedOf(d))
	}
	return err
}

// listed is the document that a path names.
func (a *API) listed(r *http.Request) (store.ListedDocument, error) {
	url, err := urlOf(r)
	if err != nil {
		return store.ListedDocument{}, err
	}
	first, err := a.o.Store.Documents(r.Context(), store.DocumentQuery{URLPrefix: url, Limit: 1}) // of all that begin so it is the shortest
	if err != nil {
		return store.ListedDocument{}, err
	}
	if len(first) == 0 || first[0].URL != url {
		return store.ListedDocument{}, noDocument()
	}
	return first[0], nil
}

// remove is DELETE /v1/documents/{id}.
func (a *API) remove(w http.ResponseWriter, r *http.Request) error {
	if _, err := intake.Query(r); err != nil {
		return err
	}
	url, err := urlOf(r)
	if err != nil {
		return err
	}
	there, err := a.o.Library.Remove(r.Context(), url)
	switch {
	case err != nil:
		return err
	case !there:
		return noDocument()
	}
	intake.Gone(w)
	return nil
}
