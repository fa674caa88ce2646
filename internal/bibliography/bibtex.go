package bibliography

import (
	"strings"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
)

// bibtexKinds are the kinds of works for types of BibTeX and biblatex. Others are empty.
var bibtexKinds = map[string]citewell.WorkKind{
	"article": citewell.WorkArticle, "inproceedings": citewell.WorkConference, "conference": citewell.WorkConference,
	"proceedings": citewell.WorkBook,
	"book":        citewell.WorkBook, "mvbook": citewell.WorkBook, "collection": citewell.WorkBook,
	"booklet":      citewell.WorkBook,
	"incollection": citewell.WorkChapter, "inbook": citewell.WorkChapter, "inreference": citewell.WorkChapter,
	"phdthesis": citewell.WorkThesis, "mastersthesis": citewell.WorkThesis, "thesis": citewell.WorkThesis,
	"techreport": citewell.WorkReport, "report": citewell.WorkReport, "dataset": citewell.WorkDataset,
	"software": citewell.WorkSoftware,
}

// A bibtexReader goes through BibTeX. What is not in the form of an entry is passed over up to
// the next @; abbreviations by @string are known, fields inherited by crossref are not.
type bibtexReader struct {
	s       string
	at      int
	line    int
	counted int // up to where lines are counted
	strings map[string]string
}

// maxValue bounds a field as it stands in the file, an abstract too, in bytes.
const maxValue = 64 << 10

func parseBibTeX(s string) []Entry {
	r := &bibtexReader{s: s, line: 1, strings: map[string]string{}}
	var entries []Entry
	for len(entries) <= MaxEntries {
		next := strings.IndexByte(r.s[r.at:], '@')
		if next < 0 {
			break
		}
		r.at += next + 1
		line := r.lineAt(r.at)
		kind := strings.ToLower(r.word())
		r.space()
		if kind == "" || !r.take('{') && !r.take('(') {
			continue
		}
		switch kind {
		case "comment", "preamble":
			r.braced() // what is within is no entry
			continue
		case "string":
			for name, value := range r.fields() {
				r.strings[name] = text.Prefix(value, maxField)
			}
			continue
		}
		key := strings.TrimSpace(r.until(",})\n@"))
		if !r.take(',') {
			continue
		}
		entries = append(entries, bibtexEntry(kind, key, line, r.fields()))
	}
	return entries
}

func (r *bibtexReader) lineAt(at int) int {
	r.line += strings.Count(r.s[r.counted:at], "\n")
	r.counted = at
	return r.line
}

func (r *bibtexReader) space() {
	for r.at < len(r.s) && (r.s[r.at] <= ' ' || r.s[r.at] == '%') {
		if r.s[r.at] == '%' { // to the end of the line, as programs beside BibTeX have it
			r.until("\n")
			continue
		}
		r.at++
	}
}

func (r *bibtexReader) take(b byte) bool {
	if r.at < len(r.s) && r.s[r.at] == b {
		r.at++
		return true
	}
	return false
}

// until goes to the first of some signs and gives what stands before it.
func (r *bibtexReader) until(signs string) string {
	from := r.at
	if n := strings.IndexAny(r.s[from:], signs); n >= 0 {
		r.at = from + n
	} else {
		r.at = len(r.s)
	}
	return r.s[from:r.at]
}

func (r *bibtexReader) word() string {
	from := r.at
	for r.at < len(r.s) && !strings.ContainsRune("{}()=,#\"@ \t\r\n%", rune(r.s[r.at])) {
		r.at++
	}
	return r.s[from:r.at]
}

// fields reads name = value up to the end of the entry, or to what is none.
func (r *bibtexReader) fields() map[string]string {
	fields := map[string]string{}
	for {
		r.space()
		name := strings.ToLower(r.word())
		r.space()
		if name == "" || !r.take('=') {
			return fields
		}
		var value strings.Builder
		for {
			r.space()
			// an abbreviation may be made of itself, twice each time
			if part := r.value(); value.Len()+len(part) <= maxValue {
				value.WriteString(part)
			}
			r.space()
			if !r.take('#') {
				break
			}
		}
		if _, twice := fields[name]; !twice {
			fields[name] = value.String()
		}
		if !r.take(',') {
			return fields
		}
	}
}

// value reads what is in braces or quotes, a number or an abbreviation.
func (r *bibtexReader) value() string {
	switch {
	case r.take('{'):
		return r.braced()
	case r.take('"'):
		return r.upTo('"')
	}
	word := r.word()
	if known, ok := r.strings[strings.ToLower(word)]; ok {
		return known
	}
	return word
}

// braced reads up to the brace that closes the one before.
func (r *bibtexReader) braced() string { return r.upTo('}') }

// upTo reads up to a sign outside of braces of its own. An entry that begins on a line of its own
// ends what was never closed.
func (r *bibtexReader) upTo(end byte) string {
	from, depth := r.at, 0
	for ; r.at < len(r.s); r.at++ {
		switch c := r.s[r.at]; {
		case c == '\n' && strings.HasPrefix(r.s[r.at+1:], "@"):
			return ""
		case c == '\\' && r.at+1 < len(r.s):
			r.at++
		case c == end && depth == 0:
			r.at++
			return r.s[from : r.at-1]
		case c == '{':
			depth++
		case c == '}':
			depth--
		}
	}
	r.at = min(r.at, len(r.s))
	return ""
}

func bibtexEntry(kind, key string, line int, fields map[string]string) Entry {
	of := func(names ...string) string {
		for _, name := range names {
			if value := plainTeX(fields[name]); value != "" {
				return value
			}
		}
		return ""
	}
	e := Entry{Key: key, Line: line, Kind: bibtexKinds[kind], Title: of("title"),
		Year:  yearIn(of("year", "date", "urldate")),
		Venue: of("journaltitle", "journal", "booktitle", "publisher", "school", "institution", "howpublished"),
		DOI:   verbatim(fields["doi"]), PMID: of("pmid"), ISBN: of("isbn"), URL: verbatim(fields["url"])}
	if subtitle := of("subtitle"); subtitle != "" {
		e.Title += ": " + subtitle
	}
	if of("year", "date") == "" {
		e.Year = 0
	}
	names := fields["author"]
	if strings.TrimSpace(names) == "" && e.Kind != citewell.WorkChapter && e.Kind != citewell.WorkConference {
		names = fields["editor"]
	}
	e.Authors = bibtexNames(names)
	switch eprint := verbatim(fields["eprint"]); strings.ToLower(of("eprinttype", "archiveprefix")) {
	case "arxiv":
		e.ArXiv = eprint
	case "pubmed":
		e.PMID = eprint
	}
	if strings.HasPrefix(e.URL, "\\url{") || strings.Contains(fields["howpublished"], "\\url{") {
		_, inside, _ := strings.Cut(fields["howpublished"]+e.URL, "\\url{")
		inside, _, _ = strings.Cut(inside, "}")
		e.URL = verbatim(inside)
	}
	switch kind {
	case "online", "electronic", "www":
		e.page = true
	case "misc":
		e.page = e.URL != ""
	}
	return e
}

// verbatim is a field in which TeX means little: an address, an identifier.
func verbatim(s string) string {
	return strings.NewReplacer(`\_`, "_", `\%`, "%", `\&`, "&", `\#`, "#", `\~{}`, "~", "{", "", "}",
		"").Replace(strings.TrimSpace(s))
}

// bibtexNames splits names at "and" outside of braces. A name that is all in braces is a
// group's, or one that nobody is to take apart.
func bibtexNames(s string) []string {
	var names []string
	depth, from := 0, 0
	words := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, s)
	for i := 0; i <= len(words); i++ {
		end := i == len(words)
		if !end {
			switch words[i] {
			case '{':
				depth++
			case '}':
				depth--
			}
		}
		isAnd := !end && depth <= 0 && len(words)-i >= 5 && strings.EqualFold(words[i:i+5], " and ")
		if !end && !isAnd {
			continue
		}
		if name := plainName(words[from:i]); name != "" {
			names = append(names, name)
		}
		if isAnd {
			i += 4
		}
		from = min(i, len(words))
	}
	return names
}

// plainName is a name as others write it: of "Last, Jr, First" without what stands between.
func plainName(s string) string {
	parts := strings.Split(plainTeX(s), ",")
	if len(parts) == 3 {
		parts = []string{parts[0], parts[2]}
	}
	return strings.TrimSpace(strings.Join(parts, ","))
}
