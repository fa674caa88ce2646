package provider

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/identifier"
	"github.com/citewell/citewell/search"
)

const clinicalTrialsName = "clinicaltrials"

func init() {
	register(Description{
		Name:  clinicalTrialsName,
		About: "clinical trials by the register in which they must be, with how far they are; no key",
		Docs:  "https://clinicaltrials.gov/data-api/api",
		Kinds: []search.Kind{search.KindScholarly},
		Open:  true,
		Place: 5, // it has trials alone, before their papers
		// Some 50 a minute are let through, the burst among them.
		Limits: search.Limits{Rate: 0.75, Burst: 3, Parallel: 1, Timeout: 15 * time.Second, Fresh: keptAwhile,
			Shared: true},
		Lookups: []string{citewell.SchemeNCT},
	}, opens(clinicalTrialsName, "https://clinicaltrials.gov", "/api/v2/studies", openRefusal,
		func(at service[struct{}]) search.Provider { return &clinicalTrials{at} }))
}

type clinicalTrials struct{ service[struct{}] }

const (
	clinicalTrialsMostResults = 50
	// A study as a whole is a hundred kilobytes, with all that was measured.
	clinicalTrialsFields = "NCTId,BriefTitle,BriefSummary,OverallStatus,StudyFirstPostDate"
)

var (
	clinicalTrialsLimit  = queryLimit{chars: 300} // its documents name none; its addresses have an end
	clinicalTrialsSyntax = syntax{blank: `"()[]/\`, words: []string{
		"AND", "OR", "NOT", "AREA", "RANGE", "SEARCH", "COVERAGE", "EXPANSION", "MISSING", "ALL", "TILT"}}
)

func (p *clinicalTrials) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	if q.Identifier.Scheme == citewell.SchemeNCT {
		return p.lookUp(ctx, q.Identifier.Value)
	}
	params := url.Values{"query.term": {clinicalTrialsLimit.cut(ctx, p.name,
		clinicalTrialsSyntax.plain(contentWords(q.Text)))},
		"pageSize": {strconv.Itoa(wanted(q, clinicalTrialsMostResults))}, "fields": {clinicalTrialsFields},
		"format": {"json"}}
	if since, until := window(q, p.now()); since != "" || until != "" {
		params.Set("filter.advanced", "AREA[StudyFirstPostDate]RANGE["+loose(since).orElse("MIN")+","+
			loose(until).orElse("MAX")+"]")
	}
	var answer struct{ Studies []clinicalTrial }
	if err := p.getAnswer(ctx, with(p.endpoint, params), nil, &answer, "studies"); err != nil {
		return nil, err
	}
	return p.results(answer.Studies, q.Limit)
}

func (p *clinicalTrials) lookUp(ctx context.Context, nct string) ([]citewell.Result, error) {
	u := with(p.endpoint.JoinPath(url.PathEscape(nct)), url.Values{
		"fields": {clinicalTrialsFields}, "format": {"json"}})
	var study clinicalTrial
	if there, err := p.getRecord(ctx, u, nil, &study, "protocolSection"); err != nil || !there {
		return nil, err
	}
	return p.results([]clinicalTrial{study}, 1)
}

type clinicalTrial struct {
	Protocol struct {
		Identification struct{ NCTID, BriefTitle loose } `json:"identificationModule"`
		Description    struct{ BriefSummary loose }      `json:"descriptionModule"`
		Status         struct {
			OverallStatus loose
			FirstPosted   struct{ Date loose } `json:"studyFirstPostDateStruct"`
		} `json:"statusModule"`
	} `json:"protocolSection"`
}

func (p *clinicalTrials) results(studies []clinicalTrial, limit int) ([]citewell.Result, error) {
	var results []citewell.Result
	for _, study := range studies {
		protocol := study.Protocol
		result := citewell.Result{Title: string(protocol.Identification.BriefTitle),
			Published: string(protocol.Status.FirstPosted.Date), Snippet: string(protocol.Description.BriefSummary)}
		if status := strings.ToLower(strings.ReplaceAll(string(protocol.Status.OverallStatus), "_",
			" ")); status != "" {
			result.Snippet = "Status: " + status + ". " + result.Snippet
		}
		if ids := identifier.Identifiers(string(protocol.Identification.NCTID)); len(ids) == 1 &&
			ids[0].Scheme == citewell.SchemeNCT {
			result.URL = "https://clinicaltrials.gov/study/" + ids[0].Value
		}
		results = append(results, result)
	}
	return p.kept(results, len(studies), limit)
}
