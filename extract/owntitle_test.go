package extract

import "testing"

func TestOwnTitle(t *testing.T) {
	for _, form := range []string{"(anonymous)", "untitled", "Untitled-1", "Untitled Document", "[untitled]", "Microsoft Word - final_v3", "Slide 1", "PowerPoint Presentation",
		"PowerPoint-Präsentation", "Presentation1", "Document2", "report_final.DOC", "thesis.tex", "(unspecified)", "  ", "12"} {
		if got := ownTitle(form); got != "" {
			t.Errorf("%q is no title, got %q", form, got)
		}
	}
	for _, title := range []string{"Untitled: the life of a painter", "Anonymous sources in the press", "Slide rules", "Documents of the Sound", "Presentation of results, 2019", "1984: a reading", "The Larch 2 file format"} {
		if got := ownTitle(title); got != title {
			t.Errorf("%q became %q", title, got)
		}
	}
}

func TestFirstTitle(t *testing.T) {
	slides := []block{{kind: heading, level: 2, text: "Slide 1"}, {kind: heading, level: 3, text: "The Marl Tower"}, {kind: heading, level: 2, text: "Slide 2"}}
	if got := firstTitle(slides); got != "The Marl Tower" {
		t.Errorf("the title of the presentation is %q", got)
	}
	if got := firstTitle(slides[:1]); got != "Slide 1" {
		t.Errorf("a presentation without words is %q", got)
	}
}
