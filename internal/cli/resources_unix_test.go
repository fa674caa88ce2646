//go:build unix

package cli

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citewell/citewell/internal/testing/mcptest"
	"github.com/citewell/citewell/internal/testing/modeltest"
)

const keyOfServer = "srv-5fQ2vL8-never-to-be-seen"

// filesServer is an MCP server whose tool fetch answers with a resource by its name.
func filesServer(resources map[string]*mcp.ResourceContents) http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: "files", Version: "1"}, nil)
	type which struct {
		Name string `json:"name"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "fetch", Description: "Fetches a file."},
		func(_ context.Context, _ *mcp.CallToolRequest, in which) (*mcp.CallToolResult, any, error) {
			content := []mcp.Content{&mcp.TextContent{Text: "The keeper of the files is Ada Quill."},
				&mcp.ResourceLink{URI: "file:///etc/hosts", Name: "hosts"}}
			for name := range strings.SplitSeq(in.Name, " ") {
				content = append(content, &mcp.EmbeddedResource{Resource: resources[name]})
			}
			return &mcp.CallToolResult{Content: content}, nil, nil
		})
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
		return server
	}, &mcp.StreamableHTTPOptions{Stateless: true})
}

// docxOf is a word processor's file with one paragraph.
func docxOf(t *testing.T, words string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, content := range map[string]string{
		"[Content_Types].xml": `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
		"word/document.xml":   `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>` + words + `</w:t></w:r></w:p></w:body></w:document>`,
	} {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What a server sends as a resource is read by the readers of index, is a source of its own
// beside the server's words, and holds when the server is gone. What cannot be read says so
// in a line, and the rest of the result stands.
func TestResourcesOfAServerAreSources(t *testing.T) {
	t.Parallel()
	files := httptest.NewServer(filesServer(map[string]*mcp.ResourceContents{
		"pdf": {URI: "store://shelf/gate.pdf", MIMEType: "application/pdf",
			Blob: pdfOf("Notes on the harbour.\n---\nThe harbour gate of Hallvik is twelve metres wide.\n")},
		"untyped": {URI: "store://shelf/17", Blob: pdfOf("The harbour gate of Hallvik is twelve metres wide.\n")},
		"html": {URI: "store://shelf/gate", MIMEType: "text/html",
			Text: "<html><body><script>alert('no word of the page')</script><p>The harbour gate of Hallvik is twelve " +
				"metres wide.</p></body></html>"},
		"csv": {URI: "store://shelf/gates", MIMEType: "text/csv",
			Blob: []byte("gate,width in metres\nHallvik,12\nSkarrow,9\n")},
		"docx": {URI: "store://shelf/gate.docx", Blob: docxOf(t,
			"The harbour gate of Hallvik is twelve metres wide.")},
		"broken":  {URI: "store://shelf/torn.pdf", MIMEType: "application/pdf", Blob: []byte("%PDF-1.7 and no more")},
		"picture": {URI: "store://shelf/gate.png", MIMEType: "image/png", Blob: []byte("\x89PNG\r\n\x1a\n")},
		"secret": {URI: "store://shelf/key.txt", MIMEType: "text/plain",
			Blob: []byte("The key is " + keyOfServer + ".")},
	}))
	defer files.Close()
	model := modeltest.Serve(t)
	home := t.TempDir()
	config := filepath.Join(home, "citewell.yaml")
	write(t, config, fmt.Sprintf("llm: {base_url: %q, model: scripted}\nmcp: {mcpServers: {files: {url: %q, headers: "+
		"{Authorization: Bearer %s}}}}\n"+
		"agents: {plain: {base_class: tool_calling_agent, tools: [final_answer_tool]}}\n", model.Base(), files.URL,
		keyOfServer))
	const wide, keeper = "The harbour gate of Hallvik is twelve metres wide [2].",
		"The keeper of the files is Ada Quill [1]."
	for name, test := range map[string]struct {
		answer string
		source string   // a line of the report
		shown  []string // to the model
	}{
		"pdf": {wide, "\n[2] gate.pdf of files_fetch(name: pdf), ",
			[]string{"[resource gate.pdf, application/pdf, ", "twelve metres",
				"[resource hosts, named and not sent: file:///etc/hosts]"}},
		"untyped": {wide, "\n[2] 17 of files_fetch(", nil},
		"html":    {wide, "\n[2] gate of files_fetch(", []string{"[resource gate, text/html, "}},
		"csv": {"The gate of Hallvik has a width in metres of 12 [2].",
			"\n[2] gates of files_fetch(", nil},
		"docx": {wide, "\n[2] gate.docx of files_fetch(", nil},
		"broken picture secret": {keeper, "\n[1] files_fetch(",
			[]string{"[resource torn.pdf, application/pdf, 20 bytes, not read: ",
				"[resource gate.png, image/png, 8 bytes, not read: it is image/png, which holds no text that can " +
					"be cited]"}},
		"broken pdf": {wide, "\n[2] gate.pdf of files_fetch(",
			[]string{"[resource torn.pdf, application/pdf, 20 bytes, not read: "}},
	} {
		script, err := turns(fmt.Sprintf(`[{"files_fetch": {"name": %q}}, {"final_answer_tool": %q}]`, name,
			test.answer))
		if err != nil {
			t.Fatal(err)
		}
		var last atomic.Value // what the model was told last
		model.Follow(func(n int, a modeltest.Asked) modeltest.Reply {
			_, results := said(a)
			last.Store(strings.Join(results, "\n"))
			return script(n, a)
		})
		stdout, stderr, code := here(t, home, "--config", config, "research", "--agent", "plain",
			"How wide is the harbour gate of Hallvik, and who keeps the files?")
		published := strings.ReplaceAll(stdout, "⊙", "") // without the signs of citations that are undecided
		if code != 0 || !strings.Contains(published, test.answer) || !strings.Contains(stdout, test.source) ||
			!strings.Contains(stdout, "tool:files/fetch?sha256=") {
			t.Errorf("%s: exit code %d\n%s%s", name, code, stdout, stderr)
			continue
		}
		told, _ := last.Load().(string)
		for _, words := range test.shown {
			if !strings.Contains(told, words) {
				t.Errorf("%s: the model was told %q, without %q", name, told, words)
			}
		}
		if strings.Contains(told, "no word of the page") || strings.Contains(told+stdout, keyOfServer) ||
			strings.Contains(told, "localhost") {
			t.Errorf("%s: the model was told %q", name, told)
		}
		report := filepath.Join(home, "report.md")
		write(t, report, stdout)
		if stdout, stderr, code := here(t, home, "--config", config, "--set",
			"mcp.mcpServers.files.url=http://127.0.0.1:1/mcp", "verify", report); code != 0 ||
			!strings.Contains(stdout, "1 checked against stored snapshots") {
			t.Errorf("%s: verify: %d\n%s%s", name, code, stdout, stderr)
		}
		if export, _, _ := here(t, home, "--config", config, "runs", "export", "--format", "json",
			regexp.MustCompile("plain_[0-9a-f-]{36}").FindString(stdout)); name == "pdf" &&
			!strings.Contains(export, `"where": "page 2"`) {
			t.Errorf("the report does not name the page:\n%s", export)
		}
	}
}

// The resources of a server of somebody else's are sources, too.
func TestResourcesOfOthersAreSources(t *testing.T) {
	t.Parallel()
	command := mcptest.Everything(t)
	model := modeltest.Serve(t)
	home := t.TempDir()
	config := filepath.Join(home, "citewell.yaml")
	write(t, config, fmt.Sprintf("llm: {base_url: %q, model: scripted}\nmcp: {mcpServers: {everything: {command: %q, "+
		"args: [%q, %q]}}}\n"+
		"agents: {plain: {base_class: tool_calling_agent, tools: [final_answer_tool]}}\n", model.Base(), command[0],
		command[1], command[2]))
	for _, kind := range []string{"Text", "Blob"} {
		script, err := turns(fmt.Sprintf(
			`[{"everything_get-resource-reference": {"resourceType": %q, "resourceId": 1}}, {"final_answer_tool": "Resource 1 is a %s resource [2]."}]`,
			kind, map[string]string{"Text": "plaintext", "Blob": "base64 blob"}[kind]))
		if err != nil {
			t.Fatal(err)
		}
		model.Follow(script)
		stdout, stderr, code := here(t, home, "--config", config, "research", "--agent", "plain",
			"What kind of resource is resource 1 of the server?")
		if code != 0 || !strings.Contains(stdout, "] 1 of everything_get-resource-reference(") {
			t.Errorf("%s: exit code %d\n%s%s", kind, code, stdout, stderr)
		}
	}
}
