package runs

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/goccy/go-yaml"
)

//go:embed openapi.yaml
var openapi string

// Document is the OpenAPI document: openapi.yaml with what code alone knows, the forms
// of bodies and the codes of errors.
var Document = sync.OnceValue(func() []byte {
	var d map[string]any
	if err := yaml.Unmarshal([]byte(openapi), &d); err != nil {
		panic(fmt.Sprintf("runs: openapi.yaml: %v", err)) // which any test finds
	}
	for key := range d {
		if strings.HasPrefix(key, "x-") { // what the paths are made of
			delete(d, key)
		}
	}
	schemas := d["components"].(map[string]any)["schemas"].(map[string]any)
	schemas["NewRun"], schemas["Answer"] = kindsOrLens(startForm.Schema()), replyForm.Schema()
	schemas["NewWatch"] = kindsOrLens(watchForm.Schema())
	view := schemas["ErrorView"].(map[string]any)["properties"].(map[string]any)
	codes, categories := []string{}, []string{}
	seen := map[citewell.Category]bool{}
	for _, row := range citewell.Codes {
		codes = append(codes, string(row.Code))
		if !seen[row.Category] {
			seen[row.Category] = true
			categories = append(categories, string(row.Category))
		}
	}
	view["code"].(map[string]any)["enum"], view["category"].(map[string]any)["enum"] = codes, categories
	data, err := json.MarshalIndent(d, "", " ")
	if err != nil {
		panic(fmt.Sprintf("runs: openapi.yaml as JSON: %v", err))
	}
	// What is blank here is more than in the patterns of ECMA 262, by one character.
	return append(bytes.ReplaceAll(data, []byte(`"\\S"`), []byte(`"[^\\s\u0085]"`)), '\n')
})

// describe is GET /openapi.json.
func describe(_ *API, w http.ResponseWriter, _ *http.Request) error {
	intake.Guard(w, "application/json")
	_, _ = w.Write(Document()) // the client is gone where this fails
	return nil
}
