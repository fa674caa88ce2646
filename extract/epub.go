package extract

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/citewell/citewell"
)

// maxChapters is how many parts of a book are read.
const maxChapters = 3000

// readEPUB reads a book chapter by chapter in the order of its spine.
func readEPUB(ctx context.Context, in input) (reading, error) {
	r := reading{kind: kindDocument}
	a, err := openArchive(ctx, in)
	if err != nil {
		return r, err
	}
	container, err := a.xml("META-INF/container.xml")
	if err != nil {
		return r, err
	}
	where := ""
	for _, f := range container.all("rootfile") {
		where = firstOf(where, f.attr("full-path"))
	}
	book, err := a.xml(where)
	if err != nil {
		return r, err
	}
	book = book.kid("package")
	about := book.kid("metadata")
	r.title = clip(cleanLine(about.kid("title").words()), 300)
	r.author = personName(cleanLine(about.kid("creator").words()))
	r.published = day(about.kid("date").words())
	r.language = languageTag(about.kid("language").words())

	locked, err := encryptedParts(a)
	if err != nil {
		return r, err
	}
	chapters := spine(book, where)
	var parts []string
	size, missing := 0, 0
	for i, chapter := range chapters {
		if i >= maxChapters || size > in.options.MaxText {
			r.cut = fmt.Sprintf("the book was read to part %d of %d, as much as is kept", i, len(chapters))
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
			parts = append(parts, markdown)
		}
		size += len(markdown)
	}
	if missing > 0 {
		r.degraded = joinReasons(r.degraded, fmt.Sprintf("of the book's parts, %d are missing", missing))
	}
	r.title = firstOf(r.title, firstHeading(r.blocks))
	r.affiliation = affiliation(r.title, r.blocks)
	r.markdown = clip(strings.Join(parts, "\n\n"), in.options.MaxText+in.options.MaxText/2)
	return r, nil
}

// spine is the order in which the parts of a book are read, its own table of
// contents left out.
func spine(book *xmlNode, where string) []string {
	files := map[string]string{}
	for _, item := range book.kid("manifest").all("item") {
		kind := item.attr("media-type")
		if kind != "application/xhtml+xml" && kind != "text/html" && kind != "application/x-dtbook+xml" || strings.Contains(" "+item.attr("properties")+" ", " nav ") {
			continue
		}
		href, err := url.PathUnescape(item.attr("href"))
		if err != nil {
			href = item.attr("href")
		}
		files[item.attr("id")] = partName(path.Join(path.Dir(where), href))
	}
	var order []string
	seen := map[string]bool{}
	for _, ref := range book.kid("spine").all("itemref") {
		if file := files[ref.attr("idref")]; file != "" && !seen[file] {
			seen[file] = true
			order = append(order, file)
		}
	}
	return order
}

// encryptedParts are the parts that only a reader with a key can read. Fonts are
// often among them, which does not matter.
func encryptedParts(a *archive) (map[string]bool, error) {
	root, err := a.xml("META-INF/encryption.xml")
	if err != nil {
		return nil, err
	}
	parts := map[string]bool{}
	for _, reference := range root.all("CipherReference") {
		name, err := url.PathUnescape(reference.attr("URI"))
		if err != nil {
			name = reference.attr("URI")
		}
		parts[partName(name)] = true
	}
	return parts, nil
}

// readChapter adds a chapter's blocks and links to r and returns its Markdown.
// Links within the book lead nowhere on the web and are left out.
func readChapter(ctx context.Context, in input, b []byte, r *reading) (string, error) {
	in.base = &url.URL{}
	text, _, guessed := decode(b, media{name: "application/xhtml+xml", family: familyHTML})
	if !strings.Contains(r.degraded, guessed) {
		r.degraded = joinReasons(r.degraded, guessed)
	}
	root, _, err := parse(ctx, text, true)
	if err != nil {
		return "", err
	}
	chapter, err := fromTree(ctx, in, root, reading{})
	if err != nil {
		return "", err
	}
	last := 0 // lists are numbered on, so that one does not run into the next
	if n := len(r.blocks); n > 0 {
		last = r.blocks[n-1].list
	}
	for _, b := range chapter.blocks {
		if b.list > 0 {
			b.list += last
		}
		r.blocks = append(r.blocks, b)
	}
	if room := in.options.MaxLinks - len(r.links); room > 0 {
		r.links = append(r.links, chapter.links[:min(room, len(chapter.links))]...)
	}
	return chapter.markdown, nil
}
