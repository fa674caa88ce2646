package agent

import (
	"strings"
	"testing"
)

func TestComputations(t *testing.T) {
	for task, want := range map[string]string{
		"what is 2+2": "4", "2 + 3 * 4": "14", "(2+3)*4": "20", "2^3^2": "512", "-2^2 + 0": "-4", "2 - -2": "4",
		"2 x 3 x 4": "24", "7 ÷ 2": "7/2",
		"15 % of 80": "12", "15% von 80": "12", "17 % 5": "2", "100 + 10%": "1001/10", "1,200 * 3": "3600",
		"2,5 * 2": "5", "1,234.5 * 2": "2469",
		"10 - 3 - 2": "5", "is 3*4 more than 2*5?": "12 10", "1/0": "", "2^65": "", "2^0.5": "", "4": "", "a 4": "",
		"(2+3": "", "2++": "",
		"5 % 0": "", "5.5 % 2": "", "2^-1": "", "2^64": "18446744073709551616", "(9^60)^11": "", "(9^9^2)*1": "",
		"-(2+3)": "-5", "7 mod 2": "", "50%": "1/2", "50% * (4)": "2", "50 %(4)": "2",
		"((((2+2))))": "4", strings.Repeat("(", 60) + "2+2" + strings.Repeat(")", 60): "",
		strings.Repeat("9^9*", 100) + "9": "",
	} {
		results, _ := computations(task)
		var got []string
		for _, value := range results {
			got = append(got, value.RatString())
		}
		if said := strings.Join(got, " "); said != want {
			t.Errorf("%q comes to %q, want %q", task, said, want)
		}
	}
}

// Whatever stands in a task, what is computed of it is small and has its numbers.
func FuzzComputations(f *testing.F) {
	for _, seed := range []string{"2+2", "15 % of 80", "(1,2^3)%4", "2^64^64", "--((1))", "1/0%0", "٣+٣", "9^9^9"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, task string) {
		results, operands := computations(task)
		for _, value := range results {
			if value.Num().BitLen()+value.Denom().BitLen() > 2*maxBits {
				t.Fatalf("%q comes to a value of %d bits", task, value.Num().BitLen())
			}
		}
		if len(results) > 0 && len(operands) == 0 {
			t.Fatalf("%q has a result and no number", task)
		}
	})
}
