package brief

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/text"
)

// What is known of a sentence and a question, each as a number between 0 and about 1.
// A share of words counts each by its rarity in what was read.
const (
	sAlways = iota
	sWords
	sHeaded
	sNear
	sPassage
	sSource
	sAnywhere
	sLike
	sPairs
	sRun
	sTight
	sRarest
	sRarestHeaded
	sNames
	sNamesHeaded
	sNamesLost
	sLost
	sHeading
	sTitle
	sAgainstBest
	sRank
	sSourceRank
	sEarly
	sManyAsked
	sLong
	sShort
	sNews
	sRow
	sUnfinished
	sLoose
	sPast
	sDenies
	sAddress
	sFigure
	sUnitNear
	sDate
	sVersion
	sNameGiven
	sPlaceGiven
	sCause
	sWay
	sDefines
	sContrasts
	sYesNo
	sHint
	sCode
	sSigns
	sPaired
	sOwn
	sStarts
	sPath
	sTitleAsked
	sHeadingAsked
	signalCount
)

type signals = [signalCount]float64

// signalNames say in words what each signal is, for those who ask why.
var signalNames = [signalCount]string{
	"always", "words of the question in it", "with its heading and title", "with its neighbours", "in its passage", "in its document",
	"in what was read", "words like those of the question", "words side by side as in the question", "longest run of the question's words", "question's words close together",
	"rarest word in it", "rarest word in it or above it", "names in it", "names in it or above it", "names that its document lacks", "words that nothing read has",
	"words in its heading", "words in the title", "beside the best sentence", "rank of its passage", "rank of its document", "place in its document",
	"many words asked", "long", "short", "says more than the question", "table row", "unfinished", "leans on what is not quoted", "of the past", "denies what is not asked so", "address",
	"figure, where one is asked for", "figure beside what is counted", "date, where one is asked for", "version, where one is asked for", "name, where one is asked for", "place, where one is asked for",
	"cause, where one is asked for", "way to do it", "definition", "contrast", "yes or no", "word of asking", "code",
	"signs", "quoted with the sentence before it", "words in its own sentence", "begins with a word of the question", "words in its address", "title asked for", "heading asked for",
}

// SignalNames say in words what each signal of a Weighed is.
func SignalNames() []string { return slices.Clone(signalNames[:]) }

// A view is the words of an aspect as texts of one language have them.
type view struct {
	index   map[string]int // of a term
	terms   []string
	weights []float64
	names   []bool
	pairs   []bool // whether the word stands beside the next one in the question
	total   float64
	read    reach // what all sources together have
}

// viewOf takes an aspect's words as a language has them.
func (e *evidence) viewOf(a aspect, lang string) *view {
	v := &view{index: map[string]int{}}
	end := -1
	for _, t := range text.TermTokens(a.text, lang) {
		word := a.text[t.Start:t.End]
		if !slices.Contains(a.words, word) {
			continue
		}
		if _, known := v.index[t.Text]; known {
			continue
		}
		if n := len(v.terms); n > 0 {
			v.pairs[n-1] = strings.Count(a.text[min(end, t.Start):t.Start], " ") <= 2
		}
		v.add(t.Text, word, e.rarity(t.Text), t.Start > 0)
		end = t.End
	}
	for _, word := range a.words { // those of a neighbour
		for _, term := range text.Terms(word, lang) {
			if _, known := v.index[term]; !known {
				v.add(term, word, e.rarity(term), true)
			}
		}
	}
	v.read = v.reach(e.terms...)
	return v
}

func (v *view) add(term, word string, weight float64, inside bool) {
	v.index[term] = len(v.terms)
	v.terms = append(v.terms, term)
	v.weights = append(v.weights, weight)
	first, _ := utf8.DecodeRuneInString(word)
	rest := strings.TrimPrefix(word, string(first))
	v.names = append(v.names, inside && unicode.IsUpper(first) || strings.ContainsFunc(rest, func(r rune) bool { return unicode.IsUpper(r) || r == '_' }))
	v.pairs = append(v.pairs, false)
	v.total += weight
}

// reach says how much some terms have of each word of a view: 1 is the word itself,
// and cutShort a word that is cut short on either side, as "postgres" is.
type reach []float64

const (
	cutShort      = 0.7
	leastCutShort = 4 // bytes
)

func (v *view) reach(terms ...[]string) reach {
	has := make(reach, len(v.terms))
	for _, list := range terms {
		for _, term := range list {
			if k, ok := v.index[term]; ok {
				has[k] = 1
				continue
			}
			for k, wanted := range v.terms {
				if has[k] == 0 && len(term) >= leastCutShort && len(wanted) >= leastCutShort &&
					(strings.HasPrefix(term, wanted) || strings.HasPrefix(wanted, term)) {
					has[k] = cutShort
				}
			}
		}
	}
	return has
}

func (r reach) with(other reach) reach {
	both := slices.Clone(r)
	for k, has := range other {
		both[k] = max(both[k], has)
	}
	return both
}

// share is the weight of the words that are had, of those that only says.
func (v *view) share(has reach, only func(k int) bool) float64 {
	sum, total := 0.0, 0.0
	for k, w := range v.weights {
		if only != nil && !only(k) {
			continue
		}
		total += w
		sum += w * has[k]
	}
	if total == 0 {
		return 0
	}
	return sum / total
}

func (v *view) rarest() (at int) {
	for k, w := range v.weights {
		if w > v.weights[at] {
			at = k
		}
	}
	return at
}

// like is the share of words that some term is alike to: the same, or the same at its
// beginning, as "convert" and "conversion" are.
func (v *view) like(terms []string) float64 {
	sum := 0.0
	for k, wanted := range v.terms {
		best := 0.0
		for _, term := range terms {
			best = max(best, alike(wanted, term))
		}
		sum += best * v.weights[k]
	}
	return sum / max(v.total, 1e-9)
}

// leastAlike is how many bytes two words share at their beginning that are alike.
const leastAlike = 4

func alike(a, b string) float64 {
	if a == b {
		return 1
	}
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if same := float64(n) / float64(max(len(a), len(b))); n >= leastAlike && same > 0.5 {
		return same
	}
	return 0
}

// order says how the words stand in some terms: the share of the pairs that stand side
// by side as in the question, the longest run, and how close all are together.
func (v *view) order(terms []string) (pairs, run, tight float64) {
	at := make([]int, 0, len(terms)) // word at each place, -1 is another
	first, last, found := -1, -1, map[int]bool{}
	for i, term := range terms {
		k, ok := v.index[term]
		if !ok {
			at = append(at, -1)
			continue
		}
		at = append(at, k)
		found[k] = true
		if first < 0 {
			first = i
		}
		last = i
	}
	wanted, had, longest, now := 0, map[int]bool{}, 0, 0
	for _, p := range v.pairs {
		if p {
			wanted++
		}
	}
	for i, k := range at {
		if k < 0 {
			now = 0
			continue
		}
		now++
		longest = max(longest, now)
		for j := i + 1; j < min(i+3, len(at)); j++ {
			if at[j] == k+1 && v.pairs[k] {
				had[k] = true
			}
		}
	}
	if wanted > 0 {
		pairs = float64(len(had)) / float64(wanted)
	}
	if len(found) > 1 {
		tight = float64(len(found)) / float64(last-first+1)
	}
	return pairs, float64(longest) / float64(max(len(v.terms), 1)), tight
}

var (
	asksWho   = regexp.MustCompile(`(?i)(?:^|[^\p{L}])(?:who|whom|whose|wer|wen|wem|wessen|qui|quién(?:es)?|chi|кто|кого|谁|誰|누가)(?:[^\p{L}]|$)`)
	asksWhere = regexp.MustCompile(`(?i)(?:^|[^\p{L}])(?:where|wo|woher|wohin|où|dónde|dove|где|куда|откуда|哪里|在哪|どこ|어디)(?:[^\p{L}]|$)`)
	asksWhy   = regexp.MustCompile(`(?i)(?:^|[^\p{L}])(?:why|what caused|reasons?|warum|wieso|weshalb|pourquoi|por qué|perché|почему|зачем|为什么|為什麼|なぜ|왜)(?:[^\p{L}]|$)`)
	asksWay   = regexp.MustCompile(`(?i)(?:^|[^\p{L}])(?:how (?:do|to|can|should|does one)|way to|wie (?:kann|macht|geht)|comment|cómo|как|如何|怎么|어떻게)(?:[^\p{L}]|$)`)
	asksYesNo = regexp.MustCompile(`(?i)^(?:is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have|ist|sind|kann|darf|muss|est-ce|peut-on)\s`)

	cause     = regexp.MustCompile(`(?i)(?:^|[^\p{L}])(?:because|since|due to|so that|in order to|reason|reasons|therefore|thus|caused|leads? to|owing to|weil|denn|damit|wegen|parce que|car|porque|потому|поэтому|因为|ため)(?:[^\p{L}]|$)`)
	ofThePast = regexp.MustCompile(`(?i)(?:^|[^\p{L}])(?:formerly|previously|no longer|used to|has been|had been|prior to|was until|until (?:version|release)|before (?:version|release)|deprecated|obsolete|früher|bisher|autrefois|auparavant|antes|раньше)(?:[^\p{L}]|$)`)
	denies    = regexp.MustCompile(`(?i)(?:^|[^\p{L}])(?:not|never|no|cannot|without|nicht|kein\p{L}*|nie|ohne|ne|pas|jamais|не|нет|никогда)(?:[^\p{L}]|$)|n['’]t\b`)
	codeLike  = regexp.MustCompile(`[(){};=<>]|--\p{L}|\p{L}_\p{L}|\p{Ll}\p{Lu}|\p{L}\.\p{L}`)
)
