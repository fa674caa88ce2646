package briefrun

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/internal/agent"
)

// goOn answers the task from the sources that the run has from its beginning, those of the
// run that it goes on from and its files, and asks nobody. Where they do not answer it, the
// brief has no finding.
func (a *Agent) goOn(ctx context.Context, t agent.Task) (m made, err error) {
	if t.From == nil {
		return made{}, nil
	}
	formers, err := t.From(ctx)
	if err != nil {
		return made{}, err
	}
	began := time.Now()
	m.Brief = citewell.Brief{Schema: citewell.BriefSchema, ID: t.ID, Query: t.Text,
		CreatedAt: began.UTC().Truncate(time.Second), Outcome: citewell.BriefAnswered}
	m.Brief.Coverage.Synthesis.Mode = citewell.SynthesisExtractive
	var texts []brief.Text
	passages := map[int][]citewell.Passage{}
	for _, f := range formers {
		m.Brief.Sources = append(m.Brief.Sources, f.Source)
		if f.Doc.Text == "" || began.Sub(f.Source.FetchedAt) > agent.FreshFor {
			continue
		}
		f.Doc.Passages = agent.Numbered(t.ID, f.Source.URL, f.Source.N, f.Doc.Passages)
		passages[f.Source.N] = f.Doc.Passages
		texts = append(texts, brief.Text{Source: f.Source, Document: f.Doc})
	}
	m.Brief.Findings = brief.Quote(t.Text, texts)
	for _, f := range formers {
		if slices.ContainsFunc(m.Brief.Findings, func(found citewell.Finding) bool {
			return cites(found, f.Source.N)
		}) {
			m.Entries = append(m.Entries, entry{f.Source, passages[f.Source.N]})
			m.Brief.Passages = append(m.Brief.Passages, passages[f.Source.N]...)
		}
	}
	m.Usage.ActiveMS = time.Since(began).Milliseconds()
	m.Known = len(formers)
	return m, nil
}

func cites(f citewell.Finding, n int) bool {
	return slices.ContainsFunc(f.Citations, func(c citewell.Citation) bool { return c.N == n })
}

// behind gives the sources of a brief the numbers behind those that the run had already.
func (m *made) behind(known []citewell.Source) {
	by := len(known)
	b := &m.Brief
	for c := range b.Citations() {
		c.N += by
	}
	move := func(passages []citewell.Passage) {
		for i := range passages {
			p := &passages[i]
			_, place, _ := strings.Cut(p.Alias, ".")
			p.Source += by
			p.Alias = fmt.Sprintf("S%d.%s", p.Source, place)
		}
	}
	move(b.Passages)
	for i := range b.Sources {
		b.Sources[i].N += by
	}
	for i := range m.Entries {
		m.Entries[i].Source.N += by
		move(m.Entries[i].Passages)
	}
	b.Sources = slices.Concat(known, b.Sources)
}
