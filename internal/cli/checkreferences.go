package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/bibliography"
	"github.com/citewell/citewell/internal/links"
)

// listOf is the format of a file that is a list of references; empty for any other file.
func listOf(name string) bibliography.Format {
	file, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > bibliography.MaxBytes {
		return bibliography.FormatOf(name, nil) // by its name alone
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return bibliography.FormatOf(name, data)
}

// checkList holds a list of references, or the one at the end of a text where format is
// empty, against the registers of publications.
func (e *env) checkList(ctx context.Context, name string, format bibliography.Format, askLinks bool) error {
	a, err := e.openWithoutStore(ctx)
	if err != nil {
		return err
	}
	defer a.Close()
	var entries []bibliography.Entry
	if format == "" {
		content, _, err := e.writtenText(ctx, a, name)
		if err != nil {
			return err
		}
		entries, err = bibliography.OfText(content)
		if err != nil {
			return err
		}
	} else {
		data, err := e.readFile(ctx, name)
		if err != nil {
			return err
		}
		entries, err = bibliography.Parse(format, data)
		if err != nil {
			return err
		}
	}
	o, err := a.References(askLinks)
	if err != nil {
		return err
	}
	p := e.newProgress("asking for " + count(len(entries), "reference"))
	o.Told = func(c bibliography.Checked) {
		p.say(fmt.Sprintf("checked %d of %d: %s: %s", c.N, len(entries), c.Verdict, c.Name()))
		p.set(fmt.Sprintf("%d of %s checked", c.N, count(len(entries), "reference")))
	}
	r, err := bibliography.Check(ctx, entries, o)
	p.end()
	if err != nil {
		if len(r.References) > 0 {
			fmt.Fprintln(e.stderr, "what was looked up is kept for a day: the same command goes on from there")
		}
		return err
	}
	err = e.show(r, func() error { return e.writeReferences(r) })
	if failed := r.Failure(); err == nil && failed != nil {
		return alreadyShown{failed}
	}
	return err
}

// writeReferences shows a line for each entry, and below it what is other than the registers say.
func (e *env) writeReferences(r bibliography.Report) error {
	var b strings.Builder
	for _, c := range r.References {
		title := c.Name()
		if c.Key != "" {
			title = c.Key + ": " + title
		}
		fmt.Fprintf(&b, "%4d  %-12s  %s\n", c.N, c.Verdict, clean(title))
		say := func(format string, args ...any) { fmt.Fprintf(&b, "%20s%s\n", "", clean(fmt.Sprintf(format, args...))) }
		if c.Verdict != bibliography.Matches {
			say("%s", c.Reason)
		}
		for _, note := range c.Notes {
			say("%s", note)
		}
		if c.Known != nil && c.Fails() {
			say("%s · %s", c.Known.URL, c.Known.Provider)
		}
		if c.OpenCopy != "" {
			say("open copy: %s", c.OpenCopy)
		}
		if c.Link != nil && c.Link.Status != links.Unread {
			say("link %s: %s: %s", strings.ReplaceAll(string(c.Link.Status), "_", " "), c.Link.URL, c.Link.Detail)
		}
		if len(c.Unasked) > 0 && c.Verdict != bibliography.Unchecked {
			var names []string
			for _, report := range c.Unasked {
				names = append(names, fmt.Sprintf("%s (%s)", report.Name,
					strings.ReplaceAll(string(report.Outcome), "_", " ")))
			}
			say("not asked: %s", strings.Join(names, ", "))
		}
	}
	var counts []string
	for _, verdict := range bibliography.Verdicts {
		if n := r.Counts[verdict]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, verdict))
		}
	}
	fmt.Fprintf(&b, "%s: %s.\n", count(len(r.References), "reference"), strings.Join(counts, ", "))
	_, err := e.stdout.Write([]byte(b.String()))
	return err
}

// referencesMissing says which file of --references is not there.
func referencesMissing(name string) error {
	if _, err := os.Stat(name); err != nil && name != "-" {
		return &citewell.Error{Code: citewell.CodeNotFound, Message: fmt.Sprintf("%.200q is no file", name),
			Hint: "--references takes the file that ends with the list, or - for standard input", Err: err}
	}
	return nil
}

// checkFile holds a list of references against the registers, and any other text against what it cites.
func (e *env) checkFile(ctx context.Context, name string, askLinks, judged bool) error {
	if format := listOf(name); format != "" {
		return e.checkList(ctx, name, format, askLinks)
	}
	return e.checkText(ctx, name, judged)
}
