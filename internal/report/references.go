package report

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell"
)

const referencesHeader = "References"

// The styles of lists of references.
const (
	StyleAPA     = "apa"     // 7th edition
	StyleChicago = "chicago" // 18th edition, author-date
	StyleIEEE    = "ieee"    // reference guide of 2023
)

// ReferenceStyles are all of them.
var ReferenceStyles = []string{StyleAPA, StyleChicago, StyleIEEE}

// WithReferences is a report with a list of its sources as references in a style. kept may be
// nil, as in Write. A style that is none is invalid_argument.
//
// An entry is plain text. Titles keep the letters that registers give them: headline style, as Chicago wants it, cannot
// be told from names without guessing. Names that no register has in their parts stand as they are.
func WithReferences(ctx context.Context, r citewell.Report, kept Snapshots, style string) (citewell.Report, error) {
	if !slices.Contains(ReferenceStyles, style) {
		return r, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "report.references",
			Message: fmt.Sprintf("%.40q is no style of references", style),
			Hint:    "use one of " + strings.Join(ReferenceStyles, ", ")}
	}
	authors, err := AuthorsOf(ctx, r, kept)
	if err != nil {
		return r, err
	}
	r.References = &citewell.References{Style: style, Entries: references(works(r, authors), style)}
	return r, nil
}

// BriefWithReferences is WithReferences for a brief.
func BriefWithReferences(ctx context.Context, b citewell.Brief, kept Snapshots, style string) (citewell.Brief, error) {
	r, err := WithReferences(ctx, citewell.Report{Sources: b.Sources}, kept, style)
	b.References = r.References
	return b, err
}

// listReferences writes the section of a list of references.
func listReferences(w *strings.Builder, list *citewell.References) {
	if list == nil || len(list.Entries) == 0 {
		return
	}
	fmt.Fprintf(w, "\n## %s\n", referencesHeader)
	for _, entry := range list.Entries {
		fmt.Fprintf(w, "\n%s\n", withAddresses(plain(entry)))
	}
}

// references are the entries of a list: by their first words, but of IEEE by the numbers that the text has.
func references(all []work, style string) []string {
	entries := make([]string, len(all))
	for i, w := range all {
		switch style {
		case StyleAPA:
			entries[i] = w.apa()
		case StyleChicago:
			entries[i] = w.chicago()
		default:
			entries[i] = fmt.Sprintf("[%d] %s", w.n, w.ieee())
		}
	}
	if style != StyleIEEE {
		slices.SortStableFunc(entries, func(a, b string) int { return strings.Compare(sortable(a), sortable(b)) })
	}
	return entries
}

func sortable(entry string) string {
	return strings.TrimLeftFunc(strings.ToLower(entry), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// A sentence is an entry that is being written.
type sentence struct{ strings.Builder }

// add writes words behind what separates them from those before, unless there are none.
func (s *sentence) add(separator, words string) {
	if words == "" {
		return
	}
	if s.Len() > 0 {
		s.WriteString(separator)
	}
	s.WriteString(words)
}

// addWhole writes words as a sentence of their own.
func (s *sentence) addWhole(words string) {
	s.add(" ", words)
	s.end()
}

// end ends a sentence that has no end of its own.
func (s *sentence) end() {
	if written := s.String(); written != "" && !strings.HasSuffix(strings.TrimRight(written, `”’"`), ".") &&
		!strings.HasSuffix(written, "?") && !strings.HasSuffix(written, "!") {
		s.WriteByte('.')
	}
}

// stopped is a title with the point that ends it, inside its quotation mark.
func stopped(title, point string) string {
	if last, _ := utf8.DecodeLastRuneInString(title); point == "." && strings.ContainsRune("?!.", last) {
		return title
	}
	return title + point
}

// initials are the first letters of given names: "Ada Mary" is A. M., "Jean-Luc" J.-L.
func initials(given string) string {
	var parts []string
	for _, word := range strings.Fields(strings.ReplaceAll(given, ".", ". ")) {
		var joined []string
		for _, part := range strings.Split(word, "-") {
			first, _ := utf8.DecodeRuneInString(part)
			switch {
			case first == utf8.RuneError:
			case unicode.IsLower(first): // of "Ada van", which the family name has begun in
				joined = append(joined, part)
			default:
				joined = append(joined, string(first)+".")
			}
		}
		parts = append(parts, strings.Join(joined, "-"))
	}
	return strings.Join(parts, " ")
}

// behind is "Crane, A.", before "A. Crane"; a name that has no parts is itself.
func (a author) behind(given string) string {
	if a.family == "" {
		return a.name
	}
	return strings.TrimSuffix(a.family+", "+given, ", ")
}

func (a author) before(given string) string {
	if a.family == "" {
		return a.name
	}
	return strings.TrimSpace(given + " " + a.family)
}

// listed joins names; last stands before the last of three or more, pair between two.
func listed(names []string, pair, last string) string {
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return names[0]
	case 2:
		return names[0] + pair + names[1]
	default:
		return strings.Join(names[:n-1], ", ") + last + names[n-1]
	}
}

func (w work) day(layout string) string {
	if len(w.date) < 3 {
		return ""
	}
	return dayIn(layout, w.date)
}

func dayIn(layout string, parts []int) string {
	if len(parts) < 3 {
		return ""
	}
	return time.Date(parts[0], time.Month(parts[1]), parts[2], 0, 0, 0, 0, time.UTC).Format(layout)
}

func (w work) year() string {
	if len(w.date) == 0 {
		return ""
	}
	return fmt.Sprint(w.date[0])
}

// whenRead is the day on which a page was read, where neither a date nor a DOI says which one is meant.
func (w work) whenRead() string {
	if len(w.date) > 0 || w.doi != "" || w.url == "" {
		return ""
	}
	return dayIn("January 2, 2006", w.accessed)
}

// marked is dashed behind p. or pp.
func (w work) marked() string {
	pages := w.dashed()
	if strings.Contains(pages, "–") {
		return "pp. " + pages
	}
	return prefixed("p. ", pages)
}

// dashed is a range of pages with the dash that is set between numbers.
func (w work) dashed() string {
	if first, last := pageRange(w.pages); last != "" {
		return first + "–" + last
	}
	return w.pages
}
