package works_test

import (
	"slices"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/works"
)

func TestCompareWorks(t *testing.T) {
	of := func(title string, year int, kind citewell.WorkKind, authors ...string) citewell.Result {
		return citewell.Result{Title: title, Work: &citewell.Work{
			Authors: authors, Year: year, Kind: kind, DOI: "10.5555/" + title[:1]}}
	}
	register := of("Tidal gates and the sediment of a northern sound: a survey of twelve years", 2015,
		citewell.WorkArticle, "Ada Crane", "Ben Finch")
	for name, test := range map[string]struct {
		cited   citewell.Result
		want    works.WorkComparison
		strange []string
	}{
		"as it is": {register, works.WorkComparison{OneWork: true, Title: works.Agrees, Authors: works.Agrees,
			Year: works.Agrees}, nil},
		"another DOI": {of("Über tidal gates", 2015, "", "Crane, A."),
			works.WorkComparison{Title: works.Differs, Authors: works.Agrees, Year: works.Agrees}, nil},
		"no subtitle": {of("Tidal Gates and the Sediment of a Northern Sound", 2016, citewell.WorkArticle,
			"Crane A", "Finch B"), works.WorkComparison{OneWork: true, Title: works.Agrees, Authors: works.Agrees,
			Year: works.Near}, nil},
		"a slip": {of("Tidal gates and the sedment of a northern sound: a survey of twelve years", 2015,
			citewell.WorkArticle, "Crane, Ada"), works.WorkComparison{
			Title: works.Near, Authors: works.Agrees, Year: works.Agrees}, nil},
		"another year": {of(register.Title, 1999, citewell.WorkArticle, "Crane, Ada"),
			works.WorkComparison{Title: works.Agrees, Authors: works.Agrees, Year: works.Differs}, nil},
		"another author": {of(register.Title, 2015, citewell.WorkArticle, "Zoe Bittern"),
			works.WorkComparison{Title: works.Agrees, Authors: works.Differs, Year: works.Agrees},
			[]string{"Zoe Bittern"}},
		"one too many": {of(register.Title, 2015, citewell.WorkArticle, "Ada Crane", "Zoe Bittern"),
			works.WorkComparison{OneWork: true, Title: works.Agrees, Authors: works.Near, Year: works.Agrees},
			[]string{"Zoe Bittern"}},
		"the second first": {of(register.Title, 2015, citewell.WorkArticle, "Ben Finch", "Ada Crane"),
			works.WorkComparison{Title: works.Agrees, Authors: works.Differs, Year: works.Agrees}, nil},
		"no comma": {of(register.Title, 0, citewell.WorkArticle, "Crane Ada"),
			works.WorkComparison{Title: works.Agrees, Authors: works.Agrees}, nil},
		"a title alone": {citewell.Result{Title: register.Title}, works.WorkComparison{Title: works.Agrees}, nil},
	} {
		got := works.CompareWorks(test.cited, register)
		if got.OneWork != test.want.OneWork || got.Title != test.want.Title || got.Authors != test.want.Authors ||
			got.Year != test.want.Year || !slices.Equal(got.Strange, test.strange) {
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
		{"Proc. Natl. Acad. Sci. U.S.A.", "Proceedings of the National Academy of Sciences of the United States of " +
			"America", true},
		{"PNAS", "Proceedings of the National Academy of Sciences", true},
		{"Phys. Rev. Lett.", "Physical Review Letters", true},
		{"Poultry Weekly", "Journal of Marine Engineering", false},
		{"", "Journal of Marine Engineering", false},
		{"Ports & Trade", "Ports and Trade", true},
	} {
		if got := works.SameVenue(test.a, test.b); got != test.want {
			t.Errorf("%q and %q: %v", test.a, test.b, got)
		}
	}
}
