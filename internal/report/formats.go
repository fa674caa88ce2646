package report

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/citewell/citewell"
)

// A Format is one way to export the report of a run.
type Format struct {
	Name      string
	MediaType string
	Extension string // of a file, with its dot
}

// The names of the formats.
const (
	FormatMarkdown = "md"
	FormatHTML     = "html"
	FormatJSON     = "json"
	FormatBibTeX   = "bibtex"
	FormatCSLJSON  = "csl-json"
	FormatRIS      = "ris"
	FormatWACZ     = "wacz"
)

// Formats are all formats, in the order in which they are told of.
var Formats = []Format{
	{FormatMarkdown, "text/markdown; charset=utf-8", ".md"},
	{FormatHTML, "text/html; charset=utf-8", ".html"},
	{FormatJSON, "application/json", ".json"},
	{FormatBibTeX, "application/x-bibtex; charset=utf-8", ".bib"},
	{FormatCSLJSON, "application/vnd.citationstyles.csl+json", ".csl.json"},
	{FormatRIS, "application/x-research-info-systems; charset=utf-8", ".ris"},
	{FormatWACZ, "application/wacz", ".wacz"},
}

// FormatNamed returns the format with that name; invalid_argument names all where there is none.
func FormatNamed(name string) (Format, error) {
	names := make([]string, len(Formats))
	for i, f := range Formats {
		if f.Name == name {
			return f, nil
		}
		names[i] = f.Name
	}
	return Format{}, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "report.format",
		Message: fmt.Sprintf("%.40q is no format of a report", name), Hint: "use one of " + strings.Join(names, ", ")}
}

// Snapshots is where the pages of a report are kept; store.Snapshots is one. Each
// method returns not_found for what is not kept.
type Snapshots interface {
	// Blob returns the bytes with that hash, checked against it.
	Blob(ctx context.Context, sha256 string) ([]byte, error)
	// Snapshot returns the newest page and document of a final URL, body included.
	Snapshot(ctx context.Context, finalURL string) (citewell.Page, citewell.Document, error)
}

// Write writes a report in the format with that name. kept may be nil: then authors are not known, and there is nothing
// to make a WACZ file of. After an error part of the report may have been written.
func Write(ctx context.Context, w io.Writer, format string, r citewell.Report, kept Snapshots) error {
	f, err := FormatNamed(format)
	if err != nil {
		return err
	}
	var text string
	switch f.Name {
	case FormatMarkdown:
		text = OfRun(r)
	case FormatHTML:
		text = HTML(r)
	case FormatJSON:
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(r); err != nil {
			return fmt.Errorf("report.json: %w", err)
		}
		return nil
	case FormatWACZ:
		return WACZ(ctx, w, r, kept)
	default:
		authors, err := AuthorsOf(ctx, r, kept)
		if err != nil {
			return err
		}
		text = map[string]func(citewell.Report, Authors) string{
			FormatBibTeX: BibTeX, FormatCSLJSON: CSLJSON, FormatRIS: RIS}[f.Name](r, authors)
	}
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("report.%s: %w", f.Name, err)
	}
	return nil
}

// Authors names the author of a source, by its number, as the page does.
type Authors map[int]string

// AuthorsOf looks the authors up in the snapshots. One whose page was read again since,
// and says something else now, is left out; so are all where kept is nil.
func AuthorsOf(ctx context.Context, r citewell.Report, kept Snapshots) (Authors, error) {
	authors := Authors{}
	if kept == nil {
		return authors, nil
	}
	for _, s := range r.Sources {
		if s.FinalURL == "" || !WasRead(s) {
			continue
		}
		page, doc, err := kept.Snapshot(ctx, s.FinalURL)
		switch {
		case citewell.CodeOf(err) == citewell.CodeNotFound:
		case err != nil:
			return nil, fmt.Errorf("report.authors of source %d: %w", s.N, err)
		case page.SHA256 == s.PageSHA256 && plain(doc.Author) != "":
			authors[s.N] = plain(doc.Author)
		}
	}
	return authors, nil
}

// snippetExtractor is the id of what made the text of a source that was never read:
// the words of a search provider.
const snippetExtractor = "provider-snippet"

// WasRead says whether the source's page was fetched and read.
func WasRead(s citewell.Source) bool {
	return s.PageSHA256 != "" && s.Extractor.ID != snippetExtractor
}
