package trials

import (
	"context"
	"fmt"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/doctor"
	"github.com/citewell/citewell/store"
)

// Store tries the store of a kind, which people find at that place.
func Store(kind, place string, kept store.Text) doctor.Probe {
	return doctor.Probe{Part: "store", Name: kind,
		Try: func(ctx context.Context) (doctor.Answer, error) { return tryStore(ctx, place, kept) }}
}

// doctorIndex is the index of the text that tryStore writes and removes.
const doctorIndex = "citewell:doctor"

// tryStore writes a text, reads it back, compares, and leaves nothing behind.
func tryStore(ctx context.Context, place string, kept store.Text) (answer doctor.Answer, err error) {
	id := citewell.NewID()
	written := store.TextDocument{ID: id, Text: "citewell doctor " + id, Language: "en"}
	if err := kept.IndexDocuments(ctx, doctorIndex, []store.TextDocument{written}); err != nil {
		return answer, err
	}
	defer func() {
		if _, removed := kept.RemoveDocuments(context.WithoutCancel(ctx), doctorIndex,
			store.TextSelection{IDs: []string{id}}); err == nil {
			err = removed
		}
	}()
	back, err := kept.TextDocument(ctx, doctorIndex, id)
	if err != nil {
		return answer, err
	}
	if back.Text != written.Text {
		return answer, &citewell.Error{
			Code:    citewell.CodeStoreFailed,
			Message: "the store returned another text than it was given",
		}
	}
	count, err := kept.CountDocuments(ctx, "")
	answer.Detail = fmt.Sprintf("%s: a text was written, read back and removed; documents indexed: %d", place, count)
	return answer, err
}
