package search_test

import (
	"slices"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
)

func TestCompareWorks(t *testing.T) {
	of := func(title string, year int, kind citewell.WorkKind, authors ...string) citewell.Result {
		return citewell.Result{Title: title, Work: &citewell.Work{Authors: authors, Year: year, Kind: kind, DOI: "10.5555/" + title[:1]}}
	}
	register := of("Tidal gates and the sediment of a northern sound: a survey of twelve years", 2015, citewell.WorkArticle, "Ada Crane", "Ben Finch")
	for name, test := range map[string]struct {
		cited   citewell.Result
		want    search.WorkComparison
		strange []string
	}{
		"as it is":         {register, search.WorkComparison{OneWork: true, Title: search.Agrees, Authors: search.Agrees, Year: search.Agrees}, nil},
		"another DOI":      {of("Über tidal gates", 2015, "", "Crane, A."), search.WorkComparison{Title: search.Differs, Authors: search.Agrees, Year: search.Agrees}, nil},
		"no subtitle":      {of("Tidal Gates and the Sediment of a Northern Sound", 2016, citewell.WorkArticle, "Crane A", "Finch B"), search.WorkComparison{OneWork: true, Title: search.Agrees, Authors: search.Agrees, Year: search.Near}, nil},
		"a slip":           {of("Tidal gates and the sedment of a northern sound: a survey of twelve years", 2015, citewell.WorkArticle, "Crane, Ada"), search.WorkComparison{Title: search.Near, Authors: search.Agrees, Year: search.Agrees}, nil},
		"another year":     {of(register.Title, 1999, citewell.WorkArticle, "Crane, Ada"), search.WorkComparison{Title: search.Agrees, Authors: search.Agrees, Year: search.Differs}, nil},
		"another author":   {of(register.Title, 2015, citewell.WorkArticle, "Zoe Bittern"), search.WorkComparison{Title: search.Agrees, Authors: search.Differs, Year: search.Agrees}, []string{"Zoe Bittern"}},
		"one too many":     {of(register.Title, 2015, citewell.WorkArticle, "Ada Crane", "Zoe Bittern"), search.WorkComparison{OneWork: true, Title: search.Agrees, Authors: search.Near, Year: search.Agrees}, []string{"Zoe Bittern"}},
		"the second first": {of(register.Title, 2015, citewell.WorkArticle, "Ben Finch", "Ada Crane"), search.WorkComparison{Title: search.Agrees, Authors: search.Differs, Year: search.Agrees}, nil},
		"no comma":         {of(register.Title, 0, citewell.WorkArticle, "Crane Ada"), search.WorkComparison{Title: search.Agrees, Authors: search.Agrees}, nil},
		"a title alone":    {citewell.Result{Title: register.Title}, search.WorkComparison{Title: search.Agrees}, nil},
	} {
		got := search.CompareWorks(test.cited, register)
		if got.OneWork != test.want.OneWork || got.Title != test.want.Title || got.Authors != test.want.Authors || got.Year != test.want.Year || !slices.Equal(got.Strange, test.strange) {
			t.Errorf("%s: %+v, want %+v, %q", name, got, test.want, test.strange)
		}
	}
}

func TestSameVenue(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"J. Mar. Eng.", "Journal of Marine Engineering", true},
		{"The Journal of Marine Engineering", "Journal of Marine Engineering", true},
		{"Proc. Natl. Acad. Sci. U.S.A.", "Proceedings of the National Academy of Sciences of the United States of America", true},
		{"PNAS", "Proceedings of the National Academy of Sciences", true},
		{"Phys. Rev. Lett.", "Physical Review Letters", true},
		{"Poultry Weekly", "Journal of Marine Engineering", false},
		{"", "Journal of Marine Engineering", false},
		{"Ports & Trade", "Ports and Trade", true},
	} {
		if got := search.SameVenue(test.a, test.b); got != test.want {
			t.Errorf("%q and %q: %v", test.a, test.b, got)
		}
	}
}
