package builtin

import (
	"cmp"
	"context"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/envelope"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
)

func init() { register("research_result", newResearchResult, ofRuns) }

// Bounds of the data beside the report, which has all of it.
const (
	maxRunCitations = 300
	maxQuote        = 300 // bytes of a quote or a claim
)

type researchResultInput struct {
	ID string `json:"id" bounds:"1..200"`
	tool.Window
}

type researchResultOutput struct {
	ID         string                      `json:"id"`
	Agent      string                      `json:"agent"`
	State      runstore.RunState           `json:"state"`
	Outcome    runstore.RunOutcome         `json:"outcome,omitempty" jsonschema:"answered, partial, budget, no_sources, model_failed or cancelled; absent where something broke"`
	Reason     string                      `json:"reason,omitempty" jsonschema:"for an outcome other than answered"`
	Title      string                      `json:"title,omitempty"`
	Confidence string                      `json:"confidence,omitempty" jsonschema:"high, medium or low, as the model said; high only where the outcome is answered"`
	Report     string                      `json:"report" jsonschema:"this part of the report, Markdown"`
	Sources    []runSource                 `json:"sources" jsonschema:"those that are cited"`
	Citations  []runCitation               `json:"citations" jsonschema:"at most 300; the report has all"`
	Unverified []citewell.UnverifiedPhrase `json:"unverified" jsonschema:"sentences that did not pass the check, and why"`
	Removed    []string                    `json:"removed" jsonschema:"addresses that the model wrote and that are no cited source"`
	Usage      runUsage                    `json:"usage"`
	ReportURI  string                      `json:"report_uri,omitempty" jsonschema:"where the report can be read as a resource"`
	tool.Part

	text  string
	links []tool.Link
}

type runSource struct {
	N          int    `json:"n"`
	Title      string `json:"title"`
	URL        string `json:"url"`
	Date       string `json:"date,omitempty" jsonschema:"YYYY-MM-DD, where it is known"`
	Outcome    string `json:"outcome" jsonschema:"of reading the page"`
	TextSHA256 string `json:"text_sha256,omitempty" jsonschema:"of the kept text: citewell://snapshots/SHA256"`
	Warning    string `json:"warning,omitempty"`
}

type runCitation struct {
	N       int              `json:"n"`
	Claim   string           `json:"claim" jsonschema:"the sentence of the report"`
	Quote   string           `json:"quote" jsonschema:"the words of the source"`
	Passage string           `json:"passage"`
	Verdict citewell.Verdict `json:"verdict" jsonschema:"supported, partly, contradicted, unsupported, undecided, snippet-only or no-source"`
	Reason  string           `json:"reason,omitempty"`
}

// Text is this part of the report.
func (o researchResultOutput) Text() string { return o.text }

// Links name the report and the kept texts behind it.
func (o researchResultOutput) Links() []tool.Link { return o.links }

// runReportURI is where the report of a run can be read.
func runReportURI(id string) string { return "citewell://runs/" + id + "/report" }

func newResearchResult(runs Runs) *tool.Tool {
	return tool.New(tool.Spec{Name: "research_result", Title: "Get the report of a research run",
		Description: tool.Description(descriptions, "research_result"),
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true}, Hidden: runs.withoutRuns()},
		func(ctx context.Context, in researchResultInput) (researchResultOutput, error) {
			id := strings.TrimSpace(in.ID)
			r, err := runs.Desk.Result(ctx, id)
			if v := citewell.View(err); err != nil && v.Code == citewell.CodeInvalidArgument {
				return researchResultOutput{}, &citewell.Error{Code: v.Code, Op: "research_result", Message: v.Message,
					Hint: "call research_status with this id and wait_seconds 50 until it has ended; answer it where " +
						"it asks, or end it with research_cancel", Err: err}
			}
			if err != nil {
				return researchResultOutput{}, runs.ofRun(ctx, id, err)
			}
			s, err := runs.Desk.Status(ctx, id)
			if err != nil {
				return researchResultOutput{}, err
			}
			return resultOf(s.Run, r, in.Window), nil
		})
}

// resultOf gives what a run came to, and the part of its report in the window.
func resultOf(run runstore.Run, r agent.Result, w tool.Window) researchResultOutput {
	reason := envelope.Neutralize(run.Detail)
	out := researchResultOutput{ID: run.ID, Agent: run.Agent, State: run.State, Outcome: run.Outcome, Reason: reason,
		Usage:   runUsage(r.Usage),
		Sources: []runSource{}, Citations: []runCitation{}, Unverified: []citewell.UnverifiedPhrase{},
		Removed: []string{}}
	whole := strings.TrimSpace(envelope.Neutralize(r.Answer))
	if r.Report != nil {
		whole = report.OfRun(*r.Report)
		out.Title, out.Confidence = r.Report.Title, r.Report.Confidence
		out.Unverified, out.Removed = append(out.Unverified, r.Report.Unverified...),
			append(out.Removed, r.Report.Removed...)
		for _, s := range r.Report.Sources {
			url := cmp.Or(s.FinalURL, s.URL)
			out.Sources = append(out.Sources, runSource{s.N, text.OneLine(s.Title), url, s.Date, string(s.Outcome),
				s.TextSHA256, s.Warning})
		}
		for _, f := range r.Report.Findings {
			for _, c := range f.Citations {
				if len(out.Citations) < maxRunCitations {
					out.Citations = append(out.Citations, runCitation{c.N, tool.Shorten(f.Text, maxQuote),
						tool.Shorten(text.OneLine(c.Quote), maxQuote), c.Passage, c.Verdict, c.Reason})
				}
			}
		}
		out.ReportURI = runReportURI(run.ID)
		out.links = append([]tool.Link{{URI: out.ReportURI, Name: "report", MediaType: "text/markdown"}},
			snapshotLinks(r.Report.Sources)...)
	}
	if whole == "" {
		whole = "The run is " + string(run.State) + " and has no answer."
		if reason != "" {
			whole += " " + reason
		}
	}
	for _, warning := range r.Warnings {
		whole += "\n\nWarning: " + warning
	}
	out.Report, out.Part = w.Cut(whole)
	out.text = out.Report + out.Note()
	return out
}
