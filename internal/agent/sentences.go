package agent

// A Sentence is one sentence of a Markdown text, or a row of a table.
type Sentence struct {
	Text    string // its words without marks and markup; a row's stand behind the names of its columns
	Cells   string // the words of a row alone; empty for a sentence
	Start   int    // byte of the text at which it begins
	Marks   []int  // the numbers in its [n]
	Factual bool   // it states something that a source must bear out
}

// Sentences takes a Markdown text apart as reports are taken apart before they are
// checked. Code, rules, heads of tables, and headings that cite nothing are no sentences.
func Sentences(content string) []Sentence {
	var all []Sentence
	for _, s := range statements(content) {
		all = append(all, Sentence{s.claim, s.cells, s.start, s.marks, s.factual()})
	}
	return all
}
