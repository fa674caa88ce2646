package markup

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/tree"
	"github.com/citewell/citewell/internal/lazyregexp"
)

// codeLanguage is a name as it may stand behind a fence.
var codeLanguage = lazyregexp.New(`^[a-z][a-z0-9+#._-]{0,19}$`)

// noLanguage are names for code in no particular language, and class names beside the name of one.
var noLanguage = map[string]bool{
	"none": true, "text": true, "plain": true, "plaintext": true, "default": true, "nohighlight": true,
	"no-highlight": true, "txt": true, "auto": true,
	"hljs": true, "sourcecode": true, "highlight": true, "numbersource": true, "numberlines": true, "notranslate": true,
	"literate": true,
	"copyable": true, "undefined": true, "wrap": true, "code": true, "lineanchors": true, "linenums": true,
}

// languageOfCode is the language of preformatted text: class="language-go" on it, in it or around it, data-lang, and
// the names of Sphinx, GitHub, MediaWiki, Pandoc, highlight.js and Hexo; else empty.
func languageOfCode(pre *html.Node) string {
	for c := range pre.Descendants() {
		if c.DataAtom == atom.Code {
			if name := languageNamed(c, 0); name != "" {
				return name
			}
			break
		}
	}
	// A table of line numbers stands six elements deep in its highlighter's.
	for at, above := pre, 0; at != nil && above <= 7 && at.DataAtom != atom.Body; at, above = at.Parent, above+1 {
		if name := languageNamed(at, above); name != "" {
			return name
		}
	}
	return ""
}

// languageNamed reads what one element says; above tells how far around the code it stands: farther out,
// class="lang-de" means the words of the page.
func languageNamed(n *html.Node, above int) string {
	var names []string
	if above <= 3 {
		names = append(names, tree.Attribute(n, "data-lang"), tree.Attribute(n, "data-language"))
	}
	class := strings.ToLower(tree.Attribute(n, "class"))
	if _, brush, found := strings.Cut(class, "brush:"); found {
		brush, _, _ = strings.Cut(brush, ";")
		names = append(names, strings.TrimSpace(brush))
	}
	bare := false // other classes name the language
	for _, each := range strings.Fields(class) {
		for _, prefix := range []string{"highlight-source-", "mw-highlight-lang-", "highlight-", "language-", "lang-"} {
			if name, found := strings.CutPrefix(each, prefix); found &&
				(above <= 3 || strings.Contains(prefix, "highlight")) {
				names = append(names, name)
				break
			}
		}
		bare = bare || each == "sourcecode" || each == "hljs" || each == "highlight" && n.DataAtom == atom.Figure
	}
	if bare {
		names = append(names, strings.Fields(class)...)
	}
	for _, name := range names {
		if name = strings.ToLower(name); codeLanguage.MatchString(name) && !noLanguage[name] {
			return name
		}
	}
	return ""
}

// recode puts a block's text, of the same lines, in place of its element's content, and names its language.
func recode(b block.Block) {
	language := languageOfCode(b.Element)
	for b.Element.FirstChild != nil {
		b.Element.RemoveChild(b.Element.FirstChild)
	}
	b.Element.Attr = nil
	tree.Rename(b.Element, atom.Pre)
	inner := tree.Element(atom.Code)
	if language != "" {
		inner.Attr = []html.Attribute{{Key: "class", Val: "language-" + language}}
	}
	inner.AppendChild(&html.Node{Type: html.TextNode, Data: b.Text})
	b.Element.AppendChild(inner)
}
