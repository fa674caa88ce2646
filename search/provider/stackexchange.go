package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/search"
)

const stackExchangeName = "stackexchange"

func init() {
	register(Description{
		Name:  stackExchangeName,
		About: "questions of programmers and what others answered them, of Stack Overflow; no key",
		Docs:  "https://api.stackexchange.com/docs/excerpt-search",
		Env:   []string{"STACKEXCHANGE_API_KEY"},
		Kinds: []search.Kind{search.KindCode},
		Open:  true,
		// 300 calls a day for an address, 10,000 with a key that costs nothing. What a refusal
		// says of seconds may be most of a day.
		Limits: search.Limits{Rate: 1, Parallel: 1, PerDay: 280, Timeout: 8 * time.Second, Fresh: keptAwhile,
			Shared: true, MaxCooldown: 24 * time.Hour},
		WithKey: &search.Limits{Rate: 5, Parallel: 2, PerDay: 9000, Timeout: 8 * time.Second, Fresh: keptAwhile,
			Shared: true, MaxCooldown: 24 * time.Hour},
	}, func(d Deps, s Settings) (search.Provider, error) {
		return newStackExchange(d, s, services.StackExchangeOptions{})
	})
}

const stackOverflow = "stackoverflow.com"

func newStackExchange(d Deps, s Settings, o services.StackExchangeOptions) (search.Provider, error) {
	o.Site = cmp.Or(strings.ToLower(o.Site), stackOverflow)
	if !services.IsStackExchange(o.Site) {
		return nil, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "search " + stackExchangeName,
			Message: fmt.Sprintf("%.60q is no site of Stack Exchange", o.Site),
			Hint:    "give a host, as in superuser.com or unix.stackexchange.com"}
	}
	at, err := newService(d, stackExchangeName, s, "https://api.stackexchange.com", "/2.3/search/excerpts", o,
		stackExchangeRefused)
	return &stackExchange{at}, err
}

// stackExchange finds questions, and answers by themselves, on one of its sites.
type stackExchange struct {
	service[services.StackExchangeOptions]
}

const stackExchangeMostResults = 50

var (
	stackExchangeLimit  = queryLimit{chars: 300} // its documents name none; its addresses have an end
	stackExchangeSyntax = syntax{blank: `":[]*|`, leading: "-"}
)

func (p *stackExchange) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	params := url.Values{"q": {stackExchangeLimit.cut(ctx, p.name, stackExchangeSyntax.plain(contentWords(q.Text)))},
		"site": {p.options.Site},
		"sort": {"relevance"}, "order": {"desc"}, "pagesize": {strconv.Itoa(wanted(q, stackExchangeMostResults))}}
	since, until := window(q, p.now())
	for name, second := range map[string]string{"fromdate": unixOf(since), "todate": unixOf(dayAfter(until))} {
		if second != "" {
			params.Set(name, second)
		}
	}
	if !p.key.Empty() {
		params.Set("key", p.key.Reveal())
	}
	var answer struct {
		Items     []stackExchangeItem
		Backoff   loose // seconds
		Remaining loose `json:"quota_remaining"`
	}
	if err := p.getAnswer(ctx, with(p.endpoint, params), nil, &answer, "items"); err != nil {
		return nil, err
	}
	searchcall.Rest(ctx, throttle(string(answer.Backoff)))
	if answer.Remaining == "0" { // it counts by days of UTC
		now := p.now().UTC()
		searchcall.Rest(ctx, now.Truncate(24*time.Hour).Add(24*time.Hour).Sub(now))
	}
	var results []citewell.Result
	for _, item := range answer.Items {
		results = append(results, item.result(p.options.Site))
	}
	return p.kept(results, len(results), q.Limit)
}

type stackExchangeItem struct {
	Type     loose `json:"item_type"`
	Question loose `json:"question_id"`
	Answer   loose `json:"answer_id"`
	Created  loose `json:"creation_date"`
	Title    loose
	Body     loose // all of it
	Excerpt  loose // what fits the query, with the words that do in spans
}

// result is a question or an answer at its own address.
func (i stackExchangeItem) result(site string) citewell.Result {
	path, id := "/q/", i.Question
	if i.Type == "answer" {
		path, id = "/a/", i.Answer
	}
	r := citewell.Result{Title: plainText(string(i.Title)), Snippet: plainText(i.Body.orElse(i.Excerpt)),
		Published: dayOf(i.Created)}
	if _, err := strconv.ParseUint(string(id), 10, 64); err == nil {
		r.URL = "https://" + site + path + string(id)
	}
	return r
}

// throttle is a number of seconds that Stack Exchange asks for, at most a day.
func throttle(seconds string) time.Duration {
	n, err := strconv.Atoi(seconds)
	if err != nil {
		return 0
	}
	return time.Duration(min(n, 24*60*60)) * time.Second
}

var stackExchangeWait = lazyregexp.New(`available in (\d{1,6}) seconds`)

// stackExchangeRefused reads a refusal, which has status 400 whatever it is for.
func stackExchangeRefused(w *wire, r *reply) *citewell.Error {
	e := openRefusal(w, r)
	var refusal struct {
		Name    loose `json:"error_name"`
		Message loose `json:"error_message"`
	}
	if err := json.Unmarshal(r.body, &refusal); err != nil {
		return e
	}
	switch refusal.Name {
	case "throttle_violation":
		w.become(e, citewell.CodeRateLimited, "", "takes no more calls from this address for now",
			"a key of your own, search.providers.stackexchange.api_key, has a larger share")
		if found := stackExchangeWait.FindStringSubmatch(string(refusal.Message)); found != nil {
			e.RetryAfter = throttle(found[1])
		}
	case "internal_error", "temporarily_unavailable":
		w.become(e, citewell.CodeHTTPStatus, "", "cannot answer for now", "")
		e.Err = search.ErrTemporary
	case "bad_parameter":
		if strings.Contains(string(refusal.Message), "key") {
			w.become(e, citewell.CodeAuth, "", "does not know the key",
				"check search.providers.stackexchange.api_key, or leave it out")
		}
	}
	return e
}
