package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/notation"
	"github.com/citewell/citewell/internal/text"
)

// verification writes what `citewell verify` needs: the stamp, and what ties each statement to the words it cites,
// folded: a line for each citation, `F2 ① PASSAGE START-END VERDICT`, with the quote where the statement does not have
// it already, and who says why where words do not say that it is supported. Statements are numbered in the order in
// which they stand: F1… the findings, D1… the disagreements, N1… the nearest passages.
func verification(w *strings.Builder, b citewell.Brief, compact bool) {
	var entries []string
	list := func(kind string, i int, said string, citations []citewell.Citation) {
		for _, c := range citations {
			entries = append(entries, entry(fmt.Sprintf("%s%d %s", kind, i+1, notation.Mark(c.N)), said, c))
		}
	}
	for i, f := range b.Findings {
		list("F", i, f.Text, f.Citations)
	}
	for i, d := range b.Disagreements {
		list("D", i, d.Text, d.Citations)
	}
	for i, near := range b.Nearest {
		list("N", i, near.Text, near.Citations)
	}
	name, rest := briefStamp(b, compact)
	appendix(w, "\n## "+verificationHeader+"\n", name, rest, entries, "")
}

// appendix writes what stands below the text of a file: the stamp, and as many of the entries as leave it no
// longer than the text. A list of references does not count: it may be another when the file is verified.
func appendix(w *strings.Builder, head, name, rest string, entries []string, below string) {
	room := w.Len() - len(head+name+rest+below) - hashLength - len(", hash ")
	above := w.String() + head
	w.Reset()
	w.WriteString(stamped(above, name, rest, folded(entries, name, room)+below))
}

// entry is the line of one citation: its passage, the bytes of the source's text, what the check
// found, and the words where the statement has others.
func entry(label, said string, c citewell.Citation) string {
	line := fmt.Sprintf("- %s %s %d-%d %s", label, within(c.Passage), c.Start, c.End, verdict(c))
	if !strings.Contains(plain(said), plain(c.Quote)) {
		line += fmt.Sprintf(" “%s”", within(c.Quote))
	}
	if standsAs(c) != citewell.VerdictSupported && plain(c.Reason) != "" {
		line += fmt.Sprintf(" (%s: %s)", within(cmp.Or(c.By, cite.ByWords)), within(c.Reason))
	}
	if c.Caveat != "" {
		line += fmt.Sprintf(" (%s)", within(c.Caveat))
	}
	return line + "\n"
}

// folded are the entries so that a reader opens them where they are wanted, in at most room bytes: of those
// that are too many it says how many there are.
func folded(entries []string, name string, room int) string {
	opens := fmt.Sprintf("\n<details><summary>%s: source, passage, bytes of its text, verdict</summary>\n\n",
		text.Count(len(entries), "citation"))
	_, id, _ := strings.Cut(name, " ")
	const closes = "\n</details>\n"
	more := func(left int) string {
		if left == 0 {
			return ""
		}
		return fmt.Sprintf("- %d more: citewell verify %s\n", left, id)
	}
	shown, size := 0, len(opens+closes)
	for shown < len(entries) && size+len(entries[shown])+len(more(len(entries)-shown-1)) <= room {
		size += len(entries[shown])
		shown++
	}
	if shown == 0 {
		return ""
	}
	return opens + strings.Join(entries[:shown], "") + more(len(entries)-shown) + closes
}
