package fulltext

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkMillionTexts reads what a search of a part of a million documents reads of every
// one: its id and length, of sixteen segments.
func BenchmarkMillionTexts(b *testing.B) {
	texts := make([]Text, finalSegment)
	random := rand.New(rand.NewPCG(1, 2))
	id := int64(0)
	for i := range texts {
		id += 1 + random.Int64N(3)
		texts[i] = Text{ID: id, Length: 60 + random.IntN(100)}
	}
	sealed := Seal(nil, appendSegmentTexts(nil, texts))
	b.ReportAllocs()
	for b.Loop() {
		for range 16 {
			plain, err := Unseal("bench", sealed)
			if err != nil {
				b.Fatal(err)
			}
			if read, err := readSegmentTexts(plain); err != nil || len(read) != finalSegment {
				b.Fatal(len(read), err)
			}
		}
	}
	b.ReportMetric(float64(len(sealed))/finalSegment, "stored-B/text")
}
