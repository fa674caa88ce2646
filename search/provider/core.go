package provider

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/identifier"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/search"
)

const coreName = "core"

func init() {
	register(Description{
		Name:  coreName,
		About: "papers and theses of open repositories, with where their texts are; a free key",
		Docs:  "https://api.core.ac.uk/docs/v3",
		Needs: []string{needKey},
		Env:   []string{"CORE_API_KEY"},
		Kinds: []search.Kind{search.KindScholarly},
		// Ten calls a minute, the burst among them. What an account may ask on a day is its own, and a refusal says so.
		Limits: search.Limits{Rate: 0.1, Burst: 3, Parallel: 1, CoolDown: 5 * time.Minute, Fresh: keptAwhile,
			Shared: true},
		Lookups: []string{citewell.SchemeDOI},
	}, func(d Deps, s Settings) (search.Provider, error) {
		at, err := newService(d, coreName, s, "https://api.core.ac.uk", "/v3/search/works", struct{}{}, (*wire).refusal)
		if err != nil {
			return nil, err
		}
		at.endpoint = at.endpoint.JoinPath("/") // without its last slash it is elsewhere
		return &core{at}, nil
	})
}

// core takes longer than others do, and the longer the more is asked for.
type core struct{ service[struct{}] }

const coreMostResults = 15

var coreLimit = queryLimit{chars: 300, words: 40}

func (p *core) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	if q.Identifier.Scheme == citewell.SchemeDOI {
		doi := identifier.DOI(q.Identifier.Value)
		results, err := p.ask(ctx, `doi:"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(doi)+`"`, coreMostResults)
		// it finds like ones, too
		results = slices.DeleteFunc(results, func(r citewell.Result) bool { return r.Work.DOI != doi })
		return tidy(p.name, results, 1), err
	}
	find := coreLimit.cut(ctx, p.name, strings.Join(bareWords(q.Text), " "))
	if find == "" {
		return nil, p.wordless()
	}
	since, until := window(q, p.now())
	if since != "" || until != "" {
		searchcall.Note(ctx, p.name+" keeps to the years of the days that were asked for")
	}
	if since != "" {
		find += " AND yearPublished>=" + yearOf(since)
	}
	if until != "" {
		find += " AND yearPublished<=" + yearOf(until)
	}
	return p.ask(ctx, find, wanted(q, coreMostResults))
}

func (p *core) ask(ctx context.Context, find string, limit int) ([]citewell.Result, error) {
	params := url.Values{"q": {find}, "limit": {strconv.Itoa(limit)}, "exclude": {"fullText"}} // whole theses come else
	var answer struct{ Results []coreWork }
	if err := p.getAnswer(ctx, with(p.endpoint, params), http.Header{"Authorization": {"Bearer " + p.key.Reveal()}},
		&answer, "results"); err != nil {
		return nil, err
	}
	var results []citewell.Result
	for _, w := range answer.Results {
		if w.Title != "" {
			results = append(results, w.result())
		}
	}
	return tidy(p.name, results, limit), nil
}

type coreWork struct {
	Title, Abstract, DOI, ArXivID, PubMedID, DownloadURL, Publisher loose
	PublishedDate, YearPublished                                    loose
	DocumentType                                                    looseList
	Authors                                                         []struct{ Name loose }
	Journals                                                        []struct{ Title loose }
	Links                                                           []struct{ Type, URL loose }
}

func (w coreWork) result() citewell.Result {
	year, _ := strconv.Atoi(string(w.YearPublished)) // no number: 0
	work := &citewell.Work{Year: year, Venue: string(w.Publisher), DOI: string(w.DOI), ArXiv: string(w.ArXivID),
		PMID:     string(w.PubMedID),
		OpenCopy: string(w.DownloadURL), Abstract: w.Abstract != "", Publisher: string(w.Publisher)}
	if slices.Contains(w.DocumentType, "thesis") {
		work.Kind = citewell.WorkThesis
	}
	if len(w.Journals) > 0 {
		work.Venue = w.Journals[0].Title.orElse(w.Publisher)
	}
	for _, a := range w.Authors {
		work.Authors = append(work.Authors, string(a.Name))
	}
	var page loose
	for _, link := range w.Links {
		if link.Type == "display" {
			page = link.URL
		}
	}
	title := plainText(string(w.Title))
	if retractedTitle(title) {
		work.Retracted = citewell.WorkRetracted
	}
	return citewell.Result{Title: title, URL: loose(doiURL(work.DOI)).orElse(page, w.DownloadURL),
		Snippet: plainText(string(w.Abstract)), Published: string(w.PublishedDate), Work: work}
}
