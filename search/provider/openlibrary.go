package provider

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/identifier"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/search"
)

const openLibraryName = "openlibrary"

func init() {
	register(Description{
		Name:  openLibraryName,
		About: "books and who wrote them, with scans that anybody may read; no key",
		Docs:  "https://openlibrary.org/dev/docs/api/search",
		Kinds: []search.Kind{search.KindBooks},
		Open:  true,
		Place: 1,
		// About one call a second, and three for a caller with a contact; we stay below.
		Limits:      search.Limits{Rate: 1, Parallel: 1, Fresh: keptAwhile, Shared: true},
		WithContact: &search.Limits{Rate: 2, Parallel: 1, Fresh: keptAwhile, Shared: true},
		Lookups:     []string{citewell.SchemeISBN},
	}, func(d Deps, s Settings) (search.Provider, error) {
		u, err := endpoint(openLibraryName, s.BaseURL, "https://openlibrary.org", "/search.json")
		if err != nil {
			return nil, err
		}
		return &openLibrary{newWire(d, openLibraryName, u, openRefusal), u}, nil
	})
}

type openLibrary struct {
	*wire
	endpoint *url.URL
}

const (
	openLibraryMostResults = 50
	// all of them are much
	openLibraryFields = "key,title,subtitle,author_name,first_publish_year,isbn,publisher,first_sentence," +
		"ebook_access,ia"
)

var openLibraryLimit = queryLimit{chars: 300, words: 40}

func (p *openLibrary) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	if isbn := identifier.ISBN(q.Identifier.Value); q.Identifier.Scheme == citewell.SchemeISBN {
		if isbn == "" {
			return nil, nil
		}
		return p.ask(ctx, "isbn:"+isbn, 1, isbn)
	}
	noteNoDates(ctx, p.name, q)
	words := openLibraryLimit.cut(ctx, p.name, strings.Join(bareWords(q.Text), " "))
	if words == "" {
		return nil, p.wordless()
	}
	return p.ask(ctx, words, wanted(q, openLibraryMostResults), "")
}

// ask asks for works, of which each may have many editions. isbn is the edition that was asked
// for, where one was.
func (p *openLibrary) ask(ctx context.Context, find string, limit int, isbn string) ([]citewell.Result, error) {
	params := url.Values{"q": {find}, "fields": {openLibraryFields}, "limit": {strconv.Itoa(limit)}}
	var answer struct{ Docs []openLibraryWork }
	if err := p.getAnswer(ctx, with(p.endpoint, params), nil, &answer, "docs"); err != nil {
		return nil, err
	}
	var results []citewell.Result
	for _, w := range answer.Docs {
		if openLibraryKey.MatchString(string(w.Key)) && w.Title != "" {
			results = append(results, w.result(isbn))
		}
	}
	return tidy(p.name, results, limit), nil
}

var (
	openLibraryKey  = lazyregexp.New(`^/works/OL\d+W$`)
	openLibraryScan = lazyregexp.New(`^[\w.-]{1,200}$`)
)

type openLibraryWork struct {
	Key, Title, Subtitle loose
	Authors              looseList `json:"author_name"`
	FirstYear            int       `json:"first_publish_year"`
	ISBN, Publisher, IA  looseList
	FirstSentence        looseList `json:"first_sentence"`
	Access               loose     `json:"ebook_access"`
}

func (w openLibraryWork) result(isbn string) citewell.Result {
	work := &citewell.Work{Kind: citewell.WorkBook, Year: w.FirstYear, ISBN: isbn}
	for _, a := range w.Authors {
		work.Authors = append(work.Authors, string(a))
	}
	if len(w.Publisher) == 1 { // of many, nothing says which one's the first edition was
		work.Venue, work.Publisher = string(w.Publisher[0]), string(w.Publisher[0])
	}
	if at := slices.IndexFunc(w.ISBN, func(n loose) bool { return len(identifier.ISBN(string(n))) == 13 }); isbn ==
		"" && at >= 0 {
		work.ISBN = string(w.ISBN[at])
	} else if isbn == "" {
		work.ISBN = w.ISBN.first()
	}
	if scan := w.IA.first(); w.Access == "public" && openLibraryScan.MatchString(scan) {
		work.OpenCopy = "https://archive.org/details/" + scan
	}
	title := string(w.Title)
	if w.Subtitle != "" {
		title += ": " + string(w.Subtitle)
	}
	return citewell.Result{Title: title, URL: "https://openlibrary.org" + string(w.Key),
		Snippet: w.FirstSentence.first(), Work: work}
}
