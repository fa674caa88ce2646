package documents

import (
	"io"
	"net/http"
	"strconv"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/evidence"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/store"
)

const plainType = "text/plain; charset=utf-8"

var textParameters = []intake.Parameter{{Name: "start", Form: intake.Digits, Must: "a number of bytes"}, {Name: "end", Form: intake.Digits, Must: "a number of bytes"}}

// A piece of a text, with where it is.
type piece struct {
	ID         string `json:"id"`
	URL        string `json:"url"`
	TextSHA256 string `json:"text_sha256"`
	Start      int    `json:"start"`
	End        int    `json:"end"`
	Total      int    `json:"total"`
	Text       string `json:"text"`
}

// text is GET /v1/documents/{id}/text: as JSON, or the piece alone.
func (a *API) text(w http.ResponseWriter, r *http.Request) error {
	w.Header().Add("Vary", "Accept")
	values, err := intake.Query(r, textParameters...)
	if err != nil {
		return err
	}
	start, err := intake.Number(values, "start", 0, 0, intake.MaxNumber)
	if err != nil {
		return err
	}
	end, err := intake.Number(values, "end", start+evidence.MaxText, 0, intake.MaxNumber)
	if err != nil {
		return err
	}
	kind, err := intake.Choose(r, intake.TypeJSON, plainType)
	if err != nil {
		return err
	}
	url, err := urlOf(r)
	if err != nil {
		return err
	}
	doc, err := a.o.Store.TextDocument(r.Context(), store.Library, url)
	if err != nil {
		return ofDocument(err)
	}
	p := piece{ID: idOf(url), URL: url, TextSHA256: citewell.SHA256([]byte(doc.Text)), Total: len(doc.Text)}
	p.Start, p.End = evidence.Span(doc.Text, int(start), int(end))
	p.Text = doc.Text[p.Start:p.End]
	if kind == intake.TypeJSON {
		intake.Respond(w, http.StatusOK, p)
		return nil
	}
	intake.Guard(w, plainType)
	for name, value := range map[string]int{"Text-Start": p.Start, "Text-End": p.End, "Text-Total": p.Total, "Content-Length": len(p.Text)} {
		w.Header().Set(name, strconv.Itoa(value))
	}
	w.WriteHeader(http.StatusOK)
	_, _ = io.WriteString(w, p.Text) // the client is gone where this fails
	return nil
}
