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
	"strings"

	"github.com/citewell/citewell"
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

// shown makes an image what a model is shown: JPEG, of at most imageSide pixels a side.
func (a *API) shown(ctx context.Context, i image) (llm.Image, error) {
	file, err := a.file(ctx, i)
	if err != nil {
		return llm.Image{}, err
	}
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

// file gives the bytes of an image: those in a data URL, or those at a URL.
func (a *API) file(ctx context.Context, i image) ([]byte, error) {
	rest, isData := strings.CutPrefix(i.url, "data:")
	if isData {
		kind, data, ok := strings.Cut(rest, ",")
		if !ok || !strings.HasPrefix(kind, "image/") || !strings.HasSuffix(kind, ";base64") {
			return nil, wrong(i.param, "the data URL holds no image in base64", "as in data:image/png;base64,...")
		}
		if base64.StdEncoding.DecodedLen(len(data)) > maxImageFile+3 {
			return nil, wrong(i.param, fmt.Sprintf("the image has more than %d bytes", maxImageFile), "send it smaller")
		}
		file, err := base64.StdEncoding.DecodeString(data)
		if err != nil {
			return nil, wrong(i.param, "the data URL is not well-formed base64", "")
		}
		return file, nil
	}
	if a.o.FetchImage == nil {
		return nil, wrong(i.param, "images are not fetched here", "send a data URL")
	}
	file, err := a.o.FetchImage(ctx, i.url)
	if err == nil {
		return file, nil
	}
	view := citewell.View(err)
	return nil, &fault{param: i.param, status: 400, error: &citewell.Error{Code: view.Code, Op: "openai",
		Message: "the image cannot be fetched: " + view.Message, Hint: view.Hint, Err: err}}
}

// show makes all images of a conversation, which has maxImages at most.
func (a *API) show(ctx context.Context, c conversation) (map[image]llm.Image, error) {
	made := map[image]llm.Image{}
	total := 0
	for _, t := range append(append([]turn{}, c.history...), c.task) {
		for _, i := range t.images {
			if len(made) == maxImages {
				return nil, wrong(i.param, fmt.Sprintf("at most %d images are taken in one request", maxImages), "leave out older ones")
			}
			shown, err := a.shown(ctx, i)
			if err != nil {
				return nil, err
			}
			if made[i], total = shown, total+len(shown.URL); total > maxAllImages {
				return nil, wrong(i.param, "the images are too large together, even made smaller", "send fewer")
			}
		}
	}
	return made, nil
}
