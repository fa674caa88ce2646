// Package searchtest is the suite that every search provider passes.
//
// Flow: a Wire (how one provider looks on the network, written by hand from its
// documents) → an httptest server for each answer and each fault → the provider
// built on that server's address → what it must return.
//
// Run checks a provider with a wire; RunContract alone checks one without, such as
// an index on this machine. CheckResults is what any list of results must hold, for
// fuzz targets.
//
// Errors: each fault ends in one code of citewell.Codes; Wire.Codes names where a
// provider rightly differs. Concurrency: Run's subtests run in parallel, each with
// servers of its own, and leave no goroutine behind.
package searchtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/weburl"
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

	// Sent finds the query's text in a request. Where it is set, a long query must
	// travel cut to at most MaxChars characters and MaxWords words (0: any number).
	Sent               func(t *testing.T, r *http.Request) string
	MaxChars, MaxWords int

	// Special are the characters, and Reserved the words in capitals, in which the provider's
	// query language reads more than words: none may stand bare in what Sent finds. A
	// question may travel without them, or without its small words.
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

// Answers is the code of a fault that a provider may survive with whatever results
// it could read.
const Answers citewell.Code = "answers"

// A Contract is what any provider must do, on a network or not.
type Contract struct {
	Provider search.Provider
	Query    citewell.Query
	Want     []citewell.Result // at least two
	Nothing  citewell.Query    // one that finds nothing; not tried where its Text is empty
}

// Run checks everything: the contract, the request, the provider's quirks and every
// fault of a network and of what stands behind it.
func Run(t *testing.T, w Wire) {
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

// A Fault is one way in which a network, a server or a proxy goes wrong, for tests of
// what asks several providers.
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

// CheckResults checks what holds for any results, whatever bytes they were read
// from: provider and ranks, URLs that can be fetched or opened, and plain text.
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
		"doi": w.DOI == search.DOI(w.DOI), "arxiv": w.ArXiv == search.ArXiv(w.ArXiv), "isbn": w.ISBN == search.ISBN(w.ISBN),
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
		if strings.TrimSpace(s) != s || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) || len(s) > 300 {
			t.Errorf("result %d: %q of a work is no plain text", i, s)
		}
	}
	if len(w.Authors) > 100 || slices.Contains(w.Authors, "") {
		t.Errorf("result %d: authors %q", i, w.Authors)
	}
}

// checkRequest checks what is true on every wire, and then what the provider's own
// documents ask for.
func checkRequest(t *testing.T, w Wire) {
	r := askOnce(t, w, w.Query)
	if !strings.HasPrefix(r.UserAgent(), "Citewell") {
		t.Errorf("user agent %q does not say who asks", r.UserAgent())
	}
	for _, name := range []string{"Cookie", "Referer"} {
		if v := r.Header.Get(name); v != "" {
			t.Errorf("%s is sent: %q", name, v)
		}
	}
	w.CheckRequest(t, r)
}

// askOnce is ask where one request must do.
func askOnce(t *testing.T, w Wire, q citewell.Query) *http.Request {
	t.Helper()
	asked, err := ask(t, w, q, nil)
	if err != nil {
		t.Fatal(describe(err))
	}
	if len(asked) != 1 {
		t.Fatalf("%d requests for one search, want 1", len(asked))
	}
	return asked[0]
}

// hostileQuestions are ordinary words and what query languages make of them.
var hostileQuestions = []string{
	`C++: what's the difference (AND/OR)?`,
	`is TCP/IP "reliable" OR NOT [2024 TO 2026] {x} ^2 ~3 a*b?`,
	`-mass +energy !important title:cranes && a || b \ <c> c# = 50%`,
	`AND`, `"`, `((((`, `*:*`, `2401.00001 vs 10.5555/x`, "tabs\tand\nlines",
}

// checkSyntax shows that a question is put in words alone, and that it keeps its words.
func checkSyntax(t *testing.T, w Wire) {
	if w.Special == "" && w.Reserved == nil {
		t.Skip("it reads a query as words")
	}
	for _, question := range hostileQuestions {
		q := w.Query
		q.Text = question
		asked, err := ask(t, w, q, nil)
		if len(asked) == 0 && citewell.CodeOf(err) == citewell.CodeInvalidArgument && !strings.ContainsFunc(question, isOfAWord) {
			continue // it has no words to put
		}
		if err != nil || len(asked) != 1 {
			t.Fatalf("%q: %d requests, %v; want 1", question, len(asked), describe(err))
		}
		sent := w.Sent(t, asked[0])
		for i, r := range sent {
			if before := sent[:i]; strings.ContainsRune(w.Special, r) && (len(before)-len(strings.TrimRight(before, `\`)))%2 == 0 && !strings.HasPrefix(sent[i:], `\`) {
				t.Errorf("%q was sent as %q: %q is bare", question, sent, r)
			}
		}
		for _, word := range strings.FieldsFunc(sent, func(r rune) bool { return !unicode.IsLetter(r) }) {
			if slices.Contains(w.Reserved, word) {
				t.Errorf("%q was sent as %q: %s is an operator there", question, sent, word)
			}
		}
		for _, word := range []string{"difference", "reliable", "energy", "important", "cranes"} {
			if strings.Contains(question, word) && !strings.Contains(sent, word) {
				t.Errorf("%q was sent as %q, without %q", question, sent, word)
			}
		}
	}
}

func isOfAWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// checkLookup asks for one work, and for one that is not there.
func checkLookup(t *testing.T, w Wire, l Lookup) {
	q := w.Query
	q.Identifier = l.ID
	w.Query, w.Good = q, l.Good
	l.CheckRequest(t, askOnce(t, w, q))
	w.check(t, w.New(t, serve(t, l.Good)), Quirk{Want: l.Want})
	for _, missing := range l.Missing {
		w.check(t, w.New(t, serve(t, missing)), Quirk{})
	}
	for _, f := range faults {
		if f.name == "404" && len(l.Missing) > 0 { // there it may say that there is none
			continue
		}
		f.run(t, w)
	}
}

// ask puts q to the wire's provider and returns the requests that it made, with
// bodies that can be read.
func ask(t *testing.T, w Wire, q citewell.Query, note func(string)) ([]*http.Request, error) {
	var mu sync.Mutex
	var asked []*http.Request
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("the request's body cannot be read: %v", err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if err := r.ParseForm(); err != nil {
			t.Errorf("the query cannot be read: %v", err)
		}
		mu.Lock()
		asked = append(asked, r)
		mu.Unlock()
		w.Good.write(rw)
	}))
	t.Cleanup(server.Close)
	ctx := t.Context()
	if note != nil {
		ctx = search.WithNotes(ctx, note)
	}
	_, err := w.New(t, server.URL).Search(ctx, q)
	mu.Lock()
	defer mu.Unlock()
	return asked, err
}

// checkLongQuery shows that a query which the API would refuse is cut between two
// words and that the reader is told; one that fits travels whole.
func checkLongQuery(t *testing.T, w Wire) {
	if w.Sent == nil || w.MaxChars == 0 && w.MaxWords == 0 {
		t.Skip("its documents name no longest query")
	}
	for _, query := range []string{
		strings.Repeat("tidal power stations; ", 500),
		strings.Repeat("潮力発電所は月の引力で動く。", 500),
		strings.Repeat("x", 5000),
		w.Query.Text,
	} {
		q := w.Query
		q.Text = query
		var notes []string
		asked, err := ask(t, w, q, func(note string) { notes = append(notes, note) })
		if err != nil || len(asked) != 1 {
			t.Fatalf("%d requests: %v", len(asked), describe(err))
		}
		sent := w.Sent(t, asked[0])
		said := slices.ContainsFunc(notes, func(note string) bool { return strings.Contains(note, "the query was cut to") })
		if w.Special != "" || w.Reserved != nil { // it travels in other words, but not in more than are taken
			if chars := utf8.RuneCountInString(sent); !said && query != w.Query.Text || sent == "" || w.MaxChars > 0 && chars > w.MaxChars ||
				w.MaxWords > 0 && len(strings.Fields(sent)) > w.MaxWords {
				t.Errorf("%.40q was sent as %d characters, said to be cut: %t", query, chars, said)
			}
			continue
		}
		if said != (sent != query) {
			t.Errorf("%.40q: cut %t, said in %q", query, sent != query, notes)
		}
		rest, ok := strings.CutPrefix(query, sent)
		if chars, words := utf8.RuneCountInString(sent), len(strings.Fields(sent)); !ok || sent == "" || !utf8.ValidString(sent) ||
			w.MaxChars > 0 && chars > w.MaxChars || w.MaxWords > 0 && words > w.MaxWords {
			t.Errorf("%.40q was sent as %d characters, %d words: %q", query, chars, words, sent)
		}
		if strings.Contains(query, " ") && rest != "" && rest[0] != ' ' {
			t.Errorf("%.40q was cut within a word: …%q", query, sent[max(0, len(sent)-20):])
		}
		if query != w.Query.Text && sent == query {
			t.Errorf("%.40q was sent whole", query)
		}
	}
}

// checkGuarded shows who tries again: search.Guarded, not the provider itself.
func checkGuarded(t *testing.T, w Wire) {
	limited := func() search.Provider {
		server := httptest.NewServer(limitedOnce(w))
		t.Cleanup(server.Close)
		return w.New(t, server.URL)
	}
	means := citewell.CodeRateLimited
	if other, ok := w.Codes["429"]; ok {
		means = other
	}
	bare := limited()
	if _, err := bare.Search(t.Context(), w.Query); citewell.CodeOf(err) != means {
		t.Errorf("a provider must not wait or retry by itself: %v", describe(err))
	}
	guarded := search.Guarded(limited(), search.Limits{FirstBackoff: time.Millisecond})
	results, err := guarded.Search(t.Context(), w.Query)
	if means != citewell.CodeRateLimited { // it is refused for longer than a search lasts, and asking again is no use
		if citewell.CodeOf(err) != means {
			t.Errorf("it was asked again: %v", describe(err))
		}
		return
	}
	if err != nil {
		t.Fatal(describe(err))
	}
	if diff := cmp.Diff(w.Want, results); diff != "" {
		t.Error("want - got +\n" + diff)
	}
}

// check asks p and compares with what quirk says that the answer means.
func (w Wire) check(t *testing.T, p search.Provider, quirk Quirk) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var notes []string
	results, err := p.Search(search.WithNotes(ctx, func(note string) { notes = append(notes, note) }), w.Query)
	w.checkError(t, err, quirk.Code, quirk.Says)
	for _, part := range quirk.Notes {
		if !strings.Contains(strings.Join(notes, "\n"), part) {
			t.Errorf("%q is not in the notes %q", part, notes)
		}
	}
	CheckResults(t, p.Name(), results)
	if diff := cmp.Diff(quirk.Want, results); diff != "" && quirk.Code == "" {
		t.Error("want - got +\n" + diff)
	}
}

// checkError checks the code, and that nothing leaves with the message that should
// stay: the query, a secret.
func (w Wire) checkError(t *testing.T, err error, want citewell.Code, says []string) {
	t.Helper()
	if got := citewell.CodeOf(err); got != want && want != Answers {
		t.Fatalf("code %q, want %q: %v", got, want, describe(err))
	}
	if err == nil {
		return
	}
	view := citewell.View(err)
	shown := view.Message + "\n" + view.Hint + "\n" + err.Error()
	logged := shown + "\n" + causes(err)
	for _, part := range says {
		if !strings.Contains(shown, part) {
			t.Errorf("the error does not say %q: %s", part, shown)
		}
	}
	for _, secret := range append([]string{w.Query.Text, url.QueryEscape(w.Query.Text)}, w.Secrets...) {
		if strings.Contains(logged, secret) {
			t.Errorf("%q is in the error: %s", secret, logged)
		}
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
