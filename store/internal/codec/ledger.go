package codec

import (
	"cmp"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/store"
)

func invalid(op, message string) error { return fault.Invalid(op, "%s", message) }

// A Ledger is one source of a brief with its passages, as their rows have them.
type Ledger struct {
	Source   []byte
	Passages map[string][]byte // by id
}

// PackSource checks a source and its passages and makes their rows. A passage without a Source gets the source's
// number.
func PackSource(op, brief string, source citewell.Source, passages []citewell.Passage) (l Ledger, err error) {
	if brief == "" {
		return l, invalid(op, "brief is required")
	}
	if source.N < 1 {
		return l, fault.Invalid(op, "source.n is %d; sources are numbered from 1", source.N)
	}
	source.FetchedAt = source.FetchedAt.UTC()
	if l.Source, err = PackJSON(source); err != nil {
		return l, err
	}
	l.Passages = make(map[string][]byte, len(passages))
	for _, p := range passages {
		p.Source = cmp.Or(p.Source, source.N)
		switch _, twice := l.Passages[p.ID]; {
		case p.ID == "":
			return l, invalid(op, "a passage has no id")
		case twice:
			return l, fault.Invalid(op, "passage %s is given twice", p.ID)
		case p.Source != source.N:
			return l, fault.Invalid(op, "passage %s is of source %d, not %d", p.ID, p.Source, source.N)
		}
		if l.Passages[p.ID], err = PackJSON(p); err != nil {
			return l, err
		}
	}
	return l, nil
}

// Same says by its error that what is kept differs from l, in any field.
func (l Ledger) Same(op string, n int, kept Ledger) error {
	differs := fault.Invalid(op, "source %d of this brief is kept already and differs; a source never changes", n)
	same, err := Same(op, kept.Source, l.Source)
	if err == nil && (!same || len(kept.Passages) != len(l.Passages)) {
		err = differs
	}
	for id, record := range kept.Passages {
		if err != nil {
			return err
		}
		given, ok := l.Passages[id]
		if !ok {
			return differs
		}
		if same, err = Same(op, record, given); err == nil && !same {
			err = differs
		}
	}
	return err
}

// OtherSource is the error of a passage whose id another source has.
func OtherSource(op, id string) error {
	return fault.Invalid(op, "passage id %s belongs to another source", id)
}

// SameBrief says by its error that the brief which is kept under the id differs.
func SameBrief(op string, kept, given []byte) error {
	same, err := Same(op, kept, given)
	if err == nil && !same {
		err = invalid(op, "a brief with that id is kept already and differs; a finished brief never changes")
	}
	return err
}

// A Snapshot is a page with its document as their row has them, and the contents it names.
type Snapshot struct {
	Page         citewell.Page
	Document     citewell.Document
	Contents     map[string][]byte // by their hash
	Packed, Read []byte            // records of page and document
}

// PackSnapshot checks a page and its document and makes their row. A wrong hash is an invalid_argument.
func PackSnapshot(op string, page citewell.Page, doc citewell.Document) (s Snapshot, err error) {
	page.FinalURL = cmp.Or(page.FinalURL, page.URL)
	if page.FinalURL == "" {
		return s, invalid(op, "page.final_url is required")
	}
	text := []byte(doc.Text)
	if page.SHA256, err = agreeingHash(op, "page.sha256", page.SHA256, page.Body); err != nil {
		return s, err
	}
	if doc.TextSHA256, err = agreeingHash(op, "document.text_sha256", doc.TextSHA256, text); err != nil {
		return s, err
	}
	s.Contents = map[string][]byte{page.SHA256: page.Body, doc.TextSHA256: text}
	doc.Text = "" // kept as a content; the rest of the document is its record
	if s.Packed, err = PackJSON(page); err == nil {
		s.Read, err = PackJSON(doc)
	}
	s.Page, s.Document = page, doc
	return s, err
}

// agreeingHash returns the hash of data, and an error where the caller claims another.
func agreeingHash(op, field, claimed string, data []byte) (string, error) {
	hash := citewell.SHA256(data)
	if claimed != "" && claimed != hash {
		return "", fault.Invalid(op, "%s is not the hash of the content given", field)
	}
	return hash, nil
}

// ReadSnapshot is PackSnapshot backwards; content gives the bytes of a hash.
func ReadSnapshot(op string, packed, read []byte, content func(
	sha256 string) ([]byte, error)) (page citewell.Page, doc citewell.Document, err error) {
	fail := func(err error) (citewell.Page, citewell.Document, error) {
		return citewell.Page{}, citewell.Document{}, err
	}
	if err := UnpackJSON(op, packed, &page); err != nil {
		return fail(err)
	}
	if err := UnpackJSON(op, read, &doc); err != nil {
		return fail(err)
	}
	if page.Body, err = content(page.SHA256); err != nil {
		return fail(err)
	}
	text, err := content(doc.TextSHA256)
	if err != nil {
		return fail(err)
	}
	doc.Text = string(text)
	return page, doc, nil
}

// DescribeDocument adds to a listed document what the record of its newest snapshot says.
func DescribeDocument(op string, record []byte, d *store.ListedDocument) error {
	var doc struct { // of a citewell.Document what is told here
		MediaType string               `json:"media_type"`
		Extractor citewell.Extractor   `json:"extractor"`
		Pages     []citewell.PageStart `json:"pages"`
		PageUnit  string               `json:"page_unit"`
	}
	if err := UnpackJSON(op, record, &doc); err != nil {
		return err
	}
	d.MediaType, d.Extractor = doc.MediaType, doc.Extractor
	if doc.PageUnit != citewell.UnitSecond { // whose sections are not counted
		d.Pages, d.PageUnit = len(doc.Pages), doc.PageUnit
	}
	return nil
}
