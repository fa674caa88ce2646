package sqlite

import (
	"context"
	"math/bits"
	"strconv"
	"strings"
)

// An idSet is a set of ids of documents; the zero value is empty. It takes a bit for each
// id between the least and the greatest.
type idSet struct {
	least int64
	words []uint64
}

func newIDSet(ids []int64) idSet {
	if len(ids) == 0 {
		return idSet{}
	}
	least, most := ids[0], ids[0]
	for _, id := range ids {
		least, most = min(least, id), max(most, id)
	}
	set := idSet{least, make([]uint64, (most-least)/64+1)}
	for _, id := range ids {
		set.words[(id-least)/64] |= 1 << uint((id-least)%64)
	}
	return set
}

func (s idSet) has(id int64) bool {
	at := id - s.least
	return at >= 0 && at < int64(len(s.words))*64 && s.words[at/64]&(1<<uint(at%64)) != 0
}

func (s idSet) len() (n int) {
	for _, word := range s.words {
		n += bits.OnesCount64(word)
	}
	return n
}

// each calls do with each id, rising.
func (s idSet) each(do func(id int64)) {
	for i, word := range s.words {
		for ; word != 0; word &= word - 1 {
			do(s.least + int64(i*64+bits.TrailingZeros64(word)))
		}
	}
}

// readIDs returns the ids that a query of one column gives, in no order. They come as one
// row: of many, a row each takes most of the time.
func readIDs(ctx context.Context, from querier, query string, args ...any) ([]int64, error) {
	var list string
	err := from.QueryRowContext(ctx, `SELECT coalesce(group_concat(id, ' '), '') FROM (SELECT 0 AS id WHERE 0 UNION ALL `+query+`)`, args...).Scan(&list)
	if err != nil || list == "" {
		return nil, err
	}
	ids := make([]int64, 0, strings.Count(list, " ")+1)
	for field := range strings.SplitSeq(list, " ") {
		id, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func readIDSet(ctx context.Context, from querier, query string, args ...any) (idSet, error) {
	ids, err := readIDs(ctx, from, query, args...)
	return newIDSet(ids), err
}
