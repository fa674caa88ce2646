package documents

import (
	"context"
	"io"
	"net/http"
	"strconv"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/evidence"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/store"
)

const plainType = "text/plain; charset=utf-8"

// A Piece of a text, with where it is.
type Piece struct {
	ID         string `json:"id"`
	URL        string `json:"url"`
	TextSHA256 string `json:"text_sha256"`
	Start      int    `json:"start"`
	End        int    `json:"end"`
	Total      int    `json:"total"`
	Text       string `json:"text"`
}

// Text is a piece of the text of the document of an id, of at most evidence.MaxText bytes.
func (a *API) Text(ctx context.Context, id string, start, end int) (Piece, error) {
	url, err := urlOf(id)
	if err != nil {
		return Piece{}, err
	}
	doc, err := a.o.Store.TextDocument(ctx, store.Library, url)
	if err != nil {
		return Piece{}, intake.Instead(err, noDocument())
	}
	p := Piece{ID: id, URL: url, TextSHA256: citewell.SHA256([]byte(doc.Text)), Total: len(doc.Text)}
	p.Start, p.End = evidence.Span(doc.Text, start, end)
	p.Text = doc.Text[p.Start:p.End]
	return p, nil
}

// text is GET /v1/documents/{id}/text: as JSON, or the piece alone.
func (a *API) text(w http.ResponseWriter, r *http.Request) error {
	w.Header().Add("Vary", "Accept")
	start, end, err := intake.Span(r, evidence.MaxText)
	if err != nil {
		return err
	}
	kind, err := intake.Choose(r, intake.TypeJSON, plainType)
	if err != nil {
		return err
	}
	p, err := a.Text(r.Context(), r.PathValue("id"), start, end)
	if err != nil {
		return err
	}
	if kind == intake.TypeJSON {
		return intake.Answer(w, p, nil)
	}
	intake.Guard(w, plainType)
	for name, value := range map[string]int{"Text-Start": p.Start, "Text-End": p.End, "Text-Total": p.Total,
		"Content-Length": len(p.Text)} {
		w.Header().Set(name, strconv.Itoa(value))
	}
	w.WriteHeader(http.StatusOK)
	_, _ = io.WriteString(w, p.Text) // the client is gone where this fails
	return nil
}
