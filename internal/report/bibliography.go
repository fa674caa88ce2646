package report

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/siteclass"
	"github.com/citewell/citewell/internal/text"
)

// A work is a cited source as a bibliography has it.
type work struct {
	n         int // of the source
	key       string
	sort      citewell.WorkKind // of a publication
	published bool              // it is one that a provider knows
	title     string
	authors   []author
	container string // the journal, the proceedings, the book that it is in
	publisher string // or the university, or the server of a preprint
	volume    string
	issue     string
	pages     string
	doi       string
	arxiv     string
	pmid      string
	isbn      string
	version   string // of software
	host      string
	date      []int  // year, month, day, as far as they are known
	accessed  []int  // where the page was read
	url       string // empty where it is none that others can open
	result    bool   // of a tool's call: no page
	note      string
}

// An author is a name that a register has in its parts, or a name alone, of a group too.
type author struct{ family, given, name string }

// works are the cited sources of a report, in the order of their numbers.
func works(r citewell.Report, authors Authors) []work {
	all := make([]work, 0, len(r.Sources))
	used := map[string]bool{}
	for _, s := range r.Sources {
		w := work{n: s.N, title: cmp.Or(plain(s.Title), plain(cmp.Or(s.Host, address(s)))), host: plain(s.Host),
			date: dateParts(s.Date), result: s.Class == siteclass.ClassTool}
		if name := plain(authors[s.N]); name != "" {
			w.authors = []author{{name: name}}
		}
		if WasRead(s) && !s.FetchedAt.IsZero() {
			w.accessed = dateParts(s.FetchedAt.UTC().Format(time.DateOnly))
		}
		if url := landing(s); webURL.MatchString(url) || strings.HasPrefix(url, "file:///") {
			w.url = wholeURL(url)
		}
		if s.Work != nil {
			w.publication(*s.Work)
		}
		switch {
		case w.result:
			w.note = "sha256 of the result: " + plain(s.PageSHA256)
		case WasRead(s):
			w.note = "sha256 of the page: " + plain(s.PageSHA256)
		case s.PageSHA256 != "":
			w.note = "the page was not read; sha256 of what a search provider said of it: " + plain(s.PageSHA256)
		default:
			w.note = "the page was not read"
		}
		if warning := plain(s.Warning); warning != "" {
			w.note += "; " + text.ShortenAtWord(warning, maxWarning)
		}
		w.key = workKey(s)
		if used[w.key] {
			w.key += "-" + strconv.Itoa(s.N)
		}
		used[w.key] = true
		all = append(all, w)
	}
	return all
}

// publication fills in what a provider knows of a work; what it does not say stays missing.
func (w *work) publication(p citewell.Work) {
	w.published, w.sort = true, p.Kind
	if len(p.Authors) > 0 {
		w.authors = nil
	}
	for i, name := range p.Authors {
		a := author{name: plain(name)}
		if len(p.Families) == len(p.Authors) && p.Families[i] != "" && strings.HasSuffix(name, p.Families[i]) {
			a.family, a.given = plain(p.Families[i]), plain(strings.TrimSuffix(name, p.Families[i]))
		}
		if a.name != "" {
			w.authors = append(w.authors, a)
		}
	}
	if p.Year > 0 && (len(w.date) == 0 || w.date[0] != p.Year) {
		w.date = []int{p.Year}
	}
	w.volume, w.issue, w.pages = plain(p.Volume), plain(p.Issue), plain(p.Pages)
	w.doi, w.arxiv, w.pmid, w.isbn = p.DOI, p.ArXiv, p.PMID, p.ISBN
	venue, publisher := plain(p.Venue), plain(p.Publisher)
	switch p.Kind {
	case citewell.WorkArticle, citewell.WorkConference, citewell.WorkChapter, citewell.WorkReview:
		if w.publisher = publisher; venue != publisher || p.Kind == citewell.WorkArticle {
			w.container = venue
		}
	case citewell.WorkPreprint:
		if w.publisher = cmp.Or(venue, publisher); w.publisher == "" && w.arxiv != "" {
			w.publisher = "arXiv"
		}
	default:
		w.publisher = cmp.Or(publisher, venue)
	}
	if p.Kind == citewell.WorkSoftware {
		w.version = plain(p.Version)
	}
	if w.doi != "" {
		w.url = wholeURL("https://doi.org/" + w.doi)
	}
}

var notInKey = lazyregexp.New(`[^a-z0-9]+`)

// workKey is the same wherever the same page is cited: its host, its year, and the
// beginning of a hash over its address and its bytes.
func workKey(s citewell.Source) string {
	host := strings.Trim(notInKey.ReplaceAllString(strings.ToLower(strings.TrimPrefix(s.Host, "www.")), "-"), "-")
	if len(host) > 40 {
		host = strings.Trim(host[:40], "-")
	}
	year := "nd"
	if date := dateParts(s.Date); len(date) > 0 {
		year = fmt.Sprintf("%04d", date[0])
	}
	return fmt.Sprintf("%s-%s-%s", cmp.Or(host, "source"), year,
		citewell.SHA256([]byte(address(s) + "\n" + s.PageSHA256))[:8])
}

// dateParts reads YYYY, YYYY-MM or YYYY-MM-DD; what is no date has no parts.
func dateParts(s string) []int {
	for n, layout := range []string{"2006", "2006-01", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() > 0 {
			return []int{t.Year(), int(t.Month()), t.Day()}[:n+1]
		}
	}
	return nil
}

// wholeURL percent-encodes what no URL has and what would end a field early.
func wholeURL(url string) string { return percentEncoded(strings.ToValidUTF8(url, ""), `{}\"<>^|`+"`") }

// percentEncoded writes spaces, controls, what is no ASCII and the bytes of also as %XX.
func percentEncoded(s, also string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(also, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// bibtexTypes are biblatex's entries for kinds of works. Others are @misc.
var bibtexTypes = map[citewell.WorkKind]string{citewell.WorkArticle: "article",
	citewell.WorkConference: "inproceedings", citewell.WorkBook: "book",
	citewell.WorkChapter: "incollection", citewell.WorkThesis: "thesis", citewell.WorkReport: "report",
	citewell.WorkDataset: "dataset", citewell.WorkSoftware: "software"}

// genres are what a work is called where its entry does not say it.
var genres = map[citewell.WorkKind]string{citewell.WorkPreprint: "Preprint", citewell.WorkThesis: "Thesis",
	citewell.WorkReport: "Report", citewell.WorkReview: "Peer review"}

// BibTeX gives the cited sources as entries for biblatex, in UTF-8: of a publication those of
// its kind, of a page @online, and @misc of what tools answered. Titles and names are as pages
// and registers have them, which is why they stand in braces of their own: no program makes
// small letters of a name or takes "The Society" apart. A name is taken apart where a register
// has its parts. The url field is verbatim, as biblatex and the url package want it.
func BibTeX(r citewell.Report, authors Authors) string {
	var b strings.Builder
	for i, w := range works(r, authors) {
		if i > 0 {
			b.WriteByte('\n')
		}
		kind := "online"
		if w.published {
			kind = cmp.Or(bibtexTypes[w.sort], "misc")
		} else if w.result {
			kind = "misc"
		}
		fmt.Fprintf(&b, "@%s{%s", kind, w.key)
		field := func(name, value string) {
			if value != "" {
				fmt.Fprintf(&b, ",\n  %-12s = {%s}", name, value)
			}
		}
		field("title", "{"+latex(w.title)+"}")
		field("author", bibtexNames(w.authors))
		if !w.published {
			field("organization", latex(w.host))
		} else {
			container, house := "booktitle", "publisher"
			switch w.sort {
			case citewell.WorkArticle, citewell.WorkReview:
				container = "journaltitle"
			case citewell.WorkThesis, citewell.WorkReport:
				house = "institution"
			}
			field("type", genres[w.sort])
			field(container, latex(w.container))
			field(house, latex(w.publisher))
			field("volume", latex(w.volume))
			field("number", latex(w.issue))
			field("pages", bibtexPages(w.pages))
			field("version", latex(w.version))
			field("isbn", latex(w.isbn))
			field("doi", percentEncoded(w.doi, `{}\`))
			if w.arxiv != "" {
				field("eprint", w.arxiv)
				field("eprinttype", "arxiv")
			} else if w.pmid != "" {
				field("eprint", w.pmid)
				field("eprinttype", "pubmed")
			}
		}
		field("date", isoDate(w.date))
		field("url", w.url)
		field("urldate", isoDate(w.accessed))
		field("note", latex(w.note))
		b.WriteString("\n}\n")
	}
	return b.String()
}

func bibtexNames(authors []author) string {
	names := make([]string, len(authors))
	for i, a := range authors {
		names[i] = "{" + latex(a.name) + "}"
		if a.family != "" {
			names[i] = strings.TrimSuffix("{"+latex(a.family)+"}, "+latex(a.given), ", ")
		}
	}
	return strings.Join(names, " and ")
}

// pageRange splits "101-118" with any dash; what is no range is its first.
func pageRange(pages string) (first, last string) {
	if found := pageSpan.FindStringSubmatch(pages); found != nil {
		return found[1], found[2]
	}
	return pages, ""
}

var pageSpan = lazyregexp.New(`^\s*([0-9A-Za-z.]+)\s*[-\x{2010}-\x{2015}\x{2212}]+\s*([0-9A-Za-z.]+)\s*$`)

func bibtexPages(pages string) string {
	first, last := pageRange(pages)
	if last == "" {
		return latex(first)
	}
	return latex(first) + "--" + latex(last)
}

func isoDate(parts []int) string {
	if len(parts) == 0 {
		return ""
	}
	s := fmt.Sprintf("%04d", parts[0])
	for _, part := range parts[1:] {
		s += fmt.Sprintf("-%02d", part)
	}
	return s
}

// latexEscapes are the characters that mean something to TeX. Braces are named: BibTeX
// counts those that stand behind a backslash too.
var latexEscapes = strings.NewReplacer(`\`, `\textbackslash{}`, `{`, `\textbraceleft{}`, `}`, `\textbraceright{}`,
	`%`, `\%`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `_`, `\_`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`)

// latex writes words as TeX that sets just these. Signs that make another one together,
// as two hyphens make a dash, are kept apart.
func latex(s string) string {
	var b strings.Builder
	var before rune
	for _, r := range plain(s) {
		if r == before && strings.ContainsRune("-`',<>", r) || r == '`' && (before == '!' || before == '?') {
			b.WriteString("{}")
		}
		b.WriteString(latexEscapes.Replace(string(r)))
		before = r
	}
	return b.String()
}
