package agent

import (
	"net/url"
	"path"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent/internal/door"
	"github.com/citewell/citewell/internal/envelope"
	"github.com/citewell/citewell/internal/siteclass"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/weburl"
)

// A source is a page that the run knows of. Its number is its own for the life of the
// run; its text is settled once, by the page or by what a provider said of it.
type source struct {
	citewell.Source
	key      string // canonical URL
	doc      citewell.Document
	passages []citewell.Passage
	settled  bool
	failed   string      // why the page was not read; empty where it was not tried
	whose    door.Source // words its text has
	former   *gotten     // the text that it had in the run that this one goes on from; nil where it had none
	told     string      // the snippet that the model was shown last
	seen     []span      // parts of the text that the model was shown, joined
}

// wasRead reports whether the source's text is its page's.
func (s *source) wasRead() bool { return s.settled && s.Extractor != snippetExtractor }

// snippetExtractor is what made the text of a source whose page could not be read: a
// provider's answer, kept and cited as such.
var snippetExtractor = citewell.Extractor{ID: "provider-snippet", Version: 1}

// sources are those of one run, by number.
type sources struct {
	list  []*source
	gone  int // numbers before the first of list, which a session has forgotten
	byKey map[string]*source
}

func newSources() *sources { return &sources{byKey: map[string]*source{}} }

func (s *sources) all() []citewell.Source {
	list := make([]citewell.Source, len(s.list))
	for i, each := range s.list {
		list[i] = each.Source
	}
	return list
}

func (s *sources) number(n int) *source {
	if n <= s.gone || n > s.gone+len(s.list) {
		return nil
	}
	return s.list[n-s.gone-1]
}

func (s *sources) find(url string) *source { return s.byKey[weburl.Canonical(url)] }

// add gives a URL its number; one that has it keeps it, and its text.
func (s *sources) add(title, url, snippet, date string, work *citewell.Work) (*source, bool) {
	key := weburl.Canonical(url)
	if known := s.byKey[key]; known != nil {
		if known.Work == nil && !known.settled {
			known.Work = work
		}
		if known.Snippet == "" && !known.settled {
			known.Snippet = snippet
		}
		return known, false
	}
	host := weburl.Host(url)
	added := &source{key: key, Source: citewell.Source{N: s.gone + len(s.list) + 1, Title: title, URL: url, Host: host,
		Class: siteclass.Class(host), Snippet: snippet, Date: date, Work: work}, whose: wordsOf(url)}
	s.list, s.byKey[key] = append(s.list, added), added
	return added, true
}

// isLocal says whether a URL is that of an indexed file.
func isLocal(url string) bool { return strings.HasPrefix(url, localScheme) }

const localScheme = "file:"

// localName is the name of the file at such an address.
func localName(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return path.Base(u.Path)
}

// wordsOf is whose words a page says. A result of a tool is taken for the user's where
// nothing more is known of it, as in a run that goes on from another.
func wordsOf(url string) door.Source {
	if isLocal(url) || isResult(url) {
		return door.Private
	}
	return door.Public
}

// oneLine is untrusted text on one line, without what only a machine would see.
func oneLine(s string) string { return text.OneLine(envelope.Neutralize(s)) }

// forget drops the first n sources. Their numbers are given to no other.
func (s *sources) forget(n int) {
	for _, old := range s.list[:n] {
		delete(s.byKey, old.key)
	}
	s.list = append([]*source(nil), s.list[n:]...)
	s.gone += n
}

// texts is how many bytes the sources have that were read.
func (s *sources) texts() (bytes int) {
	for _, each := range s.list {
		bytes += len(each.doc.Text)
	}
	return bytes
}

// gotten is a page as the journal keeps it: passages as spans of the text. Of one that
// could not be read it has the status and the time alone.
type gotten struct {
	Page      citewell.Page     `json:"page"`
	Doc       citewell.Document `json:"doc"`
	Passages  []gottenPassage   `json:"passages"`
	Bytes     int               `json:"bytes,omitempty"`      // of the page's body
	ElapsedMS int64             `json:"elapsed_ms,omitempty"` // of reading it
}

type gottenPassage struct {
	Start   int    `json:"start"`
	End     int    `json:"end"`
	Heading string `json:"heading,omitempty"`
	Page    int    `json:"page,omitempty"`
	Columns string `json:"columns,omitempty"`
}

// isResult says whether an address is that of a tool's result, which nobody can open.
func isResult(address string) bool { return strings.HasPrefix(address, toolScheme) }
