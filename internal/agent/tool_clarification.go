package agent

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/tool"
)

type clarificationInput struct {
	Reasoning    string   `json:"reasoning" jsonschema:"why it is needed, in one or two sentences" bounds:"..200"`
	UnclearTerms []string `json:"unclear_terms" jsonschema:"1 to 3 unclear terms of 1 to 3 words" bounds:"1..3"`
	Assumptions  []string `json:"assumptions" jsonschema:"2 to 3 possible meanings, one short sentence each" bounds:"2..3"`
	Questions    []string `json:"questions" jsonschema:"1 to 3 short, direct questions" bounds:"1..3"`
}

// asked is a question with its answer: the questions are the call's result, and the
// answer follows as the user's own words.
type asked struct {
	Questions []string `json:"questions"`
	shown     string
	answer    string
}

func (a asked) Text() string    { return a.shown }
func (a asked) words() []string { return []string{a.answer} }

// maxQuestions bounds the questions that are asked at once, in bytes together: a person
// reads them, and they stand in the log of the run.
const maxQuestions = 8 << 10

func newClarification() *tool.Tool {
	return own(clarificationTool, "Ask the user", tool.Hints{ReadOnly: true},
		func(ctx context.Context, r *run, in clarificationInput) (asked, error) {
			shown := strings.Join(in.Questions, "\n")
			if len(shown) > maxQuestions {
				return asked{Questions: []string{}}, &citewell.Error{Code: citewell.CodeInvalidArgument,
					Op: clarificationTool,
					Message: fmt.Sprintf("the questions have %d bytes; at most %d are asked at once", len(shown),
						maxQuestions), Hint: "ask 1 to 3 short, direct questions"}
			}
			if r.outside { // its caller asks
				return asked{Questions: in.Questions, shown: shown}, nil
			}
			r.clarifications++
			answer, err := r.person(ctx, Question{Run: r.id, Number: r.clarifications, Questions: in.Questions,
				Text: shown, Kind: QuestionClarification})
			return asked{in.Questions, shown, answer}, err
		})
}

type answerInput struct {
	Reasoning string `json:"reasoning" jsonschema:"why this answers the user now"`
	Answer    string `json:"answer" jsonschema:"the answer, with [n] behind each fact"`
}

// newAnswer is the dialog agent's: an answer after which the conversation goes on.
func newAnswer() *tool.Tool {
	return own(answerTool, "Answer and go on", tool.Hints{ReadOnly: true},
		func(ctx context.Context, r *run, in answerInput) (asked, error) {
			v, err := r.accept(ctx, answerTool, in.Answer, false)
			if err != nil {
				return asked{Questions: []string{}}, err
			}
			answer, err := r.person(ctx, Question{Run: r.id, Questions: []string{}, Text: v.content,
				Kind: QuestionAnswer})
			return asked{[]string{}, v.content, answer}, err
		})
}

// A spoken answer, and when it came.
type spoken struct {
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

// hears asks the user, and notes the answer under a key of the journal. Meanwhile the clock stands still.
func (r *run) hears(ctx context.Context, key string, q Question) (spoken, error) {
	q.Key = cmp.Or(q.Key, r.key)
	r.question = &q
	said, err := outside(ctx, r, Call{Key: key, Kind: CallAnswer, Name: "user", Request: q.journalled()},
		func(ctx context.Context) (spoken, error) {
			r.become(runstore.RunWaiting)
			r.clock.stop()
			defer r.clock.start()
			text, err := r.o.Ask(ctx, q)
			if err != nil {
				return spoken{}, err
			}
			return spoken{text, time.Now().UTC().Truncate(time.Millisecond)}, nil
		})
	if err == nil {
		r.question = nil
		r.become(runstore.RunResearching)
	}
	return said, err
}

// person asks the user, and gives the answer as the model reads it.
func (r *run) person(ctx context.Context, q Question) (string, error) {
	said, err := r.hears(ctx, r.key+"/answer", q)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(said.Text) == "" {
		return "", &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "agent",
			Message: fmt.Sprintf("the user gave no answer to question %d", q.Number),
			Hint:    "go on with the likeliest meaning and say which it is"}
	}
	r.news = true
	r.allowFrom(said.Text)
	return r.o.Prompts.clarification(said.Text, said.At), nil
}
