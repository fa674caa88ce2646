package cite_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

// keeper is a store in memory that can refuse.
type keeper struct {
	mu      sync.Mutex
	refuse  error
	records map[string]cite.Record
	blobs   map[string][]byte
	briefs  map[string]citewell.Brief
}

func newKeeper() *keeper {
	return &keeper{records: map[string]cite.Record{}, blobs: map[string][]byte{}, briefs: map[string]citewell.Brief{}}
}

func (k *keeper) AddSource(_ context.Context, brief string, source citewell.Source, passages []citewell.Passage) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.refuse != nil {
		return k.refuse
	}
	for _, p := range passages {
		k.records[p.ID] = cite.Record{Brief: brief, Source: source, Passage: p}
	}
	return nil
}

var errNotKept = &citewell.Error{Code: citewell.CodeNotFound, Message: "nobody kept that"}

func (k *keeper) Passage(_ context.Context, id string) (cite.Record, error) {
	if r, ok := k.records[id]; ok {
		return r, nil
	}
	return cite.Record{}, errNotKept
}

func (k *keeper) Blob(_ context.Context, sha string) ([]byte, error) {
	if b, ok := k.blobs[sha]; ok {
		return b, nil
	}
	return nil, errNotKept
}

func (k *keeper) Brief(_ context.Context, id string) (citewell.Brief, error) {
	if b, ok := k.briefs[id]; ok {
		return b, nil
	}
	return citewell.Brief{}, errNotKept
}

// document makes a document whose passages are the given texts.
func document(passages ...string) citewell.Document {
	var doc citewell.Document
	for _, p := range passages {
		if doc.Text != "" {
			doc.Text += "\n\n"
		}
		start := len(doc.Text)
		doc.Text += p
		doc.Passages = append(doc.Passages, citewell.Passage{Start: start, End: len(doc.Text), Text: p})
	}
	doc.TextSHA256 = citewell.SHA256([]byte(doc.Text))
	return doc
}

func TestLedgerNumbersAndMints(t *testing.T) {
	kept := newKeeper()
	l := cite.NewLedger("b1", kept)
	for n := 1; n <= 2; n++ {
		source, passages, err := l.Add(t.Context(), citewell.Source{Title: "T"}, document("First one.", "Second one."))
		if err != nil || source.N != n || len(passages) != 2 || source.TextSHA256 == "" {
			t.Fatalf("source %d: %+v %+v %v", n, source, passages, err)
		}
		if again, ok := l.Source(n); !ok || again.N != n || again.Title != "T" {
			t.Errorf("source %d is %+v, and %+v was added", n, again, source)
		}
		for _, p := range passages {
			if kept.records[p.ID].Passage != p || kept.records[p.ID].Brief != "b1" {
				t.Errorf("passage %s was handed out before it was kept", p.Alias)
			}
			for _, ref := range []string{p.ID, p.Alias, "[" + p.Alias + "]", "s" + p.Alias[1:]} {
				if got, ok := l.Passage(ref); !ok || got != p {
					t.Errorf("%q is not found", ref)
				}
			}
		}
	}
	if p, _ := l.Passage("S2.p2"); p.Text != "Second one." || p.Source != 2 {
		t.Errorf("S2.p2 is %+v", p)
	}
	if _, ok := l.Passage("S3.p1"); ok {
		t.Error("a passage that nobody minted is found")
	}
	for _, n := range []int{0, 3} {
		if _, ok := l.Source(n); ok {
			t.Errorf("there is no source %d", n)
		}
	}
}

func TestLedgerRefusesAndKeepsItsNumbers(t *testing.T) {
	kept := newKeeper()
	l := cite.NewLedger("b1", kept)
	for _, forged := range []citewell.Passage{{Start: 0, End: 10, Text: "Forged one"},
		{Start: -1, End: 5, Text: "First"}, {Start: 0, End: 99, Text: "First one."}, {Start: 5, End: 5},
		{Start: 5, End: 2}} {
		doc := document("First one.")
		doc.Passages[0] = forged
		if _, _, err := l.Add(t.Context(), citewell.Source{}, doc); citewell.CodeOf(
			err) != citewell.CodeInvalidArgument {
			t.Errorf("a passage that is no span, %+v: %v", forged, err)
		}
	}
	kept.refuse = &citewell.Error{Code: citewell.CodeStoreFailed, Err: errors.New("disk full")}
	if _, _, err := l.Add(t.Context(), citewell.Source{}, document("First one.")); citewell.CodeOf(
		err) != citewell.CodeStoreFailed {
		t.Errorf("a keeper that refuses: %v", err)
	}
	if _, ok := l.Passage("S1.p1"); ok {
		t.Error("what was not kept can be cited")
	}
	kept.refuse = nil
	if source, _, err := l.Add(t.Context(), citewell.Source{}, citewell.Document{}); err != nil || source.N != 1 {
		t.Errorf("the number of a refused source is free: %+v %v", source, err)
	}
}

func TestLedgerFromManyGoroutines(t *testing.T) {
	l := cite.NewLedger("b1", newKeeper())
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if _, _, err := l.Add(t.Context(), citewell.Source{}, document("One.", "Two.")); err != nil {
				t.Error(err)
			}
			l.Passage("S1.p1")
		})
	}
	group.Wait()
	for i, s := range l.Sources() {
		if s.N != i+1 {
			t.Errorf("source %d has number %d", i+1, s.N)
		}
	}
}
