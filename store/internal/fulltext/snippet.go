package fulltext

import (
	"cmp"
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/store"
)

const (
	snippetBytes  = 320 // at most, without the marks that say it goes on
	snippetWindow = 240 // within which matches count as standing together
	snippetLead   = 120 // how far back a sentence may begin
	againShare    = 10  // a term again within a window is worth such a share of it
)

// cutSnippet returns the words of original around the place where the most, and the rarest, of the found terms stand
// together, else its beginning, unchanged, and the same with the found words marked.
func cutSnippet(original string, found []occurrence, weights map[string]float64) (string, store.Excerpt) {
	start, end := 0, 0
	if from, to, score := bestWindow(found, weights); score > 0 && to <= len(original) {
		start, end = sentenceStart(original, from), to
	}
	stop := start + snippetBytes
	if stop >= len(original) {
		stop = len(original)
	} else {
		stop = text.CharacterStart(original, stop)
		if cut := strings.LastIndexAny(original[start:stop], " \n\t"); cut > 0 && start+cut > end {
			stop = start + cut // not within a word; scripts without spaces are cut anywhere
		}
	}
	excerpt := store.Excerpt{Start: start, End: stop, Text: strings.Clone(original[start:stop]),
		Marks: marks(original, start, stop, found)}
	snippet := text.OneLine(excerpt.Text)
	if start > 0 && snippet != "" {
		snippet = "… " + snippet
	}
	if stop < len(strings.TrimRight(original, " \n\t")) && snippet != "" {
		snippet += " …"
	}
	return snippet, excerpt
}

// marks returns where in original between start and stop the found words stand, overlapping ones as one mark.
func marks(original string, start, stop int, found []occurrence) []store.Span {
	places := map[int]bool{}
	for _, o := range found {
		from, _ := slices.BinarySearch(o.places, start)
		for _, place := range o.places[from:] {
			if place >= stop {
				break
			}
			places[place] = true
		}
	}
	if len(places) == 0 {
		return nil
	}
	var list []store.Span
	for _, word := range text.Words(original[start:stop]) {
		span := store.Span{Start: start + word.Start, End: start + word.End}
		switch {
		case !places[span.Start]:
		case len(list) > 0 && span.Start < list[len(list)-1].End:
			list[len(list)-1].End = span.End
		default:
			list = append(list, span)
		}
	}
	return list
}

// bestWindow returns the first place of the best group of matches, a place not before its last one, and the group's
// worth: the sum of its terms' weights, 0 without a match.
func bestWindow(found []occurrence, weights map[string]float64) (from, to int, best float64) {
	type match struct{ place, term int }
	var matches []match
	for term, o := range found {
		for _, place := range o.places {
			matches = append(matches, match{place, term})
		}
	}
	slices.SortFunc(matches, func(a, b match) int { return cmp.Compare(a.place, b.place) })
	inside := make([]int, len(found))
	score := 0.0
	worth := func(m match) float64 { // a term again is worth little beside another term
		weight := weights[found[m.term].term]
		if inside[m.term] > 0 {
			return weight / againShare
		}
		return weight
	}
	for left, right := 0, 0; right < len(matches); right++ {
		score += worth(matches[right])
		inside[matches[right].term]++
		for matches[right].place-matches[left].place > snippetWindow {
			inside[matches[left].term]--
			score -= worth(matches[left])
			left++
		}
		if score > best+1e-9 {
			best = score
			from, to = matches[left].place, matches[right].place
		}
	}
	return from, to, best
}

// sentenceStart returns where the sentence of place begins, or the next word where that is too far back.
func sentenceStart(s string, place int) int {
	low := text.CharacterStart(s, max(0, place-snippetLead))
	high := text.CharacterStart(s, min(len(s), place+snippetLead))
	begin := -1
	for i, span := range text.Sentences(s[low:high]) {
		if low+span.Start > place {
			break
		}
		if i > 0 || low == 0 { // the first one may have begun before low
			begin = low + span.Start
		}
	}
	if begin >= 0 {
		return begin
	}
	if space := strings.IndexAny(s[low:place], " \n\t"); space >= 0 {
		return low + space + 1
	}
	return low
}
