package page

import (
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/quantity"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/text"
)

// A side is what some sources state, where others state something else.
type side struct {
	Says  string
	Sites int // independent ones
	Cites []sided
}

// A sided is a citation on one side, with its source.
type sided struct {
	citation
	Source citewell.Source
}

// Pieces are those of its quote: the figures and dates that its side states are bold, in
// whatever unit or form it writes them.
func (s sided) Pieces() []report.Piece {
	var stated []citewell.OtherFigure
	figures, dates := quantity.Figures(text.Read(s.Says, "")), quantity.Dates(text.Read(s.Says, ""))
	for _, f := range quantity.Figures(text.Read(s.Quote, "")) {
		if slices.ContainsFunc(figures, f.Agrees) {
			stated = append(stated, citewell.OtherFigure{Start: f.Start, End: f.End})
		}
	}
	for _, d := range quantity.Dates(text.Read(s.Quote, "")) {
		if slices.ContainsFunc(dates, d.Agrees) {
			stated = append(stated, citewell.OtherFigure{Start: d.Start, End: d.End})
		}
	}
	return shownPieces(report.Pieces(s.Quote, 0, citewell.Citation{OtherFigures: stated}))
}

// disputesOf are the disagreements of a report, each with its sides, the one with most sites first.
func disputesOf(r citewell.Report, all []citation) (disputes [][]side) {
	for i := range r.Findings {
		var sides []side
		hosts := map[string]map[string]bool{}
		for _, c := range all {
			if c.Finding != i || c.Says == "" {
				continue
			}
			at := slices.IndexFunc(sides, func(s side) bool { return s.Says == c.Says })
			if at < 0 {
				at = len(sides)
				sides, hosts[c.Says] = append(sides, side{Says: c.Says}), map[string]bool{}
			}
			source := sided{citation: c}
			if n := slices.IndexFunc(r.Sources, func(s citewell.Source) bool { return s.N == c.N }); n >= 0 {
				source.Source = r.Sources[n]
			}
			hosts[c.Says][report.SiteOf(source.Source)] = true
			sides[at].Cites, sides[at].Sites = append(sides[at].Cites, source), len(hosts[c.Says])
		}
		if len(sides) > 1 {
			slices.SortStableFunc(sides, func(a, b side) int { return b.Sites - a.Sites })
			disputes = append(disputes, sides)
		}
	}
	return disputes
}
