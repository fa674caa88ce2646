package search

import (
	"cmp"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/works"
)

// byWork groups pages by their work, in the order of the pages. Two groups become one where a page of one is of the
// same work as a page of the other, and no pages are of different works.
func byWork(pages [][]citewell.Result) [][]int {
	records := make([][]*works.Record, len(pages))
	of := make([]int, len(pages)) // of each page its group, which has the number of its first page
	members := make([][]int, len(pages))
	for i, answers := range pages {
		of[i], members[i] = i, []int{i}
		for _, r := range answers {
			if c := works.RecordOf(r); c.Known() {
				records[i] = append(records[i], c)
			}
		}
	}
	for i := range pages {
		for j := range i {
			from, to := of[i], of[j]
			if from == to || len(records[i]) == 0 || len(records[j]) == 0 ||
				likenessOfAll(records[i], records[j]) != works.OneWork {
				continue
			}
			if slices.ContainsFunc(members[from], func(a int) bool {
				return slices.ContainsFunc(members[to], func(b int) bool {
					return likenessOfAll(records[a], records[b]) == works.Apart
				})
			}) {
				continue
			}
			if from < to {
				from, to = to, from
			}
			for _, page := range members[from] {
				of[page] = to
			}
			members[to] = append(members[to], members[from]...)
			members[from] = nil
		}
	}
	var groups [][]int
	for _, group := range members {
		if len(group) > 0 {
			slices.Sort(group)
			groups = append(groups, group)
		}
	}
	return groups
}

// likenessOfAll compares what is said of two pages: one answer with the same identifier decides.
func likenessOfAll(a, b []*works.Record) works.Likeness {
	found := works.Unlike
	for _, x := range a {
		for _, y := range b {
			switch l := works.LikenessOf(x, y); l {
			case works.OneWork:
				return works.OneWork
			case works.Apart:
				found = works.Apart
			}
		}
	}
	return found
}

// standsBefore reports whether a work is shown as a says it: the published before a preprint, a work before a page.
func standsBefore(a, b citewell.Result) bool {
	standing := func(w *citewell.Work) int {
		switch {
		case w == nil:
			return 0
		case w.Kind == citewell.WorkPreprint, w.Kind == "" && w.DOI == "" && w.ArXiv != "":
			return 1
		}
		return 2
	}
	return standing(a.Work) > standing(b.Work)
}

// joinedWork is what two answers know of one work: of each field what the one says that stands
// before the other, else the other; the gravest retraction; the other's version by name.
func joinedWork(a, b citewell.Result) *citewell.Work {
	if a.Work == nil || b.Work == nil {
		work := cmp.Or(a.Work, b.Work)
		if work != nil && work.Abstract && len(a.Snippet) > 0 && len(b.Snippet) > 0 { // the longer one is kept
			kept := *work
			kept.Abstract = (b.Work != nil) == (len(b.Snippet) > len(a.Snippet))
			return &kept
		}
		return work
	}
	longer := a.Work
	if len(b.Snippet) > len(a.Snippet) {
		longer = b.Work
	}
	if standsBefore(b, a) {
		a, b = b, a
	}
	w, o := *a.Work, b.Work
	if len(o.Authors) > len(w.Authors) || len(o.Authors) == len(w.Authors) && len(o.Families) > len(w.Families) {
		w.Authors, w.Families = o.Authors, o.Families
	}
	ofOneText := sameVersion(&w, o)
	if ofOneText {
		w.Year, w.Kind = cmp.Or(w.Year, o.Year), cmp.Or(w.Kind, o.Kind)
		w.Venue, w.Volume, w.Issue, w.Pages, w.Publisher = cmp.Or(w.Venue, o.Venue), cmp.Or(w.Volume, o.Volume),
			cmp.Or(w.Issue, o.Issue), cmp.Or(w.Pages, o.Pages), cmp.Or(w.Publisher, o.Publisher)
	}
	w.DOI, w.ArXiv, w.PMID, w.ISBN = cmp.Or(w.DOI, o.DOI), cmp.Or(w.ArXiv, o.ArXiv), cmp.Or(w.PMID, o.PMID),
		cmp.Or(w.ISBN, o.ISBN)
	if w.OpenCopy == "" {
		w.OpenCopy, w.Licence, w.Version = o.OpenCopy, cmp.Or(o.Licence, w.Licence), cmp.Or(o.Version, w.Version)
	}
	w.Retracted, w.Abstract = w.Retracted.Graver(o.Retracted), longer.Abstract
	w.Versions = slices.Clone(w.Versions)
	if !ofOneText {
		w.Versions = appendVersion(w.Versions, citewell.WorkVersion{
			Kind: o.Kind, Year: o.Year, DOI: o.DOI, ArXiv: o.ArXiv, Version: o.Version, URL: b.URL})
	}
	for _, v := range o.Versions {
		w.Versions = appendVersion(w.Versions, v)
	}
	w.Versions = slices.DeleteFunc(w.Versions, func(v citewell.WorkVersion) bool {
		return v.DOI != "" && v.DOI == w.DOI
	})
	return &w
}

// sameVersion says whether two records of one work are of the same text, as far as they tell.
func sameVersion(w, o *citewell.Work) bool {
	return (w.Kind == citewell.WorkPreprint) == (o.Kind == citewell.WorkPreprint) && !works.Differ(w.DOI, o.DOI) ||
		w.DOI != "" && w.DOI == o.DOI
}

// appendVersion adds a version, or what was found of one that a register only named.
func appendVersion(all []citewell.WorkVersion, v citewell.WorkVersion) []citewell.WorkVersion {
	i := slices.IndexFunc(all, func(known citewell.WorkVersion) bool {
		return known.URL == v.URL || v.DOI != "" && known.DOI == v.DOI || v.ArXiv != "" && known.ArXiv == v.ArXiv
	})
	switch {
	case i < 0:
		return append(all, v)
	case all[i].Year == 0 && v.Year != 0:
		all[i] = v
	}
	return all
}
