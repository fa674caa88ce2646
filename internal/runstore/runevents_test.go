package runstore_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
)

// Version 2 renamed a type, version 3 wrapped the data.
var schema = runstore.EventSchema{Version: 3, Upcast: []func(runstore.RunEvent) (runstore.RunEvent, error){
	func(e runstore.RunEvent) (runstore.RunEvent, error) {
		e.Type = strings.ReplaceAll(e.Type, "old", "new")
		return e, nil
	},
	func(e runstore.RunEvent) (runstore.RunEvent, error) {
		switch string(e.Data) {
		case `"refused"`:
			return e, errors.New("refused")
		case `"broken"`:
			e.Data = json.RawMessage(`{`)
			return e, nil
		}
		e.Data = json.RawMessage(`{"text":` + string(e.Data) + `}`)
		e.Seq, e.Run = 99, "other" // not its to change
		return e, nil
	},
}}

func TestEventSchema(t *testing.T) {
	s := schema
	if err := s.Check("t"); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		in, want runstore.RunEvent
		failed   string
	}{
		"from_1": {in: runstore.RunEvent{V: 1, Seq: 7, Type: "old.x", Data: json.RawMessage(`"a"`)},
			want: runstore.RunEvent{V: 3, Seq: 7, Type: "new.x", Data: json.RawMessage(`{"text":"a"}`)}},
		"from_2": {in: runstore.RunEvent{V: 2, Seq: 7, Type: "old.x", Data: json.RawMessage(`"a"`)},
			want: runstore.RunEvent{V: 3, Seq: 7, Type: "old.x", Data: json.RawMessage(`{"text":"a"}`)}},
		"from_3": {in: runstore.RunEvent{V: 3, Seq: 7, Type: "old.x", Data: json.RawMessage(`"a"`)},
			want: runstore.RunEvent{V: 3, Seq: 7, Type: "old.x", Data: json.RawMessage(`"a"`)}},
		"newer": {in: runstore.RunEvent{V: 4, Seq: 7, Data: json.RawMessage(`"a"`)},
			failed: "version 4 and this program knows up to 3"},
		"none":    {in: runstore.RunEvent{V: 0, Seq: 7, Data: json.RawMessage(`"a"`)}, failed: "damaged"},
		"no_json": {in: runstore.RunEvent{V: 3, Seq: 7, Data: json.RawMessage(`{`)}, failed: "damaged"},
		"refused": {in: runstore.RunEvent{V: 1, Seq: 7, Data: json.RawMessage(`"refused"`)},
			failed: "could not be read"},
		"broken": {in: runstore.RunEvent{V: 2, Seq: 7, Data: json.RawMessage(`"broken"`)},
			failed: "could not be read"},
	} {
		got, err := s.Read("t", test.in)
		if test.failed != "" {
			if view := citewell.View(err); view.Code != citewell.CodeStoreFailed ||
				!strings.Contains(view.Message, test.failed) {
				t.Errorf("%s: got %v, want store_failed with %q", name, err, test.failed)
			}
			continue
		}
		if err != nil || got.V != test.want.V || got.Seq != 7 || got.Run != "" || got.Type != test.want.Type ||
			string(got.Data) != string(test.want.Data) {
			t.Errorf("%s: got %+v, %v; want %+v", name, got, err, test.want)
		}
	}
	for name, bad := range map[string]runstore.EventSchema{
		"too_few": {Version: 2}, "too_many": {Upcast: schema.Upcast}, "negative": {Version: -1},
		"nil": {Version: 2, Upcast: make([]func(runstore.RunEvent) (runstore.RunEvent, error), 1)},
	} {
		if err := bad.Check("t"); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("%s: got %v, want invalid_argument", name, err)
		}
	}
	zero := runstore.EventSchema{}
	if err := zero.Check("t"); err != nil || zero.Version != 1 {
		t.Errorf("the zero schema has version %d, %v", zero.Version, err)
	}
}
