package openai

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
)

// maxFormer is how many of the assistant's last messages are looked for among published answers.
const maxFormer = 8

// runID is the form of a run's id. Other words in metadata.run_id are a client's own.
var runID = lazyregexp.New(
	`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// former is the id of the run that a conversation goes on from: the one that is named, or the caller's newest that
// published what the assistant said last. Empty where there is none.
func (a *API) former(ctx context.Context, q request, asked extension) (string, error) {
	var metadata struct {
		RunID string `json:"run_id"`
	}
	_ = json.Unmarshal(q.Metadata, &metadata) // a client's own words may have any form
	named, param := asked.From, "citewell.from"
	if named == "" && runID.MatchString(metadata.RunID) {
		named, param = metadata.RunID, "metadata.run_id"
	}
	if named != "" {
		status, err := a.o.Desk.Status(ctx, named)
		switch {
		case citewell.CodeOf(err) == citewell.CodeNotFound:
			return "", wrong(param, param+" names no run that is there",
				"leave it out: an answer in messages is known by its words")
		case err == nil && !status.State.Ended():
			return "", wrong(param, "the run has not ended: it is "+string(status.State),
				"send its id as model to follow or answer it")
		}
		return named, err
	}
	looked := 0
	for _, m := range slices.Backward(q.Messages) {
		if m.Role != "assistant" {
			continue
		}
		if looked++; looked > maxFormer {
			break
		}
		var t turn
		if err := t.readContent("messages", m.Content); err != nil {
			return "", err
		}
		said := ourBlocks.ReplaceAllString(t.text, "")
		if said == "" {
			continue
		}
		if id, err := a.o.Desk.WhoSaid(ctx, said); id != "" || err != nil {
			return id, err
		}
	}
	return "", nil
}
