package brief

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/text/lang"
	"github.com/citewell/citewell/internal/wordvec"
)

// What is known of a sentence and a question, each as a number between 0 and about 1.
// A share of words counts each by its rarity in what was read.
const (
	sAlways = iota
	sWords
	sHeaded
	sNear
	sAround
	sSource
	sAnywhere
	sLike
	sLikeHeaded
	sRarestHeaded
	sRest
	sBM25
	sBM25Near
	sNearRank
	sHeadedRank
	sStarts
	sHeading
	sTitleAsked
	sNames
	sNamesLost
	sLost
	sElsewhere
	sOtherSite
	sSourceRank
	sEarly
	sManyAsked
	sUnfinished
	sHeadingAlone
	sFigure
	sDate
	sVersion
	sNameGiven
	sThing
	sDefault
	sWay
	sYesNo
	signalCount
)

type signals = [signalCount]float64

// signalNames say in words what each signal is, for those who ask why.
var signalNames = [signalCount]string{
	"always", "words of the question in it", "with its heading, title and address", "with its neighbours",
	"with all that stands around it", "in its document",
	"in what was read", "words near to those of the question", "the same with its heading and title",
	"rarest word in it or above it",
	"words that the title leaves to be said",
	"words by how often they are said", "the same with its neighbours", "place by words with its neighbours",
	"place by words with what stands above it", "begins with a word of the question",
	"words in its heading", "title asked for", "names in it", "names that its document lacks",
	"words that nothing read has", "another source is about it", "another site is named",
	"rank of its document", "place in its document", "many words asked", "unfinished", "a heading alone",
	"figure, where one is asked for", "date, where one is asked for", "version, where one is asked for",
	"name, where one is asked for",
	"word of code, where one is asked for", "default, where one is asked for", "way to do it", "yes or no",
}

// SignalNames say in words what each signal of a Weighed is.
func SignalNames() []string { return slices.Clone(signalNames[:]) }

// A view is the words of an aspect as texts of one language have them.
type view struct {
	lang    string
	index   map[string]int // of a term
	terms   []string
	weights []float64
	names   []bool
	vectors []wordvec.Vector // of the words; near to nothing where the table does not know them
	nearby  map[string]reach // of words of sentences, how near they are; filled as they come
	read    reach            // what all sources together have
	topped  reach            // what their titles and addresses have
	sited   reach            // what their addresses have but for the last part
}

// viewOf takes an aspect's words as a language has them.
func (e *evidence) viewOf(a aspect, code string) *view {
	terms := func(s string) []string { return e.readings.Read(s, code).Terms() }
	v := &view{index: map[string]int{}, nearby: map[string]reach{}, lang: code}
	for _, t := range e.readings.Read(a.text, code).TermTokens() {
		if word := a.text[t.Start:t.End]; slices.Contains(a.words, word) {
			v.add(t.Text, word, e.rarity(t.Text), t.Start > 0)
		}
	}
	for _, word := range a.words { // those of a neighbour
		for _, term := range terms(word) {
			v.add(term, word, e.rarity(term), true)
		}
	}
	v.read = v.reach(e.terms...)
	for _, s := range e.sources {
		v.sited = v.sited.with(v.reach(terms(separators.Replace(path.Dir(s.URL)))))
		v.topped = v.topped.with(v.reach(terms(s.Title), terms(separators.Replace(s.URL))))
	}
	return v
}

// add adds a term that is not known yet.
func (v *view) add(term, word string, weight float64, inside bool) {
	if _, known := v.index[term]; known {
		return
	}
	v.index[term] = len(v.terms)
	v.terms = append(v.terms, term)
	v.weights = append(v.weights, weight)
	v.names = append(v.names, isNamed(word, inside))
	var vector wordvec.Vector
	if lang.Of(v.lang).Is(lang.WordVectors) {
		vector, _ = wordvec.Of(word)
	}
	v.vectors = append(v.vectors, vector)
}

// isNamed says whether a word is written as a name, inside a question or at its beginning.
func isNamed(word string, inside bool) bool {
	first, _ := utf8.DecodeRuneInString(word)
	rest := strings.TrimPrefix(word, string(first))
	return inside && unicode.IsUpper(first) || strings.ContainsFunc(rest, func(r rune) bool {
		return unicode.IsUpper(r) || r == '_'
	})
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
	both := make(reach, max(len(r), len(other)))
	copy(both, r)
	for k, has := range other {
		both[k] = max(both[k], has)
	}
	return both
}

// Parameters of BM25, as rank has them.
const (
	soonEnough = 1.2  // how soon more of the same word stops counting
	heldLong   = 0.75 // how much a long text is held against it
)

// bm25 is how much some terms say of the words, beside a text of so many terms that says
// each of them once.
func (v *view) bm25(terms []string, usual float64) float64 {
	counts := make([]float64, len(v.terms))
	for _, term := range terms {
		if k, ok := v.index[term]; ok {
			counts[k]++
		}
	}
	sum, norm := 0.0, soonEnough*(1-heldLong+heldLong*float64(len(terms))/usual)
	for k, n := range counts {
		sum += v.weights[k] * n * (1 + soonEnough) / (n + norm)
	}
	return sum
}

// share is the weight of the words that are had, of those that only says; nil says all.
func (v *view) share(has reach, only func(k int) bool) float64 {
	sum, total := 0.0, 0.0
	for k, w := range v.weights {
		if only == nil || only(k) {
			total += w
			sum += w * has[k]
		}
	}
	return sum / max(total, 1e-9)
}

func (v *view) rarest() (at int) {
	for k, w := range v.weights {
		if w > v.weights[at] {
			at = k
		}
	}
	return at
}

// like says how near the nearest of some words is to each word of a view: in meaning where there is a table
// of the language's words, else by the terms' beginnings, as "convert" and "conversion" are near.
func (v *view) like(r *text.Reading, terms []string) reach {
	like := make(reach, len(v.terms))
	if !lang.Of(v.lang).Is(lang.WordVectors) {
		for k, wanted := range v.terms {
			for _, term := range terms {
				like[k] = max(like[k], alike(wanted, term))
			}
		}
		return like
	}
	for _, t := range r.Words() {
		near, known := v.nearby[t.Text]
		if !known {
			near = v.near(t.Text)
			v.nearby[t.Text] = near
		}
		for k, n := range near {
			like[k] = max(like[k], n)
		}
	}
	return like
}

// near says how near a word is to each word of a view in meaning; nil is to none of them.
func (v *view) near(word string) reach {
	vector, ok := wordvec.Of(word)
	if !ok || text.IsStop(v.lang, word) {
		return nil
	}
	near := make(reach, len(v.terms))
	for k, wanted := range v.vectors {
		near[k] = max(0, wanted.Cosine(vector))
	}
	return near
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

var (
	asksWho = lazyregexp.New(
		`(?i)(?:^|[^\p{L}])(?:who|whom|whose|wer|wen|wem|wessen|qui|quién(?:es)?|chi|кто|кого|谁|誰|누가)(?:[^\p{L}]|$)`)
	asksWhere = lazyregexp.New(
		`(?i)(?:^|[^\p{L}])(?:where|wo|woher|wohin|où|dónde|dove|где|куда|откуда|哪里|在哪|どこ|어디)(?:[^\p{L}]|$)`)
	asksWay = lazyregexp.New(
		`(?i)(?:^|[^\p{L}])(?:how (?:do|to|can|should|does one)|way to|wie (?:kann|macht|geht)|comment|cómo|как|如何|怎么|어떻게)(?:[^\p{L}]|$)`)
	asksYesNo = lazyregexp.New(
		`(?i)^(?:is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have|ist|sind|kann|darf|muss|est-ce|peut-on)\s`)

	// asksThing is how a question asks for what has a name in code, by its kind or by what it
	// is to do, and codeWord what such names look like.
	asksThing = lazyregexp.New(
		`(?i)\b(?:(?:which|what|the) (?:\w+ ){0,2}(?:function|command|variable|option|flag|statement|keyword|module|package|method|class|tool|parameter|setting|type|operator|file|lock|level|directive|exception|mode)|env var|turn|make|get|set|run|use|call|open|write|read|let)\b`)
	codeWord = lazyregexp.New(`\w+\(|--?\w[\w-]+|\w+_\w+|[A-Z]{3,}|\w+\.\w+|\p{Ll}\p{Lu}\w+|:\w+`)

	// asksDefault is how a question asks what holds where nothing is said.
	asksDefault = lazyregexp.New(`(?i)\b(?:default|nothing|not|none|no|without|unless)\b`)

	denies = lazyregexp.New(
		`(?i)(?:^|[^\p{L}])(?:not|never|no|cannot|without|nicht|kein\p{L}*|nie|ohne|ne|pas|jamais|не|нет|никогда)(?:[^\p{L}]|$)|n['’]t\b`)
	codeLike = lazyregexp.New(`[(){};=<>]|--\p{L}|\p{L}_\p{L}|\p{Ll}\p{Lu}|\p{L}\.\p{L}`)
)
