package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/weburl"
)

// Differences are what a report has that the reports before it had not.
type Differences struct {
	Findings []Found           `json:"findings"` // that the one before had not
	Figures  []Figure          `json:"figures"`  // findings of both, with other figures
	Sources  []citewell.Source `json:"sources"`  // that none before cited
	Changed  []citewell.Source `json:"changed"`  // whose text is another than when it was read so last
	// that were retracted, doubted or corrected since they were cited last, or are new and are
	Fallen []citewell.Source `json:"fallen"`
}

// Found is a finding with the sources that it cites.
type Found struct {
	Text    string            `json:"text"`
	Sources []citewell.Source `json:"sources"`
}

// A Figure is a finding of two reports whose figures differ.
type Figure struct {
	Before string `json:"before"`
	Now    Found  `json:"now"`
}

// Since sets a report beside those before it, the newest first: its findings beside those of the
// newest, its sources beside those of all.
func Since(now citewell.Report, former []citewell.Report) Differences {
	d := Differences{Findings: []Found{}, Figures: []Figure{}, Sources: []citewell.Source{},
		Changed: []citewell.Source{}, Fallen: []citewell.Source{}}
	var last []citewell.Finding
	known := map[string]citewell.Source{}
	read := map[reading]string{}                // hashes of texts
	for _, b := range slices.Backward(former) { // so that the newest has the last word
		last = b.Findings
		for _, s := range b.Sources {
			for _, key := range keysOf(s) {
				known[key] = s
				if how, ok := readingOf(key, s); ok {
					read[how] = s.TextSHA256
				}
			}
		}
	}
	for _, p := range Pairs(last, now.Findings) {
		switch {
		case p.B < 0:
		case p.A < 0:
			d.Findings = append(d.Findings, foundIn(now, p.B))
		case p.Figures:
			d.Figures = append(d.Figures, Figure{last[p.A].Text, foundIn(now, p.B)})
		}
	}
	for _, s := range now.Sources {
		var was citewell.Source
		there, before := false, ""
		for _, key := range keysOf(s) {
			if !there {
				was, there = known[key]
			}
			if how, ok := readingOf(key, s); ok {
				before = cmp.Or(before, read[how])
			}
		}
		switch {
		case !there:
			d.Sources = append(d.Sources, s)
		case before != "" && before != s.TextSHA256:
			d.Changed = append(d.Changed, s)
		}
		if fell(s, was) {
			d.Fallen = append(d.Fallen, s)
		}
	}
	return d
}

// keysOf are what a source is known by: each number of the work that it is, since a preprint may
// have a DOI by the next time, and its page.
func keysOf(s citewell.Source) (keys []string) {
	if w := s.Work; w != nil {
		for _, id := range []string{w.DOI, w.ArXiv, w.PMID} {
			if id != "" {
				keys = append(keys, id)
			}
		}
	}
	return append(keys, weburl.Canonical(s.URL))
}

// A reading is how a source was read: only texts that were read in one way tell whether it changed.
type reading struct {
	key, copy string // copy is where a work or a recording was read
	basis     citewell.Basis
	by        citewell.Extractor
	outcome   citewell.FetchOutcome
}

// readingOf is how a source was read; ok is false where it was not: what a search provider says
// of it, or an archive's copy, is not its text now.
func readingOf(key string, s citewell.Source) (how reading, ok bool) {
	how = reading{key: key, basis: s.Basis, by: s.Extractor, outcome: s.Outcome}
	if hasLanding(s) {
		how.copy = weburl.Canonical(address(s))
	}
	return how, s.Outcome.Readable() && s.Extractor.ID != snippetExtractor && s.Archived.IsZero() && s.TextSHA256 != ""
}

// fell says whether a work stands worse than it did, when it was known at all.
func fell(now, was citewell.Source) bool {
	var before citewell.Retraction
	if was.Work != nil {
		before = was.Work.Retracted
	}
	return now.Work != nil && now.Work.Retracted != before && now.Work.Retracted != citewell.WorkStands &&
		before.Graver(now.Work.Retracted) == now.Work.Retracted
}

func foundIn(r citewell.Report, i int) Found {
	f := Found{Text: r.Findings[i].Text, Sources: []citewell.Source{}}
	for _, c := range r.Findings[i].Citations {
		at := slices.IndexFunc(r.Sources, func(s citewell.Source) bool { return s.N == c.N })
		if at >= 0 && !slices.ContainsFunc(f.Sources, func(s citewell.Source) bool { return s.N == c.N }) {
			f.Sources = append(f.Sources, r.Sources[at])
		}
	}
	return f
}

// A Section is what differs in one way.
type Section struct {
	Title string // a heading
	Items []Item
	word  string // of a line
	noun  bool   // that can be counted
}

// An Item of a section is a finding, or a source, whose title is its text.
type Item struct {
	Text    string
	Before  string            // what a finding said that has other figures now
	Sources []citewell.Source // of a finding; of a source itself
	Source  bool
}

// Sections are what differs, in the order in which a reader wants it; those with nothing are left out.
func (d Differences) Sections() []Section {
	var figures, findings []Item
	for _, f := range d.Figures {
		figures = append(figures, Item{Text: f.Now.Text, Before: f.Before, Sources: f.Now.Sources})
	}
	for _, f := range d.Findings {
		findings = append(findings, Item{Text: f.Text, Sources: f.Sources})
	}
	return slices.DeleteFunc([]Section{
		{"Retracted, doubted or corrected", named(d.Fallen), "retracted or doubted", false},
		{"Changed figures", figures, "changed figure", true},
		{"New findings", findings, "new finding", true},
		{"New sources", named(d.Sources), "new source", true},
		{"Pages that changed", named(d.Changed), "changed page", true},
	}, func(s Section) bool { return len(s.Items) == 0 })
}

func named(sources []citewell.Source) (items []Item) {
	for _, s := range sources {
		items = append(items, Item{Text: cmp.Or(s.Title, s.URL), Sources: []citewell.Source{s}, Source: true})
	}
	return items
}

// Words say in one line how much differs; empty is nothing.
func (d Differences) Words() string {
	var said []string
	for _, s := range d.Sections() {
		if s.noun {
			said = append(said, text.Count(len(s.Items), s.word))
			continue
		}
		said = append(said, fmt.Sprintf("%d %s", len(s.Items), s.word))
	}
	return strings.Join(said, ", ")
}

// A script is how words are written: as Markdown, or as they are.
type script struct {
	first, second              string // before headings
	title, begin, within, link func(string) string
}

var (
	inMarkdown = script{"# ", "## ", title, inline, within, link}
	inPlain    = script{"", "", plain, plain, plain, plain}
)

// Markdown is what differs, a section each, below a heading of the first order.
func (d Differences) Markdown(heading, line string) string { return d.write(inMarkdown, heading, line) }

// Text is the same as plain text.
func (d Differences) Text(heading, line string) string { return d.write(inPlain, heading, line) }

func (d Differences) write(as script, heading, line string) string {
	var w strings.Builder
	fmt.Fprintf(&w, "%s%s\n\n%s\n", as.first, as.title(heading), as.begin(line))
	for _, s := range d.Sections() {
		fmt.Fprintf(&w, "\n%s%s\n\n", as.second, s.Title)
		for _, item := range s.Items {
			w.WriteString("- " + item.written(as) + "\n")
		}
	}
	return w.String()
}

func (i Item) written(as script) string {
	of := make([]string, len(i.Sources))
	for n, s := range i.Sources {
		of[n] = as.link(landing(s))
	}
	line := as.begin(i.Text) + " — " + strings.Join(of, ", ")
	if i.Before != "" {
		line += "\n  (before: " + as.within(i.Before) + ")"
	}
	if i.Source && i.Sources[0].Date != "" {
		line += ", " + as.within(i.Sources[0].Date)
	}
	if i.Source && i.Sources[0].Warning != "" {
		line += " (" + as.within(i.Sources[0].Warning) + ")"
	}
	return line
}
