package cli

import (
	"context"
	"fmt"

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
	Otherwise []otherwise `json:"otherwise"` // of them those with another verdict than was given
	Note      string      `json:"note,omitempty"`
}

// An otherwise is a finding of which the judge has another verdict than it was given.
type otherwise struct {
	Statement string           `json:"statement"` // F1 is the first finding
	Given     citewell.Verdict `json:"given"`
	GivenBy   string           `json:"given_by"`
	Verdict   citewell.Verdict `json:"verdict"`
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
	o := opinions{Name: a.Judge.Name(), Otherwise: []otherwise{}}
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
		o.Note = "not all was judged: " + citewell.View(err).Message
	}
	for i, r := range v.Restated {
		if held[i].Inquiry == nil || judged[i].Inquiry != nil {
			continue
		}
		o.Decided++
		if now := judged[i].Citations[cite.Deciding(judged[i].Citations)]; now.Verdict != r.Given.Verdict {
			o.Otherwise = append(o.Otherwise, otherwise{r.Statement, r.Given.Verdict, givenBy(r.Given.By), now.Verdict, now.Reason, now.N, now.Quote})
		}
	}
	return o, nil
}

func noJudge() error {
	return &citewell.Error{Code: citewell.CodeInvalidConfig, Message: "there is no judge", Hint: "set llm, or judge, in the configuration"}
}

// writeOpinions lists what the judge sees otherwise.
func (e *env) writeOpinions(o opinions) {
	for _, other := range o.Otherwise {
		fmt.Fprintf(e.stdout, "otherwise %-4s given as %s by %s; %s says %s%s\n", other.Statement, other.Given, clean(other.GivenBy), clean(o.Name), other.Verdict, because(other.Reason))
		if other.Quote != "" {
			fmt.Fprintf(e.stdout, "       [%d] “%s”\n", other.N, clean(other.Quote))
		}
	}
	if o.Asked == 0 {
		fmt.Fprintln(e.stdout, "Words decide every finding, or nothing is kept to judge it by: no judge was asked.")
		return
	}
	fmt.Fprintf(e.stdout, "%s was asked about %s: %d otherwise than given, %d without a verdict.\n", clean(o.Name), count(o.Asked, "finding"), len(o.Otherwise), o.Asked-o.Decided)
	if o.Note != "" {
		fmt.Fprintf(e.stdout, "%s.\n", clean(o.Note))
	}
}
