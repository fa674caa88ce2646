package report

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

// What stands in place of a statement that is not as it was written. It has no
// citation, so it fails every verification.
const (
	textChanged = "The text above the Verification section is not the one that the section was written for."
	notInText   = "A sentence that was checked does not stand in the text, or not there: "
)

// maxRunText bounds the text of a report that is read, in bytes; the agent takes
// reports of 200,000.
const maxRunText = 2 << 20

var (
	runIDForm     = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$`)
	runLineForm   = regexp.MustCompile(`^Run (\S+), outcome ([^,]*), text ([0-9a-f]{64})\.`)
	runLabelForm  = regexp.MustCompile(`^F([0-9]{1,5}) (.*?)“(.*)”$`)
	runSourceForm = regexp.MustCompile(`^\[([0-9]{1,3})\] (.*)$`)
	runEntryForm  = regexp.MustCompile(`^S([0-9]{1,3}) “(.*)”$`)
)

// runLines says whether a text is the report of a run: its last Verification section
// names one. The content is the model's own Markdown and may have such sections too.
func runLines(markdown string) (lines []string, verification int, ok bool) {
	if !strings.Contains(markdown, "\nRun ") {
		return nil, 0, false
	}
	lines = strings.Split(markdown, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], "\r \t")
	}
	at := lastLine(lines, "## "+verificationHeader)
	if at < 0 {
		return nil, 0, false
	}
	for _, line := range lines[at+1:] {
		if line != "" {
			return lines, at, strings.HasPrefix(line, "Run ")
		}
	}
	return nil, 0, false
}

func lastLine(lines []string, want string) int {
	for i, line := range slices.Backward(lines) {
		if line == want {
			return i
		}
	}
	return -1
}

// parseRun reads the report of a run. What a reader is shown wins: a sentence that was
// checked and does not stand in the content loses its citations, a number that stands
// with it and has no citation becomes one without a passage, and one that does not
// stand there gets number 0. Where anything above the Verification section is not as it
// was hashed, there is one statement more than was written. Somebody who writes that
// hash anew can still change what cites nothing: against that the report itself must
// be at hand, as the run keeps it.
func parseRun(lines []string, verification int) (citewell.Brief, error) {
	p := runParser{urls: map[int]string{}}
	p.b = citewell.Brief{Schema: citewell.BriefSchema}
	p.b.Coverage.Synthesis = citewell.SynthesisReport{Mode: citewell.SynthesisModel, Outcome: "ok"}
	head := lines[:verification]
	begin := slices.IndexFunc(head, func(line string) bool { return line == "#" || strings.HasPrefix(line, "# ") })
	sourcesAt := lastLine(head, "## "+sourcesHeader)
	if begin < 0 || sourcesAt < begin {
		return citewell.Brief{}, unreadable("the report of a run has a title and a list of sources, and this has not", "give the file as the run wrote it")
	}
	content := p.content(head[begin+1 : sourcesAt])
	if len(content) > maxRunText {
		return citewell.Brief{}, unreadable(fmt.Sprintf("the text of the report has %d bytes; at most %d are read", len(content), maxRunText), "")
	}
	p.text = readContent(content)
	p.b.Unproven = len(remarkWords.FindAllString(content, -1))
	for _, line := range head[sourcesAt+1:] {
		p.source(line)
	}
	for _, line := range lines[verification+1:] {
		if strings.HasPrefix(line, "## ") || line == notVerifiedHeader {
			break
		}
		p.line(line)
	}
	if !runIDForm.MatchString(p.b.ID) {
		return citewell.Brief{}, unreadable("the Verification section names no run, or has not the hash of the text", "give the file as the run wrote it")
	}
	p.finish()
	if p.sum != sumOf(head[begin:]) {
		p.stray(textChanged)
	}
	return p.b, nil
}

// A runParser holds what has been read so far of a run's report.
type runParser struct {
	b       citewell.Brief
	text    *runText
	sum     string
	urls    map[int]string // of sources, as they really are
	lines   []string       // of sources, without their numbers
	open    bool           // a sentence was read, and its citations come
	shown   shownMarks     // with it, in the content
	told    []int          // what its line says is shown
	unread  []int          // numbers that are said to have no citation
	problem string
}

// content takes the time and the rule off the text between title and sources.
func (p *runParser) content(lines []string) string {
	for i, line := range lines {
		if line == "" {
			continue
		}
		if made, ok := strings.CutPrefix(line, createdLine); ok {
			p.b.CreatedAt, _ = time.Parse(time.DateTime, strings.TrimSuffix(made, "*")) // no citation hangs on it
			lines = lines[i+1:]
		}
		break
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) > 0 && lines[len(lines)-1] == "---" {
		lines = lines[:len(lines)-1]
	}
	return strings.Join(lines, "\n")
}

// source reads a line of the list of sources: [N] TITLE - URL. What follows is a
// warning.
func (p *runParser) source(line string) {
	m := runSourceForm.FindStringSubmatch(line)
	if m == nil {
		return
	}
	n, _ := strconv.Atoi(m[1]) // digits, and few
	p.b.Sources, p.lines = append(p.b.Sources, citewell.Source{N: n}), append(p.lines, m[2])
}

// line reads a line of the Verification section.
func (p *runParser) line(line string) {
	if m := runLineForm.FindStringSubmatch(line); m != nil {
		p.b.ID, p.sum = unescape(m[1]), m[3]
		return
	}
	if task, ok := strings.CutPrefix(line, taskLine); ok && p.b.Query == "" {
		p.b.Query = unescape(strings.TrimSuffix(strings.TrimPrefix(task, "“"), "”"))
		return
	}
	if m := runLabelForm.FindStringSubmatch(line); m != nil && !strings.HasPrefix(line, "- ") {
		p.close()
		p.sentence(m[1], m[2], unescape(m[3]))
		return
	}
	if why, ok := strings.CutPrefix(line, "  "); ok && p.open {
		f := &p.b.Findings[len(p.b.Findings)-1]
		if n := len(f.Citations); n > 0 {
			judge, reason, _ := strings.Cut(why, ": ")
			f.Citations[n-1].Judge, f.Citations[n-1].Reason = unescape(judge), unescape(reason)
		}
		return
	}
	entry := bullet(line)
	if m := runEntryForm.FindStringSubmatch(entry); m != nil {
		n, _ := strconv.Atoi(m[1]) // digits, and few
		if url, err := strconv.Unquote(unescape(m[2])); err == nil {
			p.urls[n] = url
		}
		return
	}
	if entry != line {
		p.citation(entry)
	}
}

// sentence reads the line of a sentence that was checked: its label, the numbers that
// are shown with it, or that it is there in other words, and its text.
func (p *runParser) sentence(number, shown, said string) {
	p.open, p.problem, p.unread, p.told = true, "", nil, cite.ParseMarks(shown)
	p.b.Findings = append(p.b.Findings, citewell.Finding{Text: said})
	var found bool
	p.shown, found = p.text.next(said)
	p.b.Findings[len(p.b.Findings)-1].Problem = p.shown.problem
	if !found || strings.TrimSpace(shown) == inOtherWords || number != strconv.Itoa(len(p.b.Findings)) {
		p.problem = notInText
	}
}

// citation reads a line below a sentence.
func (p *runParser) citation(line string) {
	if !p.open {
		p.stray(notInText + line)
		return
	}
	f := &p.b.Findings[len(p.b.Findings)-1]
	label, e := parseEntry(line)
	c := e.citation
	if !e.quoted {
		c.Quote = f.Text
	}
	if label != fmt.Sprintf("F%d", len(p.b.Findings)) {
		c.N = 0
	}
	if strings.HasSuffix(line, "] "+noWordsKept) {
		p.unread = append(p.unread, c.N)
		return
	}
	f.Citations = append(f.Citations, c)
}

// close ends a sentence: its citations are held against the numbers that are shown.
func (p *runParser) close() {
	if !p.open {
		return
	}
	p.open = false
	f := &p.b.Findings[len(p.b.Findings)-1]
	if p.problem != "" {
		f.Text, f.Citations = p.problem+f.Text, nil
		return
	}
	cited := map[int]bool{}
	for i := range f.Citations {
		c := &f.Citations[i]
		cited[c.N] = true
		gone := slices.Contains(p.told, c.N) && !p.shown.has(c.N)
		if another := len(p.shown.own) > 0 && !p.shown.has(c.N); gone || another {
			c.N = 0
		}
	}
	for _, n := range p.shown.all() {
		added := !slices.Contains(p.told, n)
		if unborne := slices.Contains(p.shown.own, n) && !slices.Contains(p.unread, n); !cited[n] && (added || unborne) {
			f.Citations = append(f.Citations, citewell.Citation{N: n})
		}
	}
}

// finish gives each source its title and URL.
func (p *runParser) finish() {
	p.close()
	for i := range p.b.Sources {
		s := &p.b.Sources[i]
		line := p.lines[i]
		cutAt := strings.LastIndex(line, " - ")
		url := missingURL
		if exact, known := p.urls[s.N]; known && strings.HasSuffix(line, " - "+link(exact)) {
			url, cutAt = exact, len(line)-len(" - "+link(exact))
		} else if cutAt >= 0 {
			url = orElse(parseLink(line[cutAt+len(" - "):]), missingURL)
		}
		if s.Title = unescape(line[:max(0, cutAt)]); s.Title == untitled {
			s.Title = ""
		}
		s.URL, s.FinalURL = url, url
	}
}

func (p *runParser) stray(text string) {
	p.b.Findings = append(p.b.Findings, citewell.Finding{Text: text})
}
