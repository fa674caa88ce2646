package brief

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/text"
)

// A Model answers a request with JSON of a given schema; llm.Client is one.
type Model interface {
	Name() string
	Decode(ctx context.Context, r llm.Request, out any) (llm.Reply, error)
}

//go:embed synthesis.md
var synthesisRules string

// Bounds of a model's part.
const (
	modelPassages  = 24  // passages it is shown
	maxWords       = 600 // it is asked for at most so many
	cutWords       = 720 // and from here on whole statements are dropped
	maxUncited     = 0.8 // share of statements that may fail before all are refused
	synthesisLimit = 2000
)

// Why a model's answer was not used, beside the codes of a call that failed.
const (
	reasonEmpty   = "empty-response"
	reasonUncited = "citation-majority-uncited"
	reasonSchema  = "schema-invalid"
	reasonLate    = "timeout"
)

// modelAnswer is what a model is asked for. A statement comes after the quotes it
// leans on, since a model writes in this order.
type modelAnswer struct {
	Findings      []modelStatement `json:"findings"`
	Disagreements []modelStatement `json:"disagreements"`
	Gaps          []string         `json:"gaps"`
}

type modelStatement struct {
	Topic     string       `json:"topic"`
	Citations []modelQuote `json:"citations"`
	Text      string       `json:"text"`
}

type modelQuote struct {
	Passage string `json:"passage"`
	Quote   string `json:"quote"`
}

//go:embed synthesis.schema.json
var answerSchema json.RawMessage

// claims is what held of a model's answer.
type claims struct {
	findings      []citewell.Finding
	disagreements []citewell.Disagreement
	gaps          []string
}

// synthesize asks one model after the other, until one gives an answer that holds.
// The outcome is "ok" or, for each model, why its answer was not used.
func (w *Writer) synthesize(ctx context.Context, q question, e *evidence, p *progress) (claims, string, string) {
	var reasons []string
	name := ""
	for i, model := range w.o.Models {
		limit := w.o.Deadlines.Synthesis
		if i > 0 {
			limit /= 2
		}
		name = model.Name()
		began := time.Now()
		p.tell(Event{Kind: EventThinking, Subject: name})
		asked, cancel := context.WithTimeout(ctx, limit)
		found, err := ask(asked, model, q, e)
		cancel()
		outcome := "ok"
		if err != nil {
			outcome = reason(err)
		}
		p.tell(Event{Kind: EventThought, Subject: name, Outcome: outcome, Count: len(found.findings), Elapsed: time.Since(began)})
		if err == nil {
			return found, name, "ok"
		}
		reasons = append(reasons, outcome)
		if ctx.Err() != nil {
			break
		}
	}
	return claims{}, name, strings.Join(reasons, "; ")
}

// errUnusable is an answer that came, but does not hold.
type errUnusable string

func (e errUnusable) Error() string { return string(e) }

func reason(err error) string {
	if u, ok := errors.AsType[errUnusable](err); ok {
		return string(u)
	}
	if errors.Is(err, llm.ErrSchema) {
		return reasonSchema
	}
	if code := citewell.CodeOf(err); code != citewell.CodeTimeout {
		view := citewell.View(err)
		return fmt.Sprintf("%s: %s", code, view.Message)
	}
	return reasonLate
}

// ask shows a model the best passages and checks what it says of them.
func ask(ctx context.Context, model Model, q question, e *evidence) (claims, error) {
	envelope := llm.NewEnvelope()
	var user strings.Builder
	for _, p := range e.passages[:min(modelPassages, len(e.passages))] {
		s := e.source(p)
		label := fmt.Sprintf("passage %s of source %d; %s; %s; %s; %s", p.Alias, s.N, s.Host, s.Class, dateOf(s), oneLine(s.Title))
		if s.Warning != "" {
			label += "; warning: " + s.Warning
		}
		if e.snippetOnly(p) {
			label += "; only a search engine's snippet"
		}
		user.WriteString(envelope.Wrap(label, p.Text))
		user.WriteString("\n\n")
	}
	fmt.Fprintf(&user, "The question, in whose language you answer:\n%s\n", q.text)
	var answer modelAnswer
	_, err := model.Decode(ctx, llm.Request{
		Messages: []llm.Message{
			{Role: "system", Content: fmt.Sprintf(synthesisRules, maxWords) + "\n\n" + envelope.Rules()},
			{Role: "user", Content: user.String()},
		},
		Schema: answerSchema, SchemaName: "brief", MaxTokens: synthesisLimit,
	}, &answer)
	if err != nil {
		return claims{}, err
	}
	return hold(answer, q, e)
}

func dateOf(s citewell.Source) string {
	if s.Date == "" {
		return "undated"
	}
	return s.Date
}

// hold keeps of a model's answer what its quotes carry. Every citation must name a
// passage of this brief, and its quote must stand there; a statement without such
// a citation, or whose figures its quotes lack, is dropped.
func hold(answer modelAnswer, q question, e *evidence) (claims, error) {
	if len(answer.Findings) == 0 && len(answer.Gaps) == 0 {
		return claims{}, errUnusable(reasonEmpty)
	}
	found := claims{findings: []citewell.Finding{}, disagreements: []citewell.Disagreement{}, gaps: []string{}}
	words := 0
	for _, s := range answer.Findings {
		statement := withoutURLs(s.Text)
		citations := e.bind(statement, s.Citations, q.language)
		if statement == "" || len(citations) == 0 {
			continue
		}
		if words += len(text.Words(statement)); words > cutWords {
			break
		}
		subject := withoutURLs(s.Topic)
		if subject == "" {
			subject = "Findings"
		}
		found.findings = append(found.findings, citewell.Finding{Topic: subject, Text: statement, Citations: citations})
	}
	if n := len(answer.Findings); n > 0 && float64(n-len(found.findings)) > maxUncited*float64(n) {
		return claims{}, errUnusable(reasonUncited)
	}
	for _, s := range answer.Disagreements {
		statement := withoutURLs(s.Text)
		citations := e.bind(statement, s.Citations, q.language)
		voices := map[int]bool{}
		for _, c := range citations {
			voices[e.voices[c.N-1]] = true
		}
		if statement != "" && len(voices) >= 2 {
			found.disagreements = append(found.disagreements, citewell.Disagreement{Text: statement, Citations: citations})
		}
	}
	for _, gap := range answer.Gaps {
		if gap = withoutURLs(gap); gap != "" {
			found.gaps = append(found.gaps, gap)
		}
	}
	found.findings = byTopic(found.findings)
	return found, nil
}

// bind turns what a model says it cites into citations, checked: the quote must
// stand in the passage, and the statement must not say what the quotes speak
// against or figures that none of them has.
func (e *evidence) bind(statement string, quotes []modelQuote, lang string) []citewell.Citation {
	var citations []citewell.Citation
	var evidence strings.Builder
	for _, mq := range quotes {
		p, ok := e.ledger.Passage(mq.Passage)
		if !ok {
			continue
		}
		start, end, ok := cite.Locate(mq.Quote, p.Text)
		if !ok || start == end {
			continue
		}
		quote := p.Text[start:end]
		if slices.ContainsFunc(citations, func(c citewell.Citation) bool { return c.Passage == p.ID && c.Quote == quote }) {
			continue
		}
		verdict := cite.Check(statement, quote, lang).Verdict
		if e.snippetOnly(p) {
			verdict = citewell.VerdictSnippetOnly
		}
		citations = append(citations, citewell.Citation{N: p.Source, Passage: p.ID, Quote: quote,
			Start: p.Start + start, End: p.Start + end, Verdict: verdict})
		evidence.WriteString(quote + "\n")
	}
	if len(citations) == 0 {
		return nil
	}
	together := cite.Check(statement, evidence.String(), lang)
	if len(together.Missing) > 0 || together.Verdict == citewell.VerdictUnsupported {
		return nil
	}
	// What two quotes carry together is not "weak" because neither does alone.
	for i := range citations {
		if together.Verdict == citewell.VerdictSupported && (citations[i].Verdict == citewell.VerdictWeak || citations[i].Verdict == citewell.VerdictUnsupported) {
			citations[i].Verdict = citewell.VerdictSupported
		}
	}
	return citations
}

var urls = regexp.MustCompile(`(?i)\(?\b(?:[a-z][a-z0-9+.-]*://|www\.)\S+`)

// withoutURLs gives a model's text in one line, without any URL: code alone
// writes those.
func withoutURLs(s string) string { return oneLine(urls.ReplaceAllString(s, "")) }
