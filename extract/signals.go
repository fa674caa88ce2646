package extract

import (
	"math"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// signalsOf describes every block by numbers, for the forest to judge.
func signalsOf(o outlook, blocks []block) ([][]float32, []surroundings) {
	s := newScopes(blocks)
	letters := make([]lettering, len(blocks))
	copies := map[string]int{}
	for i, b := range blocks {
		letters[i] = letteringOf(b.text[b.marker:])
		copies[b.text[b.marker:]]++
	}
	page := pageSignals(o, blocks, letters, s)
	center := s.center(blocks)
	top := s.rate(blocks, letters)
	described := runsIn(o.meta.described)
	body := runsIn([]string{o.meta.body})
	titleWords := map[uint64]bool{}
	for _, w := range wordsIn(nil, o.meta.title) {
		titleWords[w] = true
	}
	var words []uint64
	titled := func(text string) float32 {
		if len(text) > 400 {
			return 0
		}
		words = wordsIn(words[:0], text)
		return knownShare(titleWords, words)
	}
	mainHeading := -1
	for i, b := range blocks {
		if b.kind == heading && b.level == 1 {
			if mainHeading < 0 || titled(b.text) > titled(blocks[mainHeading].text) {
				mainHeading = i
			}
		}
	}
	firstLong, lastLong := len(blocks), -1
	for i, b := range blocks {
		if n := len(b.text) - b.marker; n >= 120 && b.linked*3 < n && b.boiler == "" {
			firstLong, lastLong = min(firstLong, i), i
		}
	}
	seen := map[string]bool{}
	rows, in := make([][]float32, len(blocks)), make([]surroundings, len(blocks))
	room := make([]float32, len(blocks)*maxSignals)
	before := 0
	var row []float32
	add := func(values ...float32) { row = append(row, values...) }
	neighbour := func(i int) {
		if i < 0 || i >= len(blocks) {
			add(-1, -1, -1, -1, -1)
			return
		}
		b := blocks[i]
		size := len(b.text) - b.marker
		add(logSize(size), ratio(b.linked, size), float32(b.kind), truth(b.boiler != ""), truth(letters[i].ended))
	}
	sinceHeading, headingLevel, headingOverlap := 99, 7, float32(0)
	var headingText lettering
	var headingPhrases [len(phraseGroups)]float32
	paths := map[uint64]*alike{}
	for _, b := range blocks {
		c := s.at(b.element)
		if paths[c.path] == nil {
			paths[c.path] = &alike{}
		}
		a := paths[c.path]
		a.count, a.text, a.linked = a.count+1, a.text+len(b.text)-b.marker, a.linked+b.linked
	}
	for i, b := range blocks {
		row = append(room[i*maxSignals:i*maxSignals:(i+1)*maxSignals], page...)
		text := b.text[b.marker:]
		size, l := len(text), letters[i]
		c := s.at(b.element)

		// The block itself.
		add(logSize(size), float32(l.words), ratio(b.linked, size), ratio(l.runes, l.words), ratio(l.digits, l.runes), ratio(l.upper, l.runes),
			float32(min(l.commas, 20)), float32(min(l.ends, 20)), ratio(l.ends, l.words), truth(l.ended), truth(l.capital), truth(l.price), truth(l.copyright),
			truth(l.bar), truth(l.colon), float32(l.marks), float32(b.kind), float32(b.level), float32(strings.Count(text, "\n")))
		phrases := phrasesIn(text)
		add(phrases[:]...)
		add(headingPhrases[:]...)
		if b.kind == heading {
			headingPhrases = phrases
		}
		add(boilerNumber[b.boiler], float32(tagNumber(b.element)))
		inTitle := titled(text)
		words = wordsIn(words[:0], clip(text, 4000))
		add(inTitle, shareOf(described, words), shareOf(body, words), float32(min(copies[text], 10)), truth(seen[text]))
		seen[text] = true

		// Where it stands in the page.
		add(ratio(i, len(blocks)), ratio(before, s.root.text), float32(i), float32(len(blocks)-i))
		if mainHeading >= 0 {
			add(float32(i-mainHeading), truth(i < mainHeading))
		} else {
			add(-999, 0)
		}
		add(float32(i-firstLong), float32(lastLong-i))
		if b.kind == heading {
			sinceHeading, headingLevel, headingOverlap, headingText = 0, b.level, inTitle, l
		} else {
			sinceHeading++
		}
		add(float32(min(sinceHeading, 99)), float32(headingLevel), headingOverlap, float32(headingText.words))
		before += size

		// What stands beside it.
		for _, d := range [...]int{-3, -2, -1, 1, 2, 3} {
			neighbour(i + d)
		}
		near, far := window(blocks, i, 6), window(blocks, i, 15)
		add(near[:]...)
		add(far[:]...)

		// What it stands in.
		for _, levels := range c.tags {
			add(float32(levels))
		}
		for _, levels := range c.groups {
			add(float32(levels))
		}
		add(float32(c.depth))
		add(truth(holds(center, c)), float32(i-center.first), float32(center.last-i), ratio(center.text, s.root.text), float32(commonDepth(center, c)), float32(commonDepth(center, c)-center.depth))
		add(truth(holds(top, c)), ratio(top.text, s.root.text), float32(commonDepth(top, c)-c.depth), float32(commonDepth(top, c)-top.depth), float32(i-top.first), float32(top.last-i))
		if mainHeading >= 0 {
			h := s.at(blocks[mainHeading].element)
			add(float32(commonDepth(h, c)-c.depth), float32(commonDepth(h, c)-h.depth), truth(holds(h.parent, top)))
		} else {
			add(-99, -99, -1)
		}
		for up, at := 0, c; up < 4; up++ {
			add(at.score / max(top.score, 1))
			add(ratio(at.linked, at.text), logSize(at.text), ratio(at.long, at.text), ratio(at.text, s.root.text), float32(min(at.blocks, 200)), ratio(i-at.first, max(at.last-at.first, 1)))
			at = climb(at)
		}
		most := alike{}
		mostUp := 0
		for up, at := 0, c; up < 7 && at.parent != nil; up, at = up+1, at.parent {
			if a := at.parent.children[at.shape]; a.count > most.count {
				most, mostUp = *a, up
			}
		}
		add(float32(min(most.count, 100)), ratio(most.text, max(most.count, 1)), ratio(most.linked, most.text), ratio(most.text, s.root.text), float32(mostUp))
		same := paths[c.path]
		add(float32(min(same.count, 200)), ratio(same.text, same.count), ratio(same.linked, same.text), ratio(same.text, s.root.text))
		rows[i] = row
		in[i] = surroundings{size: size, heading: b.kind == heading, around: [...]*scope{c, climb(c), climb(climb(c)), climb(climb(climb(c)))}, path: c.path}
	}
	return rows, in
}

// surroundings say which blocks stand together: in the same elements, or in
// elements that look the same.
type surroundings struct {
	size    int
	heading bool
	around  [4]*scope
	path    uint64
}

// window sums up the blocks within reach of i.
func window(blocks []block, i, reach int) [5]float32 {
	var text, linked, long, headings, boiler, n int
	for j := max(i-reach, 0); j <= min(i+reach, len(blocks)-1); j++ {
		b := &blocks[j]
		size := len(b.text) - b.marker
		text, linked, n = text+size, linked+b.linked, n+1
		if size >= 100 && b.linked*3 < size {
			long += size
		}
		if b.kind == heading {
			headings++
		}
		if b.boiler != "" {
			boiler++
		}
	}
	return [...]float32{ratio(text, n), ratio(linked, text), ratio(long, text), ratio(headings, n), ratio(boiler, n)}
}

var boilerNumber = map[boilerplate]float32{"": 0, contents: 1, linkList: 2, remarks: 3, margin: 4, navigation: 5}

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
