package claim

import (
	"context"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

// A title bears nothing out: a judge is told it.
func TestTitleIsContext(t *testing.T) {
	const evidence = "It was built in 1931 by local engineers."
	for _, claim := range []string{"The Harbour Bridge was built in 1931 by local engineers.",
		"The Harbour Bridge is in good shape.", "Harbour Bridge in good shape"} {
		got := Check(claim, Given(evidence, "Harbour Bridge in good shape"))
		if got.Verdict != citewell.VerdictUndecided || got.By != cite.ByWords || got.held.Inquiry == nil ||
			got.held.Inquiry.Passages[0].Title != "Harbour Bridge in good shape" {
			t.Errorf("%s: %s, %+v", claim, got.Verdict, got.held.Inquiry)
		}
	}
}

// What a judge says is taken in with the sentence that it quotes.
func TestJudged(t *testing.T) {
	const evidence = "The harbour is old. It was built in 1931 by local engineers. Boats lie there."
	a := Check("Engineers from the town built the harbour.", Given(evidence, ""))
	judged := func(o cite.Opinion) Answer {
		all, err := Judge(t.Context(), func(context.Context, string, string, []*cite.Inquiry) ([]cite.Opinion, error) {
			return []cite.Opinion{o}, nil
		}, []Answer{a})
		if err != nil {
			t.Fatal(err)
		}
		return all[0]
	}
	got := judged(cite.Opinion{Verdict: citewell.VerdictSupported, Quote: "built in 1931 by local", Reason: "said so",
		By: "judge j"})
	if got.Verdict != citewell.VerdictSupported || got.By != "judge j" || got.Reason != "said so" ||
		got.Quote != "It was built in 1931 by local engineers." || evidence[got.Start:got.End] != got.Quote {
		t.Errorf("%+v", got)
	}
	for _, invented := range []string{"", "built in 1931 by foreign", "in 1931"} {
		if got := judged(cite.Opinion{Verdict: citewell.VerdictSupported, Quote: invented,
			By: "judge j"}); got.Verdict != citewell.VerdictUndecided || got.By != cite.ByWords {
			t.Errorf("%q proves nothing: %+v", invented, got.Verdict)
		}
	}
	if got := judged(cite.Opinion{Verdict: citewell.VerdictUnsupported, By: "judge j"}); got.Verdict !=
		citewell.VerdictUnsupported || got.Reason == "" {
		t.Errorf("%s: %s", got.Verdict, got.Reason)
	}
}

// Of a long text the passage that says it decides, and the quote is its sentence.
func TestLongText(t *testing.T) {
	filler := strings.Repeat("The ferry leaves the old quay at noon and comes back in the evening.\n\n", 400)
	long := filler + "The lamp burns 24 litres of oil a night. It is trimmed at dusk.\n\n" + filler
	if got := Check(strings.Repeat("The lamp burns oil and ", 1000),
		Given(long, "")); got.Verdict != citewell.VerdictUndecided || got.Reason != tooLong {
		t.Errorf("%+v", got)
	}
	for claim, want := range map[string]citewell.Verdict{
		"The lamp burns 24 litres of oil a night.": citewell.VerdictSupported,
		"The lamp burns 31 litres of oil a night.": citewell.VerdictContradicted,
		"Nobody has ever painted the weathercock.": citewell.VerdictUndecided,
	} {
		got := Check(claim, Given(long, ""))
		if got.Verdict != want || long[got.Start:got.End] != got.Quote || want != citewell.VerdictUndecided &&
			got.Quote != "The lamp burns 24 litres of oil a night." {
			t.Errorf("%s: %+v", claim, got)
		}
	}
}
