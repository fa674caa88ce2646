package library

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/meaning"
	"github.com/citewell/citewell/internal/relevance"
	"github.com/citewell/citewell/store"
)

// embedAtOnce is how many pieces are embedded before they are kept: enough to fill an
// endpoint's batches, few enough that little is lost where it stops answering.
const embedAtOnce = 128

// An embedding is one pass over documents that may lack vectors.
type embedding struct {
	*Library
	stamps map[string]string // of the present versions, by URL
	sum    *Summary
	tell   func(Event)
}

// embed gives documents vectors where they have none of their present version. What the
// endpoint does not embed is found by words, and is asked for again at the next call: the
// reason is told in sum. Errors are those of the store and of an ended ctx.
func (l *Library) embed(ctx context.Context, addresses []string, sum *Summary, tell func(Event)) error {
	if l.o.Meanings == nil || !l.o.Meanings.Able() || len(addresses) == 0 {
		return nil
	}
	former, err := l.o.Meanings.Renew(ctx, store.Library)
	if err != nil {
		return err
	}
	if former != "" {
		sum.Warning = "the embedding model was " + former + ": documents that were not indexed now are found " +
			"by words " +
			"alone until they are"
	}
	e := embedding{l, make(map[string]string, len(addresses)), sum, tell}
	for _, address := range addresses {
		if e.stamps[address], err = l.o.Store.Stamp(ctx, address); err != nil {
			return err
		}
	}
	lacking, err := l.o.Meanings.Lacking(ctx, store.Library, e.stamps)
	for len(lacking) > 0 && err == nil {
		var batch []meaning.Meant
		if batch, lacking, err = e.next(ctx, lacking); err == nil {
			err = e.put(ctx, batch)
		}
	}
	if err == nil || ctx.Err() != nil || citewell.CodeOf(err) == citewell.CodeStoreFailed {
		return err
	}
	sum.WithoutVectors += len(lacking)
	sum.Warning = "found by words alone until they are indexed again: " + citewell.View(err).Message
	return nil
}

// next reads documents until they have enough pieces for one call.
func (e *embedding) next(ctx context.Context, lacking []string) (batch []meaning.Meant, rest []string, err error) {
	for pieces := 0; len(lacking) > 0 && pieces < embedAtOnce; lacking = lacking[1:] {
		page, doc, err := e.o.Store.Snapshot(ctx, lacking[0])
		if citewell.CodeOf(err) == citewell.CodeNotFound {
			continue // removed meanwhile
		}
		if err != nil {
			return nil, nil, err
		}
		title := doc.Title
		if doc, err = e.o.Extract(ctx, page); err != nil { // what is kept of it has no passages
			e.sum.WithoutVectors++
			continue
		}
		d := meaning.Meant{ID: lacking[0], Stamp: e.stamps[lacking[0]]}
		for _, p := range doc.Passages[:min(len(doc.Passages), meaning.MaxPieces)] {
			d.Pieces = append(d.Pieces, meaning.Piece{Read: relevance.Meant(title, p), Text: p.Text})
		}
		if len(d.Pieces) > 0 {
			batch = append(batch, d)
		}
		pieces += len(d.Pieces)
	}
	return batch, lacking, nil
}

// put keeps the vectors of a batch. Where the endpoint refuses it, its documents are
// asked for one by one, so that one that it cannot take costs the others nothing. An
// error means that it would refuse the next batch too.
func (e *embedding) put(ctx context.Context, batch []meaning.Meant) error {
	err := e.o.Meanings.Put(ctx, store.Library, batch)
	switch {
	case err == nil:
		for _, d := range batch {
			e.tell(Event{d.ID, Embedded, nil})
		}
		return nil
	case len(batch) == 1 || !refused(err):
		e.sum.WithoutVectors += len(batch)
		return err
	}
	taken := 0
	for i, d := range batch {
		switch err = e.put(ctx, batch[i:i+1]); {
		case err == nil:
			taken++
		case !refused(err):
			e.sum.WithoutVectors += len(batch) - i - 1
			return err
		default:
			e.sum.Warning = d.ID + " is found by words alone: " + citewell.View(err).Message
		}
	}
	if taken > 0 {
		return nil
	}
	return err
}

// refused says whether an endpoint answered, and will answer the same to the same texts.
func refused(err error) bool {
	switch citewell.CodeOf(err) {
	case citewell.CodeInvalidArgument, citewell.CodeModelFailed, citewell.CodeBadResponse:
		return true
	}
	return false
}
