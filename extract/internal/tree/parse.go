package tree

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/deadline"
	"github.com/citewell/citewell/extract/internal/plain"
)

// maxParts caps the tags and texts of a page, twice those of the longest standards, at some 110 bytes of tree each.
const maxParts = 2_000_000

const (
	NestedTooDeep = "the page is nested deeper than a parser follows: read as a flat list of blocks"
	ManyParts     = "the page has too many parts: only the first were read"
)

// Parse makes a page's tree within bounds of time and memory, degraded to a flat one where it is nested too deep or
// would be much larger than the page. Its only error is deadline.ErrCut.
func Parse(ctx context.Context, page string, scripting bool) (root *html.Node, degraded string, err error) {
	w := weigh(ctx, page)
	w.idle = nil
	return w.tree(ctx, page, scripting)
}

// ParseWords is parse, scripting, without the text of scripts and styles that nothing here reads, mostly the larger
// part.
func ParseWords(ctx context.Context, page string) (root *html.Node, degraded string, err error) {
	return weigh(ctx, page).tree(ctx, page, true)
}

func (w weight) tree(ctx context.Context, page string, scripting bool) (root *html.Node, degraded string, err error) {
	if w.upTo < len(page) {
		degraded = ManyParts
	}
	page = page[:w.upTo]
	if !w.tangled {
		root, err = html.ParseWithOptions(deadline.Reader(ctx, &gapped{page: page, gaps: w.idle}),
			html.ParseOptionEnableScripting(scripting))
	}
	if w.tangled || err != nil {
		degraded = plain.JoinReasons(NestedTooDeep, degraded)
		root = flatten(ctx, page)
	}
	if ctx.Err() != nil {
		return nil, "", deadline.ErrCut
	}
	return root, degraded, nil
}

// Whole makes the tree of another part's page, such as a provider's results, within the same bounds. It fails on a page
// that only a flat list can be made of, and with ctx.
func Whole(ctx context.Context, page string) (*html.Node, error) {
	root, degraded, err := Parse(ctx, page, true)
	switch {
	case err != nil:
		return nil, cmp.Or(ctx.Err(), err)
	case strings.Contains(degraded, NestedTooDeep):
		return nil, errors.New(NestedTooDeep)
	}
	return root, nil
}

// Fragment makes the elements of markup that stands in something else. It fails
// on markup that parse would not make a tree of.
func Fragment(markup string, around *html.Node) ([]*html.Node, error) {
	w := weigh(context.Background(), markup)
	if w.tangled {
		return nil, errors.New(NestedTooDeep)
	}
	return html.ParseFragment(strings.NewReader(markup[:w.upTo]), around)
}

// A weight is what the tags of a page say before a tree is made of it.
type weight struct {
	upTo    int       // how far to read it
	tangled bool      // what it leaves open would unfold into too many elements
	idle    []stretch // scripts and styles that no part of this package reads
}

// A stretch of a page lies in page[start:end].
type stretch struct{ start, end int }

// weigh goes through the tags of a page.
func weigh(ctx context.Context, page string) weight {
	w := weight{upTo: len(page)}
	t, o := tags{page: page}, openings{}
	look := deadline.Watch{Ctx: ctx}
	var svg, math int // that may be open: in them a script is no raw text to a parser
	var before part
	for range maxParts {
		p := t.next()
		if p.kind == html.ErrorToken || look.Ended() {
			w.upTo, w.tangled = len(page), o.unfolded > maxUnfolded
			return w
		}
		if o.unfolded <= maxUnfolded {
			o.part(page, p)
		}
		switch drawing := svg+math > 0; {
		case p.tag == atom.Svg:
			svg = max(0, svg+step[p.kind])
		case p.tag == atom.Math:
			math = max(0, math+step[p.kind])
		case drawing && (mixed[p.tag] || p.raw && strings.ContainsRune(page[p.start:p.end], '<') ||
			strings.HasPrefix(page[p.start:p.end], "<![")):
			svg = maxParts // what a parser takes for a tag there may reach beyond: where it ends is not known
		case p.raw && !drawing && (before.tag == atom.Script || before.tag == atom.Style) &&
			isIdle(page[before.start:before.end]):
			w.idle = append(w.idle, stretch{p.start, p.end})
		}
		w.upTo, before = p.end, p
	}
	w.tangled = o.unfolded > maxUnfolded
	return w
}

// step is by how many elements more are open after a tag.
var step = map[html.TokenType]int{html.StartTagToken: 1, html.EndTagToken: -1}

// mixed are the elements of drawings and formulas that HTML may stand in.
var mixed = map[atom.Atom]bool{
	atom.Foreignobject: true, atom.Desc: true, atom.AnnotationXml: true,
	atom.Mi: true, atom.Mo: true, atom.Mn: true, atom.Ms: true, atom.Mtext: true,
}

// isIdle tells the tag of a script or style that nothing reads: no data, no formula, nothing that is shown later.
func isIdle(tag string) bool {
	if len(tag) > MaxAttribute || strings.ContainsRune(tag, '&') {
		return false
	}
	tag = strings.ToLower(tag)
	return !slices.ContainsFunc([]string{"json", "math", "opacity", "visibility", "s:"}, func(sign string) bool {
		return strings.Contains(tag, sign)
	})
}

// gapped reads a page without some stretches of it.
type gapped struct {
	page string
	at   int
	gaps []stretch
}

func (g *gapped) Read(p []byte) (int, error) {
	for len(g.gaps) > 0 && g.at == g.gaps[0].start {
		g.at, g.gaps = g.gaps[0].end, g.gaps[1:]
	}
	end := len(g.page)
	if len(g.gaps) > 0 {
		end = g.gaps[0].start
	}
	if g.at == end {
		return 0, io.EOF
	}
	n := copy(p, g.page[g.at:end])
	g.at += n
	return n, nil
}
