package brief

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/text"
)

// answersFrom is the chance from which a sentence counts as an answer. Of the questions
// learnt from that nothing answers, one in ten passes at 0.27 where they are about
// something else altogether, and at 0.79 where the documents speak of the same things.
const answersFrom = 0.4

// Weighed is a sentence that was looked at, and its signals for the first aspect of
// the question: what the weights are learnt from.
type Weighed struct {
	Text    string
	Signals []float64
}

// weigh scores the sentences for the aspect of the question that each answers, and
// returns them best first.
func (w *Writer) weigh(q question, e *evidence) []sentence {
	all := sentences(e)
	rows, odds := make([][]signals, len(q.aspects)), make([][]float64, len(q.aspects))
	for at, a := range q.aspects {
		rows[at], odds[at] = e.signals(q, a, all), make([]float64, len(all))
		for i := range all {
			odds[at][i] = oddsOf(&rows[at][i])
			if addressesModel(all[i].text, q.text) {
				odds[at][i] = min(odds[at][i], unfit)
			}
		}
		alone(all, rows[at], odds[at])
	}
	if w.o.Weighed != nil && len(q.aspects) > 0 {
		told := make([]Weighed, len(all))
		for i, s := range all {
			told[i] = Weighed{oneLine(s.text), rows[0][i][:]}
		}
		w.o.Weighed(q.text, told)
	}
	for i := range all {
		at := aspectOf(i, odds)
		if at >= 0 {
			all[i].aspect, all[i].score, all[i].signals = at, 1/(1+math.Exp(-odds[at][i])), rows[at][i]
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
func alone(all []sentence, rows []signals, odds []float64) {
	type place struct{ source, start int }
	first := map[place]int{}
	for i, s := range all {
		if s.own == s.start {
			first[place{s.passage.Source, s.start}] = i
		}
	}
	for i, s := range all {
		f, ok := first[place{s.passage.Source, s.start}]
		if ok && s.own > s.start && rows[i][sOwn] == 0 && odds[f] >= odds[i]-asGood {
			odds[i] = min(odds[i], odds[f]-asGood)
		}
	}
}

// mostReasons is how many signals a finding names on each side.
const mostReasons = 3

// why names what weighed most for a sentence and against it.
func why(s *sentence) *citewell.Why {
	order := make([]int, 0, signalCount)
	for i := sAlways + 1; i < signalCount; i++ {
		order = append(order, i)
	}
	weighs := func(i int) float64 { return weights[i] * s.signals[i] }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weighs(b), weighs(a)) })
	w := &citewell.Why{Chance: math.Round(1000*s.score) / 1000, For: []string{}, Against: []string{}}
	for k := range mostReasons {
		if i := order[k]; weighs(i) > 0 {
			w.For = append(w.For, signalNames[i])
		}
		if i := order[len(order)-1-k]; weighs(i) < 0 {
			w.Against = append(w.Against, signalNames[i])
		}
	}
	return w
}

// An above is what a passage's sentences share, as one view has it.
type above struct {
	heading, title, path, passage, source reach

	headingAsked, titleAsked float64 // share of their words that the question has
}

// signals gives each sentence its signals for one aspect.
func (e *evidence) signals(q question, a aspect, all []sentence) []signals {
	views, kept := map[string]*view{}, map[string]above{}
	place := map[string]int{}
	for i, p := range e.passages {
		place[p.ID] = i
	}
	k := kindsOf(q, a)
	rows := make([]signals, len(all))
	best := 1e-9
	for i := range all {
		s := &all[i]
		v := views[s.language]
		if v == nil {
			if v = e.viewOf(a, s.language); len(v.terms) == 0 {
				v = e.viewOf(a, q.language)
			}
			views[s.language] = v
		}
		up, ok := kept[s.passage.ID]
		if !ok {
			up = e.above(v, s.passage, s.language)
			kept[s.passage.ID] = up
		}
		f := &rows[i]
		f[sAlways] = 1
		v.fill(f, s, up)
		best = max(best, f[sAgainstBest])
		f[sRank] = 1 / (1 + float64(place[s.passage.ID])/4)
		f[sSourceRank] = 1 / float64(s.passage.Source)
		f[sEarly] = 1 / (1 + float64(s.start)/2000)
		k.fill(f, s, v, a)
		shape(f, s, q)
	}
	for i := range rows {
		rows[i][sAgainstBest] /= best
	}
	return rows
}

func (e *evidence) above(v *view, p citewell.Passage, lang string) above {
	source := e.source(p)
	heading, title := text.Terms(p.Above(), lang), text.Terms(source.Title, lang)
	return above{
		heading: v.reach(heading),
		title:   v.reach(title),
		path:    v.reach(text.Terms(separators.Replace(source.URL), lang)),
		passage: v.reach(text.Terms(p.Text, lang)),
		source:  v.reach(e.terms[p.Source-1]),

		headingAsked: v.asked(heading),
		titleAsked:   v.asked(title),
	}
}

// fill sets the signals of words.
func (v *view) fill(f *signals, s *sentence, up above) {
	own := v.reach(s.terms)
	head := up.heading.with(up.title).with(up.path)
	headed := own.with(head)
	near := headed.with(v.reach(s.near))
	name := func(k int) bool { return v.names[k] }
	f[sWords], f[sHeaded], f[sNear] = v.share(own, nil), v.share(headed, nil), v.share(near, nil)
	f[sPassage], f[sSource], f[sAnywhere] = v.share(up.passage.with(head), nil), v.share(up.source.with(up.title).with(up.path), nil), v.share(v.read, nil)
	f[sLike] = v.like(s.terms)
	f[sPairs], f[sRun], f[sTight] = v.order(s.terms)
	f[sHeading], f[sTitle] = v.share(up.heading, nil), v.share(up.title, nil)
	f[sPath], f[sTitleAsked], f[sHeadingAsked] = v.share(up.path, nil), up.titleAsked, up.headingAsked
	f[sOwn] = v.share(v.reach(s.last), nil)
	f[sPaired] = yes(s.own > s.start)
	f[sStarts] = v.asked(s.terms[:min(2, len(s.terms))])
	f[sAgainstBest] = f[sWords] + 0.3*f[sHeaded]
	f[sManyAsked] = float64(len(v.terms)) / 10
	if len(v.terms) > 0 {
		r := v.rarest()
		f[sRarest], f[sRarestHeaded] = own[r], headed[r]
	}
	f[sNames], f[sNamesHeaded] = v.share(own, name), v.share(headed, name)
	for k := range v.terms {
		if v.names[k] {
			f[sNamesLost] += (1 - max(up.source[k], head[k])) / 2
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

// shape sets the signals of the sentence itself.
func shape(f *signals, s *sentence, q question) {
	n := len(s.terms)
	fresh := 0
	for _, t := range s.terms {
		if !slices.Contains(q.terms, t) {
			fresh++
		}
	}
	f[sNews] = math.Log1p(float64(fresh)) / 4
	f[sLong] = max(0, float64(n)-20) / 20
	f[sShort] = max(0, 6-float64(n)) / 6
	f[sRow] = yes(isRow(s.text))
	f[sUnfinished] = yes(!isRow(s.text) && !endsAsSentence(s.text))
	f[sLoose] = yes(s.loose)
	f[sPast] = yes(ofThePast.MatchString(s.text) && !ofThePast.MatchString(q.text))
	f[sDenies] = yes(denies.MatchString(s.text) && !denies.MatchString(q.text))
	f[sAddress] = yes(strings.Contains(s.text, "://"))
	f[sSigns] = signs(s.text)
	f[sCode] = yes(codeLike.MatchString(s.text))
}

// signs is the share of what is neither letter, digit nor space.
func signs(s string) float64 {
	n, all := 0, 0
	for _, r := range s {
		if !unicode.IsSpace(r) {
			all++
			n += int(yes(!unicode.IsLetter(r) && !unicode.IsDigit(r)))
		}
	}
	return float64(n) / float64(max(all, 1))
}

// kinds are the kinds of answer that an aspect wants.
type kinds struct {
	figure, date, version, who, where, why, way, yesNo, defines, contrasts bool
}

func kindsOf(q question, a aspect) kinds {
	return kinds{figure: a.wantsFigure, date: a.wantsDate, version: asksVersion.MatchString(a.text), who: asksWho.MatchString(a.text),
		where: asksWhere.MatchString(a.text), why: asksWhy.MatchString(a.text), way: asksWay.MatchString(a.text), yesNo: asksYesNo.MatchString(a.text),
		defines: asksDefinition.MatchString(q.text), contrasts: asksContrast.MatchString(q.text)}
}

// fill sets the signals of the kind of answer.
func (k kinds) fill(f *signals, s *sentence, v *view, a aspect) {
	set := func(signal int, wanted, has bool) {
		if wanted {
			f[signal] = 2*yes(has) - 1
		}
	}
	set(sFigure, k.figure, s.figures)
	set(sDate, k.date, s.dates)
	set(sVersion, k.version, version.MatchString(s.text))
	set(sNameGiven, k.who, namesOther(s, a.text))
	set(sPlaceGiven, k.where, namesOther(s, a.text))
	set(sCause, k.why, cause.MatchString(s.text))
	f[sWay] = yes(k.way && codeLike.MatchString(s.text))
	f[sDefines] = yes(k.defines && definition.MatchString(s.text))
	f[sContrasts] = yes(k.contrasts && contrast.MatchString(s.text))
	f[sYesNo] = yes(k.yesNo && denies.MatchString(s.text))
	f[sUnitNear] = yes(k.figure && counts(s.text, s.language, v))
	if len(a.hints) > 0 {
		f[sHint] = share(text.Terms(strings.Join(a.hints, " "), s.language), s.terms)
	}
}

// namesOther says whether a sentence has a name that the question has not.
func namesOther(s *sentence, question string) bool {
	for i, t := range text.Words(s.text) {
		word := s.text[t.Start:t.End]
		first, size := utf8.DecodeRuneInString(word)
		if i > 0 && len(word) > size && unicode.IsUpper(first) && !text.IsStop(s.language, t.Text) && !strings.Contains(question, word) {
			return true
		}
	}
	return false
}

// countedWithin is how many words after a figure what it counts stands.
const countedWithin = 3

// counts says whether a figure stands before a word of the question.
func counts(s, lang string, v *view) bool {
	since := countedWithin + 1
	for _, t := range text.TermTokens(s, lang) {
		if strings.ContainsFunc(t.Text, unicode.IsDigit) {
			since = 0
			continue
		}
		since++
		if _, asked := v.index[t.Text]; asked && since <= countedWithin {
			return true
		}
	}
	return false
}
