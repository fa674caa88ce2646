package text

import (
	"strconv"
	"strings"
)

// Count is "1 page", "2 pages", "3 searches": a number of things whose English name has
// a regular plural.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	for _, hiss := range []string{"s", "x", "ch", "sh"} {
		if strings.HasSuffix(noun, hiss) {
			return strconv.Itoa(n) + " " + noun + "es"
		}
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
