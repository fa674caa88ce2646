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

var (
	briefLine    = regexp.MustCompile(`^Brief ([0-9a-f]{32}), made (\S+)\.`)
	citationLine = regexp.MustCompile(`^- ([FD])(\d+) (\S+) ([0-9a-f]{32}) (\d+)-(\d+) ([a-z-]+)(?: “(.*)”)?$`)
	markedLine   = regexp.MustCompile(`^- (.*?)(?: \[([^\[\]]+)\])?(?: \([a-z, -]+\))?$`)
)

// Parse reads back a brief from Markdown with a Verification section: its query,
// findings, disagreements, gaps and sources, each statement with the citations
// that its marks and the Verification section give it. A mark that the section
// knows nothing of becomes a citation without a passage; a citation whose mark is
// not on its statement keeps number 0. Both fail a verification, as they should.
func Parse(markdown string) (citewell.Brief, error) {
	b := citewell.Brief{Schema: citewell.BriefSchema}
	type statement struct {
		text  string
		marks []int
	}
	statements := map[string]*statement{}
	count := map[string]int{}
	entries := map[string][]citewell.Citation{}
	section, topic := "", ""
	var source *citewell.Source
	topics := map[string]string{}
	for line := range strings.Lines(markdown) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "# Research: ") && b.Query == "":
			b.Query = unescape(strings.TrimPrefix(line, "# Research: "))
			continue
		case strings.HasPrefix(line, "## "):
			section, topic = strings.TrimPrefix(line, "## "), ""
			continue
		case strings.HasPrefix(line, "### "):
			topic = unescape(strings.TrimPrefix(line, "### "))
			if section == "Sources" {
				section = "extracts"
			}
			continue
		}
		switch section {
		case "Key findings", "Disagreements":
			m := markedLine.FindStringSubmatch(line)
			if m == nil || m[1] == "" {
				continue
			}
			kind := section[:1]
			if kind == "K" {
				kind = "F"
			}
			count[kind]++
			label := kind + strconv.Itoa(count[kind])
			statements[label] = &statement{text: unquote(m[1]), marks: cite.ParseMarks(m[2])}
			topics[label] = topic
		case "Gaps":
			if gap, ok := strings.CutPrefix(line, "- "); ok {
				b.Gaps = append(b.Gaps, unescape(gap))
			}
		case "Sources":
			source = parseSource(&b, source, line)
		case "Verification":
			if m := briefLine.FindStringSubmatch(line); m != nil {
				b.ID = m[1]
				b.CreatedAt, _ = time.Parse(time.RFC3339, m[2])
			} else if m := citationLine.FindStringSubmatch(line); m != nil {
				label := m[1] + m[2]
				c := citewell.Citation{Passage: m[4], Verdict: citewell.Verdict(m[7]), Quote: unescape(m[8])}
				if marks := cite.ParseMarks(m[3]); len(marks) == 1 {
					c.N = marks[0]
				}
				c.Start, _ = strconv.Atoi(m[5])
				c.End, _ = strconv.Atoi(m[6])
				entries[label] = append(entries[label], c)
			}
		}
	}
	if b.ID == "" {
		return b, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "report.parse",
			Message: "no Verification section that names a brief",
			Hint:    "save the brief with --json, or as Markdown with its Verification section"}
	}
	bind := func(label string, s *statement) []citewell.Citation {
		var citations []citewell.Citation
		for i, c := range entries[label] {
			if c.Quote == "" && i == 0 {
				c.Quote = s.text
			}
			if !slices.Contains(s.marks, c.N) {
				c.N = 0
			}
			citations = append(citations, c)
		}
		for _, n := range s.marks {
			if !slices.ContainsFunc(citations, func(c citewell.Citation) bool { return c.N == n }) {
				citations = append(citations, citewell.Citation{N: n})
			}
		}
		return citations
	}
	for i := range count["F"] {
		label := fmt.Sprintf("F%d", i+1)
		s := statements[label]
		b.Findings = append(b.Findings, citewell.Finding{Topic: topics[label], Text: s.text, Citations: bind(label, s)})
	}
	for i := range count["D"] {
		label := fmt.Sprintf("D%d", i+1)
		s := statements[label]
		b.Disagreements = append(b.Disagreements, citewell.Disagreement{Text: s.text, Citations: bind(label, s)})
	}
	return b, nil
}

// parseSource reads the three lines of a source: mark and host, title, URL.
func parseSource(b *citewell.Brief, current *citewell.Source, line string) *citewell.Source {
	mark, rest, found := strings.Cut(line, " ")
	if marks := cite.ParseMarks(mark); found && len(marks) == 1 && !strings.HasPrefix(line, " ") {
		host, _, _ := strings.Cut(rest, " [")
		b.Sources = append(b.Sources, citewell.Source{N: marks[0], Host: unescape(host)})
		return &b.Sources[len(b.Sources)-1]
	}
	text, indented := strings.CutPrefix(line, "   ")
	switch {
	case current == nil || !indented || strings.HasPrefix(text, "⚠"):
	case current.Title == "":
		current.Title = unescape(text)
	case current.URL == "":
		current.URL = text
		current.FinalURL = text
	}
	return current
}

func unquote(s string) string {
	if inner, ok := strings.CutPrefix(s, "“"); ok {
		s = strings.TrimSuffix(inner, "”")
	}
	return unescape(s)
}
