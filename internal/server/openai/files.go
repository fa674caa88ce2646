package openai

import (
	"context"
	"errors"

	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/server/intake"
)

// fileOf takes a part of the type file.
func fileOf(p part, at string) (intake.Sent, error) {
	switch {
	case p.File == nil:
		return intake.Sent{}, wrong(at, at+" is missing",
			`as in {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,..."}}`)
	case p.File.ID != "":
		return intake.Sent{}, wrong(at+".file_id", "no files are kept here for later messages", "send file_data")
	}
	return intake.Sent{Name: p.File.Name, Coded: p.File.Data, At: at + ".file_data"}, nil
}

// filed reads the files of a conversation, each once.
func (a *API) filed(ctx context.Context, files []intake.Sent) ([]job.File, error) {
	all, err := a.files.Read(ctx, files)
	return all, misfiled(err)
}

// misfiled is an error of a file with the field of the request that it was in.
func misfiled(err error) error {
	if at, ok := errors.AsType[*intake.FileFault](err); ok {
		return &fault{param: at.At, status: 400, error: at.Err}
	}
	return err
}
