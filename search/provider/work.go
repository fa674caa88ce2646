package provider

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/identifier"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/weburl"
	"github.com/citewell/citewell/internal/works"
)

// Caps for what is kept of one work.
const (
	maxAuthors     = 100
	maxNameBytes   = 200
	maxFieldBytes  = 300
	maxAuthorsRead = 10_000 // of one answer; what comes behind is not looked at
	maxVersions    = 20     // of one work
)

// tidyWork makes a work safe to show and to compare: names and fields on one line, identifiers
// in their registers' own form or empty, years that are years. One without anything is none.
func tidyWork(w *citewell.Work) *citewell.Work {
	if w == nil {
		return nil
	}
	kept := *w
	kept.Authors, kept.Families = nil, nil
	for i, name := range w.Authors[:min(len(w.Authors), maxAuthorsRead)] {
		if name = oneLine(plainText(name), maxNameBytes); name == "" || len(kept.Authors) == maxAuthors {
			continue
		}
		kept.Authors = append(kept.Authors, name)
		if len(w.Families) == len(w.Authors) {
			family := oneLine(plainText(w.Families[i]), maxNameBytes)
			if !strings.HasSuffix(name, family) {
				family = ""
			}
			kept.Families = append(kept.Families, family)
		}
	}
	if strings.Join(kept.Families, "") == "" {
		kept.Families = nil // no name is told apart: another register may know
	}
	if kept.Year < 1000 || kept.Year > 2999 {
		kept.Year = 0
	}
	for field, value := range map[*string]string{&kept.Venue: plainText(w.Venue),
		&kept.Publisher: plainText(w.Publisher), &kept.Licence: w.Licence,
		&kept.Version: w.Version, &kept.Volume: w.Volume, &kept.Issue: w.Issue, &kept.Pages: w.Pages} {
		*field = oneLine(value, maxFieldBytes)
	}
	kept.Versions = nil
	for _, v := range w.Versions[:min(len(w.Versions), maxVersions)] {
		v.DOI, v.ArXiv, v.Version = identifier.DOI(v.DOI), identifier.ArXiv(v.ArXiv), oneLine(v.Version, maxFieldBytes)
		if _, err := weburl.Parse(v.URL); err == nil {
			kept.Versions = append(kept.Versions, v)
		}
	}
	kept.DOI, kept.ArXiv, kept.ISBN = identifier.DOI(w.DOI), identifier.ArXiv(w.ArXiv), identifier.ISBN(w.ISBN)
	if kept.ArXiv == "" {
		kept.ArXiv = identifier.ArXiv(kept.DOI)
	}
	if strings.Trim(w.PMID, "0123456789") != "" || len(w.PMID) > 9 {
		kept.PMID = ""
	}
	if _, err := weburl.Parse(w.OpenCopy); err != nil {
		kept.OpenCopy = ""
	}
	return &kept
}

// pageRange is the pages from one to another; of an article of one page, or of which the last is
// not said, the first.
func pageRange(first, last loose) string {
	if first == "" || last == "" || first == last {
		return string(first)
	}
	return string(first + "-" + last)
}

// doiURL is where a DOI leads; empty of none.
func doiURL(doi string) string {
	if doi = identifier.DOI(doi); doi == "" {
		return ""
	}
	u := url.URL{Scheme: "https", Host: "doi.org", Path: "/" + doi}
	return u.String()
}

// inPath is an identifier within a path, where its slashes stay what they are.
func inPath(id string) string { return strings.ReplaceAll(url.PathEscape(id), "%2F", "/") }

// graver returns the one of two that says worse of a work.
func graver(a, b citewell.Retraction) citewell.Retraction { return a.Graver(b) }

// retractionOf reads the word that a register has for a notice: "retraction", "expression-of-concern".
func retractionOf(word string) citewell.Retraction {
	word = strings.NewReplacer("_", " ", "-", " ").Replace(strings.ToLower(strings.TrimSpace(word)))
	switch word {
	case "retraction", "retracted", "retracted publication", "withdrawal", "withdrawn", "removal", "partial retraction":
		return citewell.WorkRetracted
	case "expression of concern":
		return citewell.WorkDoubted
	case "correction", "corrigendum", "erratum", "addendum":
		return citewell.WorkCorrected
	}
	return ""
}

// retractedTitle says whether a title begins with the word that publishers put there.
func retractedTitle(title string) bool {
	_, mark := works.TitleMark(title)
	return mark == citewell.WorkRetracted
}

// window is between which days a query wants what was published: its own days, else those of
// its time range. Empty is open.
func window(q citewell.Query, now time.Time) (since, until string) {
	if q.Since != "" || q.Until != "" {
		return q.Since, q.Until
	}
	now = now.UTC()
	back := map[citewell.TimeRange]time.Time{citewell.PastDay: now.AddDate(0, 0, -1),
		citewell.PastWeek:  now.AddDate(0, 0, -7),
		citewell.PastMonth: now.AddDate(0, -1, 0), citewell.PastYear: now.AddDate(-1, 0, 0)}
	if from, ok := back[q.TimeRange]; ok {
		return from.Format(time.DateOnly), ""
	}
	return "", ""
}

// noteNoDates tells a reader that a provider cannot keep to days.
func noteNoDates(ctx context.Context, name string, q citewell.Query) {
	if q.TimeRange != citewell.AnyTime || q.Since != "" || q.Until != "" {
		searchcall.Note(ctx, name+" does not filter by time")
	}
}

// dayAfter is the day after one that is written YYYY-MM-DD, and empty where it is none.
func dayAfter(day string) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return ""
	}
	return t.AddDate(0, 0, 1).Format(time.DateOnly)
}

// unixOf is the second at which a day begins in UTC, and empty where it is no day.
func unixOf(day string) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return ""
	}
	return strconv.FormatInt(t.Unix(), 10)
}

// dayOf is the day of a Unix time that an answer gives, and empty where it gives none.
func dayOf(unix loose) string {
	seconds, err := strconv.ParseInt(string(unix), 10, 64)
	if err != nil || seconds <= 0 {
		return ""
	}
	return isoDate(time.Unix(seconds, 0).UTC().Format(time.DateOnly))
}
