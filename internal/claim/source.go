package claim

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/citewell/citewell"
)

// PageTimeout is what reading one page may take where a person or a model waits for it.
const PageTimeout = 20 * time.Second

// A Source is the document that a claim was held against.
type Source struct {
	N          int               `json:"n,omitempty" jsonschema:"its number in the run"`
	Title      string            `json:"title,omitempty"`
	URL        string            `json:"url,omitempty" jsonschema:"after redirects"`
	Date       string            `json:"date,omitempty" jsonschema:"YYYY-MM-DD, where it is known"`
	FetchedAt  time.Time         `json:"fetched_at,omitzero"`
	Archived   citewell.Archived `json:"archived,omitzero" jsonschema:"the page is gone, this is an archive's copy"`
	Captions   string            `json:"captions,omitempty" jsonschema:"where it was read what is said in the page's recording, whose words the quote is"`
	TextSHA256 string            `json:"text_sha256,omitempty" jsonschema:"of the text that start and end count in"`
}

// A Checked is a claim with what came of checking it, as programs read it.
type Checked struct {
	Claim   string           `json:"claim"`
	Verdict citewell.Verdict `json:"verdict" jsonschema:"supported; partly: part of it is borne out; contradicted: the text says otherwise; unsupported: it does not say it; undecided: words cannot tell and no judge was asked, see sentences"`
	Reason  string           `json:"reason" jsonschema:"why, in one sentence"`
	By      string           `json:"by" jsonschema:"what gave the verdict: words, or judge NAME"`
	Quote   string           `json:"quote,omitempty" jsonschema:"the words that decide; absent where none speak of the claim"`
	Start   *int             `json:"start,omitempty" jsonschema:"of the quote, in bytes of the evidence or of the source's text"`
	End     *int             `json:"end,omitempty"`
	Where   string           `json:"where,omitempty" jsonschema:"the page, slide or time of the quote"`
	Source  *Source          `json:"source,omitempty" jsonschema:"what the quote is from"`
	Note    string           `json:"note,omitempty" jsonschema:"what was not read or not judged, and why"`
	// Sentences and Differs are those of an undecided claim.
	Sentences []Sentence `json:"sentences,omitempty" jsonschema:"where nobody judged: up to three that decide"`
	Differs   string     `json:"differs,omitempty" jsonschema:"what differs in words there"`
}

// Sources are documents that a claim can be held against.
type Sources struct {
	Text Text
	Note string   // what of them was not read, and why
	list []Source // by the number that their passages have
}

// OfDocument is one page that was read. Without a URL nothing is said of its source but
// the hash of the text.
func OfDocument(page citewell.Page, doc citewell.Document) Sources {
	s := Source{Title: doc.Title, URL: page.FinalURL, Date: page.Archived.Recent(doc.Published),
		Archived: page.Archived, TextSHA256: doc.TextSHA256}
	if page.FinalURL != "" {
		s.FetchedAt = page.FetchedAt
	}
	return Sources{Text: Read(doc), list: []Source{s}}
}

// OfEvidence is evidence that somebody gave.
func OfEvidence(evidence, title string) Sources { return Sources{Text: Given(evidence, title)} }

// Kept is what the briefs and texts of a store are read by.
type Kept interface {
	Brief(ctx context.Context, id string) (citewell.Brief, error)
	Blob(ctx context.Context, sha256 string) ([]byte, error)
}

// OfBrief are the kept texts of the pages that a brief, or the report of a run, read.
// not_found where no such brief is kept, or where it read nothing.
func OfBrief(ctx context.Context, kept Kept, id string) (Sources, error) {
	brief, err := kept.Brief(ctx, id)
	if err != nil {
		return Sources{}, err
	}
	var list []Source
	var docs []citewell.Document
	for _, s := range brief.Sources {
		if s.TextSHA256 == "" || !s.Outcome.Readable() {
			continue
		}
		text, err := kept.Blob(ctx, s.TextSHA256)
		if err != nil {
			return Sources{}, err
		}
		docs = append(docs, citewell.Document{Title: s.Title, Text: string(text)})
		url := cmp.Or(s.FinalURL, s.URL)
		list = append(list, Source{N: s.N, Title: s.Title, URL: url, Date: s.Date, FetchedAt: s.FetchedAt,
			Archived: s.Archived, TextSHA256: s.TextSHA256})
	}
	if len(list) == 0 {
		return Sources{}, &citewell.Error{Code: citewell.CodeNotFound, Op: "check",
			Message: "the run read no page, so nothing is kept to check against",
			Hint:    "check the claim against a URL, a file or a text"}
	}
	return Sources{Text: Read(docs...), list: list}, nil
}

// Check holds a claim against the sources. What words leave undecided is put to the judge; where it
// cannot be asked, the verdict is that of words, and Note says why.
func (s Sources) Check(ctx context.Context, statement string, ask Ask) (Checked, error) {
	statement = strings.TrimSpace(statement)
	switch {
	case statement == "":
		return Checked{}, mistake("claim is empty", "a sentence that states something")
	case len(statement) > MaxClaim:
		return Checked{}, mistake(tooLong, "")
	}
	answers, err := Judge(ctx, ask, []Answer{Check(statement, s.Text)})
	if err != nil {
		s.Note = strings.TrimPrefix(s.Note+"; "+notJudged(err), "; ")
	}
	a := answers[0]
	c := Checked{Claim: statement, Verdict: a.Verdict, Reason: a.Reason, By: a.By, Quote: a.Quote, Where: a.Where,
		Note: s.Note}
	if a.Quote != "" {
		c.Start, c.End = &a.Start, &a.End
	}
	c.open(a, s.list)
	if a.Source < len(s.list) && (a.Quote != "" || s.list[0].N == 0) {
		source := s.list[a.Source]
		c.Source = &source
	}
	return c, nil
}

// notJudged says why a judge has not decided what words leave undecided.
func notJudged(err error) string { return "not judged: " + citewell.View(err).Message }
