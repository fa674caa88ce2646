package extract

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
)

// TestPlainTextRules holds which lines of plain text are prose that was wrapped, and which are
// laid out.
func TestPlainTextRules(t *testing.T) {
	wrapped := "The wheel of the mill turns with every tide, and the stones\nturn with it until the water " +
		"has run out " +
		"of the pond, which\ntakes some four hours.\n"
	holdRules(t, "text/plain", asWritten, []rule{
		{"wrapped", wrapped + "\nNext.", "The wheel of the mill turns with every tide, and the stones turn with it " +
			"until the water has run out of the pond, which takes some four hours.\n\nNext."},
		{"line ends", "One line of words\rof words\r\n\r\nTwo.\t \n \t\nThree.",
			"One line of words of words\n\nTwo.\n\nThree."},
		{"headings", "Mill\n====\n\nWheel\n-----\nWords below it.\n\nStone\n~~~~~\n\nPond\n^^^^",
			"# Mill\n\n## Wheel\n\nWords below it.\n\n## Stone\n\n## Pond"},
		{"no headings", "Mill\n==\n\nA heading of very many " +
			"words\n---\n\nMill\n=====-===\n\nMill\n==================\n\n1234\n====\n\nMill\n####",
			"Mill ==\n\nA heading of very many words ---\n\nMill =====-===\n\nMill ==================\n\n1234 " +
				"====\n\nMill ####"},
		{"longest underline", "Mill\n================\n\nMill\n=================", "# Mill\n\nMill ================="},
		{"short underline", "Stones\n===\n\nStoness\n===", "# Stones\n\nStoness ==="},
		{"one line of code", "Words:\n\n    x = 1\n\n\ty = 2\n\n   z = 3",
			"Words:\n\n```\n    x = 1\n\n\ty = 2\n```\n\nz = 3"},
		{"code", "    x = 1\n    y = 2\n\n    z = 3\n\nWords.",
			"```\n    x = 1\n    y = 2\n\n    z = 3\n```\n\nWords."},
		{"paragraph set in", "    The wheel turns with the tide, and the stones\n    turn with the wheel until the " +
			"pond is empty.", "The wheel turns with the tide, and the stones turn with the wheel until the pond " +
			"is empty."},
		{"columns", "Stone   Hours\nbasalt   120\nflint   90", "```\nStone   Hours\nbasalt   120\nflint   90\n```"},
		{"columns by tabs", "Stone\tHours\nbasalt\t120\nflint\t90", "```\nStone\tHours\nbasalt\t120\nflint\t90\n```"},
		{"one row of columns", "The stone   of the mill turns with every tide of the sea\nand the stones " +
			"turn with it " +
			"until the water has run out.", "The stone   of the mill turns with every tide of the sea and the stones " +
			"turn with it until the water has run out."},
		{"hanging", "Quern, the mill that is turned by hand, and the oldest\n    of all mills that are known to have " +
			"been turned by hand\n    in the houses of the county.",
			"Quern, the mill that is turned by hand, and the oldest of all mills that are known to have been turned " +
				"by hand in the houses of the county."},
		{"terms", "Options of the mill, which are given before the\nname of the stone that is to be turned by it:\n\n" +
			"  -d, --dry\n         turn without corn, so that the stones grow\n         hot\n" +
			"  -k\n         keep the flour\n\n" +
			"  -w     weigh what is ground\n\n         Twice.\n\nAnd so on.",
			"Options of the mill, which are given before the name of the stone that is to be turned by it:\n\n" +
				"**\\-d, --dry**\n\nturn without corn, so that the stones grow hot\n\n**\\-k**\n\nkeep the flour\n\n" +
				"**\\-w**\n\nweigh what is ground\n\nTwice.\n\nAnd so on."},
		{"paragraphs set in", "The mill was shut. \"Who has the key?\"\n   The baker told her that the key of the " +
			"mill was kept by the widow\nMarsh, who lived in the last house before the harbour and its wall.",
			"The mill was shut. \"Who has the key?\" The baker told her that the key of the mill was kept by the " +
				"widow Marsh, who lived in the last house before the harbour and its wall."},
		{"explanations with figures", "  --keep\n      keep the flour that is ground by the stones of the mill\n" +
			"  --limit N\n      grind at most 100 sacks (default: 20)\n  --port N\n      port of the server (8080)\n" +
			"  --quiet\n      say nothing about what is done", "**\\--keep**\n\nkeep the flour that is ground by the " +
			"stones of the mill\n\n**\\--limit N**\n\ngrind at most 100 sacks (default: 20)\n\n**\\--port N**\n\n" +
			"port of the server (8080)\n\n**\\--quiet**\n\nsay nothing about what is done"},
		{"code with a comment", "def grind(corn, stones):\n    # Return the flour that is left when all is ground\n" +
			"    flour = [s.turn(corn) for s in stones]\n    return flour", "```\ndef grind(corn, stones):\n    # " +
			"Return the flour that is left when all is ground\n    flour = [s.turn(corn) for s in stones]\n" +
			"    return flour\n```"},
		{"terms in a section", "OPTIONS\n       -k     keep the flour that is ground by the stones of the\n" +
			"              mill until it is asked for\n\n       -w     weigh it", "**OPTIONS**\n\n**\\-k**\n\n" +
			"keep the flour that is ground by the stones of the mill until it is asked for\n\n**\\-w**\n\nweigh it"},
		{"columns without a term", "corn      basalt\noats      flint", "```\ncorn      basalt\noats      flint\n```"},
		{"formatter's hyphens", "The wheel of the old mill on the river turns with the ris\u2010\ning tide, and so " +
			"do the stones of the Mill\u2010\nHaven mill on the other side.", "The wheel of the old mill on the " +
			"river turns with the rising tide, and so do the stones of the Mill\u2010 Haven mill on the other side."},
		{"verse", "The wheel turns\nthe stones turn\nthe tide turns",
			"```\nThe wheel turns\nthe stones turn\nthe tide turns\n```"},
		{"two short lines", "The wheel turns\nthe stones turn", "The wheel turns the stones turn"},
		{"short lines among long", "The wheel of the mill turns with every tide, and so on.\nSo.\nAnd.\nSo.\nOn " +
			"and on.", "```\nThe wheel of the mill turns with every tide, and so on.\nSo.\nAnd.\nSo.\nOn and on.\n```"},
		{"lines of half the width", "The wheel turns with the tide.\nAnd the stones turn with that.\nThe wheel turns " +
			"with the tide, and the stones turn with that", "The wheel turns with the tide. And the stones turn with " +
			"that. The wheel turns with the tide, and the stones turn with that"},
		{"lines of less", "The wheel turns with a tide.\nAnd the stones turn with it.\nThe wheel turns with " +
			"the tide, " +
			"and the stones turn with that.", "```\nThe wheel turns with a tide.\nAnd the stones turn with it.\nThe " +
			"wheel turns with the tide, and the stones turn with that.\n```"},
		{"lists", "- one\n  more of it\n- two\n* three\n12. four\n3) five\n• six\n1234. none",
			"- one more of it\n- two\n* three\n12. four\n3) five\n• six 1234. none"},
		{"list behind words", "The tools of a miller are\n- a bill\n- a staff of wood",
			"The tools of a miller are\n\n- a bill\n- a staff of wood"},
		{"list that is set in", "    - one thing\n    - another thing", "- one thing\n- another thing"},
		{"function", "func main() {\n\tx := 1\n\tif x > 0 {\n\t\treturn\n\t}\n}",
			"```\nfunc main() {\n\tx := 1\n\tif x > 0 {\n\t\treturn\n\t}\n}\n```"},
	})
	holdAbout(t, "text/plain", asWritten, []rule{
		{"title", "Mill\n====\n\nWords.", "Mill||||text"},
		{"no title", "Words.", "||||text"},
	})
	holdRules(t, "application/x-sh", asWritten, []rule{{"script", "\n# Words\n\nx=1  \n", "```\n# Words\n\nx=1\n```"}})
	holdRules(t, "text/x-go", asWritten, []rule{{"source", "package a\n\nvar x = \"```\"",
		"````\npackage a\n\nvar x = \"```\"\n````"}})
	d, err := readDocument("http://quern.example/", "text/plain",
		[]byte("Mill\n====\n\nThis site is not affiliated with the Mill Board."))
	if err != nil || d.Affiliation != "This site is not affiliated with the Mill Board." {
		t.Errorf("got %q, %v", d.Affiliation, err)
	}
}

// TestFileDeclarations holds what a file of the user's own is said to declare above its text.
func TestFileDeclarations(t *testing.T) {
	front := "---\ntitle: Stones\nauthor: Ada | Bo\ndate: 2025-03-04\n---\nWords."
	for _, test := range []struct{ name, url, page, want string }{
		{"file", "file:///a.md", front, "Title | Author | Date\nStones | Ada / Bo | 2025-03-04\n\nWords."},
		{"page", "http://quern.example/a.md", front, "Words."},
		{"tool", "tool://a.md", front, "Words."},
		{"title alone", "file:///a.md", "---\ntitle: Stones\n---\nWords.", "Words."},
		{"author alone", "file:///a.md", "---\nauthor: Ada\n---\nWords.", "Author\nAda\n\nWords."},
		{"day alone", "file:///a.md", "---\ndate: 2025-03-04\n---\nWords.", "Date\n2025-03-04\n\nWords."},
	} {
		d, err := Extract(t.Context(), citewell.Page{URL: test.url, ContentType: "text/markdown",
			Body: []byte(test.page)})
		if err != nil || d.Text != test.want {
			t.Errorf("%s: got %q, want %q, %v", test.name, d.Text, test.want, err)
		}
		if test.name == "file" && d.Markdown != "| Title | Author | Date |\n|---|---|---|\n| Stones | Ada / Bo | "+
			"2025-03-04 |\n\nWords." {
			t.Errorf("Markdown is %q", d.Markdown)
		}
	}
	if _, err := Extract(t.Context(), citewell.Page{URL: "file:///a.md", ContentType: "text/markdown",
		Body: []byte("---\nauthor: Ada\n---\n")}); citewell.CodeOf(err) != citewell.CodeExtractionFailed {
		t.Errorf("a file without text: %v", err)
	}
	for words, low := range map[int]bool{38: true, 39: false} {
		body := "---\nauthor: " + strings.Repeat("Ada ", 25) + "\n---\n" + strings.Repeat("word ", words) + "word"
		if d, err := Extract(t.Context(), citewell.Page{URL: "file:///a.md", ContentType: "text/markdown",
			Body: []byte(body)}); err != nil || d.LowYield != low {
			t.Errorf("%d words: low yield %v of %d bytes, %v", words, d.LowYield, len(d.Text), err)
		}
	}
}

// TestLanguageIsTold holds when the language of the prose is told in place of the one that is
// declared.
func TestLanguageIsTold(t *testing.T) {
	german := "Die Mühle am Fluss ist seit vielen Jahren nicht mehr in Betrieb, und das Wasser läuft an ihr vorbei. "
	for _, test := range []struct{ name, declared, prose, want string }{
		{"declared", "fr", strings.Repeat(german, 3), "fr"},
		{"English is declared", "en", strings.Repeat(german, 3), "de"},
		{"English is declared of little", "en", german, "en"},
		{"nothing is declared", "", german, "de"},
		{"nothing is declared of less", "", german[:60], ""},
	} {
		d, err := Extract(t.Context(), htmlPage("<!doctype html><html lang='"+test.declared+"'><body><p>"+test.prose))
		if err != nil || d.Language != test.want {
			t.Errorf("%s: the language is %q, want %q, %v", test.name, d.Language, test.want, err)
		}
	}
	d, err := Extract(t.Context(), htmlPage("<!doctype html><body><h1>"+german+"</h1><pre>"+german+"</pre>"))
	if err != nil || d.Language != "" {
		t.Errorf("headings and code are no prose: %q, %v", d.Language, err)
	}
}
