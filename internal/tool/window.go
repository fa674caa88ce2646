package tool

import (
	"fmt"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
)

// DefaultMaxLength is how many bytes of text one result has where its caller does not say: about 5,000 tokens.
const DefaultMaxLength = 20_000

// A Window is the part of a long text that a caller wants, in bytes of UTF-8. Tools embed it in their input.
type Window struct {
	MaxLength  int `json:"max_length,omitempty" jsonschema:"in bytes" default:"20000" bounds:"1..1000000"`
	StartIndex int `json:"start_index,omitempty" jsonschema:"next_index of the part before" default:"0" bounds:"0..100000000"`
}

// A Part says which part of a text this is. Tools embed it in their output.
type Part struct {
	TotalLength int `json:"total_length" jsonschema:"bytes of the whole text"`
	StartIndex  int `json:"start_index" jsonschema:"where in the text this part begins"`
	NextIndex   int `json:"next_index,omitempty" jsonschema:"start_index of the next part; absent at the end"`
}

// minShare is how much of each text a window has room for, however many there are, in bytes.
const minShare = 500

// Share is the window of each of n texts, which share the length between them.
func (w Window) Share(n int) Window {
	if n > 1 {
		w.MaxLength = max(w.MaxLength/n, minShare)
	}
	return w
}

// Cut returns the part of a text in the window.
func (w Window) Cut(whole string) (string, Part) {
	limit := w.MaxLength
	if limit <= 0 {
		limit = DefaultMaxLength
	}
	start := text.CharacterStart(whole, min(max(w.StartIndex, 0), len(whole)))
	end := text.CharacterStart(whole, min(start+limit, len(whole)))
	if end == start && start < len(whole) { // a character longer than the window
		_, size := utf8.DecodeRuneInString(whole[start:])
		end = start + size
	}
	p := Part{TotalLength: len(whole), StartIndex: start}
	if end < len(whole) {
		p.NextIndex = end
	}
	return whole[start:end], p
}

// Note tells a model which part it reads and how to read on; empty where it has the whole text.
func (p Part) Note() string {
	switch {
	case p.NextIndex == 0 && p.StartIndex > 0:
		return fmt.Sprintf("\n\n[bytes %d to %d of %d: the end]", p.StartIndex, p.TotalLength, p.TotalLength)
	case p.NextIndex == 0:
		return ""
	}
	return fmt.Sprintf("\n\n[bytes %d to %d of %d; call again with start_index %d for more]", p.StartIndex, p.NextIndex,
		p.TotalLength, p.NextIndex)
}
