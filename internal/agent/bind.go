package agent

import (
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/rank"
)

// Bounds of looking for the source of sentences that name none.
const (
	maxLoose    = 40  // sentences of a text
	maxRead     = 24  // sources, the latest
	maxAlone    = 4   // of these that have the words of one sentence; it is bound to none where more have
	leastShared = 0.6 // of its words
)

// A checking holds the statements of one text against the sources of its run.
type checking struct {
	*run
	lang     string // of the text
	readings *text.Readings
}

// checkStatement holds a sentence against the sources that it cites. A factual one without marks leans on what its
// paragraph cites, where that supports it, or else on one source of alone, where no other bears it out. Where words
// leave open whether its paragraph's sources say it, a judge is asked.
func (r checking) checkStatement(s statement, paragraph, alone []int) checked {
	c := checked{statement: s}
	switch {
	case len(s.marks) > 0:
		c.Held = cite.Hold(r.claim(s, s.marks, candidates))
	case s.factual():
		c.Held = cite.Hold(r.claim(s, paragraph, candidates))
		if c.Problem.Code == "" && sound(c.Citations) {
			break
		}
		if one, n := r.boundTo(s, alone); n > 0 {
			c.Held, c.bound = one, n
		} else if c.open = c.Problem.Code == "" && c.Inquiry != nil && r.o.Judge != nil; !c.open {
			c.Held = r.uncited(s)
		}
	}
	return c
}

// uncited is what is held of a sentence that names no source.
func (r checking) uncited(s statement) cite.Held {
	return cite.Hold(cite.Claim{Text: s.claim, Lang: r.lang, Readings: r.readings})
}

// boundTo finds the one source that bears a sentence out; 0 where none does, or several do.
func (r checking) boundTo(s statement, alone []int) (held cite.Held, bound int) {
	for _, n := range alone {
		one := cite.Hold(r.claim(s, []int{n}, candidates))
		if one.Problem.Code != "" || slices.ContainsFunc(one.Citations, func(c citewell.Citation) bool {
			return c.Verdict != citewell.VerdictSupported
		}) {
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
func (r checking) alone(list []statement) map[int][]int {
	var read []aSource
	among := map[int][]int{}
	for i, s := range list {
		if len(s.marks) > 0 || !s.factual() || len(among) == maxLoose {
			continue
		}
		if read == nil {
			read = r.sourcesRead()
		}
		said := r.readings.Read(s.claim, r.lang).Terms()
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

// sourcesRead are the latest sources that were read, with their words as the text's language has them.
func (r checking) sourcesRead() []aSource {
	list := []aSource{}
	for _, s := range slices.Backward(r.sources.list) {
		if !s.wasRead() || len(list) == maxRead {
			continue
		}
		terms := map[string]bool{}
		for _, term := range text.Terms(s.doc.Text, r.lang) {
			terms[term] = true
		}
		list = append(list, aSource{s.N, terms})
	}
	return list
}

// sound reports whether a source bears out a sentence that leans on it, or part of it.
func sound(citations []citewell.Citation) bool {
	return slices.ContainsFunc(citations, func(c citewell.Citation) bool {
		return c.Verdict == citewell.VerdictSupported || c.Verdict == citewell.VerdictPartly ||
			c.Verdict == citewell.VerdictSnippetOnly
	})
}

// claim is a sentence with what is nearest to it in the numbered sources, so many passages of each.
func (r checking) claim(s statement, numbers []int, most int) cite.Claim {
	c := cite.Claim{Text: s.claim, Lang: r.lang, Sources: len(r.sources.list), Readings: r.readings}
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
			e.Passages = r.nearest(s.claim, src, most)
			e.Further = cite.Further(append(r.near(r.task, src), src.passages...), e.Passages)
		}
		c.Evidence = append(c.Evidence, e)
	}
	return c
}

// nearest are the passages of a source that have most to do with a claim; the first
// ones where none shares a word with it, as in another language.
func (r checking) nearest(claim string, s *source, most int) []citewell.Passage {
	all := r.near(claim, s)
	if len(all) == 0 {
		all = s.passages
	}
	return all[:min(len(all), most)]
}

// near returns the passages of a source that share words with a text, the nearest first.
func (r checking) near(to string, s *source) (all []citewell.Passage) {
	ranked := rank.Passages(to, s.passages, rank.Options{Language: r.lang, Readings: r.readings,
		Languages: func(int) string { return s.doc.Language }, Titles: func(int) string { return s.Title }})
	for _, scored := range ranked {
		all = append(all, s.passages[scored.Index])
	}
	return all
}
