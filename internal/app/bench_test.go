package app

import (
	"os/exec"
	"strings"
	"testing"
)

// The library that extraction is measured against costs 160 ms at every start: only
// a build with the tag peers links it.
func TestPeersAreNotLinked(t *testing.T) {
	const library = "github.com/markusmobius/go-trafilatura"
	linked := func(tags string) bool {
		out, err := exec.Command("go", "list", "-deps", "-tags", tags, "github.com/citewell/citewell/cmd/citewell").Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		return strings.Contains(string(out), library+"\n")
	}
	if linked("") {
		t.Error("the shipped binary links " + library)
	}
	if !linked("peers") {
		t.Error("a build with the tag peers lacks " + library)
	}
}

// Peers that are not in this build are named, with the way to them.
func TestBenchReaders(t *testing.T) {
	readers, err := BenchReaders("")
	if err != nil || readers.Halves != nil || len(readers.Peers) == 0 {
		t.Fatalf("%+v, %v", readers, err)
	}
	for _, peer := range readers.Peers {
		if peer.Read == nil && !strings.Contains(peer.Note, "-tags peers") {
			t.Errorf("%+v does not say how to get it", peer)
		}
	}
}
