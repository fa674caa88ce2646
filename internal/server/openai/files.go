package openai

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
)

// Bounds of files: a request has MaxBody in all.
const (
	maxFiles    = 8   // of one request
	maxFileName = 255 // bytes
)

// A file is one as a message has it.
type file struct {
	name, data, param string // data is base64
}

// fileOf takes a part of the type file.
func fileOf(p part, at string) (file, error) {
	switch {
	case p.File == nil:
		return file{}, wrong(at, at+" is missing", `as in {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,..."}}`)
	case p.File.ID != "":
		return file{}, wrong(at+".file_id", "no files are kept here for later messages", "send file_data")
	case p.File.Name == "" || len(p.File.Name) > maxFileName:
		return file{}, wrong(at+".filename", fmt.Sprintf("filename must have 1 to %d bytes", maxFileName), "it names the source in the report, and says what the file is")
	}
	data := p.File.Data
	if rest, isURL := strings.CutPrefix(data, "data:"); isURL {
		kind, coded, ok := strings.Cut(rest, ",")
		if !ok || !strings.HasSuffix(kind, ";base64") {
			return file{}, wrong(at+".file_data", "the data URL of "+quoted(p.File.Name)+" is not in base64", "as in data:application/pdf;base64,...")
		}
		data = coded
	}
	if data == "" {
		return file{}, wrong(at+".file_data", "the file "+quoted(p.File.Name)+" is empty", "")
	}
	return file{p.File.Name, data, at + ".file_data"}, nil
}

// filed reads the files of a conversation, each once.
func (a *API) filed(ctx context.Context, files []file) ([]job.File, error) {
	var all []job.File
	for i, f := range files {
		if i == maxFiles {
			return nil, wrong(f.param, fmt.Sprintf("at most %d files are taken in one request", maxFiles), "leave out older ones: a run that goes on from another has its files")
		}
		if a.o.ReadFile == nil {
			return nil, wrong(f.param, "files are not read here", "")
		}
		body, err := base64.StdEncoding.DecodeString(f.data)
		if err != nil {
			return nil, wrong(f.param, "the file "+quoted(f.name)+" is not well-formed base64", "")
		}
		kept, err := a.readFile(ctx, f.name, body)
		if err != nil {
			view := citewell.View(err)
			if view.Category == citewell.CategoryInternal || ctx.Err() != nil {
				return nil, err
			}
			return nil, &fault{param: f.param, status: 400, error: &citewell.Error{Code: view.Code, Op: "openai", Message: "the file " + quoted(f.name) + " cannot be read: " + view.Message, Hint: view.Hint, Err: err}}
		}
		if !slices.ContainsFunc(all, func(known job.File) bool { return known.URL == kept.URL }) {
			all = append(all, kept)
		}
	}
	return all, nil
}

func (a *API) readFile(ctx context.Context, name string, body []byte) (job.File, error) {
	if err := a.images.Acquire(ctx, 1); err != nil {
		return job.File{}, err
	}
	defer a.images.Release(1)
	return a.o.ReadFile(ctx, name, body)
}
