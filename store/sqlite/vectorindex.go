package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/store/internal/sqlstore"
	"github.com/citewell/citewell/store/internal/vectorcodec"
)

// minCompact is how many slots must be dead before their room is given back.
const minCompact = 1024

// A vectorIndex holds the codes of one collection in memory. Those whose view of the store it equals read it under mu;
// whoever sees that the store has moved on brings it forward.
type vectorIndex struct {
	mu sync.RWMutex
	vectorSlots
	used int64 // when it was last asked for, by vectorIndexes.clock
}

// In vectorSlots slot i of each slice is one row; ids rise, so a row's slot is found by binary search.
type vectorSlots struct {
	words        int
	newest, gone int64 // the state of the collection that the slots are of
	ids          []int64
	codes        []uint64 // words for each slot
	lengths      []float32
	agreements   []float32
	dead         map[int32]bool // slots whose rows are gone
	longest      float32        // of lengths
}

// equals says whether the slots are what c's transaction sees.
func (x *vectorSlots) equals(c sqlstore.Collection) bool {
	return x.newest == c.Newest && x.gone == c.Gone
}

// ahead says whether the slots are of a later state than c's transaction sees.
func (x *vectorSlots) ahead(c sqlstore.Collection) bool {
	return x.newest > c.Newest || x.gone > c.Gone
}

// refresh brings the slots to the state that tx sees. The caller holds mu.
func (x *vectorSlots) refresh(ctx context.Context, from sqlstore.Conn, tenant string, c sqlstore.Collection) error {
	const op = "store.load_vectors"
	if len(x.ids) == 0 || x.gone < c.GoneKnown {
		x.clear()
	} else if err := x.bury(ctx, from, tenant, c); err != nil {
		x.clear()
		return err
	}
	if len(x.ids) == 0 {
		x.reserve(max(0, c.Vectors))
	}
	if err := x.append(ctx, op, from, tenant, c); err != nil {
		x.clear()
		return err
	}
	if live := len(x.ids) - len(x.dead); live != c.Vectors {
		x.clear()
		return fault.Damaged(op, "a collection of the store has lost codes or rows", nil)
	}
	x.newest, x.gone = c.Newest, c.Gone
	if len(x.dead) > max(minCompact, len(x.ids)/8) {
		x.compact()
	}
	return nil
}

func (x *vectorSlots) clear() {
	*x = vectorSlots{words: x.words}
}

func (x *vectorSlots) reserve(n int) {
	x.ids = make([]int64, 0, n)
	x.codes = make([]uint64, 0, n*x.words)
	x.lengths = make([]float32, 0, n)
	x.agreements = make([]float32, 0, n)
	x.dead = make(map[int32]bool)
}

// append reads the rows that came after newest.
func (x *vectorSlots) append(ctx context.Context, op string, from sqlstore.Conn, tenant string,
	c sqlstore.Collection) error {
	if x.newest == c.Newest {
		return nil
	}
	return sqlstore.Each(ctx, from, `SELECT vector, code FROM vector_code WHERE tenant = ? AND collection = ?
		AND vector > ?
		ORDER BY vector`, func(scan func(...any) error) error {
		var id int64
		var data sql.RawBytes
		if err := scan(&id, &data); err != nil {
			return err
		}
		if len(data) != 8*x.words+8 {
			return fault.Damaged(op, "a code of the store is damaged", nil)
		}
		x.ids = append(x.ids, id)
		for i := range x.words {
			x.codes = append(x.codes, binary.LittleEndian.Uint64(data[8*i:]))
		}
		length := vectorcodec.At(data, 2*x.words)
		x.lengths = append(x.lengths, length)
		x.agreements = append(x.agreements, vectorcodec.At(data, 2*x.words+1))
		x.longest = max(x.longest, length)
		return nil
	}, tenant, c.ID, x.newest)
}

// bury marks the slots of rows that went after gone.
func (x *vectorSlots) bury(ctx context.Context, from sqlstore.Conn, tenant string, c sqlstore.Collection) error {
	if x.gone == c.Gone {
		return nil
	}
	gone, err := sqlstore.ReadColumn[int64](ctx, from,
		`SELECT vector FROM vector_gone WHERE tenant = ? AND collection = ?
		AND n > ?`,
		tenant, c.ID, x.gone)
	for _, id := range gone {
		if slot, ok := slices.BinarySearch(x.ids, id); ok {
			x.dead[int32(slot)] = true
		}
	}
	return err
}

// compact gives the room of dead slots back.
func (x *vectorSlots) compact() {
	old := *x
	x.reserve(len(old.ids) - len(old.dead))
	for i, id := range old.ids {
		if old.dead[int32(i)] {
			continue
		}
		x.ids = append(x.ids, id)
		x.codes = append(x.codes, old.codes[x.words*i:x.words*i+x.words]...)
		x.lengths = append(x.lengths, old.lengths[i])
		x.agreements = append(x.agreements, old.agreements[i])
	}
}
