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
	"github.com/citewell/citewell/search"
)

const europePMCName = "europepmc"

func init() {
	register(Description{
		Name:  europePMCName,
		About: "papers of the life sciences and preprints, with abstracts and retractions; no key",
		Docs:  "https://europepmc.org/RestfulWebService",
		Kinds: []search.Kind{search.KindScholarly},
		Open:  true,
		Place: 2,
		// It states no limit; one after the other is asked of whoever states none.
		Limits:  search.Limits{Rate: 2, Parallel: 1, Timeout: 15 * time.Second, Fresh: keptAwhile, Shared: true},
		Lookups: []string{citewell.SchemeDOI, citewell.SchemePMID, citewell.SchemePMCID},
	}, func(d Deps, s Settings) (search.Provider, error) {
		u, err := endpoint(europePMCName, s.BaseURL, "https://www.ebi.ac.uk", "/europepmc/webservices/rest/search")
		if err != nil {
			return nil, err
		}
		return &europePMC{newWire(d, europePMCName, u, openRefusal), u, time.Now}, nil
	})
}

type europePMC struct {
	*wire
	endpoint *url.URL
	now      func() time.Time
}

const europePMCMostResults = 50

// All words must be there, so that a long question finds nothing.
var europePMCLimit = queryLimit{chars: 300, words: 20}

// europePMCKinds are the kinds of its sources that hold one alone.
var europePMCKinds = map[string]citewell.WorkKind{"PPR": citewell.WorkPreprint, "ETH": citewell.WorkThesis,
	"NBK": citewell.WorkBook, "HIR": citewell.WorkReport}

func (p *europePMC) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	if find := europePMCLookup(q.Identifier); find != "" {
		results, err := p.ask(ctx, find, 1)
		if doi := identifier.DOI(q.Identifier.Value); doi != "" && len(results) > 0 && results[0].Work.DOI != doi {
			return nil, nil // a query is not a name: what it found is another work
		}
		return results, err
	}
	words := europePMCLimit.cut(ctx, p.name, strings.Join(bareWords(q.Text), " "))
	if words == "" {
		return nil, p.wordless()
	}
	// Words alone would search the full texts too, where most of them are said in passing.
	find := "TITLE_ABS:(" + strings.Join(strings.Fields(words), " AND ") + ")"
	if since, until := window(q, p.now()); since != "" || until != "" {
		find += " AND FIRST_PDATE:[" + loose(since).orElse("1000-01-01") + " TO " +
			loose(until).orElse("3000-01-01") + "]"
	}
	return p.ask(ctx, find, wanted(q, europePMCMostResults))
}

// europePMCLookup is the query for one record; empty where none is asked for.
func europePMCLookup(id citewell.Identifier) string {
	quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(id.Value) + `"`
	switch id.Scheme {
	case citewell.SchemeDOI:
		return "DOI:" + quoted
	case citewell.SchemePMID:
		return "EXT_ID:" + quoted + " AND SRC:MED"
	case citewell.SchemePMCID:
		return "PMCID:" + quoted
	}
	return ""
}

func (p *europePMC) ask(ctx context.Context, find string, limit int) ([]citewell.Result, error) {
	params := url.Values{"query": {find}, "format": {"json"}, "resultType": {"core"}, "pageSize": {strconv.Itoa(limit)}}
	var answer struct {
		ErrCode    int
		ResultList struct{ Result []europePMCItem }
	}
	if err := p.getAnswer(ctx, with(p.endpoint, params), nil, &answer, "resultList", "errCode"); err != nil {
		return nil, err
	}
	if answer.ErrCode != 0 {
		return nil, p.europePMCError(answer.ErrCode)
	}
	var results []citewell.Result
	for _, item := range answer.ResultList.Result {
		results = append(results, item.result())
	}
	return tidy(p.name, results, limit), nil
}

// europePMCError is an error that comes with 200.
func (w *wire) europePMCError(status int) error {
	e := w.fail(citewell.CodeBadResponse, w.name+" answered with error "+strconv.Itoa(status), "")
	switch {
	case status == http.StatusTooManyRequests:
		e.Code = citewell.CodeRateLimited
	case status >= 500:
		e.Code, e.Err = citewell.CodeHTTPStatus, search.ErrTemporary
	case status >= 400:
		e.Code, e.Hint = citewell.CodeInvalidArgument, "use other words"
	}
	return e
}

type europePMCItem struct {
	ID, Source, PMID, PMCID, DOI, Title, AuthorString, PubYear, AbstractText, License loose
	FirstPublicationDate                                                              loose
	AuthorList                                                                        struct {
		Author []struct{ FullName, FirstName, LastName, CollectiveName loose }
	}
	JournalInfo struct {
		Volume, Issue loose
		Journal       struct{ Title loose }
	} // of a preprint there is none
	PageInfo              loose
	BookOrReportDetails   struct{ Publisher loose }
	PubTypeList           struct{ PubType looseList }
	FullTextURLList       struct{ FullTextURL []europePMCText }
	CommentCorrectionList struct{ CommentCorrection []struct{ Type loose } }
}

type europePMCText struct{ AvailabilityCode, DocumentStyle, URL loose }

func (item europePMCItem) result() citewell.Result {
	title := strings.TrimSuffix(plainText(string(item.Title)), ".")
	year, _ := strconv.Atoi(string(item.PubYear)) // no number: 0
	work := &citewell.Work{Kind: europePMCKinds[string(item.Source)], Year: year, DOI: string(item.DOI),
		PMID:     string(item.PMID),
		Venue:    item.JournalInfo.Journal.Title.orElse(item.BookOrReportDetails.Publisher),
		Abstract: item.AbstractText != "",
		Volume:   string(item.JournalInfo.Volume), Issue: string(item.JournalInfo.Issue), Pages: string(item.PageInfo),
		Publisher: string(item.BookOrReportDetails.Publisher),
		OpenCopy:  item.openCopy(), Licence: string(item.License), Retracted: item.fate()}
	if work.Kind == "" && item.JournalInfo.Journal.Title != "" {
		work.Kind = citewell.WorkArticle
	}
	for _, a := range item.AuthorList.Author {
		whole := loose(strings.TrimSpace(string(a.FirstName) + " " + string(a.LastName)))
		if a.FirstName == "" || a.LastName == "" {
			whole = loose(a.CollectiveName.orElse(a.FullName, whole))
		}
		work.Authors, work.Families = append(work.Authors, string(whole)), append(work.Families, string(a.LastName))
	}
	if retractedTitle(title) {
		work.Retracted = citewell.WorkRetracted
	}
	page := url.URL{Scheme: "https", Host: "europepmc.org",
		Path: "/article/" + string(item.Source) + "/" + string(item.ID)}
	return citewell.Result{Title: title, URL: loose(doiURL(work.DOI)).orElse(loose(page.String())),
		Snippet: plainText(string(item.AbstractText)), Published: string(item.FirstPublicationDate), Work: work}
}

// fate is what became of a work: its types say so, and the notices that are "in" another one.
func (item europePMCItem) fate() citewell.Retraction {
	var fate citewell.Retraction
	for _, kind := range item.PubTypeList.PubType {
		if strings.EqualFold(string(kind), "Retracted Publication") {
			fate = citewell.WorkRetracted
		}
	}
	for _, notice := range item.CommentCorrectionList.CommentCorrection {
		if what, elsewhere := strings.CutSuffix(string(notice.Type), " in"); elsewhere {
			fate = graver(fate, retractionOf(what))
		}
	}
	return fate
}

// openCopy is where anybody may read the text, as a file before a page that needs a browser.
func (item europePMCItem) openCopy() string {
	for _, style := range []loose{"pdf", "html"} {
		found := slices.IndexFunc(item.FullTextURLList.FullTextURL, func(t europePMCText) bool {
			return t.DocumentStyle == style && (t.AvailabilityCode == "OA" || t.AvailabilityCode == "F")
		})
		if found >= 0 {
			return string(item.FullTextURLList.FullTextURL[found].URL)
		}
	}
	return ""
}
