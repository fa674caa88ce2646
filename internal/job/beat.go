package job

import (
	"encoding/json"
	"time"

	"github.com/citewell/citewell/internal/runstore"
)

// FirstBeat is when a stream of a run that still waits to be taken up says so first.
const FirstBeat = time.Second

// A Beat is what a stream says where there is nothing else to tell of a run: that it goes
// on, or waits in our own queue.
type Beat string

const (
	goesOn  Beat = "the run goes on"
	waiting Beat = "queued: the run waits to be taken up"
)

// BeatAfter is the Beat of a run whose log is told from after the entry of a number on.
func BeatAfter(seq int64) Beat {
	if seq < 2 { // the first entry is that it was begun
		return waiting
	}
	return goesOn
}

// Queued says whether the run waits in our own queue.
func (b Beat) Queued() bool { return b != goesOn }

// After is the Beat once an entry of the log has come.
func (b Beat) After(e runstore.RunEvent) Beat {
	var entry Entry
	switch {
	case e.Type == EventQueued && json.Unmarshal(e.Data, &entry) == nil:
		return Beat("queued: " + entry.Text)
	case e.Type == runstore.EventAcquired, !runstore.OwnEvent(e.Type):
		return goesOn
	}
	return b
}
