package intake

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/turns"
)

// Bounds of files.
const (
	MaxFiles    = 8   // of one request
	MaxFileName = 255 // bytes
	readAtOnce  = 2   // by a Files and those that share its places
)

// A Reader reads a file, and keeps it with its text. mediaType is what it was sent as; it
// may be empty, and counts where the name says nothing.
type Reader func(ctx context.Context, name, mediaType string, body []byte) (job.File, error)

// A Sent is a file as a request has it.
type Sent struct {
	Name      string
	Coded     string // its bytes in base64, or a data URL of them
	Text      string // or its words
	Raw       []byte // or the bytes
	MediaType string // that Raw was sent as
	At        string // the field of the request that has them
}

// A FileFault is an error of a field of a request that has a file.
type FileFault struct {
	At  string
	Err error
}

func (f *FileFault) Error() string { return f.Err.Error() }

// Unwrap gives the error.
func (f *FileFault) Unwrap() error { return f.Err }

// Misfiled is the error of a file that cannot be taken.
func Misfiled(at, message, hint string) error {
	return &FileFault{at, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "files", Message: message,
		Hint: hint}}
}

// Files reads the files that requests bring.
type Files struct {
	read   Reader
	places *turns.Turns
}

// NewFiles returns a Files that reads with read; nil takes no file.
func NewFiles(read Reader) *Files { return &Files{read, turns.New(readAtOnce)} }

// Reading is a Files that reads with read, in the places of f.
func (f *Files) Reading(read Reader) *Files { return &Files{read, f.places} }

// Read reads the files of a request, each once however often it was sent.
func (f *Files) Read(ctx context.Context, sent []Sent) ([]job.File, error) {
	var all []job.File
	for i, s := range sent {
		if i == MaxFiles {
			return nil, Misfiled(s.At, fmt.Sprintf("at most %d files are taken in one request", MaxFiles),
				"leave out older ones: a run that goes on from another has its files")
		}
		kept, err := f.one(ctx, s)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(all, func(known job.File) bool { return known.URL == kept.URL }) {
			all = append(all, kept)
		}
	}
	return all, nil
}

func (f *Files) one(ctx context.Context, s Sent) (job.File, error) {
	if f.read == nil {
		return job.File{}, Misfiled(s.At, "files are not read here", "")
	}
	mediaType, body, err := s.Bytes()
	if err != nil {
		return job.File{}, err
	}
	leave, err := f.places.Enter(ctx)
	if err != nil {
		return job.File{}, err
	}
	defer leave()
	kept, err := f.read(ctx, s.Name, mediaType, body)
	return kept, Unread(ctx, s.At, "the file "+quoted(s.Name), err)
}

// Unread is the error of what was sent in a field of a request and cannot be read, in
// words about it. It is nil where err is, and err where the fault is not the sender's.
func Unread(ctx context.Context, at, what string, err error) error {
	view := citewell.View(err)
	if err == nil || view.Category == citewell.CategoryInternal || ctx.Err() != nil {
		return err
	}
	return &FileFault{at, &citewell.Error{Code: view.Code, Op: "files",
		Message: what + " cannot be read: " + view.Message, Hint: view.Hint, Err: err}}
}

// Bytes are those of the file, and what it was sent as.
func (s Sent) Bytes() (mediaType string, body []byte, err error) {
	switch {
	case s.Name == "" || len(s.Name) > MaxFileName:
		return "", nil, Misfiled(s.At, fmt.Sprintf("filename must have 1 to %d bytes", MaxFileName),
			"it names the source in the report, and says what the file is")
	case s.Text != "":
		return "text/plain; charset=utf-8", []byte(s.Text), nil
	case len(s.Raw) > 0:
		return s.MediaType, s.Raw, nil
	}
	mediaType, coded, err := DataURL(s.Coded)
	if err != nil {
		return "", nil, Misfiled(s.At, "the data URL of "+quoted(s.Name)+" is not in base64",
			"as in data:application/pdf;base64,...")
	}
	if coded == "" {
		return "", nil, Misfiled(s.At, "the file "+quoted(s.Name)+" is empty", "")
	}
	if body, err = base64.StdEncoding.DecodeString(coded); err != nil {
		return "", nil, Misfiled(s.At, "the file "+quoted(s.Name)+" is not well-formed base64", "")
	}
	return mediaType, body, nil
}

// DataURL takes a data URL in base64 apart; what is no URL is the data.
func DataURL(given string) (mediaType, coded string, err error) {
	rest, is := strings.CutPrefix(given, "data:")
	if !is {
		return "", given, nil
	}
	kind, coded, found := strings.Cut(rest, ",")
	mediaType, inBase64 := strings.CutSuffix(kind, ";base64")
	if !found || !inBase64 {
		return "", "", errors.New("it is not in base64")
	}
	return mediaType, coded, nil
}

func quoted(name string) string { return fmt.Sprintf("%.80q", name) }
