package sqlite

import (
	"cmp"
	"container/heap"
	"slices"
	"sync"

	"github.com/citewell/citewell/store"
)

// An estimate is a slot's row and what its code says of it.
type estimate struct {
	id               int64
	nearness, margin float64
}

// scratch is lent to one scan at a time: two bytes for each slot.
var scratch = sync.Pool{New: func() any { return new([]uint16) }}

// slotsOf returns the slots of ids, which rise.
func (x *vectorSlots) slotsOf(ids []int64) []int32 {
	some := make([]int32, 0, len(ids))
	from := 0
	for _, id := range ids {
		at, found := slices.BinarySearch(x.ids[from:], id)
		from += at
		if found && !x.dead[int32(from)] {
			some = append(some, int32(from))
		}
	}
	return some
}

// coarse returns the want slots, or a few more, whose codes are nearest; of some, unless that is nil. All that are as
// near as the last are in or, beyond twice want, those of the oldest rows, so that the choice is always the same.
func (x *vectorSlots) coarse(e *estimator, some []int32, want int) []int32 {
	live := len(x.ids) - len(x.dead)
	if some != nil {
		live = len(some)
	}
	if live <= want {
		if some == nil {
			some = x.living()
		}
		return some
	}
	lent := scratch.Get().(*[]uint16)
	defer scratch.Put(lent)
	*lent = slices.Grow((*lent)[:0], len(x.ids))[:len(x.ids)]
	grades := *lent
	e.differences(grades, x.codes)
	if judge := e.coarse(x.longest); judge.metric != store.MetricCosine {
		for slot, differences := range grades {
			grades[slot] = judge.grade(differences, x.lengths[slot])
		}
	}
	for slot := range x.dead {
		grades[slot] = noGrade
	}
	var counts [noGrade + 1]int32
	if some != nil {
		for _, slot := range some {
			counts[grades[slot]]++
		}
	} else {
		for _, grade := range grades {
			counts[grade]++
		}
	}
	last, sum := uint16(0), 0
	for sum += int(counts[0]); sum < want; sum += int(counts[last]) {
		last++
	}
	below := sum - int(counts[last])
	atLast := min(int(counts[last]), 2*want-below)
	chosen := make([]int32, 0, below+atLast)
	choose := func(slot int32, grade uint16) {
		if grade == last {
			if atLast == 0 {
				return
			}
			atLast--
		}
		chosen = append(chosen, slot)
	}
	if some != nil {
		for _, slot := range some {
			if grade := grades[slot]; grade <= last {
				choose(slot, grade)
			}
		}
	} else {
		for slot, grade := range grades {
			if grade <= last {
				choose(int32(slot), grade)
			}
		}
	}
	return chosen
}

// living returns every slot whose row is there.
func (x *vectorSlots) living() []int32 {
	all := make([]int32, 0, len(x.ids)-len(x.dead))
	for slot := range x.ids {
		if !x.dead[int32(slot)] {
			all = append(all, int32(slot))
		}
	}
	return all
}

// estimate returns those of chosen that may be among the need nearest, best first.
func (x *vectorSlots) estimate(e *estimator, chosen []int32, need int) []estimate {
	list := make([]estimate, len(chosen))
	var sure lowest // the need best of what each is worth at least
	for i, slot := range chosen {
		n, m := e.estimate(x.codes[int(slot)*x.words:][:x.words], x.lengths[slot], x.agreements[slot])
		list[i] = estimate{x.ids[slot], n, m}
		switch {
		case len(sure) < need:
			heap.Push(&sure, n-m)
		case n-m > sure[0]:
			sure[0] = n - m
			heap.Fix(&sure, 0)
		}
	}
	if len(list) > need {
		list = slices.DeleteFunc(list, func(one estimate) bool { return one.nearness+one.margin < sure[0] })
	}
	slices.SortFunc(list, func(a, b estimate) int {
		return cmp.Or(cmp.Compare(b.nearness, a.nearness), cmp.Compare(a.id, b.id))
	})
	return list
}

// lowest is a heap with its lowest number first.
type lowest []float64

func (l lowest) Len() int           { return len(l) }
func (l lowest) Less(i, j int) bool { return l[i] < l[j] }
func (l lowest) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func (l *lowest) Push(x any)        { *l = append(*l, x.(float64)) }
func (l *lowest) Pop() any {
	last := (*l)[len(*l)-1]
	*l = (*l)[:len(*l)-1]
	return last
}
