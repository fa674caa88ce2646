package bench

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/dataset"
)

// A Question is one row of a set, with the answer that is right.
type Question struct {
	Line   int    // of the file, where the row begins, from 1
	ID     string // the row's own; empty where it has none
	Text   string
	Answer string
}

// A BadRow is a row that cannot be asked.
type BadRow struct {
	Line    int
	Problem string
}

// Questions are a set as its file has them.
type Questions struct {
	Path   string
	SHA256 string // of the file
	List   []Question
	Bad    []BadRow
}

// Bounds of a set.
const (
	maxQuestionFile = 64 << 20
	maxQuestion     = 10 << 10 // bytes of a question, and of its answer
	maxRow          = 256 << 10
	maxQuestions    = 100_000
	maxBadRows      = 1000
)

// ReadQuestions reads a set: CSV with the columns problem (or question) and answer, as
// SimpleQA is published, or JSON Lines with those keys and perhaps id. What else a row
// has is ignored. A row that cannot be asked is in Bad and hurts no other.
func ReadQuestions(path string) (Questions, error) {
	q := Questions{Path: path}
	raw, err := readBounded(path)
	if err != nil {
		return q, err
	}
	q.SHA256 = citewell.SHA256(raw)
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	extension := strings.ToLower(filepath.Ext(path))
	switch {
	case slices.Contains([]string{".jsonl", ".ndjson", ".json"}, extension), extension != ".csv" &&
		bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")):
		err = q.readLines(raw)
	default:
		err = q.readCSV(raw)
	}
	if err == nil && len(q.List) == 0 {
		err = errors.New("no row of it can be asked" + q.firstBad())
	}
	if err != nil {
		return q, dataset.Malformed(path, err)
	}
	return q, nil
}

func readBounded(path string) ([]byte, error) {
	file, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &citewell.Error{Code: citewell.CodeNotFound, Op: "bench", Message: path + " does not exist",
			Hint: "expected is CSV with the columns problem and answer, or JSON Lines with question and answer"}
	case err != nil:
		return nil, dataset.Malformed(path, err)
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, maxQuestionFile+1))
	if err == nil && len(raw) > maxQuestionFile {
		err = errors.New("it has more than 64 MiB")
	}
	if err != nil {
		return nil, dataset.Malformed(path, err)
	}
	return raw, nil
}

// take keeps a row, or why it cannot be asked. Its error ends the reading.
func (q *Questions) take(line int, id, question, answer string, problem error) error {
	question, answer = strings.TrimSpace(question), strings.TrimSpace(answer)
	switch {
	case problem != nil:
	case question == "" || answer == "":
		problem = errors.New("it lacks the question or the answer")
	case len(question) > maxQuestion || len(answer) > maxQuestion:
		problem = fmt.Errorf("its question or answer has more than %d bytes", maxQuestion)
	case !utf8.ValidString(question) || !utf8.ValidString(answer):
		problem = errors.New("it is not UTF-8")
	}
	if problem == nil {
		q.List = append(q.List, Question{line, id, question, answer})
	} else {
		q.Bad = append(q.Bad, BadRow{line, problem.Error()})
	}
	switch {
	case len(q.Bad) > maxBadRows:
		return fmt.Errorf("more than %d rows cannot be asked%s", maxBadRows, q.firstBad())
	case len(q.List) > maxQuestions:
		return fmt.Errorf("it has more than %d questions", maxQuestions)
	}
	return nil
}

func (q *Questions) firstBad() string {
	if len(q.Bad) == 0 {
		return ""
	}
	return fmt.Sprintf("; line %d: %s", q.Bad[0].Line, q.Bad[0].Problem)
}

// readLines reads JSON Lines.
func (q *Questions) readLines(raw []byte) error {
	line := 0
	for row := range bytes.Lines(raw) {
		line++
		if len(bytes.TrimSpace(row)) == 0 {
			continue
		}
		var one struct {
			ID                        any
			Question, Problem, Answer string
		}
		var problem error
		if len(row) > maxRow {
			problem = fmt.Errorf("it has more than %d bytes", maxRow)
		} else if !utf8.Valid(row) { // decoding would put something else in its place
			problem = errors.New("it is not UTF-8")
		} else if json.Unmarshal(row, &one) != nil {
			problem = errors.New("it is no JSON object with texts for question and answer")
		}
		one.Question = cmp.Or(one.Question, one.Problem)
		id := ""
		if one.ID != nil {
			id = fmt.Sprint(one.ID)
		}
		if err := q.take(line, id, one.Question, one.Answer, problem); err != nil {
			return err
		}
	}
	return nil
}

// readCSV reads one row after the other, each by itself: what is wrong with one, a
// quote that is never closed too, ends at the end of its line.
func (q *Questions) readCSV(raw []byte) error {
	question, answer := -1, -1
	for at, line := 0, 1; at < len(raw); {
		end := at + 1 + bytes.IndexByte(raw[at:], '\n')
		if end == at {
			end = len(raw)
		}
		if len(bytes.TrimSpace(raw[at:end])) == 0 {
			at, line = end, line+1
			continue
		}
		window := raw[at:min(at+maxRow, len(raw))]
		reader := csv.NewReader(bytes.NewReader(window))
		fields, err := reader.Read()
		read := int(reader.InputOffset())
		if err == nil && read == len(window) && at+read < len(raw) {
			err = fmt.Errorf("it has more than %d bytes", maxRow)
		}
		if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
			err = wrong.Err
		}
		switch {
		case question < 0: // the row of names
			for i, name := range fields {
				switch strings.ToLower(strings.TrimSpace(name)) {
				case "problem", "question":
					question = i
				case "answer":
					answer = i
				}
			}
			if err != nil || question < 0 || answer < 0 {
				return errors.New("its first row must name the columns problem and answer")
			}
		case err != nil:
			err = q.take(line, "", "", "", err)
			read = end - at
		case max(question, answer) >= len(fields):
			err = q.take(line, "", "", "", fmt.Errorf("it has %d columns", len(fields)))
		default:
			err = q.take(line, "", fields[question], fields[answer], nil)
		}
		if err != nil {
			return err
		}
		at, line = at+read, line+bytes.Count(raw[at:at+read], []byte("\n"))
	}
	return nil
}
