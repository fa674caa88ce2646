package sqlite

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"github.com/citewell/citewell/text"
)

// A forward record says for one document which terms it has, how often, and where
// in the original they stand, so that ranking and snippets need not read the text
// again. Layout, all numbers uvarint: number of terms, then for each in byte order
// its length, its bytes, its count in the title, its count in the body, the length
// of its places, and the places as differences.

// maxPlaces of one term are kept; a snippet needs no more, and the count is whole.
const maxPlaces = 256

// maxTerm is the length of a term in bytes beyond which two are taken as one.
const maxTerm = 128

// An occurrence is one term of one document.
type occurrence struct {
	term        string
	title, body int
	places      []int // byte offsets in the original text, rising
}

var errForward = errors.New("malformed forward record")

// occurrences counts the terms of a document, in byte order.
func occurrences(title, body []text.Token) []occurrence {
	found := make(map[string]*occurrence, len(body)/3+len(title))
	at := func(token text.Token) *occurrence {
		term := cleanTerm(token.Text)
		o := found[term]
		if o == nil {
			o = &occurrence{term: term}
			found[term] = o
		}
		return o
	}
	for _, token := range title {
		at(token).title++
	}
	for _, token := range body {
		o := at(token)
		o.body++
		if len(o.places) < maxPlaces {
			o.places = append(o.places, token.Start)
		}
	}
	list := make([]occurrence, 0, len(found))
	for _, o := range found {
		list = append(list, *o)
	}
	slices.SortFunc(list, func(a, b occurrence) int { return strings.Compare(a.term, b.term) })
	return list
}

// cleanTerm makes of any string one token of the index: it holds nothing that the
// index's tokenizer takes for a divider.
func cleanTerm(term string) string {
	if len(term) > maxTerm {
		term = strings.ToValidUTF8(term[:maxTerm], "")
	}
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == '"' || r == 0x7f {
			return '_'
		}
		return r
	}, term)
}

func encodeForward(list []occurrence) []byte {
	data := binary.AppendUvarint(nil, uint64(len(list)))
	var places []byte
	for _, o := range list {
		data = binary.AppendUvarint(data, uint64(len(o.term)))
		data = append(data, o.term...)
		data = binary.AppendUvarint(data, uint64(o.title))
		data = binary.AppendUvarint(data, uint64(o.body))
		places = places[:0]
		last := 0
		for _, place := range o.places {
			places = binary.AppendUvarint(places, uint64(place-last))
			last = place
		}
		data = binary.AppendUvarint(data, uint64(len(places)))
		data = append(data, places...)
	}
	return data
}

// findForward returns the occurrences of the wanted terms, which are in byte order.
func findForward(data []byte, wanted []string) ([]occurrence, error) {
	r := forwardReader{data: data}
	var found []occurrence
	for n := r.number(); n > 0 && len(wanted) > 0 && !r.bad; n-- {
		term := r.bytes()
		title, body := r.number(), r.number()
		places := r.bytes()
		order := -1
		for len(wanted) > 0 {
			if order = cmp.Compare(wanted[0], string(term)); order >= 0 {
				break
			}
			wanted = wanted[1:]
		}
		if order == 0 && !r.bad {
			found = append(found, occurrence{term: wanted[0], title: title, body: body, places: r.places(places)})
		}
	}
	if r.bad {
		return nil, errForward
	}
	return found, nil
}

type forwardReader struct {
	data []byte
	bad  bool
}

func (r *forwardReader) number() int {
	value, size := binary.Uvarint(r.data)
	if size <= 0 || value > 1<<40 {
		r.bad, r.data = true, nil
		return 0
	}
	r.data = r.data[size:]
	return int(value)
}

func (r *forwardReader) bytes() []byte {
	size := r.number()
	if size > len(r.data) {
		r.bad, r.data = true, nil
		return nil
	}
	b := r.data[:size]
	r.data = r.data[size:]
	return b
}

func (r *forwardReader) places(data []byte) []int {
	inner := forwardReader{data: data}
	var list []int
	for last := 0; len(inner.data) > 0; {
		last += inner.number()
		list = append(list, last)
	}
	r.bad = r.bad || inner.bad
	return list
}
