package picture

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/citewell/citewell"
)

// drawn is a picture of two halves.
func drawn(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBA{R: 200, A: 255}
			if x >= w/2 {
				c = color.NRGBA{} // nothing, which is shown white
			}
			m.SetNRGBA(x, y, c)
		}
	}
	return m
}

func encoded(t testing.TB, kind string, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch kind {
	case "png":
		err = png.Encode(&b, m)
	case "jpeg":
		err = jpeg.Encode(&b, m, nil)
	case "gif":
		err = gif.Encode(&b, m, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// webp is a picture of one pixel, lossless, made by hand from RFC 9649.
var webp = []byte(
	"RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00")

func TestShrink(t *testing.T) {
	for name, test := range map[string]struct {
		file []byte
		w, h int
	}{
		"small stays small": {encoded(t, "png", drawn(20, 10)), 20, 10},
		"wide":              {encoded(t, "jpeg", drawn(3000, 30)), 1024, 10},
		"high":              {encoded(t, "gif", drawn(4, 2048)), 2, 1024},
		"webp":              {webp, 1, 1},
	} {
		made, err := Shrink(t.Context(), test.file, 0)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		m, err := jpeg.Decode(bytes.NewReader(made))
		if err != nil || m.Bounds().Dx() != test.w || m.Bounds().Dy() != test.h {
			t.Errorf("%s: %v, %v", name, m.Bounds(), err)
		}
	}
	m, err := Shrink(t.Context(), encoded(t, "png", drawn(64, 64)), 0)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := jpeg.Decode(bytes.NewReader(m))
	if err != nil {
		t.Fatal(err)
	}
	if r, g, b, _ := shown.At(60, 10).RGBA(); min(r, g, b) < 0xf000 {
		t.Errorf("what is transparent is shown as %x %x %x", r, g, b)
	}
}

// What a file says beside its pixels stays behind.
func TestShrinkLeavesTheRest(t *testing.T) {
	plain := encoded(t, "jpeg", drawn(30, 30))
	exif := append([]byte("\xff\xd8\xff\xe1\x00\x22Exif\x00\x00GPS 59.9139 N 10.7522 E..."), plain[2:]...)
	if _, err := jpeg.Decode(bytes.NewReader(exif)); err != nil {
		t.Fatal(err)
	}
	made, err := Shrink(t.Context(), exif, 0)
	if err != nil || bytes.Contains(made, []byte("GPS")) || bytes.Contains(made, []byte("Exif")) {
		t.Errorf("%v, %q", err, made[:60])
	}
}

func TestShrinkRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		file []byte
		code citewell.Code
	}{
		"text":    {[]byte("a text that is called .jpg"), citewell.CodeUnsupportedImage},
		"nothing": {nil, citewell.CodeUnsupportedImage}, "svg": {[]byte("<svg xmlns='http://www.w3.org/2000/svg'/>"),
			citewell.CodeUnsupportedImage},
		"half":   {encoded(t, "jpeg", drawn(300, 300))[:700], citewell.CodeUnsupportedImage},
		"file":   {make([]byte, MaxFile+1), citewell.CodeImageTooLarge},
		"pixels": {gifOf(60_000, 60_000), citewell.CodeImageTooLarge},
	} {
		if made, err := Shrink(t.Context(), test.file, 0); citewell.CodeOf(err) != test.code || made != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// gifOf is the header of a GIF of that size.
func gifOf(w, h int) []byte {
	return append([]byte("GIF89a"), byte(w), byte(w>>8), byte(h), byte(h>>8), 0, 0, 0, ',', 0, 0, 0, 0, byte(w),
		byte(w>>8), byte(h), byte(h>>8), 0, 2, 0, ';')
}

// Who has to wait and gives up is told so.
func TestShrinkWaits(t *testing.T) {
	for range AtOnce {
		decoding <- struct{}{}
	}
	defer func() {
		for range AtOnce {
			<-decoding
		}
	}()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Shrink(ctx, webp, 0); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// FuzzShrink: whatever a file holds, it is a JPEG within bounds afterwards, or an error.
func FuzzShrink(f *testing.F) {
	for _, kind := range []string{"png", "jpeg", "gif"} {
		f.Add(encoded(f, kind, drawn(5, 3)))
	}
	f.Add(webp)
	f.Add(gifOf(9, 9))
	f.Fuzz(func(t *testing.T, file []byte) {
		if config, _, err := image.DecodeConfig(bytes.NewReader(file)); err == nil &&
			config.Width*config.Height > 1<<20 && config.Width*config.Height <= MaxPixels {
			return // slow, and as small ones
		}
		made, err := Shrink(t.Context(), file, 1000)
		if err != nil {
			if code := citewell.CodeOf(err); code != citewell.CodeUnsupportedImage &&
				code != citewell.CodeImageTooLarge {
				t.Fatal(err)
			}
			return
		}
		config, err := jpeg.DecodeConfig(bytes.NewReader(made))
		if err != nil || max(config.Width, config.Height) > Side {
			t.Fatalf("%+v, %v", config, err)
		}
	})
}
