package agent

import (
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/rank"
	"github.com/citewell/citewell/text"
)

// Bounds of looking for the source of sentences that name none.
const (
	maxLoose    = 40  // sentences of a text
	maxRead     = 24  // sources, the latest
	maxAlone    = 4   // of these that have the words of one sentence; it is bound to none where more have
	leastShared = 0.6 // of its words
)

// checkStatement holds a sentence against the sources that it cites. A factual one without marks
// leans on what its paragraph cites, where that supports it, or else on one source of alone, where
// no other bears it out. Where words leave open whether its paragraph's sources say it, a judge is
// asked.
func (r *run) checkStatement(s statement, paragraph, alone []int, lang string) checked {
	c := checked{statement: s}
	switch {
	case len(s.marks) > 0:
		c.Held = cite.Hold(r.claim(s, s.marks, lang, candidates))
	case s.factual():
		c.Held = cite.Hold(r.claim(s, paragraph, lang, candidates))
		if c.Problem.Code == "" && sound(c.Citations) {
			break
		}
		if one, n := r.boundTo(s, alone, lang); n > 0 {
			c.Held, c.bound = one, n
		} else if c.open = c.Problem.Code == "" && c.Inquiry != nil && r.o.Judge != nil; !c.open {
			c.Held = uncited(s, lang)
		}
	}
	return c
}

// uncited is what is held of a sentence that names no source.
func uncited(s statement, lang string) cite.Held {
	return cite.Hold(cite.Claim{Text: s.claim, Lang: lang})
}

// boundTo finds the one source that bears a sentence out; 0 where none does, or several do.
func (r *run) boundTo(s statement, alone []int, lang string) (held cite.Held, bound int) {
	for _, n := range alone {
		one := cite.Hold(r.claim(s, []int{n}, lang, candidates))
		if one.Problem.Code != "" || slices.ContainsFunc(one.Citations, func(c citewell.Citation) bool { return c.Verdict != citewell.VerdictSupported }) {
			continue
		}
		if bound > 0 { // it may mean either
			return cite.Held{}, 0
		}
		held, bound = one, n
	}
	return held, bound
}

// aSource is a source that a sentence without marks may lean on, with the words of its text.
type aSource struct {
	n     int
	terms map[string]bool
}

// alone gives, for each sentence that names no source, those of which one may be meant: they
// have most of its words, and there are few of them.
func (r *run) alone(list []statement, lang string) map[int][]int {
	var read []aSource
	among := map[int][]int{}
	for i, s := range list {
		if len(s.marks) > 0 || !s.factual() || len(among) == maxLoose {
			continue
		}
		if read == nil {
			read = r.read(lang)
		}
		said := text.Terms(s.claim, lang)
		for _, source := range read {
			shared := 0
			for _, term := range said {
				if source.terms[term] {
					shared++
				}
			}
			if float64(shared) >= leastShared*float64(len(said)) {
				among[i] = append(among[i], source.n)
			}
		}
		if len(among[i]) > maxAlone {
			among[i] = nil
		}
	}
	return among
}

// read are the latest sources that were read, with their words as a language has them.
func (r *run) read(lang string) []aSource {
	list := []aSource{}
	for _, s := range slices.Backward(r.sources.list) {
		if !s.read() || len(list) == maxRead {
			continue
		}
		terms := map[string]bool{}
		for _, term := range text.Terms(s.doc.Text, lang) {
			terms[term] = true
		}
		list = append(list, aSource{s.N, terms})
	}
	return list
}

// sound reports whether a source bears out a sentence that leans on it, or part of it.
func sound(citations []citewell.Citation) bool {
	return slices.ContainsFunc(citations, func(c citewell.Citation) bool {
		return c.Verdict == citewell.VerdictSupported || c.Verdict == citewell.VerdictPartly || c.Verdict == citewell.VerdictSnippetOnly
	})
}

// claim is a sentence with what is nearest to it in the numbered sources, so many
// passages of each.
func (r *run) claim(s statement, numbers []int, lang string, most int) cite.Claim {
	c := cite.Claim{Text: s.claim, Lang: lang, Sources: len(r.sources.list)}
	seen := map[int]bool{}
	for _, n := range numbers {
		if seen[n] {
			continue
		}
		seen[n] = true
		src := r.sources.number(n)
		if src == nil {
			c.Unknown = append(c.Unknown, n)
			continue
		}
		e := cite.Evidence{Title: src.Title, Text: src.doc.Text, Snippet: src.Extractor == snippetExtractor}
		if src.settled {
			e.Passages = nearest(s.claim, lang, src, most)
			e.Further = cite.Further(append(near(r.task, lang, src), src.passages...), e.Passages)
		}
		c.Evidence = append(c.Evidence, e)
	}
	return c
}

// nearest are the passages of a source that have most to do with a claim; the first
// ones where none shares a word with it, as in another language.
func nearest(claim, lang string, s *source, most int) []citewell.Passage {
	all := near(claim, lang, s)
	if len(all) == 0 {
		all = s.passages
	}
	return all[:min(len(all), most)]
}

// near returns the passages of a source that share words with a text, the nearest first.
func near(to, lang string, s *source) (all []citewell.Passage) {
	for _, scored := range rank.Passages(to, s.passages, rank.Options{Language: lang, Languages: func(int) string { return s.doc.Language }, Titles: func(int) string { return s.Title }}) {
		all = append(all, s.passages[scored.Index])
	}
	return all
}
