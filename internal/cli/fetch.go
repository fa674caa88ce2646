package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/weburl"
	"github.com/spf13/cobra"
)

// What one fetch may cost when a person asks for the page.
const (
	fetchTimeout      = 20 * time.Second
	fetchMaxTimeout   = 60 * time.Second
	fetchMaxBytes     = 1_000_000
	fetchMaxMaxBytes  = 16 << 20
	fetchMaxRedirects = 10
)

// indexInstead says how a file of one's own is read.
const indexInstead = "citewell index reads it into your own documents, which search --provider local then answers from"

// fetched is the JSON form of a page that was read.
type fetched struct {
	URL         string                `json:"url"`
	FinalURL    string                `json:"final_url"`
	Status      int                   `json:"status"`
	ContentType string                `json:"content_type"`
	Charset     string                `json:"charset"`
	Title       string                `json:"title"`
	Author      string                `json:"author"`
	Date        string                `json:"date"`
	Language    string                `json:"language"`
	Kind        string                `json:"kind"`
	Captions    string                `json:"captions,omitempty"` // where what is said in its recording can be read
	Text        string                `json:"text"`
	Markdown    string                `json:"markdown"`
	Links       []citewell.Link       `json:"links"`
	FetchedAt   time.Time             `json:"fetched_at"`
	Archived    citewell.Archived     `json:"archived,omitzero"`
	SHA256      string                `json:"sha256"`
	Outcome     citewell.FetchOutcome `json:"outcome"`
	Truncated   bool                  `json:"truncated"`
	Degraded    bool                  `json:"degraded"`
	Detail      string                `json:"detail,omitempty"` // why it is degraded
}

func newFetch(e *env) *cobra.Command {
	var form fetchForm
	request := fetch.Request{Archived: fetch.ArchiveWhenGone}
	archived, near := false, ""
	cmd := &cobra.Command{
		Use:   "fetch URL",
		Short: "Read one page as Markdown",
		Long: "Reads one page as Markdown. It obeys robots.txt, reaches no private address, and takes at most\n" +
			"20 seconds, 1 MB and 10 redirects unless the flags say otherwise.\n" +
			"A page that is gone (404, 410, no such host) is looked up in the web archive, and marked as an\n" +
			"archived copy; fetch.archive.use says when the archive is asked, off never asks it. It is never\n" +
			"sent the address of a private host, nor one that holds a key. A blocked or rate limited page is\n" +
			"not gone: use --archived for its copy.",
		Args:              exactly("URL"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			err := checkFetch(request)
			if err == nil && near != "" {
				request.Near, err = nearTo(near)
			}
			if err != nil {
				return err
			}
			if archived {
				request.Archived = fetch.ArchiveOnly
			}
			if strings.HasPrefix(strings.ToLower(args[0]), "file:") {
				return &citewell.Error{Code: citewell.CodeUnsupportedScheme,
					Message: args[0] + " is on this machine, and fetch reads web pages", Hint: indexInstead}
			}
			if info, err := os.Stat(args[0]); err == nil && !strings.Contains(args[0], "://") {
				if !info.IsDir() {
					return usage(args[0]+" is a file on this machine, and fetch reads web pages", indexInstead)
				}
				return usage(args[0]+" is a folder on this machine, and fetch reads web pages",
					"citewell search --docs FOLDER answers from what is below it")
			}
			a, err := e.openWithoutStore(cmd.Context())
			if err != nil {
				return err
			}
			defer a.Close()
			request.URL = args[0]
			return e.fetch(cmd.Context(), a, request, form)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&form.raw, "raw", false, "print the page's bytes as they came")
	flags.BoolVar(&form.links, "links", false, "print the page's links, one on each line: URL, tab, text")
	flags.DurationVar(&request.Timeout, "timeout", fetchTimeout, "time for everything together, at most 60s")
	flags.Int64Var(&request.MaxBytes, "max-bytes", fetchMaxBytes, "bytes of the page, at most 16 MiB")
	flags.IntVar(&request.MaxRedirects, "max-redirects", fetchMaxRedirects, "redirects to follow, 1 to 20")
	flags.BoolVar(&request.Revalidate, "fresh", false, "read the page as it is now, not from the cache")
	flags.BoolVar(&archived, "archived", false, "read the web archive's copy, whether or not the page exists")
	flags.StringVar(&near, "near", "", "read the copy nearest to a date, YYYY-MM-DD; default: the newest")
	e.jsonFlag(cmd)
	cmd.MarkFlagsMutuallyExclusive("raw", "links", "json")
	return cmd
}

// A fetchForm is what is wanted of a page, beside its Markdown.
type fetchForm struct{ raw, links bool }

// fetch gets one page and prints it.
func (e *env) fetch(ctx context.Context, a *app.App, request fetch.Request, form fetchForm) error {
	p := e.newProgress("fetching " + weburl.Host(request.URL))
	page, doc, err := readPage(ctx, a, request, form.raw)
	p.end()
	if err != nil {
		return err
	}
	if e.json {
		return e.writeJSON(asFetched(page, doc))
	}
	if warning := page.Archived.Warning(""); warning != "" {
		fmt.Fprintln(e.stderr, clean(warning)+":", clean(page.FinalURL))
	}
	if page.Outcome == citewell.FetchTruncated {
		fmt.Fprintln(e.stderr, "only the first part was read; --max-bytes reads more")
	}
	if doc.Degraded != "" {
		fmt.Fprintln(e.stderr, "read by a fallback:", clean(doc.Degraded))
	}
	if doc.Captions != "" {
		fmt.Fprintln(e.stderr, "what is said in its recording is no part of this; it can be fetched:",
			clean(doc.Captions))
	}
	switch {
	case form.raw && isTerminal(e.stdout.w):
		_, err = io.WriteString(e.stdout, cleanText(string(page.Body)))
	case form.raw:
		_, err = e.stdout.Write(page.Body)
	case form.links:
		for _, link := range doc.Links {
			if _, err = fmt.Fprintf(e.stdout, "%s\t%s\n", clean(link.URL), clean(link.Text)); err != nil {
				break
			}
		}
	default:
		err = e.writeMarkdown(titled(doc) + "\n")
	}
	return err
}

var markdownSyntax = lazyregexp.New("[\\\\`*_\\[\\]<>#|]")

// titled is a document's Markdown below its title, where that is not in it.
func titled(doc citewell.Document) string {
	if doc.Title == "" || doc.MediaType != "text/html" || strings.HasPrefix(doc.Markdown, "# ") {
		return doc.Markdown
	}
	return "# " + markdownSyntax.ReplaceAllString(clean(doc.Title), `\$0`) + "\n\n" + doc.Markdown
}

// readPage fetches a page and, unless its bytes are all that is wanted, extracts
// its text.
func readPage(ctx context.Context, a *app.App, request fetch.Request,
	raw bool) (citewell.Page, citewell.Document, error) {
	page, err := a.Fetch.Get(ctx, request)
	if err != nil || raw {
		return page, citewell.Document{}, err
	}
	doc, err := a.Extract.Extract(ctx, page)
	return page, doc, err
}

// nearTo reads the date of a copy: noon of that day.
func nearTo(date string) (time.Time, error) {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return time.Time{}, usage(fmt.Sprintf("--near is %.40q; it must be a date as YYYY-MM-DD", date), "")
	}
	return day.Add(12 * time.Hour), nil
}

func checkFetch(r fetch.Request) error {
	switch {
	case r.Timeout <= 0 || r.Timeout > fetchMaxTimeout:
		return usage(fmt.Sprintf("--timeout is %s; it must be above 0 and at most %s", r.Timeout, fetchMaxTimeout), "")
	case r.MaxBytes < 1 || r.MaxBytes > fetchMaxMaxBytes:
		return usage(fmt.Sprintf("--max-bytes is %d; it must be 1 to %d", r.MaxBytes, fetchMaxMaxBytes), "")
	case r.MaxRedirects < 1 || r.MaxRedirects > fetch.MaxMaxRedirects:
		return usage(fmt.Sprintf("--max-redirects is %d; it must be 1 to %d", r.MaxRedirects, fetch.MaxMaxRedirects),
			"")
	}
	return nil
}

func asFetched(page citewell.Page, doc citewell.Document) fetched {
	links := doc.Links
	if links == nil {
		links = []citewell.Link{}
	}
	return fetched{
		URL: page.URL, FinalURL: page.FinalURL, Status: page.Status, ContentType: page.ContentType,
		Charset: doc.Charset,
		Title:   doc.Title, Author: doc.Author, Date: page.Archived.Recent(doc.Published), Language: doc.Language,
		Kind: doc.Kind, Captions: doc.Captions,
		Text: doc.Text, Markdown: doc.Markdown, Links: links, FetchedAt: page.FetchedAt, Archived: page.Archived,
		SHA256:  page.SHA256,
		Outcome: page.Outcome, Truncated: page.Outcome == citewell.FetchTruncated || doc.Truncated,
		Degraded: doc.Degraded != "", Detail: doc.Degraded,
	}
}
