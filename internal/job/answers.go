package job

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/text"
)

// saidHash is what a published text is known by. How it is broken into lines says nothing:
// clients change that.
func saidHash(published string) string {
	return citewell.SHA256([]byte(text.OneLine(published)))
}

// NoteAnswer keeps that a text was published as what an ended run came to, so that a
// conversation in which it stands is known to go on from there.
func (d *Desk) NoteAnswer(ctx context.Context, id, text string) error {
	return d.runs.NoteAnswer(ctx, id, saidHash(text))
}

// WhoSaid is the id of the newest run that published a text; empty where none did.
func (d *Desk) WhoSaid(ctx context.Context, text string) (string, error) {
	return d.whoSaid(ctx, text, "")
}

func (d *Desk) whoSaid(ctx context.Context, text, caller string) (string, error) {
	runs, _, err := d.runs.ListRuns(ctx, store.RunQuery{Answer: saidHash(text), Caller: caller, Limit: 1})
	if err != nil || len(runs) == 0 {
		return "", err
	}
	return runs[0].ID, nil
}
