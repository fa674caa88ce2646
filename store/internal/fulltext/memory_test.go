package fulltext

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell/store"
)

// memory is an index of one tenant in memory, with rows as backends have them.
type memory struct {
	parts    map[string]*Part
	docs     map[int64]*Prepared
	ids      map[string]int64 // by key
	loose    map[int64]map[int64]int
	gone     map[int64]map[int64]bool
	segments map[int64]*memorySegment
	last     int64

	TextCache
}

type memorySegment struct {
	part, id, first, last int64
	documents             int
	pages                 map[string][]byte
}

func newMemory() *memory {
	return &memory{parts: map[string]*Part{}, docs: map[int64]*Prepared{}, ids: map[string]int64{},
		loose: map[int64]map[int64]int{}, gone: map[int64]map[int64]bool{}, segments: map[int64]*memorySegment{}}
}

func (m *memory) part(_ context.Context, language string) (int64, error) {
	if m.parts[language] == nil {
		m.parts[language] = &Part{ID: int64(len(m.parts) + 1), Language: language}
	}
	return m.parts[language].ID, nil
}

func (m *memory) index(t testing.TB, docs []store.TextDocument) {
	t.Helper()
	made := make([]*Prepared, len(docs))
	for i, doc := range docs {
		part, err := m.part(t.Context(), baseLanguage(doc.Language))
		if err != nil {
			t.Fatal(err)
		}
		if made[i], err = prepareOne(t.Context(), doc, func(context.Context, string) (int64, error) {
			return part, nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	removed := map[int64]int{}
	for _, p := range made {
		m.forget(p.ID, removed)
		m.last++
		m.docs[m.last], m.ids[p.ID] = p, m.last
		if m.loose[p.Part] == nil {
			m.loose[p.Part], m.gone[p.Part] = map[int64]int{}, map[int64]bool{}
		}
		m.loose[p.Part][m.last] = p.Terms
		m.count(p, 1)
	}
	m.pack(t, removed)
}

func (m *memory) count(p *Prepared, documents int) {
	for _, part := range m.parts {
		if part.ID == p.Part {
			part.Documents += documents
			part.Lengths += documents * p.Terms
		}
	}
}

func (m *memory) remove(t testing.TB, keys []string) {
	t.Helper()
	removed := map[int64]int{}
	for _, key := range keys {
		m.forget(key, removed)
	}
	m.pack(t, removed)
}

func (m *memory) forget(key string, removed map[int64]int) {
	id, there := m.ids[key]
	if !there {
		return
	}
	p := m.docs[id]
	delete(m.ids, key)
	delete(m.docs, id)
	m.count(p, -1)
	removed[p.Part]++
	if _, loose := m.loose[p.Part][id]; loose {
		delete(m.loose[p.Part], id)
	} else {
		m.gone[p.Part][id] = true
	}
}

func (m *memory) pack(t testing.TB, removed map[int64]int) {
	t.Helper()
	for _, part := range m.parts {
		if err := Pack(t.Context(), memoryPart{m, part.ID}, part.ID, removed[part.ID]); err != nil {
			t.Fatal(err)
		}
	}
}

func (m *memory) Parts(context.Context) (parts []Part, err error) {
	for _, part := range m.parts {
		parts = append(parts, *part)
	}
	slices.SortFunc(parts, func(a, b Part) int { return cmp.Compare(a.ID, b.ID) })
	return parts, nil
}

func (m *memory) HasField(_ context.Context, key string) (bool, error) {
	for _, doc := range m.docs {
		if _, there := doc.Metadata[key]; there {
			return true, nil
		}
	}
	return false, nil
}

func (m *memory) Selection(_ context.Context, query store.TextQuery) (func(int64) bool, error) {
	return func(id int64) bool { return strings.HasPrefix(m.docs[id].ID, query.URLPrefix) }, nil
}

func (m *memory) Segments(_ context.Context, part int64) (segments []Segment, err error) {
	all := slices.SortedFunc(maps.Values(m.segments), func(a, b *memorySegment) int {
		return cmp.Compare(a.first, b.first)
	})
	for _, s := range all {
		if s.part == part {
			segments = append(segments, Segment{s.id, s.documents})
		}
	}
	return segments, nil
}

func (m *memory) Gone(_ context.Context, part int64) (IDs, error) {
	return NewIDs(slices.Collect(maps.Keys(m.gone[part]))), nil
}

func (m *memory) Pages(_ context.Context, segments []int64, terms []string,
	do func(segment, term int, page Page) error) error {
	for i, id := range segments {
		pages := m.segments[id].pages
		last := slices.Sorted(maps.Keys(pages))
		for j, term := range terms {
			if at, _ := slices.BinarySearch(last, term); at < len(last) {
				if err := do(i, j, Page{last[at], pages[last[at]]}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (m *memory) Loose(_ context.Context, part int64, do func(Text, []byte) error) error {
	for _, id := range slices.Sorted(maps.Keys(m.loose[part])) {
		if err := do(Text{id, m.loose[part][id]}, m.docs[id].TermsRecord); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) Terms(_ context.Context, ids []int64, do func(int64, string, []byte) error) error {
	for _, id := range ids {
		if err := do(id, m.docs[id].ID, m.docs[id].TermsRecord); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) Originals(_ context.Context, ids []int64, do func(Original) error) error {
	for _, id := range ids {
		doc := m.docs[id]
		metadata := ""
		if len(doc.Metadata) > 0 {
			encoded, err := json.Marshal(doc.Metadata)
			if err != nil {
				return err
			}
			metadata = string(encoded)
		}
		if err := do(Original{id, doc.ID, doc.URL, doc.Title, doc.Published, metadata, doc.TextRecord}); err != nil {
			return err
		}
	}
	return nil
}

// memoryPart writes one part of a memory.
type memoryPart struct {
	*memory
	part int64
}

func (w memoryPart) CountLoose(context.Context) (documents, terms int, err error) {
	for _, n := range w.loose[w.part] {
		documents++
		terms += n
	}
	return documents, terms, nil
}

func (w memoryPart) TakeLoose(ctx context.Context, do func(Text, []byte) error) error {
	err := w.Loose(ctx, w.part, do)
	clear(w.loose[w.part])
	return err
}

func (w memoryPart) PutLoose(_ context.Context, text Text) error {
	w.loose[w.part][text.ID] = text.Length
	return nil
}

func (w memoryPart) Stale(_ context.Context, share int) (stale []Segment, err error) {
	for _, s := range w.segments {
		gone := 0
		for id := range w.gone[w.part] {
			if id >= s.first && id <= s.last {
				gone++
			}
		}
		if s.part == w.part && s.documents <= share*gone {
			stale = append(stale, Segment{s.id, s.documents})
		}
	}
	return stale, nil
}

func (w memoryPart) NewSegment(_ context.Context, documents int, first, last int64) (int64, error) {
	w.last++
	w.segments[w.last] = &memorySegment{w.part, w.last, first, last, documents, map[string][]byte{}}
	return w.last, nil
}

func (w memoryPart) PutPage(_ context.Context, segment int64, page Page) error {
	w.segments[segment].pages[page.Last] = page.Sealed
	return nil
}

func (w memoryPart) DropSegment(_ context.Context, segment int64) error {
	delete(w.segments, segment)
	return nil
}

func (w memoryPart) ForgetGone(_ context.Context, ids []int64) error {
	for _, id := range ids {
		delete(w.gone[w.part], id)
	}
	return nil
}
