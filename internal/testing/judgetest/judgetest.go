// Package judgetest is a judge's model for tests that knows what is right: in the test's own process, or behind
// a modeltest.Server.
//
// Flow: request → Read → Judge.Answer → the verdicts, as JSON.
// Concurrency: a Judge is safe for many goroutines once its fields are set.
package judgetest

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"

	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/llm"
)

// A Label is the right answer to one statement. Without a quote the statement's first passage is quoted.
type Label struct {
	Statement string `json:"statement"`
	Verdict   string `json:"verdict"`
	Quote     string `json:"quote"`
	Reason    string `json:"reason"`
}

// A Judge answers by the labels that it knows and takes a statement that stands in a passage word for word for
// true; all else is not stated.
type Judge struct {
	Known  map[string]Label
	Always string // the verdict on every statement, where it is set
	Reason string // of each verdict whose label has none
}

// New returns a judge that is right of the shipped examination, which is read from a file, and of further
// statements.
func New(examination string, further ...Label) (*Judge, error) {
	file, err := os.Open(examination)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	j := &Judge{Known: map[string]Label{}}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var pair struct {
			Truth              bool
			Statement, Passage string
		}
		if err := json.Unmarshal(lines.Bytes(), &pair); err != nil {
			return nil, err
		}
		if pair.Truth {
			j.Known[pair.Statement] = Label{Verdict: "supported", Quote: pair.Passage}
		}
	}
	for _, l := range further {
		j.Known[l.Statement] = l
	}
	return j, nil
}

// A Statement is what a judge is asked about, with the text of each of its passages.
type Statement struct {
	N        int
	Text     string
	Passages []Passage
}

// A Passage is a text with its number. On the wire a text stands where its number comes first.
type Passage struct {
	N    int
	Text string
}

// Read returns the statements that a request to a judge asks about.
func Read(request string) ([]Statement, error) {
	from := strings.Index(request, `{"`)
	if from < 0 || !strings.Contains(request, `"statements":`) {
		return nil, errors.New("that is nothing to judge")
	}
	var wire struct{ Statements []Statement }
	if err := json.NewDecoder(strings.NewReader(request[from:])).Decode(&wire); err != nil {
		return nil, err
	}
	texts := map[int]string{}
	for _, s := range wire.Statements {
		for i, p := range s.Passages {
			if p.Text != "" {
				texts[p.N] = p.Text
			}
			s.Passages[i].Text = texts[p.N]
		}
	}
	return wire.Statements, nil
}

// A Verdict is the answer to one statement.
type Verdict struct {
	N       int    `json:"n"`
	Differs string `json:"differs"`
	Verdict string `json:"verdict"`
	Passage int    `json:"passage"`
	Quote   string `json:"quote"`
	Reason  string `json:"reason"`
}

// JSON returns verdicts as a judge writes them.
func JSON(verdicts []Verdict) string {
	answer, err := json.Marshal(map[string]any{"verdicts": verdicts})
	if err != nil {
		panic(err) // texts and numbers always have a form
	}
	return string(answer)
}

// Answer returns the verdicts on statements, as JSON.
func (j *Judge) Answer(statements []Statement) string {
	var verdicts []Verdict
	for _, s := range statements {
		label, known := j.Known[s.Text]
		v := Verdict{N: s.N, Verdict: cmp.Or(label.Verdict, "not_stated"), Quote: label.Quote,
			Reason: cmp.Or(label.Reason, j.Reason)}
		for i, p := range s.Passages {
			switch {
			case known && label.Quote == "" && i == 0:
				v.Passage, v.Quote = p.N, p.Text
			case known && label.Quote != "" && strings.Contains(p.Text, label.Quote):
				v.Passage = p.N
			case !known && (strings.Contains(p.Text, s.Text) || j.Always != ""):
				v.Verdict, v.Passage, v.Quote = "supported", p.N, p.Text
			}
		}
		if j.Always != "" {
			v.Verdict = j.Always
		}
		verdicts = append(verdicts, v)
	}
	return JSON(verdicts)
}

// Reply answers a request to a modeltest.Server; it is a modeltest.Script.
func (j *Judge) Reply(_ int, a modeltest.Asked) modeltest.Reply {
	statements, err := Read(a.Last())
	if err != nil {
		return modeltest.Fails(400, err.Error())
	}
	return modeltest.Says(j.Answer(statements))
}

// Name returns "wise".
func (*Judge) Name() string { return "wise" }

// Decode answers a request of the same process.
func (j *Judge) Decode(_ context.Context, r llm.Request, out any) (llm.Reply, error) {
	statements, err := Read(r.Messages[len(r.Messages)-1].Content)
	if err != nil {
		return llm.Reply{}, err
	}
	return llm.Reply{InputTokens: 100, OutputTokens: 10}, json.Unmarshal([]byte(j.Answer(statements)), out)
}
