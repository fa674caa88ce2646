// Package searchtest is the suite that every search provider passes.
//
// Flow: a Wire (a provider's network format, written by hand from its documents) → an httptest server for each answer
// and each fault → the provider built on that server's address → the results or the error that it must return.
//
// Run checks a provider with a wire; RunContract alone checks one without, such as an index on this machine.
// CheckResults checks any list of results, for fuzz targets.
//
// Errors: each fault ends in one code of citewell.Codes; Wire.Codes names where a provider rightly differs.
// Concurrency: Run's subtests run in parallel, each with servers of its own, and leave no goroutine behind.
package searchtest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/identifier"
	"github.com/citewell/citewell/internal/weburl"
	"github.com/citewell/citewell/search"
	"github.com/google/go-cmp/cmp"
)

// A Wire is how a provider looks on the network.
type Wire struct {
	New          func(t *testing.T, base string) search.Provider // a provider whose address is base
	Query        citewell.Query                                  // with every filter that the provider knows
	CheckRequest func(t *testing.T, r *http.Request)             // what Query must look like on the wire
	Good         Reply                                           // an answer with results
	Want         []citewell.Result                               // what Good holds
	Empty        Reply                                           // the provider's own way to say that there is nothing
	Quirks       []Quirk                                         // what only this provider does
	Codes        map[string]citewell.Code                        // by fault: where the code is another than usual
	Secrets      []string                                        // never in an error

	// Sent finds the query's text in a request; nil for what is not searched by words. Where it
	// is set, a long query must travel cut to at most MaxChars characters and MaxWords words
	// (0: any number), and a limit of time must be kept or Noted as not kept.
	Sent               func(t *testing.T, r *http.Request) string
	MaxChars, MaxWords int

	// Special are the characters, and Reserved the words in capitals, that the provider's query language reads: none
	// may stand bare in what Sent finds. A question may travel without them, or its small words.
	Special  string
	Reserved []string
	Lookups  []Lookup // of each scheme that the provider looks up
}

// A Lookup is one work that is asked for by its identifier.
type Lookup struct {
	ID           citewell.Identifier
	CheckRequest func(t *testing.T, r *http.Request)
	Good         Reply
	Want         []citewell.Result
	Missing      []Reply // each says that there is no such work
}

// A Reply is one answer on the wire.
type Reply struct {
	Status int // 200 when 0
	Header map[string]string
	Body   []byte
}

// A Quirk is an answer that is the provider's own, and what it means.
type Quirk struct {
	Name  string
	Reply Reply
	Code  citewell.Code     // empty: it is an answer, and Want is what it holds
	Want  []citewell.Result // none: there is nothing to find
	Says  []string          // what message and hint must contain
	Notes []string          // what must be Noted, beside the answer or the error
}

// Answers is the code of a fault that a provider may survive with whatever results it could read.
const Answers citewell.Code = "answers"

// A Contract is what any provider must do, on a network or not.
type Contract struct {
	Provider search.Provider
	Query    citewell.Query
	Want     []citewell.Result // at least two
	Nothing  citewell.Query    // one that finds nothing; not tried where its Text is empty
}

// Run checks the contract, the request, the provider's quirks and every fault of a network and a server.
func Run(t *testing.T, w Wire) {
	if missing := w.missing(); len(missing) > 0 {
		t.Fatalf("the wire has no %s", strings.Join(missing, ", no "))
	}
	t.Run("contract", func(t *testing.T) {
		t.Parallel()
		RunContract(t, Contract{Provider: w.New(t, serve(t, w.Good)), Query: w.Query, Want: w.Want})
	})
	t.Run("request", func(t *testing.T) { t.Parallel(); checkRequest(t, w) })
	t.Run("nothing_found", func(t *testing.T) {
		t.Parallel()
		w.check(t, w.New(t, serve(t, w.Empty)), Quirk{})
	})
	t.Run("long_query", func(t *testing.T) { t.Parallel(); checkLongQuery(t, w) })
	t.Run("syntax", func(t *testing.T) { t.Parallel(); checkSyntax(t, w) })
	t.Run("time", func(t *testing.T) { t.Parallel(); checkTime(t, w) })
	for _, l := range w.Lookups {
		t.Run("look_up/"+l.ID.Scheme, func(t *testing.T) { t.Parallel(); checkLookup(t, w, l) })
	}
	t.Run("behind_limits", func(t *testing.T) { t.Parallel(); checkGuarded(t, w) })
	for _, quirk := range w.Quirks {
		t.Run("quirk/"+quirk.Name, func(t *testing.T) {
			t.Parallel()
			w.check(t, w.New(t, serve(t, quirk.Reply)), quirk)
		})
	}
	for _, fault := range faults {
		t.Run("fault/"+fault.name, func(t *testing.T) { t.Parallel(); fault.run(t, w) })
	}
}

// missing returns the fields that every wire must have and this one lacks.
func (w Wire) missing() (names []string) {
	for name, lacks := range map[string]bool{"New": w.New == nil, "Query.Text": w.Query.Text == "",
		"CheckRequest": w.CheckRequest == nil, "Good": len(w.Good.Body) == 0, "Empty": len(w.Empty.Body) == 0} {
		if lacks {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// A Fault is one way in which a network, a server or a proxy goes wrong, for tests of what asks several providers.
type Fault struct {
	Name    string
	Handler http.HandlerFunc
	Code    citewell.Code // what a provider ends with, or Answers
}

// Faults returns every fault as it looks on the wire.
func (w Wire) Faults() []Fault {
	all := make([]Fault, len(faults))
	for i, f := range faults {
		all[i] = Fault{f.name, f.handler(w), f.codeOn(w)}
	}
	return all
}

// Handler serves the wire's good answer.
func (w Wire) Handler() http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) { w.Good.write(rw) }
}

// RunContract checks what search.Provider promises.
func RunContract(t *testing.T, c Contract) {
	if c.Provider.Name() == "" || len(c.Want) < 2 {
		t.Fatal("a contract needs a named provider and two results")
	}
	t.Run("results", func(t *testing.T) {
		results, err := c.Provider.Search(t.Context(), c.Query)
		if err != nil {
			t.Fatal(describe(err))
		}
		CheckResults(t, c.Provider.Name(), results)
		if diff := cmp.Diff(c.Want, results); diff != "" {
			t.Error("want - got +\n" + diff)
		}
	})
	t.Run("limit", func(t *testing.T) {
		q := c.Query
		q.Limit = 1
		results, err := c.Provider.Search(t.Context(), q)
		if err != nil || len(results) != 1 {
			t.Errorf("limit 1 gives %d results (%v)", len(results), err)
		}
	})
	t.Run("nothing", func(t *testing.T) {
		if c.Nothing.Text == "" {
			t.Skip("the wire has an answer of its own for it")
		}
		if results, err := c.Provider.Search(t.Context(), c.Nothing); err != nil || len(results) != 0 {
			t.Errorf("got %d results and %v, want nothing and no error", len(results), err)
		}
	})
	t.Run("many_at_once", func(t *testing.T) {
		var asking sync.WaitGroup
		for range 8 {
			asking.Go(func() {
				if results, err := c.Provider.Search(t.Context(), c.Query); err != nil || len(results) != len(c.Want) {
					t.Errorf("got %d results and %v", len(results), err)
				}
			})
		}
		asking.Wait()
	})
	t.Run("canceled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.Provider.Search(ctx, c.Query); citewell.CodeOf(err) != citewell.CodeCanceled {
			t.Errorf("got %v, want canceled", describe(err))
		}
	})
}

// CheckResults checks what holds for any results: provider and ranks, URLs that can be opened, and plain text.
func CheckResults(t testing.TB, provider string, results []citewell.Result) {
	t.Helper()
	for i, r := range results {
		if r.Provider != provider || r.Rank != i+1 {
			t.Errorf("result %d is rank %d of %q", i, r.Rank, r.Provider)
		}
		if u, err := url.Parse(r.URL); err != nil || u.Scheme != "file" {
			if _, err := weburl.Parse(r.URL); err != nil {
				t.Errorf("result %d: URL %q: %v", i, r.URL, err)
			}
		}
		for field, s := range map[string]string{"title": r.Title, "snippet": r.Snippet} {
			hidden := func(c rune) bool { return unicode.IsControl(c) || unicode.Is(unicode.Cf, c) }
			if !utf8.ValidString(s) || strings.ContainsFunc(s, hidden) || strings.TrimSpace(s) != s || len(s) > 4096 {
				t.Errorf("result %d: %s is not plain text: %q", i, field, s)
			}
		}
		checkWork(t, i, r.Work)
		if _, err := time.Parse(time.DateOnly, r.Published); r.Published != "" && err != nil {
			t.Errorf("result %d: published %q", i, r.Published)
		}
	}
}

// checkWork checks that a work's identifiers can be compared and its fields shown.
func checkWork(t testing.TB, i int, w *citewell.Work) {
	t.Helper()
	if w == nil {
		return
	}
	for name, same := range map[string]bool{
		"doi": w.DOI == identifier.DOI(w.DOI), "arxiv": w.ArXiv == identifier.ArXiv(w.ArXiv),
		"isbn": w.ISBN == identifier.ISBN(w.ISBN),
		"pmid": strings.Trim(w.PMID, "0123456789") == "", "year": w.Year == 0 || w.Year >= 1000 && w.Year < 3000,
	} {
		if !same {
			t.Errorf("result %d: the %s of %+v is not in its register's form", i, name, *w)
		}
	}
	if _, err := weburl.Parse(w.OpenCopy); w.OpenCopy != "" && err != nil {
		t.Errorf("result %d: open copy %q: %v", i, w.OpenCopy, err)
	}
	for _, s := range append([]string{w.Venue, w.Licence, w.Version}, w.Authors...) {
		if strings.TrimSpace(s) != s || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) ||
			len(s) > 300 {
			t.Errorf("result %d: %q of a work is no plain text", i, s)
		}
	}
	if len(w.Authors) > 100 || slices.Contains(w.Authors, "") {
		t.Errorf("result %d: authors %q", i, w.Authors)
	}
}

// causes is what a log would show of err.
func causes(err error) string {
	var all []string
	for ; err != nil; err = errors.Unwrap(err) {
		all = append(all, err.Error())
	}
	return strings.Join(all, "\n")
}

func describe(err error) string {
	if err == nil {
		return "no error"
	}
	v := citewell.View(err)
	cause := err
	if e, ok := err.(*citewell.Error); ok && e.Err != nil {
		cause = e.Err
	}
	return fmt.Sprintf("%s: %s (%s); cause: %v", v.Code, v.Message, v.Hint, cause)
}

// serve starts a server that always gives the same reply and returns its address.
func serve(t *testing.T, r Reply) string {
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { r.write(rw) }))
	t.Cleanup(server.Close)
	return server.URL
}

func (r Reply) write(w http.ResponseWriter) {
	for name, value := range r.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(max(r.Status, http.StatusOK))
	_, _ = w.Write(r.Body) // the client may be gone
}
