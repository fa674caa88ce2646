package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/app"
)

// judgedAnew is the JSON form of verify --judge.
type judgedAnew struct {
	cite.Verification
	Judge opinions `json:"judge"`
}

// opinions are what the configured judge says now of the findings of a brief or a report.
type opinions struct {
	Name      string      `json:"name"`
	Asked     int         `json:"asked"`     // findings whose verdict words do not give
	Decided   int         `json:"decided"`   // of them those with a verdict of the judge that stands
	Otherwise []otherwise `json:"otherwise"` // findings with another verdict now than was given
	Note      string      `json:"note,omitempty"`

	findings int    // with a citation
	kept     int    // of them those with words that they can be judged by
	missing  string // why findings have no verdict; empty where nothing kept the judge from answering
}

// An otherwise is a finding with another verdict now than it was given.
type otherwise struct {
	Statement string           `json:"statement"` // F1 is the first finding
	Given     citewell.Verdict `json:"given"`
	GivenBy   string           `json:"given_by"`
	Verdict   citewell.Verdict `json:"verdict"`
	By        string           `json:"by"` // the judge, or words where exact facts refute what was given
	Reason    string           `json:"reason"`
	N         int              `json:"n"` // of the source that the quote is from
	Quote     string           `json:"quote,omitempty"`
}

// judgeAnew asks the configured judge about the findings whose verdict words do not give.
func (e *env) judgeAnew(ctx context.Context, a *app.App, v cite.Verification) (opinions, error) {
	ask, err := a.AskJudgeInBudget()
	switch {
	case err != nil:
		return opinions{}, err
	case ask == nil:
		return opinions{}, noJudge()
	}
	o := opinions{Name: a.Judge.Name(), Otherwise: []otherwise{}, findings: citingFindings(v), kept: len(v.Restated)}
	held := make([]cite.Held, len(v.Restated))
	for i, r := range v.Restated {
		if held[i] = cite.Hold(r.Claim); held[i].Inquiry != nil {
			o.Asked++
		}
	}
	p := e.newProgress(askingJudge)
	judged, err := cite.Judge(ctx, ask, v.Query, held)
	p.end()
	if ctx.Err() != nil {
		return o, ctx.Err()
	}
	if err != nil {
		o.missing = citewell.View(err).Message
		o.Note = "not all was judged: " + o.missing
	}
	for i, r := range v.Restated {
		if judged[i].Inquiry != nil || len(judged[i].Citations) == 0 {
			continue
		}
		now := judged[i].Citations[cite.Deciding(judged[i].Citations)]
		if held[i].Inquiry != nil {
			o.Decided++
		} else if !refutes(now.Verdict) || refutes(r.Given.Verdict) {
			continue // words confirm it, or refuted it already
		}
		if now.Verdict != r.Given.Verdict {
			o.Otherwise = append(o.Otherwise, otherwise{r.Statement, r.Given.Verdict, givenBy(r.Given.By),
				now.Verdict, now.By, now.Reason, now.N, now.Quote})
		}
	}
	return o, nil
}

func refutes(v citewell.Verdict) bool {
	return v == citewell.VerdictUnsupported || v == citewell.VerdictContradicted
}

func noJudge() error {
	return &citewell.Error{Code: citewell.CodeInvalidConfig, Message: "there is no judge",
		Hint: "set llm, or judge, in the configuration"}
}

// writeOpinions lists what is seen otherwise now.
func (e *env) writeOpinions(o opinions) {
	for _, other := range o.Otherwise {
		says := other.By + " says"
		if other.By == cite.ByWords {
			says = "words say"
		}
		fmt.Fprintf(e.stdout, "otherwise %-4s given as %s by %s; %s %s%s\n", other.Statement,
			other.Given, clean(other.GivenBy), clean(says), other.Verdict, because(other.Reason))
		if other.Quote != "" {
			fmt.Fprintf(e.stdout, "       [%d] “%s”\n", other.N, clean(other.Quote))
		}
	}
	if o.Asked == 0 {
		fmt.Fprintln(e.stdout, o.unasked())
		return
	}
	fmt.Fprintf(e.stdout, "%s gave a verdict on %d of %s that words leave undecided, %d otherwise than given.\n",
		clean(o.Name), o.Decided, count(o.Asked, "finding"), o.otherwiseByJudge())
	if rest := o.Asked - o.Decided; rest > 0 {
		why := cmp.Or(o.missing, "its answer has no quote that stands in the passages")
		fmt.Fprintf(e.stdout, "%s %s no verdict of it: %s.\n", count(rest, "finding"),
			verb(rest, "has", "have"), clean(why))
	}
}

// otherwiseByJudge counts what the judge, and not words, sees otherwise.
func (o opinions) otherwiseByJudge() (n int) {
	for _, other := range o.Otherwise {
		if other.By != cite.ByWords {
			n++
		}
	}
	return n
}

// unasked says why no judge was asked about anything.
func (o opinions) unasked() string {
	lost := o.findings - o.kept
	switch {
	case o.findings == 0:
		return "No finding cites anything: no judge was asked."
	case lost == 0:
		return "Words decide every finding: no judge was asked."
	case o.kept == 0:
		return "No words are kept that the findings could be judged by: no judge was asked."
	}
	return fmt.Sprintf("Words decide %s, and no words are kept that the other %d could be judged by: no judge "+
		"was asked.",
		count(o.kept, "finding"), lost)
}

// citingFindings counts the findings with a citation.
func citingFindings(v cite.Verification) int {
	labels := map[string]bool{}
	for _, c := range v.Citations {
		if strings.HasPrefix(c.Statement, "F") {
			labels[c.Statement] = true
		}
	}
	return len(labels)
}
