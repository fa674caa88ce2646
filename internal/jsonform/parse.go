package jsonform

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// maxNesting is how deep a stranger's JSON may be, in levels.
const maxNesting = 64

// Parse reads one JSON value in UTF-8, at most 64 levels deep, and says at which byte an error was seen. It refuses a
// key that stands twice, which decoders read differently.
func Parse(data []byte) (value any, at int64, err error) {
	for at < int64(len(data)) {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return nil, at, errors.New("not UTF-8")
		}
		at += int64(size)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	value, err = parseWhole(d)
	at = d.InputOffset()
	if wrong, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(data, new(json.RawMessage))); err != nil && ok {
		at = wrong.Offset // a Decoder's is not always that of the whole
		if !errors.Is(err, errEndsEarly) {
			at-- // it counts the character that is wrong
		}
	}
	return value, at, err
}

var errEndsEarly = errors.New("it ends too early")

func parseWhole(d *json.Decoder) (any, error) {
	value, err := parseValue(d, 0)
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errEndsEarly
		}
		if _, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, fmt.Errorf(`%w; names and texts stand in double quotes, as in {"name": "text"}`, err)
		}
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows after its end")
	}
	return value, nil
}

func parseValue(d *json.Decoder, depth int) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return token, nil
	}
	if depth >= maxNesting {
		return nil, fmt.Errorf("nested deeper than %d levels", maxNesting)
	}
	if delim == '[' {
		list := []any{}
		for d.More() {
			v, err := parseValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	}
	object := map[string]any{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		name := key.(string)
		if _, twice := object[name]; twice {
			return nil, fmt.Errorf("the key %.60q stands twice", name)
		}
		if object[name], err = parseValue(d, depth+1); err != nil {
			return nil, err
		}
	}
	_, err = d.Token()
	return object, err
}
