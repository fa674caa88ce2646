package text

// Nearest returns the known word that key was most likely meant to be, and empty
// where none is near: at most two letters may differ, or a third of a longer word.
func Nearest(key string, known []string) string {
	best, distance := "", max(2, len(key)/3)+1
	for _, candidate := range known {
		if d := editDistance(key, candidate); d < distance {
			best, distance = candidate, d
		}
	}
	return best
}

// DidYouMean is the end of a message about a word that is not among those known: the
// nearest of them as a question, and empty where none is near.
func DidYouMean(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// editDistance is how many bytes must be put in, taken out or changed.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
