package demo

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/citewell/citewell/internal/lazyregexp"
)

// An index ranks the pages for a query by BM25; words of titles and descriptions count more than once.
type index struct {
	entries []*entry
	docs    map[string]int // in how many entries a word is
	mean    float64        // words of an entry, on average
}

// An entry is one address that the engines know.
type entry struct {
	url, title, text, lang string
	date                   time.Time // zero where the engines have none
	weight                 float64
	words                  map[string]int
	length                 int
}

func (e *entry) isOn(host string) bool {
	_, rest, _ := strings.Cut(e.url, "://")
	at, _, _ := strings.Cut(rest, "/")
	name, _, _ := strings.Cut(at, ":")
	return name == host
}

// A hit is an entry with what a query makes of it.
type hit struct {
	*entry
	score   float64
	snippet string
}

const (
	titleWeight  = 3
	coverWeight  = 0.4  // a front page of few words names every topic and answers no question
	coverBytes   = 600  // of plain text, below which a front page is one
	staleWeight  = 0.62 // engines trust less what they have not seen for long
	leastShare   = 0.35 // of the query's information that an entry must have
	snippetBytes = 280
)

func buildIndex(sites []*site) *index {
	x := &index{docs: map[string]int{}}
	for _, s := range sites {
		for _, p := range s.Pages {
			e := &entry{url: p.URL, title: p.Title + " - " + s.Name, text: p.plain, lang: p.Lang, weight: 1}
			if p.Front() && len(p.plain) < coverBytes {
				e.weight = coverWeight
			}
			if p.listedDate {
				e.date = p.Date
			}
			x.addEntry(e, p.Title, p.Description)
		}
		for _, l := range s.listed {
			x.addEntry(&entry{url: s.URL + l.path, title: l.title, text: l.text, lang: s.Lang, weight: staleWeight},
				l.title, "")
		}
	}
	x.mean /= float64(len(x.entries))
	return x
}

func (x *index) addEntry(e *entry, title, description string) {
	e.words = map[string]int{}
	count := func(text string, weight int) {
		for _, word := range words(text) {
			e.words[word] += weight
			e.length += weight
		}
	}
	count(title, titleWeight)
	count(description, 1)
	count(e.text, 1)
	for word := range maps.Keys(e.words) {
		x.docs[word]++
	}
	x.mean += float64(e.length)
	x.entries = append(x.entries, e)
}

// A filter narrows a search. lang prefers pages in a language, and since drops pages older than it or undated.
type filter struct {
	lang  string
	since time.Time
}

// onSite is the operator by which engines look at one host alone; several are alternatives.
var onSite = lazyregexp.New(`[(\s]*(?:\bOR\s+)?\bsite:([\w.-]+)[)\s]*`)

// search returns every entry that fits the query, best first.
func (x *index) search(query string, f filter) []hit {
	var sites []string
	for _, site := range onSite.FindAllStringSubmatch(query, -1) {
		sites = append(sites, site[1])
	}
	terms := words(onSite.ReplaceAllString(query, " "))
	slices.Sort(terms)
	terms = slices.Compact(terms)
	var most float64
	for _, term := range terms {
		most += x.idf(term)
	}
	var hits []hit
	for _, e := range x.entries {
		if !f.since.IsZero() && e.date.Before(f.since) || len(sites) > 0 && !slices.ContainsFunc(sites, e.isOn) {
			continue
		}
		score, share := x.score(e, terms)
		if share < leastShare*most || score == 0 {
			continue
		}
		score *= e.weight
		if f.lang != "" && f.lang == e.lang {
			score *= 1.5
		}
		hits = append(hits, hit{entry: e, score: score})
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.url, b.url))
	})
	for i := range hits {
		hits[i].snippet = x.snippet(hits[i].text, terms)
	}
	return hits
}

func (x *index) idf(term string) float64 {
	n, df := float64(len(x.entries)), float64(x.docs[term])
	return math.Log(1 + (n-df+0.5)/(df+0.5))
}

// score returns the BM25 score and the summed idf of the terms that e has.
func (x *index) score(e *entry, terms []string) (score, share float64) {
	const k1, b = 1.2, 0.6
	for _, term := range terms {
		if tf := float64(e.words[term]); tf > 0 {
			idf := x.idf(term)
			share += idf
			score += idf * tf * (k1 + 1) / (tf + k1*(1-b+b*float64(e.length)/x.mean))
		}
	}
	return score, share
}

// snippet is the sentence that says most about the terms, with the next if there is room; headings and items come last.
func (x *index) snippet(text string, terms []string) string {
	parts := sentences(text)
	if whole := slices.DeleteFunc(slices.Clone(parts), func(s string) bool {
		return !strings.ContainsAny(s[len(s)-1:], ".!?\"")
	}); len(whole) > 0 {
		parts = whole
	}
	best, most := 0, -1.0
	for i, sentence := range parts {
		var sum float64
		in := words(sentence)
		for _, term := range terms {
			if slices.Contains(in, term) {
				sum += x.idf(term)
			}
		}
		if sum > most {
			best, most = i, sum
		}
	}
	if len(parts) == 0 {
		return ""
	}
	out := parts[best]
	if best+1 < len(parts) && len(out)+len(parts[best+1]) < snippetBytes {
		out += " " + parts[best+1]
	}
	if len(out) <= snippetBytes {
		return out
	}
	return out[:strings.LastIndexByte(out[:snippetBytes], ' ')] + " …"
}

// sentences ends one at a line break and at . ! ? before a space and a capital.
func sentences(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		start := 0
		for i := range line {
			rest := line[i:]
			if len(rest) > 2 && strings.ContainsRune(".!?", rune(rest[0])) && rest[1] == ' ' && rest[2] >= 'A' &&
				rest[2] <= 'Z' {
				out = append(out, strings.TrimSpace(line[start:i+1]))
				start = i + 1
			}
		}
		if last := strings.TrimSpace(line[start:]); last != "" {
			out = append(out, last)
		}
	}
	return out
}

// words gives a text's words, lower-cased and without endings, without stop-words. A point between digits belongs to
// one.
func words(text string) []string {
	var out []string
	runes := []rune(strings.ToLower(text))
	for i := 0; i < len(runes); {
		start := i
		for i < len(runes) && (isWord(runes[i]) || runes[i] == '.' && i > start && unicode.IsDigit(runes[i-1]) &&
			i+1 < len(runes) && unicode.IsDigit(runes[i+1])) {
			i++
		}
		if i == start {
			i++
			continue
		}
		if word := string(runes[start:i]); !stopWords[word] {
			out = append(out, stem(word))
		}
	}
	return out
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// stem cuts the commonest English endings, so that open, opens, opened and opening are one word.
func stem(word string) string {
	if base, ok := strings.CutSuffix(word, "ies"); ok && len(base) > 2 {
		return base + "y"
	}
	for _, ending := range []string{"ing", "ed", "s"} {
		if base, ok := strings.CutSuffix(word, ending); ok && len(base) > 2 && !strings.HasSuffix(word, "ss") {
			word = base
			break
		}
	}
	if base, ok := strings.CutSuffix(word, "e"); ok && len(base) > 2 {
		word = base
	}
	return word
}

var stopWords = func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(
		`a an the and or but of in on at to from for with by as is are was were be been do does did
		how what when where which who why much many far long i it its they their this that can could will than not no
		have has had there about into my you your we our s
		der die das ein eine und oder von im am zu mit ist sind war wie was wann wo wer er sie es den dem des auf für`) {
		set[word] = true
	}
	return set
}()
