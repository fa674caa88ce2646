package codec

import (
	"fmt"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/fault"
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
func PackEvents(events []store.RunEvent) []Event {
	made := make([]Event, len(events))
	for i, e := range events {
		made[i] = Event{e.Type, Pack(e.Data)}
	}
	return made
}

// ReadEvent fills in the data of an event from its record and brings it to the version that
// schema has.
func ReadEvent(op string, e store.RunEvent, packed []byte, schema store.EventSchema) (store.RunEvent, error) {
	data, err := eventUnpacker().DecodeAll(packed, nil)
	if err != nil {
		return store.RunEvent{}, fault.Damaged(op, fmt.Sprintf("event %d of the run is damaged", e.Seq), err)
	}
	e.Data = data
	return schema.Read(op, e)
}
