// Package picture turns pictures of strangers into pictures that a model may be shown.
//
// Flow: the bytes of a file → its header → Shrink → JPEG. Data beside the pixels (EXIF, the place where it was taken)
// is dropped.
// Limits: MaxFile bytes; MaxPixels pixels, read from the header before anything is decoded; AtOnce decoded at the same
// time.
// Errors: unsupported_image, image_too_large, and the context's end.
// Concurrency: Shrink may be called from many goroutines.
package picture

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // the kinds that are read
	"image/jpeg"
	_ "image/png"

	"github.com/citewell/citewell"
	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp"
)

// Bounds of pictures.
const (
	MaxFile   = 10 << 20 // bytes
	MaxPixels = 24 << 20 // at most 192 MiB decoded
	Side      = 1024     // pixels of the longer side, as a picture is shown; it is never made larger
	AtOnce    = 2        // that are decoded
)

// decoding holds a place for each picture that is being decoded.
var decoding = make(chan struct{}, AtOnce)

// qualities are tried until the picture is small enough.
var qualities = []int{85, 70, 50}

// Shrink makes the picture in a file a JPEG on white of at most Side pixels a side. It lowers the quality, within
// limits, to at most `most` bytes; 0 leaves it.
func Shrink(ctx context.Context, file []byte, most int) ([]byte, error) {
	if len(file) > MaxFile {
		return nil, tooLarge(fmt.Sprintf("the image has more than %d bytes", MaxFile))
	}
	select {
	case decoding <- struct{}{}:
		defer func() { <-decoding }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return nil, &citewell.Error{Code: citewell.CodeUnsupportedImage, Op: "picture",
			Message: "the format of the image is not supported", Hint: "use PNG, JPEG, GIF or WebP", Err: err}
	}
	if config.Width < 1 || config.Height < 1 || config.Width > MaxPixels/config.Height {
		return nil, tooLarge(fmt.Sprintf("the image has %d × %d pixels; at most %d in all are taken", config.Width,
			config.Height, MaxPixels))
	}
	decoded, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, &citewell.Error{Code: citewell.CodeUnsupportedImage, Op: "picture",
			Message: "the image is damaged", Err: err}
	}
	small := scaled(decoded)
	var out bytes.Buffer
	for _, quality := range qualities {
		out.Reset()
		if err := jpeg.Encode(&out, small, &jpeg.Options{Quality: quality}); err != nil {
			return nil, &citewell.Error{Code: citewell.CodeUnsupportedImage, Op: "picture",
				Message: "the image cannot be converted to JPEG", Err: err}
		}
		if most <= 0 || out.Len() <= most {
			break
		}
	}
	return out.Bytes(), nil
}

func tooLarge(message string) error {
	return &citewell.Error{Code: citewell.CodeImageTooLarge, Op: "picture", Message: message, Hint: "send it smaller"}
}

// scaled draws an image on white, within Side.
func scaled(from image.Image) image.Image {
	w, h := from.Bounds().Dx(), from.Bounds().Dy()
	if longer := max(w, h); longer > Side {
		w, h = max(w*Side/longer, 1), max(h*Side/longer, 1)
	}
	to := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(to, to.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.ApproxBiLinear.Scale(to, to.Bounds(), from, from.Bounds(), draw.Over, nil)
	return to
}
