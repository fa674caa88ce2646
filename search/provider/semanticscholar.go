package provider

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/identifier"
	"github.com/citewell/citewell/search"
)

const semanticScholarName = "semanticscholar"

func init() {
	register(Description{
		Name: semanticScholarName,
		About: "papers of every field, with abstracts or a sentence of each; a free key, for without one the " +
			"calls of " +
			"all the world are counted together",
		Docs:  "https://api.semanticscholar.org/api-docs/graph",
		Needs: []string{needKey},
		Env:   []string{"SEMANTIC_SCHOLAR_API_KEY", "S2_API_KEY"},
		Kinds: []search.Kind{search.KindScholarly},
		// A key has one call a second.
		Limits:  search.Limits{Rate: 0.9, Parallel: 1, Fresh: keptAwhile, Shared: true},
		Lookups: []string{citewell.SchemeDOI, citewell.SchemeArXiv, citewell.SchemePMID, citewell.SchemePMCID},
	}, opens(semanticScholarName, "https://api.semanticscholar.org", "/graph/v1/paper/search", (*wire).refusal,
		func(at service[struct{}]) search.Provider { return &semanticScholar{at} }))
}

type semanticScholar struct{ service[struct{}] }

const (
	semanticScholarMostResults = 50
	semanticScholarFields      = "title,abstract,tldr,year,authors,externalIds,openAccessPdf,publicationDate," +
		"publicationTypes,venue,publicationVenue,journal,url"
)

var semanticScholarLimit = queryLimit{chars: 300, words: 40}

var semanticScholarKinds = map[string]citewell.WorkKind{
	"JournalArticle": citewell.WorkArticle, "Conference": citewell.WorkConference, "Book": citewell.WorkBook,
	"BookSection": citewell.WorkChapter, "Dataset": citewell.WorkDataset}

func (p *semanticScholar) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	if path := semanticScholarPath(q.Identifier); path != "" {
		return p.lookUp(ctx, path)
	}
	// What has a hyphen in it finds nothing.
	words := semanticScholarLimit.cut(ctx, p.name, strings.Join(bareWords(q.Text), " "))
	if words == "" {
		return nil, p.wordless()
	}
	params := url.Values{"query": {words}, "limit": {strconv.Itoa(wanted(q, semanticScholarMostResults))}}
	if since, until := window(q, p.now()); since != "" || until != "" {
		params.Set("publicationDateOrYear", since+":"+until)
	}
	var answer struct{ Data []semanticScholarPaper }
	if err := p.getAnswer(ctx, p.at(p.endpoint, params), p.keyed(), &answer, "data", "total"); err != nil {
		return nil, err
	}
	return p.results(answer.Data, q.Limit), nil
}

func (p *semanticScholar) keyed() http.Header { return http.Header{"X-Api-Key": {p.key.Reveal()}} }

func (p *semanticScholar) at(u *url.URL, params url.Values) *url.URL {
	params.Set("fields", semanticScholarFields)
	return with(u, params)
}

// semanticScholarPath is where a work is looked up; empty where none is asked for.
func semanticScholarPath(id citewell.Identifier) string {
	switch id.Scheme {
	case citewell.SchemeDOI:
		return "DOI:" + inPath(id.Value)
	case citewell.SchemeArXiv:
		return "ARXIV:" + inPath(identifier.ArXivOwn(id.Value))
	case citewell.SchemePMID:
		return "PMID:" + inPath(id.Value)
	case citewell.SchemePMCID:
		return "PMCID:" + inPath(strings.TrimPrefix(id.Value, "PMC"))
	}
	return ""
}

func (p *semanticScholar) lookUp(ctx context.Context, path string) ([]citewell.Result, error) {
	var paper semanticScholarPaper
	if there, err := p.getRecord(ctx, p.at(p.endpoint.JoinPath("..", path), url.Values{}), p.keyed(), &paper,
		"paperId"); err != nil || !there {
		return nil, err
	}
	return p.results([]semanticScholarPaper{paper}, 1), nil
}

type semanticScholarPaper struct {
	Title, Abstract, Venue, URL, PublicationDate loose
	TLDR                                         struct{ Text loose }
	Year                                         int
	Authors                                      []struct{ Name loose }
	ExternalIDs                                  struct{ DOI, ArXiv, PubMed loose }
	OpenAccessPDF                                struct{ URL, License loose }
	PublicationTypes                             looseList
	PublicationVenue                             struct{ Name loose }
	Journal                                      struct{ Name, Volume, Pages loose }
}

func (p *semanticScholar) results(papers []semanticScholarPaper, limit int) []citewell.Result {
	var results []citewell.Result
	for _, paper := range papers {
		if paper.Title == "" {
			continue
		}
		ids := paper.ExternalIDs
		work := &citewell.Work{Year: paper.Year, Venue: paper.Venue.orElse(paper.PublicationVenue.Name,
			paper.Journal.Name), DOI: string(ids.DOI), ArXiv: string(ids.ArXiv), PMID: string(ids.PubMed),
			OpenCopy: string(paper.OpenAccessPDF.URL), Licence: string(paper.OpenAccessPDF.License),
			Abstract: paper.Abstract != "", Volume: string(paper.Journal.Volume), Pages: string(paper.Journal.Pages)}
		for _, a := range paper.Authors {
			work.Authors = append(work.Authors, string(a.Name))
		}
		for _, kind := range paper.PublicationTypes {
			if work.Kind == "" {
				work.Kind = semanticScholarKinds[string(kind)]
			}
		}
		if doi := identifier.DOI(string(ids.DOI)); ids.ArXiv != "" && (doi == "" || identifier.ArXiv(doi) != "") {
			work.Kind = citewell.WorkPreprint // it calls one a journal's article
		}
		if retractedTitle(string(paper.Title)) {
			work.Retracted = citewell.WorkRetracted
		}
		results = append(results, citewell.Result{Title: plainText(string(paper.Title)),
			URL:     loose(doiURL(work.DOI)).orElse(paper.URL),
			Snippet: plainText(paper.Abstract.orElse(paper.TLDR.Text)), Published: string(paper.PublicationDate),
			Work: work})
	}
	return tidy(p.name, results, limit)
}
