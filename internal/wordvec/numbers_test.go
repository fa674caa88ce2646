package wordvec

import (
	"math"
	"math/rand/v2"
	"testing"
)

// at returns number i.
func (n *numbers) at(i int) int { return int(n[i/16]>>(4*(i%16))&15)*2 - 15 }

func TestProduct(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var lowest, highest numbers
	for i := range highest {
		highest[i] = math.MaxUint64
	}
	all := []numbers{lowest, highest}
	for range 20 {
		var n numbers
		for i := range n {
			n[i] = random.Uint64()
		}
		all = append(all, n)
	}
	for _, n := range all {
		for _, o := range all {
			want := 0
			for i := range Dimensions {
				want += n.at(i) * o.at(i)
			}
			if got := n.product(&o); got != want {
				t.Fatalf("%x times %x is %d, want %d", n, o, got, want)
			}
		}
	}
}

func TestRound(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var sum [Dimensions]float32
	if n := round(&sum); n.at(0) != 1 {
		t.Errorf("nothing has numbers of %d", n.at(0))
	}
	for range 20 {
		var rounded [Dimensions]float32
		var product, own, others float64
		for i := range sum {
			sum[i] = float32(random.NormFloat64() / 30)
		}
		n := round(&sum)
		n.addTo(&rounded, 1)
		for i, number := range sum {
			product += float64(number) * float64(rounded[i])
			own += float64(number) * float64(number)
			others += float64(rounded[i]) * float64(rounded[i])
		}
		if near := product / math.Sqrt(own*others); near < 0.99 {
			t.Errorf("a sum rounded is %.4f near to itself", near)
		}
	}
}
