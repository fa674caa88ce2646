package report

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
)

// namedAuthors is how many authors of a publication are named beside a source.
const namedAuthors = 3

// A PublicationLine is a line on a source that is a publication: words, and an address where there is one.
type PublicationLine struct{ Words, Address string }

// Publication says of a source that is one who wrote it, when and where it came out, where its text was read, and where
// other versions are, as far as that is known; of a recording where its captions were read.
func Publication(s citewell.Source) []PublicationLine {
	var lines []PublicationLine
	if s.Work != nil {
		if line := byline(*s.Work); line != "" {
			lines = append(lines, PublicationLine{Words: line})
		}
	}
	if hasLanding(s) && s.FinalURL != s.URL && s.FinalURL != "" && WasRead(s) {
		lines = append(lines, PublicationLine{"read at", s.FinalURL})
	}
	if s.Work == nil {
		return lines
	}
	for _, v := range s.Work.Versions {
		lines = append(lines, PublicationLine{versionWords(v), v.URL})
	}
	return lines
}

// publication are these lines in Markdown, each behind before.
func publication(s citewell.Source, before string) string {
	var b strings.Builder
	for _, line := range Publication(s) {
		b.WriteString(before + within(line.Words))
		if line.Address != "" {
			b.WriteString(": " + link(line.Address))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// byline gives "Ada Crane, Bo Lindqvist and 4 more · 2024 · Journal of Tides · doi:10.5555/x".
func byline(w citewell.Work) string {
	authors := strings.Join(w.Authors, ", ")
	if n := len(w.Authors); n > namedAuthors {
		authors = fmt.Sprintf("%s and %d more", strings.Join(w.Authors[:namedAuthors], ", "), n-namedAuthors)
	}
	return text.ShortenAtWord(plain(joined(" · ", authors, yearWord(w.Year), w.Venue, prefixed("doi:", w.DOI),
		prefixed("arXiv:", w.ArXiv), prefixed("PMID ", w.PMID))), maxTitle)
}

// yearWord is a year, or nothing where none is known.
func yearWord(year int) string {
	if year <= 0 {
		return ""
	}
	return strconv.Itoa(year)
}

func prefixed(before, value string) string {
	if value == "" {
		return ""
	}
	return before + value
}

// versionWords names another version of a work: "preprint, 2023, v2".
func versionWords(v citewell.WorkVersion) string {
	return plain(joined(", ", cmp.Or(string(v.Kind), "another version"), yearWord(v.Year), v.Version))
}

// caveats says of the works that a statement quotes which were retracted or are in doubt, each
// once: " (source 2: the work was RETRACTED)".
func caveats(citations []citewell.Citation) string {
	var b strings.Builder
	seen := map[int]bool{}
	for _, c := range citations {
		if c.Caveat != "" && !seen[c.N] {
			seen[c.N] = true
			fmt.Fprintf(&b, " (source %d: %s)", c.N, within(c.Caveat))
		}
	}
	return b.String()
}
