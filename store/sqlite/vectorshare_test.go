package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
)

func init() { childModes["vectors"] = childVectors }

const itemDimension = 16

// itemValues follow from the numbers of the worker and the write.
func itemValues(a ack) []float32 {
	random := rand.New(rand.NewPCG(uint64(a.worker), uint64(a.n)))
	values := make([]float32, itemDimension)
	for i := range values {
		values[i] = float32(random.NormFloat64())
	}
	return values
}

// writeVector keeps the n-th vector of a worker; each fourth write takes the one
// before away instead.
func writeVector(s *Store, a ack) error {
	ctx := context.Background()
	if a.kind == "removed" {
		n, err := s.RemoveVectors(ctx, "c", []string{itemID(ack{a.worker, a.n - 1, "vector"})})
		if err == nil && n != 1 {
			return fmt.Errorf("%d removed", n)
		}
		return err
	}
	return s.UpsertVectors(ctx, "c", []store.Vector{{ID: itemID(a), Values: itemValues(a), Text: itemText(a),
		Metadata: map[string]string{"worker": strconv.Itoa(a.worker)}}})
}

func vectorKind(n int) string {
	if n%4 == 3 {
		return "removed"
	}
	return "vector"
}

func makeItems(s *Store) error {
	return s.MakeCollection(context.Background(), store.VectorCollection{Name: "c", Dimension: itemDimension})
}

func childVectors(dir string) int {
	db, err := Open(context.Background(), dir, Options{LockWait: 30 * time.Second})
	if err != nil {
		fmt.Println("open", citewell.CodeOf(err), err)
		return 1
	}
	if err := makeItems(db.Tenant("t")); err != nil {
		fmt.Println("make", err)
		return 1
	}
	limit, _ := strconv.Atoi(os.Getenv(childWrites))
	var group sync.WaitGroup
	for worker := range strings.SplitSeq(os.Getenv(childWorkers), ",") {
		w, _ := strconv.Atoi(worker)
		group.Go(func() {
			for n := 0; limit == 0 || n < limit; n++ {
				a := ack{w, n, vectorKind(n)}
				line := fmt.Sprintf("ack %d %d %s\n", w, n, a.kind)
				if err := writeVector(db.Tenant("t"), a); err != nil {
					line = fmt.Sprintf("err %d %d %v\n", w, n, err)
				}
				os.Stdout.WriteString(line) // one unbuffered write
			}
		})
	}
	group.Wait()
	if err := db.Close(); err != nil {
		fmt.Println("close", err)
		return 1
	}
	return 0
}

// checkVector says what is wrong with an acknowledged write, asked of a search.
func checkVector(s *Store, a ack) error {
	wanted := a
	if a.kind == "removed" {
		wanted = ack{a.worker, a.n - 1, "vector"}
	}
	hits, err := s.NearestVectors(context.Background(), store.VectorQuery{
		Collection: "c", Values: itemValues(wanted), K: 1, WithText: true})
	if err != nil {
		return err
	}
	found := len(hits) == 1 && hits[0].ID == itemID(wanted) && math.Abs(hits[0].Score-1) < 1e-6 &&
		hits[0].Text == itemText(wanted)
	switch {
	case a.kind == "removed" && found:
		return fmt.Errorf("it is found although it was removed")
	case a.kind == "vector" && a.n%4 != 2 && !found: // the third of four may be gone by a write in flight
		return fmt.Errorf("found %+v", hits)
	}
	return nil
}

// checkVectorTables holds the tables of vectors against each other.
func checkVectorTables(t *testing.T, db *DB) {
	t.Helper()
	for name, query := range map[string]string{
		"rows and the count of their collection": `SELECT c.vectors - (SELECT count(*) FROM vector WHERE collection = c.id) FROM vector_collection AS c`,
		"codes without a row":                    `SELECT count(*) FROM vector_code WHERE vector NOT IN (SELECT id FROM vector)`,
		"rows without a code":                    `SELECT count(*) FROM vector WHERE id NOT IN (SELECT vector FROM vector_code)`,
		"tags without a row":                     `SELECT count(*) FROM vector_tag WHERE vector NOT IN (SELECT id FROM vector)`,
		"rows newer than " +
			"the newest": `SELECT count(*) FROM vector AS v, vector_collection AS c WHERE c.id = v.collection AND v.id > c.newest`,
		"what went and what is known of it": `SELECT c.gone - c.gone_known - (SELECT count(*) FROM vector_gone WHERE collection = c.id) FROM vector_collection AS c`,
	} {
		var wrong int
		if err := db.reads.QueryRow(query).Scan(&wrong); err != nil || wrong != 0 {
			t.Errorf("%s differ by %d, %v", name, wrong, err)
		}
	}
}

// TestVectorsKill kills the writing process at a random moment, again and again on
// the same store.
func TestVectorsKill(t *testing.T) {
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(3, 4))
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	var all []ack
	for round := range rounds {
		cmd := child(t.Context(), "vectors", dir, fmt.Sprintf("%d,%d", 2*round, 2*round+1), 0)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
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
		db := openTest(t, dir)
		for _, a := range all {
			if err := checkVector(db.Tenant("t"), a); err != nil {
				t.Errorf("acknowledged write %v is lost: %v", a, err)
			}
		}
		checkVectorTables(t, db)
	}
}

// TestVectorsOfAnotherProcess searches in this process what two others write, each
// write as soon as it is acknowledged, while this one writes too.
func TestVectorsOfAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	db := openTest(t, dir)
	s := db.Tenant("t")
	if err := makeItems(s); err != nil {
		t.Fatal(err)
	}
	const writes = 60
	var group sync.WaitGroup
	for _, worker := range []string{"1", "2"} {
		group.Go(func() {
			cmd := child(t.Context(), "vectors", dir, worker, writes)
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Error(err)
				return
			}
			seen := 0
			for lines := bufio.NewScanner(out); lines.Scan(); seen++ {
				if a := parseAck(t, lines.Text()); checkVector(s, a) != nil {
					t.Errorf("another process's write %v is not seen: %v", a, checkVector(s, a))
				}
			}
			if err := cmd.Wait(); err != nil || seen != writes {
				t.Errorf("child ended with %v after %d writes", err, seen)
			}
		})
	}
	for n := range writes {
		a := ack{9, n, vectorKind(n)}
		if err := writeVector(s, a); err != nil {
			t.Errorf("write %v: %v", a, err)
		}
		if err := checkVector(s, a); err != nil {
			t.Errorf("own write %v is not seen: %v", a, err)
		}
	}
	group.Wait()
	if n, err := s.CountVectors(t.Context(), "c", nil); n != 3*writes/2 || err != nil {
		t.Errorf("%d vectors (%v), want %d", n, err, 3*writes/2)
	}
	checkVectorTables(t, db)
}
