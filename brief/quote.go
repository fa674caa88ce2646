package brief

import (
	"slices"

	"github.com/citewell/citewell"
)

// A Text is a source that was read, with a document whose passages the ledger has.
type Text struct {
	Source   citewell.Source
	Document citewell.Document
}

// Quote answers a question in the words of texts that somebody has read and numbered: the
// findings that Research has, chosen by the same judge. There are none where nothing in the
// texts passes its gate.
func Quote(query string, texts []Text) []citewell.Finding {
	q := newQuestion(query)
	e := &evidence{asked: q.Reading, readings: q.readings}
	docs := make([]citewell.Document, len(texts))
	for i, t := range texts {
		docs[i] = t.Document
		e.sources = append(e.sources, t.Source)
	}
	pool, rankBy := e.poolOf(docs)
	ranked := withUnranked(rankBy(query), len(pool))
	keep := pick(ranked, nil, pool, len(docs))
	for _, s := range ranked {
		p := pool[s.Index]
		if slices.ContainsFunc(keep[p.Source], func(kept citewell.Passage) bool { return kept.ID == p.ID }) {
			p.Source++ // from here on the places of sources are counted from 1
			e.passages = append(e.passages, p)
		}
	}
	e.voices = e.independent(docs)
	findings := extractive(q, e, e.ofRivals(q, new(Writer).weigh(q, e)), forResearch)
	for _, f := range findings {
		for i := range f.Citations {
			f.Citations[i].N = texts[f.Citations[i].N-1].Source.N
		}
	}
	return findings
}
