package runs

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/server/intake"
)

// ended is what a run came to that has ended.
func (a *API) ended(r *http.Request) (agent.Result, error) {
	status, err := a.status(r, r.PathValue("id"))
	if err != nil {
		return agent.Result{}, err
	}
	if !status.State.Ended() {
		return agent.Result{}, notReady("the run has not ended: it is "+string(status.State),
			"follow its events to the end")
	}
	result, err := a.o.Desk.Result(r.Context(), status.ID)
	return result, ofRun(err)
}

// result is GET /v1/runs/{id}/result.
func (a *API) result(w http.ResponseWriter, r *http.Request) error {
	result, err := a.ended(r)
	if err != nil {
		return err
	}
	result.ReportPath = "" // a file of the server's machine
	return intake.Answer(w, result, nil)
}

// reportFormats are those of a report as a text.
var reportFormats = slices.DeleteFunc(slices.Clone(report.Formats), func(f report.Format) bool {
	return f.Name == report.FormatWACZ
})

func formatNames() []string {
	var names []string
	for _, f := range reportFormats {
		names = append(names, f.Name)
	}
	return names
}

var reportParameters = []intake.Parameter{oneOf("references", report.ReferenceStyles), oneOf("format", formatNames()),
	oneOf("record", []string{"true", "false"})}

func oneOf(name string, values []string) intake.Parameter {
	return intake.Parameter{Name: name, Form: lazyregexp.New("^(" + strings.Join(values, "|") + ")$"),
		Must: "one of " + strings.Join(values, ", ")}
}

// report is GET /v1/runs/{id}/report, in the format that is named or accepted.
func (a *API) report(w http.ResponseWriter, r *http.Request) error {
	w.Header().Add("Vary", "Accept")
	values, err := intake.Query(r, reportParameters...)
	if err != nil {
		return err
	}
	at := slices.Index(formatNames(), values.Get("format"))
	if at < 0 {
		var offers []string
		for _, f := range reportFormats {
			offers = append(offers, f.MediaType)
		}
		kind, err := intake.Choose(r, offers...)
		if err != nil {
			return err
		}
		at = slices.Index(offers, kind)
	}
	return a.export(w, r, reportFormats[at], extras{values.Get("references"), values.Get("record") == "true"})
}

// evidence is GET /v1/runs/{id}/evidence.
func (a *API) evidence(w http.ResponseWriter, r *http.Request) error {
	f, err := report.FormatNamed(report.FormatWACZ)
	if err != nil {
		return err
	}
	return a.export(w, r, f, extras{})
}

// extras are what a report carries on request: a list of references in a style, and in Markdown its record.
type extras struct {
	style  string
	record bool
}

// export sends the report of a run as a file; nothing is sent of one that could not be made whole.
func (a *API) export(w http.ResponseWriter, r *http.Request, f report.Format, with extras) error {
	result, err := a.ended(r)
	if err != nil {
		return err
	}
	if result.Report == nil {
		return &citewell.Error{Code: citewell.CodeNotFound, Op: "runs",
			Message: "the run has no report: it is " + string(result.State), Hint: "its result: GET /v1/runs/ID/result"}
	}
	leave, err := a.exports.Enter(r.Context())
	if err != nil {
		return err
	}
	defer leave()
	if with.style != "" {
		listed, err := report.WithReferences(r.Context(), *result.Report, a.o.Kept, with.style)
		if err != nil {
			return err
		}
		result.Report = &listed
	}
	var made io.Reader
	var size int64
	if f.Name == report.FormatWACZ { // of any size
		file, err := os.CreateTemp("", "citewell-*.wacz")
		if err != nil {
			return fmt.Errorf("runs: a place for the archive: %w", err)
		}
		defer os.Remove(file.Name())
		defer file.Close()
		err = report.Write(r.Context(), file, f.Name, *result.Report, a.o.Kept)
		if err == nil {
			size, err = file.Seek(0, io.SeekCurrent)
		}
		if err == nil {
			_, err = file.Seek(0, io.SeekStart)
		}
		leave()
		if err != nil {
			return err
		}
		made = file
	} else {
		var text bytes.Buffer
		if with.record && f.Name == report.FormatMarkdown {
			text.WriteString(report.WithRecord(*result.Report))
		} else {
			err = report.Write(r.Context(), &text, f.Name, *result.Report, a.o.Kept)
		}
		leave()
		if err != nil {
			return err
		}
		made, size = &text, int64(text.Len())
	}
	intake.Guard(w, f.MediaType)
	if f.Name == report.FormatHTML {
		w.Header().Set("Content-Security-Policy", report.HTMLPolicy()+"; frame-ancestors 'none'; sandbox allow-popups")
	}
	shown := "attachment"
	if f.Name == report.FormatHTML || f.Name == report.FormatJSON {
		shown = "inline"
	}
	// the id has letters, digits, _ . and -
	w.Header().Set("Content-Disposition", fmt.Sprintf("%s; filename=%q", shown, result.ID+f.Extension))
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	w.WriteHeader(http.StatusOK)
	_, _ = io.Copy(w, made) // the client is gone where this fails
	return nil
}
