package report

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/text"
)

// A Record is what a Markdown file is rendered from. A file that carries its record, packed in its last line, can be
// checked where no store keeps the brief or the run: rendered again, the record gives the same lines.
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

	maxPacked  = 4 << 20 // bytes of a record as a file carries it
	maxRecord  = 8 << 20 // bytes of a record, unpacked
	maxRecords = 4       // that are read of one file
)

// deflaters are kept, since one holds 800 KB and sixty reports may be written at once.
var deflaters = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestCompression) // the level is one there is
	return w
}}

// line is the line of a file that carries the record. Markdown does not show it. It is empty for a record that Parse
// would not read back, as one beyond the bounds.
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
	line := base64.StdEncoding.EncodeToString(packed.Bytes())
	if _, err := unpack(line); err != nil {
		return ""
	}
	return "\n" + recordOpens + line + recordCloses + "\n"
}

// CarriesRecord reports whether the last line of a file is a record.
func CarriesRecord(markdown string) bool {
	markdown = strings.TrimRight(markdown, "\n")
	return isRecord(markdown[strings.LastIndexByte(markdown, '\n')+1:])
}

const base64Signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="

// isRecord reports whether a line carries a record and nothing that a reader would see.
func isRecord(line string) bool {
	packed, opens := strings.CutPrefix(line, recordOpens)
	packed, closes := strings.CutSuffix(packed, recordCloses)
	return opens && closes && strings.Trim(packed, base64Signs) == ""
}

// isCutRecord reports whether the last line of a file begins a record that the file's end cuts off.
func isCutRecord(line string) bool {
	packed, opens := strings.CutPrefix(line, recordOpens)
	return opens && !strings.HasSuffix(line, recordCloses) &&
		strings.Trim(strings.TrimRight(packed, " -"), base64Signs) == ""
}

// Parse reads the stamp of a Markdown file, and its record where the file carries one. The last stamp counts, since the
// content of a run may have such lines too, and of the records the last of what the stamp names, or else the last.
// [Stamp.Beside] tells of the others, and of records that cannot be read. A file with neither a stamp nor a record that
// can be read is invalid_argument, and so is one with a record in which a key stands twice.
func Parse(markdown string) (Stamp, Record, error) {
	s, stamped := stampOf(wordsOf(markdown))
	records, unread, err := recordsOf(markdown)
	switch {
	case err != nil:
		return s, Record{}, unreadable("in the record of the file "+err.Error(), "give the file as it was written")
	case len(records) == 0 && !stamped && unread > 0:
		return s, Record{}, unreadable("the record of the file cannot be read", "give the file as it was written")
	case len(records) == 0 && !stamped:
		return s, Record{}, unreadable("the file carries neither the id and the hash of a brief or a run nor "+
			"its record",
			"export it anew: citewell runs export ID -o FILE.md, or save a search as Markdown or with --json; "+
				"--record is for readers without the store")
	}
	if last := strings.TrimRight(markdown, " \t\r\n"); isCutRecord(last[strings.LastIndexByte(last, '\n')+1:]) {
		s.Beside = append(s.Beside, "the record at the end of the file is cut off; the file was not copied whole")
		unread = max(unread-1, 0)
	}
	if unread > 0 {
		s.Beside = append(s.Beside, text.Count(unread, "comment")+" in the form of a record cannot be read")
	}
	if len(records) == 0 {
		return s, Record{}, nil
	}
	r := records[0]
	if i := slices.IndexFunc(records, func(r Record) bool { return r.id() == s.ID }); i >= 0 {
		r = records[i]
	}
	s.ID = r.id()
	if len(records) > 1 {
		told := fmt.Sprintf("the file carries %d records; one of %s is checked", len(records), s.ID)
		s.Beside = append(s.Beside, told)
	}
	return s, r, nil
}

// recordsOf reads the records of a file, the last first, and counts the comments that look like one and cannot be
// read. Of more than maxRecords comments it reads the last, and counts the others. An error means that a key stands
// twice in a record.
func recordsOf(markdown string) (records []Record, unread int, err error) {
	var packed []string
	for line := range strings.Lines(markdown) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, recordOpens) {
			continue
		}
		if len(packed) == maxRecords {
			packed, unread = packed[1:], unread+1
		}
		packed = append(packed, line)
	}
	for _, line := range slices.Backward(packed) {
		r, err := unpack(strings.TrimSuffix(strings.TrimPrefix(line, recordOpens), recordCloses))
		if repeated := repeatedKeyError(""); errors.As(err, &repeated) {
			return nil, 0, err
		}
		if err != nil || r.id() == "" {
			unread++
			continue
		}
		records = append(records, r)
	}
	return records, unread, nil
}

// id is that of the brief or the run.
func (r Record) id() string {
	if r.Report != nil {
		return r.Report.ID
	}
	return r.Brief.ID
}

// unpack reads a packed record twice as a stream, first for keys that stand twice. Each time it ends at the bounds.
func unpack(packed string) (r Record, err error) {
	if len(packed) > maxPacked {
		return r, errTooMuch
	}
	unpacked := func() io.Reader {
		decoded := base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed))
		return &bounded{from: flate.NewReader(decoded), left: maxRecord}
	}
	if err := Unrepeated(unpacked()); err != nil {
		return r, err
	}
	decoder := json.NewDecoder(unpacked())
	if err := decoder.Decode(&r); err != nil {
		return r, err
	}
	if _, err := decoder.Token(); err != io.EOF || (r.Brief == nil) == (r.Report == nil) {
		return Record{}, io.ErrUnexpectedEOF
	}
	return r, nil
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

// Changes tells which lines a file has otherwise than the record rendered again, each with what was written there. What
// programs do to a text without changing it does not count: line ends, white space at the end of a line, empty lines
// and which list marker stands there; neither does the record's own line, whose packing may change from version to
// version. The hash of the stamp is of the other lines: it tells of a file whose words are as they were written and
// whose stamp is not, and of one that was made anew, stamp and all.
func (r Record) Changes(file string, stamp Stamp) []cite.Problem {
	was, is := wordsOf(r.Markdown()), wordsOf(file)
	stampOf(was)
	stampOf(is)
	_, was, is = differing(was, is)
	var problems []cite.Problem
	told := func(format string, args ...any) {
		problems = append(problems, cite.Problem{Code: cite.ProblemChanged, Message: fmt.Sprintf(format, args...)})
	}
	changed := 0
	for i := range max(len(was), len(is)) {
		switch {
		case i < len(was) && i < len(is) && was[i].words == is[i].words:
			continue
		case changed >= maxChanges:
		case i >= len(is):
			told("line %d as it was written is missing: %.200q", was[i].number, was[i].words)
		case i >= len(was):
			told("line %d was added: %.200q", is[i].number, is[i].words)
		default:
			before, after := around(was[i].words, is[i].words)
			told("line %d was written as %.200q and is %.200q", is[i].number, before, after)
		}
		changed++
	}
	switch {
	case changed > maxChanges:
		told("more lines differ than these %d", maxChanges)
	case changed == 0 && !stamp.Holds:
		told("the hash that the file names is not that of its words")
	}
	if changed > 0 && stamp.Holds {
		told("the words of the file have the hash that it names: it was made anew, or another version wrote the file")
	}
	return problems
}

// differing leaves out what two files begin and end with alike, and counts the lines of the beginning.
func differing(was, is []wordsLine) (same int, _, _ []wordsLine) {
	for len(was) > 0 && len(is) > 0 && was[0].words == is[0].words {
		was, is, same = was[1:], is[1:], same+1
	}
	for len(was) > 0 && len(is) > 0 && was[len(was)-1].words == is[len(is)-1].words {
		was, is = was[:len(was)-1], is[:len(is)-1]
	}
	return same, was, is
}

// around leaves out of two lines what both begin with, but for the words just before the first difference.
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
		if line != "" && !isRecord(line) {
			lines = append(lines, wordsLine{number, line})
		}
	}
	if last := len(lines) - 1; last >= 0 && isCutRecord(lines[last].words) {
		return lines[:last]
	}
	return lines
}
