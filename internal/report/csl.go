package report

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/citewell/citewell"
)

// cslTypes are the types of CSL 1.0.2 for kinds of works. Others are documents.
var cslTypes = map[citewell.WorkKind]string{citewell.WorkArticle: "article-journal", citewell.WorkPreprint: "article",
	citewell.WorkConference: "paper-conference", citewell.WorkBook: "book",
	citewell.WorkChapter: "chapter", citewell.WorkThesis: "thesis", citewell.WorkReport: "report",
	citewell.WorkDataset: "dataset", citewell.WorkSoftware: "software", citewell.WorkReview: "review"}

type cslName struct {
	Family  string `json:"family,omitempty"`
	Given   string `json:"given,omitempty"`
	Literal string `json:"literal,omitempty"`
}

type cslDate struct {
	Parts [][]int `json:"date-parts"`
}

// A cslItem has fields of the CSL data schema alone.
type cslItem struct {
	ID        string    `json:"id"`
	Type      string    `json:"type"`
	Genre     string    `json:"genre,omitempty"`
	Title     string    `json:"title"`
	Author    []cslName `json:"author,omitempty"`
	Container string    `json:"container-title,omitempty"`
	Publisher string    `json:"publisher,omitempty"`
	Volume    string    `json:"volume,omitempty"`
	Issue     string    `json:"issue,omitempty"`
	Page      string    `json:"page,omitempty"`
	Number    string    `json:"number,omitempty"`
	Version   string    `json:"version,omitempty"`
	DOI       string    `json:"DOI,omitempty"`
	PMID      string    `json:"PMID,omitempty"`
	ISBN      string    `json:"ISBN,omitempty"`
	Issued    *cslDate  `json:"issued,omitempty"`
	Accessed  *cslDate  `json:"accessed,omitempty"`
	URL       string    `json:"URL,omitempty"`
	Note      string    `json:"note,omitempty"`
}

// CSLJSON gives the cited sources as CSL data: publications by their kinds, webpages, and documents where a tool
// answered. A program that sets them may read <i>, <b>, <sup> and <sub> in a title as type; the format has no way to
// say that they are words.
func CSLJSON(r citewell.Report, authors Authors) string {
	items := []cslItem{}
	for _, w := range works(r, authors) {
		items = append(items, w.csl())
	}
	encoded, err := json.MarshalIndent(items, "", "  ")
	if err != nil {
		panic(err) // strings and numbers only
	}
	return string(encoded) + "\n"
}

func (w work) csl() cslItem {
	it := cslItem{ID: w.key, Type: "webpage", Title: w.title, Container: w.host, URL: w.url, Note: w.note}
	switch {
	case w.published:
		it.Type, it.Container, it.Publisher = cmp.Or(cslTypes[w.sort], "document"), w.container, w.publisher
		if it.Genre = genres[w.sort]; w.sort == citewell.WorkReport {
			it.Genre = ""
		}
		it.Volume, it.Issue, it.Page, it.Version, it.DOI, it.PMID, it.ISBN = w.volume, w.issue,
			strings.ReplaceAll(w.pages, "–", "-"), w.version, w.doi, w.pmid, w.isbn
		if w.sort == citewell.WorkPreprint && w.arxiv != "" {
			it.Number = "arXiv:" + w.arxiv
		}
	case w.result:
		it.Type = "document"
	}
	for _, a := range w.authors {
		if a.family != "" {
			it.Author = append(it.Author, cslName{Family: a.family, Given: a.given})
		} else {
			it.Author = append(it.Author, cslName{Literal: a.name})
		}
	}
	if len(w.date) > 0 {
		it.Issued = &cslDate{[][]int{w.date}}
	}
	if len(w.accessed) > 0 {
		it.Accessed = &cslDate{[][]int{w.accessed}}
	}
	return it
}
