package sqlite

import (
	"cmp"
	"sync"

	"github.com/citewell/citewell/store/internal/sqlstore"
)

// vectorMemory is what the codes of all collections may take in memory.
const vectorMemory = 256 << 20

// vectorIndexes are the collections that were searched of late. What was not searched for longest leaves first when all
// together would take more than the limit.
type vectorIndexes struct {
	mu    sync.Mutex
	limit int64 // bytes; vectorMemory when 0
	open  map[int64]*vectorIndex
	bytes map[int64]int64 // what each was thought to take when it was last asked for
	clock int64
}

// vectorBytes is what one vector takes in memory.
func vectorBytes(dimension int) int64 {
	return int64(8*codeWords(dimension) + 8 + 4 + 4)
}

// indexOf returns the index of a collection, and nil where it would alone be too large.
func (x *vectorIndexes) indexOf(c sqlstore.Collection) *vectorIndex {
	x.mu.Lock()
	defer x.mu.Unlock()
	limit := cmp.Or(x.limit, vectorMemory)
	need := int64(c.Vectors) * vectorBytes(c.Dimension)
	if need > limit {
		x.drop(c.ID)
		return nil
	}
	index := x.open[c.ID]
	if index == nil {
		if x.open == nil {
			x.open, x.bytes = make(map[int64]*vectorIndex), make(map[int64]int64)
		}
		index = &vectorIndex{vectorSlots: vectorSlots{words: codeWords(c.Dimension)}}
		x.open[c.ID] = index
	}
	x.clock++
	index.used = x.clock
	x.bytes[c.ID] = need
	for total := x.total(); total > limit; total = x.total() {
		x.drop(x.oldest())
	}
	return index
}

func (x *vectorIndexes) total() (sum int64) {
	for _, bytes := range x.bytes {
		sum += bytes
	}
	return sum
}

func (x *vectorIndexes) oldest() (id int64) {
	used := x.clock + 1
	for candidate, index := range x.open {
		if index.used < used {
			id, used = candidate, index.used
		}
	}
	return id
}

// drop forgets an index; who still reads it keeps it until done.
func (x *vectorIndexes) drop(id int64) {
	delete(x.open, id)
	delete(x.bytes, id)
}

// forget drops the index of a collection that is no more.
func (x *vectorIndexes) forget(id int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.drop(id)
}
