package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/notation"
	"github.com/citewell/citewell/internal/report"
	"github.com/spf13/cobra"
)

func newVerify(e *env) *cobra.Command {
	online, judged := false, false
	cmd := &cobra.Command{
		Use:   "verify FILE|ID",
		Short: "Check every citation of a brief or a report again, offline",
		Long: "Checks every citation of a brief, or of a run's report, again, without a network: that its\n" +
			"passage exists, that the quote stands in the stored text of its source byte by byte, and that\n" +
			"the statement's figures and dates occur in it. Sentences that the report itself marks as\n" +
			"doubtful must be unchanged; they are counted, and prove nothing.\n" +
			"FILE is a brief or a report as JSON, or as Markdown with its Verification section; - is standard\n" +
			"input. ID is that of a brief or a run in the store, or a unique part of it (of a brief's, its\n" +
			"beginning). If the store keeps the brief or the run, it is rendered again, and each line of the\n" +
			"file that differs is shown with its original words. Otherwise the file must carry its record\n" +
			"(--record of search, research and runs export, or JSON).\n\n" +
			"A citation holds if its bytes, quote and figures stand. Its verdict is separate: whether the\n" +
			"source supports the statement, which may be undecided. The last line counts both. The verdict\n" +
			"shown is the original one, with its author and time; verify gives no other one by words. Exit\n" +
			"code 0 if all citations hold, whatever the verdicts; 1 if one does not; 3 if nothing is cited,\n" +
			"so that nothing is proven. A file that was compared only with its own record can hold, and the\n" +
			"last line says what that does not prove.\n\n" +
			"With --judge the configured judge is also asked about the findings that words do not decide,\n" +
			"within budget.tokens and budget.usd, and the findings that it sees differently are listed. That\n" +
			"is an opinion and changes no exit code; if the judge could not be asked about all, or is not\n" +
			"believed, the exit code is 3 unless it is 1.\n\n" +
			"With --links the cited pages themselves are fetched instead, politely, and compared with what\n" +
			"was read then: unchanged, changed, moved, gone, unread (it was not read then), or blocked, rate\n" +
			"limited, failed. Nothing is kept. Exit code 1 if a page is gone, has moved or changed, otherwise\n" +
			"3 if some pages could not be fetched or compared; 0 if no cited source is on the web.",
		Args: exactly("file or id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := e.openArchive(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer a.Close()
			f, err := e.readVerified(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			archive := e.archiveOf(cmd.Context(), a, f.id)
			if archive != a {
				defer archive.Close()
			}
			if online {
				return e.verifyLinks(cmd.Context(), archive, f)
			}
			v, err := e.verify(cmd.Context(), archive, f)
			if err != nil {
				return err
			}
			unasked, err := e.showVerification(cmd.Context(), archive, v, judged)
			if err != nil {
				return err
			}
			err = v.Err()
			if err == nil && (len(v.Citations) == 0 || unasked) {
				err = &citewell.Error{Code: citewell.CodeRunIncomplete}
			}
			if err != nil {
				return alreadyShown{err}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&online, "links", false, "check whether the cited pages are still as they were read")
	cmd.Flags().BoolVar(&judged, "judge", false,
		"also ask the judge, and list what it sees otherwise than the verdict that was given")
	cmd.MarkFlagsMutuallyExclusive("links", "judge")
	e.jsonFlag(cmd)
	return cmd
}

// showVerification shows what was found and, where judged is true, what the judge says now. It reports
// whether the judge could not be asked about all.
func (e *env) showVerification(ctx context.Context, a *app.App, v cite.Verification,
	judged bool) (unasked bool, err error) {
	if !judged {
		return false, e.show(v, func() error { e.writeVerification(v); return nil })
	}
	o, err := e.judgeAnew(ctx, a, v)
	if err != nil {
		return false, err
	}
	return o.Note != "", e.show(judgedAnew{v, o}, func() error {
		e.writeVerification(v)
		e.writeOpinions(o)
		return nil
	})
}

// briefID is the id of a brief, or of a run as store.NewRunID makes it.
var briefID = lazyregexp.New(
	`^(?:[0-9a-f]{32}|[A-Za-z0-9][A-Za-z0-9_.-]{0,63}_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)

// openArchive opens the store. A brief in a file can be checked without one, if less well.
func (e *env) openArchive(ctx context.Context, name string) (*app.App, error) {
	loaded, err := e.load()
	if err != nil {
		return nil, err
	}
	a, err := e.openAs(ctx, app.Options{Config: loaded})
	if code := citewell.CodeOf(err); briefID.MatchString(name) || code != citewell.CodeStoreFailed &&
		code != citewell.CodePermissionDenied {
		return a, err
	}
	fmt.Fprintln(e.stderr, "the store cannot be opened; checking against the file only:",
		clean(citewell.View(err).Message))
	return e.openAs(ctx, app.Options{Config: loaded, WithoutStore: true})
}

// A verified is what is checked: what a file or the store says of itself.
type verified struct {
	id     string
	data   []byte         // of the file; nil where the id was given
	stamp  report.Stamp   // of a Markdown file
	record report.Record  // with neither a brief nor a report where the file carries none
	brief  citewell.Brief // in which the citations are checked; without an id where the file carries none
	stray  []cite.Problem // of the file alone
}

// archiveOf returns the app whose store keeps what has an id: a, or the demo's where only that has it. The caller
// closes the latter.
func (e *env) archiveOf(ctx context.Context, a *app.App, id string) *app.App {
	if a.Store != nil && knows(ctx, a, id) {
		return a
	}
	demo := e.demoArchive(ctx)
	if demo == nil {
		return a
	}
	if !knows(ctx, demo, id) {
		demo.Close()
		return a
	}
	fmt.Fprintln(e.stderr, "citewell demo keeps this one; checking against the demo's store")
	return demo
}

// verify checks a brief against a store. Where neither it nor the file has anything to check against, that is said
// instead of failing every citation.
func (e *env) verify(ctx context.Context, archive *app.App, f verified) (cite.Verification, error) {
	kept, err := keptRecord(ctx, archive, f.id)
	if err != nil {
		return cite.Verification{}, err
	}
	if f.brief.ID == "" && kept == nil { // there is no text to hold the file against
		return cite.Verification{}, noRecord(f)
	}
	if err := f.complete(ctx, archive); err != nil {
		return cite.Verification{}, err
	}
	v, err := cite.Verify(ctx, f.brief, archive.Archive())
	if err != nil {
		return v, err
	}
	if f.data != nil {
		if err := tampered(ctx, archive, kept, f, &v); err != nil {
			return v, err
		}
	}
	based := slices.ContainsFunc(v.Citations, func(c cite.Checked) bool { return c.Basis != cite.BasisNothing })
	if based || len(v.Citations) == 0 || archive.Store != nil && knows(ctx, archive, f.id) {
		return v, nil
	}
	return v, notKept(f.id, "has no passages to check against")
}

// complete takes the citations of a file that does not carry its record from the store.
func (f *verified) complete(ctx context.Context, a *app.App) (err error) {
	if f.brief.ID != "" {
		return nil
	}
	if a.Store != nil {
		f.brief, err = keptBrief(ctx, a, f.id)
	}
	if a.Store == nil || citewell.CodeOf(err) == citewell.CodeNotFound {
		return noRecord(*f)
	}
	return err
}

// noRecord is the error of a file that says what it was written from, and neither it nor the store has that.
func noRecord(f verified) error {
	words := "; its words have the hash that it names"
	if !f.stamp.Holds {
		words = "; its words do not have the hash that it names, so they were changed"
	}
	return notKept(f.id, "does not carry its record"+words)
}

func notKept(id, lacks string) error {
	return &citewell.Error{Code: citewell.CodeNotFound, Op: "verify",
		Message: "this store does not keep " + id + ", and the file " + lacks,
		Hint: "use the store that it was made with (--config FILE or --set store.url=sqlite:DIR), " +
			"or export the file there with --record, which is verified without a store"}
}

func knows(ctx context.Context, a *app.App, id string) bool {
	_, err := a.Store.Brief(ctx, id)
	return err == nil
}

// demoArchive opens the store of citewell demo, where there is one.
func (e *env) demoArchive(ctx context.Context) *app.App {
	loaded, err := e.load()
	if err != nil {
		return nil
	}
	data := filepath.Join(loaded.Paths.Cache, "demo", "data")
	if _, err := os.Stat(data); err != nil {
		return nil
	}
	loaded.Config.Store.URL = "sqlite:" + data
	a, err := e.openAs(ctx, app.Options{Config: loaded})
	if err != nil {
		return nil
	}
	return a
}

// readVerified gets what is to be checked from a file or standard input, or from the store.
func (e *env) readVerified(ctx context.Context, a *app.App, name string) (f verified, err error) {
	fromStore := func(id string) (verified, error) {
		b, err := keptBrief(ctx, a, id)
		return verified{id: id, brief: b}, err
	}
	if briefID.MatchString(name) {
		return fromStore(name)
	}
	data, err := e.readFile(ctx, name)
	if err != nil {
		if citewell.CodeOf(err) != citewell.CodeNotFound {
			return f, err
		}
		id, unknown := e.idCalled(ctx, a, name)
		switch {
		case citewell.CodeOf(unknown) == citewell.CodeNotFound:
			return f, err // of the file
		case unknown != nil:
			return f, unknown
		}
		return fromStore(id)
	}
	f, err = parseFile(data)
	for _, other := range f.stamp.Beside {
		fmt.Fprintln(e.stderr, "note:", clean(other))
	}
	return f, err
}

// keptBrief gets a brief, or what a run came to, from the store.
func keptBrief(ctx context.Context, a *app.App, id string) (citewell.Brief, error) {
	b, err := a.Store.Brief(ctx, id)
	if citewell.CodeOf(err) != citewell.CodeNotFound {
		return b, err
	}
	if run, missing := a.Store.Run(ctx, id); missing == nil {
		err = &citewell.Error{Code: citewell.CodeNotFound, Op: "verify",
			Message: "the run has no report: it is " + standing(run), Hint: "its result: citewell runs show " + id}
	}
	return b, err
}

// keptRecord is the brief or the report of the run that the store keeps; nil where it
// keeps none, or has of a run what its citations hang on alone.
func keptRecord(ctx context.Context, a *app.App, id string) (*report.Record, error) {
	if a.Store == nil {
		return nil, nil
	}
	if briefHexID.MatchString(id) {
		b, err := a.Store.Brief(ctx, id)
		if citewell.CodeOf(err) == citewell.CodeNotFound {
			return nil, nil
		}
		return &report.Record{Brief: &b}, err
	}
	runs, err := a.Runs(ctx)
	if err != nil {
		return nil, err
	}
	result, err := runs.Result(ctx, id)
	switch citewell.CodeOf(err) {
	case citewell.CodeNotFound, citewell.CodeInvalidArgument, citewell.CodeRunNotReady: // no run, or one that goes on
		return nil, nil
	}
	if err != nil || result.Report == nil {
		return nil, err
	}
	return &report.Record{Report: result.Report}, nil
}

// writeVerification says first what was changed in the text, then for each citation what
// it was checked against and whether it holds.
func (e *env) writeVerification(v cite.Verification) {
	if len(v.Problems) > 0 {
		fmt.Fprintln(e.stdout, "FAILS  brief")
	}
	for _, p := range v.Problems {
		fmt.Fprintf(e.stdout, "       %s: %s\n", p.Code, clean(p.Message))
	}
	held, snapshot, alone, marked, given := 0, 0, 0, 0, tally{}
	var bare []string // statements that a citation which holds does not bear out
	for _, c := range v.Citations {
		mark := notation.Mark(c.N)
		if c.N < 1 {
			mark = "?" // its statement does not carry the mark
		}
		switch c.Basis {
		case cite.BasisSnapshot:
			snapshot++
		case cite.BasisFile:
			alone++
		}
		if c.OK && c.Marked != "" {
			marked++
			fmt.Fprintf(e.stdout, "marked %-4s %s  %s%s; the citation is as it was given%s, by the %s\n",
				c.Statement, mark, strings.ReplaceAll(clean(c.Marked), "_", " "), colon(c.Reason), givenIn(c),
				basis(c.Basis))
			continue
		}
		if c.OK {
			held++
			given[c.Verdict]++
			if c.Verdict == citewell.VerdictUnsupported || c.Verdict == citewell.VerdictContradicted {
				bare = append(bare, c.Statement)
			}
			fmt.Fprintf(e.stdout, "holds  %-4s %s  %s%s%s, by the %s\n",
				c.Statement, mark, clean(string(c.Verdict)), givenIn(c), because(c.Reason), basis(c.Basis))
			continue
		}
		fmt.Fprintf(e.stdout, "FAILS  %-4s %s\n", c.Statement, mark)
		for _, p := range c.Problems {
			fmt.Fprintf(e.stdout, "       %s: %s\n", p.Code, clean(p.Message))
		}
	}
	asGiven, ofMarked := "", ""
	if held > 0 {
		asGiven = fmt.Sprintf(" as %s given: %s", verb(len(v.Citations), "it was", "they were"), given)
	}
	if marked > 0 {
		ofMarked = fmt.Sprintf("; %d %s of what the report itself marks", marked, verb(marked, "is", "are"))
	}
	fmt.Fprintf(e.stdout, "%d of %s %s%s%s; %d checked against stored snapshots, %d only against the file.\n",
		held, count(len(v.Citations), "citation"), verb(len(v.Citations), "holds", "hold"), asGiven, ofMarked,
		snapshot, len(v.Citations)-snapshot)
	if len(bare) > 0 {
		fmt.Fprintf(e.stdout, "A citation holds where it is as it was given, borne out or not: the words of the "+
			"source do not bear out %s.\n",
			strings.Join(slices.Compact(bare), ", "))
	}
	if len(v.Citations) == 0 {
		fmt.Fprintln(e.stdout, "Nothing in it is cited, so nothing in it is proven.")
	}
	if n := v.Unproven; n > 0 {
		fmt.Fprintf(e.stdout, "The report itself marks %s as not borne out: written so, and not proven.\n",
			count(n, "sentence"))
	}
	if len(v.Problems) > 0 {
		fmt.Fprintln(e.stdout, "The brief as a whole does not hold.")
	}
	if alone > 0 {
		shown := ""
		if v.OK {
			shown = "Proven: the text, the quotes and the figures of the file agree with one another. "
		}
		fmt.Fprintln(e.stdout, shown+"Not proven: that a source says so, or that this is what was written; "+
			"no store here has the snapshots, so the file was held only against itself.")
	}
}

// givenIn says by what the verdict of a citation was given, and when.
func givenIn(c cite.Checked) string {
	said := " by " + clean(givenBy(c.By))
	if !c.GivenAt.IsZero() {
		said += " at " + c.GivenAt.UTC().Format(time.RFC3339)
	}
	return said
}

func givenBy(by string) string { return cmp.Or(by, cite.ByWords) }

func basis(b cite.Basis) string {
	switch b {
	case cite.BasisSnapshot:
		return "snapshot in the store"
	case cite.BasisFile:
		return "passages in the file only"
	}
	return "nothing"
}

func colon(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + clean(reason)
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + clean(reason) + ")"
}
