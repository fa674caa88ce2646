package fulltext

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkMillionTexts reads what a search of a part of a million documents reads of every
// one, its id and length, of sixteen segments: anew, and as a TextCache has it.
func BenchmarkMillionTexts(b *testing.B) {
	texts := make([]Text, finalSegment)
	random := rand.New(rand.NewPCG(1, 2))
	id := int64(0)
	for i := range texts {
		id += 1 + random.Int64N(3)
		texts[i] = Text{ID: id, Length: 60 + random.IntN(100)}
	}
	page := Page{Sealed: Seal(nil, appendSegmentTexts(nil, texts))}
	var cache TextCache
	for name, read := range map[string]func(segment int64, page Page) ([]Text, error){
		"anew": func(_ int64, page Page) ([]Text, error) { return unsealTexts("bench", page) },
		"kept": cache.SegmentTexts,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for segment := range int64(16) {
					if read, err := read(segment, page); err != nil || len(read) != finalSegment {
						b.Fatal(len(read), err)
					}
				}
			}
			b.ReportMetric(float64(len(page.Sealed))/finalSegment, "stored-B/text")
		})
	}
}
