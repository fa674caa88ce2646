package brief

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
)

// The gates. A question counts as answered if the chance of all its sentences together is at least answeredFrom. There,
// on documents that the weights were not learnt from, the share of unanswerable questions that pass equals the share of
// answerable ones that fail. leastBest is the least score of the best sentence: a crowd of unlikely ones answers
// nothing. answersFrom is the least score of a sentence that is said beside the best.
const (
	answeredFrom = 0.41
	leastBest    = 0.1
	answersFrom  = 0.21
)

// weigh scores the sentences for the aspect of the question that each answers, and
// returns them best first.
func (w *Writer) weigh(q question, e *evidence) []sentence {
	all := slices.DeleteFunc(sentences(e), e.repeatsAbove)
	rows, odds := make([][]signals, len(q.aspects)), make([][]float64, len(q.aspects))
	for at, a := range q.aspects {
		rows[at], odds[at] = e.signals(q, a, all), make([]float64, len(all))
		for i := range all {
			odds[at][i] = oddsOf(&rows[at][i])
			if addressesModel(all[i].Text(), q.Text()) {
				odds[at][i] = min(odds[at][i], unfit)
			}
		}
		alone(all, a, odds[at])
		if len(q.aspects) > 1 && len(a.own) > 0 {
			e.ofOther(all, a, odds[at])
		}
	}
	if w.o.Weighed != nil && len(q.aspects) > 0 {
		told := make([]Weighed, len(all))
		for i, s := range all {
			told[i] = Weighed{text.OneLine(s.Text()), rows[0][i][:]}
		}
		w.o.Weighed(q.Text(), told)
	}
	asked := make([]askedFigure, len(q.aspects))
	for at, a := range q.aspects {
		asked[at] = a.askedFigure(q.Reading)
	}
	for i := range all {
		s, at := &all[i], aspectOf(i, odds)
		if at >= 0 {
			s.aspect, s.score, s.signals = at, 1/(1+math.Exp(-odds[at][i])), rows[at][i]
			if s.score >= answersFrom {
				s.fits = asked[at].fit(*s)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b sentence) int { return cmp.Compare(b.score, a.score) })
	return all
}

// unfit are the odds, as a logarithm, of what no finding should be made of.
const unfit = -5

// oddsOf is the logarithm of the odds of an answer against none.
func oddsOf(f *signals) float64 {
	odds := 0.0
	for i, weight := range weights {
		odds += weight * f[i]
	}
	return odds
}

// odds are those of an answer against none that a sentence's score stands for.
func (s sentence) odds() float64 { return s.score / max(1-s.score, 1e-9) }

// chanceOf is the chance that one of the sentences on an aspect that are among some answers it, where all sentences
// and no answer compete.
func chanceOf(all []sentence, at int, among func(sentence) bool) float64 {
	sum, total := 0.0, 1.0
	for _, s := range all {
		if s.aspect != at {
			continue
		}
		total += s.odds()
		if among(s) {
			sum += s.odds()
		}
	}
	return sum / total
}

// aspectOf is the aspect that a sentence answers: of those whose gate it passes the one that
// it answers nearly as well as any, else the one with the best odds; -1 where there is none.
func aspectOf(i int, odds [][]float64) int {
	gate := math.Log(answersFrom / (1 - answersFrom))
	chosen, least := -1, math.Inf(1)
	for at := range odds {
		behind := slices.Max(odds[at]) - odds[at][i]
		if odds[at][i] < gate {
			behind = farBehind - odds[at][i]
		}
		if behind < least {
			chosen, least = at, behind
		}
	}
	return chosen
}

// farBehind is more than any sentence that passes is behind the best one.
const farBehind = 1e6

// asGood is how much the odds of a pair, as a logarithm, may be above those of its first
// sentence where that is as good alone.
const asGood = 1

// alone puts a sentence before the pair that it makes with one that leans on it, where
// the other adds no word that is asked for.
func alone(all []sentence, a aspect, odds []float64) {
	type place struct{ source, start int }
	first := map[place]int{}
	for i, s := range all {
		if s.own == s.start {
			first[place{s.passage.Source, s.start}] = i
		}
	}
	for i, s := range all {
		f, ok := first[place{s.passage.Source, s.start}]
		if ok && s.own > s.start && share(a.terms, s.last) == 0 && odds[f] >= odds[i]-asGood {
			odds[i] = min(odds[i], odds[f]-asGood)
		}
	}
}

// asOther is what is taken off the odds, as a logarithm, of a sentence about another thing.
const asOther = 4

// ofOther takes the sentences back that share no word with an aspect's own text, nor stand under
// one: what is said of SQLite is no answer "in PostgreSQL", and what is said of a plant none to
// "and which company insures it", although that borrows the words of the question before it.
func (e *evidence) ofOther(all []sentence, a aspect, odds []float64) {
	above := map[string][]string{}
	own := e.readings.Read(strings.Join(a.own, " "), e.language()).Terms()
	for i, s := range all {
		if _, ok := above[s.passage.ID]; !ok {
			above[s.passage.ID] = e.termsAbove(s)
		}
		if share(own, s.terms) == 0 && share(own, above[s.passage.ID]) == 0 {
			odds[i] -= asOther
		}
	}
}

// repeatsAbove says whether a line is no sentence and has no word that does not stand above it:
// a title, or the way to a page.
func (e *evidence) repeatsAbove(s sentence) bool {
	return !isTold(s) && share(s.terms, e.termsAbove(s)) == 1
}

// termsAbove are the terms that a sentence stands under: of its heading, title and address.
func (e *evidence) termsAbove(s sentence) []string {
	source := e.source(s.passage)
	return s.Beside(s.passage.Heading + " " + source.Title + " " + separators.Replace(source.URL)).Terms()
}

// leastShared are the odds from which a sentence is compared with a finding, whose chance it may share.
const leastShared = 0.01

// mostReasons is how many signals a finding names on each side, and leastReason what each changes of its odds at least,
// as a logarithm.
const (
	mostReasons = 3
	leastReason = 0.01
)

// why says how likely an answer a sentence is: the share of it, and of the sentences that say the same, in the odds
// of all that was read and of no answer. It names what weighed most for it and against it, beside the mean of all.
func why(s *sentence, all []sentence) *citewell.Why {
	chance := chanceOf(all, s.aspect, func(o sentence) bool {
		within := o.passage.ID == s.passage.ID && s.start <= o.own && o.own < s.end
		return within || o.odds() >= leastShared && o.repeats(s.Text())
	})
	var order []int
	var weighs signals
	for i := sAlways + 1; i < signalCount; i++ {
		mean := 0.0
		for _, o := range all {
			mean += o.signals[i] / float64(len(all))
		}
		weighs[i] = weights[i] * (s.signals[i] - mean)
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weighs[b], weighs[a]) })
	w := &citewell.Why{Chance: math.Round(1000*chance) / 1000, For: []string{}, Against: []string{}}
	for k := range mostReasons {
		if i := order[k]; weighs[i] > leastReason {
			w.For = append(w.For, signalNames[i])
		}
		if i := order[len(order)-1-k]; weighs[i] < -leastReason {
			w.Against = append(w.Against, signalNames[i])
		}
	}
	return w
}

// An above is what a passage's sentences share, as one view has it.
type above struct {
	heading, title, head, source reach
	like                         reach // the nearest word of heading and title

	titleAsked float64 // share of the title's words that the question has
}

// signals gives each sentence its signals for one aspect.
func (e *evidence) signals(q question, a aspect, all []sentence) []signals {
	views, kept := map[string]*view{}, map[string]above{}
	k := kindsOf(a)
	rows := make([]signals, len(all))
	for i := range all {
		s := &all[i]
		v := views[s.Language()]
		if v == nil {
			if v = e.viewOf(a, s.Language()); len(v.terms) == 0 {
				v = e.viewOf(a, q.Language())
			}
			views[s.Language()] = v
		}
		up, ok := kept[s.passage.ID]
		if !ok {
			up = e.above(v, s)
			kept[s.passage.ID] = up
		}
		f := &rows[i]
		f[sAlways] = 1
		v.fill(f, s, up)
		f[sSourceRank] = 1 / float64(s.passage.Source)
		f[sEarly] = 1 / (1 + float64(s.start)/2000)
		k.fill(f, s, a)
		shape(f, s)
	}
	setPlaces(rows, sBM25Near, sNearRank)
	setPlaces(rows, sHeaded, sHeadedRank)
	return rows
}

// setPlaces sets a signal to 1 for the sentence that has most of another one, to 1/2 for the
// next, and so on.
func setPlaces(rows []signals, by, signal int) {
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rows[b][by], rows[a][by]) })
	for place, i := range order {
		rows[i][signal] = 1 / float64(1+place)
	}
}

// above reads what stands above a sentence, in the language of the sentence.
func (e *evidence) above(v *view, s *sentence) above {
	source := e.source(s.passage)
	title := s.Beside(source.Title).Terms()
	up := above{
		heading: v.reach(s.Beside(s.passage.Above()).Terms()),
		title:   v.reach(title, s.Beside(separators.Replace(source.URL)).Terms()),
		source:  v.reach(e.terms[s.passage.Source-1]),

		titleAsked: v.asked(title),
	}
	up.head = up.heading.with(up.title)
	near := s.Beside(s.passage.Above() + " " + source.Title)
	up.like = up.head.with(v.like(near, near.Terms()))
	return up
}

// How many terms, without stop words, a sentence has that says each word once, and one
// with its neighbours.
const (
	usualTerms     = 12
	usualTermsNear = 36
)

// fill sets the signals of words.
func (v *view) fill(f *signals, s *sentence, up above) {
	own := v.reach(s.terms)
	headed := own.with(up.head)
	f[sWords], f[sHeaded] = v.share(own, nil), v.share(headed, nil)
	f[sNear], f[sAround] = v.share(headed.with(v.reach(s.near)), nil), v.share(headed.with(v.reach(s.around)), nil)
	f[sSource], f[sAnywhere] = v.share(up.source.with(up.title), nil), v.share(v.read, nil)
	like := own.with(v.like(s.Reading, s.terms))
	f[sLike], f[sLikeHeaded] = v.share(like, nil), v.share(like.with(up.like), nil)
	f[sBM25], f[sBM25Near] = v.bm25(s.terms, usualTerms)/4, v.bm25(slices.Concat(s.terms, s.near), usualTermsNear)/4
	f[sHeading], f[sTitleAsked] = v.share(up.heading, nil), up.titleAsked
	f[sStarts] = v.asked(s.terms[:min(2, len(s.terms))])
	f[sManyAsked] = float64(len(v.terms)) / 10
	f[sRest] = v.share(own, func(k int) bool { return up.title[k] == 0 })
	f[sNames] = v.share(own, func(k int) bool { return v.names[k] })
	if len(v.terms) > 0 {
		f[sRarestHeaded] = headed[v.rarest()]
	}
	for k, weight := range v.weights {
		if v.names[k] {
			f[sNamesLost] += (1 - max(up.source[k], up.head[k])) / 2
		}
		if up.head[k] == 0 && v.topped[k] > 0 {
			f[sElsewhere] += weight
		}
		if max(up.head[k], own[k]) == 0 && v.sited[k] > 0 {
			f[sOtherSite] = 1
		}
		f[sLost] += (1 - v.read[k]) / 4
	}
}

// asked is the share of some terms that the question has.
func (v *view) asked(terms []string) float64 {
	n := 0
	for _, term := range terms {
		if _, ok := v.index[term]; ok {
			n++
		}
	}
	return float64(n) / float64(max(len(terms), 1))
}

func yes(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// headingWords is how many words a heading has at most, to be told from a sentence that
// has no full stop.
const headingWords = 8

// shape sets the signals of the sentence itself.
func shape(f *signals, s *sentence) {
	unfinished := !isRow(s.Text()) && !endsAsSentence(s.Text())
	f[sUnfinished] = yes(unfinished)
	f[sHeadingAlone] = yes(unfinished && !codeLike.MatchString(s.Text()) && len(s.Words()) <= headingWords)
}

// kinds are the kinds of answer that an aspect wants.
type kinds struct {
	figure, date, version, name, thing, standard, way, yesNo bool
}

func kindsOf(a aspect) kinds {
	return kinds{figure: a.wantsFigure, date: a.wantsDate, version: asksVersion.MatchString(a.text),
		name:  asksWho.MatchString(a.text) || asksWhere.MatchString(a.text),
		thing: asksThing.MatchString(a.text), standard: asksDefault.MatchString(a.text),
		way: asksWay.MatchString(a.text), yesNo: asksYesNo.MatchString(a.text)}
}

// fill sets the signals of the kind of answer.
func (k kinds) fill(f *signals, s *sentence, a aspect) {
	set := func(signal int, wanted, has bool) {
		if wanted {
			f[signal] = 2*yes(has) - 1
		}
	}
	set(sFigure, k.figure, s.figures)
	set(sDate, k.date, s.dates)
	set(sVersion, k.version, version.MatchString(s.Text()))
	set(sNameGiven, k.name, namesOther(s, a.text))
	set(sThing, k.thing, codesOther(s.Text(), a.text))
	set(sDefault, k.standard, strings.Contains(strings.ToLower(s.Text()), "default"))
	f[sWay] = yes(k.way && codeLike.MatchString(s.Text()))
	f[sYesNo] = yes(k.yesNo && denies.MatchString(s.Text()))
}

// namesOther says whether a sentence has a name that the question has not.
func namesOther(s *sentence, question string) bool {
	for i, t := range s.Words() {
		word := s.Text()[t.Start:t.End]
		first, size := utf8.DecodeRuneInString(word)
		if i > 0 && len(word) > size && unicode.IsUpper(first) && !text.IsStop(s.Language(), t.Text) &&
			!strings.Contains(question, word) {
			return true
		}
	}
	return false
}

// codesOther says whether a text has a word of code that the question has not.
func codesOther(s, question string) bool {
	return slices.ContainsFunc(codeWord.FindAllString(s, -1), func(word string) bool {
		return !strings.Contains(question, strings.Trim(word, "("))
	})
}
