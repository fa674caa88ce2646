package claim

import (
	"strings"

	"github.com/citewell/citewell"
)

// mostSentences is how many sentences are shown of what nobody has judged.
const mostSentences = 3

// A Sentence is one by which a reader can judge a claim that nobody has judged.
type Sentence struct {
	Text    string `json:"text" jsonschema:"whole"`
	Columns string `json:"columns,omitempty" jsonschema:"of a table's row"`
	Start   int    `json:"start" jsonschema:"as of the quote"`
	End     int    `json:"end"`
	Where   string `json:"where,omitempty"`
	URL     string `json:"url,omitempty"`
}

// open puts the sentences by which a reader can judge an undecided answer into c, and what differs in
// words.
func (c *Checked) open(a Answer, list []Source) {
	if a.Verdict != citewell.VerdictUndecided || a.held.Inquiry == nil {
		return
	}
	for _, found := range a.held.Sentences(mostSentences) {
		s := Sentence{Text: found.Quote, Columns: found.Columns, Start: found.Start, End: found.End, Where: found.Where}
		if found.N < len(list) {
			s.URL = list[found.N].URL
		}
		c.Sentences = append(c.Sentences, s)
	}
	c.Differs = strings.Join(a.held.Inquiry.Look, "; ")
}
