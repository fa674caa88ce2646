package sandbox

import (
	"bytes"
	"errors"
	"sync"
)

var errFull = errors.New("the output is full")

// A capped writer keeps what fits and says once that there is no more room.
type capped struct {
	mu   sync.Mutex
	kept bytes.Buffer
	room int64
	over bool
	full func()
}

func (c *capped) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fits := p[:min(int64(len(p)), c.room)]
	c.kept.Write(fits)
	c.room -= int64(len(fits))
	if len(fits) == len(p) {
		return len(p), nil
	}
	if !c.over {
		c.over = true
		c.full()
	}
	return len(fits), errFull
}

func (c *capped) bytes() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept.Bytes()
}

func (c *capped) overflowed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.over
}
