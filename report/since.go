package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/weburl"
)

// Differences are what a report has that the reports before it had not.
type Differences struct {
	Findings []Found           `json:"findings"` // that the one before had not
	Figures  []Figure          `json:"figures"`  // findings of both, with other figures
	Sources  []citewell.Source `json:"sources"`  // that none before cited
	Changed  []citewell.Source `json:"changed"`  // whose text is another than when it was cited last
	Fallen   []citewell.Source `json:"fallen"`   // that were retracted, doubted or corrected since they were cited last, or are new and are
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
func Since(now citewell.Report, before []citewell.Report) Differences {
	d := Differences{Findings: []Found{}, Figures: []Figure{}, Sources: []citewell.Source{}, Changed: []citewell.Source{}, Fallen: []citewell.Source{}}
	var last []citewell.Finding
	known := map[string]citewell.Source{}
	for _, b := range slices.Backward(before) { // so that the newest has the last word
		last = b.Findings
		for _, s := range b.Sources {
			for _, key := range keysOf(s) {
				known[key] = s
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
		there := false
		for _, key := range keysOf(s) {
			if !there {
				was, there = known[key]
			}
		}
		switch {
		case !there:
			d.Sources = append(d.Sources, s)
		case was.TextSHA256 != "" && s.TextSHA256 != "" && was.TextSHA256 != s.TextSHA256:
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

// fell says whether a work stands worse than it did, when it was known at all.
func fell(now, was citewell.Source) bool {
	var before citewell.Retraction
	if was.Work != nil {
		before = was.Work.Retracted
	}
	return now.Work != nil && now.Work.Retracted != before && now.Work.Retracted != citewell.WorkStands && before.Graver(now.Work.Retracted) == now.Work.Retracted
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
}

// An Item of a section is a finding, or a source, whose title is its text.
type Item struct {
	Text    string
	Before  string            // what a finding said that has other figures now
	Sources []citewell.Source // of a finding; of a source itself
	Source  bool
}

// Sections are what differs, in the order in which a reader wants it; those with nothing are left
// out.
func (d Differences) Sections() []Section {
	var figures, findings []Item
	for _, f := range d.Figures {
		figures = append(figures, Item{Text: f.Now.Text, Before: f.Before, Sources: f.Now.Sources})
	}
	for _, f := range d.Findings {
		findings = append(findings, Item{Text: f.Text, Sources: f.Sources})
	}
	return slices.DeleteFunc([]Section{
		{"Retracted, doubted or corrected", named(d.Fallen), "retracted or doubted"},
		{"Changed figures", figures, "changed figures"},
		{"New findings", findings, "new findings"},
		{"New sources", named(d.Sources), "new sources"},
		{"Pages that changed", named(d.Changed), "changed pages"},
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
		said = append(said, fmt.Sprintf("%d %s", len(s.Items), s.word))
	}
	return strings.Join(said, ", ")
}

// Markdown is what differs, a section each, below a heading of the first order.
func (d Differences) Markdown(heading, line string) string {
	var w strings.Builder
	fmt.Fprintf(&w, "# %s\n\n%s\n", title(heading), inline(line))
	for _, s := range d.Sections() {
		fmt.Fprintf(&w, "\n## %s\n\n", s.Title)
		for _, item := range s.Items {
			w.WriteString("- " + item.markdown() + "\n")
		}
	}
	return w.String()
}

func (i Item) markdown() string {
	of := make([]string, len(i.Sources))
	for n, s := range i.Sources {
		of[n] = link(landing(s))
	}
	line := inline(i.Text) + " — " + strings.Join(of, ", ")
	if i.Before != "" {
		line += "\n  (before: " + within(i.Before) + ")"
	}
	if i.Source && i.Sources[0].Date != "" {
		line += ", " + within(i.Sources[0].Date)
	}
	if i.Source && i.Sources[0].Warning != "" {
		line += " (" + within(i.Sources[0].Warning) + ")"
	}
	return line
}
