package bibliography

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/identifier"
	"github.com/citewell/citewell/internal/links"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/works"
)

// within are the kinds of works that are part of a volume.
var within = []citewell.WorkKind{citewell.WorkArticle, citewell.WorkChapter, citewell.WorkConference,
	citewell.WorkReview}

// identifiers are those of an entry, in the order in which they name a work.
func (e Entry) identifiers() []citewell.Identifier {
	var all []citewell.Identifier
	for _, id := range []citewell.Identifier{{Scheme: citewell.SchemeDOI, Value: e.DOI},
		{Scheme: citewell.SchemeArXiv, Value: e.ArXiv},
		{Scheme: citewell.SchemePMID, Value: e.PMID}, {Scheme: citewell.SchemeISBN, Value: e.ISBN}} {
		switch {
		case id.Value == "":
		case id.Scheme == citewell.SchemeDOI && identifier.ArXiv(id.Value) != "": // it is asked for as what it is
		case id.Scheme == citewell.SchemeISBN && slices.Contains(within, e.Kind): // that of the volume
		default:
			all = append(all, id)
		}
	}
	return all
}

// An unknown is an identifier that no register gave a work for.
type unknown struct {
	id       citewell.Identifier
	answered []string
	failed   []citewell.ProviderReport
	resolver links.Status // of a DOI: Unread where it is one, Gone where it is none; else it could not be asked
}

// isNone says whether it is sure that there is no such identifier.
func (u unknown) isNone() bool {
	return u.resolver == links.Gone || u.resolver != links.Unread && len(u.answered) > 0 && len(u.failed) == 0
}

// check gives one entry its verdict: by the first identifier that a register knows, and else by its title.
func (o Options) check(ctx context.Context, e Entry) Checked {
	c := Checked{Entry: e}
	for _, said := range e.malformed {
		field, value, _ := strings.Cut(said, " ")
		c.Differences = append(c.Differences, Difference{Field: strings.ToLower(field), Cited: value,
			Register: "no register has one of this form"})
	}
	var unknowns []unknown
	for _, id := range e.identifiers() {
		a := o.lookUp(ctx, id)
		c.Unasked = joined(c.Unasked, a.failed)
		if found := ofIdentifier(a.results, id); len(found) > 0 {
			c.byIdentifier(id, found)
			if c.Verdict == AnotherWork {
				o.findMeant(ctx, &c)
			}
			o.askLink(ctx, &c)
			return c
		}
		u := unknown{id: id, answered: a.answered, failed: a.failed}
		if id.Scheme == citewell.SchemeDOI {
			u.resolver = o.resolves(ctx, id.Value)
		}
		unknowns = append(unknowns, u)
	}
	o.byTitle(ctx, &c, unknowns)
	o.askLink(ctx, &c)
	return c
}

// ofIdentifier leaves out what a register answered of another identifier.
func ofIdentifier(results []citewell.Result, id citewell.Identifier) []citewell.Result {
	return slices.DeleteFunc(slices.Clone(results), func(r citewell.Result) bool {
		return id.Scheme == citewell.SchemeDOI && r.Work.DOI != "" && r.Work.DOI != id.Value
	})
}

func known(r citewell.Result) *Known {
	return &Known{Title: r.Title, Authors: r.Work.Authors, Year: r.Work.Year, Venue: r.Work.Venue, Kind: r.Work.Kind,
		DOI: r.Work.DOI, URL: r.URL, Provider: r.Provider}
}

// asResult is an entry in the form in which works are compared. What is in words is seen with
// the eyes of a record: its title, its first authors and its year count where the words have them.
func (e Entry) asResult(r citewell.Result) citewell.Result {
	work := citewell.Work{Authors: e.Authors, Year: e.Year, Venue: e.Venue, Kind: e.Kind}
	title := e.Title
	if e.Words != "" {
		whole := works.FoldTitle(e.Words)
		if folded := works.FoldTitle(r.Title); len(folded) >= 8 && strings.Contains(whole, folded) {
			title = r.Title
		} else if main, _, cut := strings.Cut(r.Title, ":"); cut && len(works.FoldTitle(main)) >= 12 &&
			strings.Contains(whole, works.FoldTitle(main)) {
			title = r.Title
		} else {
			title = cmp.Or(nearIn(e.Words, r.Title), title)
		}
		if slices.Contains(yearsIn(e.Words), r.Work.Year) {
			work.Year = r.Work.Year
		}
		if named := namedIn(e.Words, r.Work.Authors); len(named) > 0 {
			work.Authors = named
		}
	}
	return citewell.Result{Title: title, Work: &work}
}

// nearIn are the words among others that are spelled nearly as a title is; empty where none are.
func nearIn(words, title string) string {
	fields, n := strings.Fields(words), len(strings.Fields(title))
	if n < 3 {
		return ""
	}
	for i := 0; i+n <= len(fields); i++ {
		some := strings.Join(fields[i:i+n], " ")
		if works.CompareWorks(citewell.Result{Title: some}, citewell.Result{Title: title}).Title == works.Near {
			return some
		}
	}
	return ""
}

// namedIn are the authors whose family name stands in words, where the first of all does.
func namedIn(words string, authors []string) []string {
	said := map[string]bool{}
	for _, word := range strings.FieldsFunc(words, func(r rune) bool {
		return !unicode.IsLetter(r) && !strings.ContainsRune("-'’", r)
	}) {
		said[works.FoldTitle(word)] = true
	}
	var named []string
	for i, name := range authors {
		family, _, _ := strings.Cut(name, ",")
		if parts := strings.Fields(family); len(parts) > 0 {
			family = parts[len(parts)-1]
		}
		if folded := works.FoldTitle(family); folded != "" && said[folded] {
			named = append(named, name)
		} else if i == 0 {
			return nil
		}
	}
	return named
}

// byIdentifier judges an entry by what registers have under its identifier.
func (c *Checked) byIdentifier(id citewell.Identifier, found []citewell.Result) {
	best, comparison := found[0], works.CompareWorks(c.asResult(found[0]), found[0])
	for _, r := range found[1:] { // one register may cut a title that another has whole
		if other := works.CompareWorks(c.asResult(r), r); fit(other) > fit(comparison) {
			best, comparison = r, other
		}
	}
	c.Known = known(best)
	if comparison.Title == works.Differs {
		c.Verdict = AnotherWork
		c.Reason = fmt.Sprintf("the %s is that of “%s”%s", label(id.Scheme), text.ShortenAtWord(best.Title, 120),
			byWhom(best.Work))
		return
	}
	c.compare(best, comparison, found)
}

// fit orders comparisons: of two records that may be meant the one that agrees more.
func fit(c works.WorkComparison) int {
	points := map[works.Agreement]int{works.Agrees: 3, works.Near: 2, "": 1}
	return 100*points[c.Title] + 10*points[c.Authors] + points[c.Year]
}

func label(scheme string) string {
	return map[string]string{citewell.SchemeDOI: "DOI", citewell.SchemeArXiv: "arXiv id", citewell.SchemePMID: "PMID",
		citewell.SchemeISBN: "ISBN"}[scheme]
}

func byWhom(w *citewell.Work) string {
	said := ""
	if len(w.Authors) > 0 {
		said = " by " + w.Authors[0]
	}
	if w.Year > 0 {
		said += fmt.Sprintf(" (%d)", w.Year)
	}
	return said
}

// compare says in which fields the entry is not what a register has of the same work. Others
// are records of it, too: of its standing the gravest word counts, and of years and venues any.
func (c *Checked) compare(r citewell.Result, comparison works.WorkComparison, others []citewell.Result) {
	c.Known = known(r)
	differ := func(field, cited, register string) {
		c.Differences = append(c.Differences, Difference{field, cited, register})
	}
	said := c.asResult(r)
	if comparison.Title == works.Near {
		differ("title", said.Title, r.Title)
	}
	switch comparison.Authors {
	case works.Differs, works.Near:
		differ("authors", strings.Join(comparison.Strange, "; "),
			strings.Join(r.Work.Authors[:min(len(r.Work.Authors), 10)], "; "))
		if len(comparison.Strange) == 0 { // the first one is another of its authors
			c.Differences[len(c.Differences)-1].Cited = said.Work.Authors[0]
		}
	}
	sameYear := slices.ContainsFunc(others, func(o citewell.Result) bool { return o.Work.Year == said.Work.Year })
	switch {
	case sameYear:
	case comparison.Year == works.Differs:
		differ("year", strconv.Itoa(said.Work.Year), strconv.Itoa(r.Work.Year))
	case comparison.Year == works.Near:
		c.Notes = append(c.Notes, fmt.Sprintf("the register says %d: online and in print, or a preprint and its "+
			"article, may be of two years", r.Work.Year))
	}
	if c.Words == "" && c.Venue != "" && r.Work.Venue != "" &&
		!slices.ContainsFunc(others, func(o citewell.Result) bool { return works.SameVenue(c.Venue, o.Work.Venue) }) {
		if c.Kind == citewell.WorkArticle && r.Work.Kind == citewell.WorkArticle {
			differ("venue", c.Venue, r.Work.Venue)
		} else {
			c.Notes = append(c.Notes, "the register names "+r.Work.Venue)
		}
	}
	if c.Cut && len(c.Authors) == 0 {
		c.Notes = append(c.Notes, "it names no author")
	}
	for _, o := range others {
		c.Standing = c.Standing.Graver(o.Work.Retracted)
		c.OpenCopy = cmp.Or(c.OpenCopy, o.Work.OpenCopy)
	}
	if c.Standing == citewell.WorkCorrected {
		c.Notes = append(c.Notes, "a correction of it was published")
	}
	c.conclude()
}

// conclude gives the verdict on a work that is there.
func (c *Checked) conclude() {
	switch {
	case c.Standing == citewell.WorkRetracted:
		c.Verdict, c.Reason = Retracted, c.Standing.Caveat()
	case c.Standing == citewell.WorkDoubted:
		c.Verdict, c.Reason = Doubted, c.Standing.Caveat()
	case len(c.Differences) > 0:
		c.Verdict, c.Reason = Different, ""
	default:
		c.Verdict, c.Reason = Matches, ""
	}
	var said []string
	for _, d := range c.Differences {
		d.Register = cmp.Or(d.Register, "nothing")
		said = append(said, fmt.Sprintf("%s: “%s”, the register has “%s”", d.Field, text.ShortenAtWord(d.Cited, 100),
			text.ShortenAtWord(d.Register, 160)))
	}
	if c.Reason != "" {
		said = append([]string{c.Reason}, said...)
	}
	c.Reason = cmp.Or(strings.Join(said, "; "), "as "+c.Known.Provider+" has it")
}

// findMeant looks for the work that an entry names in words, where its identifier is of another.
func (o Options) findMeant(ctx context.Context, c *Checked) {
	found, _ := o.search(ctx, c.Entry)
	if found.sure {
		c.Meant = known(found.best)
		c.Reason += "; what is named in words has " + cmp.Or(found.best.Work.DOI, found.best.URL)
	}
}
