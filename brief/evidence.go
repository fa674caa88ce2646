package brief

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/relevance"
	"github.com/citewell/citewell/internal/siteclass"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/weburl"
	"github.com/citewell/citewell/rank"
	"github.com/citewell/citewell/search"
)

// How many passages a brief keeps: the best of all sources, and of each source at
// least a few, so that a reader can see what every source says.
const (
	bestPassages      = 32
	passagesPerSource = 10
	leastPerSource    = 3
)

// snippetExtractor is what made the text of a source whose page could not be
// read: a provider's answer, kept and cited as such.
var snippetExtractor = citewell.Extractor{ID: "provider-snippet", Version: 1}

// evidence is what findings are made from: the sources, numbered and in the
// ledger, and their best passages, most relevant first.
type evidence struct {
	asked    *text.Reading // the question
	readings *text.Readings
	sources  []citewell.Source
	passages []citewell.Passage
	ledger   *cite.Ledger
	voices   []int                  // of each source by index: equal numbers are one independent voice
	models   []citewell.ModelReport // those that failed or were late, and are not asked again
	terms    [][]string             // of each source's whole text
	spread   map[string]int         // how many of the passages that were read have a term
	pool     int                    // how many there are
}

// language is that of the question; "" when unsure.
func (e *evidence) language() string { return e.asked.Language() }

// thoughtBeside is how many passages without any word of the question are thought
// beside those that were read, which are few and were found by these words.
const thoughtBeside = 100

// rarity is the weight of a term.
func (e *evidence) rarity(term string) float64 {
	in, all := float64(e.spread[term]), float64(e.pool+thoughtBeside)
	return math.Log1p((all-in+0.5)/(in+0.5)) / math.Log1p((all+0.5)/0.5)
}

// readTerms takes note of the words of everything that was read.
func (e *evidence) readTerms(docs []citewell.Document) {
	e.terms, e.spread = make([][]string, len(docs)), map[string]int{}
	for i, doc := range docs {
		for _, p := range doc.Passages {
			e.pool++
			seen := map[string]bool{}
			for _, term := range e.readings.Read(p.Text, doc.Language).Terms() {
				if !seen[term] {
					seen[term] = true
					e.spread[term]++
					e.terms[i] = append(e.terms[i], term)
				}
			}
		}
	}
}

// source returns the source a passage is from.
func (e *evidence) source(p citewell.Passage) citewell.Source { return e.sources[p.Source-1] }

// voice returns a number that two passages share when their sources are not
// independent of each other.
func (e *evidence) voice(p citewell.Passage) int { return e.voices[p.Source-1] }

// snippetOnly says whether a passage is a provider's snippet, not a page's text.
func (e *evidence) snippetOnly(p citewell.Passage) bool {
	return e.source(p).Extractor == snippetExtractor
}

// register numbers the sources in their order, picks their best passages for a question and some for
// further queries of it, and puts both into the ledger. After it returns, every passage can be cited.
func (w *Writer) register(ctx context.Context, id string, q question, further []string, g gathered) (*evidence, error) {
	e := &evidence{asked: q.Reading, readings: q.readings, sources: []citewell.Source{}, passages: []citewell.Passage{}}
	e.ledger = cite.NewLedger(id, w.o.Archive)
	docs := make([]citewell.Document, len(g.readings))
	for i, r := range g.readings {
		if r.broken != nil {
			return nil, r.broken
		}
		if r.outcome.Readable() {
			docs[i] = r.doc
		} else if page, doc := snippetDocument(r.result); doc.Text != "" {
			if err := w.o.Archive.PutSnapshot(ctx, page, doc); err != nil {
				return nil, err
			}
			page.FinalURL = "" // nothing was fetched
			r.page, docs[i] = page, doc
		}
	}
	pool, rankBy := e.poolOf(docs)
	ranked := w.byModels(ctx, q.Text(), e, withUnranked(rankBy(q.Text()), len(pool)), func(i int) string {
		at := pool[i].Source
		return relevance.Meant(cmp.Or(docs[at].Title, g.readings[at].result.Title), pool[i])
	})
	var more [][]relevance.Scored
	for _, f := range further {
		more = append(more, rankBy(f))
	}
	keep := pick(ranked, more, pool, len(docs))
	ranked = joined(ranked, more)
	order := map[string]int{} // alias → place in the ranking
	for i, r := range g.readings {
		docs[i].Passages = keep[i]
		source, passages, err := e.ledger.Add(ctx, sourceOf(r, docs[i]), docs[i])
		if err != nil {
			return nil, err
		}
		e.sources = append(e.sources, source)
		for j, p := range passages {
			order[p.Alias] = slices.IndexFunc(ranked, func(s relevance.Scored) bool {
				return pool[s.Index].Source == i && pool[s.Index].Start == keep[i][j].Start
			})
		}
		e.passages = append(e.passages, passages...)
	}
	slices.SortStableFunc(e.passages, func(a, b citewell.Passage) int { return order[a.Alias] - order[b.Alias] })
	e.voices = e.independent(docs)
	return e, nil
}

// poolOf gives the passages of all documents, each with its document's index as its source
// for now, and what ranks them for a query.
func (e *evidence) poolOf(docs []citewell.Document) (pool []citewell.Passage, rankBy func(query string) []rank.Scored) {
	for i, doc := range docs {
		for _, p := range doc.Passages {
			p.Source = i
			pool = append(pool, p)
		}
	}
	e.readTerms(docs)
	return pool, func(query string) []relevance.Scored {
		return rank.Passages(query, pool, rank.Options{
			Language:  e.readings.Read(query, "").Language(),
			Readings:  e.readings,
			Languages: func(i int) string { return docs[pool[i].Source].Language },
			Titles:    func(i int) string { return docs[pool[i].Source].Title },
		})
	}
}

// joined is the order of passages for a question and its further queries, which together count
// as much as the question.
func joined(ranked []relevance.Scored, more [][]relevance.Scored) []relevance.Scored {
	if len(more) == 0 {
		return ranked
	}
	ids := func(list []relevance.Scored) (ids []string) {
		for _, s := range list {
			ids = append(ids, fmt.Sprintf("%06d", s.Index))
		}
		return ids
	}
	rankings := []relevance.Ranking{{IDs: ids(ranked), Weight: float64(len(more))}}
	for _, list := range more {
		rankings = append(rankings, relevance.Ranking{IDs: ids(list)})
	}
	var all []relevance.Scored
	for _, r := range relevance.Hybrid(rankings...) {
		at, _ := strconv.Atoi(r.ID)
		all = append(all, relevance.Scored{Index: at, Score: r.Score})
	}
	return all
}

// withUnranked adds the passages that share no word with the question, in their
// order, so that a source in another language is seen too.
func withUnranked(ranked []relevance.Scored, all int) []relevance.Scored {
	seen := make([]bool, all)
	for _, s := range ranked {
		seen[s.Index] = true
	}
	for i := range all {
		if !seen[i] {
			ranked = append(ranked, relevance.Scored{Index: i})
		}
	}
	return ranked
}

// pick chooses the passages to keep, by reading and in the order of the text: those for the question,
// and beside them the best of each reading for further queries.
func pick(ranked []rank.Scored, more [][]rank.Scored, pool []citewell.Passage, readings int) [][]citewell.Passage {
	keep, kept := make([][]citewell.Passage, readings), map[int]bool{}
	for place, s := range ranked {
		p := pool[s.Index]
		n := len(keep[p.Source])
		if n < leastPerSource || s.Score > 0 && place < bestPassages && n < passagesPerSource {
			keep[p.Source], kept[s.Index] = append(keep[p.Source], p), true
		}
	}
	for _, list := range more {
		found := make([]int, readings)
		for _, s := range list {
			p := pool[s.Index]
			if found[p.Source]++; found[p.Source] <= leastPerSource && !kept[s.Index] {
				keep[p.Source], kept[s.Index] = append(keep[p.Source], p), true
			}
		}
	}
	for _, list := range keep {
		slices.SortFunc(list, func(a, b citewell.Passage) int { return a.Start - b.Start })
	}
	return keep
}

func sourceOf(r *reading, doc citewell.Document) citewell.Source {
	s := citewell.Source{
		Title: r.result.Title, URL: r.result.URL, Host: weburl.Host(r.result.URL), Class: r.result.Class,
		Date: r.result.Published, Outcome: r.outcome, Snippet: r.result.Snippet,
		Archived: r.page.Archived, FinalURL: r.page.FinalURL, FetchedAt: r.page.FetchedAt, PageSHA256: r.page.SHA256,
		TextSHA256: doc.TextSHA256, Extractor: doc.Extractor,
	}
	// a register's title is the work's
	if doc.Title != "" && doc.Extractor != snippetExtractor && (r.result.Work == nil || s.Title == "") {
		s.Title = doc.Title
	}
	if weburl.IsResolver(s.Host) && s.FinalURL != "" {
		s.Host = weburl.Host(s.FinalURL)
		if s.Class == siteclass.ClassUnknown {
			s.Class = siteclass.Class(s.Host)
		}
	}
	s.Date = s.Archived.Recent(s.Date, doc.Published)
	s.Copies = r.copies
	s.Work = r.result.Work
	s.Basis = basisOf(s.Work, doc)
	s.Warning = siteclass.Caveats(s.Class, s.Work, s.Basis)
	if doc.Affiliation != "" {
		s.Warning = strings.TrimPrefix(s.Warning+"; says it is not official: "+quoted(doc.Affiliation), "; ")
	}
	s.Warning = s.Archived.Warning(s.Warning)
	return s
}

// basisOf says what of a work was read; of what is neither work nor recording, nothing.
func basisOf(work *citewell.Work, doc citewell.Document) citewell.Basis {
	switch {
	case doc.PageUnit == citewell.UnitSecond:
		return citewell.BasisCaptions
	case work == nil:
		return ""
	case doc.Extractor != snippetExtractor && doc.Text != "":
		return work.BasisOf(doc)
	case work.Abstract && doc.Text != "":
		return citewell.BasisAbstract
	}
	return citewell.BasisRecord
}

// snippetDocument makes what a provider said of a page into a document of its
// own, so that even that can be checked: it was said, by this provider, then. It is
// kept under a name of its own, so that it is never taken for the page. Without a
// snippet the document has no text.
func snippetDocument(result search.Ranked) (citewell.Page, citewell.Document) {
	body := strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text.Normalize(strings.ToValidUTF8(result.Snippet, ""))))
	page := citewell.Page{URL: result.URL, FinalURL: "snippet:" + result.URL, ContentType: "text/plain; charset=utf-8",
		Body: []byte(body), SHA256: citewell.SHA256([]byte(body)), FetchedAt: time.Now().UTC(),
		Outcome: citewell.FetchOK}
	return page, citewell.Document{URL: result.URL, MediaType: "text/plain", Title: result.Title, Text: body,
		TextSHA256: page.SHA256, Extractor: snippetExtractor,
		Passages: []citewell.Passage{{Start: 0, End: len(body), Text: body}}}
}

// independent groups sources that are not independent: those of one registered domain,
// and those whose texts are nearly the same.
func (e *evidence) independent(docs []citewell.Document) []int {
	sources, terms := e.sources, make([][]string, len(docs))
	for i, doc := range docs {
		terms[i] = e.readings.Read(text.Prefix(doc.Text, maxCompared), doc.Language).Terms()
	}
	voice := relevance.Clusters(terms, nearDuplicate)
	for i := range sources {
		for j := range i {
			if site(sources[i]) == site(sources[j]) {
				from, to := voice[i], voice[j]
				for k := range voice {
					if voice[k] == from {
						voice[k] = to
					}
				}
			}
		}
	}
	return voice
}

// site is what publishes a source: a registered domain. Each of the user's own files speaks
// for itself, and each work for its authors, whoever prints it.
func site(s citewell.Source) string {
	if strings.HasPrefix(s.URL, "file:") || s.Work != nil {
		return s.URL
	}
	return weburl.RegisteredDomain(s.Host)
}

// nearDuplicate is the share of common shingles from which two texts count as one, and
// maxCompared how many of their bytes are looked at.
const (
	nearDuplicate = 0.6
	maxCompared   = 20_000
)
