package citewell

import "slices"

// A Work is what a provider knows of a publication: a paper, a book, a data set. Every field
// may be empty, which means that the provider did not say, never that there is none.
type Work struct {
	Authors []string `json:"authors,omitempty"` // in their order, as "Ada Crane" or, of a group, its name
	// family names of Authors, each the end of its name; "" of a group; none where no register has names apart
	Families  []string   `json:"families,omitempty"`
	Year      int        `json:"year,omitempty"`
	Venue     string     `json:"venue,omitempty"` // the journal, the conference, the publisher of a book
	Kind      WorkKind   `json:"kind,omitempty"`
	DOI       string     `json:"doi,omitempty"`   // lower case, without a resolver's address
	ArXiv     string     `json:"arxiv,omitempty"` // without its version, as 2401.00001 or astro-ph/0601001
	PMID      string     `json:"pmid,omitempty"`
	ISBN      string     `json:"isbn,omitempty"`      // digits and X
	OpenCopy  string     `json:"open_copy,omitempty"` // a URL where the whole text may be read by anybody
	Licence   string     `json:"licence,omitempty"`   // as the provider names it: cc-by, CC0-1.0, a URL
	Retracted Retraction `json:"retracted,omitempty"`
	// whom a run could not ask at its end whether it still stands, and why; empty is nobody
	Unchecked string `json:"unchecked,omitempty"`
	Version   string `json:"version,omitempty"`  // of the text: submitted, accepted, published, v2
	Abstract  bool   `json:"abstract,omitempty"` // the snippet is of the abstract

	// What a list of references has besides, each as the provider writes it.
	Volume    string `json:"volume,omitempty"`
	Issue     string `json:"issue,omitempty"`
	Pages     string `json:"pages,omitempty"` // "101-118", or the number of an article that has none
	Publisher string `json:"publisher,omitempty"`

	// others of it that were found: the preprint of what was published
	Versions []WorkVersion `json:"versions,omitempty"`
}

// HasOpenCopy says whether the whole text may be read by anybody at another address than this
// one. A nil work has none.
func (w *Work) HasOpenCopy(than string) bool {
	return w != nil && w.OpenCopy != "" && w.OpenCopy != than
}

// A WorkVersion is another version of a work, and where it is.
type WorkVersion struct {
	Kind    WorkKind `json:"kind,omitempty"`
	Year    int      `json:"year,omitempty"`
	DOI     string   `json:"doi,omitempty"`
	ArXiv   string   `json:"arxiv,omitempty"`
	Version string   `json:"version,omitempty"`
	URL     string   `json:"url"`
}

// A WorkKind is what sort of publication a work is.
type WorkKind string

// The kinds of works. Others are empty.
const (
	WorkArticle    WorkKind = "article" // of a journal
	WorkPreprint   WorkKind = "preprint"
	WorkConference WorkKind = "conference"
	WorkBook       WorkKind = "book"
	WorkChapter    WorkKind = "chapter"
	WorkThesis     WorkKind = "thesis"
	WorkReport     WorkKind = "report"
	WorkDataset    WorkKind = "dataset"
	WorkSoftware   WorkKind = "software"
	WorkReview     WorkKind = "review" // of a peer
)

// A Retraction says whether a work still stands. Empty is "the provider did not say", which is
// not "it stands".
type Retraction string

// What became of a work after it was published, the gravest last.
const (
	WorkStands    Retraction = "no"
	WorkCorrected Retraction = "corrected"
	WorkDoubted   Retraction = "concern" // an expression of concern
	WorkRetracted Retraction = "retracted"
)

// gravity orders what may have become of a work, the gravest last.
var gravity = []Retraction{"", WorkStands, WorkCorrected, WorkDoubted, WorkRetracted}

// Graver returns the one of two that says worse of a work.
func (r Retraction) Graver(other Retraction) Retraction {
	return gravity[max(slices.Index(gravity, r), slices.Index(gravity, other), 0)]
}

// Caveat says in plain words, beside a quote, that a work does not stand as it was published;
// empty where a quote of it needs no such word.
func (r Retraction) Caveat() string {
	switch r {
	case WorkRetracted:
		return "the work was RETRACTED"
	case WorkDoubted:
		return "an expression of concern was published about the work"
	}
	return ""
}

// A Basis is what of a work was read, or of a recording.
type Basis string

// What of a work may be read. Empty is said of what is no text of its own, as a data set.
const (
	BasisFullText Basis = "full-text"
	BasisAbstract Basis = "abstract" // alone, as on the page of a paper that is sold
	BasisRecord   Basis = "record"   // what a register says of it, without an abstract
	BasisCaptions Basis = "captions" // what is said in a recording, as its captions have it
)

// leastFullText is how long the text of a page must be, in bytes, to be more than an abstract
// with what stands beside it on the page of a paper: some 1,200 words.
const leastFullText = 8000

// BasisOf says what of a work a document is that was fetched for it. A document of one page is
// no paper, whatever it is called; neither is one that says that it is an abstract.
func (w *Work) BasisOf(d Document) Basis {
	switch w.Kind {
	case WorkBook, WorkDataset, WorkSoftware:
		return ""
	}
	whole := len(d.Text) >= leastFullText
	if d.PageUnit == UnitPage {
		whole = len(d.Pages) > 1
	} else if d.MediaType == MediaJATS {
		whole = d.Kind != KindAbstract
	}
	if whole {
		return BasisFullText
	}
	return BasisAbstract
}
