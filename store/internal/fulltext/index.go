package fulltext

import (
	"cmp"
	"context"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/fault"
	"github.com/citewell/citewell/text"
	"golang.org/x/sync/errgroup"
)

const (
	// A batch is what goes into one transaction: few at first, so that writing begins
	// while the next are prepared, then more, so that fewer commits are waited for.
	firstBatch    = 128
	largestBatch  = 2048
	maxBatchBytes = 8 << 20 // of text
)

// Index prepares documents, batch by batch, and has each written while the next one is
// prepared. part returns the id of the part of a language, made where there is none.
func Index(ctx context.Context, docs []store.TextDocument, part func(ctx context.Context, language string) (int64, error),
	write func(batch []*Prepared) error) error {
	writing := errgroup.Group{} // at most one batch, beside the one that is prepared
	size := firstBatch
	for len(docs) > 0 {
		n := batchLength(docs, size)
		batch, err := Prepare(ctx, docs[:n], part)
		if earlier := writing.Wait(); earlier != nil {
			return earlier
		}
		if err != nil {
			return err
		}
		if docs, size = docs[n:], min(2*size, largestBatch); len(docs) == 0 {
			return write(batch)
		}
		writing = errgroup.Group{}
		writing.Go(func() error { return write(batch) })
	}
	return nil
}

// batchLength returns how many of docs go into one batch of at most size.
func batchLength(docs []store.TextDocument, size int) int {
	total := 0
	for i := range docs[:min(size, len(docs))] {
		if total += len(docs[i].Text); total > maxBatchBytes {
			return max(1, i)
		}
	}
	return min(size, len(docs))
}

// CheckDocuments says which documents cannot be indexed.
func CheckDocuments(op, index string, docs []store.TextDocument) error {
	if err := CheckIndexName(op, index); err != nil {
		return err
	}
	for i := range docs {
		if err := checkText(op, &docs[i]); err != nil {
			return err
		}
	}
	return nil
}

func checkText(op string, doc *store.TextDocument) error {
	switch {
	case doc.ID == "" || len(doc.ID) > store.MaxDocumentID:
		return fault.Invalid(op, "a document's id must be 1 to %d bytes", store.MaxDocumentID)
	case len(doc.Title) > store.MaxTitle || len(doc.URL) > store.MaxTitle:
		return fault.Invalid(op, "a title or URL of more than %d bytes is not indexed", store.MaxTitle)
	case len(doc.Text) > store.MaxText:
		return fault.Invalid(op, "a text of more than %d bytes is not indexed; divide it", store.MaxText)
	}
	return store.CheckMetadata(op, doc.Metadata)
}

// Prepare prepares documents on all processors, one alone where it is called.
func Prepare(ctx context.Context, docs []store.TextDocument, part func(ctx context.Context, language string) (int64, error)) ([]*Prepared, error) {
	made := make([]*Prepared, len(docs))
	var next atomic.Int64
	work := func() (err error) {
		for i := next.Add(1) - 1; err == nil && i < int64(len(docs)); i = next.Add(1) - 1 {
			if err = ctx.Err(); err == nil {
				made[i], err = prepareOne(ctx, docs[i], part)
			}
		}
		return err
	}
	var group errgroup.Group
	for range min(runtime.GOMAXPROCS(0), len(docs)) - 1 {
		group.Go(work)
	}
	err := work()
	return made, cmp.Or(err, group.Wait())
}

func prepareOne(ctx context.Context, doc store.TextDocument, part func(ctx context.Context, language string) (int64, error)) (*Prepared, error) {
	if doc.Language = baseLanguage(doc.Language); doc.Language == "" {
		// By the text alone, not by what the index holds: the order in which documents
		// come, and indexing them anew, must not change how one is read.
		doc.Language = text.LikelyLanguage(doc.Text)
	}
	id, err := part(ctx, doc.Language)
	if err != nil {
		return nil, err
	}
	p := takePreparer() // not while a new part is waited for
	defer p.release()
	return p.prepare(doc, id)
}

// noLanguage is what a part of no language is read in: without stems and function words.
const noLanguage = "zxx"

// readIn is the language that the documents of a part, and queries of it, are read in:
// one for all, where package text would tell each text's own.
func readIn(language string) string { return cmp.Or(language, noLanguage) }

// baseLanguage makes "de" of "de-AT" and of "DE_at".
func baseLanguage(tag string) string {
	base, _, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	return strings.ToLower(base)
}
