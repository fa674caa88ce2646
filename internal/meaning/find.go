package meaning

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/relevance"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/store"
)

// A Mode is how an index is searched.
type Mode string

// The modes.
const (
	ByWords   Mode = "text"
	ByMeaning Mode = "meaning"
	ByBoth    Mode = "hybrid"
)

// A Finder finds documents of an index by words, by meaning, or by both. It may be used from many goroutines.
type Finder struct {
	texts    store.Text
	meanings *Meanings
	floor    Floor
}

// NewFinder returns a Finder over texts, and their meanings where these are Able.
func NewFinder(texts store.Text, meanings *Meanings) *Finder {
	return &Finder{texts: texts, meanings: meanings}
}

// A Found is a document that a query found, and why. Found by meaning alone, it has an Excerpt without Marks, or none
// if its text has changed.
type Found struct {
	store.TextHit     // Score is that of the joined ranking
	Words         int // its rank by words, from 1; 0 where they did not find it
	Meaning       int // its rank by meaning, from 1; 0 where it is not near
}

// Findings are what a query found, best first.
type Findings struct {
	Found   []Found
	Total   int
	Next    int // offset of what comes after these; 0 at the end
	Mode    Mode
	Warning string // why meaning was left out; empty where it was not
}

const (
	// fused is how many of the best of each ranking are joined.
	fused = 200
	// maxBeginning is how much of a text is shown in which no word was looked for, in bytes.
	maxBeginning = 300
)

// Find answers a query, whose Limit must be given. An empty mode is both ways, or words if the model cannot answer.
func (f *Finder) Find(ctx context.Context, q store.TextQuery, mode Mode) (Findings, error) {
	wanted := mode
	if wanted == "" {
		if wanted = ByWords; f.meanings.Able() {
			wanted = ByBoth
		}
	}
	if wanted == ByWords {
		return f.byWords(ctx, q)
	}
	wide := q
	wide.Limit, wide.Offset = q.Offset+q.Limit, 0
	near, err := f.meanings.SearchRelated(ctx, wide, &f.floor)
	if err != nil {
		if mode != "" || ctx.Err() != nil {
			return Findings{}, err
		}
		all, failed := f.byWords(ctx, q) // nobody asked for meaning: words are an answer
		all.Warning = "By words alone: " + citewell.View(err).Message + "."
		return all, failed
	}
	return f.joined(ctx, q, near, wanted)
}

func (f *Finder) byWords(ctx context.Context, q store.TextQuery) (Findings, error) {
	hits, err := f.texts.SearchText(ctx, q)
	if err != nil {
		return Findings{}, err
	}
	all := Findings{Mode: ByWords}
	if all.Total, err = f.texts.CountText(ctx, q); err != nil {
		return Findings{}, err
	}
	for i, h := range hits {
		all.Found = append(all.Found, Found{TextHit: h, Words: q.Offset + i + 1})
	}
	if reached := q.Offset + len(hits); len(hits) > 0 && reached < all.Total {
		all.Next = reached
	}
	return all, nil
}

// joined ranks what was found by meaning, joined with what is found by words where the mode is ByBoth.
func (f *Finder) joined(ctx context.Context, q store.TextQuery, near []store.TextHit, mode Mode) (Findings, error) {
	known := map[string]*Found{}
	rankings := []relevance.Ranking{{}}
	if mode == ByBoth {
		wide := q
		wide.Limit, wide.Offset = fused, 0
		hits, err := f.texts.SearchText(ctx, wide)
		if err != nil {
			return Findings{}, err
		}
		r := relevance.Ranking{}
		for i, h := range hits {
			r.IDs = append(r.IDs, h.ID)
			known[h.ID] = &Found{TextHit: h, Words: i + 1}
		}
		rankings = append(rankings, r)
	}
	for i, h := range near {
		if known[h.ID] == nil {
			h.Snippet = text.ShortenAtWord(text.OneLine(h.Snippet), maxBeginning)
			known[h.ID] = &Found{TextHit: h}
		}
		known[h.ID].Meaning = i + 1
		rankings[0].IDs = append(rankings[0].IDs, h.ID)
	}
	ranked := relevance.Hybrid(rankings...)
	all := Findings{Mode: mode, Total: len(ranked)}
	for i, r := range ranked {
		if i < q.Offset {
			continue
		}
		if len(all.Found) == q.Limit {
			all.Next = i
			break
		}
		one := *known[r.ID]
		one.Score = r.Score
		all.Found = append(all.Found, one)
	}
	return all, nil
}
