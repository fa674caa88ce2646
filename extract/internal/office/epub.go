package office

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/charset"
	"github.com/citewell/citewell/extract/internal/imprint"
	"github.com/citewell/citewell/extract/internal/markup"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/extract/internal/tree"
	"github.com/citewell/citewell/extract/internal/xmltree"
	"github.com/citewell/citewell/internal/text"
)

// EPUB reads books.
var EPUB = media.Reader{Name: epubType, Called: "EPUB", Bytes: true, Claims: zipOf(epubType, containerPart, true),
	Files: map[string]string{".epub": epubType},
	Read:  readEPUB}

const (
	epubType      = "application/epub+zip"
	containerPart = "META-INF/container.xml"
)

// maxChapters is how many parts of a book are read.
const maxChapters = 3000

// readEPUB reads a book chapter by chapter in the order of its spine.
func readEPUB(ctx context.Context, in media.Input) (media.Reading, error) {
	r := media.Reading{Kind: media.KindDocument}
	a, parts, err := openParts(ctx, in, containerPart, "META-INF/encryption.xml")
	if err != nil {
		return r, err
	}
	where := ""
	for _, f := range parts[containerPart].All("rootfile") {
		where = cmp.Or(where, f.Attr("full-path"))
	}
	book, err := a.xml(where)
	if err != nil {
		return r, err
	}
	book = book.Kid("package")
	about := book.Kid("metadata")
	r.Title = text.Prefix(plain.CleanLine(about.Kid("title").Words()), 300)
	r.Author = imprint.Person(plain.CleanLine(about.Kid("creator").Words()))
	r.Published = imprint.Day(about.Kid("date").Words())
	r.Language = imprint.Language(about.Kid("language").Words())

	locked := encryptedParts(parts["META-INF/encryption.xml"])
	chapters := spine(book, where)
	var texts []string
	size, missing := 0, 0
	for i, chapter := range chapters {
		if i >= maxChapters || size > in.MaxText {
			r.Cut = fmt.Sprintf("the book was read to part %d of %d, as much as is kept", i, len(chapters))
			break
		}
		if locked[chapter] {
			return r, &citewell.Error{Code: citewell.CodeUnsupportedType, Op: a.op, Message: "the book is encrypted"}
		}
		b, err := a.read(chapter)
		if err != nil {
			return r, err
		}
		if len(b) == 0 {
			missing++
			continue
		}
		markdown, err := readChapter(ctx, in, b, &r)
		if err != nil {
			return r, err
		}
		if markdown != "" {
			texts = append(texts, markdown)
		}
		size += len(markdown)
	}
	if missing > 0 {
		r.Degraded = plain.JoinReasons(r.Degraded, fmt.Sprintf("of the book's parts, %d are missing", missing))
	}
	r.Title = cmp.Or(r.Title, block.FirstHeading(r.Blocks))
	r.Affiliation = block.Affiliation(r.Title, r.Blocks)
	r.Markdown = text.Prefix(strings.Join(texts, "\n\n"), in.MaxText+in.MaxText/2)
	return r, nil
}

// spine is the order in which the parts of a book are read, its own table of contents left out.
func spine(book *xmltree.Node, where string) []string {
	files := map[string]string{}
	for _, item := range book.Kid("manifest").All("item") {
		kind := item.Attr("media-type")
		if kind != "application/xhtml+xml" && kind != "text/html" && kind != "application/x-dtbook+xml" ||
			strings.Contains(" "+item.Attr("properties")+" ", " nav ") {
			continue
		}
		files[item.Attr("id")] = partName(path.Join(path.Dir(where), unescaped(item.Attr("href"))))
	}
	var order []string
	seen := map[string]bool{}
	for _, ref := range book.Kid("spine").All("itemref") {
		if file := files[ref.Attr("idref")]; file != "" && !seen[file] {
			seen[file] = true
			order = append(order, file)
		}
	}
	return order
}

// encryptedParts are the parts that only a reader with a key can read, fonts among them.
func encryptedParts(root *xmltree.Node) map[string]bool {
	parts := map[string]bool{}
	for _, reference := range root.All("CipherReference") {
		parts[partName(unescaped(reference.Attr("URI")))] = true
	}
	return parts
}

// unescaped is the path of an address, as it stands where it is none.
func unescaped(address string) string {
	if path, err := url.PathUnescape(address); err == nil {
		return path
	}
	return address
}

// readChapter adds a chapter's blocks and web links to r and returns its Markdown.
func readChapter(ctx context.Context, in media.Input, b []byte, r *media.Reading) (string, error) {
	in.Base = &url.URL{}
	text, _, guessed := charset.Decode(b, "", true)
	if !strings.Contains(r.Degraded, guessed) {
		r.Degraded = plain.JoinReasons(r.Degraded, guessed)
	}
	root, _, err := tree.Parse(ctx, text, true)
	if err != nil {
		return "", err
	}
	chapter, err := markup.FromTree(ctx, in, root, media.Reading{})
	if err != nil {
		return "", err
	}
	last := 0 // lists are numbered on, so that one does not run into the next
	if n := len(r.Blocks); n > 0 {
		last = r.Blocks[n-1].List
	}
	for _, b := range chapter.Blocks {
		if b.List > 0 {
			b.List += last
		}
		r.Blocks = append(r.Blocks, b)
	}
	if room := in.MaxLinks - len(r.Links); room > 0 {
		r.Links = append(r.Links, chapter.Links[:min(room, len(chapter.Links))]...)
	}
	return chapter.Markdown, nil
}
