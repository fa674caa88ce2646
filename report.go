package citewell

import (
	"strings"
	"time"
)

// A Report is what an agent's run wrote: a text in which [n] is a source number, and
// behind each cited sentence the words it leans on. The statements that the text could
// not bear out are named, not left out.
type Report struct {
	Schema   string `json:"schema"`
	ID       string `json:"id"` // of the run; the ledger keeps its passages under it
	Agent    string `json:"agent"`
	Task     string `json:"task"` // the user's words
	Title    string `json:"title"`
	Content  string `json:"content"` // Markdown with [n]
	Language string `json:"language,omitempty"`
	// high, medium or low, as the model said; high only beside answered
	Confidence string `json:"confidence,omitempty"`
	Outcome    string `json:"outcome"`          // as runstore.RunOutcome
	Reason     string `json:"reason,omitempty"` // of an outcome other than answered, in words
	// what is not as it was asked for, and yet proven: the language, the outline
	Remarks []string `json:"remarks,omitempty"`
	// NeedsNoSource says that it cites nothing since it states nothing but what code computed
	// from the task's figures, or what the task says itself.
	NeedsNoSource bool               `json:"needs_no_source,omitempty"`
	CreatedAt     time.Time          `json:"created_at"`
	Findings      []Finding          `json:"findings"` // the cited sentences, in the order of the text
	Places        []Place            `json:"places,omitempty"`
	Unverified    []UnverifiedPhrase `json:"unverified"`
	Removed       []string           `json:"removed"` // addresses that the model wrote and that are no cited source
	Sources       []Source           `json:"sources"` // those that are cited, by number
	Passages      []Passage          `json:"passages"`
	References    *References        `json:"references,omitempty"` // where they were asked for
	Lens          string             `json:"lens,omitempty"`       // through which its run was made to look
	// how far the judge is believed; nil where none was asked
	Judge *JudgeReport `json:"judge,omitempty"`
}

// References are the sources of a report as a list of references has them, in one style. They
// are plain text: what a style sets in italics is not told apart.
type References struct {
	Style   string   `json:"style"`   // apa, chicago or ieee
	Entries []string `json:"entries"` // in the order of the style
}

// A Place is where a report's content states something: with which of its findings, and
// with what problem, as an UnverifiedPhrase has it. Places do not overlap and stand in the
// order of the content.
type Place struct {
	Start   int    `json:"start"` // bytes of the content, half-open, with marks and remarks
	End     int    `json:"end"`
	Finding int    `json:"finding"` // from 0; -1 where it cites nothing
	Problem string `json:"problem,omitempty"`
}

// An UnverifiedPhrase is a sentence of a report that did not pass the check, and why.
type UnverifiedPhrase struct {
	Text    string `json:"text"`
	Problem string `json:"problem"` // one word for a program
	Detail  string `json:"detail"`
}

const remarkOpens = "(⚠ "

// Remark is what a report's text has behind a sentence that did not pass the check.
func Remark(problem string) string {
	return remarkOpens + strings.ReplaceAll(problem, "_", " ") + ")"
}

// Brief gives the report in the form in which citations are checked again.
func (r Report) Brief() Brief {
	return Brief{Schema: BriefSchema, ID: r.ID, Query: r.Task, CreatedAt: r.CreatedAt, Findings: r.Findings,
		Disagreements: []Disagreement{}, Gaps: []string{}, Sources: r.Sources, Additional: []Additional{},
		Passages: r.Passages, Unproven: strings.Count(r.Content, remarkOpens),
		Coverage: Coverage{Providers: []ProviderReport{}, Fetches: []FetchReport{},
			Synthesis: SynthesisReport{Mode: SynthesisModel, Outcome: "ok"}}}
}
