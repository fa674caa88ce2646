package app

import (
	"cmp"
	"context"
	"net/url"
	"path"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/library"
)

// readFile reads a file that somebody sent, and keeps it with its text.
func (a *App) readFile(ctx context.Context, name, mediaType string, body []byte) (job.File, error) {
	sent, err := a.readSent(ctx, name, mediaType, body)
	if err != nil {
		return job.File{}, err
	}
	return a.keepFile(ctx, sent)
}

// readPage reads a document that the user named by its address, and keeps it with its text.
func (a *App) readPage(ctx context.Context, page citewell.Page) (job.File, error) {
	doc, err := a.Extract.Extract(ctx, page)
	if err != nil {
		return job.File{}, err
	}
	page.URL = page.FinalURL // by which a citation finds it
	if u, err := url.Parse(page.URL); err == nil {
		doc.Title = cmp.Or(doc.Title, path.Base(u.Path))
	}
	return a.keepFile(ctx, tool.Page{Page: page, Doc: doc})
}

func (a *App) keepFile(ctx context.Context, read tool.Page) (job.File, error) {
	if err := a.Store.PutSnapshot(ctx, read.Page, read.Doc); err != nil {
		return job.File{}, err
	}
	return job.File{Name: read.Doc.Title, URL: read.URL, PageSHA256: read.SHA256,
		TextSHA256: citewell.SHA256([]byte(read.Doc.Text)), Extractor: read.Doc.Extractor}, nil
}

// readSent reads what somebody sent, a user or a server, as index reads the user's own
// files. The document's title is the name as it may be shown.
func (a *App) readSent(ctx context.Context, name, mediaType string, body []byte) (tool.Page, error) {
	page, shown, err := library.Attached(name, mediaType, body)
	if err != nil {
		return tool.Page{}, err
	}
	doc, err := a.Extract.Extract(ctx, page)
	if err == nil && strings.TrimSpace(doc.Text) == "" {
		err = &citewell.Error{Code: citewell.CodeExtractionFailed, Op: "files", Message: "it holds no text"}
	}
	doc.Title = shown
	return tool.Page{Page: page, Doc: doc}, err
}
