package fulltext

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/citewell/citewell"
)

// segmentPage is the page of a segment of so many documents, of which the first has a length.
func segmentPage(documents, length int) Page {
	texts := make([]Text, documents)
	for i := range texts {
		texts[i] = Text{ID: int64(i + 1), Length: length}
		length = 100
	}
	return Page{Sealed: Seal(nil, appendSegmentTexts(nil, texts))}
}

// kept says whether a second reading gives what the first gave, and not a copy.
func kept(t *testing.T, c *TextCache, segment int64, page Page) bool {
	t.Helper()
	var read [2][]Text
	for i := range read {
		var err error
		if read[i], err = c.SegmentTexts(segment, page); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(read[0], read[1]) {
		t.Errorf("segment %d is read in two ways", segment)
	}
	return &read[0][0] == &read[1][0]
}

func TestTextCache(t *testing.T) {
	var c TextCache
	if kept(t, &c, 1, segmentPage(cachedFrom-1, 7)) {
		t.Error("a small segment is kept")
	}
	page := segmentPage(cachedFrom, 7)
	if !kept(t, &c, 1, page) {
		t.Error("a large segment is not kept")
	}
	if texts, err := c.SegmentTexts(1, segmentPage(cachedFrom, 8)); err != nil || texts[0].Length != 8 {
		t.Errorf("another segment of the same number: %v, %v", texts[0], err)
	}
	damaged := Page{Sealed: slices.Clone(page.Sealed)}
	damaged.Sealed[len(damaged.Sealed)/2] ^= 1
	for _, page := range []Page{damaged, {}, {Last: "a", Sealed: Seal(nil, nil)}} {
		if _, err := c.SegmentTexts(1, page); citewell.CodeOf(err) != citewell.CodeStoreFailed {
			t.Errorf("a damaged page of a kept segment: %v", err)
		}
	}
}

// What is kept has a bound, and what was asked for longest leaves.
func TestTextCacheIsBounded(t *testing.T) {
	var c TextCache
	page, most := segmentPage(finalSegment, 7), int64(cachedTexts/finalSegment)
	for segment := range most {
		kept(t, &c, segment, page)
	}
	first, _ := c.SegmentTexts(0, page)
	for segment := range int64(3) {
		kept(t, &c, most+segment, page)
	}
	if again, _ := c.SegmentTexts(0, page); &again[0] != &first[0] {
		t.Error("what was asked for of late has left")
	}
	if c.texts != cachedTexts || len(c.segments) != int(most) {
		t.Errorf("%d documents of %d segments are kept, want %d of %d", c.texts, len(c.segments), cachedTexts, most)
	}
	if large := segmentPage(cachedTexts+1, 7); kept(t, &c, 99, large) || c.texts > cachedTexts {
		t.Errorf("of a segment that is too large %d documents are kept", c.texts)
	}
}

// Of many documents few are kept, and all that may be among the best: one by the most that it
// may earn, whatever it earns at least.
func TestFoundTextsKeepsFew(t *testing.T) {
	const wanted, many = 10, 100_000
	random := rand.New(rand.NewPCG(1, 2))
	f := foundTexts{wanted: wanted}
	for id := range int64(many) {
		f.add(scoredText{id: id, base: 1 + random.Float64()})
	}
	if len(f.texts) > 20*wanted {
		t.Errorf("%d of %d documents are kept", len(f.texts), many)
	}
	f.add(scoredText{id: many, base: 0.1, near: 5})
	f.add(scoredText{id: many + 1, base: 0.1, near: 0.1})
	if last := f.texts[len(f.texts)-1]; last.id != many {
		t.Errorf("kept last is %d, want the one that may earn much, and not the one that may not", last.id)
	}
	all := foundTexts{}
	for id := range int64(many) {
		all.add(scoredText{id: id, base: 1 / float64(id+1)})
	}
	if len(all.texts) != many {
		t.Errorf("where all are wanted %d of %d are kept", len(all.texts), many)
	}
}
