// Package bibliography reads lists of references and checks each entry against the registers of publications: whether
// the work exists, whether the entry describes it, and whether it still stands.
//
// Flow: bytes → Parse or OfText → Entry → Check: look-ups by identifier, else searches by title → search.CompareWorks →
// Verdict, in the order of the list.
// Units: Line counts from 1.
// Errors: invalid_argument if there is no entry, or more than MaxEntries; canceled. A register that cannot answer is no
// error: the entry is Unchecked.
// Concurrency: Check takes one entry after the other, and asks the registers about it at once.
package bibliography

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/identifier"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
)

// What is read of one list. A field that is longer is cut, and authors behind the last are as those of "et al.".
const (
	MaxBytes   = 4 << 20
	MaxEntries = 1000

	maxField   = 2000 // bytes
	maxAuthors = 100
)

// An Entry is one reference as somebody wrote it.
type Entry struct {
	N       int               `json:"n"` // its place in the list, from 1
	Key     string            `json:"key,omitempty"`
	Line    int               `json:"line,omitempty"`
	Title   string            `json:"title,omitempty"`
	Authors []string          `json:"authors,omitempty"`
	Cut     bool              `json:"-"` // there are more authors than these
	Year    int               `json:"year,omitempty"`
	Venue   string            `json:"venue,omitempty"`
	Kind    citewell.WorkKind `json:"kind,omitempty"`
	DOI     string            `json:"doi,omitempty"`
	ArXiv   string            `json:"arxiv,omitempty"`
	PMID    string            `json:"pmid,omitempty"`
	ISBN    string            `json:"isbn,omitempty"`
	URL     string            `json:"url,omitempty"`
	Words   string            `json:"words,omitempty"` // of an entry that is not in fields

	malformed []string // what stands where an identifier should
	page      bool     // a page of the web, of which no register knows
}

// Name is what an entry is called where it is told of.
func (e Entry) Name() string {
	return text.ShortenAtWord(cmp.Or(e.Title, e.Words, e.DOI, e.ArXiv, e.URL, "an entry without a title"), 80)
}

// A Format is how a list is written.
type Format string

// The formats that Parse reads.
const (
	BibTeX  Format = "bibtex"
	RIS     Format = "ris"
	CSLJSON Format = "csl-json"
)

// FormatOf tells the format of a file, by its name and what is in it; empty for a text.
func FormatOf(name string, data []byte) Format {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	switch strings.ToLower(filepath.Ext(name)) {
	case ".bib", ".bibtex":
		return BibTeX
	case ".ris":
		return RIS
	case ".json", ".csl", ".txt", "":
		switch {
		case isRIS.Match(data):
			return RIS
		case isBibTeX.Match(data):
			return BibTeX
		case isCSL(data):
			return CSLJSON
		}
	}
	return ""
}

var (
	isRIS    = lazyregexp.New(`^TY {1,2}- ?[A-Z]`)
	isBibTeX = lazyregexp.New(`(?i)^(?:\s*%[^\n]*\n|\s)*@[a-z]+\s*[{(]`)
)

// isCSL says whether JSON is a list of works, or an object with one: other JSON has titles, too.
func isCSL(data []byte) bool {
	if len(data) == 0 || len(data) > MaxBytes || data[0] != '[' && data[0] != '{' {
		return false
	}
	type item struct{ Type, Title, DOI any }
	items := []item{}
	if data[0] == '{' {
		var whole struct {
			Items  []item
			Schema any
			item
		}
		if json.Unmarshal(data, &whole) != nil || whole.Schema != nil {
			return false
		}
		items = append(whole.Items, whole.item)
	} else if json.Unmarshal(data, &items) != nil {
		return false
	}
	return slices.ContainsFunc(items, func(i item) bool { return i.Type != nil && (i.Title != nil || i.DOI != nil) })
}

// Parse reads the entries of a list.
func Parse(format Format, data []byte) ([]Entry, error) {
	if len(data) > MaxBytes {
		return nil, refuse(fmt.Sprintf("the list has %d bytes, and at most %d are read", len(data), MaxBytes),
			"take it apart")
	}
	content := strings.ToValidUTF8(strings.TrimPrefix(string(data), "\ufeff"), "\ufffd")
	var entries []Entry
	var err error
	switch format {
	case BibTeX:
		entries = parseBibTeX(content)
	case RIS:
		entries = parseRIS(content)
	case CSLJSON:
		entries, err = parseCSL(content)
	default:
		return nil, refuse(fmt.Sprintf("%.40q is no format of a list of references", format),
			"there are bibtex, ris and csl-json")
	}
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, refuse("no entry of "+string(format)+" can be read",
			"an entry is as in @article{key, title = {…}}, TY  - JOUR, or {\"title\": \"…\"}")
	}
	return numbered(entries)
}

// numbered tidies entries and gives them their places.
func numbered(entries []Entry) ([]Entry, error) {
	if len(entries) > MaxEntries {
		return nil, refuse(fmt.Sprintf("there are %d references, and at most %d are checked", len(entries), MaxEntries),
			"take the list apart")
	}
	for i := range entries {
		entries[i].tidy()
		entries[i].N = i + 1
	}
	return entries, nil
}

func refuse(message, hint string) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "references", Message: message, Hint: hint}
}

// tidy makes fields one line each, and identifiers what registers call them. Those that stand in
// other fields, as "arXiv:2401.00001" in the journal, are found.
func (e *Entry) tidy() {
	for _, field := range []*string{&e.Key, &e.Title, &e.Venue, &e.URL, &e.Words} {
		*field = text.Prefix(text.OneLine(strings.Map(visible, *field)), maxField)
	}
	var authors []string
	for _, name := range e.Authors {
		name = text.Prefix(text.OneLine(strings.Map(visible, name)), maxField)
		switch folded := strings.ToLower(strings.Trim(name, ". ")); {
		case folded == "others", folded == "et al":
			e.Cut = true
		case len(authors) == maxAuthors:
			e.Cut = true
		case name != "":
			authors = append(authors, name)
		}
	}
	e.Authors = authors
	if e.Year < 1000 || e.Year > 2999 {
		e.Year = 0
	}
	for _, id := range []struct {
		field *string
		name  string
		read  func(string) string
	}{{&e.DOI, "DOI", identifier.DOI}, {&e.ArXiv, "arXiv id", identifier.ArXiv}, {&e.ISBN, "ISBN", isbnOf},
		{&e.PMID, "PMID", pmidOf}} {
		said := text.Prefix(text.OneLine(*id.field), 200)
		if *id.field = id.read(said); *id.field == "" && said != "" {
			e.malformed = append(e.malformed, id.name+" "+said)
		}
	}
	for _, id := range identifier.Identifiers(e.Venue + " " + e.URL + " " + e.Words) {
		switch {
		case id.Scheme == citewell.SchemeDOI && e.DOI == "" && e.malformed == nil:
			e.DOI = id.Value
		case id.Scheme == citewell.SchemeArXiv && e.ArXiv == "":
			e.ArXiv = id.Value
		case id.Scheme == citewell.SchemePMID && e.PMID == "":
			e.PMID = id.Value
		case id.Scheme == citewell.SchemeISBN && e.ISBN == "" && e.Words != "":
			e.ISBN = id.Value
		}
	}
	if found := identifier.ArXiv(e.DOI); found != "" {
		e.ArXiv = cmp.Or(e.ArXiv, found)
	}
	if e.ArXiv != "" && (e.Kind == "" || strings.Contains(strings.ToLower(e.Venue), "arxiv")) {
		e.Kind = citewell.WorkPreprint
	}
	e.page = e.page && e.DOI+e.ArXiv+e.PMID+e.ISBN == ""
}

func visible(r rune) rune {
	if r != '\n' && r != '\t' && !unicode.IsGraphic(r) {
		return -1
	}
	return r
}

// isbnOf is the first of the numbers that a field holds.
func isbnOf(s string) string {
	for _, part := range append([]string{s}, strings.FieldsFunc(s, func(r rune) bool {
		return r == ',' || r == ';' || r == ' ' || r == '('
	})...) {
		if isbn := identifier.ISBN(part); isbn != "" {
			return isbn
		}
	}
	return ""
}

func pmidOf(s string) string {
	s = strings.TrimSpace(strings.TrimPrefix(strings.ToLower(s), "pmid:"))
	if s == "" || len(s) > 9 || strings.Trim(s, "0123456789") != "" {
		return ""
	}
	return s
}

// yearIn is the first year that stands in words, 0 where there is none.
func yearIn(words string) int {
	if years := yearsIn(words); len(years) > 0 {
		return years[0]
	}
	return 0
}

var (
	fourDigits = lazyregexp.New(`\d+`)
	inAddress  = lazyregexp.New(`(?i)(?:https?://|www\.|doi:|10\.\d{4,9}/|arxiv:)\S*`)
)

// yearsIn are the years that stand in words outside of addresses and identifiers.
func yearsIn(words string) []int {
	var years []int
	for _, digits := range fourDigits.FindAllString(inAddress.ReplaceAllString(words, " "), -1) {
		if len(digits) == 4 && digits >= "1400" && digits <= "2099" {
			year, _ := strconv.Atoi(digits)
			years = append(years, year)
		}
	}
	return slices.Compact(years)
}
