package meaning

import (
	"context"
	"math"
	"sync"
)

// A Floor is how near two texts are by chance for one model. The zero Floor is ready; many goroutines may use it.
type Floor struct {
	mu    sync.Mutex
	plain [][]float32 // the vectors of plainSentences, once they are known
}

// plainSentences have nothing to do with each other, nor with what most people ask.
var PlainSentences = []string{
	"The train to the coast leaves at noon.",
	"She planted three apple trees behind the barn.",
	"Interest rates rose by a quarter of a point.",
	"The kidney filters waste out of the blood.",
	"A violin has four strings tuned in fifths.",
	"The court dismissed the appeal last week.",
	"Basalt forms when lava cools quickly.",
	"He scored twice in the second half.",
	"The printer is out of paper again.",
	"Bees dance to tell where flowers are.",
	"The parliament was dissolved in spring.",
	"Add the eggs and stir until smooth.",
	"The password must have twelve characters.",
	"Whales breathe air through a blowhole.",
	"The bridge was built of iron in the last century.",
	"Our flight was delayed by heavy snow.",
}

// floorDeviations is how many standard deviations above the mean of plainSentences related texts are:
// doc/decision/0038-catalogue.md.
const floorDeviations = 3

// leastCosine returns the cosine that a text must be above to have something to do with a query.
func (f *Floor) leastCosine(ctx context.Context, model Embedder, query []float32) (float64, error) {
	plain, err := f.known(ctx, model)
	if err != nil {
		return 0, err
	}
	var sum, squares float64
	for _, v := range plain {
		c := cosine(query, v)
		sum, squares = sum+c, squares+c*c
	}
	n := float64(len(plain))
	mean := sum / n
	const rounding = 1e-6 // of vectors of 32-bit numbers
	return mean + floorDeviations*math.Sqrt(max(0, squares/n-mean*mean)) + rounding, nil
}

// known are the vectors of plainSentences. Who comes while they are made makes them too, and waits for nobody.
func (f *Floor) known(ctx context.Context, model Embedder) ([][]float32, error) {
	f.mu.Lock()
	plain := f.plain
	f.mu.Unlock()
	if plain != nil {
		return plain, nil
	}
	plain, err := model.Embed(ctx, PlainSentences)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plain = plain
	return plain, nil
}

// cosine is that of the angle between two vectors; 0 where one has no direction.
func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range min(len(a), len(b)) {
		x, y := float64(a[i]), float64(b[i])
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return dot / math.Sqrt(aa*bb)
}
