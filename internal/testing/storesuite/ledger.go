package storesuite

import (
	"slices"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/google/go-cmp/cmp"
)

func ledgerRoundTrip(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	brief := citewell.NewID()
	for n := 1; n <= 3; n++ {
		source, passages := newSource(n, n-1) // the first has none
		must(t, s.AddSource(ctx, brief, source, passages))
		for _, p := range passages {
			got, err := s.Passage(ctx, p.ID)
			must(t, err)
			if diff := cmp.Diff(store.PassageRecord{Brief: brief, Source: source, Passage: p}, got); diff != "" {
				t.Errorf("passage differs (-put +got):\n%s", diff)
			}
		}
	}
	_, err := s.Passage(ctx, citewell.NewID())
	wantCode(t, err, citewell.CodeNotFound)
}

func ledgerSourceNeverChanges(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	source, passages := newSource(1, 3)
	must(t, s.AddSource(ctx, "b1", source, passages))
	must(t, s.AddSource(ctx, "b1", source, passages))
	reversed := slices.Clone(passages)
	slices.Reverse(reversed)
	must(t, s.AddSource(ctx, "b1", source, reversed)) // order is no field

	changes := map[string]func(*citewell.Source, *[]citewell.Passage){
		"title":           func(s *citewell.Source, _ *[]citewell.Passage) { s.Title += "!" },
		"hash":            func(s *citewell.Source, _ *[]citewell.Passage) { s.TextSHA256 = citewell.SHA256(nil) },
		"passage_missing": func(_ *citewell.Source, p *[]citewell.Passage) { *p = (*p)[1:] },
		"passage_more": func(_ *citewell.Source, p *[]citewell.Passage) {
			*p = append(*p, citewell.Passage{ID: citewell.NewID(), Source: 1, Text: "more"})
		},
		"passage_text":  func(_ *citewell.Source, p *[]citewell.Passage) { (*p)[2].Text = "other" },
		"passage_start": func(_ *citewell.Source, p *[]citewell.Passage) { (*p)[0].Start++ },
		"passage_id":    func(_ *citewell.Source, p *[]citewell.Passage) { (*p)[0].ID = citewell.NewID() },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			changedSource, changedPassages := source, slices.Clone(passages)
			change(&changedSource, &changedPassages)
			wantCode(t, s.AddSource(ctx, "b1", changedSource, changedPassages), citewell.CodeInvalidArgument)
			got, err := s.Passage(ctx, passages[0].ID)
			must(t, err)
			if diff := cmp.Diff(store.PassageRecord{Brief: "b1", Source: source, Passage: passages[0]},
				got); diff != "" {
				t.Errorf("the kept source changed (-put +got):\n%s", diff)
			}
		})
	}
	otherSource, otherPassages := newSource(1, 2)
	must(t, s.AddSource(ctx, "b2", otherSource, otherPassages)) // the same number of another brief
}

func ledgerAllOrNothing(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	first, taken := newSource(1, 1)
	must(t, s.AddSource(ctx, "b1", first, taken))
	second, passages := newSource(2, 5)
	fresh := passages[0].ID
	passages[4].ID = taken[0].ID // minted for another source
	wantCode(t, s.AddSource(ctx, "b1", second, passages), citewell.CodeInvalidArgument)
	_, err := s.Passage(ctx, fresh)
	wantCode(t, err, citewell.CodeNotFound)
	passages[4].ID = citewell.NewID()
	must(t, s.AddSource(ctx, "b1", second, passages)) // number 2 is still free
	got, err := s.Passage(ctx, taken[0].ID)
	must(t, err)
	if got.Source.N != 1 || got.Passage.Text != taken[0].Text {
		t.Errorf("the passage that was there first changed: %+v", got)
	}
}

func ledgerBadArguments(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	source, passages := newSource(1, 2)
	numberless, anonymous, double, foreign := source, slices.Clone(passages), slices.Clone(passages),
		slices.Clone(passages)
	numberless.N = 0
	anonymous[1].ID = ""
	double[1].ID = double[0].ID
	foreign[1].Source = 2
	wantCode(t, s.AddSource(ctx, "", source, passages), citewell.CodeInvalidArgument)
	wantCode(t, s.AddSource(ctx, "b", numberless, passages), citewell.CodeInvalidArgument)
	wantCode(t, s.AddSource(ctx, "b", source, anonymous), citewell.CodeInvalidArgument)
	wantCode(t, s.AddSource(ctx, "b", source, double), citewell.CodeInvalidArgument)
	wantCode(t, s.AddSource(ctx, "b", source, foreign), citewell.CodeInvalidArgument)
	must(t, s.AddSource(ctx, "b", source, passages)) // nothing of the above was kept
}

func newBrief() citewell.Brief {
	source, passages := newSource(1, 2)
	citation := citewell.Citation{N: 1, Passage: passages[0].ID, Quote: "ä", Start: 0, End: 2,
		Verdict: citewell.VerdictSupported}
	return citewell.Brief{Schema: citewell.BriefSchema, ID: citewell.NewID(), Query: "when is high water?",
		CreatedAt:     noon,
		Findings:      []citewell.Finding{{Topic: "tides", Text: "At noon.", Citations: []citewell.Citation{citation}}},
		Disagreements: []citewell.Disagreement{}, Gaps: []string{"low water"},
		Sources: []citewell.Source{source}, Passages: passages,
		Coverage: citewell.Coverage{RawResults: 3, WallMS: 812,
			Synthesis: citewell.SynthesisReport{Mode: "extractive", Outcome: "ok"}}}
}

func briefRoundTrip(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	brief := newBrief()
	must(t, s.PutBrief(ctx, brief))
	got, err := s.Brief(ctx, brief.ID)
	must(t, err)
	if diff := cmp.Diff(brief, got); diff != "" {
		t.Errorf("brief differs (-put +got):\n%s", diff)
	}
	_, err = s.Brief(ctx, citewell.NewID())
	wantCode(t, err, citewell.CodeNotFound)
	for prefix, want := range map[string]int{brief.ID[:8]: 1, brief.ID: 1, "": 1, brief.ID[:8] + "x": 0, "%": 0} {
		if ids, err := s.BriefIDs(ctx, prefix, 2); err != nil || len(ids) != want || want == 1 && ids[0] != brief.ID {
			t.Errorf("the ids that begin with %q are %v, %v", prefix, ids, err)
		}
	}
	if ids, err := b.Tenant("b").BriefIDs(ctx, brief.ID[:8], 2); err != nil || len(ids) > 0 {
		t.Errorf("another tenant sees %v, %v", ids, err)
	}
	brief.ID = ""
	wantCode(t, s.PutBrief(ctx, brief), citewell.CodeInvalidArgument)
}

func briefNeverChanges(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	brief := newBrief()
	must(t, s.PutBrief(ctx, brief))
	must(t, s.PutBrief(ctx, brief))
	other := brief
	other.Query = "when is low water?"
	wantCode(t, s.PutBrief(ctx, other), citewell.CodeInvalidArgument)
	got, err := s.Brief(ctx, brief.ID)
	must(t, err)
	if got.Query != brief.Query {
		t.Errorf("the kept brief changed to %q", got.Query)
	}
}
