package fulltext

import (
	"context"
	"hash/maphash"
)

// A Checker holds each document's list of terms against the segments: the sums of a hash of every occurrence must
// agree. This alone finds a part of the index whose meaning a flipped bit changed. Ids are unique in the backend.
type Checker struct {
	seed  maphash.Seed
	sums  map[int64]uint64
	names map[int64]string
}

// NewChecker returns one that knows no document.
func NewChecker() *Checker {
	return &Checker{seed: maphash.MakeSeed(), sums: map[int64]uint64{}, names: map[int64]string{}}
}

const opCheck = "store.check"

func (c *Checker) worth(term string, title, body int) uint64 {
	return maphash.String(c.seed, "any "+term) + uint64(title)*maphash.String(c.seed, "title "+term) +
		uint64(body)*maphash.String(c.seed, "body "+term)
}

func (c *Checker) worthOf(length int) uint64 {
	return uint64(length+1) * maphash.String(c.seed, "length")
}

// Document notes a document. Of one that is loose no segment has anything. problem is told what of it is damaged.
func (c *Checker) Document(id int64, name string, length int, terms, original []byte, loose bool,
	problem func(format string, args ...any)) {
	if _, err := Unseal(opCheck, original); err != nil {
		problem("document %s: its text is damaged", name)
	}
	sum := c.worthOf(length)
	record, err := Unseal(opCheck, terms)
	if err == nil {
		err = EachForward(record, func(term string, title, body int) { sum += c.worth(term, title, body) })
	}
	if err != nil {
		problem("document %s: its list of terms is damaged", name)
		return
	}
	if c.names[id] = name; !loose {
		c.sums[id] = sum
	}
}

// Segment takes from the sums of the documents what a segment has of them. What is gone may be there.
func (c *Checker) Segment(ctx context.Context, r PartReader, segment Segment) error {
	texts, err := TextsOf(ctx, r, opCheck, []Segment{segment})
	if err != nil {
		return err
	}
	for _, text := range texts[0] {
		c.sums[text.ID] -= c.worthOf(text.Length)
	}
	return EachPosting(ctx, r, opCheck, segment, func(text Text, term string, title, body int) {
		c.sums[text.ID] -= c.worth(term, title, body)
	})
}

// End tells problem which documents the index has other words of, and returns how many it has words of that do not
// exist.
func (c *Checker) End(gone IDs, problem func(format string, args ...any)) (strangers int) {
	for id, name := range c.names {
		if c.sums[id] != 0 {
			problem("document %s: the text index has other words than it", name)
		}
		delete(c.sums, id)
	}
	for id, sum := range c.sums {
		if sum != 0 && !gone.Has(id) {
			strangers++
		}
	}
	return strangers
}
