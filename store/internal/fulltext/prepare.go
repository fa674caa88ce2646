package fulltext

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/store"
)

// A Prepared is a document as its rows will have it. Making one is most of the work, and needs no transaction.
type Prepared struct {
	store.TextDocument
	Part        int64
	Terms       int    // of title and text, each as often as it is there
	Fields      string // Metadata as JSON, empty where there is none
	TermsRecord []byte // sealed, see forward.go
	TextRecord  []byte // sealed
	Kept        *Kept  // of a document that is copied; nil of one that is new
}

// A textPreparer prepares one document after the other; its buffers live on.
type textPreparer struct {
	words *text.Readings
	at    map[string]int // term → its place in list
	list  []occurrence
	order []termOrder
	data  []byte
}

// idlePreparers are kept, one for each processor, because they remember the stems of earlier texts.
var idlePreparers struct {
	sync.Mutex
	list []*textPreparer
}

// takePreparer returns the preparer that was used last, of those that nobody has.
func takePreparer() *textPreparer {
	idlePreparers.Lock()
	defer idlePreparers.Unlock()
	last := len(idlePreparers.list) - 1
	if last < 0 {
		return &textPreparer{words: new(text.Readings), at: map[string]int{}}
	}
	p := idlePreparers.list[last]
	idlePreparers.list = idlePreparers.list[:last]
	return p
}

// release lets a preparer be used again, and nothing of the document stay in memory.
func (p *textPreparer) release() {
	const largeList = 1 << 12 // different terms of one document
	if cap(p.list) > largeList {
		p = &textPreparer{words: p.words, at: map[string]int{}}
	}
	clear(p.at)
	for i := range p.list {
		p.list[i].term = ""
	}
	idlePreparers.Lock()
	defer idlePreparers.Unlock()
	if len(idlePreparers.list) < runtime.GOMAXPROCS(0) {
		idlePreparers.list = append(idlePreparers.list, p)
	}
}

func (p *textPreparer) prepare(doc store.TextDocument, part int64) (*Prepared, error) {
	made := &Prepared{TextDocument: doc, Part: part}
	language := readIn(doc.Language)
	clear(p.at)
	p.list = p.list[:0]
	p.words.EachTerm(doc.Title, language, func(term string, _, _ int) {
		p.occurrenceOf(cleanTerm(term)).title++
		made.Terms++
	})
	p.words.EachTerm(doc.Text, language, func(term string, start, _ int) {
		o := p.occurrenceOf(cleanTerm(term))
		o.body++
		if len(o.places) < maxPlaces {
			o.places = append(o.places, start)
		}
		made.Terms++
	})
	eachField(doc.ID, doc.URL, doc.Metadata, func(key, value string) {
		mark := fieldMark(key)
		p.words.EachTerm(value, language, func(term string, _, _ int) { p.occurrenceOf(mark + cleanTerm(term)) })
	})
	p.data = encodeForward(p.data[:0], p.list, p.sorted())
	made.TermsRecord = Seal(nil, p.data)
	made.TextRecord = Seal(nil, []byte(doc.Text))
	if len(doc.Metadata) > 0 {
		metadata, err := json.Marshal(doc.Metadata)
		if err != nil {
			return nil, err
		}
		made.Fields = string(metadata)
	}
	return made, nil
}

// occurrenceOf returns the occurrence of a term, new where the document had none so far.
func (p *textPreparer) occurrenceOf(term string) *occurrence {
	i, ok := p.at[term]
	if !ok {
		i = len(p.list)
		p.at[term] = i
		if i < cap(p.list) { // one of an earlier document, for the room of its places
			p.list = p.list[:i+1]
		} else {
			p.list = append(p.list, occurrence{})
		}
		p.list[i] = occurrence{term: term, places: p.list[i].places[:0]}
	}
	return &p.list[i]
}

// A termOrder is a term's place in a list with its first bytes as a number, which mostly decide a comparison.
type termOrder struct {
	head  uint64
	place int
}

// sorted returns the order of the list by term.
func (p *textPreparer) sorted() []termOrder {
	p.order = p.order[:0]
	for i := range p.list {
		var head [8]byte
		copy(head[:], p.list[i].term)
		p.order = append(p.order, termOrder{binary.BigEndian.Uint64(head[:]), i})
	}
	slices.SortFunc(p.order, func(a, b termOrder) int {
		if order := cmp.Compare(a.head, b.head); order != 0 {
			return order
		}
		return strings.Compare(p.list[a.place].term, p.list[b.place].term)
	})
	return p.order
}

// eachField calls emit with what can be searched by a field's name, in a fixed order.
func eachField(id, address string, metadata map[string]string, emit func(key, value string)) {
	emit("url", cmp.Or(address, id))
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		emit(key, metadata[key])
	}
}

// fieldMark goes before each term of a field. No other term begins so: cleanTerm leaves it no control character.
func fieldMark(key string) string { return "\x01" + cleanTerm(strings.ToLower(key)) + "=" }
