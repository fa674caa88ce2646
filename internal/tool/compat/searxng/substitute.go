package searxng

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/internal/weburl"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/provider"
	"golang.org/x/sync/errgroup"
)

// deadline is for one search by our own providers, with the waits for their limits in it.
const deadline = 12 * time.Second

// A Request is what is asked, in either way of asking it.
type Request struct {
	Q          string // in SearXNG's syntax
	TimeRange  citewell.TimeRange
	Safe       int // 0 off, 1 moderate, 2 strict
	Categories string
	Language   string
	Page       int // 1 is the first
}

func (r Request) query(read query) citewell.Query {
	q := citewell.Query{Text: read.words, TimeRange: r.TimeRange, Limit: 10,
		SafeSearch: map[int]citewell.SafeSearch{0: citewell.SafeOff, 1: citewell.SafeModerate,
			2: citewell.SafeStrict}[r.Safe]}
	if read.language != "" {
		q.Region = regionOf(read.language)
	}
	return q
}

// A Substitute are our own providers, which take the place of a SearXNG.
type Substitute struct {
	Deps  provider.Deps
	Names []string // those that are asked
	Gate  func(name string) *search.Gate
	// Deadline is for all of one request, with the waits for limits.
	Deadline time.Duration
}

// A webSearch is one request to them, in SearXNG's terms, and what has come of it.
type webSearch struct {
	Substitute
	request Request
	jobs    []job
	failed  []failure
	notes   []string
}

// A job is one question to one provider.
type job struct {
	target   bang
	provider search.Provider
	query    citewell.Query
	answer   search.Answer
}

// A failure is what could not be asked, or did not answer.
type failure struct {
	name string
	err  error
}

// Ask returns an answer in SearXNG's form. That none answered is an error.
func (s Substitute) Ask(ctx context.Context, r Request) (Answer, error) {
	w := &webSearch{Substitute: s, request: r}
	read := readQuery(r.Q)
	if err := w.readArguments(&read); err != nil {
		return Answer{}, err
	}
	q := r.query(read)
	for _, target := range w.targets(read.bangs) {
		w.prepare(target, q)
	}
	var g errgroup.Group
	for i := range w.jobs {
		j := &w.jobs[i]
		g.Go(func() error {
			j.answer = <-search.Ask(ctx, j.query, []search.Provider{j.provider}, w.Deadline)
			return nil
		})
	}
	_ = g.Wait() // each job keeps its own error
	for _, job := range w.jobs {
		if job.answer.Err != nil {
			w.failed = append(w.failed, failure{job.provider.Name(), job.answer.Err})
		} else if job.answer.Detail != "" {
			w.note(job.provider.Name() + ": " + job.answer.Detail)
		}
	}
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	if err := w.allFailed(); err != nil {
		return Answer{}, err
	}
	return w.answer(read), nil
}

// readArguments puts what stands in arguments of their own to what stands in the query.
func (w *webSearch) readArguments(read *query) error {
	if w.request.Language != "" && w.request.Language != "all" && w.request.Language != "auto" {
		language, ok := languageOf(w.request.Language)
		if !ok {
			return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "search",
				Message: fmt.Sprintf("language is %.40q, which no provider here knows", w.request.Language),
				Hint: "a tag as in de or pt-BR, or all; known are " +
					strings.Join(slices.Sorted(maps.Keys(languageRegions)), ", ")}
		}
		read.language = cmp.Or(read.language, language)
	}
	for name := range strings.SplitSeq(w.request.Categories, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		b, ok := findBang(name)
		if !ok {
			return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "search",
				Message: fmt.Sprintf("there is no category %.40q", name),
				Hint: "general, news, images, videos, it, q&a, repos, packages, software wikis, scientific " +
					"publications, science, music, lyrics, apps, social media"}
		}
		read.addBang(b)
	}
	if read.words == "" {
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "search",
			Message: "q says where to search, but not what for",
			Hint:    "put words after the bangs, as in !pypi http client"}
	}
	if read.external {
		w.note("!! asks to be sent to another site, which is not done; use one !, as in !wp")
	}
	return nil
}

// targets are what bangs ask for: what is nothing is said, and all sites are one target.
func (w *webSearch) targets(asked []bang) []bang {
	var targets []bang
	var sites bang
	for _, b := range asked {
		b = w.itself(b)
		switch {
		case b.cannot != "":
			w.fail(b.name, b.cannot, ownSearXNG)
		case b.provider != "":
			targets = append(targets, b)
		case len(b.sites) > 0 && len(sites.sites) == 0:
			sites = b
			sites.sites = slices.Clone(b.sites)
		case len(b.sites) > 0:
			sites.name += ", " + b.name
			if sites.category != b.category {
				sites.category = bangs()["general"].category
			}
			sites.sites = append(sites.sites, b.sites...)
		default:
			targets = append(targets, b)
		}
	}
	if len(sites.sites) > 0 {
		slices.Sort(sites.sites)
		sites.sites = slices.Compact(sites.sites)
		if more := sites.sites[min(len(sites.sites), search.MaxSites):]; len(more) > 0 {
			w.note("so many sites fit into no query; left out: " + strings.Join(more, ", "))
			sites.sites = sites.sites[:search.MaxSites]
		}
		targets = append(targets, sites)
	}
	if len(asked) == 0 {
		targets = []bang{bangs()["general"]}
	}
	return targets
}

// itself replaces a bang for sites by the provider that knows them, where that is configured and has the page.
func (w *webSearch) itself(b bang) bang {
	if len(b.sites) == 0 {
		return b
	}
	name, all := strings.ReplaceAll(b.name, " ", ""), true
	if len(b.sites) == 1 && services.IsStackExchange(b.sites[0]) {
		name, all = stackExchange, false
	}
	if w.request.Page > 1 || !slices.Contains(w.Deps.Configured(), name) {
		return b
	}
	b.provider = name
	if all {
		b.sites = nil
	}
	return b
}

// stackExchange is the provider that knows many sites, and is asked for one.
const stackExchange = "stackexchange"

// prepare makes the jobs of one target. Without a provider for it, news are searched on the web and videos on their
// sites.
func (w *webSearch) prepare(target bang, q citewell.Query) {
	names := slices.DeleteFunc(slices.Clone(w.Names), func(name string) bool { return !searchesTheWeb(name) })
	if target.provider != "" {
		names = []string{target.provider}
		if !slices.Contains(w.Deps.Configured(), target.provider) {
			w.fail(target.name, target.provider+" is not configured",
				"search.providers."+target.provider+" in the configuration says what it needs; citewell "+
					"doctor tests it")
			return
		}
	}
	before := len(w.jobs) + len(w.failed)
	for _, name := range names {
		p, text, err := w.open(name, target, q.Text)
		switch {
		case err != nil:
			w.failed = append(w.failed, failure{name, err})
		case p != nil:
			j := job{target: target, provider: w.Gate(name).Guard(p), query: q}
			j.query.Text = text
			w.jobs = append(w.jobs, j)
		}
	}
	if len(w.jobs)+len(w.failed) > before {
		return
	}
	switch {
	case len(names) == 0:
	case w.request.Page > 1:
		w.fail(target.name, "no configured provider has a page "+fmt.Sprint(w.request.Page)+" of it", ownSearXNG)
	case target.vertical == verticalNews:
		w.note("no configured provider has a search for news; the web was searched")
		w.prepare(bangs()["general"], q)
	case target.vertical == verticalVideos:
		w.note("no configured provider has a search for videos; some sites were searched")
		w.prepare(bang{name: target.name, category: verticalVideos,
			sites: []string{"youtube.com", "vimeo.com", "dailymotion.com"}}, q)
	default:
		w.fail(target.name, "no configured provider searches "+target.name+
			"; brave, serpapi, google and a SearXNG do", ownSearXNG)
	}
}

// searchesTheWeb reports whether a provider finds any page; the user's own documents count, as they are always
// searched.
func searchesTheWeb(name string) bool {
	d, _ := provider.Describe(name)
	return len(d.Kinds) == 0 || slices.Contains(d.Kinds, search.KindWeb) || slices.Contains(d.Kinds, search.KindLocal)
}

// ownSearXNG is the hint where only that helps, or that at least.
const ownSearXNG = "search.providers.searxng.base_url in the configuration names a SearXNG of your own"

// fail notes what nobody here can be asked.
func (w *webSearch) fail(name, message, hint string) {
	w.failed = append(w.failed, failure{name, &citewell.Error{Code: citewell.CodeProviderNotConfigured, Op: "search",
		Message: message, Hint: hint}})
}

// alone is the failure as the only one there is: it names what it is about.
func (f failure) alone() error {
	e, ours := f.err.(*citewell.Error)
	if !ours || e.Op != "search" || strings.Contains(e.Message, f.name) {
		return f.err
	}
	named := *e
	named.Message = f.name + ": " + e.Message
	return &named
}

func (w *webSearch) note(note string) {
	if !slices.Contains(w.notes, note) {
		w.notes = append(w.notes, note)
	}
}

// allFailed is the reason where nobody answered: the one there is, or all of them.
func (w *webSearch) allFailed() error {
	for _, job := range w.jobs {
		if job.answer.Err == nil {
			return nil
		}
	}
	switch len(w.failed) {
	case 0:
		return &citewell.Error{Code: citewell.CodeProviderNotConfigured, Op: "search",
			Message: "no provider is configured that can be asked",
			Hint:    "switch duckduckgo on, or set search.providers.searxng.base_url"}
	case 1:
		return w.failed[0].alone()
	}
	var reasons []string
	for _, f := range w.failed {
		reasons = append(reasons, f.name+": "+citewell.View(f.err).Message)
	}
	return &citewell.Error{Code: citewell.CodeAllProvidersFailed, Op: "search",
		Message: "none answered: " + strings.Join(reasons, "; "),
		Hint:    "this does not mean that there is nothing to find"}
}

// answer merges what the jobs found, target by target, each page once.
func (w *webSearch) answer(read query) Answer {
	a := emptyAnswer(w.request.Q)
	seen := map[string]bool{}
	for from := 0; from < len(w.jobs); {
		to := from + 1
		for to < len(w.jobs) && w.jobs[to].target.name == w.jobs[from].target.name {
			to++
		}
		for _, r := range found(read.words, w.jobs[from:to]) {
			key := r.Key + "\n" + r.Image
			if !seen[key] {
				seen[key] = true
				a.Results = append(a.Results, newOwnResult(r, w.jobs[from].target.category).result())
			}
		}
		from = to
	}
	a.NumberOfResults = len(a.Results)
	for _, f := range w.failed {
		a.UnresponsiveEngines = append(a.UnresponsiveEngines, []string{f.name, unresponsive(f.err)})
	}
	a.Notes = w.notes
	return a
}

// found are the results of one target, without those off its sites. Pictures of one page are results of their own.
func found(words string, jobs []job) []search.Ranked {
	var lists [][]citewell.Result
	var pictures []search.Ranked
	for _, job := range jobs {
		var list []citewell.Result
		for _, r := range job.answer.Results {
			switch {
			case len(job.target.sites) > 0 && !weburl.OnSites(r.URL, job.target.sites):
			case r.Image != "":
				pictures = append(pictures, search.Merge([]citewell.Result{r})...)
			default:
				list = append(list, r)
			}
		}
		lists = append(lists, list)
	}
	return search.Score(words, time.Now(), append(search.Merge(lists...), pictures...))
}

// unresponsive is a reason in SearXNG's words, and what the provider said.
func unresponsive(err error) string {
	view := citewell.View(err)
	word := cmp.Or(map[citewell.Code]string{
		citewell.CodeBlockedByProvider: "CAPTCHA", citewell.CodeRateLimited: "too many requests",
		citewell.CodeQuotaExhausted: "quota exhausted",
		citewell.CodeTimeout:        "timeout", citewell.CodeResponseTooSlow: "timeout",
		citewell.CodeAuth:                  "access denied",
		citewell.CodeProviderNotConfigured: "not available", citewell.CodeBadResponse: "parsing error",
	}[view.Code], "HTTP error")
	return word + ": " + view.Message
}
