package provider

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
)

func init() { wires["stackexchange"] = stackExchangeWire }

// compressed is a reply as Stack Exchange sends each, whatever was accepted.
func compressed(t *testing.T, r searchtest.Reply) searchtest.Reply {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(r.Body); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return searchtest.Reply{Status: r.Status, Header: map[string]string{
		"Content-Type": "application/json; charset=utf-8", "Content-Encoding": "gzip"}, Body: out.Bytes()}
}

func stackExchangeWire(t *testing.T) searchtest.Wire {
	want := []citewell.Result{
		{Provider: "stackexchange", Rank: 1, Title: `How do I sort "tides" by height?`,
			URL: "https://stackoverflow.com/q/71", Snippet: "I have a slice of tides & want them sorted by height.",
			Published: "2026-01-01"},
		{Provider: "stackexchange", Rank: 2, Title: `How do I sort "tides" by height?`,
			URL: "https://stackoverflow.com/a/72", Snippet: "Use slices.SortFunc", Published: "2026-01-02"},
		{Provider: "stackexchange", Rank: 3, Title: "Waves in C++", URL: "https://stackoverflow.com/q/73",
			Snippet: "<vector> of waves", Published: "2010-01-01"},
	}
	throttled := refusal(400,
		`{"error_id":502,"error_name":"throttle_violation","error_message":"too many requests from this IP, more requests available in 17524 seconds"}`)
	return searchtest.Wire{
		New: func(t *testing.T, base string) search.Provider {
			p := opened(t, "stackexchange", base)
			p.(*stackExchange).now = now
			return p
		},
		Query: question, Good: replyOf(t, 200, "stackexchange/good.json"), Want: want,
		Empty: jsonReply(`{"items":[],"has_more":false,"quota_max":300,"quota_remaining":298}`),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "GET", "path": "/2.3/search/excerpts",
				"q": "tidal power wave energy 50 潮", "site": "stackoverflow.com",
				"sort": "relevance", "order": "desc", "pagesize": "10", "fromdate": "1768176000", "key": testKey})
		},
		Sent:     func(_ *testing.T, r *http.Request) string { return r.Form.Get("q") },
		MaxChars: 300, Special: `":[]*|`, Reserved: []string{},
		Codes: openCodes,
		Quirks: []searchtest.Quirk{
			{Name: "always_compressed", Reply: compressed(t, replyOf(t, 200, "stackexchange/good.json")), Want: want},
			{Name: "throttled_with_400", Reply: throttled, Code: citewell.CodeRateLimited,
				Says: []string{"from this address", "a key of your own"}},
			{Name: "throttled_and_compressed", Reply: compressed(t, throttled), Code: citewell.CodeRateLimited},
			{Name: "down_with_400", Reply: refusal(400,
				`{"error_id":503,"error_name":"temporarily_unavailable","error_message":"x"}`),
				Code: citewell.CodeHTTPStatus, Says: []string{"for now"}},
			{Name: "unknown_key", Reply: refusal(400, `{"error_id":400,"error_name":"bad_parameter","error_message":"`+
				"`key`"+` doesn't match a known application"}`), Code: citewell.CodeAuth, Says: []string{"api_key"}},
			{Name: "bad_parameter", Reply: refusal(400,
				`{"error_id":400,"error_name":"bad_parameter","error_message":"pagesize"}`),
				Code: citewell.CodeInvalidArgument},
			{Name: "no_number", Reply: jsonReply(
				`{"items":[{"item_type":"answer","question_id":7,"answer_id":"../x","title":"t"}]}`),
				Code: citewell.CodeBadResponse},
		},
	}
}

// What it asks for beside an answer or in a refusal is a pause for all that ask it.
func TestStackExchangeIsLeftAloneAsItAsks(t *testing.T) {
	for name, test := range map[string]struct {
		reply       searchtest.Reply
		least, most time.Duration
		says        string
	}{
		"backoff": {jsonReply(`{"items":[],"backoff":12,"quota_remaining":200}`), 11 * time.Second, 12 * time.Second,
			"asked for a pause"},
		"quota_gone": {jsonReply(`{"items":[],"quota_max":300,"quota_remaining":0}`), 15 * time.Hour, 16 * time.Hour,
			"asked for a pause"},
		"throttled": {
			refusal(400, `{"error_name":"throttle_violation","error_message":"more requests available in 17524 seconds"}`),
			17500 * time.Second, 17524 * time.Second, "takes no more calls"},
	} {
		p := opened(t, "stackexchange", serving(t, searchtest.Wire{Good: test.reply}.Handler()))
		p.(*stackExchange).now = func() time.Time { return time.Date(2026, 2, 12, 8, 0, 0, 0, time.UTC) }
		limits := Deps{}.Limits("stackexchange")
		limits.Shared, limits.Rate = false, 0
		guarded := search.Guarded(p, limits)
		_, first := guarded.Search(t.Context(), question)
		_, err := guarded.Search(t.Context(), question)
		e, ok := err.(*citewell.Error)
		if !ok || e.Code != citewell.CodeRateLimited || e.RetryAfter < test.least || e.RetryAfter > test.most ||
			!strings.Contains(e.Message, test.says) {
			t.Errorf("%s: %v, then %#v", name, first, err)
		}
	}
}

// Each of its sites has its own host, and nothing else gets into an address.
func TestStackExchangeSites(t *testing.T) {
	for site, good := range map[string]bool{"": true, "superuser.com": true, "unix.stackexchange.com": true,
		"ru.stackoverflow.com": false, "codegolf.meta.stackexchange.com": true,
		"stackexchange.com": false, "evil.example": false, "evil.example/?x=.stackexchange.com": false,
		"superuser.com.evil.example": false, "Askubuntu.com": true} {
		p, err := NewWith(testDeps(t), services.StackExchangeOptions{Site: site})
		if (err == nil) != good || err != nil && citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("%q: %v", site, err)
		}
		if good && site != "" && !strings.EqualFold(p.(*stackExchange).options.Site, site) {
			t.Errorf("%q is asked at %q", site, p.(*stackExchange).options.Site)
		}
	}
	d := withSettings(testDeps(t), "stackexchange", Settings{
		BaseURL: serving(t, searchtest.Wire{
			Good: jsonReply(`{"items":[{"item_type":"question","question_id":7,"title":"t"}]}`)}.Handler())})
	p, err := NewWith(d, services.StackExchangeOptions{Site: "superuser.com"})
	if err != nil {
		t.Fatal(err)
	}
	results, err := p.Search(t.Context(), question)
	if err != nil || len(results) != 1 || results[0].URL != "https://superuser.com/q/7" {
		t.Errorf("%+v, %v", results, err)
	}
}
