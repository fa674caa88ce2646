package report

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/citewell/citewell"
)

// shapes tell the verdicts apart without colour: drawings of 16 by 16. Signs are like them.
var shapes = map[citewell.Verdict]string{
	citewell.VerdictContradicted: `<path fill="currentColor" fill-rule="evenodd" d="M5 1h6l4 4v6l-4 4H5l-4-4V5zm.4 3L4 5.400 6.600 8 4 10.600 5.400 12 8 9.400 10.600 12 12 10.600 9.400 8 12 5.400 10.600 4 8 6.600z"/>`,
	citewell.VerdictUnsupported:  `<path fill="none" stroke="currentColor" stroke-width="2" d="M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M4.500 8h7"/>`,
	citewell.VerdictNoSource:     `<path fill="none" stroke="currentColor" stroke-width="2" d="M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M4 12l8-8"/>`,
	citewell.VerdictPartly:       `<path fill="none" stroke="currentColor" stroke-width="2" d="M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2"/><path fill="currentColor" d="M8 2a6 6 0 0 0 0 12z"/>`,
	citewell.VerdictUndecided:    `<path fill="none" stroke="currentColor" stroke-width="2" d="M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2"/><path fill="currentColor" d="M7 7h2v2H7z"/>`,
	citewell.VerdictSnippetOnly:  `<path fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="3 1.700" d="M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2"/>`,
	ByJudge:                      `<path fill="none" stroke="currentColor" stroke-width="2" d="M2 6.500c2-3 4-3 6-1s4 2 6-1M2 11.500c2-3 4-3 6-1s4 2 6-1"/>`,
	citewell.VerdictSupported:    `<path fill="currentColor" fill-rule="evenodd" d="M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1M7 11.500 3.800 8.300 5.200 6.900 7 8.700l4-4L12.400 6.100z"/>`,
}

// Glyphs are the shapes of all verdicts, for a page to have once; Glyph shows one of them.
func Glyphs() template.HTML {
	var w strings.Builder
	w.WriteString(`<svg class="glyphs" width="0" height="0" aria-hidden="true">`)
	for _, v := range Verdicts {
		fmt.Fprintf(&w, `<symbol id="v-%s" viewBox="0 0 16 16">%s</symbol>`, v.Verdict, shapes[v.Verdict])
	}
	return template.HTML(w.String() + "</svg>")
}

// Glyph is the shape of a verdict as HTML. A reader who sees no shapes is told by the words beside it.
func Glyph(v citewell.Verdict) string {
	return fmt.Sprintf(`<svg class="glyph" aria-hidden="true"><use href="#v-%s"></use></svg>`, shownAs(v))
}
