//go:build unix

package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/internal/testing/pgtest"
)

// TestClusterModelCalls has four workers of one store ask a model that takes its time, two of
// which are killed: never are more calls under way than the configuration has for all of them
// together, and what the killed ones held is free within seconds.
func TestClusterModelCalls(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]func(testing.TB) string{"sqlite": func(testing.TB) string {
		return "sqlite"
	}, "postgres": pgtest.URL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const limit, workers, runs = 2, 4, 6
			bought, harm := each(8, 2)
			c := newCluster(t, at(t), bought)
			plain, err := os.ReadFile(filepath.Join(c.home, "citewell.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(c.home, "few.yaml"), string(plain)+
				fmt.Sprintf("server: {limits: {model_calls: %d}}\n", limit))
			var under, most atomic.Int32
			c.model.Follow(func(n int, a modeltest.Asked) modeltest.Reply {
				now := under.Add(1)
				defer under.Add(-1) // before anybody has the answer
				for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
				}
				if !triesOut(a) {
					bought(c.bought.Add(1))
				}
				time.Sleep(150 * time.Millisecond) // it thinks
				return researcher{}.reply(n, a)
			})
			c.begin(t, runs)
			for range workers {
				c.worker(t, "few.yaml")
			}
			killed := 0
			c.harmed(t, harm, func() {
				if killed++; killed > 2 {
					return
				}
				i := rand.IntN(len(c.workers))
				c.workers[i].Process.Kill()
				c.workers[i].Wait()
				c.workers = slices.Delete(c.workers, i, i+1)
			})
			c.end(t)
			c.check(t)
			if most.Load() != limit {
				t.Errorf("%d calls were under way at once, want %d", most.Load(), limit)
			}
		})
	}
}
