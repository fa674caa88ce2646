package documents

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/internal/weburl"
	"github.com/citewell/citewell/library"
	"github.com/google/jsonschema-go/jsonschema"
)

// A sent is the body of POST /v1/documents that is JSON. It has one of Data, Text and URL.
type sent struct {
	Filename string `json:"filename,omitempty" jsonschema:"names the document, and says what the file is: without one its content does" bounds:"1..255"`
	Data     string `json:"data,omitempty" jsonschema:"the file in base64, or as a data URL, whose media type counts where the name says nothing" bounds:"1..25165824"`
	Text     string `json:"text,omitempty" jsonschema:"the words of the file, in place of its bytes" bounds:"1..16777216"`
	URL      string `json:"url,omitempty" jsonschema:"of a page, which is fetched; http or https" bounds:"1..4096"`
}

var sentForm = tool.NewForm[sent]("documents.add", func(s *jsonschema.Schema) {
	for _, has := range []string{"data", "text", "url"} { // of which given takes one alone
		s.OneOf = append(s.OneOf, &jsonschema.Schema{Required: []string{has}})
	}
})

// Added is what became of one file or page.
type Added struct {
	Filename string              `json:"filename,omitempty"`
	State    library.State       `json:"state"`
	ID       string              `json:"id,omitempty"`
	URL      string              `json:"url,omitempty"`
	Error    *citewell.ErrorView `json:"error,omitempty"`
}

const (
	fileField = "file"     // of the parts of a form
	unnamed   = "document" // the name of a file without one
)

// add is POST /v1/documents.
func (a *API) add(w http.ResponseWriter, r *http.Request) error {
	if _, err := intake.Query(r); err != nil {
		return err
	}
	files, url, release, err := a.given(w, r)
	if err != nil {
		return err
	}
	defer release()
	answer, err := a.take(r.Context(), files, url)
	return intake.Answer(w, answer, err)
}

// An Outcome is what became of what was sent.
type Outcome struct {
	Documents []Added `json:"documents"`
	Warning   string  `json:"warning,omitempty"`
}

// Upload takes the files of a form in, as POST /v1/documents does.
func (a *API) Upload(w http.ResponseWriter, r *http.Request) (Outcome, error) {
	files, release, err := a.bodies.Form(w, r, fileField)
	if err != nil {
		return Outcome{}, err
	}
	defer release()
	return a.take(r.Context(), files, "")
}

// take indexes files, and the page at a URL where there is one.
func (a *API) take(ctx context.Context, files []intake.Sent, url string) (Outcome, error) {
	answer := Outcome{Documents: []Added{}}
	take := func(name string, index func(context.Context, func(library.Event)) (library.Summary, error)) error {
		one, warning, err := a.index(ctx, name, index)
		answer.Documents = append(answer.Documents, one)
		answer.Warning = cmp.Or(warning, answer.Warning)
		return err
	}
	for _, f := range files {
		if err := take(f.Name, a.file(f)); err != nil {
			return answer, err
		}
	}
	if url != "" {
		if err := take("", a.page(url)); err != nil {
			return answer, err
		}
	}
	return answer, nil
}

// given are the files of a request, or the URL that it names.
func (a *API) given(w http.ResponseWriter, r *http.Request) (files []intake.Sent, url string, release func(),
	err error) {
	switch kind, _ := intake.MediaType(r); kind {
	case intake.TypeForm:
		files, release, err = a.bodies.Form(w, r, fileField)
		return files, "", release, err
	case intake.TypeJSON:
	default:
		return nil, "", nil, &intake.Fault{Status: http.StatusUnsupportedMediaType,
			Err: &citewell.Error{Code: citewell.CodeUnsupportedType,
				Message: "the body must be a form of files or JSON",
				Hint:    "send Content-Type: multipart/form-data or application/json"}}
	}
	s, release, err := intake.Read(a.bodies, w, r, sentForm)
	if err != nil {
		return nil, "", nil, err
	}
	forms := 0
	for _, form := range []string{s.Data, s.Text, s.URL} {
		if form != "" {
			forms++
		}
	}
	switch {
	case forms != 1:
		release()
		return nil, "", nil, intake.Invalid("the body must have one of data, text and url")
	case s.URL == "":
		files = []intake.Sent{{Name: cmp.Or(s.Filename, unnamed), Coded: s.Data, Text: s.Text}}
	}
	return files, s.URL, release, nil
}

// file indexes a file.
func (a *API) file(f intake.Sent) func(context.Context, func(library.Event)) (library.Summary, error) {
	return func(ctx context.Context, report func(library.Event)) (library.Summary, error) {
		sentAs, body, err := f.Bytes()
		if err != nil {
			report(library.Event{State: library.Failed, Err: err})
			return library.Summary{}, nil
		}
		return a.o.Library.IndexSent(ctx, f.Name, sentAs, body, report)
	}
}

// page indexes a page of the web. A path or a file:// URL would be one of the server's own.
func (a *API) page(url string) func(context.Context, func(library.Event)) (library.Summary, error) {
	return func(ctx context.Context, report func(library.Event)) (library.Summary, error) {
		if _, err := weburl.Parse(url); err != nil {
			report(library.Event{URL: url, State: library.Failed, Err: err})
			return library.Summary{}, nil
		}
		return a.o.Library.Index(ctx, []string{url}, report)
	}
}

// index has one document indexed, when there is a place. Its error is of the store, or the client has gone.
func (a *API) index(ctx context.Context, name string, do func(context.Context,
	func(library.Event)) (library.Summary, error)) (one Added, warning string, err error) {
	leave, err := a.places.Enter(ctx)
	if err != nil {
		return one, "", err
	}
	defer leave()
	one.Filename = name
	sum, err := do(ctx, func(e library.Event) {
		if e.State == library.Embedded {
			return
		}
		one.State, one.URL = e.State, e.URL
		if e.State == library.Indexed || e.State == library.Unchanged {
			one.ID = idOf(e.URL)
		}
		if e.Err != nil {
			view := citewell.View(e.Err)
			one.Error = &view
		}
	})
	if err == nil && one.State == "" {
		err = fmt.Errorf("documents: nothing was told of %q", name)
	}
	return one, sum.Warning, err
}
