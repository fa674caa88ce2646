package rank

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/relevance"
	"github.com/citewell/citewell/internal/text"
)

// A Ranker ranks the same passages for many queries as Passages does for one. It reads
// their words once, when it is first asked. It is safe for many goroutines.
type Ranker struct {
	passages  []citewell.Passage
	options   Options
	languages func() []string // of each passage; empty where it is not known

	mu   sync.Mutex
	read map[reader]*readPassages
}

// NewRanker makes a Ranker. Rank is given the language of each query, and o has none.
func NewRanker(passages []citewell.Passage, o Options) *Ranker {
	return &Ranker{passages: passages, options: o, read: map[reader]*readPassages{},
		languages: sync.OnceValue(func() []string {
			languages := make([]string, len(passages))
			for i, p := range passages {
				languages[i] = languageOf(o, i, p)
			}
			return languages
		})}
}

// Rank ranks the passages for a query, best first, and leaves out those that share no
// word with it. Without the language of the query it is detected.
func (r *Ranker) Rank(query, lang string) []Scored {
	q := newQuestion(r.options.Readings.Read(query, lang))
	if len(q.words) == 0 || len(r.passages) == 0 {
		return nil
	}
	as := q.reader
	if as.plain || !slices.Contains(r.languages(), "") {
		as.language = ""
	}
	r.mu.Lock()
	words := r.read[as]
	if words == nil {
		words = r.readAs(q, nil)
		r.read[as] = words
	}
	r.mu.Unlock()
	return q.rank(words)
}

// readPassages are the words of passages, and where each occurs.
type readPassages struct {
	places  map[string]map[string][]place // language → term → in order of the passages
	lengths []int                         // of the passages, in terms
	mean    float64
}

// A place is where a term stands: the number of the word within the passage, or inHeading
// or inTitle.
type place struct{ passage, position int32 }

const (
	inHeading = math.MaxInt32 - 1
	inTitle   = math.MaxInt32
)

// readAs reads the passages as a question is read, and notes the places of the terms of
// each language that are wanted; nil wants all.
func (r *Ranker) readAs(q *question, wanted func(lang string) map[string]int) *readPassages {
	words := &readPassages{places: map[string]map[string][]place{}, lengths: make([]int, len(r.passages))}
	total := 0
	for i, passage := range r.passages {
		lang := r.languages()[i]
		places := words.places[lang]
		if places == nil {
			places = map[string][]place{}
			words.places[lang] = places
		}
		var terms map[string]int
		if wanted != nil {
			terms = wanted(lang)
		}
		note := func(tokens []text.Token, position func(int) int) {
			for at, token := range tokens {
				if _, asked := terms[token.Text]; asked || wanted == nil {
					places[token.Text] = append(places[token.Text], place{int32(i), int32(position(at))})
				}
			}
		}
		read := func(s string) []text.Token { return q.tokens(r.options.Readings.Read(s, lang), lang) }
		body := read(passage.Text)
		note(body, func(at int) int { return at })
		note(read(passage.Above()), func(int) int { return inHeading })
		note(read(titleOf(r.options, i)), func(int) int { return inTitle })
		words.lengths[i] = len(body)
		total += len(body)
	}
	words.mean = float64(total) / float64(len(r.passages))
	return words
}

// A hit is one of the question's words at a position in a passage.
type hit struct {
	position int32
	word     int32
}

// rank ranks the passages by the places of the question's words.
func (q *question) rank(words *readPassages) []Scored {
	hits := make([][]hit, len(words.lengths))
	for lang, places := range words.places {
		for term, k := range q.lookup(lang) {
			for _, p := range places[term] {
				hits[p.passage] = append(hits[p.passage], hit{p.position, int32(k)})
			}
		}
	}
	matches := make([]match, len(hits))
	in := make([]int, len(q.words))
	for i := range hits {
		if len(hits[i]) == 0 {
			continue
		}
		matches[i] = q.match(hits[i])
		for k, count := range matches[i].counts {
			if count > 0 {
				in[k]++
			}
		}
	}
	weights := make([]float64, len(q.words))
	for k := range weights {
		weights[k] = relevance.InverseFrequency(in[k], len(words.lengths)+background)
	}
	scores := make([]float64, len(matches))
	for i, m := range matches {
		scores[i] = m.score(weights, relevance.LengthNorm(float64(words.lengths[i]), words.mean))
	}
	return relevance.Sorted(scores)
}

// A match is what one passage has of the question's words.
type match struct {
	counts   []float64 // of each word, weighted by where it occurs
	nearness []float64 // of each word to the one before it, 0 to 1
}

// match takes the hits of one passage, in any order: those in its text count each, those in
// its heading and its title once a word.
func (q *question) match(hits []hit) match {
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.position, b.position), cmp.Compare(a.word, b.word))
	})
	m := match{counts: make([]float64, len(q.words)), nearness: make([]float64, len(q.words))}
	last := make([]int, len(q.words)) // 1 + where each word was last seen
	for i, h := range hits {
		k := int(h.word)
		if h.position >= inHeading {
			if i == 0 || hits[i-1] != h {
				m.counts[k] += map[int32]float64{inHeading: headingWeight, inTitle: titleWeight}[h.position]
			}
			continue
		}
		m.counts[k]++
		last[k] = int(h.position) + 1
		if k > 0 && last[k-1] > 0 {
			m.near(k, last[k]-last[k-1], 1)
		}
		if k+1 < len(last) && last[k+1] > 0 {
			m.near(k+1, last[k]-last[k+1], 0.5) // the other way round
		}
	}
	return m
}

// near notes that word k was seen at a distance from the word before it in the query.
func (m *match) near(k, distance int, weight float64) {
	if distance < nearnessReach {
		m.nearness[k] = max(m.nearness[k], weight/float64(distance))
	}
}

func (m match) score(weights []float64, norm float64) float64 {
	score := 0.0
	for k, count := range m.counts {
		score += weights[k] * relevance.Saturated(count, norm)
		if m.nearness[k] > 0 {
			score += nearnessWeight * min(weights[k], weights[k-1]) * m.nearness[k]
		}
	}
	return score
}
