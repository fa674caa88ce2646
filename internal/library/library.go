// Package library brings the user's own documents into the local stores, so that
// they can be searched and cited like pages of the web.
//
// Flow: file, folder or URL → Page → Document → snapshot and text index.
// A file is found under its file:// URL. One that has not changed since is left
// alone; one that is gone is forgotten.
// Limits: regular files of at most 16 MiB, 100,000 files of one folder; hidden
// files and folders are passed over, symbolic links do not lead out of the folder.
// Errors: not_found, permission_denied, invalid_argument for what was named; a
// single file that cannot be read is counted with its reason and stops nothing.
// Concurrency: one Index call reads several files at once.
package library

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/store"
)

// Bounds of one Index call.
const (
	maxFileBytes = 16 << 20
	maxFiles     = 100_000
	parallel     = 4
)

// Options are the parts that indexing needs, all required.
type Options struct {
	Fetcher interface {
		Get(ctx context.Context, r fetch.Request) (citewell.Page, error)
	}
	Extract func(context.Context, citewell.Page) (citewell.Document, error)
	Store   interface {
		store.Text
		PutSnapshot(ctx context.Context, page citewell.Page, doc citewell.Document) error
	}
}

// A Library indexes documents.
type Library struct{ o Options }

// New returns a Library over the given parts.
func New(o Options) *Library { return &Library{o} }

// An Event tells what became of one document.
type Event struct {
	URL    string
	State  State
	Reason string // why it was passed over
}

// A State is what became of one document.
type State string

// The states of a document after indexing.
const (
	Indexed   State = "indexed"
	Unchanged State = "unchanged"
	Skipped   State = "skipped" // no text that can be read: an image, an archive, an empty file
	Failed    State = "failed"
	Removed   State = "removed" // it was in the index and is no more on disk
)

// A Summary counts what became of all documents.
type Summary struct {
	Indexed   int            `json:"indexed"`
	Unchanged int            `json:"unchanged"`
	Removed   int            `json:"removed"`
	Skipped   int            `json:"skipped"`
	Failed    int            `json:"failed"`
	Reasons   map[string]int `json:"reasons,omitempty"` // of skipped and failed
}

func (s *Summary) count(e Event) {
	switch e.State {
	case Indexed:
		s.Indexed++
	case Unchanged:
		s.Unchanged++
	case Removed:
		s.Removed++
	case Skipped:
		s.Skipped++
	case Failed:
		s.Failed++
	}
	if e.Reason != "" {
		s.Reasons[e.Reason]++
	}
}

// Index brings targets into the stores: paths of files and folders, and http or
// https URLs. It reports each document as it goes, one call at a time.
func (l *Library) Index(ctx context.Context, targets []string, report func(Event)) (Summary, error) {
	sum := Summary{Reasons: map[string]int{}}
	tell := func(e Event) {
		sum.count(e)
		if report != nil {
			report(e)
		}
	}
	for _, target := range targets {
		var err error
		if lower := strings.ToLower(target); strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://") {
			err = l.web(ctx, target, tell)
		} else {
			err = l.path(ctx, strings.TrimPrefix(target, "file://"), tell)
		}
		if err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// web indexes one page of the web.
func (l *Library) web(ctx context.Context, target string, tell func(Event)) error {
	page, err := l.o.Fetcher.Get(ctx, fetch.Request{URL: target})
	if err != nil {
		return err
	}
	tell(l.add(ctx, page, page.SHA256))
	return nil
}

// add extracts one page and makes its document findable.
func (l *Library) add(ctx context.Context, page citewell.Page, stamp string) Event {
	doc, err := l.o.Extract(ctx, page)
	if err == nil && strings.TrimSpace(doc.Text) == "" {
		err = &citewell.Error{Code: citewell.CodeExtractionFailed}
	}
	if err == nil {
		if doc.Title == "" {
			doc.Title = filepath.Base(page.FinalURL)
		}
		err = l.o.Store.PutSnapshot(ctx, page, doc)
	}
	if err == nil {
		err = l.o.Store.IndexDocument(ctx, doc, stamp)
	}
	return outcome(page.FinalURL, err)
}

func outcome(url string, err error) Event {
	switch code := citewell.CodeOf(err); code {
	case "":
		return Event{url, Indexed, ""}
	case citewell.CodeUnsupportedType, citewell.CodeEmptyBody, citewell.CodeExtractionFailed:
		return Event{url, Skipped, string(code)}
	default:
		return Event{url, Failed, string(code)}
	}
}

// FileURL is the URL under which the file or folder at path is found.
func FileURL(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", pathError(path, err)
	}
	slashed := filepath.ToSlash(absolute)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter
	}
	return (&url.URL{Scheme: "file", Path: slashed}).String(), nil
}

// pathError gives a file system's error its code.
func pathError(path string, err error) error {
	e := &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "index", Message: path + " cannot be read", Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Code, e.Message = citewell.CodeNotFound, path+" does not exist"
	case errors.Is(err, fs.ErrPermission):
		e.Code, e.Message = citewell.CodePermissionDenied, path+" may not be read"
	case errors.Is(err, os.ErrInvalid):
		e.Message = path + " is no path"
	}
	return e
}
