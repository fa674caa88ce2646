package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/doctor"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/search/provider"
)

// probeQuery is what doctor asks every provider: words that any index has.
const probeQuery = "weather"

// Probes lists what doctor tries.
func (a *App) Probes(ctx context.Context) ([]doctor.Probe, error) {
	probes := []doctor.Probe{{Part: "store", Name: "sqlite", Try: a.tryStore}}
	deps, err := a.ProviderDeps(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range provider.Names() {
		probe := doctor.Probe{Part: "provider", Name: name}
		if p, err := provider.New(name, deps); err == nil {
			probe.Try = func(ctx context.Context) (string, error) {
				results, err := p.Search(ctx, citewell.Query{Text: probeQuery, Limit: 5})
				return fmt.Sprintf("%d results for %q", len(results), probeQuery), err
			}
		} else if view := citewell.View(err); view.Code == citewell.CodeProviderNotConfigured {
			probe.Off = strings.TrimSuffix(view.Message+"; "+view.Hint, "; ")
		} else {
			probe.Try = func(context.Context) (string, error) { return "", err }
		}
		probes = append(probes, probe)
	}
	if len(a.Models) == 0 {
		probes = append(probes, doctor.Probe{Part: "model", Name: "llm", Off: "no llm.model is set; findings are quoted from the sources"})
	}
	for _, m := range a.Models {
		probes = append(probes, doctor.Probe{Part: "model", Name: m.Name(), Try: func(ctx context.Context) (string, error) { return tryModel(ctx, m) }})
	}
	return probes, nil
}

// tryStore writes a snapshot, reads it back and compares.
func (a *App) tryStore(ctx context.Context) (string, error) {
	body := []byte("citewell doctor " + citewell.NewID())
	hash := citewell.SHA256(body)
	page := citewell.Page{URL: "citewell:doctor", FinalURL: "citewell:doctor", ContentType: "text/plain", Body: body, SHA256: hash, FetchedAt: time.Now().UTC(), Outcome: citewell.FetchOK}
	doc := citewell.Document{URL: page.URL, MediaType: "text/plain", Text: string(body), TextSHA256: hash, Extractor: citewell.Extractor{ID: "doctor", Version: 1}}
	if err := a.Store.PutSnapshot(ctx, page, doc); err != nil {
		return "", err
	}
	kept, err := a.Store.Blob(ctx, hash)
	if err != nil {
		return "", err
	}
	if string(kept) != string(body) {
		return "", &citewell.Error{Code: citewell.CodeStoreFailed, Message: "the store gave back other bytes than it was given"}
	}
	count, err := a.Store.CountDocuments(ctx, "")
	return fmt.Sprintf("%s: a snapshot was written and read back; documents indexed: %d", a.DataDir, count), err
}

// tryModel asks for a small structured answer, the form in which briefs need it.
func tryModel(ctx context.Context, m *llm.Client) (string, error) {
	var answer struct {
		Sum int `json:"sum"`
	}
	_, err := m.Decode(ctx, llm.Request{
		Messages:   []llm.Message{{Role: "user", Content: "What is 19 + 23? Answer with the sum."}},
		Schema:     []byte(`{"type":"object","properties":{"sum":{"type":"integer"}},"required":["sum"],"additionalProperties":false}`),
		SchemaName: "sum",
	}, &answer)
	switch {
	case errors.Is(err, llm.ErrSchema):
		return "", &citewell.Error{Code: citewell.CodeModelFailed, Message: "the model answers, but not in JSON; findings will be quoted from the sources", Err: err}
	case err != nil:
		return "", err
	}
	return "answers in JSON by " + m.Format() + fmt.Sprintf(" (19 + 23 = %d)", answer.Sum), nil
}
