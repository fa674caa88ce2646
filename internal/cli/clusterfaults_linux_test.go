package cli

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/citewell/citewell/internal/testing/pgtest"
)

// TestClusterFullDisk fills the disk of the database under a worker: it says so, lets go of what
// it cannot write down, and goes on with it once there is room.
func TestClusterFullDisk(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t, pgtest.Debian, pgtest.Options{Durable: true})
	url, disk := server.SmallDisk(t, 32<<20)
	ballast := filepath.Join(disk, "ballast")
	filled := make(chan error, 1)
	fill := sync.OnceFunc(func() { filled <- os.WriteFile(ballast, make([]byte, 32<<20), 0o600) })
	c := newCluster(t, url, func(now int64) {
		if now == 3 {
			fill()
		}
	})
	c.begin(t, 6)
	worker := startChild(t, c.home, "worker", "--parallel", "3")
	c.workers = append(c.workers, worker)
	waitFor(t, worker.stderr, "the disk of the database is full")
	if err := <-filled; !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("the disk was not filled: %v", err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	drain(worker)
	c.harmed(t, nil, nil)
	c.end(t)
	c.check(t)
}
