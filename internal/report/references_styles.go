package report

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
)

// mostAPA is how many authors an entry of APA names; of more it has the first, and the last.
const mostAPA = 20

func (w work) apa() string {
	var names []string
	for _, a := range w.authors {
		names = append(names, a.behind(initials(a.given)))
	}
	by := listed(names, ", & ", ", & ")
	if n := len(names); n > mostAPA {
		by = strings.Join(names[:mostAPA-1], ", ") + ", … " + names[n-1]
	}
	when := cmp.Or(w.year(), "n.d.")
	if !w.published {
		when = cmp.Or(w.day("2006, January 2"), w.monthAPA(), when)
	}
	var s sentence
	s.addWhole(by)
	if by != "" {
		s.add(" ", "("+when+").")
	}
	s.addWhole(w.title + prefixed(" ", w.aboutAPA()))
	if by == "" {
		s.add(" ", "("+when+").")
	}
	switch w.sort {
	case citewell.WorkArticle, citewell.WorkReview, citewell.WorkConference:
		place := w.container
		if w.volume != "" {
			place += ", " + w.volume
			if w.issue != "" {
				place += "(" + w.issue + ")"
			}
		}
		if pages := w.dashed(); pages != "" {
			place = strings.TrimPrefix(place+", "+pages, ", ")
		}
		if w.sort == citewell.WorkConference && w.container == "" {
			place = w.publisher
		}
		s.addWhole(place)
	case citewell.WorkChapter:
		if w.container != "" {
			in := "In " + w.container
			if pages := w.marked(); pages != "" {
				in += " (" + pages + ")"
			}
			s.addWhole(in)
		}
		s.addWhole(w.publisher)
	case citewell.WorkThesis:
	default:
		s.addWhole(cmp.Or(w.publisher, w.site()))
	}
	if day := w.whenRead(); day != "" {
		s.add(" ", "Retrieved "+day+", from "+w.url)
	} else {
		s.add(" ", w.url)
	}
	return s.String()
}

func (w work) monthAPA() string {
	if len(w.date) == 2 {
		return dayIn("2006, January", append(w.date[:2:2], 1))
	}
	return ""
}

// site is the host of a page, which stands for who publishes it.
func (w work) site() string {
	if w.published || w.result {
		return ""
	}
	return w.host
}

// aboutAPA is what stands behind a title: what the work is, where a reader cannot know.
func (w work) aboutAPA() string {
	switch {
	case !w.published:
	case w.sort == citewell.WorkPreprint && w.arxiv != "":
		return "(Preprint arXiv:" + w.arxiv + ")"
	case w.sort == citewell.WorkPreprint:
		return "[Preprint]"
	case w.sort == citewell.WorkThesis:
		return "[" + strings.TrimSuffix("Thesis, "+w.publisher, ", ") + "]"
	case w.sort == citewell.WorkDataset:
		return "[Dataset]"
	case w.sort == citewell.WorkSoftware && w.version != "":
		return "(Version " + w.version + ") [Computer software]"
	case w.sort == citewell.WorkSoftware:
		return "[Computer software]"
	case w.sort == citewell.WorkReview:
		return "[Peer review]"
	}
	return ""
}

// Authors that an entry of Chicago names: all, up to mostChicago; of more the first someChicago.
const (
	mostChicago = 6
	someChicago = 3
)

func (w work) chicago() string {
	var names []string
	for i, a := range w.authors {
		name := a.before(a.given)
		if i == 0 {
			name = a.behind(a.given)
		}
		names = append(names, name)
	}
	by := listed(names, ", and ", ", and ")
	if len(names) == 2 && w.authors[0].family == "" {
		by = names[0] + " and " + names[1]
	}
	if len(names) > mostChicago {
		by = strings.Join(names[:someChicago], ", ") + ", et al."
	}
	var s sentence
	house := cmp.Or(w.publisher, w.site())
	if by == "" && !w.published {
		by, house = house, ""
	}
	title := "“" + stopped(w.title, ".") + "”"
	switch w.sort {
	case citewell.WorkBook, citewell.WorkReport, citewell.WorkSoftware:
		title = stopped(w.title, ".")
	}
	s.addWhole(by)
	if by == "" {
		s.addWhole(title)
	}
	s.addWhole(cmp.Or(w.year(), "n.d."))
	if by != "" {
		s.add(" ", title)
	}
	switch w.sort {
	case citewell.WorkArticle, citewell.WorkReview:
		s.addWhole(w.placeChicago())
	case citewell.WorkConference:
		if w.container == "" {
			s.addWhole(w.publisher)
		} else {
			s.addWhole(joined(", ", w.container, w.pagesChicago()))
		}
	case citewell.WorkChapter:
		if w.container != "" {
			s.addWhole("In " + w.container)
		}
		s.addWhole(w.publisher)
	case citewell.WorkThesis:
		s.addWhole(joined(", ", "Thesis", w.publisher))
	case citewell.WorkPreprint:
		s.addWhole("Preprint" + prefixed(" arXiv:", w.arxiv))
		s.addWhole(joined(", ", house, w.day("January 2")))
	case citewell.WorkBook, citewell.WorkReport:
		s.addWhole(house)
	case citewell.WorkSoftware:
		s.addWhole(prefixed("V. ", w.version))
		s.addWhole(house)
	default:
		s.addWhole(joined(", ", house, w.day("January 2")))
	}
	s.addWhole(prefixed("Accessed ", w.whenRead()))
	s.add(" ", w.url)
	if w.url != "" {
		s.WriteByte('.')
	}
	return s.String()
}

func joined(separator string, parts ...string) string {
	var filled []string
	for _, part := range parts {
		if part != "" {
			filled = append(filled, part)
		}
	}
	return strings.Join(filled, separator)
}

func (w work) placeChicago() string {
	place := joined(" ", w.container, w.volume)
	if w.issue != "" {
		if w.volume != "" {
			place += " (" + w.issue + ")"
		} else {
			place += ", no. " + w.issue
		}
	}
	return joined(": ", place, w.pagesChicago())
}

// pagesChicago is a range of pages of which the second number leaves out what it has in common
// with the first: 101–18, but 100–118 and 101–8.
func (w work) pagesChicago() string {
	first, last := pageRange(w.pages)
	a, errA := strconv.Atoi(first)
	b, errB := strconv.Atoi(last)
	switch {
	case last == "":
		return first
	case errA != nil || errB != nil || a < 100 || a%100 == 0 || len(first) != len(last) || b <= a:
		return first + "–" + last
	}
	keep := len(last) - 2
	if a%100 < 10 {
		keep = len(last) - 1
	}
	for keep > 0 && first[:keep] != last[:keep] {
		keep--
	}
	if b/100 == a/100 && a%100 < 10 {
		return first + "–" + strconv.Itoa(b%100)
	}
	return first + "–" + last[keep:]
}

// mostIEEE is how many authors an entry of IEEE names; of more it has the first.
const mostIEEE = 6

func (w work) ieee() string {
	var names []string
	for _, a := range w.authors {
		names = append(names, a.before(initials(a.given)))
	}
	by := listed(names, " and ", ", and ")
	if len(names) > mostIEEE {
		by = names[0] + " et al."
	}
	title := "“" + stopped(w.title, ",") + "”"
	switch w.sort {
	case citewell.WorkBook, citewell.WorkSoftware:
		title = stopped(w.title, ".")
	case citewell.WorkDataset:
		title = "“" + stopped(w.title, ".") + "”"
	}
	var s sentence
	s.add("", by)
	s.add(", ", title)
	when := w.year()
	in := func(parts ...string) string { return joined(", ", parts...) }
	switch w.sort {
	case citewell.WorkArticle, citewell.WorkReview:
		volume, issue := prefixed("vol. ", w.volume), prefixed("no. ", w.issue)
		s.add(" ", in(w.container, volume, issue, w.marked(), w.monthIEEE(), prefixed("doi: ", w.doi)))
		return w.online(&s)
	case citewell.WorkConference, citewell.WorkChapter:
		s.add(" ", in(prefixed("in ", w.container), w.publisher, when, w.marked()))
	case citewell.WorkBook, citewell.WorkReport:
		s.add(" ", in(w.publisher, when))
	case citewell.WorkThesis:
		s.add(" ", in("Thesis", w.publisher, when))
	case citewell.WorkPreprint:
		s.add(" ", in(w.dayIEEE(), cmp.Or(prefixed("arXiv: arXiv:", w.arxiv), w.publisher)))
	case citewell.WorkDataset:
		s.add(" ", in(w.publisher, w.dayIEEE()))
	case citewell.WorkSoftware:
		if when != "" {
			s.add(" ", "("+when+").")
		}
		s.add(" ", w.publisher)
	default:
		s.add(" ", cmp.Or(w.publisher, w.site()))
	}
	s.end()
	if w.doi != "" {
		s.add(" ", "doi: "+w.doi+".")
		return s.String()
	}
	return w.online(&s)
}

// online ends an entry: with when and where it was read, where it has no DOI.
func (w work) online(s *sentence) string {
	s.end()
	if w.url != "" && w.doi == "" {
		if len(w.accessed) == 3 {
			s.add(" ", "Accessed: "+dayShort(w.accessed)+".")
		}
		s.add(" ", "[Online]. Available: "+w.url)
	}
	return s.String()
}

func (w work) monthIEEE() string {
	if len(w.date) < 2 {
		return w.year()
	}
	return monthShort(w.date[1]) + " " + w.year()
}

func (w work) dayIEEE() string {
	if len(w.date) < 3 {
		return w.monthIEEE()
	}
	return dayShort(w.date)
}

func dayShort(parts []int) string {
	return fmt.Sprintf("%s %02d, %d", monthShort(parts[1]), parts[2], parts[0])
}

// monthShort is a month of three letters, with its point.
func monthShort(month int) string {
	name := time.Month(month).String()
	if len(name) <= 3 {
		return name
	}
	return name[:3] + "."
}
