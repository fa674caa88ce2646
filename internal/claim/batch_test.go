package claim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

func judgeAll(t *testing.T, in io.Reader) []Judged {
	t.Helper()
	var all []Judged
	told, err := Batch(t.Context(), in, nil, func(j Judged) error { all = append(all, j); return nil })
	if err != nil || told != len(all) {
		t.Fatal(told, err)
	}
	return all
}

// The answers come in the order of the lines, whichever was judged first.
func TestBatchKeepsTheOrder(t *testing.T) {
	var in strings.Builder
	const lines = 500
	for i := range lines {
		evidence := fmt.Sprintf("The lamp burns %d litres of oil.", i)
		if i%7 == 0 {
			evidence = strings.Repeat("The ferry leaves the quay at noon. ", 300) + evidence
		}
		fmt.Fprintf(&in, "{\"id\": %d, \"claim\": \"The lamp burns %d litres of oil.\", \"evidence\": %q}\n\n", i,
			i, evidence)
	}
	for i, j := range judgeAll(t, strings.NewReader(in.String())) {
		if string(j.ID) != fmt.Sprint(i) || j.Verdict != citewell.VerdictSupported ||
			j.Quote != fmt.Sprintf("The lamp burns %d litres of oil.", i) {
			t.Fatalf("line %d: %+v", i, j)
		}
	}
}

// What is wrong with a line is said in its place, with its number, and costs no other.
func TestBatchTellsBadLines(t *testing.T) {
	const good = `{"id": "g", "claim": "It is grey.", "evidence": "It is grey."}`
	for bad, want := range map[string]string{
		`{"id": 7, "claim": "x"`:                "no JSON object",
		`[1]`:                                   "no JSON object",
		`"text"`:                                "no JSON object",
		`{"id": 7, "claim": 5, "evidence": ""}`: "claim must be a text",
		`{"id": 7, "claim": " ", "evidence": "x"}`:                             "claim is missing",
		`{"id": 7, "claim": "x"}`:                                              "evidence is missing",
		`{"id": 7, "claim": "x", "evidence": null}`:                            "evidence is missing",
		"{\"claim\": \"\xff\", \"evidence\": \"x\"}":                           "not UTF-8",
		strings.Repeat("x", MaxLine+1):                                         "longer than 8 MiB",
		`{"claim": "` + strings.Repeat("x ", MaxClaim) + `", "evidence": "x"}`: "longer than 4000 bytes",
		"\x00": "no JSON object",
		`{"claim": "x", "evidence": "y"} {"claim": 1`: "no JSON object",
	} {
		all := judgeAll(t, strings.NewReader("\xef\xbb\xbf"+good+"\n"+bad+"\r\n"+good))
		if len(all) != 3 || all[0].Verdict != citewell.VerdictSupported ||
			all[2].Verdict != citewell.VerdictSupported || all[0].Error != nil {
			t.Fatalf("%.40s: %+v", bad, all)
		}
		j := all[1]
		if j.Line != 2 || j.Error == nil || !strings.Contains(j.Error.Message, want) ||
			j.Error.Code != citewell.CodeInvalidArgument || j.Error.Hint == "" || j.Verdict != "" {
			t.Errorf("%.40s: %+v", bad, j)
		}
	}
}

// Nothing of the evidence is taken for anything but its bytes.
func TestBatchSpans(t *testing.T) {
	for _, evidence := range []string{"", "It is grey.", "It is \u202egrey.",
		strings.Repeat("é", 5000) + ". It is grey.", "  \n It is grey. \n\n It is old."} {
		line, _ := json.Marshal(map[string]string{"id": "1", "claim": "It is grey.", "evidence": evidence})
		j := judgeAll(t, strings.NewReader(string(line)))[0]
		if j.Error != nil || (j.Quote == "") != (j.Start == nil) || j.Start != nil &&
			evidence[*j.Start:*j.End] != j.Quote {
			t.Errorf("%.30q: %+v", evidence, j)
		}
		if (j.Verdict == citewell.VerdictSupported) != strings.Contains(evidence, "grey") {
			t.Errorf("%.30q: %+v", evidence, j)
		}
	}
}

// A batch ends when it is told to, also while its input says nothing, and takes in no
// more lines than it can judge.
func TestBatchEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		in, out := io.Pipe()
		first := make(chan Judged)
		ended := make(chan error)
		go func() {
			_, err := Batch(ctx, in, nil, func(j Judged) error { first <- j; return nil })
			ended <- err
		}()
		io.WriteString(out, `{"claim": "It is grey.", "evidence": "It is grey."}`+"\n")
		if j := <-first; string(j.ID) != "null" || j.Verdict != citewell.VerdictSupported {
			t.Errorf("%+v", j)
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		out.Close()
	})
	var read atomic.Int64 // the reader may go on for a moment
	endless := readerFunc(func(p []byte) (int, error) {
		read.Add(1)
		return copy(p, `{"claim": "It is grey.", "evidence": "It is grey."}`+"\n"), nil
	})
	full := errors.New("disk full")
	if told, err := Batch(t.Context(), endless, nil, func(Judged) error { return full }); told != 0 ||
		!errors.Is(err, full) || read.Load() > 100_000 {
		t.Error(told, err, read.Load())
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func FuzzBatch(f *testing.F) {
	f.Add([]byte(`{"id": 1, "claim": "The Harbour Bridge is 503 m long.", "evidence": "It is 503 m long.", "title": "Harbour Bridge"}`))
	f.Add([]byte("{\"claim\": \"\\ud800\", \"evidence\": \"\\u0000 a. b\"}\n\n{"))
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, j := range judgeAll(t, strings.NewReader(string(in))) {
			if out, err := json.Marshal(j); err != nil || !utf8.Valid(out) || (j.Error == nil) == (j.Verdict == "") {
				t.Errorf("%s %v", out, err)
			}
		}
	})
}

// A judge is asked about many lines at once, and about the one that came where no other follows.
func TestBatchAsksTheJudge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		told, ended := make(chan Judged, 3*groupOpen), make(chan error)
		var asked []int // questions, call by call
		ask := func(_ context.Context, _, _ string, about []*cite.Inquiry) ([]cite.Opinion, error) {
			opinions, n := make([]cite.Opinion, len(about)), 0
			for i, q := range about {
				if q != nil {
					n++
					opinions[i] = cite.Opinion{Verdict: citewell.VerdictSupported, Quote: q.Passages[0].Passage.Text,
						Reason: "it was read", By: "judge j"}
				}
			}
			asked = append(asked, n)
			return opinions, nil
		}
		go func() {
			_, err := Batch(t.Context(), in, ask, func(j Judged) error { told <- j; return nil })
			ended <- err
		}()
		const open = `{"id": 1, "claim": "One can see it from afar by its colour.", "evidence": "The tower is painted red, so that ships notice it."}` + "\n"
		io.WriteString(out, open)
		if j := <-told; j.Verdict != citewell.VerdictSupported || j.By != "judge j" || j.Reason != "it was read" ||
			j.Note != "" {
			t.Errorf("%+v", j)
		}
		for range groupOpen + 1 {
			io.WriteString(out, open+`{"id": 2, "claim": "It is grey.", "evidence": "It is grey."}`+"\n")
		}
		out.Close()
		if err := <-ended; err != nil || len(told) != 2*(groupOpen+1) {
			t.Error(len(told), err)
		}
		for i := range 2 * (groupOpen + 1) {
			if j := <-told; string(j.ID) != fmt.Sprint(1+i%2) || j.Verdict != citewell.VerdictSupported ||
				(j.By == "judge j") != (i%2 == 0) {
				t.Fatalf("line %d: %+v", i, j)
			}
		}
		if !slices.Equal(asked, []int{1, groupOpen, 1}) {
			t.Errorf("asked about %v", asked)
		}
	})
}
