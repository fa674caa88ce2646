package siteclass_test

import (
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/siteclass"
)

func TestCaveats(t *testing.T) {
	preprint := &citewell.Work{Kind: citewell.WorkPreprint, Abstract: true}
	for _, test := range []struct {
		host  string
		work  *citewell.Work
		basis citewell.Basis
		want  string
	}{
		{"de.wikipedia.org", nil, "", "an encyclopedia: a tertiary source"},
		{"unix.stackexchange.com", nil, "", "written by users"},
		{"news.ycombinator.com", nil, "", "written by users"},
		{"www.example.org", nil, "", ""},
		{"doi.org", preprint, citewell.BasisFullText, "a preprint: not peer reviewed"},
		{"doi.org", preprint, citewell.BasisAbstract, "a preprint: not peer reviewed; the abstract alone was read, " +
			"not the work itself"},
		{"doi.org", &citewell.Work{}, citewell.BasisRecord, "the work itself was not read, only what a register " +
			"says of it"},
		{"doi.org", &citewell.Work{Kind: citewell.WorkArticle, Retracted: citewell.WorkRetracted},
			citewell.BasisFullText, "the work was RETRACTED"},
		{"doi.org", &citewell.Work{Retracted: citewell.WorkDoubted}, citewell.BasisFullText,
			"an expression of concern was published about the work"},
		{"doi.org", &citewell.Work{Retracted: citewell.WorkCorrected}, citewell.BasisFullText,
			"corrected after it was published"},
		{"doi.org", &citewell.Work{Kind: citewell.WorkArticle, Retracted: citewell.WorkStands},
			citewell.BasisFullText, ""},
	} {
		if got := siteclass.Caveats(siteclass.Class(test.host), test.work, test.basis); got != test.want {
			t.Errorf("of %s, %+v, %q: %q, want %q", test.host, test.work, test.basis, got, test.want)
		}
	}
}
