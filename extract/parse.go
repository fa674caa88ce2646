package extract

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html"
)

// maxParts caps the tags and texts of a page that are read; the longest standards
// on one page have half as many. Each costs about 110 bytes of a tree beside its text.
const maxParts = 2_000_000

const (
	nestedTooDeep = "the page is nested deeper than a parser follows: read as a flat list of blocks"
	manyParts     = "the page has too many parts: only the first were read"
)

// parse makes a page's tree within bounds of time and memory, a flat one where the
// page is nested too deep or its tree would be much larger than itself. degraded says
// so. Its only error is errCut.
func parse(ctx context.Context, text string, scripting bool) (root *html.Node, degraded string, err error) {
	upTo, tangled := weigh(ctx, text)
	if upTo < len(text) {
		degraded, text = manyParts, text[:upTo]
	}
	if !tangled {
		root, err = html.ParseWithOptions(&stoppable{ctx, strings.NewReader(text)}, html.ParseOptionEnableScripting(scripting))
	}
	if tangled || err != nil {
		degraded = joinReasons(nestedTooDeep, degraded)
		root = flatten(ctx, text)
	}
	if ctx.Err() != nil {
		return nil, "", errCut
	}
	return root, degraded, nil
}

// Tree makes the tree of a page that is read by another part, such as a provider's page
// of results, within the same bounds. It fails on a page that only a flat list of blocks
// can be made of, and with ctx.
func Tree(ctx context.Context, page string) (*html.Node, error) {
	root, degraded, err := parse(ctx, page, true)
	switch {
	case err != nil:
		return nil, cmp.Or(ctx.Err(), err)
	case strings.Contains(degraded, nestedTooDeep):
		return nil, errors.New(nestedTooDeep)
	}
	return root, nil
}

// parseFragment makes the elements of markup that stands in something else. It fails
// on markup that parse would not make a tree of.
func parseFragment(markup string, around *html.Node) ([]*html.Node, error) {
	upTo, tangled := weigh(context.Background(), markup)
	if tangled {
		return nil, errors.New(nestedTooDeep)
	}
	return html.ParseFragment(strings.NewReader(markup[:upTo]), around)
}

// weigh goes through the tags of a page and says how far to read it, and whether
// what it leaves open would unfold into too many elements.
func weigh(ctx context.Context, text string) (upTo int, tangled bool) {
	tokens := html.NewTokenizer(&stoppable{ctx, strings.NewReader(text)})
	var o openings
	for range maxParts {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			return len(text), o.unfolded > maxUnfolded
		}
		if o.unfolded <= maxUnfolded {
			o.token(kind, tokens)
		}
		upTo += len(tokens.Raw())
	}
	return upTo, o.unfolded > maxUnfolded
}

// stoppable ends a parse when ctx is over. It gives the parser little at a time,
// because a parser asks for as much as the longest tag before was long.
type stoppable struct {
	ctx context.Context
	r   io.Reader
}

const stoppableStep = 1 << 10 // bytes

func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p[:min(len(p), stoppableStep)])
}
