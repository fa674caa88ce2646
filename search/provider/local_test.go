package provider

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
	"github.com/citewell/citewell/store"
	"github.com/google/go-cmp/cmp"
)

func init() {
	suites["local"] = func(t *testing.T) {
		searchtest.RunContract(t, searchtest.Contract{
			Provider: openedLocal(t, &index{hits: tideHits}), Query: citewell.Query{Text: "tides"},
			Nothing: citewell.Query{Text: "cookies"},
			Want: []citewell.Result{
				{Provider: "local", Rank: 1, Title: "How tides work", URL: "file:///home/me/tides.md",
					Snippet: "The moon pulls.", Published: "2026-02-20"},
				{Provider: "local", Rank: 2, Title: "old tides.txt", URL: "file:///home/me/old_tides.txt",
					Published: "2001-01-01"},
				{Provider: "local", Rank: 3, Title: "Tides", URL: "https://tides.example/", Snippet: "Twice a day."},
			}})
	}
}

var tideHits = []store.TextHit{
	{URL: "file:///home/me/tides.md", Title: "How tides\nwork", Snippet: " The  moon pulls.",
		Published: "2026-02-20", Score: 3},
	{URL: "javascript:alert(1)", Title: "Not a document", Score: 2.5},
	{URL: "file:///home/me/old_tides.txt", Published: "2001-01-01", Score: 2},
	{URL: "https://tides.example/", Title: "Tides", Snippet: "Twice a day.", Score: 1},
}

// index finds its hits for every query that has the word tides.
type index struct {
	hits []store.TextHit
	err  error
}

func (x *index) SearchText(ctx context.Context, q store.TextQuery) ([]store.TextHit, error) {
	if x.err != nil || ctx.Err() != nil {
		return nil, cmpOr(x.err, ctx.Err())
	}
	if !strings.Contains(q.Text, "tides") {
		return nil, nil
	}
	return x.hits[:min(len(x.hits), q.Limit)], nil
}

func cmpOr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func openedLocal(t *testing.T, x TextSearcher) *local {
	d := testDeps(t)
	d.Texts = x
	p, err := New("local", d)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*local)
}

// With an embedding model, what both words and meaning find comes first, then what one
// of them finds, with the snippet of the words; a model that fails is told and costs
// nothing.
func TestLocalByWordsAndMeaning(t *testing.T) {
	near := &index{hits: []store.TextHit{
		{URL: "file:///home/me/moon.md", Title: "The moon", Snippet: "It pulls the sea."},
		{URL: "https://tides.example/", Title: "Tides", Snippet: "Another piece."},
	}}
	for _, test := range []struct {
		failure error
		want    []string
		note    string
	}{
		{nil, []string{"https://tides.example/ Twice a day.", "file:///home/me/moon.md It pulls the sea.",
			"file:///home/me/tides.md The moon pulls."}, ""},
		{&citewell.Error{Code: citewell.CodeConnectFailed, Message: "the endpoint cannot be reached"},
			[]string{"file:///home/me/tides.md The moon pulls.", "file:///home/me/old_tides.txt ",
				"https://tides.example/ Twice a day."},
			"found by words alone: the endpoint cannot be reached"},
	} {
		near.err = test.failure
		d := testDeps(t)
		d.Texts, d.Meanings = &index{hits: tideHits}, near
		p, err := New("local", d)
		if err != nil {
			t.Fatal(err)
		}
		note := ""
		results, err := p.Search(searchcall.WithNotes(t.Context(), func(s string) { note = s }),
			citewell.Query{Text: "tides", Limit: 4})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range results[:3] {
			got = append(got, r.URL+" "+r.Snippet)
		}
		if diff := cmp.Diff(test.want, got); diff != "" || note != test.note {
			t.Errorf("noted %q; results (-want +got):\n%s", note, diff)
		}
	}
}

func TestLocalTimeRange(t *testing.T) {
	p := openedLocal(t, &index{hits: tideHits})
	p.now = func() time.Time { return time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC) }
	for r, want := range map[citewell.TimeRange][]string{
		citewell.AnyTime:   {"file:///home/me/tides.md", "file:///home/me/old_tides.txt", "https://tides.example/"},
		citewell.PastMonth: {"file:///home/me/tides.md", "https://tides.example/"},
		citewell.PastYear:  {"file:///home/me/tides.md", "https://tides.example/"},
		citewell.PastWeek:  {"https://tides.example/"},
		citewell.PastDay:   {"https://tides.example/"},
	} {
		results, err := p.Search(t.Context(), citewell.Query{Text: "tides", TimeRange: r, Limit: 3})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, result := range results {
			got = append(got, result.URL)
		}
		if r != citewell.AnyTime && !slices.Equal(got, want) || r == citewell.AnyTime &&
			!slices.Equal(got, want[:len(got)]) {
			t.Errorf("%q: %v, want %v", r, got, want)
		}
	}
}

func TestLocalErrors(t *testing.T) {
	typed := &citewell.Error{Code: citewell.CodeStoreFailed, Message: "the disk is full"}
	for name, test := range map[string]struct {
		err  error
		code citewell.Code
		says string
	}{
		"typed":    {typed, citewell.CodeStoreFailed, "the disk is full"},
		"plain":    {errors.New("/home/me/state.db: malformed"), citewell.CodeStoreFailed, "could not be read"},
		"deadline": {context.DeadlineExceeded, citewell.CodeTimeout, "could not be read"},
	} {
		_, err := openedLocal(t, &index{err: test.err}).Search(t.Context(), citewell.Query{Text: "tides"})
		view := citewell.View(err)
		if view.Code != test.code || !strings.Contains(view.Message, test.says) ||
			strings.Contains(err.Error(), "/home/me") {
			t.Errorf("%s: %+v", name, view)
		}
	}
}

func TestLocalNames(t *testing.T) {
	got := make(map[string]string)
	for _, raw := range []string{"file:///a/b/My_notes.md", "file:///", "https://tides.example/",
		"https://tides.example/x/y.html", "file:///a/%C3%BCber.txt", "%zz"} {
		got[raw] = localName(raw)
	}
	want := map[string]string{"file:///a/b/My_notes.md": "My notes.md", "file:///": "",
		"https://tides.example/":         "tides.example",
		"https://tides.example/x/y.html": "y.html", "file:///a/%C3%BCber.txt": "über.txt", "%zz": ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("want - got +\n" + diff)
	}
}

// stalled is an index that answers nothing until ctx ends.
type stalled struct{}

func (stalled) SearchText(ctx context.Context, _ store.TextQuery) ([]store.TextHit, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestLocalIsWaitedFor has the index outlast the web's wall; where that is not enough the
// answer says what to do.
func TestLocalIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		local := search.Guarded(&local{texts: stalled{}, now: time.Now}, Deps{}.Limits("local"))
		a := <-search.Ask(t.Context(), citewell.Query{Text: "tides"}, []search.Provider{local}, 5*time.Second)
		if a.Outcome != citewell.ProviderTimeout || a.Elapsed != 15*time.Second ||
			!strings.Contains(a.Detail, "brief.deadlines.fanout") {
			t.Errorf("got %s after %v: %q", a.Outcome, a.Elapsed, a.Detail)
		}
	})
}
