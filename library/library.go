// Package library brings the user's own documents into the local stores, so that they can be searched and cited like
// web pages.
//
// Flow: file, folder or URL → Page → Document → snapshot and text index → vectors of its passages, if there is an
// embedding model.
// A file is stored under its file:// URL. An unchanged file that this version of the extractor has read is skipped; one
// that is gone or no longer holds text is removed; one that cannot be read for now stays as it was.
// Limits: regular files of at most 16 MiB, 100,000 files of one folder. Hidden files and folders are skipped; symbolic
// links do not lead out of the folder.
// Errors: every target is checked before the first is indexed, so a bad one (not_found, permission_denied,
// invalid_argument, invalid_url, unsupported_scheme) leaves nothing half done. A single document that cannot be read is
// reported with its reason and stops nothing. store_failed and canceled end everything; what was indexed by then stays.
// The Summary reports an embedding model that fails: the documents are found by words until the next call.
// Concurrency: one Index call reads several files at once.
package library

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/meaning"
	"github.com/citewell/citewell/internal/weburl"
	"github.com/citewell/citewell/store"
)

// Bounds of one Index call.
const (
	maxFileBytes = 16 << 20
	maxFiles     = 100_000
	parallel     = 4
)

// An Embedder makes vectors of texts, in their order; llm.Embeddings is one.
type Embedder = meaning.Embedder

// Meanings keeps vectors of the documents of text indexes, so that they are found by meaning.
type Meanings = meaning.Meanings

// NewMeanings returns the Meanings of a store's texts. Without an embedder, which may be nil,
// documents can only be forgotten.
func NewMeanings(texts store.Text, vectors store.Vectors, embedder Embedder) *Meanings {
	return meaning.NewMeanings(texts, vectors, embedder)
}

// Options are the parts that indexing needs, all but Meanings required.
type Options struct {
	Fetcher interface {
		Get(ctx context.Context, r fetch.Request) (citewell.Page, error)
	}
	Extract func(context.Context, citewell.Page) (citewell.Document, error)
	Reader  int // the version of Extract: what another version has read is read anew
	Store   interface {
		store.Text
		PutSnapshot(ctx context.Context, page citewell.Page, doc citewell.Document) error
		Snapshot(ctx context.Context, finalURL string) (citewell.Page, citewell.Document, error)
	}
	Meanings *Meanings // of the same store; nil: documents are found by words alone
}

// A Library indexes documents.
type Library struct{ o Options }

// New returns a Library over the given parts.
func New(o Options) *Library { return &Library{o} }

// An Event tells what became of one document.
type Event struct {
	URL   string
	State State
	Err   error // why it was passed over; nil where it was not
}

// A State is what became of one document.
type State string

// The states of a document after indexing.
const (
	Indexed   State = "indexed"
	Unchanged State = "unchanged"
	Skipped   State = "skipped" // no text that can be read: an image, an archive, an empty file
	Failed    State = "failed"
	Embedded  State = "embedded" // told after the others: it is found by meaning too
	Removed   State = "removed"  // it was in the index and is no more where it was
)

// A Summary counts what became of all documents.
type Summary struct {
	Indexed   int            `json:"indexed"`
	Unchanged int            `json:"unchanged"`
	Removed   int            `json:"removed"`
	Skipped   int            `json:"skipped"`
	Failed    int            `json:"failed"`
	Reasons   map[string]int `json:"reasons,omitempty"` // of skipped and failed: how many by code

	Embedded       int    `json:"embedded,omitempty"`        // of those indexed and unchanged: were given vectors
	WithoutVectors int    `json:"without_vectors,omitempty"` // should have vectors and got none
	Warning        string `json:"warning,omitempty"`         // why, or what else the model's change means
}

func (s *Summary) count(e Event) {
	switch e.State {
	case Indexed:
		s.Indexed++
	case Unchanged:
		s.Unchanged++
	case Removed:
		s.Removed++
	case Embedded:
		s.Embedded++
	case Skipped:
		s.Skipped++
	case Failed:
		s.Failed++
	}
	if e.Err != nil {
		s.Reasons[string(citewell.CodeOf(e.Err))]++
	}
}

// Index brings targets into the stores: paths of files and folders, file:// URLs
// and http or https URLs. It reports each document as it goes, one call at a time.
func (l *Library) Index(ctx context.Context, targets []string, report func(Event)) (Summary, error) {
	works := make([]func(context.Context, func(Event)) error, len(targets))
	for i, target := range targets {
		var err error
		if works[i], err = l.target(ctx, target); err != nil {
			return Summary{Reasons: map[string]int{}}, err
		}
	}
	return l.do(ctx, works, report)
}

// IndexSent brings a file that somebody sent into the stores, as Index does a file of the
// user's own, under the address that Attached gives it: the same bytes by the same name are
// one document. That they hold no text is reported, with an empty URL.
func (l *Library) IndexSent(ctx context.Context, name, sentAs string, body []byte,
	report func(Event)) (Summary, error) {
	return l.do(ctx, []func(context.Context, func(Event)) error{func(ctx context.Context, tell func(Event)) error {
		page, _, err := Attached(name, sentAs, body)
		if err != nil {
			tell(Event{"", Skipped, err})
			return nil
		}
		return l.keep(ctx, page, tell)
	}}, report)
}

// Remove takes the document under a URL out of the index, with its vectors, and says whether
// there was one. What was cited of it stays with those who cite it.
func (l *Library) Remove(ctx context.Context, address string) (bool, error) {
	stamp, err := l.o.Store.Stamp(ctx, address)
	if err != nil || stamp == "" {
		return false, err
	}
	return true, l.remove(ctx, address)
}

// do does works one after the other, reports each document, and embeds what is new.
func (l *Library) do(ctx context.Context, works []func(context.Context, func(Event)) error,
	report func(Event)) (Summary, error) {
	sum := Summary{Reasons: map[string]int{}}
	var there []string // what may want vectors
	tell := func(e Event) {
		sum.count(e)
		if e.State == Indexed || e.State == Unchanged {
			there = append(there, e.URL)
		}
		if report != nil {
			report(e)
		}
	}
	for _, work := range works {
		if err := work(ctx, tell); err != nil {
			return sum, err
		}
	}
	err := l.embed(ctx, there, &sum, tell)
	return sum, err
}

// target looks at what is to be indexed and returns the work that does it.
func (l *Library) target(ctx context.Context, target string) (func(context.Context, func(Event)) error, error) {
	scheme, _, isURL := strings.Cut(target, "://")
	switch scheme = strings.ToLower(scheme); {
	case !isURL:
		return l.path(ctx, target)
	case scheme == "file":
		path, err := filePath(target)
		if err != nil {
			return nil, err
		}
		return l.path(ctx, path)
	}
	if _, err := weburl.Parse(target); err != nil {
		return nil, err
	}
	return func(ctx context.Context, tell func(Event)) error { return l.web(ctx, target, tell) }, nil
}

// web indexes one page of the web.
func (l *Library) web(ctx context.Context, target string, tell func(Event)) error {
	page, err := l.o.Fetcher.Get(ctx, fetch.Request{URL: target})
	if err != nil {
		tell(Event{target, Failed, err})
		return ctx.Err()
	}
	return l.keep(ctx, page, tell)
}

// keep indexes a page that is known by its content, unless it is unchanged.
func (l *Library) keep(ctx context.Context, page citewell.Page, tell func(Event)) error {
	stamp := l.stamp(page.SHA256)
	if old, err := l.o.Store.Stamp(ctx, page.FinalURL); err != nil {
		return err
	} else if old == stamp {
		tell(Event{page.FinalURL, Unchanged, nil})
		return nil
	}
	return l.add(ctx, page, stamp, tell)
}

// stamp says of what content, and by what reading of it, a document was made. The
// same file read by a later extractor may have another text.
func (l *Library) stamp(content string) string {
	return fmt.Sprintf("%s reader %d", content, l.o.Reader)
}

// add extracts one page and makes its document findable. A page that holds no text
// any more is forgotten, so that nothing is found in it that is not there.
func (l *Library) add(ctx context.Context, page citewell.Page, stamp string, tell func(Event)) error {
	doc, err := l.o.Extract(ctx, page)
	if err == nil && strings.TrimSpace(doc.Text) == "" {
		err = &citewell.Error{Code: citewell.CodeExtractionFailed, Op: "index", Message: "it holds no text"}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && withoutText(err):
		return l.skip(ctx, page.FinalURL, err, tell)
	case err != nil:
		tell(Event{page.FinalURL, Failed, err})
		return nil
	}
	if doc.Title == "" {
		doc.Title = nameOf(page.FinalURL)
	}
	if err := l.o.Store.PutSnapshot(ctx, page, doc); err != nil {
		return err
	}
	if err := l.o.Store.IndexDocument(ctx, doc, stamp); err != nil {
		return err
	}
	tell(Event{page.FinalURL, Indexed, nil})
	return nil
}

// skip passes a document over, and forgets what was known of it.
func (l *Library) skip(ctx context.Context, address string, why error, tell func(Event)) error {
	if err := l.remove(ctx, address); err != nil {
		return err
	}
	tell(Event{address, Skipped, why})
	return nil
}

// remove takes a document out of the index, with its vectors.
func (l *Library) remove(ctx context.Context, address string) error {
	if l.o.Meanings != nil {
		if err := l.o.Meanings.Forget(ctx, store.Library, []string{address}); err != nil {
			return err
		}
	}
	_, err := l.o.Store.RemoveDocument(ctx, address)
	return err
}

// withoutText says whether a document is whole, but nothing to read.
func withoutText(err error) bool {
	switch citewell.CodeOf(err) {
	case citewell.CodeUnsupportedType, citewell.CodePDFEncrypted, citewell.CodeEmptyBody, citewell.CodeExtractionFailed,
		citewell.CodeResponseTooLarge, citewell.CodeArchiveTooLarge:
		return true
	}
	return false
}

// common are names that every other folder has a file of; alone they say nothing.
var common = []string{"readme", "copyright", "copying", "license", "licence", "changelog", "changes", "news", "authors",
	"contributors", "install", "todo", "faq", "index", "thanks", "history", "notes"}

// nameOf is the last part of a URL's path as people write it, with the folder
// before it where it is a common name; or its host.
func nameOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	if name := path.Base(u.Path); name != "/" && name != "." {
		stem, _, _ := strings.Cut(strings.ToLower(name), ".")
		if folder := path.Base(path.Dir(u.Path)); folder != "/" && folder != "." && slices.Contains(common, stem) {
			name = folder + "/" + name
		}
		return strings.ToValidUTF8(name, "\uFFFD")
	}
	return u.Host
}

// FileURL is the URL under which the file or folder at name is found.
func FileURL(name string) (string, error) {
	absolute, err := filepath.Abs(name)
	if err != nil {
		return "", pathError(name, err)
	}
	slashed := filepath.ToSlash(absolute)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter
	}
	return (&url.URL{Scheme: "file", Path: slashed}).String(), nil
}

// filePath is the path that a file:// URL of this machine names.
func filePath(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host != "" && u.Host != "localhost" || u.Path == "" {
		return "", &citewell.Error{Code: citewell.CodeInvalidURL, Op: "index",
			Message: "the file URL names no file of this machine", Hint: "as in file:///home/me/notes, or give the " +
				"path alone", Err: err}
	}
	name := u.Path
	if trimmed := strings.TrimPrefix(name, "/"); filepath.VolumeName(filepath.FromSlash(trimmed)) != "" {
		name = trimmed // a drive letter
	}
	return filepath.FromSlash(name), nil
}

// pathError gives a file system's error its code.
func pathError(name string, err error) error {
	e := &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "index", Message: name + " cannot be read", Err: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Code, e.Message = citewell.CodeNotFound, name+" does not exist"
		e.Hint = "check its spelling; a path without a / at its start is looked for from where the command runs"
	case errors.Is(err, fs.ErrPermission):
		e.Code, e.Message = citewell.CodePermissionDenied, name+" may not be read"
	}
	return e
}
