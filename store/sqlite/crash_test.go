package sqlite

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestKill kills the writing process at a random moment, again and again on the
// same store: nothing it acknowledged may be missing.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	rounds := 8
	if testing.Short() {
		rounds = 2
	}
	var all []ack
	for round := range rounds {
		workers := fmt.Sprintf("%d,%d,%d", 3*round, 3*round+1, 3*round+2)
		cmd := child(t.Context(), "write", dir, workers, 0)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		enough := 1 + random.IntN(60)
		acks, failed := readAcks(t, bufio.NewScanner(out), func(count int) {
			if count == enough {
				cmd.Process.Kill()
			}
		})
		if err := cmd.Wait(); err == nil || len(acks) < enough || len(failed) > 0 {
			t.Fatalf("round %d: child ended with %v after %d of %d writes, errors %v", round, err, len(acks),
				enough, failed)
		}
		all = append(all, acks...)
		checkStore(t, dir, all)
	}
}

// TestTwoProcesses has two processes and this one write to one store at once.
func TestTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	const writes = 40
	var all []ack
	results := make(chan []ack)
	for _, workers := range []string{"0,1", "2,3"} {
		go func() {
			acks, failed := runChild(t, child(t.Context(), "write", dir, workers, writes))
			if len(failed) > 0 {
				t.Error(failed)
			}
			results <- acks
		}()
	}
	db := openTest(t, dir)
	for n := range writes {
		a := ack{9, n, kinds[n%len(kinds)]}
		if err := writeItem(db.Tenant("t"), a); err != nil {
			t.Errorf("write %v: %v", a, err)
		}
		all = append(all, a)
	}
	all = append(append(all, <-results...), <-results...)
	if want := 5 * writes; len(all) != want {
		t.Errorf("%d writes were acknowledged, want %d", len(all), want)
	}
	checkStore(t, dir, all)
}
