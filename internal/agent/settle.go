package agent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/agent/internal/door"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/outcomes"
	"github.com/citewell/citewell/internal/siteclass"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/weburl"
)

// number gives a page its number in the run, once.
func (r *run) number(title, url, snippet, date string, work *citewell.Work) *source {
	s, added := r.sources.add(title, url, snippet, date, work)
	if added {
		if r.news = true; isLocal(s.URL) {
			r.door.NoteFile(localName(s.URL))
		}
		r.told.say(Event{Kind: "source", Iteration: r.iteration, Name: s.URL, Text: s.Title, Number: s.N})
	}
	return s
}

// maxPassages bounds what one page can be cited by.
const maxPassages = 2000

// settle gives a source its text, and its passages their ids. When it returns, they are durable. The ids come from the
// run's own random id, so that they are the same when the run is replayed.
func (r *run) settle(ctx context.Context, s *source, page citewell.Page, doc citewell.Document) error {
	if s.settled {
		return nil
	}
	s.doc, s.failed = doc, ""
	s.FinalURL, s.FetchedAt, s.PageSHA256, s.Archived = page.FinalURL, page.FetchedAt, page.SHA256, page.Archived
	s.TextSHA256, s.Extractor, s.Outcome = doc.TextSHA256, doc.Extractor, page.Outcome
	if doc.LowYield {
		s.Outcome = citewell.FetchLowYield
	}
	if s.Work == nil || s.Title == "" { // a register's title is the work's
		s.Title = cmp.Or(doc.Title, s.Title)
	}
	s.Date = s.Archived.Recent(s.Date, doc.Published)
	if doc.PageUnit == citewell.UnitSecond {
		s.Basis = citewell.BasisCaptions
	} else if s.Work != nil {
		switch s.Basis = s.Work.BasisOf(doc); {
		case doc.Extractor == snippetExtractor && s.Work.Abstract:
			s.Basis = citewell.BasisAbstract
		case doc.Extractor == snippetExtractor:
			s.Basis = citewell.BasisRecord
		}
	}
	s.Warning = siteclass.Caveats(s.Class, s.Work, s.Basis)
	if doc.Affiliation != "" {
		s.Warning = strings.TrimPrefix(s.Warning+"; says it is not official: "+oneLine(doc.Affiliation), "; ")
	}
	s.Warning = s.Archived.Warning(s.Warning)
	s.passages = make([]citewell.Passage, 0, len(doc.Passages))
	s.passages = append(s.passages, doc.Passages[:min(len(doc.Passages), maxPassages)]...)
	if err := r.enter(ctx, s); err != nil {
		return err
	}
	s.settled, r.news = true, true
	r.door.Note(s.whose, doc.Text)
	if !isResult(s.URL) { // the title of a result has the model's own words
		r.door.Note(s.whose, s.Title)
	}
	kind := "read"
	if doc.Extractor == snippetExtractor {
		kind = "unread"
	}
	if s.former != nil && page.FetchedAt.Equal(s.former.Page.FetchedAt) {
		kind = "kept"
	}
	r.told.say(Event{Kind: kind, Iteration: r.iteration, Name: s.URL, Text: s.Title, Number: s.N})
	for _, l := range doc.Links {
		r.mark(l.URL)
	}
	return nil
}

// Numbered are the passages of source n of a run with their ids in the ledger, the same
// whenever the run is played. key is the source's address.
func Numbered(run, key string, n int, passages []citewell.Passage) []citewell.Passage {
	all := slices.Clone(passages)
	for i := range all {
		p := &all[i]
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d %d", key+run, n, p.Start, p.End))
		p.ID, p.Source, p.Alias = hex.EncodeToString(sum[:16]), n, fmt.Sprintf("S%d.p%d", n, i+1)
	}
	return all
}

// enter gives the passages of a source their ids, and puts them into the ledger.
func (r *run) enter(ctx context.Context, s *source) error {
	s.passages = Numbered(r.id, s.key, s.N, s.passages) // a report may have those before
	if r.o.Archive == nil {
		return nil
	}
	if err := r.sync(ctx); err != nil {
		return err
	}
	if err := r.o.Archive.AddSource(ctx, r.id, s.Source, s.passages); err != nil {
		return &brokenError{fmt.Errorf("agent: source %d: %w", s.N, err)}
	}
	return nil
}

// settleSnippet makes what a provider said of a page the source's text.
func (r *run) settleSnippet(ctx context.Context, s *source) error {
	body := strings.TrimSpace(strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return -1
		}
		return c
	}, text.Normalize(strings.ToValidUTF8(s.Snippet, ""))))
	if body == "" || s.settled {
		return nil
	}
	page := citewell.Page{URL: s.URL, FinalURL: "snippet:" + s.URL, ContentType: "text/plain; charset=utf-8",
		Body: []byte(body), SHA256: citewell.SHA256([]byte(body)), FetchedAt: r.began, Outcome: citewell.FetchOK}
	doc := citewell.Document{URL: s.URL, MediaType: "text/plain", Text: body, TextSHA256: page.SHA256,
		Extractor: snippetExtractor, Passages: []citewell.Passage{{Start: 0, End: len(body), Text: body}}}
	if r.o.Archive != nil {
		if err := r.sync(ctx); err != nil {
			return err
		}
		if err := r.o.Archive.PutSnapshot(ctx, page, doc); err != nil {
			return &brokenError{fmt.Errorf("agent: snippet of source %d: %w", s.N, err)}
		}
	}
	page.FinalURL = "" // nothing was fetched
	failed := s.failed
	err := r.settle(ctx, s, page, doc)
	s.failed = failed
	return err
}

var urlInWords = lazyregexp.New(`(?i)https?://[^\s<>"'()\[\]{}|\\^` + "`" + `]+`)

// allowFrom lets the run fetch the URLs in the user's words, and tell others these words.
func (r *run) allowFrom(words string) {
	r.door.Note(door.Public, words)
	for _, u := range urlInWords.FindAllString(words, -1) {
		u = strings.TrimRight(u, ".,;:!?")
		r.mark(u)
		if named, err := weburl.Parse(u); err == nil && len(r.named) < maxSeen {
			r.named[named.Host] = true
		}
	}
}

// naming is ctx for a call with these URLs. What it fetches is found, unless all are of hosts
// in the user's words, or it is made outside a run, whose caller has named them.
func (r *run) naming(ctx context.Context, urls ...string) context.Context {
	isFound := func(address string) bool {
		u, err := weburl.Parse(address)
		return err != nil || !r.named[u.Host]
	}
	if !r.outside && (len(urls) == 0 || slices.ContainsFunc(urls, isFound)) {
		return egress.Found(ctx)
	}
	return ctx
}

// maxSeen bounds the addresses that a run remembers to have seen.
const maxSeen = 100_000

func (r *run) mark(url string) {
	if _, err := weburl.Parse(url); err == nil && len(r.seen) < maxSeen && !r.outside {
		r.seen[weburl.Canonical(url)] = true
	}
}

// mayFetch says whether a URL is from the user's words, a search result or a page's
// links: all else the model has from nowhere, or from a page that told it to. Outside a
// run the caller answers for that.
func (r *run) mayFetch(url string) bool { return r.outside || r.seen[weburl.Canonical(url)] }

// A pageRead is one page on its way.
type pageRead struct {
	key, url string
	copied   *citewell.Work // where the page is a work's whose text may be open elsewhere
	named    bool           // it is a file that no search has found: it must be indexed
	tried    bool           // it was asked for, now or by the journal
	got      gotten
	err      error
}

// gottenOf is a page with its document as the journal keeps them.
func gottenOf(page citewell.Page, doc citewell.Document) gotten {
	g := gotten{Bytes: len(page.Body), Passages: []gottenPassage{}}
	doc.Markdown, page.Body = "", nil
	g.Page, g.Doc = page, doc
	for _, passage := range doc.Passages {
		g.Passages = append(g.Passages, gottenPassage{passage.Start, passage.End, passage.Heading, passage.Page,
			passage.Columns})
	}
	return g
}

// document is the page's document with its passages.
func (g gotten) document() citewell.Document {
	doc := g.Doc
	doc.Passages = nil
	for _, p := range g.Passages {
		if p.Start >= 0 && p.Start < p.End && p.End <= len(doc.Text) {
			doc.Passages = append(doc.Passages, citewell.Passage{Start: p.Start, End: p.End, Heading: p.Heading,
				Page: p.Page, Unit: g.Doc.PageUnit, Columns: p.Columns, Text: doc.Text[p.Start:p.End]})
		}
	}
	return doc
}

// readTime bounds one page with everything around it.
const readTime = 30 * time.Second

// fetch reads one page through the journal. Its bytes and its text are kept before the
// journal says that it was read.
func (p *pageRead) fetch(ctx context.Context, r *run) {
	p.tried = true
	p.got, p.err = outside(ctx, r, Call{Key: p.key, Kind: CallPage, Name: p.url},
		func(ctx context.Context) (gotten, error) {
			within, cancel := r.within(ctx)
			defer cancel()
			within, cancelRead := context.WithTimeout(within, readTime)
			defer cancelRead()
			began := time.Now()
			page, doc, err := p.read(within, r)
			took := time.Since(began).Milliseconds()
			if err != nil {
				return gotten{Page: citewell.Page{Status: fetch.StatusOf(err)}, ElapsedMS: took}, err
			}
			got, err := r.keepPage(ctx, page, doc)
			got.ElapsedMS = took
			return got, err
		})
}

// read reads a page, or the open copy of the work that it is of, where that is the whole text.
func (p *pageRead) read(ctx context.Context, r *run) (citewell.Page, citewell.Document, error) {
	if p.named {
		if err := r.mustBeIndexed(ctx, p.url); err != nil {
			return citewell.Page{}, citewell.Document{}, err
		}
	}
	if p.copied.HasOpenCopy(p.url) {
		page, doc, err := r.o.Reader.Read(egress.Found(ctx), p.copied.OpenCopy)
		if err == nil && p.copied.BasisOf(doc) != citewell.BasisAbstract || ctx.Err() != nil {
			return page, doc, err
		}
		own, ownDoc, ownErr := r.o.Reader.Read(r.naming(ctx, p.url), p.url)
		if err == nil && (ownErr != nil || ownDoc.LowYield) {
			return page, doc, nil
		}
		return own, ownDoc, ownErr
	}
	return r.o.Reader.Read(r.naming(ctx, p.url), p.url)
}

// fetched is what became of a page that was tried; s is the source that it is, or nil.
func (p *pageRead) fetched(s *source) *Fetched {
	f := &Fetched{URL: p.url, FinalURL: p.got.Page.FinalURL, Outcome: p.got.Page.Outcome, Status: p.got.Page.Status,
		Bytes: p.got.Bytes, ElapsedMS: p.got.ElapsedMS}
	if s != nil {
		f.N = s.N
	}
	switch {
	case p.err != nil:
		f.Outcome = outcomes.OfFetch(p.err)
	case p.got.Doc.LowYield:
		f.Outcome = citewell.FetchLowYield
	}
	return f
}

// keepPage keeps a page's bytes and its text, and is the page as the journal keeps it.
func (r *run) keepPage(ctx context.Context, page citewell.Page, doc citewell.Document) (gotten, error) {
	if r.o.Archive != nil {
		if err := r.o.Archive.PutSnapshot(ctx, page, doc); err != nil {
			return gotten{}, &brokenError{fmt.Errorf("agent: snapshot: %w", err)}
		}
	}
	return gottenOf(page, doc), nil
}
