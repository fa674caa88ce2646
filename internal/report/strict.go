package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Bounds of a brief or a report: an empty object or list of two bytes takes a hundred times that in memory, and a
// null among findings as much as a finding.
const (
	maxObjects = 200_000
	maxValues  = 2_000_000 // commas, those in texts too
)

// TooMany reports whether JSON has more objects, lists or values than any brief or report.
func TooMany(encoded []byte) bool {
	var c counts
	c.add(encoded)
	return c.tooMany()
}

// counts are the objects, lists and values of the JSON that was added.
type counts struct{ objects, lists, values int }

func (c *counts) add(encoded []byte) {
	c.objects += bytes.Count(encoded, []byte("{"))
	c.lists += bytes.Count(encoded, []byte("["))
	c.values += bytes.Count(encoded, []byte(","))
}

func (c *counts) tooMany() bool {
	return c.objects > maxObjects || c.lists > maxObjects || c.values > maxValues
}

var errTooMuch = errors.New("it is larger than any record")

// A bounded reader ends with an error where more comes than the bytes left, or than any brief or report has.
type bounded struct {
	from io.Reader
	left int
	counts
}

// Read fails with errTooMuch at the bounds.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	b.add(p[:n])
	if b.left -= n; b.left < 0 || b.tooMany() {
		return 0, errTooMuch
	}
	return n, err
}

// A repeatedKeyError is the key that stands twice.
type repeatedKeyError string

func (e repeatedKeyError) Error() string {
	return fmt.Sprintf("the key %.40q stands twice in one object; readers differ in which they take", string(e))
}

// Unrepeated is an error where a key of JSON stands twice in one object, in whatever letter
// case: readers differ in which of the two they take. What is no JSON is refused elsewhere.
func Unrepeated(encoded io.Reader) error {
	decoder := json.NewDecoder(encoded)
	type level struct {
		seen  map[string]bool // nil in a list
		value bool            // a value comes next, not a key
	}
	var levels []level
	for {
		token, err := decoder.Token()
		if err != nil {
			return nil
		}
		last := len(levels) - 1
		switch t := token.(type) {
		case json.Delim:
			switch t {
			case '{':
				levels = append(levels, level{seen: map[string]bool{}})
			case '[':
				levels = append(levels, level{})
			default:
				levels = levels[:last]
				if last--; last >= 0 {
					levels[last].value = false
				}
			}
			continue
		case string:
			if last >= 0 && levels[last].seen != nil && !levels[last].value {
				folded := strings.ToLower(strings.ToUpper(t)) // ſ is an s to a decoder
				if levels[last].seen[folded] {
					return repeatedKeyError(t)
				}
				levels[last].seen[folded], levels[last].value = true, true
				continue
			}
		}
		if last >= 0 {
			levels[last].value = false
		}
	}
}
