package mcptools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/tool"
)

// answering is the only tool of a server that always gives this content.
func answering(t *testing.T, o Options, content ...mcp.Content) *tool.Tool {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "files", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "give"}, func(context.Context, *mcp.CallToolRequest,
		struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: content}, nil, nil
	})
	inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
		return server
	}, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said := httptest.NewRecorder()
		inner.ServeHTTP(said, r)
		for name, values := range said.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(said.Code)
		w.Write(bytes.ReplaceAll(said.Body.Bytes(), []byte("QkFE"), []byte("%%%%"))) // what is no base64
	}))
	t.Cleanup(h.Close)
	guard, err := egress.NewGuard(egress.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o.Version, o.Guard = "test", guard
	set, err := Open(t.Context(), []Server{{Name: "files", URL: h.URL}}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(set.Close)
	return set.Tools[0]
}

// plainly reads what begins with "words", as it stands.
func plainly(_ context.Context, name, mediaType string, body []byte) (tool.Page, error) {
	if !bytes.HasPrefix(body, []byte("words")) {
		return tool.Page{}, errors.New("it has no words")
	}
	return tool.Page{Page: citewell.Page{Body: body, ContentType: mediaType},
		Doc: citewell.Document{Title: name, Text: string(body)}}, nil
}

func TestContent(t *testing.T) {
	words := func(n int) *mcp.EmbeddedResource {
		return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{
			URI: fmt.Sprintf("store://shelf/%d", n), MIMEType: "text/plain", Text: fmt.Sprintf("words of %d", n)}}
	}
	torn := &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "store://shelf/torn", Blob: []byte("torn")}}
	var many []mcp.Content
	for n := range 9 {
		many = append(many, words(n))
	}
	for name, test := range map[string]struct {
		content []mcp.Content
		shown   string   // a part of it
		parts   []string // their texts; nil where the text is the only one
	}{
		"words alone": {[]mcp.Content{&mcp.TextContent{Text: "said"}}, "said", nil},
		"nothing":     {nil, "", nil},
		"a picture": {[]mcp.Content{&mcp.ImageContent{Data: []byte("abc"), MIMEType: "image/png"}},
			"[image, image/png, 3 bytes]", []string{}},
		"beside words": {[]mcp.Content{&mcp.TextContent{Text: "said"}, words(1)},
			"said\n[resource 1, text/plain, 10 bytes]\nwords of 1", []string{"said", "words of 1"}},
		"torn": {[]mcp.Content{torn, words(1)}, "[resource torn, 4 bytes, not read: it has no " +
			"words]\n[resource 1,", []string{"words of 1"}},
		"a text unread": {[]mcp.Content{&mcp.EmbeddedResource{
			Resource: &mcp.ResourceContents{URI: "x", Text: "as it was sent"}}}, "as it was sent", nil},
		"too many": {many, "words of 8", []string{"words of 8", "words of 0", "words of 1", "words of 2",
			"words of 3", "words of 4", "words of 5", "words of 6", "words of 7"}},
		"a link": {[]mcp.Content{&mcp.ResourceLink{URI: "file:///etc/passwd", Name: "users",
			MIMEType: "text/plain"}}, "[resource users, text/plain, named and not sent: file:///etc/passwd]",
			[]string{}},
		"hidden letters": {[]mcp.Content{&mcp.ResourceLink{URI: "x", Name: "us\u202eers"}},
			"[resource users, named and not sent: x]", []string{}},
		"nothing in it": {[]mcp.Content{&mcp.EmbeddedResource{
			Resource: &mcp.ResourceContents{URI: "store://shelf/"}}}, "[resource store://shelf/, 0 bytes, not read: ",
			[]string{}},
		"a key of theirs": {[]mcp.Content{&mcp.EmbeddedResource{
			Resource: &mcp.ResourceContents{URI: "x", Blob: []byte("words")}}}, "[resource x, 5 bytes]\nwords",
			[]string{"words"}},
	} {
		r, err := answering(t, Options{Read: plainly}, test.content...).Call(t.Context(), nil)
		if err != nil || !strings.Contains(r.Text, test.shown) {
			t.Errorf("%s: %q, %v", name, r.Text, err)
		}
		var parts []string
		for _, p := range r.Parts {
			if p.Doc.Text == "" {
				p.Doc.Text = string(p.Body)
			}
			parts = append(parts, p.Doc.Text)
		}
		if (r.Parts == nil) != (test.parts == nil) || fmt.Sprint(parts) != fmt.Sprint(test.parts) {
			t.Errorf("%s: the parts are %q", name, parts)
		}
	}
	if r, err := answering(t, Options{}, torn).Call(t.Context(), nil); err != nil ||
		r.Text != "[resource torn, 4 bytes, not read: nothing here reads resources]" {
		t.Errorf("without a reader: %q, %v", r.Text, err)
	}
}

// Of long resources each has its share of what a model is shown.
func TestLongResourcesShare(t *testing.T) {
	long := func(word string) *mcp.EmbeddedResource {
		return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{
			URI: "x", Blob: []byte("words " + strings.Repeat(word+" ", 1000))}}
	}
	r, err := answering(t, Options{Read: plainly, Limit: 1000}, long("first"), long("second")).Call(t.Context(), nil)
	if err != nil || strings.Count(r.Text, "first") < 50 || strings.Count(r.Text, "second") < 40 ||
		len(r.Text) > 1000 || len(r.Parts) != 2 || len(r.Parts[1].Body) < 5000 {
		t.Errorf("%d bytes, %q, %v", len(r.Text), r.Text, err)
	}
}

// A result that is not in the form of the protocol is the server's fault, and is not taken
// for its end.
func TestNoBase64(t *testing.T) {
	bad := &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "x", Blob: []byte("BAD")}}
	_, err := answering(t, Options{Read: plainly}, bad).Call(t.Context(), nil)
	if citewell.CodeOf(err) != citewell.CodeToolFailed || !strings.Contains(err.Error(), "base64") {
		t.Errorf("%v", err)
	}
}
