package mcptools

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
)

// maxResources bounds how many resources of one result are read.
const maxResources = 8

// opened is a result as a model reads it, and what of it can be cited: the server's words, and each resource that could
// be read.
func (r *remote) opened(ctx context.Context, content []mcp.Content) (shown string, parts []tool.Page) {
	var said, all []string
	resources := 0
	for _, c := range content {
		if _, is := c.(*mcp.EmbeddedResource); is {
			resources++
		}
	}
	room := r.o.Limit / max(1, min(resources, maxResources))
	for _, c := range content {
		switch c := c.(type) {
		case *mcp.TextContent:
			said, all = append(said, c.Text), append(all, c.Text)
		case *mcp.EmbeddedResource:
			if c.Resource == nil {
				continue
			}
			words, read := r.resource(ctx, c.Resource, room, len(parts) < maxResources)
			if all = append(all, words); read != nil {
				parts = append(parts, *read)
			} else if c.Resource.Text != "" {
				said = append(said, c.Resource.Text)
			}
		default:
			all = append(all, notRead(c))
		}
	}
	tidy := func(words []string) string { return clean(r.hidden(strings.Join(words, "\n"))) }
	if shown = tidy(all); len(said) == len(all) && len(parts) == 0 {
		return shown, nil
	}
	own := []tool.Page{}
	if words := tidy(said); strings.TrimSpace(words) != "" {
		own = append(own, tool.Page{Page: citewell.Page{Body: []byte(words)}})
	}
	return shown, append(own, parts...)
}

// notRead says what a result has beside words and resources.
func notRead(c mcp.Content) string {
	switch c := c.(type) {
	case *mcp.ImageContent:
		return fmt.Sprintf("[image, %s, %d bytes]", c.MIMEType, len(c.Data))
	case *mcp.AudioContent:
		return fmt.Sprintf("[audio, %s, %d bytes]", c.MIMEType, len(c.Data))
	case *mcp.ResourceLink:
		about := named(c.Name)
		if c.MIMEType != "" {
			about += ", " + c.MIMEType
		}
		if c.Size != nil {
			about += fmt.Sprintf(", %d bytes", *c.Size)
		}
		return fmt.Sprintf("[resource %s, named and not sent: %s]", about, named(c.URI))
	}
	return "[content of an unknown kind]"
}

// named is a name as a server gives it, in one line of at most 200 characters.
func named(s string) string { return fmt.Sprintf("%.200s", text.OneLine(s)) }

// resource reads a resource of a result, if it may, and as much of its text as has room. read is nil if it was not
// read.
func (r *remote) resource(ctx context.Context, c *mcp.ResourceContents, room int,
	may bool) (shown string, read *tool.Page) {
	name, body := nameIn(c.URI), c.Blob
	if body == nil {
		body = []byte(c.Text)
	}
	about := named(name)
	if c.MIMEType != "" {
		about += ", " + c.MIMEType
	}
	about = fmt.Sprintf("[resource %s, %d bytes", about, len(body))
	var page tool.Page
	err := r.noReader("at most %d resources of a result are read", maxResources)
	if may {
		page, err = r.readResource(ctx, name, c.MIMEType, body)
	}
	switch {
	case err == nil:
		return about + "]\n" + tool.Shorten(page.Doc.Text, room), &page
	case c.Text != "":
		return c.Text, nil
	}
	return about + ", not read: " + citewell.View(err).Message + "]", nil
}

// readResource reads the bytes of a resource. What says a secret of the operator's is not read.
func (r *remote) readResource(ctx context.Context, name, mediaType string, body []byte) (tool.Page, error) {
	if r.o.Read == nil {
		return tool.Page{}, r.noReader("nothing here reads resources")
	}
	page, err := r.o.Read(ctx, name, mediaType, []byte(r.hidden(string(body))))
	if err == nil && r.hidden(page.Doc.Text) != page.Doc.Text {
		err = r.noReader("it says a key of the server's configuration")
	}
	return page, err
}

func (r *remote) noReader(format string, args ...any) error {
	return &citewell.Error{Code: citewell.CodeUnsupportedType, Op: "mcp " + r.server.Name,
		Message: fmt.Sprintf(format, args...)}
}

// nameIn is the last word of a resource's address.
func nameIn(address string) string {
	if u, err := url.Parse(address); err == nil && u.Path != "" && u.Path != "/" {
		return path.Base(u.Path)
	}
	return address
}
