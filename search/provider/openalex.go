package provider

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/identifier"
	"github.com/citewell/citewell/search"
)

const openAlexName = "openalex"

func init() {
	register(Description{
		Name: openAlexName,
		About: "papers of every field, with abstracts and open copies; 90 searches a day without a key, a free key " +
			"allows more",
		Docs:  "https://developers.openalex.org",
		Env:   []string{"OPENALEX_API_KEY"},
		Kinds: []search.Kind{search.KindScholarly},
		Open:  true,
		Place: 3,
		// A day's $0.10 without a key is 100 searches, and $1 with one 1000; look-ups are free.
		Limits: search.Limits{Rate: 2, Parallel: 2, PerDay: 90, FreeLookups: true, Timeout: 15 * time.Second,
			Fresh: 12 * time.Hour, Shared: true},
		WithKey: &search.Limits{Rate: 4, Parallel: 2, PerDay: 900, FreeLookups: true, Timeout: 15 * time.Second,
			Fresh: 12 * time.Hour, Shared: true},
		Lookups: []string{citewell.SchemeDOI, citewell.SchemePMID},
	}, func(d Deps, s Settings) (search.Provider, error) {
		u, err := endpoint(openAlexName, s.BaseURL, "https://api.openalex.org", "/works")
		if err != nil {
			return nil, err
		}
		return &openAlex{newWire(d, openAlexName, u, openAlexRefused(!s.APIKey.Empty())), u, s.APIKey, time.Now}, nil
	})
}

type openAlex struct {
	*wire
	endpoint *url.URL
	key      citewell.Secret
	now      func() time.Time
}

const openAlexMostResults = 50

var openAlexLimit = queryLimit{chars: 500, words: 40}

// openAlexFields are what is read of a work; all of it has the list of references too.
const openAlexFields = "id,doi,ids,title,publication_date,publication_year,type,authorships,primary_location," +
	"best_oa_location,biblio,is_retracted,is_paratext,abstract_inverted_index"

var openAlexKinds = map[string]citewell.WorkKind{
	"article": citewell.WorkArticle, "review": citewell.WorkArticle, "letter": citewell.WorkArticle,
	"editorial": citewell.WorkArticle,
	"preprint":  citewell.WorkPreprint, "book": citewell.WorkBook, "book-chapter": citewell.WorkChapter,
	"reference-entry": citewell.WorkChapter,
	"dissertation":    citewell.WorkThesis, "report": citewell.WorkReport, "standard": citewell.WorkReport,
	"dataset": citewell.WorkDataset, "software": citewell.WorkSoftware, "peer-review": citewell.WorkReview,
}

func (p *openAlex) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	switch q.Identifier.Scheme {
	case citewell.SchemeDOI, citewell.SchemePMID:
		return p.lookUp(ctx, q.Identifier)
	}
	words := openAlexLimit.cut(ctx, p.name, strings.Join(bareWords(q.Text), " "))
	if words == "" {
		return nil, p.wordless()
	}
	params := url.Values{"search": {words}, "per_page": {strconv.Itoa(wanted(q, openAlexMostResults))}}
	since, until := window(q, p.now())
	var filters []string
	if since != "" {
		filters = append(filters, "from_publication_date:"+since)
	}
	if until != "" {
		filters = append(filters, "to_publication_date:"+until)
	}
	if len(filters) > 0 {
		params.Set("filter", strings.Join(filters, ","))
	}
	var answer struct{ Results []openAlexWork }
	if err := p.getAnswer(ctx, p.at(p.endpoint, params), nil, &answer, "results"); err != nil {
		return nil, err
	}
	return p.results(answer.Results, q.Limit), nil
}

// at is an address with parameters, and with the key; an empty one would be refused.
func (p *openAlex) at(u *url.URL, params url.Values) *url.URL {
	params.Set("select", openAlexFields)
	if !p.key.Empty() {
		params.Set("api_key", p.key.Reveal())
	}
	return with(u, params)
}

// lookUp asks for one work, which costs nothing.
func (p *openAlex) lookUp(ctx context.Context, id citewell.Identifier) ([]citewell.Result, error) {
	var work openAlexWork
	if there, err := p.getRecord(ctx, p.at(p.endpoint.JoinPath(id.Scheme+":"+inPath(id.Value)), url.Values{}), nil,
		&work, "title"); err != nil || !there {
		return nil, err
	}
	return p.results([]openAlexWork{work}, 1), nil
}

// openAlexRefused knows that it says too fast by 403, and by 429 that the day's allowance is gone.
func openAlexRefused(keyed bool) refuse {
	return func(w *wire, r *reply) *citewell.Error {
		e := w.refusal(r)
		switch {
		case r.status == http.StatusTooManyRequests && keyed:
			return w.become(e, citewell.CodeQuotaExhausted, "", "has no more searches for this key today",
				"it is asked again tomorrow")
		case r.status == http.StatusTooManyRequests:
			return w.become(e, citewell.CodeQuotaExhausted, "", "has no more searches for this address today",
				"a free key allows more: set search.providers.openalex.api_key")
		case r.status == http.StatusForbidden:
			return w.become(e, citewell.CodeRateLimited, "", "was asked too fast", "search less often")
		case keyed:
			return e
		}
		return openRefusal(w, r)
	}
}

type openAlexWork struct {
	ID, DOI, Title, Type loose
	IDs                  struct{ PMID loose }
	Date                 loose `json:"publication_date"`
	Year                 int   `json:"publication_year"`
	Authorships          []struct {
		Author struct {
			Name loose `json:"display_name"`
		}
		Raw loose `json:"raw_author_name"`
	}
	Primary openAlexPlace `json:"primary_location"` // it and the next may be null
	Open    openAlexPlace `json:"best_oa_location"`
	Biblio  struct {
		Volume, Issue loose
		First         loose `json:"first_page"`
		Last          loose `json:"last_page"`
	}
	Retracted *bool           `json:"is_retracted"`
	Paratext  bool            `json:"is_paratext"`
	Abstract  json.RawMessage `json:"abstract_inverted_index"`
}

type openAlexPlace struct {
	Page    loose `json:"landing_page_url"`
	PDF     loose `json:"pdf_url"`
	License loose
	Version loose
	Source  struct {
		Name      loose `json:"display_name"`
		Publisher loose `json:"host_organization_name"`
	}
}

// version is the text at a place that is not the published one.
func (at openAlexPlace) version() []citewell.WorkVersion {
	v := citewell.WorkVersion{ArXiv: identifier.ArXiv(string(at.Page)), URL: string(at.Page)}
	switch at.Version {
	case "submittedVersion":
		v.Kind, v.Version = citewell.WorkPreprint, "submitted"
	case "acceptedVersion":
		v.Version = "accepted"
	default:
		return nil
	}
	return []citewell.WorkVersion{v}
}

func (p *openAlex) results(works []openAlexWork, limit int) []citewell.Result {
	var results []citewell.Result
	for _, w := range works {
		title := plainTwice(string(w.Title))
		if w.Paratext || strings.TrimSpace(title) == "" { // a cover, a list of contents
			continue
		}
		abstract := plainTwice(openAlexAbstract(w.Abstract))
		work := &citewell.Work{Kind: openAlexKinds[string(w.Type)], Year: w.Year, Venue: string(w.Primary.Source.Name),
			DOI:  string(w.DOI),
			PMID: lastStep(w.IDs.PMID), OpenCopy: w.Open.PDF.orElse(w.Open.Page), Licence: string(w.Open.License),
			Version: strings.TrimSuffix(string(w.Open.Version), "Version"), Abstract: abstract != "",
			Volume: string(w.Biblio.Volume), Issue: string(w.Biblio.Issue),
			Pages: pageRange(w.Biblio.First, w.Biblio.Last), Publisher: string(w.Primary.Source.Publisher)}
		if w.Primary.Version == "publishedVersion" {
			work.Versions = w.Open.version()
		}
		for _, at := range []loose{w.Primary.Page, w.Open.Page} {
			work.ArXiv = loose(work.ArXiv).orElse(loose(identifier.ArXiv(string(at))))
		}
		for _, a := range w.Authorships {
			work.Authors = append(work.Authors, a.Raw.orElse(a.Author.Name))
		}
		switch {
		case w.Retracted != nil && *w.Retracted, retractedTitle(title):
			work.Retracted = citewell.WorkRetracted
		case w.Retracted != nil:
			work.Retracted = citewell.WorkStands
		}
		results = append(results, citewell.Result{Title: title,
			URL: loose(doiURL(work.DOI)).orElse(w.Primary.Page, w.ID), Snippet: abstract,
			Published: string(w.Date), Work: work})
	}
	return tidy(p.name, results, limit)
}

// lastStep is what stands behind the last slash: the number in https://pubmed.ncbi.nlm.nih.gov/3791.
func lastStep(address loose) string {
	return string(address[strings.LastIndexByte(string(address), '/')+1:])
}

// openAlexMostWords bounds where a word of an abstract may stand.
const openAlexMostWords = 20_000

// openAlexAbstract puts the words of an abstract in their order: {"we":[0],"crane":[1,3]}. It is
// empty where the index is none, or names places that no abstract has.
func openAlexAbstract(inverted json.RawMessage) string {
	var index map[string][]int
	if json.Unmarshal(inverted, &index) != nil {
		return ""
	}
	last := -1
	for _, places := range index {
		for _, at := range places {
			if at < 0 || at >= openAlexMostWords {
				return ""
			}
			last = max(last, at)
		}
	}
	words := make([]string, last+1)
	for word, places := range index {
		for _, at := range places {
			words[at] = word
		}
	}
	words = slices.DeleteFunc(words, func(word string) bool { return word == "" }) // a place that no word has
	return strings.Join(words, " ")
}
