package block

import "testing"

func TestFirstTitle(t *testing.T) {
	slides := []Block{{Kind: Heading, Level: 2, Text: "Slide 1"}, {Kind: Heading, Level: 3, Text: "The Marl Tower"},
		{Kind: Heading, Level: 2, Text: "Slide 2"}}
	if got := FirstTitle(slides); got != "The Marl Tower" {
		t.Errorf("the title of the presentation is %q", got)
	}
	if got := FirstTitle(slides[:1]); got != "Slide 1" {
		t.Errorf("a presentation without words is %q", got)
	}
}
