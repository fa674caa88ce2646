package provider

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
	"github.com/google/go-cmp/cmp"
)

// asProvider lets what reads pages pass the suite of searching: every fault of a
// network must end in the same codes.
type asProvider struct {
	name string
	ask  func(context.Context) ([]citewell.Result, error)
}

func (p asProvider) Name() string { return p.name }

func (p asProvider) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	results, err := p.ask(ctx)
	return tidy(p.name, results, q.Limit), err
}

// threePages are asked for; the second fails, and the third is spelled otherwise in
// the answers below.
var threePages = []string{"https://www.tides.example/power?a=1&b=2", "https://gone.example/", "https://Rance.example"}

func pageResults(pages []services.PageText, err error) ([]citewell.Result, error) {
	var results []citewell.Result
	for _, p := range pages {
		if p.Err == nil {
			results = append(results, citewell.Result{Title: p.Title, URL: p.URL, Snippet: p.Text})
		}
	}
	return results, err
}

func wantedPages(name, firstTitle, secondTitle string) []citewell.Result {
	return []citewell.Result{
		{Provider: name, Rank: 1, Title: firstTitle, URL: threePages[0],
			Snippet: "# Tidal power The sea rises and falls."},
		{Provider: name, Rank: 2, Title: secondTitle, URL: threePages[2], Snippet: "The plant still runs."},
	}
}

const tavilyPages = `{"results":[{"url":"https://rance.example/","raw_content":"The plant still runs.","images":[]},
	{"url":"https://www.tides.example/power?a=1&b=2","title":"Tides","raw_content":"# Tidal power\n\nThe sea rises and falls.","images":[]}],
	"failed_results":[{"url":"https://gone.example/","error":"Failed to fetch\nurl"}],"response_time":"0.02","request_id":"x"}`

const exaGivenPages = `{"requestId":"x","results":[{"id":"https://rance.example/","url":"https://rance.example/","title":null,"text":"The plant still runs."},
	{"id":"https://www.tides.example/power?a=1&b=2","url":"https://tides.example/power","title":"Tides","text":"# Tidal power\n\nThe sea rises and falls."}],
	"statuses":[{"id":"https://gone.example/","status":"error","error":{"tag":"CRAWL_NOT_FOUND","httpStatusCode":404}},
	{"id":"https://rance.example/","status":"success"},{"id":"https://www.tides.example/power?a=1&b=2","status":"success"}],"costDollars":{"total":0.003}}`

const exaAlikePages = `{"requestId":"x","results":[{"id":"1","url":"https://a.example/#top","title":"One\nline","score":0.12344,"publishedDate":"2026-02-11T08:30:00.000Z","text":"First\nsecond."},
	{"id":"https://b.example/","title":null,"text":null},{"id":"3","url":"javascript:alert(1)","title":"Not a page"}],"costDollars":{"total":0.005}}`

func TestPagesOfTavily(t *testing.T) {
	searchtest.Run(t, searchtest.Wire{
		New: func(t *testing.T, base string) search.Provider {
			p, err := NewTavilyExtract(withSettings(testDeps(t), "tavily", keyed(base)))
			if err != nil {
				t.Fatal(err)
			}
			return asProvider{"tavily", func(ctx context.Context) ([]citewell.Result, error) {
				return pageResults(p.Read(ctx, threePages))
			}}
		},
		Query: question, Secrets: keys, Good: jsonReply(tavilyPages), Want: wantedPages("tavily", "Tides", ""),
		Empty: jsonReply(`{"results":[],"failed_results":[]}`),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "POST", "path": "/extract"})
			want := map[string]any{"urls": []any{threePages[0], threePages[1], threePages[2]}, "extract_depth": "basic",
				"format": "markdown"}
			if diff := cmp.Diff(want, jsonBody(t, r)); diff != "" ||
				r.Header.Get("Authorization") != "Bearer "+testKey {
				t.Errorf("%v, want - got +\n%s", r.Header, diff)
			}
		},
		Quirks: []searchtest.Quirk{
			{Name: "plan_used_up", Reply: refusal(432,
				`{"detail":{"error":"This request exceeds your plan's set usage limit."}}`),
				Code: citewell.CodeQuotaExhausted, Says: []string{"plan's credits"}},
			{Name: "bad_key", Reply: refusal(401, `{"detail":{"error":"Unauthorized"}}`), Code: citewell.CodeAuth},
			{Name: "bad_urls", Reply: refusal(400, `{"detail":{"error":"bad"}}`), Code: citewell.CodeInvalidArgument,
				Says: []string{"these URLs"}},
			{Name: "some_other_json", Reply: jsonReply(`{"hits":[]}`), Code: citewell.CodeBadResponse},
		},
		Codes: postCodes,
	})
}

func TestPagesOfExa(t *testing.T) {
	searchtest.Run(t, searchtest.Wire{
		New: func(t *testing.T, base string) search.Provider {
			p, err := NewExaContents(withSettings(testDeps(t), "exa", keyed(base)))
			if err != nil {
				t.Fatal(err)
			}
			return asProvider{"exa", func(ctx context.Context) ([]citewell.Result, error) {
				return pageResults(p.Read(ctx, threePages))
			}}
		},
		Query: question, Secrets: keys, Good: jsonReply(exaGivenPages), Want: wantedPages("exa", "Tides", ""),
		Empty: jsonReply(`{"results":[],"statuses":[]}`),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "POST", "path": "/contents"})
			want := map[string]any{"urls": []any{threePages[0], threePages[1], threePages[2]},
				"text": map[string]any{"maxCharacters": 200000.0}}
			if diff := cmp.Diff(want, jsonBody(t, r)); diff != "" || r.Header.Get("X-Api-Key") != testKey {
				t.Errorf("%v, want - got +\n%s", r.Header, diff)
			}
		},
		Quirks: []searchtest.Quirk{
			{Name: "no_credits", Reply: refusal(402, `{"error":"x","tag":"NO_MORE_CREDITS"}`),
				Code: citewell.CodeQuotaExhausted, Says: []string{"no credits left"}},
			{Name: "words_about_credit_mean_nothing", Reply: refusal(500, `{"error":"402 credit quota payment"}`),
				Code: citewell.CodeHTTPStatus},
			{Name: "bad_urls", Reply: refusal(400, `{"tag":"INVALID_REQUEST_BODY"}`),
				Code: citewell.CodeInvalidArgument, Says: []string{"these URLs"}},
		},
		Codes: postCodes,
	})
}

func TestPagesLikeOne(t *testing.T) {
	searchtest.Run(t, searchtest.Wire{
		New: func(t *testing.T, base string) search.Provider {
			p, err := NewExaSimilar(withSettings(testDeps(t), "exa", keyed(base+"/search")))
			if err != nil {
				t.Fatal(err)
			}
			return asProvider{"exa", func(ctx context.Context) ([]citewell.Result, error) {
				pages, err := p.Similar(ctx, threePages[0], 5, 2000)
				var results []citewell.Result
				for _, s := range pages {
					results = append(results, citewell.Result{Title: s.Title, URL: s.URL, Snippet: s.Text,
						Published: s.Published})
				}
				return results, err
			}}
		},
		Query: question, Secrets: keys, Good: jsonReply(exaAlikePages),
		Want: []citewell.Result{{Provider: "exa", Rank: 1, Title: "One line", URL: "https://a.example/",
			Snippet: "First second.", Published: "2026-02-11"},
			{Provider: "exa", Rank: 2, URL: "https://b.example/"}},
		Empty: jsonReply(`{"results":[]}`),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "POST", "path": "/findSimilar"})
			want := map[string]any{"url": threePages[0], "numResults": 5.0,
				"contents": map[string]any{"text": map[string]any{"maxCharacters": 2000.0}}}
			if diff := cmp.Diff(want, jsonBody(t, r)); diff != "" || r.Header.Get("X-Api-Key") != testKey {
				t.Errorf("%v, want - got +\n%s", r.Header, diff)
			}
		},
		Quirks: []searchtest.Quirk{{Name: "budget", Reply: refusal(403, `{"tag":"API_KEY_BUDGET_EXCEEDED"}`),
			Code: citewell.CodeQuotaExhausted, Says: []string{"budget"}}},
		Codes: postCodes,
	})
}

// Each page has its own outcome, told by its id and not by its place.
func TestPagesInOrder(t *testing.T) {
	d := withSettings(testDeps(t), "exa", keyed(recordingServer(t, []byte(exaGivenPages)).URL))
	p, err := NewExaContents(d)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := p.Read(t.Context(), append(slices.Clone(threePages), "https://never.example/x", threePages[0]))
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, page := range pages {
		got += fmt.Sprintf("%s %.8q %v\n", page.URL, page.Text, citewell.View(errorOf(page)).Message)
	}
	want := `https://www.tides.example/power?a=1&b=2 "# Tidal " 
https://gone.example/ "" exa could not read it: there is no such page (CRAWL_NOT_FOUND) (404)
https://Rance.example "The plan" 
https://never.example/x "" exa said nothing about this URL
https://www.tides.example/power?a=1&b=2 "# Tidal " 
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for tag, code := range map[string]citewell.Code{"CRAWL_NOT_FOUND": citewell.CodeNotFound,
		"CRAWL_TIMEOUT": citewell.CodeTimeout, "SOURCE_NOT_AVAILABLE": citewell.CodeBlockedByProvider,
		"UNSUPPORTED_URL": citewell.CodeUnsupportedType, "CRAWL_UNKNOWN_ERROR": citewell.CodeHTTPFailed,
		"odd <b>": citewell.CodeHTTPFailed} {
		if e := p.statusOf(tag, "x"); e.Code != code || strings.Contains(e.Message, "<") {
			t.Errorf("%s is %s: %s", tag, e.Code, e.Message)
		}
	}
}

func errorOf(p services.PageText) error {
	if p.Err == nil {
		return nil
	}
	return p.Err
}

// What is no public address is told to nobody.
func TestPagesInsideAreNotSent(t *testing.T) {
	asked := recordingServer(t, []byte(`{"results":[]}`))
	tavily, err := NewTavilyExtract(withSettings(testDeps(t), "tavily", keyed(asked.URL)))
	if err != nil {
		t.Fatal(err)
	}
	similar, err := NewExaSimilar(withSettings(testDeps(t), "exa", keyed(asked.URL)))
	if err != nil {
		t.Fatal(err)
	}
	for raw, code := range map[string]citewell.Code{
		"http://127.0.0.1/": citewell.CodeBlockedAddress, "http://10.0.0.5/x": citewell.CodeBlockedAddress,
		"http://[::1]/":                citewell.CodeBlockedAddress,
		"http://[::ffff:192.168.0.1]/": citewell.CodeBlockedAddress,
		"http://169.254.169.254/":      citewell.CodeBlockedAddress, "http://[fd00::1]/": citewell.CodeBlockedAddress,
		"http://localhost/": citewell.CodeBlockedAddress, "http://wiki/": citewell.CodeBlockedAddress,
		"http://build.corp/":    citewell.CodeBlockedAddress,
		"http://nas.home.arpa/": citewell.CodeBlockedAddress, "http://metadata.google." +
			"internal/": citewell.CodeBlockedAddress,
		"http://me:hunter2@a.example/": citewell.CodeInvalidURL, "http://2130706433/": citewell.CodeInvalidURL,
		"a.example": citewell.CodeInvalidURL, "ftp://a.example/": citewell.CodeUnsupportedScheme,
	} {
		_, err := tavily.Read(t.Context(), []string{"https://a.example/", raw})
		if view := citewell.View(err); view.Code != code || !strings.HasPrefix(view.Message, "urls[1]") ||
			strings.Contains(view.Message, "hunter2") {
			t.Errorf("%s: %+v", raw, view)
		}
		_, err = similar.Similar(t.Context(), raw, 5, 0)
		if view := citewell.View(err); view.Code != code || view.Message == "" ||
			strings.Contains(view.Message, "hunter2") {
			t.Errorf("%s: %+v", raw, view)
		}
	}
	for _, urls := range [][]string{nil, slices.Repeat([]string{"https://a.example/"}, 21)} {
		if _, err := tavily.Read(t.Context(), urls); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("%d URLs: %v", len(urls), err)
		}
	}
	if _, err := similar.Similar(t.Context(), "https://a.example/", 11,
		0); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
		t.Errorf("11 pages: %v", err)
	}
	if asked.last != nil {
		t.Error("something was sent")
	}
	if _, err := NewTavilyExtract(testDeps(t)); citewell.CodeOf(err) != citewell.CodeProviderNotConfigured {
		t.Errorf("without a key: %v", err)
	}
}

func FuzzPageTexts(f *testing.F) {
	for _, seed := range []string{tavilyPages, exaGivenPages, exaAlikePages,
		`{"results":[null,{"url":[],"id":{},"score":"x"}],"statuses":[{"status":"error","error":null}],"failed_results":[null]}`} {
		f.Add([]byte(seed))
	}
	d := testDeps(f)
	d.Settings = map[string]Settings{"tavily": keyed("http://127.0.0.1"), "exa": keyed("http://127.0.0.1")}
	tavily, err := NewTavilyExtract(d)
	if err != nil {
		f.Fatal(err)
	}
	exa, err := NewExaContents(d)
	if err != nil {
		f.Fatal(err)
	}
	similar, err := NewExaSimilar(d)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, read := range []func(*reply, []string) ([]services.PageText, error){tavily.read, exa.read} {
			pages, err := read(fuzzReply("application/json", body), threePages)
			if err != nil {
				if citewell.CodeOf(err) == citewell.CodeInternal {
					t.Errorf("%v", err)
				}
				continue
			}
			if len(pages) < len(threePages) {
				t.Fatalf("%d pages", len(pages))
			}
			for i, p := range pages {
				if (p.Text == "") != (p.Err != nil) || i < len(threePages) && p.URL != threePages[i] {
					t.Errorf("page %d: %+v", i, p)
				}
			}
		}
		pages, err := similar.read(fuzzReply("application/json", body), 3)
		var results []citewell.Result
		for _, p := range pages {
			results = append(results, citewell.Result{Title: p.Title, URL: p.URL, Published: p.Published})
		}
		checkFuzzed(t, "exa", tidy("exa", results, 0), err)
		if len(pages) > 3 {
			t.Errorf("%d pages", len(pages))
		}
	})
}
