package fulltext

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/text"
)

// A forward record says for one document which terms it has, how often, and where in the original they stand, so that
// ranking and snippets need not read the text again. Terms of its fields (address, metadata) follow the mark of their
// field; they have no places and are in neither title nor body. Layout, all numbers uvarint: number of terms, then for
// each in byte order its length, its bytes, its count in the title, its count in the body, the length of its places,
// and the places as differences.

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

// cleanTerm makes a term of any string: of bounded length, without spaces, quotes and control characters (see
// fieldMark).
func cleanTerm(term string) string {
	if len(term) <= maxTerm && !strings.ContainsFunc(term, divides) {
		return term
	}
	return strings.Map(func(r rune) rune {
		if divides(r) {
			return '_'
		}
		return r
	}, text.Prefix(term, maxTerm))
}

// divides says whether r stands in no term.
func divides(r rune) bool { return r <= ' ' || r == '"' || r == '\'' || r == 0x7f }

// encodeForward appends the record of list, whose order by term is given, to data.
func encodeForward(data []byte, list []occurrence, order []termOrder) []byte {
	data = binary.AppendUvarint(data, uint64(len(list)))
	var places []byte
	for _, at := range order {
		o := &list[at.place]
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

// A wantedTerm is looked for in forward records; a prefix stands for all terms that begin so.
type wantedTerm struct {
	term   string
	prefix bool
	times  int // how often the query says it
}

// findForward returns the occurrences of the wanted terms that a document has, which are in byte order.
func findForward(data []byte, wanted []wantedTerm) ([]occurrence, error) {
	found, err := findEach(data, wanted)
	return slices.DeleteFunc(found, func(o occurrence) bool { return o.term == "" }), err
}

// findEach returns an occurrence for each of the wanted terms, which are in byte order; without a term if there is
// none.
func findEach(data []byte, wanted []wantedTerm) ([]occurrence, error) {
	r := forwardReader{data: data}
	found := make([]occurrence, len(wanted))
	from := 0 // the first wanted term that may still come
	for n := r.number(); n > 0 && from < len(wanted) && !r.bad; n-- {
		term := r.bytes()
		title, body := r.number(), r.number()
		places := r.bytes()
		for i := from; i < len(wanted) && wanted[i].term <= string(term); i++ {
			w := wanted[i]
			switch {
			case w.term == string(term), w.prefix && strings.HasPrefix(string(term), w.term):
				o := &found[i]
				o.term = w.term
				o.title += title
				o.body += body
				o.places = r.places(o.places, places)
			case i == from:
				from++ // all that could match it are past
			}
		}
	}
	if r.bad {
		return nil, errForward
	}
	return found, nil
}

// EachForward calls do with every term of a record and its counts.
func EachForward(data []byte, do func(term string, title, body int)) error {
	r := forwardReader{data: data}
	for n := r.number(); n > 0 && !r.bad; n-- {
		term, title, body := r.bytes(), r.number(), r.number()
		r.bytes()
		if !r.bad {
			do(string(term), title, body)
		}
	}
	if r.bad || len(r.data) > 0 {
		return errForward
	}
	return nil
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

// places reads the places of one term and merges them with those of others.
func (r *forwardReader) places(list []int, data []byte) []int {
	inner := forwardReader{data: data}
	merge := len(list) > 0
	for last := 0; len(inner.data) > 0; {
		last += inner.number()
		list = append(list, last)
	}
	if merge {
		slices.Sort(list)
	}
	r.bad = r.bad || inner.bad
	return list
}
