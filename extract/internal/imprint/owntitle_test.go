package imprint

import "testing"

func TestOwnTitle(t *testing.T) {
	for _, form := range []string{"(anonymous)", "untitled", "Untitled-1", "Untitled Document", "[untitled]",
		"Microsoft Word - final_v3", "Slide 1", "PowerPoint Presentation",
		"PowerPoint-Präsentation", "Presentation1", "Document2", "report_final.DOC", "thesis.tex", "(unspecified)",
		"  ", "12"} {
		if got := Title(form); got != "" {
			t.Errorf("%q is no title, got %q", form, got)
		}
	}
	for _, title := range []string{"Untitled: the life of a painter", "Anonymous sources in the press", "Slide rules",
		"Documents of the Sound", "Presentation of results, 2019", "1984: a reading", "The Larch 2 file format"} {
		if got := Title(title); got != title {
			t.Errorf("%q became %q", title, got)
		}
	}
}
