package links

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/siteclass"
)

// A web answers for the hosts of pages, and remembers which were asked at the same time.
type web struct {
	*fetch.Client
	base string
}

func newWeb(t *testing.T, pages map[string]func(w http.ResponseWriter)) web {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer := pages[r.URL.Path]; answer != nil {
			answer(w)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	guard, err := egress.NewGuard(egress.Options{AllowNetworks: egress.MustParseNetworks("127.0.0.0/8")})
	if err != nil {
		t.Fatal(err)
	}
	client := fetch.New(fetch.Options{Guard: guard, IgnoreRobots: true, Spacing: -1})
	t.Cleanup(client.Close)
	return web{client, server.URL}
}

func status(code int) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { w.WriteHeader(code) }
}

func says(text string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { fmt.Fprint(w, text) }
}

// extractor reads a page as the text that it is, without the space around it.
func extractor(version int) func(context.Context, citewell.Page) (citewell.Document, error) {
	return func(_ context.Context, page citewell.Page) (citewell.Document, error) {
		text := strings.TrimSpace(string(page.Body))
		if text == "" {
			return citewell.Document{}, errors.New("it is empty")
		}
		return citewell.Document{
			Text:       text,
			TextSHA256: citewell.SHA256([]byte(text)),
			Extractor:  citewell.Extractor{ID: "test", Version: version},
		}, nil
	}
}

// kept has pages as they were read then, by their address.
type kept map[string]string

func (k kept) Snapshot(_ context.Context, address string) (citewell.Page, citewell.Document, error) {
	body, ok := k[address]
	if !ok {
		return citewell.Page{}, citewell.Document{}, errors.New("not kept")
	}
	return citewell.Page{Body: []byte(body), SHA256: citewell.SHA256([]byte(body))}, citewell.Document{}, nil
}

func TestCheck(t *testing.T) {
	w := newWeb(t, map[string]func(http.ResponseWriter){
		"/same": says(
			"The mill has three ovens.",
		), "/spaced": says("\nThe mill has three ovens.\n\n"), "/other": says("The mill has four ovens."),
		"/moved": func(w http.ResponseWriter) {
			w.Header().Set("Location", "/same")
			w.WriteHeader(http.StatusMovedPermanently)
		},
		"/gone": status(
			http.StatusGone,
		), "/closed": status(http.StatusForbidden), "/busy": status(http.StatusTooManyRequests),
		"/broken": status(
			http.StatusInternalServerError,
		), "/empty": says(" "), "/long": says("The mill has three ovens. More was written below."),
	})
	const then = "The mill has three ovens."
	readable := func(path string) citewell.Source {
		return citewell.Source{URL: w.base + path, Outcome: citewell.FetchOK, PageSHA256: citewell.SHA256([]byte(then)),
			TextSHA256: citewell.SHA256([]byte(then)), Extractor: citewell.Extractor{ID: "test", Version: 2}}
	}
	snippet := citewell.Source{URL: w.base + "/same"}
	older := readable("/spaced")
	older.Extractor.Version, older.TextSHA256 = 1, "of another version"
	keptOlder := older
	keptOlder.URL = w.base + "/spaced?kept"
	cut := readable("/long")
	cut.Outcome = citewell.FetchTruncated
	type expected struct {
		status Status
		same   string // "", true, false
		lost   bool
		detail string
	}
	cases := []struct {
		source citewell.Source
		want   expected
	}{
		{readable("/same"), expected{Unchanged, "true", false, ""}},
		{readable("/spaced"), expected{Unchanged, "true", false, ""}},
		{readable("/other"), expected{Changed, "false", true, ""}},
		{readable("/moved"), expected{Moved, "true", false, ""}},
		{readable("/gone"), expected{Gone, "", false, "410"}},
		{readable("/nowhere"), expected{Gone, "", false, "404"}},
		{readable("/closed"), expected{Blocked, "", false, "403"}},
		{readable("/busy"), expected{RateLimited, "", false, ""}},
		{readable("/broken"), expected{Failed, "", false, "500"}},
		{readable("/empty"), expected{Changed, "false", true, "there is no text now"}},
		{snippet, expected{Unread, "", false, ""}},
		{older, expected{Changed, "false", false, "another version"}},
		{keptOlder, expected{Unchanged, "true", false, ""}},
		{cut, expected{Changed, "false", false, "the first part was read"}},
	}
	var b citewell.Brief
	for i, c := range cases {
		c.source.N = i + 1
		b.Sources = append(b.Sources, c.source)
		quote := citewell.Citation{N: i + 1, Quote: "The mill has three ovens."}
		b.Findings = append(b.Findings, citewell.Finding{Citations: []citewell.Citation{quote, quote}})
	}
	b.Sources = append(
		b.Sources,
		citewell.Source{N: 90, URL: w.base + "/uncited"},
		citewell.Source{N: 91, URL: "file:///a.md"},
		citewell.Source{N: 92, URL: w.base + "/same", Class: siteclass.ClassTool},
	)
	b.Nearest = append(b.Nearest, citewell.Nearest{Citations: []citewell.Citation{{N: 91}, {N: 92}}})
	var told []int
	got, elsewhere, err := Check(t.Context(), b, Options{Fetcher: w, Kept: kept{keptOlder.URL: then},
		Extract: []func(context.Context, citewell.Page) (citewell.Document, error){
			extractor(2),
		}, Told: func(l Link) { told = append(told, l.N) }})
	if err != nil || elsewhere != 2 || len(got) != len(cases) {
		t.Fatalf("%d links, %d elsewhere, %v", len(got), elsewhere, err)
	}
	for i, link := range got {
		want, same := cases[i].want, ""
		if link.SameText != nil {
			same = fmt.Sprint(*link.SameText)
		}
		if link.N != i+1 || link.Status != want.status || same != want.same || len(link.Lost) > 0 != want.lost ||
			!strings.Contains(link.Detail, want.detail) ||
			link.Quotes != 1 {
			t.Errorf(
				"%s is %s, same %q, lost %q, %q, %d quotes; want %+v",
				link.URL,
				link.Status,
				same,
				link.Lost,
				link.Detail,
				link.Quotes,
				want,
			)
		}
	}
	if got[3].MovedTo != w.base+"/same" {
		t.Errorf("it moved to %s", got[3].MovedTo)
	}
	slices.Sort(told)
	if len(told) != len(cases) || !slices.IsSorted(told) || told[0] != 1 {
		t.Errorf("%v were told of", told)
	}
	for _, s := range Statuses {
		if s.Asked() == slices.Contains([]Status{Blocked, RateLimited, Failed}, s) {
			t.Errorf("%s: asked %v", s, s.Asked())
		}
	}
}

func TestTooManyLinks(t *testing.T) {
	var b citewell.Brief
	var cited []citewell.Citation
	for n := range MaxLinks + 1 {
		b.Sources = append(b.Sources, citewell.Source{N: n, URL: "http://quern.example/"})
		cited = append(cited, citewell.Citation{N: n})
	}
	b.Findings = []citewell.Finding{{Citations: cited}}
	if _, _, err := Check(t.Context(), b, Options{}); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
		t.Errorf("%d links: %v", MaxLinks+1, err)
	}
}

// The pages of one host are asked one after another, in the order of the sources.
func TestByHost(t *testing.T) {
	links := []Link{
		{URL: "http://a.example/1"},
		{URL: "http://b.example/"},
		{URL: "http://a.example:80/2"},
		{URL: "http://a.example/3"},
		{URL: "%"},
	}
	if got := fmt.Sprint(byHost(links)); got != "[[0 3] [1] [2] [4]]" {
		t.Errorf("hosts have the links %s", got)
	}
}
