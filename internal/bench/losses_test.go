package bench

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/citewell/citewell/internal/testing/benchtest"
)

// An answer is lost at the first stage that has it no more.
func TestLostAt(t *testing.T) {
	q := Posed{Text: "how deep is the Alder lake", Sort: Answerable,
		accept: []*regexp.Regexp{regexp.MustCompile(`42 metres`)}}
	const is, other = "The Alder lake is 42 metres deep.", "The lake is cold."
	for want, test := range map[Stage]struct {
		findings []string
		right    []int
		looked   Looked
	}{
		"":           {[]string{is}, []int{1}, Looked{[]string{is}, []string{is}, []string{is}}},
		LostFirst:    {[]string{other, is}, []int{2}, Looked{[]string{is}, []string{is}, []string{is}}},
		LostOrder:    {[]string{other}, nil, Looked{[]string{is}, []string{is}, []string{is}}},
		LostGate:     {nil, nil, Looked{[]string{is}, []string{is}, []string{is, other}}},
		LostSentence: {[]string{other}, nil, Looked{[]string{is}, []string{is}, []string{other}}},
		LostPassage:  {[]string{other}, nil, Looked{[]string{is}, []string{other}, []string{other}}},
		LostPage:     {nil, nil, Looked{[]string{other}, []string{other}, []string{other}}},
	} {
		got, shared := lostAt(asking{question: q, findings: test.findings, right: test.right}, test.looked)
		seen := want != LostPage && want != LostPassage && want != LostSentence
		if got != want || (shared >= 0) != seen || seen && shared != 1 {
			t.Errorf("it is lost at %q with %v of its words, want %q", got, shared, want)
		}
	}
}

// The error of calibration is the distance between what findings say and what they are worth.
func TestChanceTable(t *testing.T) {
	said := func(chance float64, right ...int) asking {
		return asking{question: Posed{Sort: Answerable}, chances: []float64{chance, 0.1}, right: right}
	}
	table := chanceTable([]asking{said(0.9, 1), said(1, 2), said(0.25), {}})
	if len(table.Rows) != 2 || table.Rows[1].Figures["right"] != 0.5 || table.Rows[1].Figures["findings"] != 2 {
		t.Fatalf("%+v", table.Rows)
	}
	// .25 of one finding says .25 too much, .95 of two says .45 too much
	if want := "error of calibration (mean distance of a band, by its findings): 0.383"; table.Notes[0] != want {
		t.Errorf("it notes %q, want %q", table.Notes[0], want)
	}
}

// A set of several folders has a library for each, and every other one is a half.
func TestFoldersOfASet(t *testing.T) {
	line := `{"id": "1", "question": "how deep?", "patterns": ["42"]}` + "\n" + `{"id": "2", "question": "how old?"}`
	dir := benchtest.Folder(t, map[string]string{"lakes.jsonl": line, "hills.jsonl": line, "rivers.jsonl": line,
		"lakes/docs/a.txt": "42", "hills/docs/a.txt": "42", "rivers/docs/a.txt": "42"})
	libraries, err := ReadAnswers(dir, "", AnswerOptions{Half: "odd"})
	if err != nil || len(libraries) != 3 {
		t.Fatalf("%+v, %v", libraries, err)
	}
	for i, want := range []struct {
		name      string
		questions int
	}{{"hills", 2}, {"lakes", 0}, {"rivers", 2}} {
		l := libraries[i]
		if l.Name != want.name || len(l.Questions) != want.questions ||
			l.Docs != filepath.Join(dir, want.name, "docs") {
			t.Errorf("%+v, want %+v", l, want)
		}
	}
}
