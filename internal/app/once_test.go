package app

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

// A thing is made once for each key, however many want it at once; what failed is tried again.
func TestOnce(t *testing.T) {
	var made atomic.Int64
	var o once[int64]
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			key := fmt.Sprint(i % 4)
			first, err := o.get(key, func() (int64, error) { return made.Add(1), nil })
			second, again := o.get(key, func() (int64, error) { return made.Add(1), nil })
			if err != nil || again != nil || first != second {
				t.Errorf("%d, then %d; %v, %v", first, second, err, again)
			}
		})
	}
	all.Wait()
	if made.Load() != 4 {
		t.Errorf("%d were made for four keys", made.Load())
	}
	failed := errors.New("not yet")
	if _, err := o.get("late", func() (int64, error) { return 0, failed }); !errors.Is(err, failed) {
		t.Errorf("%v", err)
	}
	if got, err := o.get("late", func() (int64, error) { return 5, nil }); got != 5 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
	sum := int64(0)
	o.each(func(n int64) { sum += n })
	if sum != 1+2+3+4+5 {
		t.Errorf("each came to %d", sum)
	}
}
