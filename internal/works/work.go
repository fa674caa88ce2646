package works

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/identifier"
	"github.com/citewell/citewell/internal/lazyregexp"
)

// A Record is what two results are compared by, to tell whether they are of one work.
type Record struct {
	doi, arxiv, pmid, isbn string
	base                   string   // the DOI without its version
	versions               []string // DOIs and arXiv ids of other versions that its register names
	work                   bool     // a provider said that it is one; what follows is of none else
	kind                   citewell.WorkKind
	year                   int
	title                  workTitle
	authors                []workName
}

// maxCompared bounds the authors of a work that are compared with those of another.
const maxCompared = 10

// RecordOf makes the record of a result.
func RecordOf(r citewell.Result) *Record {
	c := &Record{doi: doiOf(r.URL), arxiv: identifier.ArXiv(r.URL), pmid: pmidOf(r.URL)}
	if w := r.Work; w != nil {
		c.work, c.kind, c.year, c.title = true, w.Kind, w.Year, foldTitle(r.Title)
		c.doi, c.arxiv, c.pmid, c.isbn = cmp.Or(w.DOI, c.doi), cmp.Or(w.ArXiv, c.arxiv), cmp.Or(w.PMID, c.pmid),
			isbn13(w.ISBN)
		for _, v := range w.Versions {
			c.versions = append(c.versions, v.DOI, v.ArXiv)
		}
		for _, name := range w.Authors[:min(len(w.Authors), maxCompared)] {
			c.authors = append(c.authors, foldName(name))
		}
	}
	if found := identifier.ArXiv(c.doi); found != "" { // the register of DOIs has preprints under names of its own
		c.arxiv, c.doi = cmp.Or(c.arxiv, found), ""
	}
	c.base = versionOfID.ReplaceAllString(c.doi, "")
	if c.work && c.kind == "" && c.doi == "" && c.arxiv != "" {
		c.kind = citewell.WorkPreprint
	}
	return c
}

var (
	doiInPath = lazyregexp.New(
		`(?i)/(?:doi|content)/(?:(?:abs|full|pdf|epdf|pdfdirect|abstract|book|chapter)/)?(10\.\d{4,9}/[^?#]+)`)
	doiBehind = lazyregexp.New(
		`(?i)(?:v\d+)?(?:[./](?:full|pdf|abstract|epdf|html|short|full-text|full\.pdf|full-text\.pdf))+$`)
	pubmedPage = lazyregexp.New(
		`(?i)^https?://(?:pubmed\.ncbi\.nlm\.nih\.gov|www\.ncbi\.nlm\.nih\.gov/pubmed)/(\d{1,9})/?(?:[?#]|$)`)
	versionOfID = lazyregexp.New(`[/.-]?v\d+$`)
)

// doiOf is the DOI of a page's address: a resolver's, or one that stands whole behind its publisher's path. What is not
// known to end a DOI stays.
func doiOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	switch strings.TrimPrefix(strings.ToLower(u.Host), "www.") {
	case "doi.org", "dx.doi.org":
		return identifier.DOI(strings.TrimPrefix(u.Path, "/"))
	}
	if found := doiInPath.FindStringSubmatch(u.Path); found != nil {
		return identifier.DOI(doiBehind.ReplaceAllString(strings.TrimSuffix(found[1], "/"), ""))
	}
	return ""
}

func pmidOf(address string) string {
	if found := pubmedPage.FindStringSubmatch(address); found != nil {
		return found[1]
	}
	return ""
}

// isbn13 gives an ISBN in its longer form, in which the two forms of one are equal.
func isbn13(isbn string) string {
	if isbn = identifier.ISBN(isbn); len(isbn) != 10 {
		return isbn
	}
	digits := "978" + isbn[:9]
	sum := 0
	for i, d := range digits {
		sum += int(d-'0') * (1 + 2*(i%2))
	}
	return digits + string(rune('0'+(10-sum%10)%10))
}

// A Likeness says what two records are to one another.
type Likeness int

const (
	Unlike  Likeness = iota // nothing says that they are of one work
	Apart                   // they are of two works, whatever else speaks for one
	OneWork                 // they are of one
)

// LikenessOf compares two records: by their identifiers first, then by kind, title, authors and
// year. A preprint and what was published of it are one work; two that were published under
// names of their own, as at a conference and then in a journal, are two.
func LikenessOf(a, b *Record) Likeness {
	isBook := a.work && b.work && wholeBook(a.kind) && wholeBook(b.kind)
	switch {
	case a.doi != "" && a.doi == b.doi, a.arxiv != "" && a.arxiv == b.arxiv, a.pmid != "" && a.pmid == b.pmid,
		isBook && a.isbn != "" && a.isbn == b.isbn, a.names(b), b.names(a):
		return OneWork
	case !a.work || !b.work:
		return Unlike
	case Differ(a.arxiv, b.arxiv), isPublishedApart(a, b), !sameSort(a.kind, b.kind), !yearsFit(a, b):
		return Apart
	case isBook && Differ(a.isbn, b.isbn) && a.year != b.year: // another edition; another binding is of the same year
		return Apart
	case sameTitle(a, b):
		return OneWork
	}
	return Unlike
}

// isPublishedApart reports whether two records differ in identifiers that no work, preprints aside, has two of.
func isPublishedApart(a, b *Record) bool {
	if a.isPreprint() || b.isPreprint() || a.title.version && b.title.version {
		return false
	}
	return Differ(a.base, b.base) || Differ(a.pmid, b.pmid)
}

// Known reports whether the record says of which work it is.
func (c *Record) Known() bool { return c.work || c.doi+c.arxiv+c.pmid != "" }

func (c *Record) isPreprint() bool { return c.kind == citewell.WorkPreprint }

// names says whether a record names another as a version of its work.
func (c *Record) names(o *Record) bool {
	return slices.ContainsFunc(c.versions, func(id string) bool { return id != "" && (id == o.doi || id == o.arxiv) })
}

// Differ reports whether both are known and not the same.
func Differ(a, b string) bool { return a != "" && b != "" && a != b }

func wholeBook(k citewell.WorkKind) bool { return k == citewell.WorkBook || k == "" }

// sameSort reports whether works of two kinds may be one: a preprint and its article, or a paper and a chapter.
func sameSort(a, b citewell.WorkKind) bool {
	paper := func(k citewell.WorkKind) bool {
		return k == citewell.WorkArticle || k == citewell.WorkConference || k == citewell.WorkChapter
	}
	switch {
	case a == b, a == "", b == "":
		return true
	case a == citewell.WorkPreprint:
		return paper(b)
	case b == citewell.WorkPreprint:
		return paper(a)
	}
	return a != citewell.WorkArticle && b != citewell.WorkArticle && paper(a) && paper(b)
}

// Years that a preprint may have been out before it was published, and after.
const (
	mostYearsBefore = 3
	mostYearsAfter  = 1
)

// yearsFit reports whether two records may be of one work: online and in print are a year apart at most.
func yearsFit(a, b *Record) bool {
	if a.year == 0 || b.year == 0 {
		return true
	}
	if b.isPreprint() {
		a, b = b, a
	}
	later := b.year - a.year
	switch a.kind {
	case citewell.WorkReport, citewell.WorkDataset, citewell.WorkSoftware:
		return later == 0
	}
	if a.isPreprint() != b.isPreprint() {
		return -mostYearsAfter <= later && later <= mostYearsBefore
	}
	return -1 <= later && later <= 1
}

// What a title must have to tell a work: many share a short one, and a title without its subtitle.
const (
	longTitle  = 25 // letters and digits
	tellsAlone = 40 // where a record names no author
	leastTitle = 8
	leastWords = 3
)

// sameTitle says whether the titles are those of one work, by authors who agree.
func sameTitle(a, b *Record) bool {
	if a.title.whole == b.title.whole {
		switch n := len(a.title.whole); {
		case len(a.authors) == 0 || len(b.authors) == 0:
			return n >= tellsAlone && a.year == b.year && a.year != 0
		case n >= longTitle:
			return a.authors[0].agrees(b.authors[0])
		default:
			sameTime := a.year == b.year || a.isPreprint() != b.isPreprint()
			return n >= leastTitle && a.title.words >= leastWords && sameTime &&
				(len(a.authors) > 1 || a.kind == citewell.WorkBook) && allAgree(a, b)
		}
	}
	if len(a.title.whole) > len(b.title.whole) {
		a, b = b, a
	}
	// A subtitle of fewer words, or with a number, tells a part or a reply from the whole.
	return a.title.words >= leastWords && len(a.title.whole) >= leastTitle &&
		b.title.mains[a.title.whole] >= leastWords && allAgree(a, b)
}

// allAgree says whether the authors are the same, as far as both records name them.
func allAgree(a, b *Record) bool {
	if len(a.authors) == 0 || len(b.authors) == 0 {
		return false
	}
	n := min(len(a.authors), len(b.authors))
	if len(a.authors) != len(b.authors) && n < 3 { // a list that was cut has that many
		return false
	}
	for i := range n {
		if !a.authors[i].agrees(b.authors[i]) {
			return false
		}
	}
	return true
}
