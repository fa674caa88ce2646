package bibliography

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/links"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/search"
)

// A Verdict is what the registers say of one entry.
type Verdict string

// The verdicts. Unchecked says that who would know could not be asked, and nothing of the work.
const (
	Matches     Verdict = "matches"
	Different   Verdict = "differs"      // the work is there, and is not quite what the entry says
	NotFound    Verdict = "not found"    // all who were asked answered, and none has it
	AnotherWork Verdict = "another work" // the identifier is that of another one
	Retracted   Verdict = "retracted"
	Doubted     Verdict = "doubted" // an expression of concern was published about it
	Unchecked   Verdict = "unchecked"
)

// Verdicts are all of them, what asks for a person first.
var Verdicts = []Verdict{NotFound, AnotherWork, Retracted, Doubted, Different, Unchecked, Matches}

// A Difference is a field in which an entry is not what a register says.
type Difference struct {
	Field    string `json:"field"` // title, authors, year, venue, doi, arxiv, isbn, pmid or url
	Cited    string `json:"cited"`
	Register string `json:"register,omitempty"`
}

// A Known is a work as the register that stands first has it.
type Known struct {
	Title    string            `json:"title"`
	Authors  []string          `json:"authors,omitempty"`
	Year     int               `json:"year,omitempty"`
	Venue    string            `json:"venue,omitempty"`
	Kind     citewell.WorkKind `json:"kind,omitempty"`
	DOI      string            `json:"doi,omitempty"`
	URL      string            `json:"url"`
	Provider string            `json:"provider"`
}

// A Link is what has become of the address in an entry.
type Link struct {
	URL    string       `json:"url"`
	Status links.Status `json:"status"` // unread where the page is there
	Detail string       `json:"detail,omitempty"`
}

// A Checked is an entry with its verdict.
type Checked struct {
	Entry
	Verdict     Verdict      `json:"verdict"`
	Reason      string       `json:"reason"` // one line for people
	Differences []Difference `json:"differences,omitempty"`
	Notes       []string     `json:"notes,omitempty"` // what is other without being wrong
	// the work that was found, or that the identifier is of
	Known *Known `json:"register,omitempty"`
	// of another work's identifier: the one that the words name
	Meant    *Known                    `json:"meant,omitempty"`
	Standing citewell.Retraction       `json:"retracted,omitempty"`
	OpenCopy string                    `json:"open_copy,omitempty"`
	Link     *Link                     `json:"link,omitempty"`
	Unasked  []citewell.ProviderReport `json:"not_asked,omitempty"` // registers that could not be asked, and why
}

// Fails says whether something is wrong with the entry.
func (c Checked) Fails() bool { return c.Verdict != Matches && c.Verdict != Unchecked }

// A Report is a whole list, checked.
type Report struct {
	Counts     map[Verdict]int `json:"counts"`
	References []Checked       `json:"references"`
}

// Failure is citations_failed where an entry fails, and run_incomplete where one could not be checked.
func (r Report) Failure() error {
	failed := 0
	for _, c := range r.References {
		if c.Fails() {
			failed++
		}
	}
	switch {
	case failed > 0:
		return &citewell.Error{Code: citewell.CodeCitationsFailed, Op: "references",
			Message: text.Count(failed, "reference") + " not as the registers have them"}
	case r.Counts[Unchecked] > 0:
		return &citewell.Error{Code: citewell.CodeRunIncomplete, Op: "references",
			Message: text.Count(r.Counts[Unchecked], "reference") + " could not be checked"}
	}
	return nil
}

// Options are the parts of a check.
type Options struct {
	// Providers are the registers, each behind its gate. Those that are no Profiled know none.
	Providers []search.Provider
	// Fetcher asks whether addresses answer; nil asks for none.
	Fetcher interface {
		Get(ctx context.Context, r fetch.Request) (citewell.Page, error)
	}
	// Resolver says whether doi.org is asked, by the Fetcher, for a DOI that no register knows.
	Resolver bool
	Told     func(Checked) // of each entry as it is done; may be nil
}

const (
	registerTimeout = 30 * time.Second // with the wait at its gate
	linkTimeout     = 20 * time.Second
	maxLinkBytes    = 1 << 20
	mostCandidates  = 10 // of one search
)

// Check holds each entry against the registers. Canceled ends it.
func Check(ctx context.Context, entries []Entry, o Options) (Report, error) {
	r := Report{Counts: map[Verdict]int{}, References: []Checked{}}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		c := o.check(ctx, e)
		if err := ctx.Err(); err != nil {
			return r, err
		}
		r.References = append(r.References, c)
		r.Counts[c.Verdict]++
		if o.Told != nil {
			o.Told(c)
		}
	}
	return r, nil
}

// An asked is what came of asking for one thing.
type asked struct {
	results  []citewell.Result // of works, the first register's first
	answered []string          // registers, with an answer or without one
	failed   []citewell.ProviderReport
}

// ask puts a question to registers at once. What they said within searchcall.KeptFor does, so that a
// check that was cut off goes on where it was.
func (o Options) ask(ctx context.Context, q citewell.Query, providers []search.Provider) asked {
	var a asked
	lists := make([][]citewell.Result, len(providers))
	for answer := range search.Ask(searchcall.WithMaxAge(ctx, searchcall.KeptFor), q, providers, registerTimeout) {
		if !answer.Outcome.Answered() {
			a.failed = append(a.failed, answer.Report())
			continue
		}
		i := slices.IndexFunc(providers, func(p search.Provider) bool { return p.Name() == answer.Provider })
		lists[i] = answer.Results
		a.answered = append(a.answered, answer.Provider)
	}
	for _, list := range lists {
		for _, r := range list {
			if r.Work != nil {
				a.results = append(a.results, r)
			}
		}
	}
	slices.SortFunc(a.failed, func(a, b citewell.ProviderReport) int { return strings.Compare(a.Name, b.Name) })
	slices.Sort(a.answered)
	return a
}

func profileOf(p search.Provider) search.Profile {
	if known, ok := p.(search.Profiled); ok {
		return known.Profile()
	}
	return search.Profile{}
}

// lookUp asks all registers that know identifiers of one scheme for one.
func (o Options) lookUp(ctx context.Context, id citewell.Identifier) asked {
	var who []search.Provider
	for _, p := range o.Providers {
		if slices.Contains(profileOf(p).Lookups, id.Scheme) {
			who = append(who, p)
		}
	}
	return o.ask(ctx, citewell.Query{Text: id.String(), Identifier: id, Limit: 1}, who)
}

// searchers are the registers that are searched by a title, in their order: of books first for a
// book, and of papers first for all else.
func (o Options) searchers(kind citewell.WorkKind) []search.Provider {
	kinds := []search.Kind{search.KindScholarly, search.KindBooks}
	switch kind {
	case citewell.WorkBook:
		slices.Reverse(kinds)
	case citewell.WorkDataset, citewell.WorkSoftware:
		kinds = []search.Kind{search.KindData, search.KindScholarly}
	}
	place := func(p search.Provider) (int, int) {
		profile := profileOf(p)
		for i, kind := range kinds {
			if slices.Contains(profile.Kinds, kind) {
				if profile.Place == 0 {
					return i, len(o.Providers)
				}
				return i, profile.Place
			}
		}
		return len(kinds), 0
	}
	var who []search.Provider
	for _, p := range o.Providers {
		if first, _ := place(p); first < len(kinds) {
			who = append(who, p)
		}
	}
	slices.SortStableFunc(who, func(a, b search.Provider) int {
		kindA, placeA := place(a)
		kindB, placeB := place(b)
		return cmp.Or(cmp.Compare(kindA, kindB), cmp.Compare(placeA, placeB))
	})
	return who
}

func sayUnasked(failed []citewell.ProviderReport) string {
	var said []string
	for _, f := range failed {
		said = append(said, fmt.Sprintf("%s %s", f.Name, strings.ReplaceAll(string(f.Outcome), "_", " ")))
	}
	return strings.Join(said, ", ")
}
