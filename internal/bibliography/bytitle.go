package bibliography

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/links"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/works"
	"github.com/citewell/citewell/search"
)

// A candidate is what searches by a title found.
type candidate struct {
	best       citewell.Result
	comparison works.WorkComparison
	all        []citewell.Result // of the same work
	sure       bool              // it is the work; else it is one of its title that is other in a field
	near       string            // the title that came nearest, where there is no work
}

// search asks one register after the other for an entry's title, until one has its work.
func (o Options) search(ctx context.Context, e Entry) (found candidate, total asked) {
	who := o.searchers(e.Kind)
	type question struct {
		words string
		whom  search.Provider
	}
	var questions []question
	for _, p := range who {
		questions = append(questions, question{cmp.Or(e.Title, e.Words), p})
	}
	if e.Words != "" && e.Title != "" && len(who) > 0 { // the title is a guess
		questions = append(questions, question{inAddress.ReplaceAllString(e.Words, " "), who[0]})
	}
	for _, q := range questions {
		if strings.TrimSpace(q.words) == "" || ctx.Err() != nil {
			continue
		}
		a := o.ask(ctx, citewell.Query{Text: q.words, Limit: mostCandidates}, []search.Provider{q.whom})
		total.answered = append(total.answered, a.answered...)
		total.failed = append(total.failed, a.failed...)
		total.results = append(total.results, a.results...)
		if found = pick(e, total.results); found.sure {
			break
		}
	}
	return found, total
}

// pick takes the result that is the entry's work, or is of its title and by its authors or of its year.
func pick(e Entry, results []citewell.Result) candidate {
	var found candidate
	bestFit, nearest := 0, 0
	for _, r := range results {
		said := e.asResult(r)
		c := works.CompareWorks(said, r)
		sure := isSame(said, r, c)
		partly := c.Title != works.Differs && c.Title != "" && (c.Authors == works.Agrees || c.Authors == works.Near ||
			c.Year == works.Agrees && c.Title == works.Agrees)
		points := fit(c)
		if sure {
			points += 1000
		}
		if points > nearest {
			nearest, found.near = points, r.Title
		}
		if (sure || partly) && points > bestFit {
			bestFit, found.best, found.comparison, found.sure = points, r, c, sure
		}
	}
	for _, r := range results {
		if r.URL == found.best.URL || found.best.Work != nil && found.best.Work.DOI != "" &&
			r.Work.DOI == found.best.Work.DOI {
			found.all = append(found.all, r)
		}
	}
	return found
}

// isSame says whether a record is of the work that an entry names: as Merge has it, or where the entry calls the work
// another kind than the register does, or where a title that is too short to tell alone has the same author and year.
func isSame(said, r citewell.Result, c works.WorkComparison) bool {
	if c.OneWork && c.Authors != works.Near {
		return true
	}
	if r.Work.Kind == citewell.WorkReview {
		return false
	}
	ofAnyKind := *said.Work
	ofAnyKind.Kind = ""
	said.Work = &ofAnyKind
	return c.Authors == works.Agrees && works.CompareWorks(said, r).OneWork || c.Title == works.Agrees &&
		c.Authors == works.Agrees && c.Year == works.Agrees
}

// byTitle judges an entry that no identifier led to a work.
func (o Options) byTitle(ctx context.Context, c *Checked, unknowns []unknown) {
	if c.page && len(c.Authors) == 0 {
		c.Verdict, c.Reason = Unchecked, "a page of the web: no register has those"
		return
	}
	if c.Title == "" && c.Words == "" && len(unknowns) == 0 {
		c.Verdict, c.Reason = Unchecked, "it names neither a title nor an identifier"
		return
	}
	found, a := o.search(ctx, c.Entry)
	c.Unasked = joined(c.Unasked, a.failed)
	if found.best.Work == nil {
		c.withoutWork(unknowns, a, found.near)
		return
	}
	if doi := found.best.Work.DOI; doi != "" { // its standing and its open copy, as other registers know them
		id := citewell.Identifier{Scheme: citewell.SchemeDOI, Value: doi}
		more := o.lookUp(ctx, id)
		found.all = append(found.all, ofIdentifier(more.results, id)...)
		c.Unasked = joined(c.Unasked, more.failed)
	}
	for _, u := range unknowns {
		has := map[string]string{citewell.SchemeDOI: found.best.Work.DOI, citewell.SchemeArXiv: found.best.Work.ArXiv,
			citewell.SchemePMID: found.best.Work.PMID, citewell.SchemeISBN: found.best.Work.ISBN}[u.id.Scheme]
		switch {
		case has == u.id.Value:
		case u.isNone():
			c.Differences = append(c.Differences, Difference{Field: u.id.Scheme, Cited: u.id.Value,
				Register: cmp.Or(has, "no such "+label(u.id.Scheme))})
		case u.resolver == links.Unread:
			c.Notes = append(c.Notes, "its DOI leads somewhere, and no register that was asked says what it is")
		case u.id.Scheme == citewell.SchemeDOI:
			c.Known, c.Verdict = known(found.best), Unchecked
			c.Reason = fmt.Sprintf("%s; a work of this title is there, and whether its DOI is %s could not be asked",
				couldNot(u.failed), u.id.Value)
			return
		default:
			c.Notes = append(c.Notes, fmt.Sprintf("its %s was not looked up: %s", label(u.id.Scheme),
				couldNot(u.failed)))
		}
	}
	c.compare(found.best, found.comparison, found.all)
}

func couldNot(failed []citewell.ProviderReport) string {
	if len(failed) == 0 {
		return "no register is switched on that could know it"
	}
	return "could not be asked: " + sayUnasked(failed)
}

// withoutWork says why there is no work: none has it, or not all could be asked.
func (c *Checked) withoutWork(unknowns []unknown, a asked, near string) {
	var said []string
	sure := true  // that nobody has it
	none := false // that its identifier is none
	for _, u := range unknowns {
		what := label(u.id.Scheme) + " " + u.id.Value
		switch {
		case u.resolver == links.Gone:
			none = true
			said = append(said, "there is no "+what)
		case u.isNone():
			said = append(said, strings.Join(u.answered, ", ")+" "+verbOf(u.answered)+" no "+what)
		case u.resolver == links.Unread:
			sure = false
			said = append(said, "its DOI leads somewhere, and no register that was asked says what it is")
		default:
			sure = false
		}
	}
	switch {
	case c.Title == "" && c.Words == "":
	case len(a.answered) == 0 || len(a.failed) > 0:
		sure = false
	default:
		said = append(said, "no work of this title, by its authors or of its year, is known to "+
			strings.Join(slices.Compact(slices.Sorted(slices.Values(a.answered))), ", "))
	}
	switch {
	case none || sure && !c.page:
		c.Verdict = NotFound
		if near != "" {
			c.Notes = append(c.Notes, "nearest title: “"+text.ShortenAtWord(near, 120)+"”")
		}
		if slices.Contains([]citewell.WorkKind{citewell.WorkThesis, citewell.WorkReport, citewell.WorkSoftware},
			c.Kind) {
			c.Notes = append(c.Notes, "registers have few works of its kind: "+string(c.Kind))
		}
	case sure:
		c.Verdict = Unchecked
		said = append(said, "it may be a page of the web: no register has those")
	default:
		c.Verdict = Unchecked
		if len(c.Unasked) > 0 || len(said) == 0 {
			said = append([]string{couldNot(c.Unasked)}, said...)
		}
	}
	c.Reason = strings.Join(said, "; ")
}

func verbOf(who []string) string {
	if len(who) == 1 {
		return "has"
	}
	return "have"
}

// joined adds those registers that are not there yet.
func joined(all, more []citewell.ProviderReport) []citewell.ProviderReport {
	for _, report := range more {
		if !slices.ContainsFunc(all, func(known citewell.ProviderReport) bool { return known.Name == report.Name }) {
			all = append(all, report)
		}
	}
	return all
}

// resolver tells of every DOI of every agency whether it is one.
const resolver = "https://doi.org/api/handles/"

// resolves asks the resolver of DOIs: links.Unread where there is such a DOI, links.Gone where there is
// none. Crossref and DataCite are two agencies of several.
func (o Options) resolves(ctx context.Context, doi string) links.Status {
	if o.Fetcher == nil || !o.Resolver {
		return links.Failed
	}
	page, err := o.Fetcher.Get(ctx, fetch.Request{URL: resolver + strings.ReplaceAll(url.PathEscape(doi), "%2F", "/"),
		Timeout: linkTimeout, MaxBytes: maxLinkBytes, SameSite: true, IgnoreRobots: true})
	switch {
	case fetch.StatusOf(err) == http.StatusNotFound:
		return links.Gone
	case err != nil && links.StatusOf(err) == links.Gone: // the resolver itself
		return links.Failed
	case err != nil:
		return links.StatusOf(err)
	}
	var answer struct {
		Code *int `json:"responseCode"`
	}
	switch err := json.NewDecoder(bytes.NewReader(page.Body)).Decode(&answer); {
	case err != nil || answer.Code == nil:
		return links.Failed
	case *answer.Code == 1:
		return links.Unread
	case *answer.Code == 100:
		return links.Gone
	}
	return links.Failed
}

// askLink asks for the address of an entry, which may be a stranger's. That of an identifier is
// not asked for: its register has answered.
func (o Options) askLink(ctx context.Context, c *Checked) {
	if o.Fetcher == nil || c.URL == "" || isResolver(c.URL) || ctx.Err() != nil {
		return
	}
	c.Link = &Link{URL: c.URL, Status: links.Unread}
	_, err := o.Fetcher.Get(egress.Found(ctx), fetch.Request{URL: c.URL, Timeout: linkTimeout, MaxBytes: maxLinkBytes,
		MaxRedirects: fetch.MaxMaxRedirects})
	if err == nil || citewell.CodeOf(err) == citewell.CodeEmptyBody || errors.Is(err, context.Canceled) {
		return
	}
	c.Link.Status, c.Link.Detail = links.StatusOf(err), citewell.View(err).Message
	if c.Link.Status != links.Gone {
		return
	}
	if c.page {
		c.Verdict, c.Reason = NotFound, "the page is gone: "+c.Link.Detail
		return
	}
	c.Differences = append(c.Differences, Difference{Field: "url", Cited: c.URL, Register: "nothing: " + c.Link.Detail})
	if c.Verdict == Matches || c.Verdict == Different {
		c.conclude()
	}
}

// isResolver says whether an address is that of an identifier.
func isResolver(address string) bool {
	u, err := url.Parse(address)
	return err == nil && slices.Contains([]string{"doi.org", "dx.doi.org", "arxiv.org", "hdl.handle.net"},
		strings.TrimPrefix(strings.ToLower(u.Host), "www."))
}
