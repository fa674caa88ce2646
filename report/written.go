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
	"github.com/citewell/citewell/text"
)

// A Written is what a Markdown file was rendered from. The file carries it in its last
// line, so that the file can be checked where no store has it: rendered again, it gives
// the same lines.
type Written struct {
	Brief   *citewell.Brief  `json:"brief,omitempty"`
	Report  *citewell.Report `json:"report,omitempty"` // of a run; one of the two is there
	Compact bool             `json:"compact,omitempty"`
}

// Empty says whether w has neither.
func (w Written) Empty() bool { return w.Brief == nil && w.Report == nil }

// Content is the one of the two that is there.
func (w Written) Content() any {
	if w.Report != nil {
		return w.Report
	}
	return w.Brief
}

const (
	dataOpens  = "<!-- citewell:"
	dataCloses = " -->"

	maxWritten = 64 << 20 // bytes of what a file was written from, unpacked
)

// deflaters are kept, since one holds 800 KB and sixty reports may be written at once.
var deflaters = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestCompression) // the level is one there is
	return w
}}

// dataLine is the line of a file that holds w, packed. Nobody reads it, and Markdown
// does not show it.
func dataLine(w Written) string {
	encoded, err := json.Marshal(w)
	if err != nil {
		return "" // no value of these types is without a JSON form but a time that no calendar has
	}
	var packed bytes.Buffer
	deflate := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(deflate)
	deflate.Reset(&packed)
	deflate.Write(encoded) // a buffer takes all
	deflate.Close()
	return "\n" + dataOpens + base64.StdEncoding.EncodeToString(packed.Bytes()) + dataCloses + "\n"
}

// namedForm is the line of a Verification section that names its brief or run.
var namedForm = lazyregexp.New(`^(?:Brief ([0-9a-f]{32}), made |Run ([A-Za-z0-9][A-Za-z0-9_.-]{0,199}), outcome )`)

// dataForm is a data line and nothing else that a reader would see.
var dataForm = lazyregexp.New(`^` + dataOpens + `[A-Za-z0-9+/=]*` + dataCloses + `$`)

// Parse reads what a Markdown file was written from, and the id of that brief or run. A
// file that carries no data has the id alone that its Verification section names; the
// store that keeps the brief or run knows the rest. Other text is invalid_argument, and so
// is data that cannot be read.
func Parse(markdown string) (id string, w Written, err error) {
	data := ""
	for line := range strings.Lines(markdown) {
		line = strings.TrimSpace(line)
		if m := namedForm.FindStringSubmatch(line); m != nil {
			id = m[1] + m[2]
		}
		if strings.HasPrefix(line, dataOpens) {
			data = line
		}
	}
	if data != "" { // the last: a run's content may have such lines too
		packed := strings.TrimSuffix(strings.TrimPrefix(data, dataOpens), dataCloses)
		w, err = unpack(packed)
		if repeated := repeatedKeyError(""); errors.As(err, &repeated) {
			return "", Written{}, unreadable("in the data of the Verification section "+repeated.Error(), "give the file as it was written")
		}
		if err != nil {
			return "", Written{}, unreadable("the data of the Verification section cannot be read", "give the file as it was written")
		}
	}
	switch {
	case w.Report != nil:
		id = w.Report.ID
	case w.Brief != nil:
		id = w.Brief.ID
	}
	if id == "" {
		return "", Written{}, unreadable("no Verification section that names a brief or a run",
			"save the brief with --json, or as Markdown with its Verification section")
	}
	return id, w, nil
}

func unpack(packed string) (w Written, err error) {
	inflate := flate.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed)))
	encoded, err := io.ReadAll(io.LimitReader(inflate, maxWritten+1))
	if err == nil && (len(encoded) > maxWritten || TooMany(encoded)) {
		err = io.ErrShortBuffer
	}
	if err == nil {
		err = Unrepeated(encoded)
	}
	if err == nil {
		err = json.Unmarshal(encoded, &w)
	}
	if err == nil && (w.Brief == nil) == (w.Report == nil) {
		err = io.ErrUnexpectedEOF
	}
	return w, err
}

func unreadable(message, hint string) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "report.parse", Message: message, Hint: hint}
}

// Markdown renders w as its file has it.
func (w Written) Markdown() string {
	if w.Report != nil {
		return OfRun(*w.Report)
	}
	return Markdown(*w.Brief, Options{Compact: w.Compact, Verification: true, Data: true})
}

// maxChanges bounds the changed lines that are told of.
const maxChanges = 5

// Changes tells which lines a file has otherwise than w, each with what was written
// there. What programs do to a text without changing it does not count: line ends, white
// space at the end of a line, empty lines and which list marker stands there; neither
// does the data itself, whose packing may change from version to version.
func (w Written) Changes(file string) []cite.Problem {
	was, is := wordsOf(w.Markdown()), wordsOf(file)
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
	if differing > maxChanges {
		told("more lines differ than these %d", maxChanges)
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
		if line != "" && !dataForm.MatchString(line) {
			lines = append(lines, wordsLine{number, line})
		}
	}
	return lines
}

// Checkable gives w in the form in which its citations are checked, and which of a
// report's checked sentences, and of their sources, do not stand in its text. What says of itself that it is
// not borne out is believed only where the text says so to its reader.
func (w Written) Checkable() (citewell.Brief, []cite.Problem) {
	if w.Report == nil {
		b := *w.Brief
		b.Findings = append([]citewell.Finding(nil), b.Findings...)
		for i := range b.Findings {
			b.Findings[i].Problem = ""
		}
		b.Unproven = 0
		return b, nil
	}
	b := w.Report.Brief()
	b.Findings = append([]citewell.Finding(nil), b.Findings...)
	var problems []cite.Problem
	marks := map[int]bool{}
	for _, mark := range runMark.FindAllString(w.Report.Content, -1) {
		for _, n := range cite.ParseMarks(mark) {
			marks[n] = true
		}
	}
	for i := range b.Findings {
		f := &b.Findings[i]
		if f.Problem != "" && !strings.Contains(w.Report.Content, citewell.Remark(f.Problem)) {
			f.Problem = ""
		}
		for _, c := range f.Citations {
			if !marks[c.N] {
				problems = append(problems, cite.Problem{Code: cite.ProblemSource, Message: fmt.Sprintf("F%d cites source %d, which the text does not", i+1, c.N)})
			}
		}
	}
	stray := strayFindings(b.Findings, withHeads(w.Report.Content))
	if len(stray) > 0 && len(strayFindings(b.Findings, w.Report.Content)) == 0 { // of a run before rows were read with their heads
		stray = nil
	}
	return b, append(problems, stray...)
}

// strayFindings tells which statements do not stand in a text, or not in their order.
func strayFindings(findings []citewell.Finding, content string) (problems []cite.Problem) {
	rest := lettersOf(content)
	for i, f := range findings {
		_, after, found := strings.Cut(rest, lettersOf(f.Text))
		if !found {
			problems = append(problems, cite.Problem{Code: cite.ProblemStatement,
				Message: fmt.Sprintf("F%d was checked and does not stand in the text, or not there: %.300q", i+1, f.Text)})
			continue
		}
		rest = after
	}
	return problems
}

// withHeads puts the names of the columns into the rows of a text's tables, as they were checked.
func withHeads(content string) string {
	lines := strings.Split(content, "\n")
	heads := cite.Heads(lines, text.CodeLines(lines))
	words := func(row string) []string {
		cells := cite.RowCells(runLink.ReplaceAllString(runMark.ReplaceAllString(runRemark.ReplaceAllString(row, ""), ""), "$1"))
		for i, cell := range cells {
			cells[i] = strings.Trim(cell, "*_`~ ")
		}
		return cells
	}
	columns, of := []string(nil), -1
	for i, head := range heads {
		if head != of && head >= 0 {
			columns, of = words(lines[head]), head
		}
		if head >= 0 && i > head+1 {
			lines[i] = cite.Row(columns, words(lines[i]), "")
		}
	}
	return strings.Join(lines, "\n")
}

const linkTarget = `\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)[^)\n]*\)`

var (
	runMark     = lazyregexp.New(`\[\d{1,4}(?:\s*,\s*\d{1,4})*\]|[①-⑳㉑-㉟㊱-㊿]`)
	runRemark   = lazyregexp.New(`\(⚠ [a-z ]{1,40}\)`)
	runLink     = lazyregexp.New(`\[([^\]\n]+)\]` + linkTarget)
	runListItem = lazyregexp.New(`(?m)^\s*(?:>\s*)*\d{1,3}[.)]\s`)
)

// lettersOf are the letters and digits of a text without its marks, remarks, the
// addresses of its links, the numbers of list items and code in blocks.
func lettersOf(s string) string {
	lines := strings.Split(s, "\n")
	for i, code := range text.CodeLines(lines) {
		if code {
			lines[i] = ""
		}
	}
	s = runListItem.ReplaceAllString(strings.ReplaceAll(strings.Join(lines, "\n"), "&lt;", "<"), "") // while a mark before it tells that it is none
	s = runLink.ReplaceAllString(runRemark.ReplaceAllString(runMark.ReplaceAllString(s, ""), ""), "$1")
	return strings.Map(func(r rune) rune {
		if letterOrDigit(r) {
			return r
		}
		return -1
	}, s)
}
