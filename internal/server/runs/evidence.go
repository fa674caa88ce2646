package runs

import (
	"net/http"
	"strconv"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/evidence"
	"github.com/citewell/citewell/internal/server/intake"
)

// sources is GET /v1/runs/{id}/sources.
func (a *API) sources(w http.ResponseWriter, r *http.Request) error {
	result, err := a.ended(r)
	if err != nil {
		return err
	}
	return intake.Answer(w, map[string][]citewell.Source{"sources": result.Sources}, nil)
}

// text is GET /v1/runs/{id}/sources/{n}/text.
func (a *API) text(w http.ResponseWriter, r *http.Request) error {
	start, end, err := intake.Span(r, evidence.MaxText)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil {
		n = 0 // which no source has
	}
	result, err := a.ended(r)
	if err != nil {
		return err
	}
	text, err := a.o.Evidence.Text(r.Context(), result, n, start, max(start, end))
	return intake.Answer(w, text, err)
}

// verify is POST /v1/runs/{id}/verification. Its body says nothing.
func (a *API) verify(w http.ResponseWriter, r *http.Request) error {
	result, err := a.ended(r)
	if err != nil {
		return err
	}
	v, err := a.o.Evidence.Verify(r.Context(), result)
	return intake.Answer(w, v, err)
}
