package cite

import (
	"sync"

	"github.com/citewell/citewell/text"
)

// separables are German verbs that take their side from a particle at the end of the
// clause: "ging … zurück", "nahm … ab".
var separables = sync.OnceValue(func() map[string]map[string]pole {
	all := map[string]map[string]pole{}
	for _, s := range []struct {
		verbs, particle string
		side            pole
	}{
		{"ging gehen geht gingen", "zurück", pole{amount, -1}},
		{"nahm nimmt nehmen nahmen", "ab", pole{amount, -1}},
		{"nahm nimmt nehmen nahmen", "zu", pole{amount, 1}},
		{"stieg steigt steigen stiegen", "an", pole{amount, 1}},
		{"lehnt lehnte lehnen lehnten", "ab", pole{"permission", -1}},
		{"lässt liess lassen liessen", "zu", pole{"permission", 1}},
		{"stimmt stimmte stimmen stimmten", "zu", pole{"permission", 1}},
	} {
		for verb := range text.SetOf(s.verbs) {
			if all[verb] == nil {
				all[verb] = map[string]pole{}
			}
			all[verb][s.particle] = s.side
		}
	}
	return all
})

// markSeparable gives verbs the side that they have with the particle of their clause.
func markSeparable(words []word) {
	for i := range words {
		sides := separables()[words[i].low]
		if sides == nil {
			continue
		}
		last := i
		for last+1 < len(words) && words[last+1].clause == words[i].clause && !words[last+1].comma && words[last+1].low != "und" {
			last++
		}
		if side, ok := sides[words[last].low]; ok && last > i {
			words[i].poles, words[i].content = []pole{side}, true
		}
	}
}
