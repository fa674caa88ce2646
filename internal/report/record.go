package report

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/lazyregexp"
)

// A Record is what a Markdown file is rendered from. A file that carries its record, packed in its last
// line, can be checked where no store keeps the brief or the run: rendered again, the record gives the
// same lines.
type Record struct {
	Brief   *citewell.Brief  `json:"brief,omitempty"`
	Report  *citewell.Report `json:"report,omitempty"` // of a run; one of the two is there
	Compact bool             `json:"compact,omitempty"`
}

// Empty reports whether r has neither.
func (r Record) Empty() bool { return r.Brief == nil && r.Report == nil }

// Content is the one of the two that is there.
func (r Record) Content() any {
	if r.Report != nil {
		return r.Report
	}
	return r.Brief
}

const (
	recordOpens  = "<!-- citewell:"
	recordCloses = " -->"

	maxRecord = 64 << 20 // bytes of a record, unpacked
)

// deflaters are kept, since one holds 800 KB and sixty reports may be written at once.
var deflaters = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestCompression) // the level is one there is
	return w
}}

// line is the line of a file that carries the record. Markdown does not show it.
func (r Record) line() string {
	encoded, err := json.Marshal(r)
	if err != nil {
		return "" // no value of these types is without a JSON form but a time that no calendar has
	}
	var packed bytes.Buffer
	deflate := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(deflate)
	deflate.Reset(&packed)
	deflate.Write(encoded) // a buffer takes all
	deflate.Close()
	return "\n" + recordOpens + base64.StdEncoding.EncodeToString(packed.Bytes()) + recordCloses + "\n"
}

// recordForm is a line that carries a record and nothing that a reader would see.
var recordForm = lazyregexp.New(`^` + recordOpens + `[A-Za-z0-9+/=]*` + recordCloses + `$`)

// Parse reads the stamp of a Markdown file, and its record where the file carries one. A file with
// neither, and a record that cannot be read, are invalid_argument.
func Parse(markdown string) (Stamp, Record, error) {
	s, stamped := stampOf(wordsOf(markdown))
	packed := ""
	for line := range strings.Lines(markdown) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, recordOpens) {
			packed = line // the last: a run's content may have such lines too
		}
	}
	if packed == "" {
		if !stamped {
			return s, Record{}, unreadable("the file carries neither the id and the hash of a brief or a run nor its record",
				"export it anew: citewell runs export ID -o FILE.md, or save a search as Markdown or with --json; "+
					"--record is for readers without the store")
		}
		return s, Record{}, nil
	}
	r, err := unpack(strings.TrimSuffix(strings.TrimPrefix(packed, recordOpens), recordCloses))
	if repeated := repeatedKeyError(""); errors.As(err, &repeated) {
		return s, Record{}, unreadable("in the record of the file "+repeated.Error(), "give the file as it was written")
	}
	if err != nil {
		return s, Record{}, unreadable("the record of the file cannot be read", "give the file as it was written")
	}
	if s.ID = r.id(); s.ID == "" {
		return s, Record{}, unreadable("the record of the file has no id", "give the file as it was written")
	}
	return s, r, nil
}

// id is that of the brief or the run.
func (r Record) id() string {
	if r.Report != nil {
		return r.Report.ID
	}
	return r.Brief.ID
}

func unpack(packed string) (r Record, err error) {
	inflate := flate.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed)))
	encoded, err := io.ReadAll(io.LimitReader(inflate, maxRecord+1))
	if err == nil && (len(encoded) > maxRecord || TooMany(encoded)) {
		err = io.ErrShortBuffer
	}
	if err == nil {
		err = Unrepeated(encoded)
	}
	if err == nil {
		err = json.Unmarshal(encoded, &r)
	}
	if err == nil && (r.Brief == nil) == (r.Report == nil) {
		err = io.ErrUnexpectedEOF
	}
	return r, err
}

func unreadable(message, hint string) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "report.parse", Message: message, Hint: hint}
}

// Markdown renders r as its file has it, but for the record itself.
func (r Record) Markdown() string {
	if r.Report != nil {
		return OfRun(*r.Report)
	}
	return Markdown(*r.Brief, Options{Compact: r.Compact, Verification: true})
}

// maxChanges bounds the changed lines that are told of.
const maxChanges = 5

// Changes tells which lines a file has otherwise than the record rendered again, each with what was written
// there. What programs do to a text without changing it does not count: line ends, white
// space at the end of a line, empty lines and which list marker stands there; neither
// does the record's own line, whose packing may change from version to version. The hash of the stamp is of
// the other lines: it tells of a file whose words are as they were written and whose stamp is not, and of one
// that was made anew, stamp and all.
func (r Record) Changes(file string, stamp Stamp) []cite.Problem {
	was, is := wordsOf(r.Markdown()), wordsOf(file)
	stampOf(was)
	stampOf(is)
	for len(was) > 0 && len(is) > 0 && was[0].words == is[0].words {
		was, is = was[1:], is[1:]
	}
	for len(was) > 0 && len(is) > 0 && was[len(was)-1].words == is[len(is)-1].words {
		was, is = was[:len(was)-1], is[:len(is)-1]
	}
	var problems []cite.Problem
	told := func(format string, args ...any) {
		problems = append(problems, cite.Problem{Code: cite.ProblemChanged, Message: fmt.Sprintf(format, args...)})
	}
	differing := 0
	for i := range max(len(was), len(is)) {
		switch {
		case i < len(was) && i < len(is) && was[i].words == is[i].words:
			continue
		case differing >= maxChanges:
		case i >= len(is):
			told("line %d as it was written is missing: %.200q", was[i].number, was[i].words)
		case i >= len(was):
			told("line %d was added: %.200q", is[i].number, is[i].words)
		default:
			before, after := around(was[i].words, is[i].words)
			told("line %d was written as %.200q and is %.200q", is[i].number, before, after)
		}
		differing++
	}
	switch {
	case differing > maxChanges:
		told("more lines differ than these %d", maxChanges)
	case differing == 0 && !stamp.Holds:
		told("the hash that the file names is not that of its words")
	}
	if differing > 0 && stamp.Holds {
		told("the words of the file have the hash that it names: it was made anew, or another version wrote the file")
	}
	return problems
}

// around leaves out of two lines what both begin with, but for the words just before the
// first difference.
func around(was, is string) (string, string) {
	const context = 60 // bytes
	same := 0
	for same < min(len(was), len(is)) && was[same] == is[same] {
		same++
	}
	from := same - context
	for from > 0 && was[from] != ' ' {
		from--
	}
	if from <= 0 {
		return was, is
	}
	return "…" + was[from:], "…" + is[from:]
}

// A wordsLine is a line that says something.
type wordsLine struct {
	number int // in its file, from 1
	words  string
}

func wordsOf(file string) []wordsLine {
	var lines []wordsLine
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(file, "\ufeff")) {
		number++
		line = strings.TrimRight(line, " \t\r\n")
		if rest := strings.TrimLeft(line, " "); len(rest) > 1 && (rest[0] == '*' || rest[0] == '+') && rest[1] == ' ' {
			line = line[:len(line)-len(rest)] + "-" + rest[1:]
		}
		if line != "" && !recordForm.MatchString(line) {
			lines = append(lines, wordsLine{number, line})
		}
	}
	return lines
}
