package documents

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/internal/server/runs"
	"github.com/citewell/citewell/internal/testing/apidoc"
	"github.com/citewell/citewell/store"
)

// The document has the fields that are sent, the parameters that are read and the form of
// the body.
func TestDocumentIsAsThis(t *testing.T) {
	d := apidoc.Read(t, runs.Document())
	d.Fields(t, map[string]reflect.Type{"Document": reflect.TypeFor[Listed](),
		"AddedDocument": reflect.TypeFor[Added](), "FoundDocument": reflect.TypeFor[Found](),
		"Excerpt": reflect.TypeFor[Excerpt](),
		"Span":    reflect.TypeFor[store.Span](), "TextPiece": reflect.TypeFor[Piece](),
		"Node": reflect.TypeFor[Node](), "Neighbor": reflect.TypeFor[Neighbor](), "Edge": reflect.TypeFor[Edge](),
		"Surroundings": reflect.TypeFor[Surroundings](), "Extractor": reflect.TypeFor[citewell.Extractor]()})
	for path, known := range map[string][]intake.Parameter{
		"/v1/documents": listParameters, "/v1/documents/search": searchParameters,
		"/v1/documents/{id}/text": intake.SpanParameters,
		"/v1/graph":               nodesParameters, "/v1/graph/{node}": nodeParameters} {
		d.Parameters(t, path, known)
	}
	var raw struct {
		Comp struct{ Schemas map[string]any } `json:"components"`
	}
	var form any
	data, err := json.Marshal(sentForm.Schema())
	if err == nil {
		err = json.Unmarshal(data, &form)
	}
	if err == nil {
		err = json.Unmarshal(runs.Document(), &raw)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(raw.Comp.Schemas["NewDocument"], form) {
		t.Errorf("the body is %s, and described as %v", data, raw.Comp.Schemas["NewDocument"])
	}
}
