package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/claim"
	"github.com/citewell/citewell/internal/weburl"
	"github.com/citewell/citewell/library"
)

func newCheck(e *env) *cobra.Command {
	var against, batch, references string
	var askLinks, noJudge bool
	cmd := &cobra.Command{
		Use:   "check CLAIM --against FILE|URL|RUN|-, or check FILE",
		Short: "Check a claim against a text, a text against the pages it cites, or references against registers",
		Long: "Checks whether a text supports a claim: supported, partly, contradicted, unsupported or\n" +
			"undecided, with the reason and the words that decide. Words alone decide only whether the text\n" +
			"repeats the claim or has a near-copy of it. The rest goes to the judge, if a model is set\n" +
			"(doc/judge.md), within budget.tokens and budget.usd; --no-judge asks none. The text is a FILE of\n" +
			"any kind that citewell index reads, the page at a URL, the pages that a brief or a RUN read (its\n" +
			"id or a part of it), or standard input.\n\n" +
			"--batch reads JSON Lines, {\"id\", \"claim\", \"evidence\", \"title\"} each, and writes a line " +
			"for each\n" +
			"in the same order: {\"id\", \"verdict\", \"reason\", \"by\", \"quote\", \"start\", \"end\"}, start " +
			"and end in\n" +
			"bytes of the evidence. A title is context and supports nothing. A wrong line is answered with\n" +
			"its number and an error. The judge is asked about many lines at once; if it should have decided\n" +
			"a line and did not, a note says why.\n\n" +
			"Without --against, FILE is a written text: each page that it cites is read once, and each\n" +
			"sentence that cites is checked against its pages. A citation is a link, an address, [1] with a\n" +
			"list of references at the end, or [^1] with its footnote; a relative link is a file below the\n" +
			"folder of FILE. The words of a footnote, a reference or a link alone on its line are checked\n" +
			"against its page too; titles and names there are shown and not judged. Code between fences is\n" +
			"skipped. At most 200 pages are read and 5000 sentences checked; the answer says what was left\n" +
			"out.\n\n" +
			"If FILE is a list of references (BibTeX, RIS or CSL-JSON, by name or content), or with\n" +
			"--references for the list at the end of a text, each entry is looked up in the registers in use,\n" +
			"by its DOI, arXiv id, PMID or ISBN, otherwise by its title. It matches; differs (in a field,\n" +
			"with the register's value); is not found; is another work (its identifier is); is retracted or\n" +
			"doubted; or is unchecked, because a register that would know could not be asked. At most 1000\n" +
			"entries and 4 MiB are read. Look-ups are kept for a day, so an interrupted check continues where\n" +
			"it was.\n\n" +
			"Exit code 0 if everything is supported; 1 if something is contradicted, unsupported or partly\n" +
			"supported; 3 if nothing failed, but something is undecided, or pages or registers could not be\n" +
			"asked.",
		Example: `  citewell check "The barrage is 312 m long." --against report.pdf` + "\n" +
			`  citewell check "Go 1.18 brought generics." --against https://go.dev/doc/go1.18` + "\n" +
			"  citewell check --batch claims.jsonl\n" +
			"  citewell check report.md\n" +
			"  citewell check refs.bib\n" +
			"  citewell check --references thesis.pdf",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case references != "" && len(args) > 0:
				return usage("--references names the file; "+fmt.Sprintf("%.60q", args[0])+" is one too many", "")
			case batch != "" && len(args) > 0:
				return usage("--batch names the file of claims; "+fmt.Sprintf("%.60q", args[0])+" is one too many", "")
			case batch != "", references != "":
				return nil
			}
			return exactly("claim or file")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case batch != "":
				return e.checkBatch(cmd.Context(), batch, !noJudge)
			case references != "":
				if err := referencesMissing(references); err != nil {
					return err
				}
				return e.checkList(cmd.Context(), references, "", askLinks)
			case against != "":
				return e.checkClaim(cmd.Context(), args[0], against, !noJudge)
			}
			return e.checkFile(cmd.Context(), args[0], askLinks, !noJudge)
		},
	}
	cmd.Flags().StringVar(&against, "against", "", "check the claim against this `FILE|URL|RUN`, or - for "+
		"standard input")
	cmd.Flags().StringVar(&batch, "batch", "", "check the claims of this `FILE` of JSON Lines, or - for standard input")
	cmd.Flags().StringVar(&references, "references", "", "check the list of references at the end of this `FILE`, or "+
		"of - for standard input")
	cmd.Flags().BoolVar(&askLinks, "links", true, "for a list of references, also try the addresses in it")
	cmd.Flags().BoolVar(&noJudge, "no-judge", false, "ask no model: claims that words cannot decide stay undecided")
	cmd.MarkFlagsMutuallyExclusive("against", "batch", "references")
	e.jsonFlag(cmd)
	return cmd
}

// notBorneOut is the end of a check that has said which claims do not hold.
func notBorneOut() error { return alreadyShown{&citewell.Error{Code: citewell.CodeCitationsFailed}} }

// unjudged is the end of a check of which something stays undecided and nothing fails.
func unjudged() error { return alreadyShown{&citewell.Error{Code: citewell.CodeRunIncomplete}} }

// ofVerdict is the end of a check of one claim.
func ofVerdict(v citewell.Verdict) error {
	switch v {
	case citewell.VerdictSupported:
		return nil
	case citewell.VerdictUndecided, citewell.VerdictNoSource:
		return unjudged()
	}
	return notBorneOut()
}

// laterJudge asks the configured judge, within the budget. What that needs is opened once, when
// something is to be asked; close ends it.
type laterJudge struct {
	e    *env
	a    *app.App
	ask  cite.Ask
	show func() (end func()) // that it is asked
}

func (j *laterJudge) close() {
	if j.a != nil {
		j.a.Close()
	}
}

func (j *laterJudge) Ask(ctx context.Context, question, topic string, about []*cite.Inquiry) ([]cite.Opinion, error) {
	if j.a == nil {
		a, err := j.e.openWithoutStore(ctx)
		if err != nil {
			return nil, err
		}
		if j.ask, err = a.AskJudgeInBudget(); err != nil {
			a.Close()
			return nil, err
		}
		j.a = a
	}
	if j.ask == nil {
		return nil, nil
	}
	defer j.show()()
	return j.ask(ctx, question, topic, about)
}

const askingJudge = "asking the judge"

// judge returns how the configured judge is asked, which is nobody where judged is false, and what
// ends it. p shows what is being done; where it is nil, the question itself does.
func (e *env) judge(judged bool, p *progress) (ask claim.Ask, end func()) {
	if !judged {
		return nil, func() {}
	}
	j := &laterJudge{e: e, show: func() func() { return e.newProgress(askingJudge).end }}
	if p != nil {
		j.show = func() func() {
			p.set(askingJudge)
			return func() { p.set(checking) }
		}
	}
	return j.Ask, j.close
}

func (e *env) checkClaim(ctx context.Context, statement, against string, judged bool) error {
	if info, err := os.Stat(statement); err == nil && !info.IsDir() {
		return usage(fmt.Sprintf("%q is a file, and --against holds one claim against a text", statement),
			fmt.Sprintf(`type the claim: citewell check "CLAIM" --against %s; citewell check %s checks what the file cites`,
				against, statement))
	}
	sources, err := e.sourcesOf(ctx, against)
	if err != nil {
		return err
	}
	ask, end := e.judge(judged, nil)
	defer end()
	c, err := sources.Check(ctx, statement, ask)
	if err != nil {
		return err
	}
	err = e.show(c, func() error { return e.writeChecked(c) })
	if err == nil {
		err = ofVerdict(c.Verdict)
	}
	return err
}

func (e *env) writeChecked(c claim.Checked) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s: %s\n", c.Verdict, byJudge(c.By), clean(c.Reason))
	if c.Quote != "" {
		fmt.Fprintf(&b, "  “%s”\n", clean(c.Quote))
	}
	if s := c.Source; s != nil && s.URL != "" {
		parts := []string{s.URL}
		if s.Title != "" {
			parts = []string{s.Title, s.URL}
		}
		if c.Where != "" {
			parts = append(parts, c.Where)
		}
		if s.Captions != "" {
			parts = append(parts, "read at "+s.Captions)
		}
		fmt.Fprintf(&b, "  %s\n", clean(strings.Join(parts, " · ")))
	}
	if c.Note != "" {
		fmt.Fprintf(&b, "  %s\n", clean(c.Note))
	}
	_, err := io.WriteString(e.stdout, b.String())
	return err
}

// sourcesOf gets what a claim is to be held against.
func (e *env) sourcesOf(ctx context.Context, against string) (claim.Sources, error) {
	if against == "-" {
		data, err := e.readFile(ctx, against)
		if err != nil {
			return claim.Sources{}, err
		}
		return e.readSources(ctx, "", func(ctx context.Context, a *app.App) (citewell.Page, error) {
			return citewell.Page{Body: data, SHA256: citewell.SHA256(data), Outcome: citewell.FetchOK,
				FetchedAt: time.Now().UTC()}, nil
		})
	}
	if strings.Contains(against, "://") {
		if strings.HasPrefix(strings.ToLower(against), "file:") {
			return claim.Sources{}, usage(against+" is on this machine", "give its path: --against FILE")
		}
		return e.readSources(ctx, "", func(ctx context.Context, a *app.App) (citewell.Page, error) {
			defer e.newProgress("fetching " + weburl.Host(against)).end()
			return a.Fetch.Get(ctx, fetch.Request{URL: against, Timeout: fetchTimeout, MaxBytes: fetchMaxMaxBytes,
				MaxRedirects: fetchMaxRedirects})
		})
	}
	if _, err := os.Stat(against); err == nil {
		return e.readSources(ctx, filepath.Dir(against), func(context.Context, *app.App) (citewell.Page, error) {
			return library.ReadFile(against)
		})
	}
	return e.keptSources(ctx, against)
}

// readSources reads the page that get returns, without the store. Captions may be a file below dir.
func (e *env) readSources(ctx context.Context, dir string, get func(context.Context,
	*app.App) (citewell.Page, error)) (claim.Sources, error) {
	a, err := e.openWithoutStore(ctx)
	if err != nil {
		return claim.Sources{}, err
	}
	defer a.Close()
	page, err := get(ctx, a)
	if err != nil {
		return claim.Sources{}, err
	}
	doc, err := a.Extract.Extract(ctx, page)
	if err != nil {
		return claim.Sources{}, err
	}
	if page.Outcome == citewell.FetchTruncated || doc.Truncated {
		fmt.Fprintln(e.stderr, "only the first part of the page was read")
	}
	return claim.OfPage(ctx, page, doc, func(ctx context.Context, address string) (citewell.Document, error) {
		if strings.HasPrefix(address, "file:") {
			captions, err := readAddressBelow(dir, address)
			if err != nil {
				return citewell.Document{}, err
			}
			return a.Extract.Extract(ctx, captions)
		}
		_, said, err := readPage(ctx, a, fetch.Request{URL: address, Timeout: fetchTimeout, MaxBytes: fetchMaxMaxBytes,
			MaxRedirects: fetchMaxRedirects}, false)
		return said, err
	}), nil
}

// keptSources are the texts that a brief or a run of the store read.
func (e *env) keptSources(ctx context.Context, name string) (claim.Sources, error) {
	nowhere := &citewell.Error{Code: citewell.CodeNotFound,
		Message: fmt.Sprintf("%.200q is no file, and no brief or run of this store", name),
		Hint:    "give a file's path, a URL with https://, the id of a brief or a run, or - for standard input"}
	if strings.ContainsRune(name, filepath.Separator) || len(name) < minRunPart {
		return claim.Sources{}, nowhere
	}
	a, err := e.open(ctx)
	if err != nil {
		return claim.Sources{}, err
	}
	defer a.Close()
	id, err := e.idCalled(ctx, a, name)
	if citewell.CodeOf(err) == citewell.CodeNotFound {
		return claim.Sources{}, nowhere
	}
	if err != nil {
		return claim.Sources{}, err
	}
	if _, err := keptBrief(ctx, a, id); err != nil {
		return claim.Sources{}, err
	}
	return claim.OfBrief(ctx, a.Store, id)
}

// checkBatch answers JSON Lines by JSON Lines, each as soon as those before it are.
func (e *env) checkBatch(ctx context.Context, name string, judged bool) error {
	in := e.stdin
	if name != "-" {
		file, err := openFile(name)
		if citewell.CodeOf(err) == citewell.CodeNotFound {
			return &citewell.Error{Code: citewell.CodeNotFound, Message: name + " does not exist",
				Hint: "--batch takes a file of JSON Lines, or - for standard input", Err: err}
		}
		if err != nil {
			return err
		}
		defer file.Close()
		in = file
	}
	return e.judgeLines(ctx, in, judged)
}

const checking = "checking"

func (e *env) judgeLines(ctx context.Context, in io.Reader, judged bool) error {
	given, faulty, note := tally{}, 0, ""
	p := e.newProgress(checking)
	ask, end := e.judge(judged, p)
	defer end()
	lines := json.NewEncoder(e.stdout)
	lines.SetEscapeHTML(false)
	told, err := claim.Batch(ctx, in, ask, func(j claim.Judged) error {
		note = cmp.Or(note, j.Note)
		if j.Error != nil {
			faulty++
		} else {
			given[j.Verdict]++
		}
		return lines.Encode(j)
	})
	p.end()
	switch {
	case err != nil:
		return err
	case told == 0:
		return usage("there is no line to check",
			`a line is an object as in {"id": 1, "claim": "...", "evidence": "..."}`)
	}
	if note != "" {
		fmt.Fprintln(e.stderr, "not all was judged:", strings.TrimPrefix(clean(note), "not judged: "))
	}
	said := []string{given.String(), count(faulty, "error")}
	if faulty == 0 {
		said = said[:1]
	} else if len(given) == 0 {
		said = said[1:]
	}
	fmt.Fprintf(e.stderr, "%s: %s\n", count(told, "claim"), strings.Join(said, ", "))
	supported, undecided := given[citewell.VerdictSupported], given[citewell.VerdictUndecided]+
		given[citewell.VerdictNoSource]
	switch {
	case supported == told:
		return nil
	case supported+undecided == told:
		return unjudged()
	}
	return notBorneOut()
}
