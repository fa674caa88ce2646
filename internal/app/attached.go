package app

import (
	"context"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/library"
)

// readFile reads a file that somebody sent as index reads the user's own, and keeps it with
// its text.
func (a *App) readFile(ctx context.Context, name string, body []byte) (job.File, error) {
	page, shown, err := library.Attached(name, body)
	if err != nil {
		return job.File{}, err
	}
	doc, err := a.Extract.Extract(ctx, page)
	if err == nil && strings.TrimSpace(doc.Text) == "" {
		err = &citewell.Error{Code: citewell.CodeExtractionFailed, Op: "files", Message: "it holds no text"}
	}
	if err != nil {
		return job.File{}, err
	}
	doc.Title = shown
	if err := a.Store.PutSnapshot(ctx, page, doc); err != nil {
		return job.File{}, err
	}
	return job.File{Name: shown, URL: page.URL, PageSHA256: page.SHA256, TextSHA256: citewell.SHA256([]byte(doc.Text)), Extractor: doc.Extractor}, nil
}
