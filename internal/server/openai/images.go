package openai

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	stdimage "image"
	"image/color"
	_ "image/gif" // the kinds that are read
	"image/jpeg"
	_ "image/png"
	"net/http"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/llm"
	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp"
)

// Bounds of images. They are kept with the run, which holds a request of 1 MiB, so each
// is made smaller; that also leaves behind whatever else its file held.
const (
	maxImages    = 4 // of one request
	maxImageFile = 10 << 20
	maxPixels    = 24 << 20 // before decoding: at most 192 MiB as pixels
	imageSide    = 1024     // pixels of the longer side, as it is sent on
	maxAllImages = 768 << 10
	imagesAtOnce = 2 // that are decoded
)

// qualities are tried until the image is small enough.
var qualities = []int{85, 70, 50}

// unnamed is the name of a document that is sent where an image is meant, without one.
const unnamed = "document"

// shown makes an image what a model is shown: JPEG, of at most imageSide pixels a side. A
// document that stands in its place is read instead.
func (a *API) shown(ctx context.Context, i image) (shown llm.Image, read []job.File, err error) {
	if kind, _, err := intake.DataURL(i.url); err == nil && kind != "" && !strings.HasPrefix(kind, "image/") && a.o.ReadFile != nil {
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
	if len(file) > maxImageFile {
		return llm.Image{}, wrong(i.param, fmt.Sprintf("the image has %d bytes; at most %d are taken", len(file), maxImageFile), "send it smaller")
	}
	if err := a.images.Acquire(ctx, 1); err != nil {
		return llm.Image{}, err
	}
	defer a.images.Release(1)
	config, _, err := stdimage.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return llm.Image{}, wrong(i.param, "the image is of no kind that is read", "PNG, JPEG, GIF and WebP are")
	}
	if config.Width < 1 || config.Height < 1 || config.Width > maxPixels/config.Height {
		return llm.Image{}, wrong(i.param, fmt.Sprintf("the image has %d × %d pixels; at most %d in all are taken", config.Width, config.Height, maxPixels), "send it smaller")
	}
	decoded, _, err := stdimage.Decode(bytes.NewReader(file))
	if err != nil {
		return llm.Image{}, wrong(i.param, "the image is damaged", "")
	}
	small := scaled(decoded)
	var out bytes.Buffer
	for _, quality := range qualities {
		out.Reset()
		if err := jpeg.Encode(&out, small, &jpeg.Options{Quality: quality}); err != nil {
			return llm.Image{}, wrong(i.param, "the image cannot be sent on", "")
		}
		if out.Len() <= maxAllImages/maxImages*3/4 { // a quarter more in base64
			break
		}
	}
	made := llm.DataImage("image/jpeg", out.Bytes())
	made.Detail = i.detail
	return made, nil
}

// scaled draws an image on white, within imageSide.
func scaled(from stdimage.Image) stdimage.Image {
	w, h := from.Bounds().Dx(), from.Bounds().Dy()
	if longer := max(w, h); longer > imageSide {
		w, h = max(w*imageSide/longer, 1), max(h*imageSide/longer, 1)
	}
	to := stdimage.NewRGBA(stdimage.Rect(0, 0, w, h))
	draw.Draw(to, to.Bounds(), stdimage.NewUniform(color.White), stdimage.Point{}, draw.Src)
	draw.ApproxBiLinear.Scale(to, to.Bounds(), from, from.Bounds(), draw.Over, nil)
	return to
}

// file gives the bytes of an image: those in a data URL, or the page at a URL.
func (a *API) file(ctx context.Context, i image) (page citewell.Page, err error) {
	if strings.HasPrefix(i.url, "data:") {
		kind, data, err := intake.DataURL(i.url)
		if err != nil || !strings.HasPrefix(kind, "image/") {
			return page, wrong(i.param, "the data URL holds no image in base64", "as in data:image/png;base64,...")
		}
		if base64.StdEncoding.DecodedLen(len(data)) > maxImageFile+3 {
			return page, wrong(i.param, fmt.Sprintf("the image has more than %d bytes", maxImageFile), "send it smaller")
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

// pictures are the images of a conversation as a model is shown them; what turned out to be
// a document is none.
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
				return nil, nil, wrong(i.param, fmt.Sprintf("at most %d images are taken in one request", maxImages), "leave out older ones")
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
