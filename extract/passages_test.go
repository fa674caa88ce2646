package extract

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/text"
)

// Documents of any mix of blocks are covered by passages that keep every sentence
// and every character whole.
func TestPassagesCoverAnyDocument(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks := rapid.SliceOfN(rapid.Custom(drawBlock), 1, 30).Draw(t, "blocks")
		limit := rapid.IntRange(50, 20_000).Draw(t, "limit")
		canonical, spans, whole := layOut(blocks, limit)
		if len(canonical) > limit {
			t.Fatalf("%d bytes where %d were allowed", len(canonical), limit)
		}
		passages := cutPassages(canonical, spans, "Title")
		holdPassages(t, canonical, passages)
		if !whole {
			return
		}
		for _, s := range spans {
			if s.kind == code || s.kind == grid {
				continue
			}
			for _, sentence := range text.Sentences(canonical[s.start:s.end]) {
				start, end := s.start+sentence.Start, s.start+sentence.End
				if end-start <= longest && !inOne(passages, start, end) {
					t.Fatalf("no single passage holds %q", canonical[start:end])
				}
			}
		}
	})
}

func drawBlock(t *rapid.T) block {
	sentence := rapid.StringMatching(`[A-ZÄÖ][a-zßéñ ]{5,200}[a-z][.!?]|[一-龠ぁ-ん]{3,60}。|[A-Z][a-z]{3,10} [0-9]\.[0-9] [a-z]{3,9}\.`)
	kind := rapid.SampledFrom([]blockKind{paragraph, paragraph, heading, item, term, explanation, code, grid}).Draw(t, "kind")
	b := block{kind: kind, level: rapid.IntRange(1, 6).Draw(t, "level"), terms: rapid.IntRange(0, 3).Draw(t, "terms")}
	parts := rapid.SliceOfN(sentence, 1, 12).Draw(t, "sentences")
	switch kind {
	case heading, term:
		b.text = strings.TrimRight(parts[0], ".!?。")
	case code, grid:
		b.text = strings.Join(parts, "\n")
	default:
		b.text = strings.Join(parts, " ")
	}
	return b
}

func inOne(passages []citewell.Passage, start, end int) bool {
	for _, p := range passages {
		if p.Start <= start && end <= p.End {
			return true
		}
	}
	return false
}

// holdPassages is checkPassages for rapid's own T.
func holdPassages(t *rapid.T, canonical string, passages []citewell.Passage) {
	at := 0
	for _, p := range passages {
		if p.Start < at || p.Text != canonical[p.Start:p.End] || strings.TrimSpace(canonical[at:p.Start]) != "" {
			t.Fatalf("passage [%d:%d) after %d", p.Start, p.End, at)
		}
		at = p.End
	}
	if strings.TrimSpace(canonical[at:]) != "" {
		t.Fatalf("nothing holds %q", canonical[at:])
	}
}

func TestPassageHeadings(t *testing.T) {
	long := strings.Repeat("The wheel turns with every tide and grinds. ", 12)
	page := "<title>Mill</title><meta name=generator content=sphinx><p>" + long + "</p><h2>Wheel</h2><p>" + long + "</p><h3>Stones</h3><p>" + long + "</p><p>" + long +
		"</p><dl><dt>mill.turn(speed)</dt><dd><p>" + long + "</p><dl><dt>Parameters:</dt><dd><p>" + long + "</p></dd></dl></dd></dl><p>" + long + "</p>"
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

func TestWithoutSentenceEnds(t *testing.T) {
	for name, s := range map[string]string{"no_space": strings.Repeat("é", 20_000), "no_stop": strings.Repeat("word ", 5000)} {
		canonical, spans, _ := layOut([]block{{text: strings.TrimSpace(s)}}, 1<<20)
		passages := cutPassages(canonical, spans, "")
		checkPassages(t, canonical, passages)
		if len(passages) < 5 {
			t.Errorf("%s: %d passages for %d bytes", name, len(passages), len(canonical))
		}
	}
}

// A document that was stored as JSON has no passages; its Markdown still tells
// which of its blocks are headings.
func TestPassagesOfAStoredDocument(t *testing.T) {
	page := "<h1>Mill</h1><p>" + strings.Repeat("It turns. ", 40) + "</p><h2>The <i>great</i> <a href=/w>wheel_1</a></h2><p>" +
		strings.Repeat("It is made of oak. ", 30) + "</p><pre># no heading\n\nx = 1</pre>"
	document, err := Extract(context.Background(), htmlPage(page))
	if err != nil {
		t.Fatal(err)
	}
	stored := document
	stored.Passages = nil
	got := Passages(stored)
	checkPassages(t, document.Text, got)
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
