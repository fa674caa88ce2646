package provider

import (
	"cmp"
	"context"
	"encoding/xml"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/identifier"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/search"
	"golang.org/x/text/unicode/norm"
)

const arXivName = "arxiv"

func init() {
	// One request in three seconds and one connection are its terms, over all machines of a user;
	// who asks on after a refusal is kept out for longer.
	limits := search.Limits{Rate: 0.3, RateFixed: true, Parallel: 1, Tries: 1, CoolDown: 15 * time.Minute,
		Timeout: 15 * time.Second, Fresh: 12 * time.Hour, Shared: true}
	register(Description{
		Name:        arXivName,
		About:       "preprints of physics, mathematics and computing; no key, one call in three seconds",
		Docs:        "https://info.arxiv.org/help/api/user-manual.html",
		Kinds:       []search.Kind{search.KindScholarly},
		Open:        true,
		Place:       4,
		Limits:      limits,
		WithContact: &limits,
		Lookups:     []string{citewell.SchemeArXiv},
	}, func(d Deps, s Settings) (search.Provider, error) {
		u, err := endpoint(arXivName, s.BaseURL, "https://export.arxiv.org", "/api/query")
		if err != nil {
			return nil, err
		}
		return &arXiv{newWire(d, arXivName, u, openRefusal), u, time.Now}, nil
	})
}

type arXiv struct {
	*wire
	endpoint *url.URL
	now      func() time.Time
}

const arXivMostResults = 50

// All words must be there, so that a long question finds nothing.
var arXivLimit = queryLimit{chars: 300, words: 20}

// arXivFirstDay is before it began, and arXivMinute the form of its times.
const arXivFirstDay, arXivMinute = "1991-01-01", "200601021504"

func (p *arXiv) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	if q.Identifier.Scheme == citewell.SchemeArXiv {
		return p.lookUp(ctx, q.Identifier.Value)
	}
	words := arXivLimit.cut(ctx, p.name, strings.Join(bareWords(q.Text), " "))
	if words == "" {
		return nil, p.wordless()
	}
	find := "all:" + strings.Join(strings.Fields(words), " AND all:") // a field binds one word
	if since, until := window(q, p.now()); since != "" || until != "" {
		find += " AND submittedDate:[" + arXivTime(cmp.Or(since, arXivFirstDay), 0) + " TO " +
			arXivTime(cmp.Or(until, p.now().UTC().Format(time.DateOnly)), 24*time.Hour-time.Minute) + "]"
	}
	return p.ask(ctx, url.Values{"search_query": {find}, "start": {"0"},
		"max_results": {strconv.Itoa(wanted(q, arXivMostResults))}, "sortBy": {"relevance"}}, q.Limit)
}

// arXivTime is a time of a day, in minutes.
func arXivTime(day string, of time.Duration) string {
	t, _ := time.Parse(time.DateOnly, day) // search.Guarded has let nothing else through
	return t.Add(of).Format(arXivMinute)
}

// lookUp asks for one paper. What is no identifier is not asked for: arXiv keeps out for a while
// who sends one.
func (p *arXiv) lookUp(ctx context.Context, value string) ([]citewell.Result, error) {
	id := identifier.ArXivOwn(identifier.ArXiv(value))
	if id == "" {
		return nil, nil
	}
	return p.ask(ctx, url.Values{"id_list": {id}, "max_results": {"1"}}, 1)
}

type arXivFeed struct {
	XMLName xml.Name     `xml:"http://www.w3.org/2005/Atom feed"`
	Entries []arXivEntry `xml:"entry"`
}

type arXivEntry struct {
	ID        string   `xml:"id"`
	Title     string   `xml:"title"`
	Summary   string   `xml:"summary"`
	Published string   `xml:"published"` // of the first version
	Authors   []string `xml:"author>name"`
	DOI       string   `xml:"doi"`         // of the journal, where its authors said so
	Journal   string   `xml:"journal_ref"` // likewise, in any form
	Comment   string   `xml:"comment"`
}

func (p *arXiv) ask(ctx context.Context, params url.Values, limit int) ([]citewell.Result, error) {
	r, err := p.get(ctx, with(p.endpoint, params), http.Header{"Accept": {"application/atom+xml"}})
	if err != nil {
		return nil, err
	}
	var feed arXivFeed
	if err := xml.Unmarshal(r.text(), &feed); err != nil {
		e := p.fail(citewell.CodeBadResponse, p.name+" sent something else than the feed that was asked for, or a "+
			"part of it", "")
		e.Err = err
		return nil, e
	}
	var results []citewell.Result
	for _, entry := range feed.Entries {
		if strings.Contains(entry.ID, "/api/errors") {
			return nil, p.fail(citewell.CodeInvalidArgument, p.name+" does not take the query as it was put",
				"use other words")
		}
		results = append(results, entry.result())
	}
	return tidy(p.name, results, limit), nil
}

var (
	arXivVersion   = lazyregexp.New(`v(\d{1,3})$`)
	arXivWithdrawn = lazyregexp.New(
		`(?i)^this (?:paper|article|submission|manuscript|work|preprint) (?:has been|is|was) withdrawn`)
)

// arXivText is the preprint of what was published.
func arXivText(id, version string) citewell.WorkVersion {
	return citewell.WorkVersion{Kind: citewell.WorkPreprint, DOI: "10.48550/arxiv." + id, ArXiv: id, Version: version,
		URL: "https://arxiv.org/abs/" + identifier.ArXivOwn(id)}
}

func (e arXivEntry) result() citewell.Result {
	id := identifier.ArXiv(e.ID)
	if id == "" {
		return citewell.Result{}
	}
	summary, comment := strings.TrimSpace(texToText(e.Summary)), strings.TrimSpace(e.Comment)
	work := &citewell.Work{Kind: citewell.WorkPreprint, Venue: cmp.Or(strings.TrimSpace(e.Journal), "arXiv"), ArXiv: id,
		DOI:      cmp.Or(strings.TrimSpace(e.DOI), "10.48550/arxiv."+id),
		OpenCopy: "https://arxiv.org/pdf/" + identifier.ArXivOwn(id), Version: arXivVersion.FindString(e.ID),
		Abstract: summary != ""}
	if e.DOI != "" || e.Journal != "" {
		// it was published, and arXiv does not say as what
		work.Kind, work.Versions = "", []citewell.WorkVersion{arXivText(id, work.Version)}
	} else {
		work.Publisher = "arXiv"
	}
	for _, name := range e.Authors {
		work.Authors = append(work.Authors, texToText(name))
	}
	if arXivWithdrawn.MatchString(comment) || arXivWithdrawn.MatchString(summary) {
		work.Retracted = citewell.WorkRetracted
	}
	published := isoDate(e.Published)
	if published != "" {
		work.Year, _ = strconv.Atoi(published[:4])
	}
	return citewell.Result{Title: texToText(e.Title), URL: "https://arxiv.org/abs/" + identifier.ArXivOwn(id),
		Snippet: summary, Published: published, Work: work}
}

// What of TeX stands in titles for letters and for looks. Formulas stay as they are.
var (
	texAccent = lazyregexp.New(`\\(?:(['"^~=.` + "`" +
		`])(?:\{\\?([a-zA-Z])\}|([a-zA-Z]))|([cHkruv])\{\\?([a-zA-Z])\})`)
	texLetter  = lazyregexp.New(`\{([^\x00-\x7f])\}`)
	texLook    = lazyregexp.New(`\\(?:emph|text(?:bf|it|rm|sc|sf|tt))\{([^{}]*)\}`)
	texEscaped = lazyregexp.New(`\\([&%_#])`)

	texCombining = map[string]string{"'": "\u0301", "`": "\u0300", "^": "\u0302", `"`: "\u0308", "~": "\u0303",
		"=": "\u0304", ".": "\u0307",
		"c": "\u0327", "H": "\u030b", "k": "\u0328", "r": "\u030a", "u": "\u0306", "v": "\u030c"}
)

// texToText writes accents of TeX as letters, and leaves out what only changes how text looks.
func texToText(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	s = texAccent.ReplaceAllStringFunc(s, func(found string) string {
		g := texAccent.FindStringSubmatch(found)
		return norm.NFC.String(g[2] + g[3] + g[5] + texCombining[g[1]+g[4]])
	})
	s = texLetter.ReplaceAllString(s, "$1")
	s = texLook.ReplaceAllString(s, "$1")
	return texEscaped.ReplaceAllString(s, "$1")
}
