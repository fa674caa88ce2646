package codec

import (
	"fmt"

	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/internal/runstore"
)

// An Event is an event of a run as its row has it.
type Event struct {
	Kind   string
	Record []byte
}

// NewEvent makes one of the store's own events.
func NewEvent(kind string, data any) (Event, error) {
	packed, err := PackJSON(data)
	return Event{kind, packed}, err
}

// PackEvents makes rows of events that were checked.
func PackEvents(events []runstore.RunEvent) []Event {
	made := make([]Event, len(events))
	for i, e := range events {
		made[i] = Event{e.Type, Pack(e.Data)}
	}
	return made
}

// ReadEvent fills in the data of an event from its record and brings it to the version that schema has.
func ReadEvent(op string, e runstore.RunEvent, packed []byte, schema runstore.EventSchema) (runstore.RunEvent, error) {
	data, err := eventUnpacker().DecodeAll(packed, nil)
	if err != nil {
		return runstore.RunEvent{}, fault.Damaged(op, fmt.Sprintf("event %d of the run is damaged", e.Seq), err)
	}
	e.Data = data
	return schema.Read(op, e)
}
