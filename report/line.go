package report

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

// A statementLine is a line of Key findings or Disagreements. Its text is still
// escaped, and in quotation marks if it is a quote.
type statementLine struct {
	topic   string
	text    string
	marks   []int
	inText  bool   // the marks stand in the text itself
	remarks bool   // of a kind that has remarks
	remark  string // as " (weak, contradicted)"
}

// parseFinding reads what findings writes: “TEXT” [MARKS] (REMARK), where a mark may
// have its pages behind it.
func parseFinding(line string) statementLine {
	s := statementLine{remarks: true}
	s.text = bullet(line)
	s.text, s.remark = cutRemark(s.text)
	s.text, s.marks, _ = cutMarks(s.text)
	return s
}

// parseDisagreement reads what disagreements writes: TEXT [MARKS], or the text
// alone where it names its sources itself.
func parseDisagreement(line string) statementLine {
	var s statementLine
	var found bool
	s.text, s.marks, found = cutMarks(bullet(line))
	s.inText = !found
	return s
}

// bullet takes the list marker off a line. Formatters like to change it.
func bullet(line string) string {
	for _, marker := range []string{"-", "*", "+"} {
		if rest, ok := strings.CutPrefix(line, marker); ok && (rest == "" || rest[0] == ' ') {
			return strings.TrimPrefix(rest, " ")
		}
	}
	return line
}

var remarkForm = regexp.MustCompile(`^\((?:[a-z]+(?:-[a-z]+)*)(?:, [a-z]+(?:-[a-z]+)*)*\)$`)

// maxRemark is longer than all verdicts together.
const maxRemark = 120

// trailingRemark finds a remark at the end of s and where it begins, with the
// space before it.
func trailingRemark(s string) (at int, ok bool) {
	if !strings.HasSuffix(s, ")") {
		return 0, false
	}
	at = strings.LastIndexByte(s, '(') - 1
	return max(at, 0), at >= 0 && len(s)-at < maxRemark && s[at] == ' ' && remarkForm.MatchString(s[at+1:])
}

func cutRemark(s string) (text, remark string) {
	if at, ok := trailingRemark(s); ok {
		return s[:at], s[at:]
	}
	return s, ""
}

var marksForm = regexp.MustCompile(` \[((?:(?:[①-⑳㉑-㉟㊱-㊿]|\[[0-9]{1,3}\])(?: ` + whereWords + `(?:, ` + whereWords + `)*(?:; )?)?)+)\]$`)

// maxMarks bounds a group of marks, in bytes.
const maxMarks = 4096

// cutMarks takes " [①③]" or " [① page 2; ③]" off the end of s. Brackets of the
// text itself are escaped, so they cannot be taken for it.
func cutMarks(s string) (text string, marks []int, found bool) {
	end := max(0, len(s)-maxMarks)
	m := marksForm.FindStringSubmatchIndex(s[end:])
	if m == nil {
		return s, nil, false
	}
	return s[:end+m[0]], cite.ParseMarks(s[end+m[2] : end+m[3]]), true
}

// An entry is a line of the Verification section. One without a quote cites the
// words of the statement.
type entry struct {
	citation citewell.Citation
	quoted   bool
}

// parseEntry reads LABEL MARK PASSAGE START-END VERDICT “QUOTE”. A field that is
// not what it should be becomes one that no verification lets pass.
func parseEntry(line string) (label string, e entry) {
	head, quote, quoted := strings.Cut(line, " “")
	e.quoted = quoted
	e.citation.Quote = unescape(strings.TrimSuffix(quote, "”"))
	fields := append(strings.SplitN(head, " ", 5), make([]string, 5)...)
	if marks := cite.ParseMarks(firstBytes(fields[1], 8)); len(marks) == 1 {
		e.citation.N = marks[0]
	}
	e.citation.Passage = unescape(fields[2])
	start, end, _ := strings.Cut(fields[3], "-")
	e.citation.Start, e.citation.End = offset(start), offset(end)
	e.citation.Verdict = citewell.Verdict(unescape(fields[4]))
	return fields[0], e
}

// offset reads a byte offset; what is none becomes -1.
func offset(s string) int {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		return -1
	}
	return int(n)
}

func firstBytes(s string, n int) string { return s[:min(n, len(s))] }

var idForm = regexp.MustCompile(`^[0-9a-f]{32}$`)

func isID(s string) bool { return idForm.MatchString(s) }
