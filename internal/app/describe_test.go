package app

import (
	"bytes"
	"encoding/json"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/modeltest"
)

func pictureFile(t *testing.T, dir, name string, w, h int) {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A picture of the working folder is shown smaller, as a JPEG within the request; what is
// none, or lies elsewhere, reaches nobody.
func TestDescribeImage(t *testing.T) {
	dir := t.TempDir()
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	pictureFile(t, dir, "secret.png", 2, 2)
	pictureFile(t, work, "wide.png", 2048, 10)
	if err := os.WriteFile(filepath.Join(work, "text.jpg"), []byte("no picture at all"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(work, "large.png"), make([]byte, 11<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../secret.png", filepath.Join(work, "link.png")); err != nil {
		t.Skip("no links here")
	}
	model := modeltest.Serve(t)
	model.Script = func(int, modeltest.Asked) modeltest.Reply { return modeltest.Says("a grey field") }
	registry := registryOver(t, "llm.base_url="+model.Base(), "llm.api_key=k", "llm.model=sees", "workdir="+work)
	for _, toolset := range []string{"llm", "manifold"} {
		set, err := registry.Toolset(toolset)
		if err != nil {
			t.Fatal(err)
		}
		call := func(arguments string) (string, error) {
			r, err := set.Call(t.Context(), "describe_image", json.RawMessage(arguments))
			if r.Err != nil {
				err = r.Err
			}
			data, _ := json.Marshal(r.Structured)
			return string(data), err
		}
		got, err := call(`{"path":"wide.png","prompt":"which colour?"}`)
		if want := map[string]string{"llm": `{"output":"a grey field","model":"sees","input_tokens":`, "manifold": `{"ok":true,"output":"a grey field"}`}[toolset]; err != nil || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, %v", toolset, got, err)
		}
		asked := model.Asked()
		sent, err := json.Marshal(asked[len(asked)-1].Body["messages"])
		if err != nil {
			t.Fatal(err)
		}
		var messages []struct {
			Content json.RawMessage
		}
		var parts []struct {
			Text     string
			ImageURL struct{ URL []byte } `json:"image_url"`
		}
		bare := bytes.ReplaceAll(sent, []byte("data:image/jpeg;base64,"), nil)
		if json.Unmarshal(bare, &messages) != nil || json.Unmarshal(messages[1].Content, &parts) != nil || len(parts) != 2 || parts[0].Text != "which colour?" {
			t.Fatalf("%s: %.300s", toolset, sent)
		}
		shown, err := jpeg.DecodeConfig(bytes.NewReader(parts[1].ImageURL.URL))
		if err != nil || shown.Width != 1024 || shown.Height != 5 {
			t.Errorf("%s: shown %+v, %v", toolset, shown, err)
		}
		for path, code := range map[string]citewell.Code{"../secret.png": citewell.CodePathOutsideWorkdir, "link.png": citewell.CodePathOutsideWorkdir, "/etc/passwd": citewell.CodePathOutsideWorkdir, "gone.png": citewell.CodeFileNotFound,
			".": citewell.CodeFileNotFound, "text.jpg": citewell.CodeUnsupportedImage, "large.png": citewell.CodeImageTooLarge, " ": citewell.CodeInvalidArgument} {
			before := len(model.Asked())
			got, err := call(`{"path":"` + path + `"}`)
			if citewell.CodeOf(err) != code || strings.Contains(got, dir) || strings.Contains(citewell.View(err).Line(), dir) || len(model.Asked()) != before {
				t.Errorf("%s: %q: %s, %v; want %s", toolset, path, got, err, code)
			}
		}
	}
}

// An endpoint says in its own words that a model sees nothing; the caller is told so.
func TestDescribeImageWithoutVision(t *testing.T) {
	work := t.TempDir()
	pictureFile(t, work, "a.png", 3, 3)
	model := modeltest.Serve(t)
	registry := registryOver(t, "llm.base_url="+model.Base(), "llm.api_key=k", "llm.model=blind", "workdir="+work)
	set, err := registry.Toolset("llm")
	if err != nil {
		t.Fatal(err)
	}
	for _, said := range []string{"Invalid content type. image_url is only supported by certain models.", "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj", "blind is not a multimodal model",
		"At most 0 image(s) may be provided in one request.", "this model is missing data required for image input", "No endpoints found that support image input", "Model does not support images. Please use a model that does.",
		"messages[1]: unknown variant `image_url`, expected `text`", "Image input is not enabled for this model"} {
		model.Script = func(int, modeltest.Asked) modeltest.Reply { return modeltest.Fails(400, said) }
		_, err := set.Call(t.Context(), "describe_image", json.RawMessage(`{"path":"a.png"}`))
		if v := citewell.View(err); v.Code != citewell.CodeModelWithoutVision || !strings.Contains(v.Message, "blind") || v.Hint == "" {
			t.Errorf("%s: %+v", said, v)
		}
	}
	for _, said := range []string{"the image is damaged", "you ask too much"} {
		model.Script = func(int, modeltest.Asked) modeltest.Reply { return modeltest.Fails(400, said) }
		if _, err := set.Call(t.Context(), "describe_image", json.RawMessage(`{"path":"a.png"}`)); citewell.CodeOf(err) != citewell.CodeModelFailed {
			t.Errorf("%s: %v", said, err)
		}
	}
}
