package page

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/text"
)

// maxDrawn is how many lines or bars a picture has; its table has the rest too, or says how many they are.
const maxDrawn = 200

// Measures of the map in units of its drawing, of which 16 are one rem of the page.
const (
	pictureWidth  = 960
	mapHead       = 32 // the names of the columns
	mapRow        = 48 // two lines of words
	mapFindings   = 36 // where the words of findings begin; their numbers end before it
	mapEdgeStart  = 428
	mapEdgeEnd    = 588
	mapSites      = 600
	mapBar        = 120 // the length of a bar that stands for all citations
	mapSpread     = 32  // the ends of the lines of one row lie in so much
	findingCells  = 46  // of a line of a finding
	siteCells     = 28
	siteSaidCells = 26
)

// A mapPage shows which sites carry which findings.
type mapPage struct {
	head
	Leans    string // on how many sites it leans, in words
	All      int    // citations
	Counts   []report.Count
	Findings []mapFinding
	Sites    []mapSite
	Picture  mapPicture
}

// A mapFinding is a finding with what it cites.
type mapFinding struct {
	N     int // from 1
	Words string
	Link  string
	Cites []mapCite
}

// A mapCite is a citation with the site that it leads to.
type mapCite struct {
	citation
	site int // index
	Site string
}

// A mapSite is a site that a report cites.
type mapSite struct {
	Name      string
	Link      string
	Sources   []int // none where it stands for those that there are not
	Citations int
	Share     int    // of all citations, in percent
	Said      string // its class, how many pages, and what is doubtful
}

// A mapPicture is the drawing, in its units.
type mapPicture struct {
	Height   int
	Findings []drawnFinding
	Sites    []drawnSite
	Edges    []edge
	Left     int // citations that are not drawn
}

// Rem is the height in the size of the page's letters.
func (p mapPicture) Rem() string { return rem(p.Height) }

func rem(units int) string { return strconv.FormatFloat(float64(units)/16, 'f', -1, 64) + "rem" }

type drawnFinding struct {
	mapFinding
	Y     int // its middle
	Lines []line
}

type drawnSite struct {
	mapSite
	Y, Bar int
	Short  string
	Detail string
}

// A line is words at a place.
type line struct {
	Y     int
	Words string
}

// An edge is the line of a citation.
type edge struct {
	K          int
	Said       report.VerdictWord
	Link, Path string
	X, Y       int // its middle
}

// Plain reports whether the edge needs no shape in its middle.
func (e edge) Plain() bool {
	return e.Said.Verdict == citewell.VerdictSupported || e.Said.Verdict == report.ByJudge
}

// mapped is GET /runs/{id}/map.
func (s *Site) mapped(w http.ResponseWriter, r *http.Request, status job.Status) error {
	p := mapPage{head: s.head(r, status)}
	p.Title = "Map: " + p.Title
	if status.State.Ended() {
		result, err := s.o.Desk.Result(r.Context(), status.ID)
		if err != nil {
			return err
		}
		if result.Report != nil {
			p.take(*result.Report)
		}
	}
	return show(w, http.StatusOK, "map.html", p)
}

// take makes the picture and the table of a report.
func (p *mapPage) take(r citewell.Report) {
	p.Counts, p.All = report.Counts(r)
	if p.All == 0 {
		return
	}
	at := p.sitesOf(r)
	for i, f := range r.Findings {
		p.Findings = append(p.Findings, mapFinding{N: i + 1, Words: shown(text.OneLine(f.Text)), Link: "/runs/" + p.ID})
	}
	for _, c := range citationsOf(p.ID, r) {
		f := &p.Findings[c.Finding]
		if len(f.Cites) == 0 {
			f.Link = c.Link()
		}
		site := at[c.N]
		f.Cites = append(f.Cites, mapCite{c, site, p.Sites[site].Name})
	}
	p.Leans = leans(report.Sites(r), p.All)
	p.Picture = drawMap(p.Findings, p.Sites, p.All)
}

// Link opens the citation in its report.
func (c citation) Link() string { return fmt.Sprintf("/runs/%s/c/%d#cite", c.Run, c.K) }

// nowhereSite is where citations lead whose source there is not.
const nowhereSite = "no such source"

// sitesOf fills in the sites, and gives for the number of each cited source the index of its site.
func (p *mapPage) sitesOf(r citewell.Report) (at map[int]int) {
	at = map[int]int{}
	classes := map[int]string{}
	for _, s := range r.Sources {
		classes[s.N] = class(s.Class)
	}
	doubtful := map[int][]citewell.Verdict{}
	missing := mapSite{Name: nowhereSite}
	for _, site := range report.Sites(r) {
		for _, n := range site.Sources {
			at[n] = len(p.Sites)
		}
		p.Sites = append(p.Sites, mapSite{Name: shown(site.Name),
			Link: fmt.Sprintf("/runs/%s#s%d", p.ID, site.Sources[0]), Sources: site.Sources, Citations: site.Citations})
	}
	for _, c := range citationsOf(p.ID, r) {
		i, there := at[c.N]
		if !there || i == len(p.Sites) {
			at[c.N], i = len(p.Sites), len(p.Sites)
			missing.Link = cmp.Or(missing.Link, c.Link())
			missing.Citations++
		}
		if c.Verdict != citewell.VerdictSupported {
			doubtful[i] = append(doubtful[i], c.Verdict)
		}
	}
	if missing.Citations > 0 {
		p.Sites = append(p.Sites, missing)
	}
	for i := range p.Sites {
		s := &p.Sites[i]
		s.Share = (100*s.Citations + p.All/2) / p.All
		var said []string
		for _, v := range report.Verdicts {
			if n := len(slices.DeleteFunc(slices.Clone(doubtful[i]), func(d citewell.Verdict) bool {
				return d != v.Verdict
			})); n > 0 && s.Name != nowhereSite {
				said = append(said, fmt.Sprintf("%d %s", n, v.Word))
			}
		}
		if len(s.Sources) > 1 {
			said = append(said, text.Count(len(s.Sources), "page"))
		}
		for _, n := range s.Sources {
			if classes[n] != "" && !slices.Contains(said, classes[n]) {
				said = append(said, classes[n])
			}
		}
		s.Said = strings.Join(said, " · ")
	}
	return at
}

// leans says on how many sites a report leans. sites are sorted, the one with most citations first.
func leans(sites []report.Site, all int) string {
	if len(sites) == 0 {
		return "No citation of this report leads to a source that there is."
	}
	most := sites[0]
	said := fmt.Sprintf("%d of %s", most.Citations, text.Count(all, "citation"))
	if len(sites) == 1 || 2*most.Citations > all {
		return fmt.Sprintf("This report leans on one site: %s carries %s.", shown(most.Name), said)
	}
	return fmt.Sprintf("This report leans on %d sites; none carries more than %s.", len(sites), said)
}

// drawMap places the findings in their order, each site near the findings that it carries, and the citations between
// them. Where there are more than maxDrawn, the doubtful ones are drawn first.
func drawMap(findings []mapFinding, sites []mapSite, all int) mapPicture {
	var drawn []mapCite
	for _, v := range report.Verdicts {
		for _, f := range findings {
			for _, c := range f.Cites {
				if c.Stands == v.Verdict {
					drawn = append(drawn, c)
				}
			}
		}
	}
	p := mapPicture{Left: max(0, len(drawn)-maxDrawn)}
	drawn = drawn[:len(drawn)-p.Left]
	slices.SortFunc(drawn, func(a, b mapCite) int { return cmp.Compare(a.K, b.K) })

	findingAt := map[int]int{} // middles, by index of the finding
	for i, f := range findings {
		if !slices.ContainsFunc(drawn, func(c mapCite) bool { return c.Finding == i }) {
			continue
		}
		y := mapHead + len(p.Findings)*mapRow + mapRow/2
		findingAt[i] = y
		p.Findings = append(p.Findings, drawnFinding{f, y, linesAt(wrapped(f.Words, findingCells, 2), y)})
	}
	siteAt := placeSites(drawn, findingAt, mapHead+len(p.Findings)*mapRow)
	p.Height = mapHead + max(len(findingAt), len(siteAt))*mapRow
	for i, site := range sites {
		if y, there := siteAt[i]; there {
			p.Sites = append(p.Sites, drawnSite{site, y, max(2, mapBar*site.Citations/all),
				shortened(site.Name, siteCells), shortened(site.Said, siteSaidCells)})
		}
	}
	slices.SortFunc(p.Sites, func(a, b drawnSite) int { return cmp.Compare(a.Y, b.Y) })
	p.Edges = edgesOf(drawn, findingAt, siteAt)
	return p
}

// placeSites gives the middles of the sites that have a line, by index: each at the barycentre
// of its findings, and apart from the next. The findings keep the order of the report, so
// ordering the sites once is all that can be done against crossings.
func placeSites(drawn []mapCite, findingAt map[int]int, height int) map[int]int {
	sum, lines := map[int]int{}, map[int]int{}
	for _, c := range drawn {
		sum[c.site] += findingAt[c.Finding]
		lines[c.site]++
	}
	var order []int
	for i := range lines {
		order = append(order, i)
	}
	middle := func(i int) int { return sum[i] / lines[i] }
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(middle(a), middle(b)), cmp.Compare(a, b)) })
	height = max(height, mapHead+len(order)*mapRow)
	at, free := map[int]int{}, mapHead+mapRow/2
	for _, i := range order {
		at[i] = max(free, middle(i))
		free = at[i] + mapRow
	}
	last := height - mapRow/2
	for _, i := range slices.Backward(order) {
		at[i] = min(at[i], last)
		last = at[i] - mapRow
	}
	return at
}

// edgesOf draws the citations. The ends of those of one row lie apart, in the order of what is at their other ends.
func edgesOf(drawn []mapCite, findingAt, siteAt map[int]int) []edge {
	from := spread(drawn, func(c mapCite) (int, int) { return c.Finding, siteAt[c.site] })
	to := spread(drawn, func(c mapCite) (int, int) { return c.site, findingAt[c.Finding] })
	var all []edge
	const turn = (mapEdgeStart + mapEdgeEnd) / 2
	for _, c := range drawn {
		y1, y2 := findingAt[c.Finding]+from[c.K], siteAt[c.site]+to[c.K]
		all = append(all, edge{c.K, c.Said, c.Link(), fmt.Sprintf("M%d %dC%d %d %d %d %d %d", mapEdgeStart, y1, turn,
			y1, turn, y2, mapEdgeEnd, y2), turn, (y1 + y2) / 2})
	}
	return all
}

// spread gives, by K, how far from the middle of its row a citation ends; end says which row
// that is, and by what its lines are ordered.
func spread(drawn []mapCite, end func(mapCite) (row, by int)) map[int]int {
	rows := map[int][]mapCite{}
	for _, c := range drawn {
		row, _ := end(c)
		rows[row] = append(rows[row], c)
	}
	off := map[int]int{}
	for _, list := range rows {
		slices.SortStableFunc(list, func(a, b mapCite) int {
			_, first := end(a)
			_, second := end(b)
			return cmp.Compare(first, second)
		})
		gap := mapSpread / max(len(list), 4)
		for i, c := range list {
			off[c.K] = (2*i - len(list) + 1) * gap / 2
		}
	}
	return off
}

// linesAt puts lines of words around the middle of a row.
func linesAt(words []string, middle int) []line {
	const height, baseline = 18, 5
	var all []line
	for i, w := range words {
		all = append(all, line{middle + baseline + (2*i-len(words)+1)*height/2, w})
	}
	return all
}

// wrapped breaks words into at most so many lines of so many cells.
func wrapped(words string, most, lines int) []string {
	var all []string
	for words != "" && len(all) < lines-1 && cells(words) > most {
		first := cut(words, most)
		if at := strings.LastIndexByte(first, ' '); at > 0 && words[len(first)] != ' ' {
			first = first[:at]
		}
		all = append(all, strings.TrimSpace(first))
		words = strings.TrimSpace(words[len(first):])
	}
	return append(all, shortened(words, most))
}

// shortened is the beginning of words that are longer than so many cells.
func shortened(words string, most int) string {
	if cells(words) <= most {
		return words
	}
	return strings.TrimSpace(cut(words, most-1)) + "…"
}

// cut is what of words has room in so many cells, at least one character of them.
func cut(words string, most int) string {
	used := 0
	for i, r := range words {
		if used += cell(r); used > most && i > 0 {
			return words[:i]
		}
	}
	return words
}

// cells is about how wide words are, an average letter being one.
func cells(words string) (n int) {
	for _, r := range words {
		n += cell(r)
	}
	return n
}

func cell(r rune) int {
	switch {
	case unicode.Is(unicode.Mn, r):
		return 0
	case r >= 0x1100: // of the scripts of the east, and pictures
		return 2
	}
	return 1
}
