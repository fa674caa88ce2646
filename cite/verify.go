package cite

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
)

// A Record is a passage as a ledger minted it.
type Record struct {
	Brief   string
	Source  citewell.Source
	Passage citewell.Passage
}

// An Archive is where a brief's passages, snapshots and the brief itself are kept.
// Each method returns not_found for what nobody kept; Blob checks the bytes against
// their hash before it returns them.
type Archive interface {
	Passage(ctx context.Context, id string) (Record, error)
	Blob(ctx context.Context, sha256 string) ([]byte, error)
	Brief(ctx context.Context, id string) (citewell.Brief, error)
}

// A Basis is what a citation was checked against.
type Basis string

// Only a snapshot cannot have been changed together with the brief.
const (
	BasisSnapshot Basis = "snapshot" // the stored text, its hash checked
	BasisFile     Basis = "file"     // the passages in the file itself
	BasisNothing  Basis = "nothing"  // neither has the passage
)

// A Verification is what checking every citation of a brief again found.
type Verification struct {
	Brief     string    `json:"brief"`
	Query     string    `json:"query"`
	OK        bool      `json:"ok"`
	Citations []Checked `json:"citations"`
	Problems  []Problem `json:"problems,omitempty"` // of the brief as a whole
	// Unproven is how many statements the text itself marks as not borne out; those
	// without a citation are not among Citations.
	Unproven int `json:"unproven,omitempty"`
	// Restated are the findings with a citation whose words are there, for a judge to be asked anew.
	Restated []Restated `json:"-"`
}

// A Restated finding is one as [Hold] takes it, with the verdict that it was given.
type Restated struct {
	Statement string // F1 is the first finding
	Claim     Claim
	Given     citewell.Citation // the one that decides
}

// Checked is one citation, or one statement without any.
type Checked struct {
	// F1 is the first finding, D2 the second disagreement, N1 what was nearest
	Statement string           `json:"statement"`
	N         int              `json:"n"`
	Passage   string           `json:"passage"`
	URL       string           `json:"url,omitempty"` // of the source
	Start     int              `json:"start"`
	End       int              `json:"end"`
	Quote     string           `json:"quote"`
	Basis     Basis            `json:"basis"`
	OK        bool             `json:"ok"`
	Verdict   citewell.Verdict `json:"verdict"` // as it was given
	Reason    string           `json:"reason,omitempty"`
	By        string           `json:"by,omitempty"` // what gave the verdict
	// GivenAt is when the verdict was given: by a judge as it answered, by words as the brief was made.
	GivenAt  time.Time `json:"given_at,omitzero"`
	Problems []Problem `json:"problems,omitempty"`
	// Marked is why the text itself says that the statement is not borne out. Then it is
	// held to be the one that was written, and its citations to be as they were given; the
	// exact fact that no source has is Reason.
	Marked string `json:"marked,omitempty"`
}

// Err returns nil where every citation holds, else citations_failed.
func (v Verification) Err() error {
	if v.OK {
		return nil
	}
	failed := 0
	for _, c := range v.Citations {
		if !c.OK {
			failed++
		}
	}
	verb := "do"
	if len(v.Citations) == 1 {
		verb = "does"
	}
	return &citewell.Error{Code: citewell.CodeCitationsFailed, Op: "cite.verify",
		Message: fmt.Sprintf("%d of %s %s not hold", failed, text.Count(len(v.Citations), "citation"), verb),
		Hint:    "the problems name what was changed; the snapshot is what the source said"}
}

// maxStatements bounds one check, which takes about a quarter of a millisecond for
// each statement.
const maxStatements = 10_000

// Verify checks every citation of a brief again: number, passage id, URL, hashes, span and quote byte by
// byte, and that the cited texts state the figures, dates and quotations. It reports the verdicts that
// were given and gives none itself. If the archive keeps the brief, the stored text decides. If it is
// nil, or has never seen the brief, only the passages in the file do, and each citation's Basis says
// so. An error means that the check could not be done.
func Verify(ctx context.Context, brief citewell.Brief, archive Archive) (Verification, error) {
	v := Verification{Brief: brief.ID, Query: brief.Query, Citations: []Checked{}, Unproven: brief.Unproven}
	if brief.Schema != "" && brief.Schema != citewell.BriefSchema {
		return v, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "cite.verify",
			Message: fmt.Sprintf("the brief has schema %.60q, this program reads %q", brief.Schema,
				citewell.BriefSchema)}
	}
	statements := statementsOf(brief)
	if len(statements) > maxStatements {
		return v, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "cite.verify",
			Message: fmt.Sprintf("the brief has %d statements; at most %d are checked", len(statements), maxStatements)}
	}
	r := &verifier{brief: brief, archive: archive, written: map[string]*citewell.Finding{},
		texts: map[string]storedText{}}
	if err := r.open(ctx); err != nil {
		return v, err
	}
	v.Problems = r.wholeBrief()
	for _, s := range statements {
		if err := r.statement(ctx, &v, s); err != nil {
			return v, err
		}
	}
	v.OK = len(v.Problems) == 0 && !slices.ContainsFunc(v.Citations, func(c Checked) bool { return !c.OK })
	return v, nil
}

// A statement is a finding of a brief, or what stands like one among its disagreements and what was nearest.
type statement struct {
	label string // F1 is the first finding
	citewell.Finding
}

// statementsOf returns all statements of a brief.
func statementsOf(brief citewell.Brief) (all []statement) {
	for i, f := range brief.Findings {
		all = append(all, statement{fmt.Sprintf("F%d", i+1), f})
	}
	for i, d := range brief.Disagreements {
		all = append(all, statement{fmt.Sprintf("D%d", i+1), citewell.Finding{Text: d.Text, Citations: d.Citations}})
	}
	for i, n := range brief.Nearest {
		all = append(all, statement{fmt.Sprintf("N%d", i+1), citewell.Finding{Text: n.Text, Citations: n.Citations}})
	}
	return all
}

type verifier struct {
	brief   citewell.Brief
	archive Archive                      // nil where it does not know the brief
	kept    *citewell.Brief              // as it was stored when it was made; nil where it was not
	written map[string]*citewell.Finding // the statements of kept, by their labels
	texts   map[string]storedText
}

// A storedText is a blob that was read once for all citations that need it.
type storedText struct {
	text    string
	problem *Problem
}

// citationOf is the one at i as it was stored; nil where the brief is not.
func citationOf(written *citewell.Finding, i int) *citewell.Citation {
	if written == nil || i >= len(written.Citations) {
		return nil
	}
	return &written.Citations[i]
}

// changes names what a statement in the file has otherwise than it was written.
func changes(f, was citewell.Finding) []Problem {
	var problems []Problem
	add := func(code, format string, args ...any) {
		problems = append(problems, Problem{code, fmt.Sprintf(format, args...)})
	}
	if !sameWords(f.Text, was.Text) {
		add(ProblemStatement, "the statement was written as %.300q", was.Text)
	} else if was.Problem != "" && f.Problem != was.Problem {
		add(ProblemStatement, "the statement was marked as not borne out: %.40s", was.Problem)
	}
	if len(f.Citations) != len(was.Citations) {
		add(ProblemStatement, "the statement was written with %s and has %d",
			text.Count(len(was.Citations), "citation"), len(f.Citations))
		return problems
	}
	for i, c := range f.Citations {
		written := was.Citations[i]
		if c.Passage == written.Passage && c.Verdict != written.Verdict {
			add(ProblemVerdict, "citation %d was written as %s, not %s", i+1, written.Verdict, c.Verdict)
		}
		if !c.JudgedAt.IsZero() && !c.JudgedAt.Equal(written.JudgedAt) {
			add(ProblemVerdict, "citation %d was not judged at %s", i+1, c.JudgedAt.UTC().Format(time.RFC3339))
		}
		if by := cmp.Or(written.By, ByWords); c.By != "" && c.By != by {
			add(ProblemVerdict, "citation %d was judged by %.60s, not by %.60s", i+1, by, c.By)
		}
		if c.Passage == written.Passage && (c.Start != written.Start || c.End != written.End) {
			add(ProblemSpan, "citation %d was written with the span %d to %d", i+1, written.Start, written.End)
		}
	}
	return problems
}

// open asks whether the archive has ever seen this brief.
func (r *verifier) open(ctx context.Context) error {
	if r.archive == nil {
		return nil
	}
	kept, err := r.archive.Brief(ctx, r.brief.ID)
	switch {
	case err == nil:
		r.kept = &kept
		for _, s := range statementsOf(kept) {
			r.written[s.label] = &s.Finding
		}
		return nil
	case citewell.CodeOf(err) != citewell.CodeNotFound:
		return fmt.Errorf("cite.verify brief: %w", err)
	}
	for c := range r.brief.Citations() {
		record, err := r.archive.Passage(ctx, c.Passage)
		switch {
		case err == nil && record.Brief == r.brief.ID:
			return nil
		case err != nil && citewell.CodeOf(err) != citewell.CodeNotFound:
			return fmt.Errorf("cite.verify passage: %w", err)
		}
	}
	r.archive = nil
	return nil
}

// wholeBrief checks what belongs to no single citation.
func (r *verifier) wholeBrief() []Problem {
	var problems []Problem
	seen := map[int]bool{}
	for _, s := range r.brief.Sources {
		if seen[s.N] {
			problems = append(problems, Problem{ProblemSource, fmt.Sprintf("two sources have number %d", s.N)})
		}
		seen[s.N] = true
	}
	ids := map[string]bool{}
	for _, p := range r.brief.Passages {
		if ids[p.ID] {
			problems = append(problems, Problem{ProblemPassage, fmt.Sprintf("two passages have id %.40q", p.ID)})
		}
		ids[p.ID] = true
	}
	k := r.kept
	if k == nil {
		return problems
	}
	add := func(format string, args ...any) {
		problems = append(problems, Problem{ProblemStatement, fmt.Sprintf(format, args...)})
	}
	if len(k.Findings) != len(r.brief.Findings) || len(k.Disagreements) != len(r.brief.Disagreements) {
		add("the brief was written with %s and %s, the file has %d and %d", text.Count(len(k.Findings), "finding"),
			text.Count(len(k.Disagreements), "disagreement"), len(r.brief.Findings), len(r.brief.Disagreements))
	}
	if len(k.Nearest) != len(r.brief.Nearest) {
		add("the brief was written with %s, the file has %d", text.Count(len(k.Nearest), "nearest passage"),
			len(r.brief.Nearest))
	}
	if k.Unproven > r.brief.Unproven {
		add("statements that were marked as not borne out: %d; the file marks %d", k.Unproven, r.brief.Unproven)
	}
	if !sameWords(k.Query, r.brief.Query) {
		add("the question was %.300q", k.Query)
	}
	return problems
}

// source returns the file's source number n.
func (r *verifier) source(n int) *citewell.Source {
	i := slices.IndexFunc(r.brief.Sources, func(s citewell.Source) bool { return s.N == n })
	if i < 0 {
		return nil
	}
	return &r.brief.Sources[i]
}

// statement checks one statement with all its citations and adds them to v. One that the
// text itself marks as not borne out is only held to be as it was written.
func (r *verifier) statement(ctx context.Context, v *Verification, s statement) error {
	f, label, written := s.Finding, s.label, r.written[s.label]
	var whole []Problem
	if written != nil {
		whole = changes(f, *written)
	}
	if len(f.Citations) == 0 {
		whole = append(whole, sayBare.of())
		v.Citations = append(v.Citations, Checked{Statement: label, Basis: BasisNothing,
			Verdict: citewell.VerdictNoSource, Problems: whole})
		return nil
	}
	checked := make([]Checked, len(f.Citations))
	evidence := make([]Evidence, len(f.Citations))
	for i, c := range f.Citations {
		var err error
		if checked[i], evidence[i], err = r.citation(ctx, label, c); err != nil {
			return err
		}
		checked[i].Marked = f.Problem
	}
	finding := strings.HasPrefix(label, "F") // a disagreement may quote the statement that is denied
	against := exactly(f, evidence, finding)
	if against.Code != "" && f.Problem == "" {
		whole = append(whole, against)
	}
	if r.brief.Coverage.Synthesis.Mode == citewell.SynthesisExtractive && finding && written == nil &&
		!quotesItself(f.Text, f.Citations) {
		whole = append(whole, Problem{ProblemStatement, "the finding is said to be quoted, and its quotes do " +
			"not hold " +
			"these words"})
	}
	for i := range checked {
		c := &checked[i]
		c.given(f.Citations[i], citationOf(written, i), r.brief.CreatedAt)
		if c.Marked != "" && against.Code != "" {
			c.Reason = against.Message
		}
		c.Problems = append(c.Problems, whole...)
		c.OK = len(c.Problems) == 0
	}
	v.Citations = append(v.Citations, checked...)
	if finding {
		v.Restated = append(v.Restated, r.restated(label, f, evidence)...)
	}
	return nil
}
