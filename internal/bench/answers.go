package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
)

// AnswersSchema names the form of the file that keeps answers: JSON Lines, first what was asked of whom, then a Graded
// for each question as it is done. Of two with the same line the later one counts.
const AnswersSchema = "citewell.qa/1"

// A Graded is a question with its answer and what that is worth.
type Graded struct {
	Line     int                 `json:"line"` // of the set's file
	ID       string              `json:"id,omitempty"`
	Try      int                 `json:"try,omitempty"` // from 0; one more each time that a failed one was asked again
	Question string              `json:"question"`
	Target   string              `json:"target"`
	Run      string              `json:"run,omitempty"`
	Outcome  string              `json:"outcome,omitempty"`
	Given    string              `json:"given,omitempty"`
	Failed   *citewell.ErrorView `json:"failed,omitempty"` // there is nothing to grade, and this is why
	Judged   Judging             `json:"judged,omitzero"`
	// JudgeFailed is why there is no grade; one is asked for again when the bench goes on.
	JudgeFailed *citewell.ErrorView `json:"judge_failed,omitempty"`
	Usage       agent.Usage         `json:"usage"`
	Citations   CitationCount       `json:"citations"`
}

// standing is a row in a word or two.
func (g Graded) standing() string {
	switch {
	case g.Failed != nil:
		return "failed: " + string(g.Failed.Code)
	case g.JudgeFailed != nil:
		return "not graded: " + string(g.JudgeFailed.Code)
	}
	return string(g.Judged.Grade)
}

// answersHead is what a file of answers is of.
type answersHead struct {
	Schema    string `json:"schema"`
	ID        string `json:"id"` // runs are named after it
	Questions string `json:"questions_sha256"`
	By        string `json:"by"`
	Model     string `json:"model,omitempty"`
	Judge     string `json:"judge,omitempty"` // empty: graded by words
}

// An answersFile is appended to and nothing else. What it says is on disk before the next question is asked.
type answersFile struct {
	file *os.File
	head answersHead
	rows map[int]Graded
}

func answersError(path, message, hint string, err error) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "bench", Message: path + " " + message,
		Hint: hint, Err: err}
}

// openAnswers makes the file, or goes on with one that is of the same bench.
func openAnswers(path string, head answersHead) (*answersFile, error) {
	a := &answersFile{head: head, rows: map[int]Graded{}}
	raw, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, answersError(path, "cannot be read", "", err)
	}
	// a line that was being written when the process was killed says nothing
	kept := raw[:bytes.LastIndexByte(raw, '\n')+1]
	if len(kept) == 0 && len(raw) > 0 && !bytes.HasPrefix(raw, []byte(`{"schema":"`+AnswersSchema)) {
		return nil, answersError(path, "is no file of answers; it is left as it is", "name another --out", nil)
	}
	if err := a.readRows(path, kept); err != nil {
		return nil, err
	}
	if a.file, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
		return nil, &citewell.Error{Code: citewell.CodePermissionDenied, Op: "bench",
			Message: path + " cannot be written", Hint: "is there such a folder, and may it be written?", Err: err}
	}
	if err = a.file.Truncate(int64(len(kept))); err == nil && len(kept) == 0 {
		err = a.write(a.head)
	}
	if err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

// readRows takes what is there, which must be of this bench.
func (a *answersFile) readRows(path string, kept []byte) error {
	number := 0
	for line := range bytes.Lines(kept) {
		number++
		if number > 1 {
			var row Graded
			if err := json.Unmarshal(line, &row); err != nil {
				return answersError(path, fmt.Sprintf("cannot be gone on with: line %d is no answer", number),
					"name another --out", err)
			}
			a.rows[row.Line] = row
			continue
		}
		var there answersHead
		if json.Unmarshal(line, &there) != nil || there.Schema != AnswersSchema {
			return answersError(path, "is no file of answers; it is left as it is", "name another --out", nil)
		}
		wanted := a.head
		if wanted.ID = there.ID; there != wanted {
			return answersError(path, fmt.Sprintf("has the answers of another bench: by %s, model %q, judge %q%s",
				there.By, there.Model, there.Judge, differs(there, wanted)),
				"name another --out, or ask the same questions of the same agent, model and judge", nil)
		}
		a.head = there
	}
	return nil
}

func differs(there, wanted answersHead) string {
	if there.Questions != wanted.Questions {
		return ", to another file of questions"
	}
	return ""
}

// write appends one line, and returns when it is on disk.
func (a *answersFile) write(v any) error {
	line, err := json.Marshal(v)
	if err == nil {
		_, err = a.file.Write(append(line, '\n'))
	}
	if err == nil {
		err = a.file.Sync()
	}
	if err != nil {
		return &citewell.Error{Code: citewell.CodePermissionDenied, Op: "bench",
			Message: a.file.Name() + " cannot be written", Err: err}
	}
	return nil
}

func (a *answersFile) close() { _ = a.file.Close() } // every line is on disk
