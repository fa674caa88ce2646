package fulltext

import (
	"math/bits"
	"slices"
)

// An IDs is a set of ids of documents, a bit for each between the least and the greatest; the zero value is empty.
type IDs struct {
	least int64
	words []uint64
}

// NewIDs returns the set of some ids, in any order.
func NewIDs(ids []int64) IDs {
	if len(ids) == 0 {
		return IDs{}
	}
	least, most := ids[0], ids[0]
	for _, id := range ids {
		least, most = min(least, id), max(most, id)
	}
	set := IDs{least, make([]uint64, (most-least)/64+1)}
	for _, id := range ids {
		set.words[(id-least)/64] |= 1 << uint((id-least)%64)
	}
	return set
}

// Has says whether an id is in the set.
func (s IDs) Has(id int64) bool {
	at := id - s.least
	return at >= 0 && at < int64(len(s.words))*64 && s.words[at/64]&(1<<uint(at%64)) != 0
}

// Len returns how many ids there are.
func (s IDs) Len() (n int) {
	for _, word := range s.words {
		n += bits.OnesCount64(word)
	}
	return n
}

// Each calls do with each id, rising.
func (s IDs) Each(do func(id int64)) {
	for i, word := range s.words {
		for ; word != 0; word &= word - 1 {
			do(s.least + int64(i*64+bits.TrailingZeros64(word)))
		}
	}
}

// list returns the ids, rising.
func (s IDs) list() []int64 {
	ids := make([]int64, 0, s.Len())
	s.Each(func(id int64) { ids = append(ids, id) })
	return ids
}

// kept returns the ids for which keep is true.
func (s IDs) kept(keep func(id int64) bool) IDs {
	return NewIDs(slices.DeleteFunc(s.list(), func(id int64) bool { return !keep(id) }))
}
