package passage

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/internal/testing/extracttest"
	"github.com/citewell/citewell/internal/text"
)

// Documents of any mix of blocks are covered by passages that keep every sentence
// and every character whole.
func TestPassagesCoverAnyDocument(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks := rapid.SliceOfN(rapid.Custom(drawBlock), 1, 30).Draw(t, "blocks")
		limit := rapid.IntRange(50, 20_000).Draw(t, "limit")
		canonical, spans, whole := block.LayOut(blocks, limit)
		if len(canonical) > limit {
			t.Fatalf("%d bytes where %d were allowed", len(canonical), limit)
		}
		passages := Cut(canonical, spans, "Title")
		holdPassages(t, canonical, passages)
		if !whole {
			return
		}
		for _, s := range spans {
			if s.Kind == block.Code || s.Kind == block.Grid {
				continue
			}
			for _, sentence := range text.Sentences(canonical[s.Start:s.End]) {
				start, end := s.Start+sentence.Start, s.Start+sentence.End
				if end-start <= Longest && !inOne(passages, start, end) {
					t.Fatalf("no single passage holds %q", canonical[start:end])
				}
			}
		}
	})
}

func drawBlock(t *rapid.T) block.Block {
	sentence := rapid.StringMatching(
		`[A-ZÄÖ][a-zßéñ ]{5,200}[a-z][.!?]|[一-龠ぁ-ん]{3,60}。|[A-Z][a-z]{3,10} [0-9]\.[0-9] [a-z]{3,9}\.`)
	kind := rapid.SampledFrom([]block.Kind{block.Paragraph, block.Paragraph, block.Heading, block.Item, block.Term,
		block.Explanation, block.Code, block.Grid}).Draw(t, "kind")
	b := block.Block{Kind: kind, Level: rapid.IntRange(1, 6).Draw(t, "level"),
		Terms: rapid.IntRange(0, 3).Draw(t, "terms")}
	parts := rapid.SliceOfN(sentence, 1, 12).Draw(t, "sentences")
	switch kind {
	case block.Heading, block.Term:
		b.Text = strings.TrimRight(parts[0], ".!?。")
	case block.Code, block.Grid:
		b.Text = strings.Join(parts, "\n")
	default:
		b.Text = strings.Join(parts, " ")
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

// holdPassages is extracttest.CheckPassages for rapid's own T.
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

func TestWithoutSentenceEnds(t *testing.T) {
	for name, s := range map[string]string{"no_space": strings.Repeat("é", 20_000),
		"no_stop": strings.Repeat("word ", 5000)} {
		canonical, spans, _ := block.LayOut([]block.Block{{Text: strings.TrimSpace(s)}}, 1<<20)
		passages := Cut(canonical, spans, "")
		extracttest.CheckPassages(t, canonical, passages, Longest)
		if len(passages) < 5 {
			t.Errorf("%s: %d passages for %d bytes", name, len(passages), len(canonical))
		}
	}
}
