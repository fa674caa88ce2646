package extract

import (
	"context"
	"strings"
	"testing"

	"github.com/citewell/citewell/extract/internal/passage"
	"github.com/citewell/citewell/internal/testing/extracttest"
)

func TestPassageHeadings(t *testing.T) {
	long := strings.Repeat("The wheel turns with every tide and grinds. ", 12)
	page := "<title>Mill</title><meta name=generator content=sphinx><p>" + long + "</p><h2>Wheel</h2><p>" + long +
		"</p><h3>Stones</h3><p>" + long + "</p><p>" + long +
		"</p><dl><dt>mill.turn(speed)</dt><dd><p>" + long + "</p><dl><dt>Parameters:</dt><dd><p>" + long +
		"</p></dd></dl></dd></dl><p>" + long + "</p>"
	document, err := Extract(context.Background(), htmlPage(page))
	if err != nil {
		t.Fatal(err)
	}
	checkDocument(t, document)
	var got []string
	for _, p := range document.Passages {
		got = append(got, p.Heading)
	}
	want := "Mill|Wheel|Stones|Stones|mill.turn(speed)|mill.turn(speed)|Stones"
	if strings.Join(got, "|") != want {
		t.Errorf("got %s, want %s", strings.Join(got, "|"), want)
	}
}

// A document that was stored as JSON has no passages; its Markdown still tells
// which of its blocks are headings.
func TestPassagesOfAStoredDocument(t *testing.T) {
	page := "<h1>Mill</h1><p>" + strings.Repeat("It turns. ", 40) +
		"</p><h2>The <i>great</i> <a href=/w>wheel_1</a></h2><p>" +
		strings.Repeat("It is made of oak. ", 30) + "</p><pre># no heading\n\nx = 1</pre>"
	document, err := Extract(context.Background(), htmlPage(page))
	if err != nil {
		t.Fatal(err)
	}
	stored := document
	stored.Passages = nil
	got := Passages(stored)
	extracttest.CheckPassages(t, document.Text, got, passage.Longest)
	headings := map[string]bool{}
	for _, p := range got {
		headings[p.Heading] = true
	}
	if !headings["Mill"] || !headings["The great wheel_1"] || len(headings) != 2 {
		t.Errorf("got the headings %v", headings)
	}
	if len(Passages(document)) != len(document.Passages) {
		t.Error("passages at hand are not used")
	}
}
