package tool

import (
	"fmt"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
)

// FetchLimits are what one fetch may cost. Tools that fetch embed them in their input.
type FetchLimits struct {
	TimeoutSeconds int    `json:"timeout_seconds,omitempty" jsonschema:"in all" default:"20" bounds:"1..60"`
	MaxBytes       int64  `json:"max_bytes,omitempty" jsonschema:"a longer page is cut" default:"1000000" bounds:"1..16777216"`
	PreferReadable bool   `json:"prefer_readable,omitempty" jsonschema:"the main content; false: all that the page shows" default:"true"`
	UserAgent      string `json:"user_agent,omitempty" jsonschema:"robots.txt is obeyed under our own name" bounds:"0..300"`
	MaxRedirects   int    `json:"max_redirects,omitempty" default:"10" bounds:"1..20"`
}

// WithoutText is the Markdown of a page that has no text, as a picture.
func WithoutText(p citewell.Page) string {
	return fmt.Sprintf("[%s, %d bytes, no text](%s)", text.OneLine(p.ContentType), len(p.Body), p.FinalURL)
}
