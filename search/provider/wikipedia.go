package provider

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/search"
)

const wikipediaName = "wikipedia"

func init() {
	register(Description{
		Name:  wikipediaName,
		About: "the encyclopedia, in the language of the question; no key",
		Docs:  "https://www.mediawiki.org/wiki/API:Search",
		Kinds: []search.Kind{search.KindEncyclopedia},
		Open:  true,
		// Limits go by address and by agent, and move: three at once and Retry-After are what is asked for.
		Limits: search.Limits{Rate: 1, Burst: 3, Parallel: 3, Timeout: 8 * time.Second, Fresh: keptAwhile,
			Shared: true},
		WithContact: &search.Limits{Rate: 1, Burst: 3, Parallel: 3, Timeout: 8 * time.Second, Fresh: keptAwhile,
			Shared: true},
		ContactSites: []string{"wikipedia.org"},
		Languages:    wikipediaLanguages,
	}, func(d Deps, s Settings) (search.Provider, error) {
		at, err := newHosts(d, wikipediaName, s, "https://"+languageMark+".wikipedia.org", "/w/api.php", openRefusal)
		return &wikipedia{at}, err
	})
}

// wikipediaLanguages are the codes of its larger editions, which are those of its hosts.
var wikipediaLanguages = strings.Fields("en ar az be bg bn ca cs cy da de el eo es et eu fa fi fr ga gl gu he hi hr " +
	"hu hy id is it ja ka kk kn ko " +
	"la lt lv mk ml mr ms my nl nn no pa pl pt ro ru si sk sl sq sr sv sw ta te th tl tr uk ur uz vi zh")

// wikipedia finds articles by the words in them, and gives how each begins. It would serve any
// MediaWiki.
type wikipedia struct{ *hosts }

const wikipediaMostResults = 20 // for which it gives beginnings

var (
	wikipediaLimit  = queryLimit{chars: 300}
	wikipediaSyntax = syntax{blank: `"*?~!:\|<>/()[]{}=^`, leading: "-+", words: []string{"AND", "OR", "NOT"}}
)

func (p *wikipedia) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	at, _ := p.of(q)
	noteNoDates(ctx, p.name, q)
	params := url.Values{
		"action": {"query"}, "format": {"json"}, "formatversion": {"2"}, "errorformat": {"plaintext"},
		"generator": {"search"}, "gsrsearch": {wikipediaLimit.cut(ctx, p.name, wikipediaSyntax.plain(q.Text))},
		"gsrnamespace": {"0"}, "gsrlimit": {strconv.Itoa(wanted(q, wikipediaMostResults))},
		"prop": {"extracts|info|pageprops"}, "exintro": {"1"}, "explaintext": {"1"},
		"exlimit": {strconv.Itoa(wikipediaMostResults)}, "inprop": {"url"}, "ppprop": {"disambiguation"},
	}
	r, err := at.getJSON(ctx, with(at.endpoint, params), nil)
	if err != nil {
		return nil, err
	}
	return at.readWikipedia(r, q.Limit)
}

type wikipediaProblem struct{ Code, Info loose }

// wikipediaProblems are the errors that come with 200, in the old form and in the new one.
type wikipediaProblems struct {
	Error  wikipediaProblem
	Errors []wikipediaProblem
}

type wikipediaAnswer struct {
	wikipediaProblems
	Query struct{ Pages []wikipediaPage }
}

type wikipediaPage struct {
	Index                   int
	Title, FullURL, Extract loose
	PageProps               struct{ Disambiguation *loose }
}

func (p place) readWikipedia(r *reply, limit int) ([]citewell.Result, error) {
	var answer wikipediaAnswer
	if err := p.readWiki(r, &answer, &answer.wikipediaProblems); err != nil {
		return nil, err
	}
	pages := answer.Query.Pages // in no order of their own
	slices.SortStableFunc(pages, func(a, b wikipediaPage) int { return cmp.Compare(a.Index, b.Index) })
	var results []citewell.Result
	for _, page := range pages {
		if page.PageProps.Disambiguation != nil { // says what a word may mean, and nothing else
			continue
		}
		results = append(results, citewell.Result{Title: string(page.Title), URL: string(page.FullURL),
			Snippet: string(page.Extract)})
	}
	return tidy(p.name, results, limit), nil
}

// readWiki decodes an answer of a MediaWiki, problems among its fields.
func (w *wire) readWiki(r *reply, into any, problems *wikipediaProblems) error {
	if err := w.readAnswer(r, into, "query", "batchcomplete", "error", "errors"); err != nil {
		return err
	}
	for _, problem := range append(problems.Errors, problems.Error) {
		if problem.Code != "" {
			return w.wikipediaError(string(problem.Code))
		}
	}
	return nil
}

// wikipediaError is an error that comes with 200.
func (w *wire) wikipediaError(code string) error {
	e := w.fail(citewell.CodeBadResponse, w.name+" answered with an error", "")
	switch {
	case code == "ratelimited", code == "maxlag", strings.HasSuffix(code, "too-busy-error"):
		e.Code, e.Message = citewell.CodeRateLimited, w.name+" has too much to do for now"
	case strings.Contains(code, "query-too-long"), strings.HasPrefix(code, "missingparam"),
		strings.HasPrefix(code, "badvalue"):
		e.Code, e.Message = citewell.CodeInvalidArgument, w.name+" does not take the query as it was put"
	}
	if wikipediaCode.MatchString(code) {
		e.Message += " (" + code + ")"
	}
	return e
}

var wikipediaCode = lazyregexp.New(`^[a-z][a-z-]{2,60}$`)
