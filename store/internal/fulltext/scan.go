package fulltext

import (
	"cmp"
	"context"
	"math"
	"slices"
	"unicode/utf8"
)

// A scoredText is a document that has words of a query: its score by BM25 and title, and the most that nearness may
// add.
type scoredText struct {
	id         int64
	part       *partQuery
	base, near float64
}

// A partScan is what one part has of a query's terms.
type partScan struct {
	*partQuery
	terms    []wantedTerm // those that rank and those of atoms, in order, each once
	rank     []int        // the place among terms of each wanted one
	gone     IDs
	folder   func(id int64) bool // the documents of which words are counted; nil: all
	segments []scannedSegment
	loose    []looseText
}

type scannedSegment struct {
	texts []Text
	lists [][]termPostings // by term; a prefix has many
}

type looseText struct {
	Text
	found []occurrence // by term; without a name where the document has none
}

// scan reads what a part has of the terms of a query, and weighs those that rank. The worth of a word, and the mean
// length, are counted in the folder alone.
func (p *partQuery) scan(ctx context.Context, r Reader, folder func(id int64) bool) (*partScan, error) {
	s := &partScan{partQuery: p, folder: folder}
	if folder != nil {
		p.Documents, p.Lengths = 0, 0
	}
	s.terms = slices.Clone(p.wanted)
	p.match.each(func(a *atom) { s.terms = append(s.terms, a.terms...) })
	for i := range s.terms {
		s.terms[i].times = 1
	}
	slices.SortFunc(s.terms, compareTerms)
	s.terms = slices.Compact(s.terms)
	s.rank = make([]int, len(p.wanted))
	for i, w := range p.wanted {
		s.rank[i] = s.place(w)
	}
	if err := s.readPostings(ctx, r); err != nil {
		return nil, err
	}
	have, err := s.have()
	if err != nil {
		return nil, err
	}
	p.weigh(have)
	return s, nil
}

func compareTerms(a, b wantedTerm) int {
	if order := cmp.Compare(a.term, b.term); order != 0 || a.prefix == b.prefix {
		return order
	}
	if a.prefix {
		return 1
	}
	return -1
}

// place is where a term stands among terms.
func (s *partScan) place(w wantedTerm) int {
	at, _ := slices.BinarySearchFunc(s.terms, w, compareTerms)
	return at
}

// readPostings reads the postings of the terms, and the documents that no segment has yet.
func (s *partScan) readPostings(ctx context.Context, r Reader) error {
	var err error
	if s.gone, err = r.Gone(ctx, s.ID); err != nil {
		return err
	}
	segments, err := r.Segments(ctx, s.ID)
	if err != nil {
		return err
	}
	texts, err := textsOf(ctx, r, opSearch, segments, r.SegmentTexts)
	if err != nil {
		return err
	}
	s.segments = make([]scannedSegment, len(segments))
	for i := range segments {
		s.segments[i] = scannedSegment{texts[i], make([][]termPostings, len(s.terms))}
		if s.folder != nil {
			for _, text := range texts[i] {
				s.count(text)
			}
		}
	}
	err = eachTermOf(ctx, r, opSearch, segments, s.terms, func(segment, term int, t termPostings) {
		s.segments[segment].lists[term] = append(s.segments[segment].lists[term], t)
	})
	if err != nil {
		return err
	}
	return r.Loose(ctx, s.ID, func(text Text, terms []byte) error {
		record, err := Unseal(opSearch, terms)
		if err != nil {
			return err
		}
		found, err := findEach(record, s.terms)
		if err != nil {
			return damaged(opSearch, err)
		}
		if s.folder != nil {
			s.count(text)
		}
		if slices.ContainsFunc(found, func(o occurrence) bool { return o.term != "" }) {
			s.loose = append(s.loose, looseText{text, found})
		}
		return nil
	})
}

// counts says whether a document is one of those that words are counted in.
func (s *partScan) counts(id int64) bool { return !s.gone.Has(id) && (s.folder == nil || s.folder(id)) }

// count adds a document of the folder to what the part holds of it.
func (s *partScan) count(text Text) {
	if s.counts(text.ID) {
		s.Documents++
		s.Lengths += text.Length
	}
}

// have returns how many documents have each wanted term.
func (s *partScan) have() ([]int, error) {
	have := make([]int, len(s.wanted))
	for i, term := range s.rank {
		for _, segment := range s.segments {
			lists := weighed(segment.lists[term])
			if len(lists) == 1 && s.gone.Len() == 0 && s.folder == nil {
				have[i] += lists[0].documents
				continue
			}
			err := eachPosting(lists, len(segment.texts), func(p posting) {
				if s.counts(segment.texts[p.place].ID) {
					have[i]++
				}
			})
			if err != nil {
				return nil, damaged(opSearch, err)
			}
		}
		for _, text := range s.loose {
			if text.found[term].term != "" && s.counts(text.ID) {
				have[i]++
			}
		}
	}
	return have, nil
}

// weighed are the lists of a term that count for the rank.
func weighed(lists []termPostings) []termPostings { return lists[:min(len(lists), maxExpansions)] }

// score adds the documents of the part that have a wanted term and are kept.
func (s *partScan) score(found *foundTexts, keep func(id int64) bool) error {
	most := 0
	for _, segment := range s.segments {
		most = max(most, len(segment.texts))
	}
	room := segmentScores{make([]float64, most), make([]float64, most), make([]float64, most)}
	for _, segment := range s.segments {
		if err := s.scoreSegment(segment, room, found, keep); err != nil {
			return err
		}
	}
	for _, text := range s.loose {
		if !keep(text.ID) {
			continue
		}
		one, any := scoredText{id: text.ID, part: s.partQuery}, false
		for _, term := range s.rank {
			if o := text.found[term]; o.term != "" {
				base, near := earned(s.weights[o.term], s.lengthNorm(text.Length), mostTogether(o.term),
					o.title, o.body)
				one.base += base
				one.near += near
				any = true
			}
		}
		if any {
			found.add(one)
		}
	}
	return nil
}

// segmentScores are what the documents of a segment earn, by their places.
type segmentScores struct{ base, near, norms []float64 }

// scoreSegment adds the documents of a segment that have a wanted term.
func (s *partScan) scoreSegment(segment scannedSegment, room segmentScores, found *foundTexts,
	keep func(int64) bool) error {
	n := len(segment.texts)
	base, near, norms := room.base[:n], room.near[:n], room.norms[:n]
	clear(base)
	clear(near)
	for place, text := range segment.texts {
		norms[place] = s.lengthNorm(text.Length)
	}
	for i, w := range s.wanted {
		weight, most := s.weights[w.term], mostTogether(w.term)
		err := eachPosting(weighed(segment.lists[s.rank[i]]), n, func(p posting) {
			b, n := earned(weight, norms[p.place], most, p.title, p.body)
			base[p.place] += b
			near[p.place] += n
		})
		if err != nil {
			return damaged(opSearch, err)
		}
	}
	for place, score := range base {
		if id := segment.texts[place].ID; score > 0 && !s.gone.Has(id) && keep(id) {
			found.add(scoredText{id, s.partQuery, score, near[place]})
		}
	}
	return nil
}

// eachPosting calls do with each document of the lists; counts of several terms that one prefix stands for are added.
func eachPosting(lists []termPostings, documents int, do func(posting)) error {
	if len(lists) == 1 {
		return eachOf(lists[0].list, documents, do)
	}
	sums := map[int]posting{}
	for _, one := range lists {
		err := eachOf(one.list, documents, func(p posting) {
			sum := sums[p.place]
			sums[p.place] = posting{p.place, sum.title + p.title, sum.body + p.body}
		})
		if err != nil {
			return err
		}
	}
	for _, sum := range sums {
		do(sum)
	}
	return nil
}

func eachOf(list []byte, documents int, do func(posting)) error {
	r := readPostings(list)
	for p, ok := r.read(); ok; p, ok = r.read() {
		if p.place >= documents {
			return errPostings
		}
		do(p)
	}
	if r.bad {
		return errPostings
	}
	return nil
}

// weigh sets the worth of each term in a part: its inverse document frequency, as often as the query says it.
func (p *partQuery) weigh(have []int) {
	p.weights = make(map[string]float64, len(p.wanted))
	for i, w := range p.wanted {
		n := float64(min(have[i], p.Documents))
		p.weights[w.term] = float64(w.times) * math.Log1p((float64(p.Documents)-n+0.5)/(n+0.5))
	}
}

// lengthNorm is how much a document's length is held against it.
func (p *partQuery) lengthNorm(length int) float64 {
	mean := max(1, float64(p.Lengths)/float64(max(1, p.Documents)))
	return bm25K1 * (1 - bm25B + bm25B*float64(length)/mean)
}

// earned is what a term of a weight earns a document of a length: for its counts in title and body, and the most for
// standing together with others (see bestWindow), once and a share for each repetition that a window has room for.
func earned(weight, norm float64, most, title, body int) (base, near float64) {
	frequency := float64(body) + titleWeight*float64(title)
	base = weight * frequency * (bm25K1 + 1) / (frequency + norm)
	if title > 0 {
		base += titleBonus * weight
	}
	if body > 0 {
		near = nearBonus * weight * (1 + float64(min(body, most)-1)/againShare)
	}
	return base, near
}

// mostTogether is how often a term can stand in a window: its words are no shorter than it.
func mostTogether(term string) int { return 1 + snippetWindow/max(1, utf8.RuneCountInString(term)) }
