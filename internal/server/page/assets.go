package page

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/report"
)

//go:embed static
var static embed.FS

// An asset is a file that a browser may keep for ever: its hash is in its path.
type asset struct {
	path, mediaType string
	plain           []byte
}

// assetNames are the paths of the assets.
type assetNames struct{ Style, Script, Icon string }

// An assetSet is all assets, and their names.
type assetSet struct {
	names  assetNames
	byPath map[string]asset
}

var assets = sync.OnceValue(func() (all assetSet) {
	all.byPath = map[string]asset{}
	add := func(name, mediaType string, pieces ...string) string {
		content := []byte(strings.Join(pieces, "\n"))
		a := asset{fmt.Sprintf("/a/%.12s/%s", citewell.SHA256(content), name), mediaType, content}
		all.byPath[a.path] = a
		return a.path
	}
	all.names.Style = add("app.css", "text/css; charset=utf-8", report.Style(), staticFile("app.css"))
	all.names.Script = add("app.js", "text/javascript; charset=utf-8", staticFile("app.js"))
	all.names.Icon = add("icon.svg", "image/svg+xml", staticFile("icon.svg"))
	return all
})

func staticFile(name string) string {
	content, err := static.ReadFile("static/" + name)
	if err != nil {
		panic(err) // which any test finds
	}
	return string(content)
}

var zipOnce = sync.OnceValue(func() map[string][]byte {
	zipped := map[string][]byte{}
	for path, a := range assets().byPath {
		var b bytes.Buffer
		z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is one there is
		z.Write(a.plain)                                      // a buffer takes all
		z.Close()
		zipped[path] = b.Bytes()
	}
	return zipped
})

// Assets gives the style, the script and the icon. There is nothing of anybody in them.
func Assets(w http.ResponseWriter, r *http.Request) {
	a, ok := assets().byPath[r.URL.Path]
	if !ok || r.Method != http.MethodGet && r.Method != http.MethodHead {
		Refuse(w, &citewell.Error{Code: citewell.CodeNotFound, Op: "page", Message: "there is nothing at this address",
			Hint: "reload the page"})
		return
	}
	h := w.Header()
	guard(h)
	h.Set("Content-Type", a.mediaType)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Vary", "Accept-Encoding")
	content := a.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		content = zipOnce()[a.path]
	}
	_, _ = w.Write(content) // the client is gone where this fails
}
