package markup

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/charset"
	"github.com/citewell/citewell/extract/internal/formula"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/extract/internal/tree"
	"github.com/citewell/citewell/internal/text"
)

// smallest is the width and height in CSS pixels below which a picture is an icon or a counter.
const smallest = 32

// keepPicture reports whether an <img> is part of what the page tells, and leaves it its address and words. Pictures
// are in Markdown alone; canonical text has their captions.
func keepPicture(n *html.Node) bool {
	if role := tree.Attribute(n, "role"); tree.Hidden(n) || role == "presentation" || role == "none" {
		return false
	}
	for _, side := range []string{"width", "height"} {
		if size, err := strconv.Atoi(strings.TrimSuffix(tree.Attribute(n, side), "px")); err == nil && size < smallest {
			return false
		}
	}
	source := ""
	for _, key := range []string{"src", "data-src", "data-original", "data-lazy-src", "srcset", "data-srcset"} {
		value := strings.TrimSpace(tree.Attribute(n, key))
		if strings.HasSuffix(key, "srcset") {
			value, _, _ = strings.Cut(value, " ")
			value = strings.TrimSuffix(value, ",")
		}
		if value != "" && len(value) <= 4096 && !strings.HasPrefix(strings.ToLower(value), "data:") {
			source = value
			break
		}
	}
	words := plain.OneLine(charset.WellFormedText(text.Prefix(tree.Attribute(n, "alt"), 300)))
	if source == "" || words == "" && !insideFigure(n) {
		return false
	}
	n.Attr = []html.Attribute{{Key: "src", Val: charset.WellFormedText(source)}, {Key: "alt", Val: words}}
	return true
}

func insideFigure(n *html.Node) bool {
	for steps := 0; n != nil && steps < formula.MaxSteps; n, steps = n.Parent, steps+1 {
		if n.DataAtom == atom.Figure {
			return true
		}
	}
	return false
}

// showPicture gives a picture its absolute web address, or takes it out.
func showPicture(n *html.Node, address *url.URL) {
	u := resolve(address, tree.Attribute(n, "src"))
	if u == nil {
		n.Type, n.Data, n.DataAtom, n.Attr = html.TextNode, "", 0, nil
		return
	}
	source := strings.NewReplacer("(", "%28", ")", "%29", " ", "%20", "<", "%3C", ">", "%3E").Replace(u.String())
	words := strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "`", "\\`", "<", "&lt;", "&", "&amp;", "*", `\*`, "_",
		`\_`, "|", `\|`).Replace(tree.Attribute(n, "alt"))
	n.Attr = []html.Attribute{{Key: "src", Val: source}, {Key: "alt", Val: words}}
}
