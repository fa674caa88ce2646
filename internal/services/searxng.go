package services

import (
	"encoding/json"

	"github.com/citewell/citewell"
)

// A SearXNGQuery is what an instance is asked. What is empty is the instance's own
// choice, or what the base URL says.
type SearXNGQuery struct {
	Text       string
	TimeRange  citewell.TimeRange
	SafeSearch int    // 0 off, 1 moderate, 2 strict; always sent
	Categories string // between commas
	Language   string
	Page       int // 1 when 0
}

// A SearXNGAnswer is an answer with every field as the instance wrote it, but for
// characters that nobody sees.
type SearXNGAnswer struct {
	Results             []json.RawMessage
	Answers             []json.RawMessage
	Corrections         []json.RawMessage
	Infoboxes           []json.RawMessage
	Suggestions         []json.RawMessage
	UnresponsiveEngines []json.RawMessage
	Other               map[string]json.RawMessage // query, number_of_results, and what later versions add
}
