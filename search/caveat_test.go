package search_test

import (
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
)

func TestCaveats(t *testing.T) {
	preprint := &citewell.Work{Kind: citewell.WorkPreprint, Abstract: true}
	for _, test := range []struct {
		host string
		work *citewell.Work
		read bool
		want string
	}{
		{"de.wikipedia.org", nil, true, "an encyclopedia: a tertiary source"},
		{"unix.stackexchange.com", nil, true, "written by users"},
		{"news.ycombinator.com", nil, true, "written by users"},
		{"www.example.org", nil, false, ""},
		{"doi.org", preprint, true, "a preprint: not peer reviewed"},
		{"doi.org", preprint, false, "a preprint: not peer reviewed; the abstract alone was read"},
		{"doi.org", &citewell.Work{Kind: citewell.WorkArticle, Retracted: citewell.WorkRetracted}, true, "RETRACTED"},
		{"doi.org", &citewell.Work{Retracted: citewell.WorkDoubted}, true, "an expression of concern was published about it"},
		{"doi.org", &citewell.Work{Kind: citewell.WorkArticle, Retracted: citewell.WorkStands}, true, ""},
	} {
		if got := search.Caveats(search.Class(test.host), test.work, test.read); got != test.want {
			t.Errorf("of %s, %+v, read %t: %q, want %q", test.host, test.work, test.read, got, test.want)
		}
	}
}
