package fulltext

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/store"
	"golang.org/x/sync/errgroup"
)

const (
	// A batch goes into one transaction: few documents at first, so that writing begins early, then more, for fewer
	// commits.
	firstBatch    = 128
	largestBatch  = 2048
	maxBatchBytes = 8 << 20 // of text
)

// Index prepares documents in batches and has each written while the next is prepared. part finds or makes a language's
// part.
func Index(ctx context.Context, docs []store.TextDocument,
	part func(ctx context.Context, language string) (int64, error),
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
func Prepare(ctx context.Context, docs []store.TextDocument,
	part func(ctx context.Context, language string) (int64, error)) ([]*Prepared, error) {
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

func prepareOne(ctx context.Context, doc store.TextDocument,
	part func(ctx context.Context, language string) (int64, error)) (*Prepared, error) {
	if doc.Language = baseLanguage(doc.Language); doc.Language == "" {
		// By the text alone: neither the order of documents nor indexing them again may change how one is read.
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

// readIn is the one language in which the documents of a part, and queries of it, are read.
func readIn(language string) string { return cmp.Or(language, noLanguage) }

// baseLanguage makes "de" of "de-AT" and of "DE_at".
func baseLanguage(tag string) string {
	base, _, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	return strings.ToLower(base)
}

// RemovedAtOnce is how many documents one transaction forgets.
const RemovedAtOnce = 500

// Remove checks a selection and removes its documents, the named ones by keys, the others by calling selected until it
// removes none. It returns their number.
func Remove(ctx context.Context, op, index string, which store.TextSelection,
	keys func(ctx context.Context, keys []string) (int, error),
	selected func(ctx context.Context) (int, error)) (removed int, err error) {
	if err := CheckIndexName(op, index); err != nil {
		return 0, err
	}
	if err := store.CheckFilters(op, which.Filters); err != nil {
		return 0, err
	}
	chosen := which.IDPrefix != "" || len(which.Filters) > 0
	if !chosen && len(which.IDs) == 0 && !which.All {
		return 0, fault.Invalid(op, "nothing is selected: give ids, an id prefix, filters, or say all")
	}
	for ids := range slices.Chunk(which.IDs, RemovedAtOnce) {
		n, err := keys(ctx, ids)
		if removed += n; err != nil {
			return removed, err
		}
	}
	if !chosen && len(which.IDs) > 0 {
		return removed, nil
	}
	for {
		n, err := selected(ctx)
		if removed += n; err != nil || n == 0 {
			return removed, err
		}
	}
}

// AddIndex adds what an index holds in one language to a list by the names of indexes.
func AddIndex(list []store.TextIndex, name, language string, documents int) []store.TextIndex {
	if len(list) == 0 || list[len(list)-1].Name != name {
		list = append(list, store.TextIndex{Name: name})
	}
	last := &list[len(list)-1]
	last.Documents += documents
	last.Languages = append(last.Languages, language)
	return list
}
