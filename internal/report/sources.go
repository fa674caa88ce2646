package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/notation"
	"github.com/citewell/citewell/internal/text"
)

// Bounds of one rendering, in bytes where they are not a count.
const (
	maxSources  = 20
	maxExtract  = 3000   // one source's extract
	maxExtracts = 12_000 // all of them
	minExtract  = 300    // what a source has when those before it used up the room
	maxTitle    = 300    // a heading too
	maxSnippet  = 300
	maxWarning  = 300
)

// How a source is shown that lacks something.
const (
	untitled    = "(no title)"
	undated     = "undated"
	localSource = "local document"
)

// shownSources are the first maxSources; what is cited is always among them, even where that makes them more.
func shownSources(b citewell.Brief) []citewell.Source {
	if len(b.Sources) <= maxSources {
		return b.Sources
	}
	leantOn := b.Cited()
	room := maxSources
	for _, s := range b.Sources {
		if leantOn[s.N] {
			room--
		}
	}
	return slices.DeleteFunc(slices.Clone(b.Sources), func(s citewell.Source) bool {
		if leantOn[s.N] {
			return false
		}
		room--
		return room < 0
	})
}

func sources(w *strings.Builder, shown []citewell.Source) {
	if len(shown) == 0 {
		return
	}
	fmt.Fprintf(w, "\n## %s\n", sourcesHeader)
	for _, s := range shown {
		fmt.Fprintf(w, "%s %s [%s]\n   %s\n   %s\n", notation.Mark(s.N), within(cmp.Or(s.Host, localSource)),
			tag(s.Class, s.Date), inline(cmp.Or(text.ShortenAtWord(plain(s.Title), maxTitle), untitled)),
			link(landing(s)))
		w.WriteString(publication(s, "   "))
		if copies := alsoAt(s); copies != "" {
			fmt.Fprintf(w, "   %s\n", copies)
		}
		if warning := plain(s.Warning); warning != "" {
			fmt.Fprintf(w, "   ⚠ %s\n", within(text.ShortenAtWord(warning, maxWarning)))
		}
	}
}

// alsoAt names where copies of a source were read, or is empty.
func alsoAt(s citewell.Source) string {
	if len(s.Copies) == 0 {
		return ""
	}
	links := make([]string, len(s.Copies))
	for i, address := range s.Copies {
		links[i] = link(address)
	}
	return "the same text: " + strings.Join(links, ", ")
}

// address is the URL of a source: where it was read, or else where it was found.
func address(s citewell.Source) string { return cmp.Or(s.FinalURL, s.URL) }

// hasLanding says whether a source has a page of its own, and may have been read elsewhere: a
// publication in a copy, a recording in its captions.
func hasLanding(s citewell.Source) bool {
	return s.Work != nil || s.Basis == citewell.BasisCaptions
}

// landing is where a source is shown to be: its own page where it has one, else its address.
func landing(s citewell.Source) string {
	if hasLanding(s) {
		return cmp.Or(s.URL, s.FinalURL)
	}
	return address(s)
}

// tag gives "class · date".
func tag(class, date string) string {
	date = within(cmp.Or(date, undated))
	if class == "" {
		return date
	}
	return within(class) + " · " + date
}

// extracts shows, source by source, the passages that the findings are chosen from; a page that could not be read shows
// why, and the provider's snippet. Each source has an equal share of the room that those before it left.
func extracts(w *strings.Builder, shown []citewell.Source, passages []citewell.Passage) {
	room := maxExtracts
	for i, s := range shown {
		if !s.Outcome.Readable() {
			of := "snippet-only"
			if s.Basis == citewell.BasisAbstract {
				of = "abstract only, as a search provider gives it"
			}
			fmt.Fprintf(w, "\n### %s (%s)\n_Fetch did not yield extractable content (%s)._\n", notation.Mark(s.N), of,
				cmp.Or(string(s.Outcome), "not fetched"))
			if s.Snippet != "" {
				w.WriteString(quote(text.ShortenAtWord(plain(s.Snippet), maxSnippet)))
			}
			continue
		}
		extract, whole := extractOf(passages, s.N, max(minExtract, min(maxExtract, room/(len(shown)-i))))
		if extract == "" {
			continue
		}
		room -= len(extract)
		label := ""
		if !whole || s.Outcome == citewell.FetchTruncated {
			label = " (truncated)"
		}
		if s.Basis == citewell.BasisAbstract {
			label = " (abstract only)" + label
		}
		fmt.Fprintf(w, "\n### %s%s\n%s", notation.Mark(s.N), label, extract)
	}
}

// extractOf renders a source's passages: as many of the best as limit has room
// for, at least one, in the order of their text. It says whether that is all.
func extractOf(passages []citewell.Passage, n, limit int) (extract string, whole bool) {
	var best []citewell.Passage
	size, whole := 0, true
	for _, p := range passages { // best first
		if p.Source != n {
			continue
		}
		p.Heading = headingWhere(p)
		need := len(p.Heading) + len(p.Text)
		if len(best) > 0 && size+need > limit {
			whole = false
			continue
		}
		if need > limit {
			p.Text, whole = text.ShortenAtWord(p.Text, limit), false
		}
		size += need
		best = append(best, p)
	}
	slices.SortFunc(best, func(a, b citewell.Passage) int { return a.Start - b.Start })
	var w strings.Builder
	above := ""
	for i, p := range best {
		if i > 0 {
			w.WriteByte('\n')
		}
		if heading := within(p.Heading); heading != "" && heading != above {
			fmt.Fprintf(&w, "**%s**\n\n", heading)
			above = heading
		}
		w.WriteString(quote(p.Text))
	}
	return w.String(), whole
}

func additional(w *strings.Builder, b citewell.Brief) {
	if len(b.Additional) == 0 {
		return
	}
	fmt.Fprintf(w, "\n## %s\n", additionalHeader)
	for i, a := range b.Additional {
		fmt.Fprintf(w, "%s %s [%s] — %s\n", notation.Mark(len(b.Sources)+i+1), within(cmp.Or(a.Host, localSource)),
			tag("", a.Date), link(a.URL))
		if title := plain(a.Title); title != "" {
			fmt.Fprintf(w, "   %s\n", inline(text.ShortenAtWord(title, maxTitle)))
		}
		if snippet := plain(a.Snippet); snippet != "" {
			fmt.Fprintf(w, "   %s\n", inline(text.ShortenAtWord(snippet, maxSnippet)))
		}
	}
}
