package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/sheet"
	"github.com/citewell/citewell/llm"
)

// A row that cannot be asked is named by its line, and nothing else is lost.
func TestReadQuestions(t *testing.T) {
	long := strings.Repeat("x", maxQuestion+1)
	for name, c := range map[string]struct {
		file, content string
		want          string // line:question=answer, or line!
	}{
		"SimpleQA": {"a.csv", "metadata,problem,answer\r\n\"{'a': \"\"b, c\"\"}\",\"Who, and\nwhen?\",\"A, " +
			"1\"\r\n,B?,C\r\n", "2:Who, and\nwhen?=A, 1 4:B?=C"},
		"other columns":  {"a.csv", "\ufeffAnswer,x,Question\n1,,one?\n2,,two?", "2:one?=1 3:two?=2"},
		"a quote open":   {"a.csv", "problem,answer\na?,1\n\"b?,2\nc?,3\n", "2:a?=1 3! 4:c?=3"},
		"a quote inside": {"a.csv", "problem,answer\na \"b\" c?,1\nc?,3\n", "2! 3:c?=3"},
		"too few":        {"a.csv", "problem,answer\n\n \nonly\nc?,3\n", "4! 5:c?=3"},
		"too long": {"a.csv", "problem,answer\n" + long + ",1\n" + strings.Repeat("y", maxRow) + ",2\nc?,3\n",
			"2! 3! 4:c?=3"},
		"not UTF-8": {"a.csv", "problem,answer\n\xff?,1\nc?,3\n", "2! 3:c?=3"},
		"JSON Lines": {"a.jsonl", `{"question":"a?","answer":"1","id":7}` + "\n\n{\n" +
			`{"problem":"b?","answer":"2"}` + "\n" + `{"problem":"b?","answer":2}` +
			"\n[]\n{\"question\":\"\xff\",\"answer\":\"1\"}\n" + `{"question":"c?"}`, "1:a?=1 3! 4:b?=2 5! 6! 7! 8!"},
		"told by {": {"a.txt", ` {"question":"a?","answer":"1"}`, "1:a?=1"},
	} {
		path := filepath.Join(t.TempDir(), c.file)
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		set, err := ReadQuestions(path)
		if err != nil {
			t.Fatal(name, err)
		}
		rows := map[int]string{}
		for _, q := range set.List {
			rows[q.Line] = fmt.Sprintf("%d:%s=%s", q.Line, q.Text, q.Answer)
		}
		for _, bad := range set.Bad {
			rows[bad.Line] = fmt.Sprintf("%d!", bad.Line)
		}
		var got []string
		for line := range 20 {
			if rows[line] != "" {
				got = append(got, rows[line])
			}
		}
		if strings.Join(got, " ") != c.want || len(set.SHA256) != 64 {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	path := filepath.Join(t.TempDir(), "bad.csv")
	if err := os.WriteFile(path, []byte("problem,answer\n"+strings.Repeat("x\n", maxBadRows+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadQuestions(path); citewell.CodeOf(err) != citewell.CodeInvalidArgument ||
		!strings.Contains(err.Error(), "more than 1000 rows") {
		t.Error(err)
	}
}

func FuzzReadQuestions(f *testing.F) {
	f.Add("problem,answer\n\"a\nb\",1\n\"x,\n", ".csv")
	f.Add("{\"question\":\"a\",\"answer\":\"b\"}\n{", ".jsonl")
	f.Fuzz(func(t *testing.T, content, extension string) {
		path := filepath.Join(t.TempDir(), "set.csv")
		if extension == ".jsonl" {
			path = filepath.Join(t.TempDir(), "set.jsonl")
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		set, err := ReadQuestions(path)
		if err != nil {
			return
		}
		seen, last := map[int]bool{}, strings.Count(content, "\n")+1
		for _, q := range set.List {
			if seen[q.Line] || q.Line < 1 || q.Line > last || q.Text == "" || q.Answer == "" {
				t.Fatalf("%+v of %d lines", q, last)
			}
			seen[q.Line] = true
		}
		for _, bad := range set.Bad {
			if seen[bad.Line] || bad.Line > last {
				t.Fatalf("%+v of %d lines", bad, last)
			}
			seen[bad.Line] = true
		}
	})
}

// The shares are SimpleQA's: of the published counts they are the published ones.
func TestPublishedSharesFollowFromTheCounts(t *testing.T) {
	f := publishedQA.grades.figures()
	if got := fmt.Sprintf("%.4f %.4f %.3f", f["accuracy"], f["of_attempted"], f["f1"]); got != "0.8608 0.8705 0.866" {
		t.Error(got)
	}
	if got := (tally{}).figures(); len(got) != 3 {
		t.Errorf("of nothing: %v", got)
	}
	if got := (tally{notAttempted: 2}).figures(); got["accuracy"] != 0 || len(got) != 4 {
		t.Errorf("of nothing attempted: %v", got)
	}
}

// What a text cites that is no source is found, whoever let it through.
func TestInventedCitations(t *testing.T) {
	sources := []citewell.Source{{N: 1, URL: "https://www.tides.test/a/", FinalURL: "https://tides.test/a"},
		{N: 2, URL: "http://mills.test/?b=1"}}
	for said, want := range map[string]int{
		"It is so [1], [2].": 0,
		"It is so [3].":      1,
		"See https://tides.test/a. Or (http://mills.test/?b=1)!":    0,
		"See [here](https://evil.test/x) and www.evil.test":         2,
		"See **https://tides.test/b**, not https://asked.test/1":    1,
		"The page `https://tides.test/a` and \"HTTPS://EVIL.TEST\"": 1,
	} {
		count, err := countCitations(t.Context(), nil, "What is at https://asked.test/1?",
			Attempt{Texts: []CitedText{{said, sources}}})
		if err != nil || count.Invented != want || count.Total != want || len(count.What) != want {
			t.Errorf("%s: %+v, %v", said, count, err)
		}
	}
	b := citewell.Brief{Schema: citewell.BriefSchema, ID: "b", Sources: sources,
		Findings: []citewell.Finding{{Text: "It is so.", Citations: []citewell.Citation{
			{N: 1, Passage: "minted", Quote: "It is so."}, {N: 1, Passage: "another's", Quote: "It is so."},
			{N: 1, Passage: "nobody's", Quote: "It is so."}, {N: 9, Passage: "minted", Quote: "It is so."}}}}}
	count, err := countCitations(t.Context(), ledger{"minted": "b", "another's": "c"}, "?", Attempt{Brief: &b})
	if err != nil || count.Total != 4 || count.Invented != 3 || count.Failing != 1 { // the real one has no snapshot
		t.Errorf("%+v, %v", count, err)
	}
}

// A ledger has passages by the brief that minted them, and nothing else.
type ledger map[string]string

func notFound(what string) error {
	return &citewell.Error{Code: citewell.CodeNotFound, Message: what + " is not kept"}
}

func (l ledger) Passage(_ context.Context, id string) (cite.Record, error) {
	if l[id] == "" {
		return cite.Record{}, notFound(id)
	}
	return cite.Record{Brief: l[id], Source: citewell.Source{N: 1}, Passage: citewell.Passage{ID: id, Source: 1}}, nil
}
func (ledger) Blob(context.Context, string) ([]byte, error) { return nil, notFound("blob") }
func (ledger) Brief(context.Context, string) (citewell.Brief, error) {
	return citewell.Brief{}, notFound("brief")
}

// A sayer answers with the question, and counts; a judge finds that right or says
// nothing of use.
type sayer struct{ asked, judged, fails atomic.Int32 }

func (s *sayer) contestant() Contestant {
	return Contestant{Name: "sayer", Model: "m", Archive: ledger{},
		Ask: func(_ context.Context, id, question string) (Attempt, error) {
			s.asked.Add(1)
			a := Attempt{Run: id, Answer: question, Usage: agent.Usage{
				InputTokens: 10, OutputTokens: 2, Searches: 1, ActiveMS: int64(1000 * s.asked.Load())}}
			switch question {
			case "broken":
				return a, errors.New("the disk is full")
			case "failing":
				a.Failed = &citewell.ErrorView{Code: citewell.CodeModelFailed, Message: "no"}
			}
			return a, nil
		}}
}
func (*sayer) Name() string     { return "judge" }
func (*sayer) Price() llm.Price { return llm.Price{Input: 1, Output: 10} }
func (s *sayer) Decode(_ context.Context, r llm.Request, out any) (llm.Reply, error) {
	s.judged.Add(1)
	reply := llm.Reply{InputTokens: 1000, OutputTokens: 100}
	if !strings.Contains(r.Messages[1].Content, "| given answer>>>") {
		return reply, errors.New("it is not shown the answer")
	}
	if s.fails.Load() > 0 {
		return reply, &citewell.Error{Code: citewell.CodeModelFailed, Message: "nonsense"}
	}
	return reply, json.Unmarshal([]byte(`{"grade":"correct","reason":"so it is"}`), out)
}

// A bench that was broken off goes on: only what has no answer is asked, only what has
// no grade is graded, and a line that was being written is written again.
func TestQAGoesOn(t *testing.T) {
	out := filepath.Join(t.TempDir(), "answers.jsonl")
	set := Questions{Path: "set", SHA256: "s", List: []Question{
		{Line: 2, Text: "a", Answer: "a"}, {Line: 3, Text: "failing", Answer: "b"}, {Line: 4, Text: "c", Answer: "c"}}}
	s := &sayer{}
	run := func(wantAsked, wantJudged int32, figures string, o QAOptions) sheet.Report {
		t.Helper()
		s.asked.Store(0)
		s.judged.Store(0)
		o.Out, o.Judge, o.Parallel = out, s, 1
		r, err := QA(t.Context(), set, s.contestant(), o)
		if err != nil {
			t.Fatal(err)
		}
		f := r.Tables[0].Rows[0].Figures
		if got := fmt.Sprint(f["correct"], f["incorrect"], f["failed"], f["ungraded"]); got != figures ||
			s.asked.Load() != wantAsked || s.judged.Load() != wantJudged {
			t.Errorf("%s, asked %d, judged %d; want %s, %d, %d", got, s.asked.Load(), s.judged.Load(), figures,
				wantAsked, wantJudged)
		}
		return r
	}
	s.fails.Store(1)
	run(1, 1, "0 0 0 1", QAOptions{Limit: 1})
	s.fails.Store(0)
	run(1, 1, "1 0 0 0", QAOptions{Limit: 1}) // the run is found, not made: the contestant's to see to
	run(2, 1, "2 0 1 0", QAOptions{})
	run(0, 0, "2 0 1 0", QAOptions{})
	run(1, 0, "2 0 1 0", QAOptions{Retry: true})

	whole, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	// killed while it wrote of line 4
	if err := os.WriteFile(out, []byte(strings.Join(lines[:4], "")+lines[4][:10]), 0o600); err != nil {
		t.Fatal(err)
	}
	r := run(1, 1, "2 0 1 0", QAOptions{})
	if took := r.Tables[2].Rows; took[0].Figures["tokens"] != 12 || took[1].Figures["searches"] != 3 ||
		took[2].Figures["usd"] != 0.004 {
		t.Errorf("%+v", took)
	}
	if again, err := os.ReadFile(out); err != nil || strings.Count(string(again), "\n") != 5 ||
		!strings.HasPrefix(lines[4], string(again)[len(strings.Join(lines[:4], "")):][:10]) {
		t.Errorf("%s, %v", again, err)
	}

	set.List = append(set.List, Question{Line: 5, Text: "broken", Answer: "d"})
	if _, err := QA(t.Context(), set, s.contestant(), QAOptions{Out: out, Judge: s}); err == nil ||
		!strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("a bench whose questions cannot be asked ends with %v", err)
	}
	set.SHA256 = "other"
	if _, err := QA(t.Context(), set, s.contestant(), QAOptions{
		Out: out, Judge: s}); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
		t.Error(err)
	}
}

// Without a model only words are compared.
func TestGradeByWords(t *testing.T) {
	for given, want := range map[string]Grade{"It was the 9 March, 2022 [1].": Correct,
		"It was in March 2022.": Incorrect, " - ": NotAttempted, "19 March 2022": Incorrect} {
		if got := gradeByWords(Question{Answer: "9 march 2022"}, given); got.Grade != want {
			t.Errorf("%q is %+v", given, got)
		}
	}
}

func TestPercentiles(t *testing.T) {
	var all []int64
	for i := range int64(20) {
		all = append(all, (i+1)*1000)
	}
	got := []float64{percentile(all, 50), percentile(all, 95), percentile(all[:1], 95), percentile(all[:2], 50)}
	if !reflect.DeepEqual(got, []float64{10, 19, 1, 1}) {
		t.Error(got)
	}
}
