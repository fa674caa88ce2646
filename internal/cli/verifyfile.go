package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/report"
)

// maxBriefFile bounds what is read of a file to verify, in bytes.
const maxBriefFile = 64 << 20

// readFile reads a file, a pipe or, for -, standard input. It ends with ctx, even
// where the other side of a pipe says nothing.
func (e *env) readFile(ctx context.Context, name string) ([]byte, error) {
	type content struct {
		data []byte
		err  error
	}
	read := make(chan content, 1)
	go func() {
		in := e.stdin
		if name == "-" {
			name = "standard input"
		} else {
			file, err := openFile(name)
			if err != nil {
				read <- content{err: err}
				return
			}
			defer file.Close()
			in = file
		}
		data, err := io.ReadAll(io.LimitReader(in, maxBriefFile+1))
		switch {
		case err != nil:
			err = &citewell.Error{Code: citewell.CodeInvalidArgument, Message: name + " cannot be read", Err: err}
		case len(data) > maxBriefFile:
			err = usage(fmt.Sprintf("%s is larger than %d MiB", name, maxBriefFile>>20), "")
		}
		read <- content{data, err}
	}()
	select {
	case c := <-read:
		return c.data, c.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func openFile(name string) (*os.File, error) {
	file, err := os.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &citewell.Error{Code: citewell.CodeNotFound, Message: name + " does not exist",
			Hint: "give a saved brief or report, or the id of a brief or a run in the store; " +
				"it may be in another store than the configured one"}
	case errors.Is(err, fs.ErrPermission):
		return nil, &citewell.Error{Code: citewell.CodePermissionDenied, Message: name + " may not be read"}
	case err != nil:
		return nil, &citewell.Error{Code: citewell.CodeInvalidArgument, Message: name + " cannot be read", Err: err}
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		file.Close()
		return nil, usage(name+" is a folder", "give a saved brief")
	}
	return file, nil
}

// parseFile reads a file: a brief or a run's report as JSON or as Markdown.
func parseFile(data []byte) (f verified, err error) {
	f.data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if isJSON(f.data) {
		f.record, err = parseJSON(f.data)
	} else {
		f.stamp, f.record, err = report.Parse(string(f.data))
		f.id = f.stamp.ID
	}
	if err != nil || f.record.Empty() {
		return f, err
	}
	f.brief, f.stray = handedIn(f.record)
	f.id = f.brief.ID
	switch schema := f.brief.Schema; {
	case schema != citewell.BriefSchema:
		err = &citewell.Error{Code: citewell.CodeInvalidArgument,
			Message: fmt.Sprintf("the file's schema is %q, neither %s nor %s", schema, citewell.BriefSchema,
				citewell.ReportSchema)}
	case f.record.Brief != nil && !briefHexID.MatchString(f.id):
		err = usage(fmt.Sprintf("the brief's id is %.60q, not 32 hex digits", f.id), "")
	}
	return f, err
}

// handedIn is what a file carries in the form in which its citations are checked, and what of it does not
// stand in its own text. A brief's text marks no finding as not borne out.
func handedIn(r report.Record) (citewell.Brief, []cite.Problem) {
	if r.Report != nil {
		return agent.HandedIn(*r.Report)
	}
	b := *r.Brief
	b.Findings = slices.Clone(b.Findings)
	for i := range b.Findings {
		b.Findings[i].Problem = ""
	}
	b.Unproven = 0
	return b, nil
}

func parseJSON(data []byte) (w report.Record, err error) {
	if report.TooMany(data) {
		return w, usage("the file has more objects than any brief or report", "give the file as it was written")
	}
	if err := report.Unrepeated(bytes.NewReader(data)); err != nil {
		return w, usage(err.Error(), "")
	}
	var r citewell.Report
	if json.Unmarshal(data, &r) == nil && r.Schema == citewell.ReportSchema {
		return report.Record{Report: &r}, nil
	}
	var b citewell.Brief
	if err := json.Unmarshal(data, &b); err != nil {
		return w, &citewell.Error{Code: citewell.CodeInvalidArgument,
			Message: "the file is not well-formed JSON of a brief",
			Hint:    "save one with citewell search --json", Err: err}
	}
	return report.Record{Brief: &b}, nil
}
