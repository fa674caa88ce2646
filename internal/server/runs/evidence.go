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

// The parameters of a piece of text.
var textParameters = []intake.Parameter{{Name: "start", Form: intake.Digits, Must: "a number of bytes"},
	{Name: "end", Form: intake.Digits, Must: "a number of bytes"}}

// text is GET /v1/runs/{id}/sources/{n}/text.
func (a *API) text(w http.ResponseWriter, r *http.Request) error {
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
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil {
		n = 0 // which no source has
	}
	result, err := a.ended(r)
	if err != nil {
		return err
	}
	text, err := a.o.Evidence.Text(r.Context(), result, n, int(start), int(max(start, end)))
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
