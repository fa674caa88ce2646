package llm

// An answer repeats itself without end where its last repeatWindow bytes are one piece of at most repeatPiece bytes,
// over and over. A long row of dashes or a table of equal rows stays below that.
const (
	repeatWindow = 6 << 10
	repeatPiece  = repeatWindow / 10
	repeatEvery  = 1 << 10 // bytes between two looks
)

func repetition() error {
	return unusable(ErrRepetition, "the model repeated itself without end")
}

// repetitions looks at a growing answer.
type repetitions struct{ next int }

func (l *repetitions) grown(a *incoming) bool {
	if a.size < l.next {
		return false
	}
	l.next = a.size + repeatEvery
	return a.repeats()
}

func (a *incoming) repeats() bool {
	calls := a.calls.list
	return repeats(a.content.String()) || repeats(a.reasoning.String()) ||
		len(calls) > 0 && repeats(calls[len(calls)-1].arguments.String())
}

// repeats reports whether a text ends in endless repetition: the shortest period of its end, by the failure function of
// Knuth, Morris and Pratt.
func repeats(s string) bool {
	if len(s) < repeatWindow {
		return false
	}
	s = s[len(s)-repeatWindow:]
	border := make([]int, len(s))
	for i, k := 1, 0; i < len(s); i++ {
		for k > 0 && s[i] != s[k] {
			k = border[k-1]
		}
		if s[i] == s[k] {
			k++
		}
		border[i] = k
	}
	return len(s)-border[len(s)-1] <= repeatPiece
}
