package mcpserver

import (
	"context"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/report"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The resources: what a citation leans on, by the hash that it carries, and the
// brief that it stands in.
const (
	snapshotURI = "citewell://snapshots/"
	briefURI    = "citewell://briefs/"
)

var (
	sha256Form = lazyregexp.New(`^[0-9a-f]{64}$`)
	idForm     = lazyregexp.New(`^[0-9a-f-]{16,64}$`)
)

func addResources(m *mcp.Server, kept Kept) {
	m.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: snapshotURI + "{sha256}", Name: "snapshot", Title: "Text of a source as it was read",
		Description: "The canonical text that a citation's byte span counts in; sha256 is the source's text_sha256.", MIMEType: "text/plain"},
		func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			uri := req.Params.URI
			hash := strings.TrimPrefix(uri, snapshotURI)
			if !sha256Form.MatchString(hash) {
				return nil, mcp.ResourceNotFoundError(uri)
			}
			text, err := kept.Blob(ctx, hash)
			if citewell.CodeOf(err) == citewell.CodeNotFound {
				return nil, mcp.ResourceNotFoundError(uri)
			}
			if err != nil {
				return nil, err
			}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: "text/plain", Text: strings.ToValidUTF8(string(text), "\uFFFD")}}}, nil
		})
	m.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: briefURI + "{id}", Name: "brief", Title: "A brief with all its citations",
		Description: "The Markdown of a brief that web_search made, with the section by which `citewell verify` checks it.", MIMEType: "text/markdown"},
		func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			uri := req.Params.URI
			id := strings.TrimPrefix(uri, briefURI)
			if !idForm.MatchString(id) {
				return nil, mcp.ResourceNotFoundError(uri)
			}
			b, err := kept.Brief(ctx, id)
			if citewell.CodeOf(err) == citewell.CodeNotFound {
				return nil, mcp.ResourceNotFoundError(uri)
			}
			if err != nil {
				return nil, err
			}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: "text/markdown",
				Text: report.Markdown(b, report.Options{Verification: true})}}}, nil
		})
}
