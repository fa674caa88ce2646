package bibliography

import (
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
)

// risKinds are the kinds of works for types of RIS. Others are empty.
var risKinds = map[string]citewell.WorkKind{"JOUR": citewell.WorkArticle, "EJOUR": citewell.WorkArticle,
	"MGZN": citewell.WorkArticle, "NEWS": citewell.WorkArticle,
	"CPAPER": citewell.WorkConference, "CONF": citewell.WorkConference, "BOOK": citewell.WorkBook,
	"EBOOK": citewell.WorkBook, "EDBOOK": citewell.WorkBook,
	"CHAP": citewell.WorkChapter, "ECHAP": citewell.WorkChapter, "THES": citewell.WorkThesis,
	"RPRT": citewell.WorkReport, "DATA": citewell.WorkDataset,
	"COMP": citewell.WorkSoftware, "UNPB": citewell.WorkPreprint}

var risLine = lazyregexp.New(`^([A-Z][A-Z0-9]) {1,2}- ?(.*)$`)

// parseRIS reads entries from TY to ER, or to the next TY. A line without a tag goes on with the one above.
func parseRIS(s string) []Entry {
	var entries []Entry
	var fields map[string][]string
	last, line := "", 0
	end := func() {
		if fields != nil {
			entries = append(entries, risEntry(fields, line))
		}
		fields = nil
	}
	for i, text := range strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s), "\n") {
		if len(entries) > MaxEntries {
			break
		}
		found := risLine.FindStringSubmatch(strings.TrimRight(text, " \t"))
		switch {
		case found == nil && fields != nil && last != "" && strings.TrimSpace(text) != "":
			values := fields[last]
			if joined := values[len(values)-1] + " " + strings.TrimSpace(text); len(joined) <= maxField {
				values[len(values)-1] = joined
			}
		case found == nil:
		case found[1] == "TY":
			end()
			fields, last, line = map[string][]string{"TY": {found[2]}}, "", i+1
		case found[1] == "ER":
			end()
		case fields != nil:
			last = found[1]
			fields[last] = append(fields[last], strings.TrimSpace(found[2]))
		}
	}
	end()
	return entries
}

func risEntry(fields map[string][]string, line int) Entry {
	of := func(tags ...string) string {
		for _, tag := range tags {
			for _, value := range fields[tag] {
				if value != "" {
					return value
				}
			}
		}
		return ""
	}
	kind := strings.TrimSpace(of("TY"))
	e := Entry{Key: of("ID"), Line: line, Kind: risKinds[kind], Title: of("TI", "T1", "CT", "BT"),
		Authors: slices.Concat(fields["AU"], fields["A1"]),
		Year:    yearIn(of("PY", "Y1", "DA")), Venue: of("T2", "JO", "JF", "JA", "J2", "PB"), DOI: of("DO"),
		URL: of("UR"), page: kind == "ELEC" || kind == "WEB" || kind == "BLOG"}
	if e.Kind == citewell.WorkBook || e.Kind == citewell.WorkChapter {
		e.ISBN = of("SN")
	}
	if number := of("C1"); strings.HasPrefix(strings.ToLower(number), "arxiv") {
		e.ArXiv = number
	}
	if strings.EqualFold(of("DB"), "PubMed") {
		e.PMID = of("AN")
	}
	return e
}
