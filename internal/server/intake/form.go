package intake

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
)

// Form reads a body of multipart/form-data of which each part is a file in the field of that
// name. It counts until release is called, which it must be where there is no error.
func (b *Bodies) Form(w http.ResponseWriter, r *http.Request, field string) (files []Sent, release func(), err error) {
	_, parameters := MediaType(r)
	body, release, err := b.read(w, r)
	if err != nil {
		return nil, nil, err
	}
	if files, err = parts(body, parameters["boundary"], field); err != nil {
		release()
		return nil, nil, err
	}
	return files, release, nil
}

func parts(body []byte, boundary, field string) (files []Sent, err error) {
	if boundary == "" {
		return nil, Invalid("Content-Type names no boundary of the parts of the form")
	}
	form := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, Invalid("the form cannot be read: %v", err)
		}
		switch {
		case part.FormName() != field:
			return nil, Invalid("the form has a part %.80q, and files are sent as %s", part.FormName(), field)
		case part.FileName() == "":
			return nil, Invalid("a part %s has no filename: it names the file, and says what it is", field)
		case len(files) == MaxFiles:
			return nil, Invalid("at most %d files are taken in one request", MaxFiles)
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return nil, Invalid("the form cannot be read: %v", err)
		}
		files = append(files, Sent{Name: part.FileName(), Raw: content,
			MediaType: part.Header.Get("Content-Type"), At: field})
	}
	if len(files) == 0 {
		return nil, Invalid("the form has no part %s", field)
	}
	return files, nil
}
