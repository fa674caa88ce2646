package searchtest

import (
	"bytes"
	"context"
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
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/search"
	"github.com/google/go-cmp/cmp"
)

// checkRequest checks what is true on every wire, and then what the provider's own documents ask for.
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

// checkTime shows that a limit of time changes the request or what is kept of the answer, or that a note says
// that it does not.
func checkTime(t *testing.T, w Wire) {
	if w.Sent == nil {
		t.Skip("it is not searched by words")
	}
	var notes []string
	var sent [2]string
	var kept [2]int
	for i, limit := range []citewell.TimeRange{citewell.AnyTime, citewell.PastMonth} {
		q := w.Query
		q.TimeRange = limit
		asked, err := searchRecorded(t, w, q, func(note string) { notes = append(notes, note) })
		if err != nil || len(asked) != 1 {
			t.Fatalf("%d requests: %v", len(asked), describe(err))
		}
		body, _ := io.ReadAll(asked[0].Body) // it is in memory
		results, _ := w.New(t, serve(t, w.Good)).Search(t.Context(), q)
		sent[i], kept[i] = asked[0].URL.RawQuery+string(body), len(results)
	}
	if sent[0] == sent[1] && kept[0] == kept[1] && !strings.Contains(strings.Join(notes, "\n"), "time") {
		t.Error("it takes no notice of a limit of time: send it, or say with noteNoDates that it cannot")
	}
}

// askOnce is searchRecorded where one request must do.
func askOnce(t *testing.T, w Wire, q citewell.Query) *http.Request {
	t.Helper()
	asked, err := searchRecorded(t, w, q, nil)
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
		asked, err := searchRecorded(t, w, q, nil)
		if len(asked) == 0 && citewell.CodeOf(err) == citewell.CodeInvalidArgument &&
			!strings.ContainsFunc(question, isOfAWord) {
			continue // it has no words to put
		}
		if err != nil || len(asked) != 1 {
			t.Fatalf("%q: %d requests, %v; want 1", question, len(asked), describe(err))
		}
		sent := w.Sent(t, asked[0])
		for i, r := range sent {
			if before := sent[:i]; strings.ContainsRune(w.Special, r) &&
				(len(before)-len(strings.TrimRight(before, `\`)))%2 == 0 && !strings.HasPrefix(sent[i:], `\`) {
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

// searchRecorded puts q to the wire's provider and returns the requests that it made, with bodies that can be read.
func searchRecorded(t *testing.T, w Wire, q citewell.Query, note func(string)) ([]*http.Request, error) {
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
		ctx = searchcall.WithNotes(ctx, note)
	}
	_, err := w.New(t, server.URL).Search(ctx, q)
	mu.Lock()
	defer mu.Unlock()
	return asked, err
}

// checkLongQuery checks that a query which the API would refuse is cut between two words, and the reader told.
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
		asked, err := searchRecorded(t, w, q, func(note string) { notes = append(notes, note) })
		if err != nil || len(asked) != 1 {
			t.Fatalf("%d requests: %v", len(asked), describe(err))
		}
		sent := w.Sent(t, asked[0])
		said := slices.ContainsFunc(notes, func(note string) bool {
			return strings.Contains(note, "the query was cut to")
		})
		if w.Special != "" || w.Reserved != nil { // it travels in other words, but not in more than are taken
			if chars := utf8.RuneCountInString(sent); !said && query != w.Query.Text || sent == "" || w.MaxChars > 0 &&
				chars > w.MaxChars ||
				w.MaxWords > 0 && len(strings.Fields(sent)) > w.MaxWords {
				t.Errorf("%.40q was sent as %d characters, said to be cut: %t", query, chars, said)
			}
			continue
		}
		if said != (sent != query) {
			t.Errorf("%.40q: cut %t, said in %q", query, sent != query, notes)
		}
		rest, ok := strings.CutPrefix(query, sent)
		if chars, words := utf8.RuneCountInString(sent), len(strings.Fields(sent)); !ok || sent == "" ||
			!utf8.ValidString(sent) ||
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
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var notes []string
	results, err := p.Search(searchcall.WithNotes(ctx, func(note string) { notes = append(notes, note) }), w.Query)
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

// checkError checks the code, and that nothing leaves with the message that should stay: the query, a secret.
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
