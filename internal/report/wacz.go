package report

import (
	"archive/zip"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/citewell/citewell"
)

const (
	waczVersion = "1.1.1"
	warcName    = "data.warc.gz"
	software    = "citewell"
)

// WACZ writes the evidence of a report as a WACZ 1.1.1 file: the raw pages that it cites as they are kept, the texts
// that its citations are spans of, the report as a page and as JSON. Bodies are written one by one; there is one in
// memory. The same report and snapshots give the same bytes.
//
// A page whose status is kept becomes a response with the headers that are kept:
// Content-Type, Last-Modified, and the length of the body without its transfer's
// encoding. One of which the bytes alone are kept, since it was read again later, and a
// file become a resource. A source that was never read is none: the page list says so.
func WACZ(ctx context.Context, w io.Writer, r citewell.Report, kept Snapshots) error {
	if kept == nil {
		return &citewell.Error{Code: citewell.CodeNotFound, Op: "report.wacz",
			Message: "no store with the report's pages is available",
			Hint:    "use the store that the run was made with"}
	}
	a := &archive{r: r, kept: kept, zip: zip.NewWriter(w), at: r.CreatedAt.UTC().Truncate(time.Second),
		seen: map[string]bool{}}
	if a.at.Year() < 1980 { // a zip file has no earlier time
		a.at = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if err := a.write(ctx); err != nil {
		return fmt.Errorf("report.wacz: %w", err)
	}
	return nil
}

// An archive is a WACZ file that is being written.
type archive struct {
	r         citewell.Report
	kept      Snapshots
	zip       *zip.Writer
	at        time.Time
	warc      *warcWriter
	index     []cdxjEntry
	pages     []pageLine
	absent    []string // sources that are no pages, and why
	seen      map[string]bool
	resources []waczResource
}

type waczResource struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Hash  string `json:"hash"`
	Bytes int64  `json:"bytes"`
}

func (a *archive) write(ctx context.Context) error {
	if err := a.file("archive/"+warcName, func(w io.Writer) error {
		a.warc = &warcWriter{w: w, seed: a.r.ID}
		return a.records(ctx)
	}); err != nil {
		return err
	}
	header := pageHeader{Format: "json-pages-1.0", ID: "pages", Title: "The report and the pages that it cites",
		Description: strings.Join(a.absent, " ")}
	for _, f := range []struct{ path, text string }{{"indexes/index.cdxj", cdxj(a.index)},
		{"pages/pages.jsonl", pageList(header, a.pages)}} {
		if err := a.file(f.path, func(w io.Writer) error { _, err := io.WriteString(w, f.text); return err }); err !=
			nil {
			return err
		}
	}
	description, err := json.MarshalIndent(a.datapackage(), "", "  ")
	if err != nil {
		return err
	}
	digest := struct {
		Path string `json:"path"`
		Hash string `json:"hash"`
	}{"datapackage.json", "sha256:" + citewell.SHA256(description)}
	signed, err := json.MarshalIndent(digest, "", "  ")
	if err != nil {
		return err
	}
	for _, f := range []struct {
		path string
		data []byte
	}{{"datapackage.json", description}, {"datapackage-digest.json", signed}} {
		if err := a.file(f.path, func(w io.Writer) error { _, err := w.Write(f.data); return err }); err != nil {
			return err
		}
	}
	return a.zip.Close()
}

// file writes one file of the archive, stored as it is: replay programs read parts of it by their offsets.
func (a *archive) file(path string, fill func(io.Writer) error) error {
	entry, err := a.zip.CreateHeader(&zip.FileHeader{Name: path, Method: zip.Store, Modified: a.at})
	if err != nil {
		return err
	}
	sum := sha256.New()
	counted := &warcWriter{w: io.MultiWriter(entry, sum)}
	if err := fill(counted); err != nil {
		return err
	}
	a.resources = append(a.resources, waczResource{Name: path[strings.LastIndexByte(path, '/')+1:], Path: path,
		Hash: digestOf(sum), Bytes: counted.written})
	return nil
}

func (a *archive) datapackage() any {
	return struct {
		Profile      string         `json:"profile"`
		Version      string         `json:"wacz_version"`
		Title        string         `json:"title"`
		Description  string         `json:"description"`
		Created      string         `json:"created"`
		Software     string         `json:"software"`
		MainPageURL  string         `json:"mainPageUrl"`
		MainPageDate string         `json:"mainPageDate"`
		Resources    []waczResource `json:"resources"`
	}{"data-package", waczVersion, cmp.Or(plain(a.r.Title), untitled),
		"The pages that a report of citewell cites, as they were fetched, and the report. Run " + plain(a.r.ID) + ".",
		rfc3339(a.at), software, reportURN(a.r.ID), rfc3339(a.at), a.resources}
}

// reportURN names a report in its archive.
func reportURN(id string) string { return "urn:citewell:report:" + url.PathEscape(plain(id)) }

// records writes the WARC file.
func (a *archive) records(ctx context.Context) error {
	about := "software: " + software + "\r\nformat: WARC File Format 1.1\r\n" +
		"description: pages cited by a report. Of each response's headers those are here that were kept; bodies are " +
		"without content encoding.\r\n"
	if _, err := a.warc.record(warcRecord{kind: "warcinfo", at: a.at, contentType: "application/warc-fields",
		body: []byte(about)}); err != nil {
		return err
	}
	urn := reportURN(a.r.ID)
	encoded, err := json.MarshalIndent(a.r, "", "  ")
	if err != nil {
		return err
	}
	if _, err := a.add(warcRecord{kind: "resource", target: urn, at: a.at, contentType: "text/html; charset=utf-8",
		body: []byte(HTML(a.r))}, "text/html", 0, a.r.Title); err != nil {
		return err
	}
	if _, err := a.add(warcRecord{kind: "resource", target: urn + ":json", at: a.at, contentType: "application/json",
		body: encoded}, "application/json", 0, ""); err != nil {
		return err
	}
	for _, s := range a.r.Sources {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := a.source(ctx, s); err != nil {
			return fmt.Errorf("source %d: %w", s.N, err)
		}
	}
	return nil
}

// source writes the page of a source, and the text that its citations are spans of.
func (a *archive) source(ctx context.Context, s citewell.Source) error {
	if !WasRead(s) {
		a.absent = append(a.absent, fmt.Sprintf("Source %d, %s, is no page here: it was not read, and the report "+
			"leans on what a search provider said of it.", s.N, plain(address(s))))
		return nil
	}
	rec, media, status, err := a.page(ctx, s)
	if citewell.CodeOf(err) == citewell.CodeNotFound {
		a.absent = append(a.absent, fmt.Sprintf("Source %d, %s, is no page here: the store does not have it.", s.N,
			plain(address(s))))
		return nil
	} else if err != nil {
		return err
	}
	if key := rec.target + " " + s.PageSHA256; a.seen[key] {
		return nil // another source has the same page
	} else {
		a.seen[key] = true
	}
	page, err := a.add(rec, media, status, cmp.Or(s.Title, address(s)))
	if err != nil {
		return err
	}
	rec.body = nil // one page or text at a time
	text, err := a.kept.Blob(ctx, s.TextSHA256)
	switch {
	case citewell.CodeOf(err) == citewell.CodeNotFound:
		return nil
	case err != nil:
		return err
	}
	_, err = a.warc.record(warcRecord{kind: "conversion", target: rec.target, at: rec.at,
		contentType: "text/plain; charset=utf-8", body: text, refersTo: page})
	return err
}

// page is the record of a source's page, its media type and status.
func (a *archive) page(ctx context.Context, s citewell.Source) (rec warcRecord, media string, status int, err error) {
	rec = warcRecord{kind: "resource", target: wholeURL(address(s)), at: s.FetchedAt.UTC().Truncate(time.Second),
		truncated: s.Outcome == citewell.FetchTruncated}
	if scheme, rest, found := strings.Cut(rec.target, ":"); found && webURL.MatchString(rec.target) {
		rec.target = strings.ToLower(scheme) + ":" + rest // readers know a response by it
	}
	if s.FetchedAt.IsZero() {
		rec.at = a.at
	}
	newest, _, err := a.kept.Snapshot(ctx, address(s))
	if err != nil && citewell.CodeOf(err) != citewell.CodeNotFound {
		return rec, "", 0, err
	}
	if known := err == nil && newest.SHA256 == s.PageSHA256; known {
		rec.body, rec.contentType = newest.Body, plain(newest.ContentType)
		if newest.Status > 0 && webURL.MatchString(rec.target) {
			status = newest.Status
		}
	} else if rec.body, err = a.kept.Blob(ctx, s.PageSHA256); err != nil {
		return rec, "", 0, err
	}
	if media, _, err = mime.ParseMediaType(rec.contentType); err != nil {
		rec.contentType = http.DetectContentType(rec.body)
		media, _, _ = mime.ParseMediaType(rec.contentType) // a type of the standard library's own
	}
	if status > 0 {
		modified := ""
		if !newest.LastModified.IsZero() {
			modified = "Last-Modified: " + newest.LastModified.UTC().Format(http.TimeFormat) + "\r\n"
		}
		rec.kind = "response"
		rec.head = fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: %s\r\n%sContent-Length: %d\r\n\r\n", status,
			http.StatusText(status), rec.contentType, modified, len(rec.body))
		rec.contentType = "application/http; msgtype=response"
	}
	return rec, media, status, nil
}

// add writes a record into archive and index, and where it has a title into the page list. It returns the record's id.
func (a *archive) add(rec warcRecord, media string, status int, pageTitle string) (id string, err error) {
	at, err := a.warc.record(rec)
	if err != nil {
		return "", err
	}
	a.index = append(a.index, cdxjEntryOf(rec, media, status, at))
	if pageTitle != "" {
		a.pages = append(a.pages, pageLine{ID: strings.Trim(at.id, "<>"), URL: rec.target, TS: rfc3339(rec.at),
			Title: plain(pageTitle)})
	}
	return at.id, nil
}
