package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/identifier"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/search"
)

const dataCiteName = "datacite"

func init() {
	register(Description{
		Name:  dataCiteName,
		About: "data sets, theses, software and preprints by their DOIs' register; no key",
		Docs:  "https://support.datacite.org/docs/api",
		Kinds: []search.Kind{search.KindData, search.KindScholarly},
		Open:  true,
		Place: 1,
		// 500 calls in five minutes, and 1000 for a caller with an address.
		Limits:      search.Limits{Rate: 1.5, Parallel: 2, Timeout: 15 * time.Second, Fresh: keptAwhile, Shared: true},
		WithContact: &search.Limits{Rate: 3, Parallel: 2, Timeout: 15 * time.Second, Fresh: keptAwhile, Shared: true},
		Lookups:     []string{citewell.SchemeDOI, citewell.SchemeArXiv},
	}, func(d Deps, s Settings) (search.Provider, error) {
		u, err := endpoint(dataCiteName, s.BaseURL, "https://api.datacite.org", "/dois")
		if err != nil {
			return nil, err
		}
		return &dataCite{newWire(d, dataCiteName, u, openRefusal), u, d.email(), time.Now}, nil
	})
}

type dataCite struct {
	*wire
	endpoint *url.URL
	email    string
	now      func() time.Time
}

const (
	dataCiteMostResults = 50
	dataCiteFields      = "doi,titles,creators,publisher,container,publicationYear,dates,descriptions,types,url," +
		"rightsList,relatedIdentifiers,version"
)

var dataCiteLimit = queryLimit{chars: 500, words: 40}

// dataCiteKinds are those of its general types that a Work has a word for.
var dataCiteKinds = map[string]citewell.WorkKind{
	"JournalArticle": citewell.WorkArticle, "DataPaper": citewell.WorkArticle, "Preprint": citewell.WorkPreprint,
	"ConferencePaper": citewell.WorkConference, "ConferenceProceeding": citewell.WorkConference,
	"Book": citewell.WorkBook, "BookChapter": citewell.WorkChapter, "Dissertation": citewell.WorkThesis,
	"Report": citewell.WorkReport, "Standard": citewell.WorkReport,
	"Dataset": citewell.WorkDataset, "Software": citewell.WorkSoftware, "ComputationalNotebook": citewell.WorkSoftware,
	"PeerReview": citewell.WorkReview,
}

func (p *dataCite) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	switch q.Identifier.Scheme {
	case citewell.SchemeDOI:
		return p.lookUp(ctx, q.Identifier.Value)
	case citewell.SchemeArXiv:
		return p.lookUp(ctx, "10.48550/arxiv."+identifier.ArXivOwn(q.Identifier.Value))
	}
	find := dataCiteLimit.cut(ctx, p.name, strings.Join(bareWords(q.Text), " "))
	if find == "" {
		return nil, p.wordless()
	}
	if since, until := window(q, p.now()); since != "" || until != "" {
		searchcall.Note(ctx, p.name+" keeps to the years of the days that were asked for")
		find += " AND publicationYear:[" + cmp.Or(yearOf(since), "*") + " TO " + cmp.Or(yearOf(until), "*") + "]"
	}
	var answer struct{ Data []dataCiteRecord }
	if err := p.getAnswer(ctx, p.at(p.endpoint, url.Values{
		"query": {find}, "page[size]": {strconv.Itoa(wanted(q, dataCiteMostResults))}, "page[number]": {"1"},
		"sort": {"relevance"}, "disable-facets": {"true"}}), nil, &answer, "data"); err != nil {
		return nil, err
	}
	return p.results(answer.Data, q.Limit), nil
}

// yearOf is the year of a day, and empty of none.
func yearOf(day string) string { return day[:min(len(day), 4)] }

// at is an address with parameters, and with who asks.
func (p *dataCite) at(u *url.URL, params url.Values) *url.URL {
	params.Set("fields[dois]", dataCiteFields)
	if p.email != "" {
		params.Set("mailto", p.email)
	}
	return with(u, params)
}

// lookUp asks for one record; what is of another agency's register is not there.
func (p *dataCite) lookUp(ctx context.Context, doi string) ([]citewell.Result, error) {
	var answer struct{ Data dataCiteRecord }
	if there, err := p.getRecord(ctx, p.at(p.endpoint.JoinPath(inPath(doi)), url.Values{}), nil, &answer,
		"data"); err != nil || !there {
		return nil, err
	}
	return p.results([]dataCiteRecord{answer.Data}, 1), nil
}

type dataCiteRecord struct {
	Attributes struct {
		DOI, URL, Version loose
		PublicationYear   loose
		Titles            []struct{ Title loose }
		Creators          []struct{ Name, GivenName, FamilyName loose }
		Publisher         json.RawMessage // a name, or an object with one
		Container         json.RawMessage // an object with a title, or an empty one of any form
		Dates             []struct{ Date, DateType loose }
		Descriptions      []struct{ Description, DescriptionType loose }
		Types             struct{ ResourceTypeGeneral, Citeproc loose }
		RightsList        []struct{ Rights, RightsURI, RightsIdentifier loose }
		Related           []struct {
			RelationType, RelatedIdentifier, RelatedIdentifierType loose
		} `json:"relatedIdentifiers"`
	}
}

func (p *dataCite) results(records []dataCiteRecord, limit int) []citewell.Result {
	var results []citewell.Result
	for _, r := range records {
		if len(r.Attributes.Titles) > 0 {
			results = append(results, r.result())
		}
	}
	return tidy(p.name, results, limit)
}

func (r dataCiteRecord) result() citewell.Result {
	a := r.Attributes
	var publisher loose
	if json.Unmarshal(a.Publisher, &publisher); publisher == "" {
		publisher = loose(linkIn(a.Publisher, "name"))
	}
	year, _ := strconv.Atoi(string(a.PublicationYear)) // no number: 0
	work := &citewell.Work{Kind: dataCiteKinds[string(a.Types.ResourceTypeGeneral)], Year: year,
		Venue: loose(linkIn(a.Container, "title")).orElse(publisher), DOI: string(a.DOI), Version: string(a.Version),
		Volume: linkIn(a.Container, "volume"), Issue: linkIn(a.Container, "issue"), Publisher: string(publisher),
		Pages: pageRange(loose(linkIn(a.Container, "firstPage")), loose(linkIn(a.Container, "lastPage")))}
	if work.Kind == "" && a.Types.Citeproc == "thesis" { // a text in general
		work.Kind = citewell.WorkThesis
	}
	for _, c := range a.Creators {
		whole := loose(strings.TrimSpace(string(c.GivenName)) + " " + strings.TrimSpace(string(c.FamilyName)))
		if c.GivenName == "" || c.FamilyName == "" {
			whole = c.Name
		}
		work.Authors, work.Families = append(work.Authors, string(whole)),
			append(work.Families, strings.TrimSpace(string(c.FamilyName)))
	}
	if len(a.RightsList) > 0 {
		rights := a.RightsList[0]
		work.Licence = rights.RightsIdentifier.orElse(rights.RightsURI, rights.Rights)
	}
	result := citewell.Result{Title: plainText(string(a.Titles[0].Title)),
		URL: a.URL.orElse(loose(doiURL(work.DOI))), Work: work}
	for _, d := range a.Descriptions {
		if d.DescriptionType == "Abstract" && result.Snippet == "" {
			result.Snippet, work.Abstract = plainText(string(d.Description)), true
		}
	}
	for _, d := range a.Dates {
		if d.DateType == "Issued" || d.DateType == "Submitted" && result.Published == "" {
			result.Published = cmp.Or(isoDate(string(d.Date)), result.Published)
		}
	}
	if work.ArXiv = identifier.ArXiv(work.DOI); work.ArXiv != "" {
		r.published(work)
	}
	for _, related := range a.Related[:min(len(a.Related), maxVersions)] {
		if doi := identifier.DOI(string(related.RelatedIdentifier)); related.RelationType == "IsPreprintOf" &&
			related.RelatedIdentifierType == "DOI" && doi != "" {
			work.Versions = append(work.Versions, citewell.WorkVersion{DOI: doi, URL: doiURL(doi)})
		}
	}
	if retractedTitle(result.Title) {
		work.Retracted = citewell.WorkRetracted
	}
	return result
}

// published gives a preprint of arXiv the DOI of what it became, where its authors stated one.
// Elsewhere the same relation holds between versions of one data set.
func (r dataCiteRecord) published(work *citewell.Work) {
	work.Kind, work.OpenCopy = citewell.WorkPreprint, "https://arxiv.org/pdf/"+identifier.ArXivOwn(work.ArXiv)
	for _, related := range r.Attributes.Related {
		doi := identifier.DOI(string(related.RelatedIdentifier))
		if related.RelationType == "IsVersionOf" && related.RelatedIdentifierType == "DOI" && doi != "" &&
			identifier.ArXiv(doi) == "" {
			work.Versions = []citewell.WorkVersion{arXivText(work.ArXiv, work.Version)}
			work.DOI, work.Kind, work.Publisher = doi, "", "" // it does not say as what it was published, or by whom
			return
		}
	}
}
