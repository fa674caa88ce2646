package content

// Signals are all that the forests are told of the blocks of a page, a row each: what the
// first are asked by, and behind it what the second is.
func (l *Lesson) Signals() [][]float32 {
	every := make([]int, len(l.rows))
	for i := range every {
		every[i] = i
	}
	values, _ := OwnJudge().firstValues(l.rows)
	return secondSignals(l.rows, values, l.in, every)
}
