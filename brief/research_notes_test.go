package brief

import (
	"slices"
	"testing"
)

func TestWaitsAreToldOfOnce(t *testing.T) {
	var notes []string
	for _, note := range []string{
		"waited 1s, since at most 1 call a second is made", "the query was cut",
		"waited 3s, since at most 1 call a second is made",
		"waited 2s, since at most 1 call a second is made", "the query was cut",
		"waited 2s, since at most 5 calls a second are made", "waited long",
	} {
		notes = withNote(notes, note)
	}
	want := []string{"waited 3s, since at most 1 call a second is made", "the query was cut",
		"waited 2s, since at most 5 calls a second are made", "waited long"}
	if !slices.Equal(notes, want) {
		t.Errorf("%q, want %q", notes, want)
	}
}
