package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

// Parse reads back what Markdown or OfRun wrote, as the brief in which its citations
// are checked; see parseRun for the report of a run. Of a brief it reads the query,
// findings, nearest passages, disagreements, gaps and sources, each statement with the citations
// that its marks and the Verification section give it.
//
// What a reader is shown wins. A mark that the section knows nothing of becomes a
// citation without a passage, a citation whose mark is not on its statement gets
// number 0, one that belongs to no statement gets an empty one, and a verdict is
// the one that the statement's remark tells. All of these fail a verification, as
// they should; so does any line among the statements that is none of ours.
func Parse(markdown string) (citewell.Brief, error) {
	if lines, at, ok := runLines(markdown); ok {
		return parseRun(lines, at)
	}
	p := parser{entries: map[string][]entry{}, urls: map[int]string{}}
	p.b.Schema = citewell.BriefSchema
	for line := range strings.Lines(markdown) {
		if err := p.line(strings.TrimRight(line, "\r\n")); err != nil {
			return citewell.Brief{}, err
		}
	}
	if p.b.ID == "" {
		return citewell.Brief{}, unreadable("no Verification section that names a brief or a run",
			"save the brief with --json, or as Markdown with its Verification section")
	}
	p.bindAll()
	return p.b, nil
}

func unreadable(message, hint string) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "report.parse", Message: message, Hint: hint}
}

// missingURL stands for the URL of a source whose lines are not all there.
const missingURL = "(missing)"

// A parser holds what has been read so far.
type parser struct {
	b             citewell.Brief
	titled        bool // the query has been read
	section       string
	topic         string
	sourceLine    int // of the source that is being read: 0 before its first
	findings      []statementLine
	disagreements []statementLine
	nearest       []statementLine
	entries       map[string][]entry // by label
	labels        []string           // of entries, in the order of the text
	last          string             // label of the entry read last
	urls          map[int]string     // of sources, as they really are
	block         []int              // the source whose quotes are read, in research
}

// line reads one line, without its end.
func (p *parser) line(line string) error {
	query, isTitle := strings.CutPrefix(line, "# Research: ")
	header, isSection := strings.CutPrefix(line, "## ")
	topic, isTopic := strings.CutPrefix(line, "###")
	switch {
	case isTitle && !p.titled:
		p.titled = true
		p.b.Query = unescape(query)
	case isSection:
		p.section, p.topic, p.sourceLine, p.block = strings.TrimSpace(header), "", 0, nil
		if rated, ok := strings.CutPrefix(p.section, confidenceHeader); ok {
			p.rate(rated)
		}
	case isTopic:
		p.topic = unescape(strings.TrimSpace(topic))
		if p.section == sourcesHeader {
			p.section = "" // the extracts
		}
	case line == "":
	case line == unanswered && len(p.findings) == 0:
		p.b.Outcome = citewell.BriefUnanswered
	case p.section == findingsHeader:
		s := parseFinding(line)
		s.topic = p.topic
		p.findings = append(p.findings, s)
	case p.section == quotesHeader:
		p.quoteLine(line)
	case p.section == nearestHeader:
		p.nearest = append(p.nearest, parseFinding(line))
	case p.section == disagreementsHeader:
		p.disagreements = append(p.disagreements, parseDisagreement(line))
	case p.section == gapsHeader:
		p.b.Gaps = append(p.b.Gaps, unescape(bullet(line)))
	case p.section == sourcesHeader:
		if !p.listedSource(line) {
			p.source(line)
		}
	case p.section == verificationHeader:
		return p.verification(line)
	}
	return nil
}

// source reads a line of a source: mark, host and tag; then title; then URL. What
// follows is a warning.
func (p *parser) source(line string) {
	mark, rest, _ := strings.Cut(line, " ")
	if numbers := cite.ParseMarks(firstBytes(mark, 8)); len(numbers) == 1 {
		host, tag, _ := strings.Cut(rest, " [")
		s := citewell.Source{N: numbers[0], Host: unescape(host)}
		if s.Host == localSource {
			s.Host = ""
		}
		var dated bool
		if s.Class, s.Date, dated = strings.Cut(unescape(strings.TrimSuffix(tag, "]")), " · "); !dated {
			s.Class, s.Date = "", s.Class
		}
		if s.Date == undated {
			s.Date = ""
		}
		p.b.Sources = append(p.b.Sources, s)
		p.sourceLine = 1
		return
	}
	if p.sourceLine == 0 {
		return
	}
	current := &p.b.Sources[len(p.b.Sources)-1]
	line = strings.TrimLeft(line, " ")
	switch p.sourceLine {
	case 1:
		if current.Title = unescape(line); current.Title == untitled {
			current.Title = ""
		}
	case 2:
		current.URL = line // as written, until all lines are read
	}
	p.sourceLine++
}

// verification reads a line of the Verification section.
func (p *parser) verification(line string) error {
	if rest, ok := strings.CutPrefix(line, "Brief "); ok {
		id, rest, _ := strings.Cut(rest, ",")
		if !isID(id) {
			return unreadable("the Verification section names no brief: its id is 32 hex digits", "")
		}
		if p.b.ID != "" && p.b.ID != id {
			return unreadable("the text holds more than one brief", "verify each in a file of its own")
		}
		p.b.ID = id
		made, _, _ := strings.Cut(strings.TrimPrefix(rest, " made "), ". ")
		p.b.CreatedAt, _ = time.Parse(time.RFC3339, made) // no citation hangs on it
		return nil
	}
	if why, ok := strings.CutPrefix(line, "  "); ok {
		p.reason(why)
		return nil
	}
	label, e := parseEntry(bullet(line))
	if number, ok := strings.CutPrefix(label, "S"); ok {
		n, nerr := strconv.Atoi(number)
		url, uerr := strconv.Unquote(e.citation.Quote)
		if nerr == nil && uerr == nil {
			p.urls[n] = url
		}
		return nil
	}
	if _, known := p.entries[label]; !known {
		p.labels = append(p.labels, label)
	}
	p.entries[label] = append(p.entries[label], e)
	p.last = label
	return nil
}

// reason reads the line below an entry: what judged, and why.
func (p *parser) reason(line string) {
	if entries := p.entries[p.last]; len(entries) > 0 {
		c := &entries[len(entries)-1].citation
		judge, reason, _ := strings.Cut(line, ": ")
		c.Judge, c.Reason = unescape(judge), unescape(reason)
	}
}

// bindAll gives each statement its citations and each source its URL.
func (p *parser) bindAll() {
	for i, s := range p.findings {
		label := fmt.Sprintf("F%d", i+1)
		text, citations := s.bind(p.entries[label])
		p.b.Findings = append(p.b.Findings, citewell.Finding{Topic: s.topic, Text: text, Citations: citations})
		delete(p.entries, label)
	}
	for i, s := range p.disagreements {
		label := fmt.Sprintf("D%d", i+1)
		text, citations := s.bind(p.entries[label])
		p.b.Disagreements = append(p.b.Disagreements, citewell.Disagreement{Text: text, Citations: citations})
		delete(p.entries, label)
	}
	for i, s := range p.nearest {
		label := fmt.Sprintf("N%d", i+1)
		text, citations := s.bind(p.entries[label])
		p.b.Nearest = append(p.b.Nearest, citewell.Nearest{Text: text, Citations: citations})
		delete(p.entries, label)
	}
	for _, label := range p.labels {
		if entries := p.entries[label]; len(entries) > 0 {
			_, citations := statementLine{}.bind(entries)
			p.b.Findings = append(p.b.Findings, citewell.Finding{Citations: citations})
		}
	}
	for i := range p.b.Sources {
		s := &p.b.Sources[i]
		exact, known := p.urls[s.N]
		switch {
		case known && link(exact) == s.URL:
			s.URL = exact
		case s.URL == "":
			s.URL = missingURL
		default:
			s.URL = parseLink(s.URL)
		}
		s.FinalURL = s.URL
	}
}

// bind gives the words of a statement and its citations.
func (s statementLine) bind(entries []entry) (text string, citations []citewell.Citation) {
	text = s.text
	if len(entries) > 0 && !entries[0].quoted {
		text = strings.TrimSuffix(strings.TrimPrefix(text, "“"), "”")
	}
	text = unescape(text)
	if s.inText && len(entries) > 0 {
		s.marks = circled(text)
	}
	known := map[int]bool{}
	for i, e := range entries {
		c := e.citation
		if i == 0 && !e.quoted {
			c.Quote = text
		}
		known[c.N] = true
		if !slices.Contains(s.marks, c.N) {
			c.N = 0
		}
		citations = append(citations, c)
	}
	if s.remarks && remark(citations) != s.remark {
		told := strings.Split(strings.Trim(s.remark, " ()"), ", ")
		for i, c := range citations {
			if s.remark == "" {
				citations[i].Verdict = citewell.VerdictSupported
			} else if !slices.Contains(told, string(c.Verdict)) {
				citations[i].Verdict = citewell.Verdict(told[0])
			}
		}
	}
	for _, n := range s.marks {
		if !known[n] {
			citations = append(citations, citewell.Citation{N: n})
		}
	}
	return text, citations
}
