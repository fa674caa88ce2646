package page

import (
	"cmp"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/evidence"
	"github.com/citewell/citewell/internal/meaning"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/server/documents"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/library"
	"github.com/citewell/citewell/store"
)

// Bounds of what pages of the library show at once.
const (
	shelved = 50 // documents
	perFind = 10 // results of a search
	maxFind = 1000
)

// A shelvedDocument is a document as pages tell of it.
type shelvedDocument struct {
	documents.Listed
	Name   string // its title, or what it is called
	Kind   string // of its file: the ending, or the media type
	Origin string // in words
	Live   string // the address of a page of the web; empty for a file
}

func shelvedOf(d documents.Listed) shelvedDocument {
	s := shelvedDocument{Listed: d}
	u, err := url.Parse(d.URL)
	if err != nil {
		u = &url.URL{Path: d.URL}
	}
	base := path.Base(u.Path)
	s.Name = cmp.Or(strings.TrimSpace(d.Title), base)
	if s.Kind = strings.ToLower(strings.TrimPrefix(path.Ext(base), ".")); s.Kind == "" || len(s.Kind) > 8 ||
		u.Scheme != "file" {
		s.Kind, _, _ = strings.Cut(d.MediaType, ";")
		s.Kind = strings.TrimPrefix(s.Kind, "text/")
	}
	switch rest, sent := strings.CutPrefix(d.URL, library.AttachedPrefix); {
	case sent:
		s.Origin = "a file that was sent here"
		if _, name, found := strings.Cut(rest, "/"); found {
			if name, err := url.PathUnescape(name); err == nil {
				s.Origin += ": " + name
			}
		}
	case u.Scheme == "file":
		s.Origin = u.Path
	default:
		s.Origin, s.Live = d.URL, report.WebAddress(citewell.Source{URL: d.URL})
	}
	return s
}

// A libraryPage lists what there is to look into.
type libraryPage struct {
	frame
	Documents []shelvedDocument
	Total     int
	Next      string // the address of the next page
	Newest    bool
	Nodes     int // of the graph
	Words     string
	Outcome   addedList
	Wrong     string // what cannot be of what was sent
}

// An addedList is what became of each file that was sent.
type addedList struct {
	Documents []documents.Added
	Warning   string
}

// library is GET /library.
func (s *Site) library(w http.ResponseWriter, r *http.Request) error {
	return s.showLibrary(w, r, http.StatusOK, libraryPage{})
}

func (s *Site) showLibrary(w http.ResponseWriter, r *http.Request, status int, p libraryPage) error {
	after := r.URL.Query().Get("cursor")
	list, err := s.o.Shelf.List(r.Context(), store.DocumentQuery{After: after, Limit: shelved})
	if err != nil {
		return err
	}
	nodes, err := s.o.Shelf.Nodes(r.Context(), "", 1, 0)
	if err != nil {
		return err
	}
	p.frame, p.Total, p.Newest, p.Nodes = s.frame(r, "Library", "library"), list.Total, after == "", nodes.AllNodes
	for _, d := range list.Documents {
		p.Documents = append(p.Documents, shelvedOf(d))
	}
	if list.Next != "" {
		p.Next = "/library?" + url.Values{"cursor": {list.Next}}.Encode()
	}
	return show(w, status, "library.html", p)
}

// shelve is POST /library: files of a form. What became of each is said on the page.
func (s *Site) shelve(w http.ResponseWriter, r *http.Request) error {
	outcome, err := s.o.Shelf.Upload(w, r)
	p := libraryPage{Outcome: addedList(outcome)}
	if err != nil {
		if citewell.CategoryOf(err) != citewell.CategoryInvalid {
			return err
		}
		p.Wrong = citewell.View(err).Line()
		return s.showLibrary(w, r, intake.StatusOf(err), p)
	}
	return s.showLibrary(w, r, http.StatusOK, p)
}

// shelvePart is shelve for a page that is there already: what became of the files, also where
// the request cannot be taken.
func (s *Site) shelvePart(w http.ResponseWriter, r *http.Request) error {
	outcome, err := s.o.Shelf.Upload(w, r)
	switch category := citewell.CategoryOf(err); {
	case err == nil:
	case category == citewell.CategoryInvalid || category == citewell.CategoryRateLimited:
		view := citewell.View(err)
		outcome = documents.Outcome{Documents: []documents.Added{{State: library.Failed, Error: &view}}}
	default:
		return err
	}
	return show(w, http.StatusOK, "added", addedList(outcome))
}

// unshelve is POST /library/d/{id}/delete.
func (s *Site) unshelve(w http.ResponseWriter, r *http.Request) error {
	if err := s.o.Shelf.Remove(r.Context(), r.PathValue("id")); err != nil {
		return ofDocument(err)
	}
	seeOther(w, "/library")
	return nil
}

// ofDocument is an error of what was asked of a document: it may not be there.
func ofDocument(err error) error {
	return intake.Instead(err, notFound("there is no such document",
		"it was deleted, or it is another's; your documents are in the library"))
}

// A documentPage is the text of a document that was kept.
type documentPage struct {
	frame
	Document shelvedDocument
	Text     excerpt
	More     int    // where the text goes on; 0 at its end
	Words    string // of the search that led here
	Gone     string // why what it led to is not marked
}

// document is GET /library/d/{id}: its text from start, with the passage from to to marked,
// which a search found by the words q.
func (s *Site) document(w http.ResponseWriter, r *http.Request) error {
	d, err := s.o.Shelf.Document(r.Context(), r.PathValue("id"))
	if err != nil {
		return ofDocument(err)
	}
	p := documentPage{Document: shelvedOf(d), Words: r.URL.Query().Get("q")}
	p.frame = s.frame(r, p.Document.Name, "library")
	asked := func(name string) int { n, _ := strconv.Atoi(r.URL.Query().Get(name)); return max(n, 0) }
	start, from, to := asked("start"), asked("from"), asked("to")
	if start == 0 && from > sourcePiece/2 {
		start = from - around
	}
	t, err := s.o.Shelf.Text(r.Context(), d.ID, start, start+sourcePiece)
	if err != nil {
		return ofDocument(err)
	}
	if to > from && (from < t.Start || to > t.End || !whole(t.Text, from-t.Start) || !whole(t.Text, to-t.Start)) {
		p.Gone, from, to = "The text is another than the one that was searched: nothing is marked.", 0, 0
	}
	p.Text = markedText(t, from, to)
	if t.End < t.Total {
		p.More = t.End
	}
	return show(w, http.StatusOK, "document.html", p)
}

// markedText is a piece of a text with one passage marked; none where to is 0.
func markedText(t documents.Piece, from, to int) excerpt {
	passage := citation{}
	if passage.Start, passage.End = t.End, t.End; to > from {
		passage.K, passage.Start, passage.End = 1, from, to
	}
	return excerpt{Pieces: piecesOf(t.Text, t.Start, 0, len(t.Text), passage, nil), Start: t.Start, End: t.End,
		Total: t.Total, TextSHA256: t.TextSHA256, Lang: text.Language(t.Text[:min(len(t.Text), langPiece)]),
		SkippedBefore: t.Start, SkippedAfter: t.Total - t.End}
}

// whole says whether a text may be cut at a byte of it.
func whole(text string, at int) bool {
	return at >= 0 && at <= len(text) && (at == len(text) || utf8.RuneStart(text[at]))
}

// documentText is GET /library/d/{id}/text: the whole text, to keep.
func (s *Site) documentText(w http.ResponseWriter, r *http.Request) error {
	d, err := s.o.Shelf.Document(r.Context(), r.PathValue("id"))
	if err != nil {
		return ofDocument(err)
	}
	t, err := s.o.Shelf.Text(r.Context(), d.ID, 0, evidence.MaxText)
	if err != nil {
		return ofDocument(err)
	}
	name := strings.Map(func(r rune) rune {
		if r < 0x20 || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, text.Prefix(shown(shelvedOf(d).Name), 120))
	guard(w.Header())
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment",
		map[string]string{"filename": name + ".txt"}))
	w.Header().Set("Content-Length", strconv.Itoa(t.Total))
	for {
		if _, err := w.Write([]byte(t.Text)); err != nil || t.End >= t.Total {
			return nil // the client is gone where this fails
		}
		next, err := s.o.Shelf.Text(r.Context(), d.ID, t.End, t.End+evidence.MaxText)
		if err != nil || next.TextSHA256 != t.TextSHA256 || next.End <= t.End {
			panic(http.ErrAbortHandler) // it changed meanwhile: what was promised cannot be sent
		}
		t = next
	}
}

// A foundPage is what a search of the library found.
type foundPage struct {
	frame
	Words   string
	Results []foundDocument
	Total   int
	Mode    meaning.Mode
	Warning string
	Wrong   string
	Next    string // the address of the results after these
	First   bool
}

// A foundDocument is one result, with why.
type foundDocument struct {
	documents.Found
	shelvedDocument
	Link   string
	Pieces []report.Piece // of the excerpt: bold are the words that were looked for
}

// found is GET /library/search.
func (s *Site) found(w http.ResponseWriter, r *http.Request) error {
	asked := r.URL.Query()
	p := foundPage{frame: s.frame(r, "Search your documents", "library"), Words: strings.TrimSpace(asked.Get("q"))}
	offset, _ := strconv.Atoi(asked.Get("offset"))
	offset = min(max(offset, 0), maxFind)
	p.First = offset == 0
	if p.Words == "" {
		return show(w, http.StatusOK, "found.html", p)
	}
	all, err := s.o.Shelf.Search(r.Context(), store.TextQuery{Text: p.Words, Limit: perFind, Offset: offset})
	if citewell.CategoryOf(err) == citewell.CategoryInvalid {
		p.Wrong = citewell.View(err).Line()
		return show(w, http.StatusUnprocessableEntity, "found.html", p)
	}
	if err != nil {
		return err
	}
	p.Total, p.Mode, p.Warning = all.Total, all.Mode, all.Warning
	for _, f := range all.Results {
		one := foundDocument{Found: f, shelvedDocument: shelvedOf(documents.Listed{
			ID: f.ID, URL: f.URL, Title: f.Title}), Link: "/library/d/" + f.ID}
		if e := f.Excerpt; e != nil {
			one.Link += "?" + url.Values{"from": {strconv.Itoa(e.Start)}, "to": {strconv.Itoa(e.End)},
				"q": {p.Words}}.Encode() + "#cite"
			one.Pieces = lookedFor(*e)
		}
		p.Results = append(p.Results, one)
	}
	if all.NextOffset > 0 && all.NextOffset <= maxFind {
		p.Next = "/library/search?" + url.Values{"q": {p.Words}, "offset": {strconv.Itoa(all.NextOffset)}}.Encode()
	}
	return show(w, http.StatusOK, "found.html", p)
}

// lookedFor takes an excerpt apart, by the words in it that were looked for.
func lookedFor(e documents.Excerpt) (pieces []report.Piece) {
	at := e.Start
	for _, m := range e.Marks {
		if m.Start < at || m.End > e.End {
			continue
		}
		pieces = append(pieces, report.Piece{Text: e.Text[at-e.Start : m.Start-e.Start]},
			report.Piece{Text: e.Text[m.Start-e.Start : m.End-e.Start], Bold: true})
		at = m.End
	}
	return shownPieces(append(pieces, report.Piece{Text: e.Text[at-e.Start:]}))
}
