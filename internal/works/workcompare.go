package works

import (
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
)

// An Agreement says how one field of two records of works compares. Empty is "one of them does not say".
type Agreement string

// How a field compares.
const (
	Agrees  Agreement = "agrees"
	Near    Agreement = "near" // of a title: spelled otherwise in a few places
	Differs Agreement = "differs"
)

// A WorkComparison is what two records say of one work, field by field, whatever their identifiers say.
type WorkComparison struct {
	OneWork bool      // Merge would join them by kind, title, authors and year
	Title   Agreement // with and without a subtitle, in TeX, in Greek or in English letters
	Authors Agreement // of the first author; Near where that one agrees and another of a is none of b's
	Year    Agreement // by the years that one work may have; Near where it is not the same one
	Strange []string  // authors of a whom b does not name
}

// CompareWorks holds what was written of a work against a register's record, as Merge does but for identifiers. A
// record without a Work has a title alone.
func CompareWorks(a, b citewell.Result) WorkComparison {
	x, y := byWords(a), byWords(b)
	c := WorkComparison{OneWork: LikenessOf(x, y) == OneWork, Title: compareTitles(x.title, y.title)}
	if len(x.authors) > 0 && len(y.authors) > 0 {
		for i, author := range x.authors {
			if !slices.ContainsFunc(y.authors, author.agrees) && !slices.ContainsFunc(b.Work.Authors,
				func(name string) bool { return sameWords(a.Work.Authors[i], name) }) &&
				(i == 0 || len(b.Work.Authors) <= maxCompared) {
				c.Strange = append(c.Strange, a.Work.Authors[i])
			}
		}
		switch {
		case !x.authors[0].agrees(y.authors[0]) && !sameWords(a.Work.Authors[0], b.Work.Authors[0]):
			c.Authors = Differs
		case len(c.Strange) > 0:
			c.Authors = Near
		default:
			c.Authors = Agrees
		}
	}
	switch {
	case x.year == 0 || y.year == 0:
	case x.year == y.year:
		c.Year = Agrees
	case yearsFit(x, y):
		c.Year = Near
	default:
		c.Year = Differs
	}
	return c
}

// sameWords reports whether two names have the same words in any order, as "Family Given" in some registers.
func sameWords(a, b string) bool {
	words := func(name string) []string {
		fields := strings.Fields(strings.ReplaceAll(name, ",", " "))
		for i := range fields {
			fields[i] = foldNamePart(fields[i])
		}
		slices.Sort(fields)
		return fields
	}
	return slices.Equal(words(a), words(b))
}

// byWords is a record without its identifiers.
func byWords(r citewell.Result) *Record {
	w := citewell.Work{}
	if r.Work != nil {
		w = *r.Work
	}
	w.DOI, w.ArXiv, w.PMID, w.ISBN, w.Versions = "", "", "", "", nil
	return RecordOf(citewell.Result{Title: r.Title, Work: &w})
}

// leastAlike is the least share of equal pairs of letters in two titles with slips of a pen: three of 40 letters may
// differ.
const leastAlike = 0.85

func compareTitles(a, b workTitle) Agreement {
	if len(a.whole) > len(b.whole) {
		a, b = b, a
	}
	switch {
	case a.whole == "":
		return ""
	case a.whole == b.whole, b.mains[a.whole] > 0 && len(a.whole) >= leastTitle:
		return Agrees
	case alike(a.whole, b.whole) >= leastAlike:
		return Near
	}
	return Differs
}

// alike is the share of pairs of neighbouring letters that two words have in common, 0 to 1.
func alike(a, b string) float64 {
	pairs := func(s string) map[[2]rune]int {
		found := map[[2]rune]int{}
		letters := []rune(s)
		for i := 1; i < len(letters); i++ {
			found[[2]rune{letters[i-1], letters[i]}]++
		}
		return found
	}
	of, other := pairs(a), pairs(b)
	common, all := 0, 0
	for pair, n := range of {
		common += min(n, other[pair])
		all += n
	}
	for _, n := range other {
		all += n
	}
	if all == 0 {
		return 0
	}
	return 2 * float64(common) / float64(all)
}

// FoldTitle gives the letters and digits of a title for comparison, without accents, TeX, tags and case.
func FoldTitle(title string) string { return foldTitle(title).whole }

// SameVenue reports whether two names may be of one journal, conference or publisher: one within the other, or
// abbreviated ("J. Mar. Eng."). Empty agrees with nothing.
func SameVenue(a, b string) bool {
	if x, y := FoldTitle(a), FoldTitle(b); x != "" && y != "" && (strings.Contains(x, y) || strings.Contains(y, x)) {
		return true
	}
	return abbreviates(a, b) || abbreviates(b, a) || isAcronym(a, b) || isAcronym(b, a)
}

// abbreviates says whether each word of a shortens a word of b, in their order.
func abbreviates(a, b string) bool {
	words, long := strings.Fields(strings.ReplaceAll(a, ".", ". ")), strings.Fields(b)
	at := 0
	for _, word := range words {
		short := FoldTitle(word)
		if short == "" || isLinkWord(word) {
			continue
		}
		for at < len(long) && !shortens(short, FoldTitle(long[at])) {
			at++
		}
		if at == len(long) {
			return false
		}
		at++
	}
	return at > 0
}

// shortens says whether a begins as b does and has letters of it in their order: "natl" of "national".
func shortens(a, b string) bool {
	if b == "" || a[0] != b[0] {
		return false
	}
	for i := range len(b) {
		if a != "" && a[0] == b[i] {
			a = a[1:]
		}
	}
	return a == ""
}

// isLinkWord tells the "&", "of" and "de" that an abbreviation leaves out.
func isLinkWord(word string) bool { return word == "&" || WithinNames[strings.ToLower(word)] }

// isAcronym says whether a is the first letters of b's words: PNAS.
func isAcronym(a, b string) bool {
	if strings.ContainsAny(strings.TrimSpace(a), " ") {
		return false
	}
	var initials strings.Builder
	for _, word := range strings.Fields(b) {
		if folded := FoldTitle(word); folded != "" && !isLinkWord(word) {
			initials.WriteString(string([]rune(folded)[:1]))
		}
	}
	return len(a) > 1 && initials.String() == FoldTitle(a)
}

// WithinNames are the words that names have in them.
var WithinNames = text.SetOf(`of the and de la del van von di da du des y ibn al`)
