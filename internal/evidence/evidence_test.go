package evidence

import (
	"context"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/agent"
)

// An archive keeps texts by hash.
type archive struct {
	cite.Archive
	texts map[string]string
}

func (a archive) Blob(_ context.Context, hash string) ([]byte, error) {
	if text, ok := a.texts[hash]; ok {
		return []byte(text), nil
	}
	return nil, &citewell.Error{Code: citewell.CodeStoreFailed, Op: "store", Message: "no such text"}
}

func TestText(t *testing.T) {
	d := New(archive{texts: map[string]string{"h": "Mühle und Ofen"}}, nil)
	result := agent.Result{Sources: []citewell.Source{{N: 2, TextSHA256: "h"}, {N: 3}, {N: 4, TextSHA256: "lost"}}}
	for _, test := range []struct {
		n, start, end int
		want          string
		code          citewell.Code
	}{
		{2, 0, -1, "Mühle und Ofen", ""}, {2, 0, 5, "Mühl", ""}, {2, 2, 6, "hle", ""}, {2, 1, 2, "", ""},
		{2, 11, 100, "Ofen", ""},
		{2, 100, 200, "", ""}, {2, -5, 1, "M", ""}, {1, 0, 1, "", citewell.CodeNotFound},
		{3, 0, 1, "", citewell.CodeNotFound}, {4, 0, 1, "", citewell.CodeStoreFailed},
	} {
		got, err := d.Text(t.Context(), result, test.n, test.start, test.end)
		if got.Text != test.want || citewell.CodeOf(err) != test.code {
			t.Errorf(
				"source %d [%d:%d) is %q, %v; want %q, %q",
				test.n,
				test.start,
				test.end,
				got.Text,
				err,
				test.want,
				test.code,
			)
		}
		if err == nil &&
			(got.Total != len("Mühle und Ofen") || got.End-got.Start != len(got.Text) || got.N != test.n ||
				got.TextSHA256 != "h") {
			t.Errorf("source %d [%d:%d) is %+v", test.n, test.start, test.end, got)
		}
	}
}

// A piece of text has at most MaxText bytes, and begins and ends with a character.
func TestSpan(t *testing.T) {
	long := strings.Repeat("x", MaxText-1) + "ü" + strings.Repeat("y", 10)
	if from, to := Span(long, 0, len(long)); from != 0 || to != MaxText-1 {
		t.Errorf("[%d, %d) of a long text; want [0, %d)", from, to, MaxText-1)
	}
	if from, to := Span(long, MaxText, len(long)); from != MaxText+1 || to != len(long) {
		t.Errorf("[%d, %d) from within a character", from, to)
	}
	if from, to := Span("", 0, 5); from != 0 || to != 0 {
		t.Errorf("[%d, %d) of nothing", from, to)
	}
}

// Checks of all desks over one store go by turns: whoever has gone while all are taken is told so.
func TestVerify(t *testing.T) {
	first := New(archive{}, nil)
	second := New(archive{}, first)
	if _, err := first.Verify(t.Context(), agent.Result{State: "running"}); citewell.CodeOf(
		err,
	) != citewell.CodeNotFound ||
		!strings.Contains(err.Error(), "running") {
		t.Errorf("a run without a report: %v", err)
	}
	for range checksAtOnce {
		leave, err := first.checks.Enter(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := second.Verify(ctx, agent.Result{Report: &citewell.Report{}}); err == nil {
		t.Error("a desk beside another checks out of its turn")
	}
}
