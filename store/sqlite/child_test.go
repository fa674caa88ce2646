package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/storesuite"
	"github.com/citewell/citewell/store"
)

// The crash tests run this test binary again as a child, which writes to a store
// and prints a line for each write that was acknowledged: "ack WORKER N KIND".
// What the N-th write of a worker holds follows from the two numbers, so whoever
// reads the lines knows what must be in the store.
const (
	childMode    = "CITEWELL_STORE_CHILD"
	childDir     = "CITEWELL_STORE_DIR"
	childWorkers = "CITEWELL_STORE_WORKERS" // numbers of the workers, as in "0,1"
	childWrites  = "CITEWELL_STORE_WRITES"  // of each worker; 0 means until killed
)

var kinds = []string{"snapshot", "source", "document", "brief"}

type ack struct {
	worker, n int
	kind      string
}

// childModes are what a child can do; it ends with the status that is returned.
var childModes = map[string]func(dir string) int{"write": childWrite}

func childMain() {
	if run := childModes[os.Getenv(childMode)]; run != nil {
		os.Exit(run(os.Getenv(childDir)))
	}
}

func child(ctx context.Context, mode, dir string, workers string, writes int) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), childMode+"="+mode, childDir+"="+dir, childWorkers+"="+workers,
		childWrites+"="+strconv.Itoa(writes))
	cmd.Stderr = os.Stderr
	return cmd
}

func childWrite(dir string) int {
	db, err := Open(context.Background(), dir, Options{LockWait: 30 * time.Second})
	if err != nil {
		fmt.Println("open", citewell.CodeOf(err), err)
		return 1
	}
	limit, _ := strconv.Atoi(os.Getenv(childWrites))
	var group sync.WaitGroup
	for worker := range strings.SplitSeq(os.Getenv(childWorkers), ",") {
		w, _ := strconv.Atoi(worker)
		group.Go(func() {
			for n := 0; limit == 0 || n < limit; n++ {
				kind := kinds[n%len(kinds)]
				line := fmt.Sprintf("ack %d %d %s\n", w, n, kind)
				if err := writeItem(db.Tenant("t"), ack{w, n, kind}); err != nil {
					line = fmt.Sprintf("err %d %d %s %s\n", w, n, kind, citewell.CodeOf(err))
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

func itemText(a ack) string {
	return fmt.Sprintf("Worker%d wrote line%d about barnacles. ", a.worker, a.n) +
		strings.Repeat(fmt.Sprint(a.n*7919, " limpets. "), a.n%40) +
		storesuite.Samples[a.n%len(storesuite.Samples)].Text
}

func itemURL(a ack) string { return fmt.Sprintf("https://w%d.example/%d", a.worker, a.n) }

func itemID(a ack) string { return fmt.Sprintf("%s-%d-%d", a.kind, a.worker, a.n) }

func itemPassages(a ack) []citewell.Passage {
	passages := make([]citewell.Passage, 5)
	for i := range passages {
		passages[i] = citewell.Passage{ID: fmt.Sprint(itemID(a), "-", i), Source: 1, Start: i, End: i + 1,
			Text: itemText(a)}
	}
	return passages
}

func writeItem(s *Store, a ack) error {
	ctx := context.Background()
	switch a.kind {
	case "snapshot":
		return s.PutSnapshot(ctx, citewell.Page{FinalURL: itemURL(a), Body: []byte("<p>" + itemText(a))},
			citewell.Document{URL: itemURL(a), Text: itemText(a)})
	case "source":
		return s.AddSource(ctx, itemID(a), citewell.Source{N: 1, URL: itemURL(a)}, itemPassages(a))
	case "document":
		return s.IndexDocument(ctx, citewell.Document{URL: itemURL(a), Language: "en", Text: itemText(a)}, itemID(a))
	default:
		return s.PutBrief(ctx, citewell.Brief{ID: itemID(a), Query: itemText(a)})
	}
}

// checkItem says what is wrong with an acknowledged write, if anything is.
func checkItem(s *Store, a ack) error {
	ctx := context.Background()
	got := ""
	switch a.kind {
	case "snapshot":
		page, doc, err := s.Snapshot(ctx, itemURL(a))
		if err != nil {
			return err
		}
		if got = doc.Text; string(page.Body) != "<p>"+itemText(a) {
			return fmt.Errorf("body is %q", page.Body)
		}
	case "source":
		for _, p := range itemPassages(a) {
			record, err := s.Passage(ctx, p.ID)
			if err != nil {
				return err
			}
			got = record.Passage.Text
		}
	case "document":
		stamp, err := s.Stamp(ctx, itemURL(a))
		if err != nil || stamp != itemID(a) {
			return fmt.Errorf("stamp is %q, %w", stamp, err)
		}
		hits, err := s.SearchText(ctx, store.TextQuery{Text: fmt.Sprintf("worker%d line%d", a.worker, a.n),
			URLPrefix: itemURL(a), Limit: 100})
		if err != nil {
			return err
		}
		for _, hit := range hits {
			if hit.URL == itemURL(a) {
				return nil
			}
		}
		return fmt.Errorf("not among %d hits", len(hits))
	default:
		brief, err := s.Brief(ctx, itemID(a))
		if err != nil {
			return err
		}
		got = brief.Query
	}
	if got != itemText(a) {
		return fmt.Errorf("text is %q", got)
	}
	return nil
}

// checkStore opens the store that a crash left, looks for what was acknowledged, and has
// the store check itself.
func checkStore(t *testing.T, dir string, acks []ack) {
	t.Helper()
	db, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatalf("the store does not open after %d acknowledged writes: %v", len(acks), err)
	}
	defer db.Close()
	for _, a := range acks {
		if err := checkItem(db.Tenant("t"), a); err != nil {
			t.Errorf("acknowledged write %v is lost: %v", a, err)
		}
	}
	for _, problem := range problems(t, dir) {
		t.Errorf("the store's own check says: %s", problem)
	}
}

func parseAck(t *testing.T, line string) ack {
	t.Helper()
	var a ack
	if _, err := fmt.Sscanf(line, "ack %d %d %s", &a.worker, &a.n, &a.kind); err != nil {
		t.Errorf("child says %q: %v", line, err)
	}
	return a
}

// runChild runs a child to its end.
func runChild(t *testing.T, cmd *exec.Cmd) (acks []ack, errors []string) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Error(err)
		return nil, nil
	}
	acks, errors = readAcks(t, bufio.NewScanner(out), func(int) {})
	if err := cmd.Wait(); err != nil {
		t.Errorf("child ended with %v", err)
	}
	return acks, errors
}

// readAcks reads lines until the pipe ends, and calls seen after each ack.
func readAcks(t *testing.T, lines *bufio.Scanner, seen func(count int)) (acks []ack, errors []string) {
	t.Helper()
	for lines.Scan() {
		switch word, _, _ := strings.Cut(lines.Text(), " "); word {
		case "ack":
			acks = append(acks, parseAck(t, lines.Text()))
			seen(len(acks))
		case "err":
			errors = append(errors, lines.Text())
		default:
			t.Errorf("child says %q", lines.Text())
		}
	}
	return acks, errors
}
