package citewell

import "time"

// BriefSchema names the JSON form of Brief; a change that breaks readers gets a
// new number.
const BriefSchema = "citewell.brief/1"

// A Brief answers one question from sources: findings, each with citations that
// can be checked, what sources disagree about, what none of them covers, and what
// happened on the way.
type Brief struct {
	Schema        string         `json:"schema"`
	ID            string         `json:"id"` // under which the ledger keeps its passages
	Query         string         `json:"query"`
	CreatedAt     time.Time      `json:"created_at"`
	Outcome       BriefOutcome   `json:"outcome"`
	Findings      []Finding      `json:"findings"`
	Disagreements []Disagreement `json:"disagreements"`
	Nearest       []Nearest      `json:"nearest"` // what was read, where nothing of it answers; empty where there are findings
	Gaps          []string       `json:"gaps"`
	Sources       []Source       `json:"sources"`
	Additional    []Additional   `json:"additional"`
	Passages      []Passage      `json:"passages,omitempty"`
	Coverage      Coverage       `json:"coverage"`

	// Unproven is how many sentences the text of a run's report itself marks as not borne
	// out, those without a citation too.
	Unproven int `json:"unproven,omitempty"`

	// What research into a topic adds: how far its findings carry, and the queries that the
	// topic was taken apart into; a search has these too where it compares.
	Confidence Confidence `json:"confidence,omitzero"`
	Queries    []string   `json:"queries,omitempty"`
}

// NamePages gives each citation the page of its passage, for readers of a brief
// without its passages.
func (b Brief) NamePages() {
	for _, f := range b.Findings {
		namePages(f.Citations, b.Passages)
	}
	for _, d := range b.Disagreements {
		namePages(d.Citations, b.Passages)
	}
	for _, n := range b.Nearest {
		namePages(n.Citations, b.Passages)
	}
}

// A BriefOutcome says how far a brief answers its question.
type BriefOutcome string

// Unanswered means that something may have been read and nothing of it answers; why
// nothing was read, where that is the cause, is in Coverage.
const (
	BriefAnswered   BriefOutcome = "answered"
	BriefPartial    BriefOutcome = "partial" // a part of the question has no finding
	BriefUnanswered BriefOutcome = "unanswered"
)

// A Nearest is a passage that was read and does not answer the question.
type Nearest struct {
	Text      string     `json:"text"`
	Citations []Citation `json:"citations"`
}

// A Finding is one statement that answers part of the question.
type Finding struct {
	Topic     string     `json:"topic"`
	Text      string     `json:"text"`
	Citations []Citation `json:"citations"`
	// Problem says why the sentence of a run's report did not pass the check, in one word
	// as an UnverifiedPhrase has it; the text shows it with a Remark.
	Problem string `json:"problem,omitempty"`
	Why     *Why   `json:"why,omitempty"` // of a finding that was quoted
}

// Why says what speaks for a finding as an answer, and what against it.
type Why struct {
	Chance  float64  `json:"chance"` // of an answer, from 0 to 1, as far as words tell
	For     []string `json:"for"`    // what weighed most, first
	Against []string `json:"against"`
}

// A Disagreement is one thing that independent sources state differently.
type Disagreement struct {
	Text      string     `json:"text"`
	Citations []Citation `json:"citations"`
}

// A Citation binds a statement to the words it leans on. Quote is exactly the
// bytes [Start, End) of the canonical text of source N.
type Citation struct {
	N       int     `json:"n"`
	Passage string  `json:"passage"` // passage id
	Quote   string  `json:"quote"`
	Start   int     `json:"start"`
	End     int     `json:"end"`
	Page    int     `json:"page,omitempty"`  // of a document that has pages, from 1
	Unit    string  `json:"unit,omitempty"`  // what Page counts: page or slide
	Where   string  `json:"where,omitempty"` // both in words, as in "page 7"
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason,omitempty"` // for the verdict, in words
	Judge   string  `json:"judge,omitempty"`  // what gave it: "words", "embedding NAME" or "model NAME"
}

// A Verdict is what the check of a statement against its citation found.
type Verdict string

// Contradicted is shown, never hidden: it is the most useful verdict of all.
const (
	VerdictSupported    Verdict = "supported"
	VerdictWeak         Verdict = "weak"
	VerdictContradicted Verdict = "contradicted"
	VerdictUnsupported  Verdict = "unsupported"
	VerdictSnippetOnly  Verdict = "snippet-only"
	VerdictNoSource     Verdict = "no-source"
)

// A Source is a document that the brief leans on or tried to.
type Source struct {
	N          int          `json:"n"`
	Title      string       `json:"title"`
	URL        string       `json:"url"`
	FinalURL   string       `json:"final_url,omitempty"`
	Host       string       `json:"host"`
	Class      string       `json:"class"`
	Date       string       `json:"date,omitempty"` // YYYY-MM-DD; empty is shown as undated
	FetchedAt  time.Time    `json:"fetched_at,omitzero"`
	PageSHA256 string       `json:"page_sha256,omitempty"`
	TextSHA256 string       `json:"text_sha256,omitempty"`
	Extractor  Extractor    `json:"extractor,omitzero"`
	Outcome    FetchOutcome `json:"outcome"`
	Snippet    string       `json:"snippet,omitempty"`
	Warning    string       `json:"warning,omitempty"`
	Quality    Quality      `json:"quality,omitzero"` // in research
}

// Additional is a result that was found but not read.
type Additional struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Host    string `json:"host"`
	Date    string `json:"date,omitempty"`
	Snippet string `json:"snippet,omitempty"`
}

// Coverage says what happened: each provider's and each fetch's outcome, and how
// the findings were made.
type Coverage struct {
	Providers       []ProviderReport `json:"providers"`
	Fetches         []FetchReport    `json:"fetches"`
	Synthesis       SynthesisReport  `json:"synthesis"`
	RawResults      int              `json:"raw_results"`
	DistinctResults int              `json:"distinct_results"`
	Cache           bool             `json:"cache"`
	DeadlineHit     bool             `json:"deadline_hit,omitempty"`
	WallMS          int64            `json:"wall_ms"`
}

// ProviderReport is what one provider did with the query.
type ProviderReport struct {
	Name      string          `json:"name"`
	Outcome   ProviderOutcome `json:"outcome"`
	Results   int             `json:"results"`
	ElapsedMS int64           `json:"elapsed_ms"`
	Detail    string          `json:"detail,omitempty"`
}

// FetchReport is what became of one page that was asked for.
type FetchReport struct {
	URL       string       `json:"url"`
	Outcome   FetchOutcome `json:"outcome"`
	ElapsedMS int64        `json:"elapsed_ms"`
	Detail    string       `json:"detail,omitempty"`
}

// How findings are made: quoted from the passages, or written by a model and
// checked against them.
const (
	SynthesisExtractive = "extractive"
	SynthesisModel      = "model"
)

// SynthesisReport says how the findings were made. Outcome is "ok", "skipped"
// where there was no model to ask, or why no model's answer was used.
type SynthesisReport struct {
	Mode      string `json:"mode"`
	Model     string `json:"model,omitempty"`
	Outcome   string `json:"outcome"`
	Detail    string `json:"detail,omitempty"` // what of a model's answer was left out, and why
	ElapsedMS int64  `json:"elapsed_ms"`
}
