package sqlite

import (
	"context"
	"database/sql"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell/store/internal/fault"
)

// A scoredText is a document that has words of a query: what they earn it by BM25 and by
// its title, and the most that they may earn it by standing together.
type scoredText struct {
	id         int64
	base, near float64
}

// A partScan reads what one part has of a query's terms.
type partScan struct {
	*partQuery
	tx       *sql.Tx
	gone     idSet
	folder   func(id int64) bool // the documents of which words are counted; nil: all
	segments []scannedSegment
	loose    []looseText
	have     []int // documents that have each wanted term
}

type scannedSegment struct {
	texts []segmentText
	lists [][]termPostings // by wanted term; a prefix has many
}

type looseText struct {
	segmentText
	found []occurrence
}

// scan scores the documents of a part that have any of its wanted terms. What a word is
// worth, and how long a text mostly is, is counted in the folder: it is ranked as if the
// index held nothing else.
func (s textSearch) scan(ctx context.Context, p *partQuery, keep, folder func(id int64) bool) ([]scoredText, error) {
	scan := partScan{partQuery: p, tx: s.tx, folder: folder, have: make([]int, len(p.wanted))}
	if folder != nil {
		p.documents, p.lengths = 0, 0
	}
	var err error
	if scan.gone, err = readGone(ctx, s.tx, p.id); err != nil {
		return nil, err
	}
	segments, err := readSegments(ctx, s.tx, p.id)
	if err != nil {
		return nil, err
	}
	for _, segment := range segments {
		if err := scan.readSegment(ctx, segment.id); err != nil {
			return nil, err
		}
	}
	if err := scan.readLoose(ctx); err != nil {
		return nil, err
	}
	p.weigh(scan.have)
	var scored []scoredText
	for _, segment := range scan.segments {
		if scored, err = scan.scoreSegment(segment, scored, keep); err != nil {
			return nil, err
		}
	}
	for _, text := range scan.loose {
		if !keep(text.id) {
			continue
		}
		one := scoredText{id: text.id}
		for _, o := range text.found {
			base, near := earned(p.weights[o.term], p.lengthNorm(text.length), mostTogether(o.term), o.title, o.body)
			one.base += base
			one.near += near
		}
		scored = append(scored, one)
	}
	return scored, nil
}

// readSegment reads the postings of the wanted terms.
func (s *partScan) readSegment(ctx context.Context, segment int64) error {
	texts, err := readTextsOf(ctx, s.tx, segment)
	if err != nil {
		return err
	}
	if s.folder != nil {
		for _, text := range texts {
			s.count(text)
		}
	}
	read := scannedSegment{texts, make([][]termPostings, len(s.wanted))}
	for i, w := range s.wanted {
		err := eachPostings(ctx, s.tx, segment, w.term, func(t termPostings) bool {
			if t.term != w.term && !(w.prefix && strings.HasPrefix(t.term, w.term)) || len(read.lists[i]) == maxExpansions {
				return false
			}
			read.lists[i] = append(read.lists[i], t)
			return w.prefix
		})
		if err != nil {
			return err
		}
		if len(read.lists[i]) == 1 && s.gone.len() == 0 && s.folder == nil {
			s.have[i] += read.lists[i][0].documents
			continue
		}
		err = eachPosting(read.lists[i], len(texts), func(p posting) {
			if s.counts(texts[p.place].id) {
				s.have[i]++
			}
		})
		if err != nil {
			return fault.Damaged("store.search_text", "the text index is damaged", err)
		}
	}
	s.segments = append(s.segments, read)
	return nil
}

// counts says whether a document is one of those that words are counted in.
func (s *partScan) counts(id int64) bool { return !s.gone.has(id) && (s.folder == nil || s.folder(id)) }

// count adds a document of the folder to what the part holds of it.
func (s *partScan) count(text segmentText) {
	if s.counts(text.id) {
		s.documents++
		s.lengths += text.length
	}
}

// eachPostings calls do with the terms of a segment from the first that is at least from,
// until do returns false.
func eachPostings(ctx context.Context, tx *sql.Tx, segment int64, from string, do func(termPostings) bool) error {
	const op = "store.search_text"
	for more, after := true, from; more; {
		var sealed []byte
		there, err := anyRow(tx.QueryRowContext(ctx, `SELECT term, page FROM text_posting WHERE segment = ? AND term >= ? AND term > '' ORDER BY term LIMIT 1`,
			segment, after).Scan(&after, &sealed))
		if !there {
			return err
		}
		after += "\x00" // the least string that comes after it
		page, err := unseal(op, sealed)
		if err != nil {
			return err
		}
		err = eachTerm(page, from, func(t termPostings) bool {
			more = do(t)
			return more
		})
		if err != nil {
			return fault.Damaged(op, "the text index is damaged", err)
		}
	}
	return nil
}

// readLoose reads the documents that no segment has yet.
func (s *partScan) readLoose(ctx context.Context) error {
	const op = "store.search_text"
	return each(ctx, s.tx, looseTexts, func(scan func(...any) error) error {
		var text looseText
		var sealed sql.RawBytes
		if err := scan(&text.id, &text.length, &sealed); err != nil {
			return err
		}
		record, err := unseal(op, sealed)
		if err != nil {
			return err
		}
		if text.found, err = findForward(record, s.wanted); err != nil {
			return fault.Damaged(op, "the text index is damaged", err)
		}
		if s.folder != nil {
			s.count(text.segmentText)
			if !s.folder(text.id) {
				return nil
			}
		}
		for _, o := range text.found {
			for i, w := range s.wanted {
				if w.term == o.term {
					s.have[i]++
				}
			}
		}
		if len(text.found) > 0 {
			s.loose = append(s.loose, text)
		}
		return nil
	}, s.id)
}

// scoreSegment adds the documents of a segment that have a wanted term.
func (s *partScan) scoreSegment(segment scannedSegment, scored []scoredText, keep func(int64) bool) ([]scoredText, error) {
	base, near, norms := make([]float64, len(segment.texts)), make([]float64, len(segment.texts)), make([]float64, len(segment.texts))
	for place, text := range segment.texts {
		norms[place] = s.lengthNorm(text.length)
	}
	for i, w := range s.wanted {
		weight, most := s.weights[w.term], mostTogether(w.term)
		err := eachPosting(segment.lists[i], len(segment.texts), func(p posting) {
			b, n := earned(weight, norms[p.place], most, p.title, p.body)
			base[p.place] += b
			near[p.place] += n
		})
		if err != nil {
			return nil, fault.Damaged("store.search_text", "the text index is damaged", err)
		}
	}
	for place, score := range base {
		if id := segment.texts[place].id; score > 0 && !s.gone.has(id) && keep(id) {
			scored = append(scored, scoredText{id, score, near[place]})
		}
	}
	return scored, nil
}

// eachPosting calls do with each document that one of the lists has: those of several
// terms that one prefix stands for count together.
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

// weigh sets what each term of the query is worth in a part: its inverse document
// frequency there, as often as the query says it.
func (p *partQuery) weigh(have []int) {
	p.weights = make(map[string]float64, len(p.wanted))
	for i, w := range p.wanted {
		n := float64(min(have[i], p.documents))
		p.weights[w.term] = float64(w.times) * math.Log1p((float64(p.documents)-n+0.5)/(n+0.5))
	}
}

// lengthNorm is how much a document's length is held against it.
func (p *partQuery) lengthNorm(length int) float64 {
	mean := max(1, float64(p.lengths)/float64(max(1, p.documents)))
	return bm25K1 * (1 - bm25B + bm25B*float64(length)/mean)
}

// earned is what a term of a weight earns a document of a length: for its count, by title
// and body, and the most for standing together with others (see bestWindow: the term once,
// and each time that it stands again a share, of at most so many that a window has room for).
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
