package webpage

import (
	"net/url"
	"slices"
	"strings"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/media"
)

// generators make documentation and nothing else.
var generators = []string{
	"docbook", "sphinx", "docutils", "mkdocs", "docusaurus", "antora", "asciidoctor", "doxygen", "javadoc", "rustdoc",
	"gitbook", "vitepress", "mdbook", "yard", "pdoc", "typedoc", "epydoc", "texinfo", "makeinfo", "latex2html", "dokka",
}

var documentationHosts = map[string]bool{"docs": true, "doc": true, "developer": true, "developers": true,
	"devdocs": true, "api": true, "man": true, "manpages": true}

var documentationPaths = map[string]bool{
	"docs": true, "doc": true, "documentation": true, "manual": true, "reference": true, "api": true, "man": true,
	"howto": true, "guide": true, "guides": true, "tutorial": true, "tutorials": true, "library": true, "faq": true,
	"handbook": true,
}

var (
	forumHosts = map[string]bool{"forum": true, "forums": true, "community": true, "discuss": true, "discourse": true,
		"boards": true}
	forumPaths = map[string]bool{"thread": true, "threads": true, "topic": true, "topics": true, "t": true,
		"viewtopic.php":  true,
		"showthread.php": true, "questions": true, "forum": true, "forums": true, "discussion": true,
		"discussions": true}
)

// isForum tells a page whose replies are its content.
func isForum(m metadata, base *url.URL) bool {
	if slices.Contains(m.types, "discussionforumposting") || slices.Contains(m.types, "qapage") {
		return true
	}
	label, _, _ := strings.Cut(base.Hostname(), ".")
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(base.Path, "/")), "/")
	return forumHosts[label] && len(base.Path) > 1 || forumPaths[first]
}

// kindOf decides from a page's declarations, address and share of code. It reads documentation whole, of an article its
// body.
func kindOf(m metadata, base *url.URL, blocks []block.Block) string {
	for _, g := range generators {
		if strings.Contains(m.generator, g) {
			return media.KindDocumentation
		}
	}
	if slices.Contains(m.types, "techarticle") || slices.Contains(m.types, "apireference") {
		return media.KindDocumentation
	}
	var total, coded, headings, terms int
	for _, b := range blocks {
		if b.Boiler != "" {
			continue
		}
		total += len(b.Text)
		switch b.Kind {
		case block.Code:
			coded += len(b.Text)
		case block.Heading:
			headings++
		case block.Term:
			terms++
		}
	}
	if isForum(m, base) {
		return media.KindForum
	}
	signs := 0
	label, _, _ := strings.Cut(base.Hostname(), ".")
	if documentationHosts[label] {
		signs += 2
	}
	for part := range strings.SplitSeq(strings.ToLower(base.Path), "/") {
		if documentationPaths[part] {
			signs++
			break
		}
	}
	if coded*20 > total {
		signs++
	}
	if coded*8 > total || headings >= 6 || terms >= 5 {
		signs++
	}
	switch {
	case m.isArticle() && signs < 3:
		return media.KindArticle
	case signs >= 2:
		return media.KindDocumentation
	case m.published != "" || m.author != "":
		return media.KindArticle
	}
	return media.KindPage
}
