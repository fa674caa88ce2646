package cite_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/testing/golden"
)

// written makes a brief of two sources with its passages, kept as the pipeline
// keeps it: pages, texts, ledger and the brief itself.
func written(t *testing.T) (citewell.Brief, *keeper) {
	t.Helper()
	kept := newKeeper()
	b := citewell.Brief{Schema: citewell.BriefSchema, ID: citewell.NewID(), Query: "How tall is the tower?",
		Gaps: []string{}, Additional: []citewell.Additional{}, CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	b.Coverage.Synthesis.Mode = citewell.SynthesisExtractive
	l := cite.NewLedger(b.ID, kept)
	for _, text := range []string{
		"The Corrin Tower stands in the harbour. It was finished on 31 March 1889.\n\nThe tower is 330 m tall and " +
			"made of iron.",
		"Corrin guide\n\nThe tower reaches a height of 312 metres. Tickets cost €18.",
	} {
		page := []byte("<p>" + text)
		doc := document(strings.Split(text, "\n\n")...)
		source, passages, err := l.Add(t.Context(), citewell.Source{
			Title: "Tower", URL: "https://corrin.test/" + citewell.NewID(), Host: "corrin.test", FetchedAt: b.CreatedAt,
			PageSHA256: citewell.SHA256(page), TextSHA256: doc.TextSHA256, Outcome: citewell.FetchOK,
		}, doc)
		if err != nil {
			t.Fatal(err)
		}
		kept.blobs[source.PageSHA256], kept.blobs[source.TextSHA256] = page, []byte(text)
		b.Sources, b.Passages = append(b.Sources, source), append(b.Passages, passages...)
	}
	for _, finding := range []string{"The tower is 330 m tall and made of iron.", "It was finished on 31 March 1889.",
		"The tower reaches a height of 312 metres."} {
		citations := bind(finding, b.Passages)
		if len(citations) == 0 {
			t.Fatalf("nothing supports %q", finding)
		}
		b.Findings = append(b.Findings, citewell.Finding{Topic: "Tower", Text: finding, Citations: citations[:1]})
	}
	unproven := b.Findings[0].Citations[0]
	unproven.Verdict = citewell.VerdictUnsupported
	b.Findings = append(b.Findings, citewell.Finding{Topic: "Tower", Text: "The tower is 330 m tall",
		Problem: cite.ProblemFigure, Citations: []citewell.Citation{unproven}})
	b.Unproven = 1
	b.Nearest = []citewell.Nearest{{Text: "Tickets cost €18.", Citations: bind("Tickets cost €18.", b.Passages)[:1]}}
	b.Disagreements = []citewell.Disagreement{{Text: "The height: 330 m says one source, 312 metres another.",
		Citations: []citewell.Citation{b.Findings[0].Citations[0], b.Findings[2].Citations[0]}}}
	kept.briefs[b.ID] = clone(t, b)
	return b, kept
}

func clone(t *testing.T, b citewell.Brief) citewell.Brief {
	t.Helper()
	encoded, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	var copied citewell.Brief
	if err := json.Unmarshal(encoded, &copied); err != nil {
		t.Fatal(err)
	}
	return copied
}

func problems(v cite.Verification) []string {
	var codes []string
	for _, p := range v.Problems {
		codes = append(codes, p.Code)
	}
	for _, c := range v.Citations {
		for _, p := range c.Problems {
			codes = append(codes, p.Code)
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

func TestVerifyUntouched(t *testing.T) {
	b, kept := written(t)
	_, other := written(t)
	for id, record := range kept.records {
		record.Brief = "another"
		other.records[id] = record
	}
	for name, test := range map[string]struct {
		archive cite.Archive
		basis   cite.Basis
	}{"snapshot": {kept, cite.BasisSnapshot}, "without_its_brief": {&keeper{records: kept.records, blobs: kept.blobs},
		cite.BasisSnapshot},
		"file": {nil, cite.BasisFile}, "another_store": {newKeeper(), cite.BasisFile},
		"another_brief": {other, cite.BasisFile}} {
		v, err := cite.Verify(t.Context(), clone(t, b), test.archive)
		if err != nil || !v.OK || v.Err() != nil {
			t.Errorf("%s: %v %v %+v", name, err, problems(v), v)
		}
		if len(v.Citations) != 7 || v.Unproven != 1 {
			t.Errorf("%s: %d citations checked, not 7, and %d unproven", name, len(v.Citations), v.Unproven)
		}
		for _, c := range v.Citations {
			if c.Basis != test.basis || c.URL == "" {
				t.Errorf("%s: %s has basis %s, URL %q", name, c.Statement, c.Basis, c.URL)
			}
		}
	}
}

// TestVerifyCatches changes one thing at a time; archive and file say which of the
// two ways of checking must see it, and as what. All that is said of a change is written down.
func TestVerifyCatches(t *testing.T) {
	var said strings.Builder
	for _, test := range []struct {
		name          string
		change        func(*citewell.Brief)
		archive, file string
	}{
		{"quote_word", func(b *citewell.Brief) {
			c := &b.Findings[0].Citations[0]
			c.Quote = strings.Replace(c.Quote, "iron", "steel", 1)
		}, cite.ProblemQuote, cite.ProblemQuote},
		{"quote_figure", func(b *citewell.Brief) {
			c := &b.Findings[0].Citations[0]
			c.Quote = strings.Replace(c.Quote, "330", "380", 1)
		}, cite.ProblemQuote, cite.ProblemQuote},
		{"finding_figure", func(b *citewell.Brief) {
			b.Findings[0].Text = strings.Replace(b.Findings[0].Text, "330", "380", 1)
		}, cite.ProblemFigure, cite.ProblemFigure},
		{"partly_by_words", func(b *citewell.Brief) { b.Findings[0].Citations[0].Verdict = citewell.VerdictPartly },
			cite.ProblemVerdict, cite.ProblemVerdict},
		{"no_verdict", func(b *citewell.Brief) {
			b.Findings[0].Citations[0].Verdict = "supported by judge wise\nholds F9"
		}, cite.ProblemVerdict, cite.ProblemVerdict},
		{"finding_date", func(b *citewell.Brief) {
			b.Findings[1].Text = strings.Replace(b.Findings[1].Text, "1889", "1898", 1)
		}, cite.ProblemFigure, cite.ProblemFigure},
		{"finding_word", func(b *citewell.Brief) {
			b.Findings[0].Text = strings.Replace(b.Findings[0].Text, "iron", "steel", 1)
		}, cite.ProblemStatement, cite.ProblemStatement},
		{"disagreement_figure", func(b *citewell.Brief) {
			b.Disagreements[0].Text = strings.Replace(b.Disagreements[0].Text, "312", "321", 1)
		}, cite.ProblemFigure, cite.ProblemFigure},
		{"source_number", func(b *citewell.Brief) { b.Findings[0].Citations[0].N = 2 }, cite.ProblemSource,
			cite.ProblemSource},
		{"source_unknown", func(b *citewell.Brief) { b.Findings[0].Citations[0].N = 9 }, cite.ProblemSource,
			cite.ProblemSource},
		{"sources_swapped", func(b *citewell.Brief) { b.Sources[0].N, b.Sources[1].N = 2, 1 }, cite.ProblemHash, ""},
		{"sources_doubled", func(b *citewell.Brief) { b.Sources[1].N = 1 }, cite.ProblemSource, cite.ProblemSource},
		{"passage_id", func(b *citewell.Brief) { b.Findings[0].Citations[0].Passage = citewell.NewID() },
			cite.ProblemPassage, cite.ProblemPassage},
		{"passage_empty", func(b *citewell.Brief) { b.Findings[0].Citations[0].Passage = "" }, cite.ProblemPassage,
			cite.ProblemPassage},
		{"passage_of_other", func(b *citewell.Brief) { b.Findings[0].Citations[0].Passage = b.Passages[0].ID },
			cite.ProblemSpan, cite.ProblemSpan},
		{"passage_text_and_quote", func(b *citewell.Brief) {
			for i := range b.Passages {
				b.Passages[i].Text = strings.Replace(b.Passages[i].Text, "330", "380", 1)
			}
			b.Findings[0].Text = strings.Replace(b.Findings[0].Text, "330", "380", 1)
			b.Findings[0].Citations[0].Quote = b.Findings[0].Text
		}, cite.ProblemQuote, cite.ProblemFigure}, // the disagreement still says 330
		{"span_start", func(b *citewell.Brief) { b.Findings[0].Citations[0].Start++ }, cite.ProblemQuote,
			cite.ProblemQuote},
		{"span_negative", func(b *citewell.Brief) { b.Findings[0].Citations[0].Start = -5 }, cite.ProblemSpan,
			cite.ProblemSpan},
		{"span_far", func(b *citewell.Brief) { b.Findings[0].Citations[0].End = 1 << 40 }, cite.ProblemSpan,
			cite.ProblemSpan},
		{"page_hash", func(b *citewell.Brief) { b.Sources[0].PageSHA256 = strings.Repeat("0", 64) },
			cite.ProblemHash, ""},
		{"text_hash", func(b *citewell.Brief) { b.Sources[0].TextSHA256 = strings.Repeat("0", 64) },
			cite.ProblemHash, ""},
		{"source_url", func(b *citewell.Brief) { b.Sources[0].URL = "https://evil.test/" }, cite.ProblemSourceData, ""},
		{"fetched_at", func(b *citewell.Brief) { b.Sources[0].FetchedAt = b.Sources[0].FetchedAt.AddDate(-1, 0, 0) },
			cite.ProblemSourceData, ""},
		{"citation_removed", func(b *citewell.Brief) { b.Findings[0].Citations = nil }, cite.ProblemUncited,
			cite.ProblemUncited},
		{"verdict", func(b *citewell.Brief) { b.Findings[0].Citations[0].Verdict = citewell.VerdictContradicted },
			cite.ProblemVerdict, ""},
		{"citation_doubled", func(b *citewell.Brief) {
			b.Findings[0].Citations = append(b.Findings[0].Citations, b.Findings[0].Citations[0])
		}, cite.ProblemStatement, ""},
		{"citation_dropped", func(b *citewell.Brief) {
			b.Disagreements[0].Citations =
				b.Disagreements[0].Citations[:1]
		}, cite.ProblemStatement, cite.ProblemFigure},
		{"judge", func(b *citewell.Brief) { b.Findings[0].Citations[0].By = "a model" }, cite.ProblemVerdict, ""},
		{"nearest_removed", func(b *citewell.Brief) { b.Nearest = nil }, cite.ProblemStatement, ""},
		{"nearest_changed", func(b *citewell.Brief) { b.Nearest[0].Text = "Tickets cost €19." }, cite.ProblemFigure,
			cite.ProblemFigure},
		{"disagreement_removed", func(b *citewell.Brief) { b.Disagreements = nil }, cite.ProblemStatement, ""},
		{"mark_removed", func(b *citewell.Brief) { b.Findings[3].Problem = "" }, cite.ProblemStatement, ""},
		{"mark_not_counted", func(b *citewell.Brief) { b.Unproven = 0 }, cite.ProblemStatement, ""},
		{"marked_statement_changed", func(b *citewell.Brief) { b.Findings[3].Text = "The tower is 350 m tall." },
			cite.ProblemStatement, cite.ProblemStatement},
		{"finding_denied", func(b *citewell.Brief) {
			b.Findings[0].Text = "The tower is not 330 m tall and made " +
				"of iron."
		}, cite.ProblemStatement, cite.ProblemStatement},
		{"finding_weak_and_denied", func(b *citewell.Brief) {
			b.Findings[0].Text = "The tower is not 330 m tall and made of iron."
			b.Findings[0].Citations[0].Verdict = citewell.VerdictUndecided
		}, cite.ProblemStatement, cite.ProblemStatement},
		{"finding_said_to_be_denied", func(b *citewell.Brief) {
			b.Findings[0].Text = "The tower is not 330 m tall and made of iron."
			b.Findings[0].Citations[0].Verdict = citewell.VerdictContradicted
		}, cite.ProblemVerdict, cite.ProblemStatement},
		{"figure_said_to_be_unstated", func(b *citewell.Brief) {
			b.Findings[0].Text, b.Findings[0].Unstated = "The tower is 330 m tall and made of 7300 t of iron.",
				[]string{"7300 t"}
		}, cite.ProblemFigure, cite.ProblemFigure},
		{"judged_at", func(b *citewell.Brief) { b.Findings[0].Citations[0].JudgedAt = b.CreatedAt },
			cite.ProblemVerdict, ""},
		{"passage_doubled", func(b *citewell.Brief) { b.Passages = append(b.Passages, b.Passages[0]) },
			cite.ProblemPassage, cite.ProblemPassage},
		{"passage_too_long", func(b *citewell.Brief) { b.Passages[1].End++ }, cite.ProblemPassage, cite.ProblemSpan},
		{"passage_of_another_source", func(b *citewell.Brief) {
			b.Passages[1].Source = 2
		}, cite.ProblemPassage, cite.ProblemSource},
		{"span_reversed", func(b *citewell.Brief) {
			c := &b.Findings[0].Citations[0]
			c.Start, c.End = c.End, c.Start
		}, cite.ProblemSpan, cite.ProblemSpan},
		{"quote_cut", func(b *citewell.Brief) {
			c := &b.Findings[0].Citations[0]
			c.Quote, c.End = c.Quote[:len(c.Quote)-1], c.End-1
		}, cite.ProblemSpan, cite.ProblemStatement},
		{"columns_of_no_table", func(b *citewell.Brief) { b.Findings[0].Citations[0].Columns = "Tower | Height" },
			cite.ProblemQuote, cite.ProblemQuote},
		{"final_url", func(b *citewell.Brief) { b.Sources[0].FinalURL = "https://evil.test/" },
			cite.ProblemSourceData, ""},
		{"question", func(b *citewell.Brief) { b.Query = "another question" }, cite.ProblemStatement, ""},
		{"finding_removed", func(b *citewell.Brief) { b.Findings = b.Findings[:3] }, cite.ProblemStatement, ""},
		{"finding_added", func(b *citewell.Brief) {
			b.Findings = append(b.Findings, citewell.Finding{Text: "The tower is painted green.",
				Citations: b.Findings[0].Citations})
		}, cite.ProblemStatement, cite.ProblemStatement},
	} {
		t.Run(test.name, func(t *testing.T) {
			original, kept := written(t)
			for _, by := range []struct {
				want    string
				archive cite.Archive
			}{{"archive:" + test.archive, kept}, {"file:" + test.file, nil}} {
				want, archive := by.want, by.archive
				b := clone(t, original)
				test.change(&b)
				v, err := cite.Verify(t.Context(), b, archive)
				if err != nil {
					t.Fatal(err)
				}
				_, code, _ := strings.Cut(want, ":")
				if v.OK != (code == "") || code != "" && !slices.Contains(problems(v), code) {
					t.Errorf("%s: ok %v, problems %v", want, v.OK, problems(v))
				}
				writeVerified(&said, test.name+" by "+strings.SplitN(want, ":", 2)[0], v)
				if (v.Err() == nil) != v.OK || v.Err() != nil && citewell.CodeOf(
					v.Err()) != citewell.CodeCitationsFailed {
					t.Errorf("%s: error %v", want, v.Err())
				}
			}
		})
	}
	golden.Check(t, "testdata/verified.golden", said.String())
}

// writeVerified writes all that a check says against a brief, without the ids, which are of
// chance.
func writeVerified(said *strings.Builder, what string, v cite.Verification) {
	fmt.Fprintf(said, "%s: %v\n", what, v.Err())
	plain := regexp.MustCompile(`[0-9a-f]{32}`)
	for _, p := range v.Problems {
		fmt.Fprintf(said, "\t%s: %s\n", p.Code, plain.ReplaceAllString(p.Message, "ID"))
	}
	for _, c := range v.Citations {
		if !c.OK || c.Marked != "" {
			fmt.Fprintf(said, "\t%s [%d] by its %s is %s: %s\n", c.Statement, c.N, c.Basis, c.Verdict, c.Reason)
		}
		for _, p := range c.Problems {
			fmt.Fprintf(said, "\t\t%s: %s\n", p.Code, plain.ReplaceAllString(p.Message, "ID"))
		}
	}
}

func TestVerifyCatchesDamageInTheStore(t *testing.T) {
	b, kept := written(t)
	for _, sha := range []string{b.Sources[0].TextSHA256, b.Sources[0].PageSHA256} {
		whole := kept.blobs[sha]
		kept.blobs[sha] = append([]byte{whole[0] ^ 1}, whole[1:]...)
		if v, err := cite.Verify(t.Context(), b, kept); err != nil || !slices.Contains(problems(v), cite.ProblemHash) {
			t.Errorf("a flipped bit: %v %v", err, problems(v))
		}
		delete(kept.blobs, sha)
		if v, err := cite.Verify(t.Context(), b, kept); err != nil ||
			!slices.Contains(problems(v), cite.ProblemSnapshot) {
			t.Errorf("a lost blob: %v %v", err, problems(v))
		}
		kept.blobs[sha] = whole
	}
	record := kept.records[b.Findings[0].Citations[0].Passage]
	record.Brief = "another"
	kept.records[record.Passage.ID] = record
	if v, err := cite.Verify(t.Context(), b, kept); err != nil || !slices.Contains(problems(v), cite.ProblemPassage) {
		t.Errorf("a passage of another brief: %v %v", err, problems(v))
	}
}

// A file in Markdown has no hashes, no passages and no times: what it lacks is not
// held against it as long as the store has the rest.
func TestVerifyOfWhatMarkdownKeeps(t *testing.T) {
	b, kept := written(t)
	b.Passages = nil
	for i := range b.Sources {
		s := &b.Sources[i]
		s.PageSHA256, s.TextSHA256, s.FetchedAt = "", "", time.Time{}
	}
	if v, err := cite.Verify(t.Context(), b, kept); err != nil || !v.OK {
		t.Errorf("%v %v", err, problems(v))
	}
	if v, err := cite.Verify(t.Context(), b, nil); err != nil || v.OK || v.Citations[0].Basis != cite.BasisNothing {
		t.Errorf("without a store there is nothing to check against: %v %+v", err, v)
	}
}

func TestVerifyRefusesAnotherSchema(t *testing.T) {
	if _, err := cite.Verify(t.Context(), citewell.Brief{Schema: "citewell.brief/9"},
		nil); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
		t.Errorf("%v", err)
	}
}

// What takes too long to check is refused, whichever part of a brief it stands in.
func TestVerifyRefusesTooMany(t *testing.T) {
	half := make([]citewell.Finding, 5001)
	for name, b := range map[string]citewell.Brief{"findings and nearest": {
		Findings: half, Nearest: make([]citewell.Nearest, 5001)},
		"findings and disagreements": {Findings: half, Disagreements: make([]citewell.Disagreement, 5001)}} {
		if _, err := cite.Verify(t.Context(), b, nil); citewell.CodeOf(err) != citewell.CodeInvalidArgument ||
			!strings.Contains(err.Error(), "10002 statements") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzVerify(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"findings":[{"text":"x"}]}`,
		`{"schema":"citewell.brief/1","findings":[{"text":"It is 5 m.","citations":[{"n":1,"passage":"a","quote":"5 m","start":-9,"end":99}]}],"sources":[{"n":1},{"n":1}],"passages":[{"id":"a","n":1,"start":9223372036854775807,"end":-9223372036854775808,"text":"It is 5 m."}]}`,
		`{"findings":[{"text":"\u0000\ud800","citations":[{"passage":"a","start":0,"end":1}]}],"passages":[{"id":"a","start":0,"end":1,"text":"x"},{"id":"a"}]}`,
		`{"disagreements":[{"text":"a","citations":[{"n":-1},{"n":0,"passage":"b","start":5,"end":6,"quote":"y"}]}],"passages":[{"id":"b","start":-3,"end":-2,"text":"y"}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var b citewell.Brief
		if json.Unmarshal(data, &b) != nil {
			return
		}
		v, err := cite.Verify(t.Context(), b, nil)
		if err != nil {
			return
		}
		for _, c := range v.Citations {
			if c.OK && (c.Basis == cite.BasisNothing || c.Quote == "" || len(c.Problems) > 0) {
				t.Fatalf("passed without words to check: %+v", c)
			}
		}
		if len(v.Citations) < len(b.Findings)+len(b.Disagreements) {
			t.Fatal("a statement was left out")
		}
	})
}

// bind gives the citations that bear a statement out, among passages of several sources.
func bind(statement string, passages []citewell.Passage) (citations []citewell.Citation) {
	c := cite.Claim{Text: statement, Lang: "en"}
	for _, p := range passages {
		c.Evidence = append(c.Evidence, cite.Evidence{Passages: []citewell.Passage{p}})
	}
	for _, one := range cite.Hold(c).Citations {
		if one.Verdict == citewell.VerdictSupported {
			citations = append(citations, one)
		}
	}
	return citations
}
