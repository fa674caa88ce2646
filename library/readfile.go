package library

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract"
)

// ReadFile reads one regular file as the page under its file:// URL: at most 16 MiB, no
// picture, sound or film, the content of a text that is packed with gzip.
func ReadFile(name string) (citewell.Page, error) {
	address, err := FileURL(name)
	if err != nil {
		return citewell.Page{}, err
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return citewell.Page{}, pathError(name, err)
	case info.IsDir():
		return citewell.Page{}, refuse(citewell.CodeInvalidArgument, name+" is a folder; name one of its files", nil)
	case info.Size() > maxFileBytes:
		return citewell.Page{}, refuse(citewell.CodeResponseTooLarge,
			fmt.Sprintf("%s is larger than %d MiB", name, maxFileBytes>>20), nil)
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return citewell.Page{}, pathError(name, err)
	}
	root, err := os.OpenRoot(filepath.Dir(real))
	if err != nil {
		return citewell.Page{}, pathError(name, err)
	}
	defer root.Close()
	body, err := readRegular(root, filepath.Base(real))
	inner, compressed := withoutGzip(name)
	if err == nil && compressed {
		body, err = unzipped(body)
	}
	if ours, ok := errors.AsType[*citewell.Error](err); ok {
		return citewell.Page{}, refuse(ours.Code, name+" cannot be read: "+ours.Message, err)
	}
	if err != nil {
		return citewell.Page{}, pathError(name, err)
	}
	return citewell.Page{URL: address, FinalURL: address, ContentType: extract.MediaType(inner),
		LastModified: info.ModTime().UTC(),
		FetchedAt:    time.Now().UTC(), Body: body, SHA256: citewell.SHA256(body), Outcome: citewell.FetchOK}, nil
}
