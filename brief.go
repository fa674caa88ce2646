package citewell

import (
	"iter"
	"time"
)

// The names of the JSON forms of Brief and Report; a change that breaks readers gets a new number.
const (
	BriefSchema  = "citewell.brief/1"
	ReportSchema = "citewell.report/1"
)

// A Brief answers one question from sources: findings, each with citations that
// can be checked, what sources disagree about, what none of them covers, and what
// happened on the way.
type Brief struct {
	Schema string `json:"schema"`
	// under which the ledger keeps its passages
	ID            string         `json:"id" jsonschema:"for citewell verify, and check_claim's run_id"`
	Query         string         `json:"query"`
	CreatedAt     time.Time      `json:"created_at"`
	Outcome       BriefOutcome   `json:"outcome" jsonschema:"answered; partial where a part of the question has no finding; unanswered where nothing that was read answers it"`
	Findings      []Finding      `json:"findings" jsonschema:"what answers, best first; empty when unanswered"`
	Disagreements []Disagreement `json:"disagreements" jsonschema:"what independent sources state differently"`
	Nearest       []Nearest      `json:"nearest" jsonschema:"when unanswered: the passages that came closest, which are no answer; empty where there are findings"`
	Gaps          []string       `json:"gaps" jsonschema:"parts of the question that nothing that was read answers"`
	Sources       []Source       `json:"sources"`
	Additional    []Additional   `json:"additional"`
	Passages      []Passage      `json:"passages,omitempty"`
	Coverage      Coverage       `json:"coverage" jsonschema:"what became of each provider, page and model"`

	// Unproven is how many sentences the text of a run's report itself marks as not borne
	// out, those without a citation too.
	Unproven int `json:"unproven,omitempty"`

	References *References `json:"references,omitempty"` // where they were asked for

	// What research into a topic adds: how far its findings carry, and the queries that the
	// topic was taken apart into; a search has these too where it compares, or a model wrote some.
	Confidence Confidence `json:"confidence,omitzero"`
	Queries    []string   `json:"queries,omitempty"`
	Dropped    []Dropped  `json:"dropped,omitempty" jsonschema:"what a model wrote and exact facts or the judge refused"`
}

// A Dropped statement was written by a model and is not shown among the findings.
type Dropped struct {
	Text   string `json:"text"`
	Reason string `json:"reason"`
	Quote  string `json:"quote,omitempty"` // of the source that it cites
}

// NamePages gives each citation what a reader needs beside its words: the page of its passage,
// the names of the columns of a row, and whether the work was retracted or is in doubt.
func (b Brief) NamePages() {
	caveats := map[int]string{}
	for _, s := range b.Sources {
		if s.Work != nil {
			caveats[s.N] = s.Work.Retracted.Caveat()
		}
	}
	for c := range b.Citations() {
		c.place(b.Passages)
		c.Caveat = caveats[c.N]
	}
}

// Citations yields every citation of the brief: those of its findings, of its disagreements and of
// what is nearest to an answer. They are the brief's own, and may be changed.
func (b Brief) Citations() iter.Seq[*Citation] {
	var lists [][]Citation
	for _, f := range b.Findings {
		lists = append(lists, f.Citations)
	}
	for _, d := range b.Disagreements {
		lists = append(lists, d.Citations)
	}
	for _, n := range b.Nearest {
		lists = append(lists, n.Citations)
	}
	return func(yield func(*Citation) bool) {
		for _, list := range lists {
			for i := range list {
				if !yield(&list[i]) {
					return
				}
			}
		}
	}
}

// Cited are the numbers of the sources that the brief quotes.
func (b Brief) Cited() map[int]bool {
	cited := map[int]bool{}
	for c := range b.Citations() {
		cited[c.N] = true
	}
	return cited
}

// A BriefOutcome says how far a brief answers its question.
type BriefOutcome string

// Unanswered means that something may have been read and nothing of it answers; why
// nothing was read, where that is the cause, is in Coverage.
const (
	BriefAnswered BriefOutcome = "answered"
	// a part has no finding, or all findings have figures that no source states
	BriefPartial    BriefOutcome = "partial"
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
	// Unstated are figures and dates of the text that no cited source states: they may follow from
	// what it says, or be invented.
	Unstated []string `json:"unstated,omitempty" jsonschema:"figures and dates of the text that no cited source states"`
	Why      *Why     `json:"why,omitempty" jsonschema:"what speaks for a quoted finding as an answer, and what against it; absent where a model wrote it"`
}

// Why says what speaks for a finding as an answer, and what against it.
type Why struct {
	Chance  float64  `json:"chance" jsonschema:"that it answers, from 0 to 1, as far as words tell"`
	For     []string `json:"for" jsonschema:"what weighed most, first"`
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
	N       int    `json:"n" jsonschema:"number of the source"`
	Passage string `json:"passage"` // passage id
	Quote   string `json:"quote"`
	Start   int    `json:"start" jsonschema:"of the quote, in bytes of the source's kept text"`
	End     int    `json:"end"`
	Page    int    `json:"page,omitempty"`    // of a document that has pages, from 1
	Unit    string `json:"unit,omitempty"`    // what Page counts: page, slide or second
	Where   string `json:"where,omitempty"`   // both in words, as in "page 7"
	Columns string `json:"columns,omitempty"` // of a table's row: the row of the source that names its columns
	Caveat  string `json:"caveat,omitempty" jsonschema:"in words, where the work was retracted or is in doubt"`
	// in a disagreement: the value that is stated here, alike for all on one side
	Says    string  `json:"says,omitempty"`
	Verdict Verdict `json:"verdict" jsonschema:"supported, partly, contradicted, unsupported, undecided or snippet-only"`
	Reason  string  `json:"reason,omitempty"` // for the verdict, in words
	By      string  `json:"by,omitempty" jsonschema:"what gave the verdict: words, or judge NAME"`
	// JudgedAt is when the judge gave it. Words give theirs when the brief or the report is made.
	JudgedAt time.Time `json:"judged_at,omitzero" jsonschema:"when the judge gave the verdict; absent where words gave it"`
	// OtherFigures decided that it is contradicted.
	OtherFigures []OtherFigure `json:"other_figures,omitempty" jsonschema:"where contradicted by a figure: the one that is said, in bytes of the text, and the one of the source, in bytes of its kept text"`
}

// An OtherFigure is a figure or date of a statement, and the one that the cited source has
// in its place.
type OtherFigure struct {
	SaidStart int `json:"said_start"` // in bytes of the statement's text
	SaidEnd   int `json:"said_end"`
	Start     int `json:"start"` // in bytes of the source's kept text, in the quote or beside it
	End       int `json:"end"`
}

// A Verdict is what the check of a statement against its citation found.
type Verdict string

// By words alone a statement is supported where it stands in the source or is a near-copy in which
// nothing differs, contradicted where a near-copy differs, and unsupported where a figure, date or
// quotation of it stands nowhere. Contradicted is shown, never hidden: it is the most useful
// verdict of all.
const (
	VerdictSupported    Verdict = "supported"
	VerdictPartly       Verdict = "partly" // a judge's: the source says part of it
	VerdictContradicted Verdict = "contradicted"
	VerdictUnsupported  Verdict = "unsupported"
	VerdictUndecided    Verdict = "undecided" // words cannot tell, and no judge that is believed was asked
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
	Archived   Archived     `json:"archived,omitzero" jsonschema:"where an archive's copy was read, since the page is gone"`
	PageSHA256 string       `json:"page_sha256,omitempty"`
	TextSHA256 string       `json:"text_sha256,omitempty"`
	Extractor  Extractor    `json:"extractor,omitzero"`
	Outcome    FetchOutcome `json:"outcome"`
	Snippet    string       `json:"snippet,omitempty"`
	Warning    string       `json:"warning,omitempty"` // what a reader must know before leaning on it
	Work       *Work        `json:"work,omitempty"`    // where it is a publication that a provider knows
	Basis      Basis        `json:"basis,omitempty" jsonschema:"what of the work was read: full-text, abstract (alone) or record (what a register says of it); captions of a recording"`
	// URLs of pages that were read, say the same and are no sources of their own
	Copies  []string `json:"copies,omitempty"`
	Quality Quality  `json:"quality,omitzero"` // in research
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
	Routing         *Routing         `json:"routing,omitempty"`
	Fetches         []FetchReport    `json:"fetches"`
	Synthesis       SynthesisReport  `json:"synthesis"`
	Models          []ModelReport    `json:"models,omitempty" jsonschema:"embedding and reranking models that failed, so that all was done without"`
	Judge           *JudgeReport     `json:"judge,omitempty" jsonschema:"how far the judge is believed; absent where none was asked"`
	RawResults      int              `json:"raw_results"`
	DistinctResults int              `json:"distinct_results"`
	Cache           bool             `json:"cache"`
	DeadlineHit     bool             `json:"deadline_hit,omitempty"`
	WallMS          int64            `json:"wall_ms"`
}

// Routing is why these providers were asked and no others.
type Routing struct {
	Sources []CalledSource `json:"sources"` // kinds of sources, in the order in which they were called for
	// the identifier that providers were asked for which can look it up
	LookedUp string   `json:"looked_up,omitempty"`
	NotAsked []string `json:"not_asked,omitempty"` // providers of other kinds
	Lens     string   `json:"lens,omitempty"`
}

// CalledSource is a kind of sources that was asked, and why: the word that called for it, say.
type CalledSource struct {
	Kind string `json:"kind"`
	Why  string `json:"why"`
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

// ModelReport is what a model did that was asked for, and did not work or was late.
type ModelReport struct {
	Use     string `json:"use"` // embedding or reranking
	Model   string `json:"model"`
	Outcome Code   `json:"outcome"`
	Detail  string `json:"detail,omitempty"`
}

// How findings are made, and the uses of models beside the one that writes them.
const (
	SynthesisExtractive = "extractive" // quoted from the passages
	SynthesisModel      = "model"      // written by a model and checked against the passages
	UseEmbedding        = "embedding"
	UseReranking        = "reranking"
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
