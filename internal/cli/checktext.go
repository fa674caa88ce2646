package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/bibliography"
	"github.com/citewell/citewell/internal/claim"
	"github.com/citewell/citewell/internal/proofread"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/library"
)

// checkText holds a text that somebody wrote against the pages and files that it cites.
func (e *env) checkText(ctx context.Context, name string, judged bool) error {
	if _, err := os.Stat(name); err != nil && name != "-" {
		hint := "a claim needs the text to hold it against: --against FILE, URL, RUN or - for standard input"
		if bibliography.FormatOf(name, nil) != "" {
			hint = "give the path of the list of references: a file of BibTeX, RIS or CSL-JSON"
		}
		return &citewell.Error{Code: citewell.CodeNotFound, Message: fmt.Sprintf("%.200q is no file", name),
			Err: err, Hint: hint}
	}
	a, err := e.openWithoutStore(ctx)
	if err != nil {
		return err
	}
	defer a.Close()
	content, run, err := e.writtenText(ctx, a, name)
	if err != nil {
		return err
	}
	const ours = "this is a file that Citewell wrote: citewell verify%s checks it against the texts that were kept\n"
	if run != "" {
		fmt.Fprintf(e.stderr, ours, " "+run)
	} else if _, _, err := report.Parse(content); err == nil {
		fmt.Fprintf(e.stderr, ours, "")
		if at := strings.LastIndex(content, "\n## Verification\n"); at >= 0 { // which repeats what stands above it
			content = content[:at+1]
		}
	}
	content = report.Numbered(content)
	p := e.newProgress("reading the pages")
	read := 0
	tell := proofread.Teller{
		Read: func(page proofread.Page) {
			read++
			p.say(fmt.Sprintf("read %s: %s", page.Cited, page.Outcome))
			p.set(fmt.Sprintf("%d read · checking the sentences next", read))
		},
		Checked:  func(done, of int) { p.set(fmt.Sprintf("%d of %s checked", done, count(of, "sentence"))) },
		Unjudged: e.unjudged,
	}
	if judged {
		if tell.Judge, err = a.AskJudgeInBudget(); err != nil {
			return err
		}
	}
	r, err := proofread.Check(ctx, content, readerFor(a, name), tell)
	p.end()
	if err != nil {
		return err
	}
	err = e.show(r, func() error { return e.writeProof(r) })
	if failed := r.Err(); err == nil && failed != nil {
		return alreadyShown{failed}
	}
	return err
}

// unjudged tells why a judge has not answered everything.
func (e *env) unjudged(err error) {
	fmt.Fprintln(e.stderr, "not all was judged:", citewell.View(err).Message)
}

// writtenText returns the Markdown of a file, or of what came by standard input, and of a page of HTML that is the
// report of a run the id of that run.
func (e *env) writtenText(ctx context.Context, a *app.App, name string) (content, run string, err error) {
	var page citewell.Page
	if name == "-" {
		data, err := e.readFile(ctx, name)
		if err != nil {
			return "", "", err
		}
		page = citewell.Page{Body: data, Outcome: citewell.FetchOK}
	} else {
		if page, err = library.ReadFile(name); err != nil {
			return "", "", err
		}
	}
	doc, err := a.Extract.Extract(ctx, page)
	if err != nil {
		return "", "", err
	}
	if slices.Contains([]string{"text/markdown", "text/plain"}, doc.MediaType) {
		return strings.ToValidUTF8(string(page.Body), "\uFFFD"), "", nil // its own lines
	}
	return doc.Markdown, report.RunOf(string(page.Body)), nil
}

// readerFor reads what the text of a file cites: pages of the web, and files below its
// folder. A text from standard input has no folder, and no file of it is read.
func readerFor(a *app.App, name string) proofread.Reader {
	return func(ctx context.Context, target string) (page citewell.Page, doc citewell.Document, err error) {
		if plain, err := url.PathUnescape(target); err == nil && !strings.Contains(target, "://") {
			target = plain
		}
		switch {
		case strings.HasPrefix(strings.ToLower(target), "file:") && name == "-":
			err = notBelow()
		case strings.HasPrefix(strings.ToLower(target), "file:"):
			page, err = readAddressBelow(filepath.Dir(name), target)
		case strings.Contains(target, "://"):
			page, err = a.Fetch.Get(egress.Found(ctx), fetch.Request{
				URL: target, Timeout: claim.PageTimeout, MaxBytes: fetchMaxMaxBytes, MaxRedirects: fetchMaxRedirects})
		case name == "-":
			err = &citewell.Error{Code: citewell.CodeNotFound, Message: "a text from standard input has no folder to " +
				"look for files in"}
		default:
			page, err = readBelow(filepath.Dir(name), filepath.FromSlash(target))
		}
		if err == nil {
			doc, err = a.Extract.Extract(ctx, page)
		}
		return page, doc, err
	}
}

// readBelow reads a file below a folder, and none that a path or a link of the file system
// leads to elsewhere: who wrote the text may not choose among all files of this machine.
func readBelow(dir, name string) (citewell.Page, error) {
	if !filepath.IsLocal(name) {
		return citewell.Page{}, notBelow()
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return citewell.Page{}, &citewell.Error{Code: citewell.CodePermissionDenied,
			Message: "the folder of the text cannot be read", Err: err}
	}
	defer root.Close()
	if _, err := root.Stat(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return citewell.Page{}, notBelow()
	}
	return library.ReadFile(filepath.Join(dir, name))
}

// readAddressBelow is readBelow of a file: address.
func readAddressBelow(dir, address string) (citewell.Page, error) {
	folder, err := library.FileURL(dir)
	if err != nil {
		return citewell.Page{}, err
	}
	below, found := strings.CutPrefix(address, strings.TrimSuffix(folder, "/")+"/")
	name, err := url.PathUnescape(below)
	if !found || err != nil {
		return citewell.Page{}, notBelow()
	}
	return readBelow(dir, filepath.FromSlash(name))
}

func notBelow() error {
	return &citewell.Error{Code: citewell.CodePermissionDenied,
		Message: "only files below the folder of the text are read, by a relative link"}
}

// writeProof shows each sentence that cites with its verdict, and the judge that gave it; of one that
// is not supported why, and by which words.
func (e *env) writeProof(r proofread.Report) error {
	var b strings.Builder
	for _, s := range r.Sentences {
		fmt.Fprintf(&b, "line %-4d %-12s %s\n", s.Line, s.Verdict, clean(s.Text))
		who := byJudge(s.By)
		switch {
		case who != "":
			fmt.Fprintf(&b, "         %s: %s\n", who, clean(s.Reason))
		case s.Verdict != citewell.VerdictSupported:
			fmt.Fprintf(&b, "          %s\n", clean(s.Reason))
		}
		if s.Verdict == citewell.VerdictSupported {
			continue
		}
		if s.Quote != "" {
			fmt.Fprintf(&b, "          “%s”\n", clean(s.Quote))
		}
		for _, p := range r.Pages {
			if p.N == s.Page || s.Page == 0 && s.Verdict != citewell.VerdictNoSource && slices.Contains(s.Pages, p.N) {
				fmt.Fprintf(&b, "          %s\n", clean(p.Cited))
			}
		}
	}
	for _, p := range r.Pages {
		if p.Error != nil {
			fmt.Fprintf(&b, "not read  %s: %s: %s\n", clean(p.Cited), p.Outcome, clean(p.Error.Message))
		}
		if p.Truncated {
			fmt.Fprintf(&b, "in part   %s: its text is longer than what is read of one page\n", clean(p.Cited))
		}
		if p.Note != "" {
			fmt.Fprintf(&b, "in part   %s: %s\n", clean(p.Cited), clean(p.Note))
		}
	}
	c := r.Summary
	fmt.Fprintf(&b, "%s %s %s: %d supported, %d partly, %d contradicted, %d unsupported, %d undecided, "+
		"%d could not be checked.\n",
		count(c.Cited, "sentence"), verb(c.Cited, "cites", "cite"), count(c.Pages, "page"),
		c.Supported, c.Partly, c.Contradicted, c.Unsupported, c.Undecided, c.NoSource)
	if c.Uncited > 0 {
		fmt.Fprintf(&b, "%s %s something and %s nothing: line %s.\n", count(c.Uncited, "sentence"),
			verb(c.Uncited, "states", "state"), verb(c.Uncited, "cites", "cite"), linesOf(r.Uncited))
	}
	if c.Named > 0 {
		fmt.Fprintf(&b, "%s of footnotes, references and links %s to only name a source and %s not judged: line %s.\n",
			count(c.Named, "sentence"), verb(c.Named, "seems", "seem"), verb(c.Named, "was", "were"), linesOf(r.Named))
	}
	_, err := e.stdout.Write([]byte(b.String()))
	return err
}

func linesOf(sentences []proofread.Words) string {
	var lines []string
	for _, s := range sentences {
		lines = append(lines, fmt.Sprint(s.Line))
	}
	return strings.Join(slices.Compact(lines), ", ")
}
