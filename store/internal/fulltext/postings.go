package fulltext

import (
	"encoding/binary"
	"errors"
	"strings"
)

// Postings say which documents of a segment have a term, by their place in the segment, and how often: for each a
// uvarint of twice the places that are passed over, plus one if its counts in title and body follow; else it is once in
// the body.
//
// A page is the postings of some terms in byte order, sealed. For each: the term's length and bytes, the number of
// documents, the length of the postings and their bytes; all numbers uvarint.

var errPostings = errors.New("malformed postings")

// A posting is one document that has a term: how often in the title and in the body, 0 for a field alone.
type posting struct{ place, title, body int }

// appendPosting adds a posting to a list whose next place would be next.
func appendPosting(list []byte, next int, p posting) []byte {
	head := uint64(p.place-next) << 1
	if p.title == 0 && p.body == 1 {
		return binary.AppendUvarint(list, head)
	}
	list = binary.AppendUvarint(list, head|1)
	list = binary.AppendUvarint(list, uint64(p.title))
	return binary.AppendUvarint(list, uint64(p.body))
}

// A postingReader reads a list from its beginning.
type postingReader struct {
	forwardReader
	next int // the next place
}

func readPostings(list []byte) postingReader {
	return postingReader{forwardReader: forwardReader{data: list}}
}

// read returns the next posting, and false at the end or where the list is malformed.
func (r *postingReader) read() (posting, bool) {
	if len(r.data) == 0 {
		return posting{}, false
	}
	var head int
	if first := r.data[0]; first < 0x80 { // as most are
		head, r.data = int(first), r.data[1:]
	} else {
		head = r.number()
	}
	p := posting{place: r.next + head>>1, body: 1}
	if head&1 != 0 {
		p.title, p.body = r.number(), r.number()
	}
	r.next = p.place + 1
	return p, !r.bad
}

// A termPostings is what one page has of one term.
type termPostings struct {
	term      string
	documents int
	list      []byte
}

func appendTermPostings(page []byte, t termPostings) []byte {
	page = binary.AppendUvarint(page, uint64(len(t.term)))
	page = append(page, t.term...)
	page = binary.AppendUvarint(page, uint64(t.documents))
	page = binary.AppendUvarint(page, uint64(len(t.list)))
	return append(page, t.list...)
}

// eachTerm calls do with the terms of a page from the first that is at least from, until do returns false.
func eachTerm(page []byte, from string, do func(termPostings) bool) error {
	for r := (forwardReader{data: page}); len(r.data) > 0; {
		term, documents, list := r.bytes(), r.number(), r.bytes()
		if r.bad {
			return errPostings
		}
		if string(term) >= from && !do(termPostings{string(term), documents, list}) {
			break
		}
	}
	return nil
}

// A Text is a document of a segment: its id and its length in terms.
type Text struct {
	ID     int64
	Length int
}

// appendSegmentTexts encodes the documents of a segment: their number, then for each the step to its id, and its
// length.
func appendSegmentTexts(page []byte, texts []Text) []byte {
	page = binary.AppendUvarint(page, uint64(len(texts)))
	last := int64(0)
	for _, t := range texts {
		page = binary.AppendVarint(page, t.ID-last)
		page = binary.AppendUvarint(page, uint64(t.Length))
		last = t.ID
	}
	return page
}

func readSegmentTexts(page []byte) ([]Text, error) {
	r := forwardReader{data: page}
	count := r.number()
	if count > len(page) {
		return nil, errPostings
	}
	texts := make([]Text, count)
	last := int64(0)
	for i := range texts {
		step, size := binary.Varint(r.data)
		if size <= 0 {
			return nil, errPostings
		}
		r.data = r.data[size:]
		last += step
		texts[i] = Text{last, r.number()}
	}
	if r.bad {
		return nil, errPostings
	}
	return texts, nil
}

// A postingBuilder gathers the postings of documents that are given one after the other.
type postingBuilder struct {
	texts []Text
	terms map[string]*termBuilder
}

type termBuilder struct {
	documents, next int
	list            []byte
}

// addDocument adds a document by its forward record.
func (b *postingBuilder) addDocument(text Text, record []byte) error {
	place := len(b.texts)
	err := EachForward(record, func(term string, title, body int) {
		t := b.terms[term]
		if t == nil {
			t = &termBuilder{}
			b.terms[strings.Clone(term)] = t
		}
		t.list = appendPosting(t.list, t.next, posting{place, title, body})
		t.documents++
		t.next = place + 1
	})
	b.texts = append(b.texts, text)
	return err
}
