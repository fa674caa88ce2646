package citewell

// A Work is what a provider knows of a publication: a paper, a book, a data set. Every field
// may be empty, which means that the provider did not say, never that there is none.
type Work struct {
	Authors   []string   `json:"authors,omitempty"` // in their order, as "Ada Crane" or, of a group, its name
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
	Version   string     `json:"version,omitempty"`  // of the text: submitted, accepted, published, v2
	Abstract  bool       `json:"abstract,omitempty"` // the snippet is of the abstract
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
