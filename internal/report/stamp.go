package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
)

// A Stamp is the line of a Markdown file that names the brief or the run that it was rendered from,
// by id and by the hash of the file's words, and what of the file is of the moment it was written.
type Stamp struct {
	ID      string
	Holds   bool   // the words of the file have the hash that the line names
	Compact bool   // of a brief: without extracts
	Cached  bool   // of a brief: the cache gave it
	WallMS  int64  // of a brief from the cache: the time that took
	Style   string // of the list of references, or empty
	Outcome string // of a run, which may have been another when it ended

	Beside []string // other stamps and records that the file has, each told in a few words
}

// hashLength is how many hex digits of the SHA-256 of its words a file names.
const hashLength = 32

// stampForm reads a stamp: what it is of, the id, the hash, and the rest.
var stampForm = lazyregexp.New(`^(Brief [0-9a-f]{32}|Run [A-Za-z0-9][A-Za-z0-9_.-]{0,199}), hash ([^ ,]*)(, .*)$`)

// restForms read the rest of a stamp of a brief and of a run.
var (
	inStyleForm = `(?:, references (` + strings.Join(ReferenceStyles, "|") + `))?`

	briefRest = lazyregexp.New(`^, made [^ ,]+?(, compact)?` + inStyleForm +
		`(?:, from the cache after (\d{1,12}) ms)?\. `)
	runRest = lazyregexp.New(`^, outcome ([a-z_]+)` + inStyleForm + `(?:, through the lens .*)?\. `)
)

const howToCheck = ". To check every citation again: citewell verify FILE\n"

// briefStamp is the stamp of a brief, without its hash.
func briefStamp(b citewell.Brief, compact bool) (name, rest string) {
	rest = ", made " + b.CreatedAt.UTC().Format(time.RFC3339)
	if compact {
		rest += ", compact"
	}
	rest += inStyle(b.References)
	if b.Coverage.Cache {
		rest += fmt.Sprintf(", from the cache after %d ms", b.Coverage.WallMS)
	}
	return "Brief " + b.ID, rest + howToCheck
}

// runStamp is the stamp of a run, without its hash.
func runStamp(r citewell.Report) (name, rest string) {
	rest = ", outcome " + within(r.Outcome) + inStyle(r.References)
	if r.Lens != "" {
		rest += ", through the lens " + within(r.Lens)
	}
	return "Run " + within(r.ID), rest + howToCheck
}

func inStyle(list *citewell.References) string {
	if list == nil {
		return ""
	}
	return ", references " + list.Style
}

// stamped is a file with the hash of its words in its stamp.
func stamped(above, name, rest, below string) string {
	return above + name + ", hash " + hashOf(wordsOf(above+name+rest+below)) + rest + below
}

// hashOf is the hash of what lines say.
func hashOf(lines []wordsLine) string {
	var said strings.Builder
	for _, line := range lines {
		said.WriteString(line.words + "\n")
	}
	return citewell.SHA256([]byte(said.String()))[:hashLength]
}

// stampOf reads the stamp of a file from its lines: the last, since the content of a run may have such
// lines too. It takes the hash out of that line, and reports whether there is a stamp.
func stampOf(lines []wordsLine) (s Stamp, found bool) {
	at, m := lastStamp(lines)
	if m == nil {
		return s, false
	}
	lines[at].words = m[1] + m[3]
	_, s.ID, _ = strings.Cut(m[1], " ")
	s.Holds = hashOf(lines) == m[2]
	if rest := briefRest.FindStringSubmatch(m[3]); rest != nil {
		s.Compact, s.Style, s.Cached = rest[1] != "", rest[2], rest[3] != ""
		s.WallMS, _ = strconv.ParseInt(cmp.Or(rest[3], "0"), 10, 64) // at most twelve digits
	} else if rest := runRest.FindStringSubmatch(m[3]); rest != nil {
		s.Outcome, s.Style = rest[1], rest[2]
	}
	if _, other := lastStamp(lines[:at]); other != nil {
		told := fmt.Sprintf("the file has more than one stamp, as %s; that of %s is checked", other[1], m[1])
		s.Beside = []string{told}
	}
	return s, true
}

// lastStamp finds the last line that is a stamp, and its parts as stampForm has them.
func lastStamp(lines []wordsLine) (at int, parts []string) {
	for i, line := range slices.Backward(lines) {
		if m := stampForm.FindStringSubmatch(line.words); m != nil {
			return i, m
		}
	}
	return 0, nil
}
