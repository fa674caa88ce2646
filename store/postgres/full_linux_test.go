package postgres

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/pgtest"
)

// TestFullDisk fills the disk that the database is on: a write that finds no room says so, what
// was acknowledged is there, and with room it goes on.
func TestFullDisk(t *testing.T) {
	server := pgtest.Start(t, pgtest.Debian, pgtest.Options{Durable: true})
	url, disk := server.SmallDisk(t, 32<<20)
	s := openURL(t, Options{URL: url}).Tenant("t")
	run, err := s.CreateRun(t.Context(), runstore.NewRun{Agent: "a", Request: json.RawMessage(`1`)})
	if err != nil {
		t.Fatal(err)
	}
	lease, err := s.AcquireRun(t.Context(), run.ID, "w", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	ballast := filepath.Join(disk, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 8<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	random := rand.NewChaCha8([32]byte{})
	kept := 0
	keep := func() error {
		noise := make([]byte, 64<<10)
		random.Read(noise)
		data, err := json.Marshal(noise)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = s.AppendEvents(t.Context(), lease, []runstore.RunEvent{{Type: "noise", Data: data}}); err == nil {
			kept++
		}
		return err
	}
	for err == nil {
		if err = keep(); kept > 1000 {
			t.Fatal("the disk does not fill")
		}
	}
	if citewell.CodeOf(err) != citewell.CodeStoreFailed || !strings.Contains(err.Error(),
		"the disk of the database is full") {
		t.Errorf("after %d events: %v", kept, err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if err := keep(); err != nil {
		t.Errorf("with room again: %v", err)
	}
	events, err := s.Events(t.Context(), run.ID, 0, runstore.MaxEventPage)
	if err != nil || len(events) != kept+2 {
		t.Errorf("%d events were acknowledged and %d are there (%v)", kept, len(events)-2, err)
	}
	if found := problems(t, url); len(found) > 0 {
		t.Errorf("the check says %q", found)
	}
}
