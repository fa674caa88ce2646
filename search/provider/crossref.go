package provider

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/identifier"
	"github.com/citewell/citewell/search"
)

const crossrefName = "crossref"

func init() {
	register(Description{
		Name:  crossrefName,
		About: "scholarly works by their DOIs' register, without their texts; no key",
		Docs:  "https://api.crossref.org/swagger-ui/index.html",
		Kinds: []search.Kind{search.KindScholarly},
		Open:  true,
		Place: 1,
		// The public pool has 5 a second and one at a time, the polite one 10 and 3.
		Limits:      search.Limits{Rate: 3, Parallel: 1, Timeout: 20 * time.Second, Fresh: keptAwhile, Shared: true},
		WithContact: &search.Limits{Rate: 8, Parallel: 3, Timeout: 20 * time.Second, Fresh: keptAwhile, Shared: true},
		Lookups:     []string{citewell.SchemeDOI},
	}, func(d Deps, s Settings) (search.Provider, error) {
		u, err := endpoint(crossrefName, s.BaseURL, "https://api.crossref.org", "/works")
		if err != nil {
			return nil, err
		}
		return &crossref{newWire(d, crossrefName, u, openRefusal), u, d.email(), time.Now}, nil
	})
}

type crossref struct {
	*wire
	endpoint *url.URL
	email    string
	now      func() time.Time
}

const crossrefMostResults = 50

var (
	crossrefLimit = queryLimit{chars: 500, words: 40}
	// What is not selected comes too, with the lists of references; what is no field is refused.
	crossrefFields = "DOI,title,subtitle,container-title,publisher,author,issued,abstract,URL,type,license,ISBN," +
		"volume,issue,page,article-number,updated-by,relation"
)

// crossrefKinds are the types that are works, as Crossref names them. Journals, grants and parts
// of papers are no sources.
var crossrefKinds = map[string]citewell.WorkKind{
	"journal-article": citewell.WorkArticle, "proceedings-article": citewell.WorkConference,
	"posted-content": citewell.WorkPreprint,
	"book":           citewell.WorkBook, "monograph": citewell.WorkBook, "edited-book": citewell.WorkBook,
	"reference-book": citewell.WorkBook,
	"book-chapter":   citewell.WorkChapter, "book-section": citewell.WorkChapter,
	"reference-entry": citewell.WorkChapter,
	"dissertation":    citewell.WorkThesis, "report": citewell.WorkReport, "dataset": citewell.WorkDataset,
	"standard": citewell.WorkReport,
}

func (p *crossref) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	if q.Identifier.Scheme == citewell.SchemeDOI {
		return p.lookUp(ctx, q.Identifier.Value)
	}
	since, until := window(q, p.now())
	var filters []string
	for name, day := range map[string]string{"from-pub-date": since, "until-pub-date": until} {
		if day != "" {
			filters = append(filters, name+":"+day)
		}
	}
	slices.Sort(filters)
	// It finds what has any of the words, so a question's small words would bring millions.
	params := url.Values{"query.bibliographic": {crossrefLimit.cut(ctx, p.name, contentWords(q.Text))},
		"rows": {strconv.Itoa(wanted(q, crossrefMostResults))}, "select": {crossrefFields}}
	if len(filters) > 0 {
		params.Set("filter", strings.Join(filters, ","))
	}
	var answer struct {
		Message struct{ Items []crossrefItem }
	}
	if err := p.getAnswer(ctx, p.at(p.endpoint, params), nil, &answer, "message"); err != nil {
		return nil, err
	}
	return p.results(answer.Message.Items, q.Limit), nil
}

// at is an address with parameters, and with who asks.
func (p *crossref) at(u *url.URL, params url.Values) *url.URL {
	if p.email != "" {
		params.Set("mailto", p.email)
	}
	return with(u, params)
}

// lookUp asks for one work; what is of another agency's register is not there.
func (p *crossref) lookUp(ctx context.Context, doi string) ([]citewell.Result, error) {
	var answer struct{ Message crossrefItem }
	if there, err := p.getRecord(ctx, p.at(p.endpoint.JoinPath(url.PathEscape(doi)), url.Values{}), nil, &answer,
		"message"); err != nil || !there {
		return nil, err
	}
	return p.results([]crossrefItem{answer.Message}, 1), nil
}

type crossrefItem struct {
	DOI, Type, URL, Publisher, Abstract loose
	Volume, Issue, Page                 loose
	Number                              loose `json:"article-number"`
	Title, Subtitle, ISBN               looseList
	Container                           looseList `json:"container-title"`
	Author                              []struct{ Given, Family, Name loose }
	Issued                              struct {
		Parts [][]*int `json:"date-parts"`
	}
	License   []struct{ URL loose }
	UpdatedBy []struct{ Type loose } `json:"updated-by"` // notices of what became of it, the gravest anywhere
	Relation  struct {
		HasPreprint  []crossrefLink `json:"has-preprint"`
		IsPreprintOf []crossrefLink `json:"is-preprint-of"`
	}
}

type crossrefLink struct {
	Scheme loose `json:"id-type"`
	ID     loose
}

// version is the work that is linked to, where it has a DOI.
func (l crossrefLink) version(kind citewell.WorkKind) (citewell.WorkVersion, bool) {
	doi := identifier.DOI(string(l.ID))
	return citewell.WorkVersion{Kind: kind, DOI: doi, ArXiv: identifier.ArXiv(doi), URL: "https://doi.org/" + doi},
		l.Scheme == "doi" && doi != ""
}

func (p *crossref) results(items []crossrefItem, limit int) []citewell.Result {
	var results []citewell.Result
	for _, item := range items {
		kind, isWork := crossrefKinds[string(item.Type)]
		title := plainText(item.Title.first())
		if !isWork || strings.TrimSpace(title) == "" {
			continue
		}
		if subtitle := plainText(item.Subtitle.first()); subtitle != "" {
			title += ": " + subtitle
		}
		year, published := crossrefDate(item.Issued.Parts)
		work := &citewell.Work{Kind: kind, Year: year, DOI: string(item.DOI), ISBN: item.ISBN.first(),
			Abstract: item.Abstract != "",
			Venue:    loose(item.Container.first()).orElse(item.Publisher), Publisher: string(item.Publisher),
			Volume: string(item.Volume), Issue: string(item.Issue), Pages: item.Page.orElse(item.Number)}
		for _, a := range item.Author {
			work.Authors = append(work.Authors, loose(strings.TrimSpace(string(a.Given)+" "+string(a.Family))).
				orElse(a.Name))
			work.Families = append(work.Families, string(a.Family))
		}
		work.Versions = item.versions()
		if len(item.License) > 0 {
			work.Licence = string(item.License[0].URL)
		}
		for _, notice := range item.UpdatedBy {
			work.Retracted = graver(work.Retracted, retractionOf(string(notice.Type)))
		}
		if retractedTitle(title) {
			work.Retracted = citewell.WorkRetracted
		}
		results = append(results, citewell.Result{Title: title, URL: string(item.URL),
			Snippet: plainText(string(item.Abstract)), Published: published, Work: work})
	}
	return tidy(p.name, results, limit)
}

func (item crossrefItem) versions() []citewell.WorkVersion {
	var all []citewell.WorkVersion
	for kind, links := range map[citewell.WorkKind][]crossrefLink{citewell.WorkPreprint: item.Relation.HasPreprint,
		"": item.Relation.IsPreprintOf} {
		for _, l := range links[:min(len(links), maxVersions)] {
			if v, ok := l.version(kind); ok {
				all = append(all, v)
			}
		}
	}
	slices.SortFunc(all, func(a, b citewell.WorkVersion) int { return strings.Compare(a.DOI, b.DOI) })
	return all
}

// crossrefDate reads [[2024,2,1]], of which the month and the day may be missing, and the year
// null.
func crossrefDate(parts [][]*int) (year int, day string) {
	if len(parts) == 0 || len(parts[0]) == 0 || parts[0][0] == nil {
		return 0, ""
	}
	year = *parts[0][0]
	if len(parts[0]) < 3 || parts[0][1] == nil || parts[0][2] == nil {
		return year, ""
	}
	return year, isoDate(fmt.Sprintf("%04d-%02d-%02d", year, *parts[0][1], *parts[0][2]))
}
