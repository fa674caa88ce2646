package openai

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/picture"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/llm"
)

// Bounds of images. They are kept with the run, which holds a request of 1 MiB, so each is made smaller.
const (
	maxImages    = 4 // of one request
	maxAllImages = 768 << 10
)

// unnamed is the name of a document that is sent where an image is meant, without one.
const unnamed = "document"

// shown makes an image what a model is shown: a JPEG of picture.Side pixels a side at most. A
// document that stands in its place is read instead.
func (a *API) shown(ctx context.Context, i image) (shown llm.Image, read []job.File, err error) {
	if kind, _, err := intake.DataURL(i.url); err == nil && kind != "" && !strings.HasPrefix(kind, "image/") &&
		a.o.ReadFile != nil {
		read, err = a.filed(ctx, []intake.Sent{{Name: unnamed, Coded: i.url, At: i.param}})
		return shown, read, err
	}
	page, err := a.file(ctx, i)
	if err != nil {
		return shown, nil, err
	}
	if page.URL != "" && !strings.HasPrefix(http.DetectContentType(page.Body), "image/") && a.o.ReadPage != nil {
		kept, err := a.o.ReadPage(ctx, page)
		return shown, []job.File{kept}, misfiled(intake.Unread(ctx, i.param, "what the image's address leads to", err))
	}
	shown, err = a.decoded(ctx, i, page.Body)
	return shown, nil, err
}

// decoded makes an image of the bytes of its file.
func (a *API) decoded(ctx context.Context, i image, file []byte) (llm.Image, error) {
	small, err := picture.Shrink(ctx, file, maxAllImages/maxImages*3/4) // a quarter more in base64
	if err != nil && ctx.Err() != nil {
		return llm.Image{}, err
	}
	if err != nil {
		view := citewell.View(err)
		return llm.Image{}, wrong(i.param, view.Message, view.Hint)
	}
	made := llm.DataImage("image/jpeg", small)
	made.Detail = i.detail
	return made, nil
}

// file gives the bytes of an image: those in a data URL, or the page at a URL.
func (a *API) file(ctx context.Context, i image) (page citewell.Page, err error) {
	if strings.HasPrefix(i.url, "data:") {
		kind, data, err := intake.DataURL(i.url)
		if err != nil || !strings.HasPrefix(kind, "image/") {
			return page, wrong(i.param, "the data URL holds no image in base64", "as in data:image/png;base64,...")
		}
		if base64.StdEncoding.DecodedLen(len(data)) > picture.MaxFile+3 {
			return page, wrong(i.param, fmt.Sprintf("the image has more than %d bytes", picture.MaxFile),
				"send it smaller")
		}
		if page.Body, err = base64.StdEncoding.DecodeString(data); err != nil {
			return page, wrong(i.param, "the data URL is not well-formed base64", "")
		}
		return page, nil
	}
	if a.o.FetchImage == nil {
		return page, wrong(i.param, "images are not fetched here", "send a data URL")
	}
	if page, err = a.o.FetchImage(ctx, i.url); err == nil {
		return page, nil
	}
	view := citewell.View(err)
	return page, &fault{param: i.param, status: 400, error: &citewell.Error{Code: view.Code, Op: "openai",
		Message: "the image cannot be fetched: " + view.Message, Hint: view.Hint, Err: err}}
}

// pictures are the images of a conversation as a model is shown them; what turned out to be a document is none.
type pictures map[image]llm.Image

// of are those of a turn, in their order.
func (p pictures) of(t turn) (all []llm.Image) {
	for _, i := range t.images {
		if shown, is := p[i]; is {
			all = append(all, shown)
		}
	}
	return all
}

// show makes all images of a conversation, which has maxImages at most, and reads the
// documents that stand where images are meant.
func (a *API) show(ctx context.Context, c conversation) (pictures, []job.File, error) {
	made := pictures{}
	var documents []job.File
	named, total := 0, 0
	for _, t := range append(append([]turn{}, c.history...), c.task) {
		for _, i := range t.images {
			if _, again := made[i]; again {
				continue
			}
			if named++; named > maxImages {
				return nil, nil, wrong(i.param, fmt.Sprintf("at most %d images are taken in one request", maxImages),
					"leave out older ones")
			}
			shown, read, err := a.shown(ctx, i)
			if err != nil {
				return nil, nil, err
			}
			if documents = append(documents, read...); len(read) > 0 {
				continue
			}
			if made[i], total = shown, total+len(shown.URL); total > maxAllImages {
				return nil, nil, wrong(i.param, "the images are too large together, even made smaller", "send fewer")
			}
		}
	}
	return made, documents, nil
}
