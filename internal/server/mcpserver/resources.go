package mcpserver

import (
	"context"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/report"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The resources: what a citation leans on, by the hash that it carries, and the brief that it stands in.
const (
	snapshotURI = "citewell://snapshots/"
	briefURI    = "citewell://briefs/"
)

var (
	sha256Form = lazyregexp.New(`^[0-9a-f]{64}$`)
	idForm     = lazyregexp.New(`^[0-9a-f-]{16,64}$`)
)

// addText offers texts by the address of a template, whose one variable has a form.
func addText(m *mcp.Server, t mcp.ResourceTemplate, form *lazyregexp.Regexp,
	read func(ctx context.Context, id string) (string, error)) {
	before, rest, _ := strings.Cut(t.URITemplate, "{")
	_, after, _ := strings.Cut(rest, "}")
	m.AddResourceTemplate(&t, func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		uri := req.Params.URI
		id, ok := strings.CutSuffix(strings.TrimPrefix(uri, before), after)
		if !ok || !form.MatchString(id) {
			return nil, mcp.ResourceNotFoundError(uri)
		}
		text, err := read(called(ctx, req.Extra), id)
		if citewell.CodeOf(err) == citewell.CodeNotFound {
			return nil, mcp.ResourceNotFoundError(uri)
		}
		if err != nil {
			return nil, err
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: t.MIMEType, Text: text}}},
			nil
	})
}

func addResources(m *mcp.Server, kept Kept) {
	addText(m, mcp.ResourceTemplate{URITemplate: snapshotURI + "{sha256}", Name: "snapshot",
		Title:       "Text of a source as it was read",
		Description: "The canonical text that a citation's byte span counts in; sha256 is the source's text_sha256.",
		MIMEType:    "text/plain"},
		sha256Form, func(ctx context.Context, hash string) (string, error) {
			text, err := kept.Blob(ctx, hash)
			return strings.ToValidUTF8(string(text), "\uFFFD"), err
		})
	addText(m, mcp.ResourceTemplate{URITemplate: briefURI + "{id}", Name: "brief",
		Title: "A brief with all its citations",
		Description: "The Markdown of a brief that web_search made, with the section by which `citewell verify` " +
			"checks it.", MIMEType: "text/markdown"},
		idForm, func(ctx context.Context, id string) (string, error) {
			b, err := kept.Brief(ctx, id)
			if err != nil {
				return "", err
			}
			return report.Markdown(b, report.Options{Verification: true}), nil
		})
}
