package content

import (
	"math"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/tree"
	"github.com/citewell/citewell/internal/text"
)

// signalsOf describes every block by numbers, for the forest to judge.
func signalsOf(o Outlook, blocks []block.Block) ([][]float32, []surroundings) {
	s := newScopes(blocks)
	letters := make([]lettering, len(blocks))
	for i, b := range blocks {
		letters[i] = letteringOf(b.Text[b.Marker:])
	}
	page := pageSignals(o, blocks, letters, s)
	center := s.center(blocks)
	place := &placing{scopes: s, center: center, top: s.rate(blocks, letters), paths: pathsOf(s, blocks)}
	own := newWording(o, blocks, letters)
	place.findHeading(own)
	rows, in := make([][]float32, len(blocks)), make([]surroundings, len(blocks))
	room := make([]float32, len(blocks)*maxSignals)
	for i, b := range blocks {
		row := append(room[i*maxSignals:i*maxSignals:(i+1)*maxSignals], page...)
		row = own.add(row, i)
		row = place.addPosition(row, own, i)
		for _, d := range [...]int{-3, -2, -1, 1, 2, 3} {
			row = addNeighbour(row, blocks, letters, i+d)
		}
		near, far := window(blocks, i, 6), window(blocks, i, 15)
		row = append(append(row, near[:]...), far[:]...)
		rows[i] = place.addScopes(row, blocks, i)
		c := s.at(b.Element)
		in[i] = surroundings{size: len(b.Text) - b.Marker, heading: b.Kind == block.Heading,
			around: [...]*scope{c, climb(c), climb(climb(c)), climb(climb(climb(c)))}, path: c.path}
	}
	return rows, in
}

// A wording is what a page's blocks are compared with, and the heading above this one. Blocks are asked for in order.
type wording struct {
	blocks          []block.Block
	letters         []lettering
	copies          map[string]int
	seen            map[string]bool
	described, body map[uint64]bool // runs of words
	title           map[uint64]bool
	words           []uint64 // room for those of one text
	phrases         [len(phraseGroups)]float32
	heading         aboveIt
}

// aboveIt is the heading above a block.
type aboveIt struct {
	since, level int
	overlap      float32 // with the title
	words        int
}

func newWording(o Outlook, blocks []block.Block, letters []lettering) *wording {
	w := &wording{blocks: blocks, letters: letters, copies: map[string]int{}, seen: map[string]bool{},
		title:     map[uint64]bool{},
		described: RunsIn(o.Described), body: RunsIn([]string{o.Body}), heading: aboveIt{since: 99, level: 7}}
	for _, b := range blocks {
		w.copies[b.Text[b.Marker:]]++
	}
	for _, word := range wordsIn(nil, o.Title) {
		w.title[word] = true
	}
	return w
}

// titled is the share of a text's words that the title has.
func (w *wording) titled(text string) float32 {
	if len(text) > 400 {
		return 0
	}
	w.words = wordsIn(w.words[:0], text)
	return knownShare(w.title, w.words)
}

// add appends the signals of the block itself.
func (w *wording) add(row []float32, i int) []float32 {
	b, l := w.blocks[i], w.letters[i]
	words := b.Text[b.Marker:]
	row = append(row, logSize(len(words)), float32(l.words), ratio(b.Linked, len(words)), ratio(l.runes, l.words),
		ratio(l.digits, l.runes), ratio(l.upper, l.runes),
		float32(min(l.commas, 20)), float32(min(l.ends, 20)), ratio(l.ends, l.words), truth(l.ended), truth(l.capital),
		truth(l.price), truth(l.copyright),
		truth(l.bar), truth(l.colon), float32(l.marks), float32(b.Kind), float32(b.Level),
		float32(strings.Count(words, "\n")))
	phrases := phrasesIn(words)
	row = append(append(row, phrases[:]...), w.phrases[:]...)
	row = append(row, boilerNumber[b.Boiler], float32(tagNumber(b.Element)))
	inTitle := w.titled(words)
	w.words = wordsIn(w.words[:0], text.Prefix(words, 4000))
	row = append(row, inTitle, shareOf(w.described, w.words), shareOf(w.body, w.words),
		float32(min(w.copies[words], 10)), truth(w.seen[words]))
	w.seen[words] = true
	if b.Kind == block.Heading {
		w.phrases, w.heading = phrases, aboveIt{level: b.Level, overlap: inTitle, words: l.words}
	} else {
		w.heading.since++
	}
	return row
}

// A placing is where the blocks of a page stand in it.
type placing struct {
	scopes              *scopes
	center, top         *scope
	paths               map[uint64]*alike // the blocks of one path
	mainHeading         int               // -1 where there is none
	firstLong, lastLong int
	before              int // bytes of text
}

func pathsOf(s *scopes, blocks []block.Block) map[uint64]*alike {
	paths := map[uint64]*alike{}
	for _, b := range blocks {
		c := s.at(b.Element)
		if paths[c.path] == nil {
			paths[c.path] = &alike{}
		}
		a := paths[c.path]
		a.count, a.text, a.linked = a.count+1, a.text+len(b.Text)-b.Marker, a.linked+b.Linked
	}
	return paths
}

// findHeading finds the main heading and the first and last long text.
func (p *placing) findHeading(w *wording) {
	p.mainHeading, p.firstLong, p.lastLong = -1, len(w.blocks), -1
	for i, b := range w.blocks {
		if b.Kind == block.Heading && b.Level == 1 && (p.mainHeading < 0 ||
			w.titled(b.Text) > w.titled(w.blocks[p.mainHeading].Text)) {
			p.mainHeading = i
		}
		if n := len(b.Text) - b.Marker; n >= 120 && b.Linked*3 < n && b.Boiler == "" {
			p.firstLong, p.lastLong = min(p.firstLong, i), i
		}
	}
}

// addPosition appends where a block stands in the page.
func (p *placing) addPosition(row []float32, w *wording, i int) []float32 {
	row = append(row, ratio(i, len(w.blocks)), ratio(p.before, p.scopes.root.text), float32(i),
		float32(len(w.blocks)-i))
	if p.mainHeading >= 0 {
		row = append(row, float32(i-p.mainHeading), truth(i < p.mainHeading))
	} else {
		row = append(row, -999, 0)
	}
	p.before += len(w.blocks[i].Text) - w.blocks[i].Marker
	return append(row, float32(i-p.firstLong), float32(p.lastLong-i), float32(min(w.heading.since, 99)),
		float32(w.heading.level), w.heading.overlap, float32(w.heading.words))
}

func addNeighbour(row []float32, blocks []block.Block, letters []lettering, i int) []float32 {
	if i < 0 || i >= len(blocks) {
		return append(row, -1, -1, -1, -1, -1)
	}
	b := blocks[i]
	size := len(b.Text) - b.Marker
	return append(row, logSize(size), ratio(b.Linked, size), float32(b.Kind), truth(b.Boiler != ""),
		truth(letters[i].ended))
}

// addScopes appends what a block stands in.
func (p *placing) addScopes(row []float32, blocks []block.Block, i int) []float32 {
	c, center, top, whole := p.scopes.at(blocks[i].Element), p.center, p.top, p.scopes.root.text
	for _, levels := range c.tags {
		row = append(row, float32(levels))
	}
	for _, levels := range c.groups {
		row = append(row, float32(levels))
	}
	row = append(row, float32(c.depth))
	row = append(row, truth(holds(center, c)), float32(i-center.first), float32(center.last-i),
		ratio(center.text, whole), float32(commonDepth(center, c)), float32(commonDepth(center, c)-center.depth))
	row = append(row, truth(holds(top, c)), ratio(top.text, whole), float32(commonDepth(top, c)-c.depth),
		float32(commonDepth(top, c)-top.depth), float32(i-top.first), float32(top.last-i))
	if p.mainHeading >= 0 {
		h := p.scopes.at(blocks[p.mainHeading].Element)
		row = append(row, float32(commonDepth(h, c)-c.depth), float32(commonDepth(h, c)-h.depth),
			truth(holds(h.parent, top)))
	} else {
		row = append(row, -99, -99, -1)
	}
	for up, at := 0, c; up < 4; up++ {
		row = append(row, at.score/max(top.score, 1))
		row = append(row, ratio(at.linked, at.text), logSize(at.text), ratio(at.long, at.text), ratio(at.text, whole),
			float32(min(at.blocks, 200)), ratio(i-at.first, max(at.last-at.first, 1)))
		at = climb(at)
	}
	most, mostUp := alike{}, 0
	for up, at := 0, c; up < 7 && at.parent != nil; up, at = up+1, at.parent {
		if a := at.parent.children[at.shape]; a.count > most.count {
			most, mostUp = *a, up
		}
	}
	row = append(row, float32(min(most.count, 100)), ratio(most.text, max(most.count, 1)),
		ratio(most.linked, most.text), ratio(most.text, whole), float32(mostUp))
	same := p.paths[c.path]
	return append(row, float32(min(same.count, 200)), ratio(same.text, same.count), ratio(same.linked, same.text),
		ratio(same.text, whole))
}

// surroundings say which blocks stand together: in the same elements, or in elements that look the same.
type surroundings struct {
	size    int
	heading bool
	around  [4]*scope
	path    uint64
}

// window sums up the blocks within reach of i.
func window(blocks []block.Block, i, reach int) [5]float32 {
	var text, linked, long, headings, boiler, n int
	for j := max(i-reach, 0); j <= min(i+reach, len(blocks)-1); j++ {
		b := &blocks[j]
		size := len(b.Text) - b.Marker
		text, linked, n = text+size, linked+b.Linked, n+1
		if size >= 100 && b.Linked*3 < size {
			long += size
		}
		if b.Kind == block.Heading {
			headings++
		}
		if b.Boiler != "" {
			boiler++
		}
	}
	return [...]float32{ratio(text, n), ratio(linked, text), ratio(long, text), ratio(headings, n), ratio(boiler, n)}
}

var boilerNumber = map[tree.Boilerplate]float32{"": 0, tree.Contents: 1, tree.LinkList: 2, tree.Remarks: 3,
	tree.Margin: 4, tree.Navigation: 5}

func tagNumber(n *html.Node) int {
	switch n.DataAtom {
	case atom.P:
		return 0
	case atom.H1:
		return 1
	case atom.H2:
		return 2
	case atom.H3, atom.H4, atom.H5, atom.H6:
		return 3
	case atom.Blockquote:
		return 4
	case atom.Pre, atom.Code:
		return 5
	case atom.Li:
		return 6
	case atom.Td, atom.Th, atom.Table:
		return 7
	case atom.Figcaption, atom.Figure, atom.Caption:
		return 8
	case atom.Section, atom.Article, atom.Main:
		return 9
	case atom.Dt, atom.Dd:
		return 10
	case atom.Div:
		return 11
	case atom.Address, atom.Footer, atom.Header, atom.Nav, atom.Aside:
		return 13
	}
	return 12
}

func truth(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

func ratio(part, whole int) float32 {
	if whole <= 0 {
		return 0
	}
	return float32(part) / float32(whole)
}

func logSize(n int) float32 { return float32(math.Log2(float64(n + 1))) }
