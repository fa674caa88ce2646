package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent/internal/door"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/rank"
)

// Bounds of what one call shows of a page, in bytes.
const (
	leastShown = 1500                  // as SGR's tool; an eighth of a window of 4,000 tokens
	mostShown  = tool.DefaultMaxLength // as of any other result
	gapBytes   = 32                    // that the mark of a gap takes
)

// nearestShown is how many passages a call shows that asks for a subject.
const nearestShown = 8

// share is how many bytes of each page a call of so many pages shows: Limits.ContentLimit where it is set, else an
// eighth of the model's window. Together the pages of one call have twice that, and each leastShown at least.
func (r *run) share(ctx context.Context, pages int) int {
	switch {
	case r.o.Limits.ContentLimit > 0:
		return r.o.Limits.ContentLimit
	case toOriginal(ctx):
		return leastShown
	}
	window := 0
	if r.o.Model != nil {
		window = r.o.Model.Window(ctx)
	}
	if window <= 0 {
		window = llm.AssumedWindow
	}
	page := min(window/8*bytesOfToken, mostShown)
	return max(min(page, 2*page/max(pages, 1)), leastShown)
}

// A span is a part of a text, in bytes.
type span struct{ start, end int }

// joined are parts of a text in their order; parts that only blanks stand between are one.
func joined(text string, parts []span) []span {
	parts = slices.Clone(parts)
	slices.SortFunc(parts, func(a, b span) int { return a.start - b.start })
	var all []span
	for _, p := range parts {
		last := len(all) - 1
		if last >= 0 && (p.start <= all[last].end || strings.TrimSpace(text[all[last].end:p.start]) == "") {
			all[last].end = max(all[last].end, p.end)
			continue
		}
		all = append(all, p)
	}
	return all
}

// unseen is where the first part begins that was not shown; the length of the text where nothing is left but blanks.
func (s *source) unseen() int {
	at := 0
	if len(s.seen) > 0 && strings.TrimSpace(s.doc.Text[:s.seen[0].start]) == "" {
		at = s.seen[0].end
	}
	if strings.TrimSpace(s.doc.Text[at:]) == "" {
		return len(s.doc.Text)
	}
	return at
}

// A wish is what a call wants to see of a page.
type wish struct {
	from  int    // a byte of the text; below 0 the call does not say
	about string // a phrase; empty where the call does not say
	task  string // what the page is read for, where the call says neither
	limit int    // bytes
}

// parts are those of a source's text that a wish is for. lead says how they were chosen;
// next says whether they go on where earlier calls have ended.
func (s *source) parts(w wish) (parts []span, lead door.Text) {
	whole := s.doc.Text
	piece := func(at int) []span {
		at = text.CharacterStart(whole, min(at, len(whole)))
		end := text.CharacterStart(whole, min(at+w.limit, len(whole)))
		if brk := strings.LastIndexAny(whole[at:end], "\n "); end < len(whole) && brk > (end-at)/2 {
			end = at + brk
		}
		return []span{{at, end}}
	}
	switch {
	case w.about != "":
		if parts = s.nearest(w.about, max(w.from, 0), w.limit, nearestShown, false); len(parts) > 0 {
			return parts, door.Ours("The passages nearest to what was asked for: ")
		}
		return nil, door.Ours("No passage has these words. ")
	case w.from >= 0:
		return piece(w.from), door.Text{}
	case len(s.seen) > 0 && s.unseen() == len(whole):
		return nil, door.Ours("All of the page was shown before; from or about shows a part of it again. ")
	case len(s.seen) > 0:
		return piece(s.unseen()), door.Ours("The next part: ")
	case len(whole) <= w.limit:
		return []span{{0, len(whole)}}, door.Text{}
	}
	if parts = s.nearest(w.task, 0, w.limit, len(s.passages), true); len(parts) > 0 {
		return parts, door.Ours("The passages nearest to the task: ")
	}
	return piece(0), door.Text{}
}

// nearest are the passages that say most about a subject, of those that end behind from: at
// most so many, of limit bytes together. With fill those come after them that say nothing
// about it, in the order of the text, while there is room.
func (s *source) nearest(about string, from, limit, most int, fill bool) (chosen []span) {
	var order []int
	for _, scored := range rank.Passages(about, s.passages,
		rank.Options{Language: text.Language(about), Languages: func(int) string { return s.doc.Language }}) {
		order = append(order, scored.Index)
	}
	for i := range s.passages {
		if fill && !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	for _, i := range order {
		p := s.passages[i]
		if n := len(p.Text) + gapBytes; p.End > from && n <= limit && len(chosen) < most {
			chosen, limit = append(chosen, span{p.Start, p.End}), limit-n
		}
	}
	if len(chosen) == 0 && len(order) > 0 && !fill { // longer than there is room for
		if p := s.passages[order[0]]; p.End > from {
			chosen = []span{{p.Start, p.Start + len(text.Prefix(p.Text, limit))}}
		}
	}
	return joined(s.doc.Text, chosen)
}

// show is what a model is shown of a source for a wish: the text, in which what is left out
// is marked, and what is said of it. isNew says whether some of it was not shown before.
func (s *source) show(w wish) (shown string, note door.Text, isNew bool) {
	whole := s.doc.Text
	parts, lead := s.parts(w)
	if len(parts) == 0 {
		return "", door.Ours("(%sIt has %s bytes.)", lead, door.Number(len(whole))), false
	}
	var b strings.Builder
	at, bytes := 0, 0
	for _, p := range parts {
		if p.start > at && len(parts) > 1 {
			fmt.Fprintf(&b, "\n[… bytes %d to %d …]\n", at, p.start)
		}
		b.WriteString(whole[p.start:p.end])
		at, bytes = p.end, bytes+p.end-p.start
	}
	before := covered(s.seen)
	s.seen = joined(whole, append(slices.Clone(s.seen), parts...))
	rest := door.Ours("with them all of the page was shown")
	switch {
	case bytes == len(whole):
		rest = door.Ours("the whole page")
	case s.unseen() < len(whole):
		rest = door.Ours("the same call again shows the next part, from or about another")
	}
	isNew = covered(s.seen) > before
	note = door.Ours("(%sbytes %s to %s of %s: %s)", lead, door.Number(parts[0].start), door.Number(at),
		door.Number(len(whole)), rest)
	if len(parts) > 1 {
		note = door.Ours("(%s%s bytes, from byte %s to %s of %s: %s)", lead, door.Number(bytes),
			door.Number(parts[0].start), door.Number(at), door.Number(len(whole)), rest)
	}
	return strings.TrimLeft(b.String(), "\n"), note, isNew
}

// covered is how many bytes parts have together.
func covered(parts []span) (bytes int) {
	for _, p := range parts {
		bytes += p.end - p.start
	}
	return bytes
}

// readsNamed says whether a page is an indexed file that the run has not found yet and may read since it was named.
func (r *run) readsNamed(url string, known *source) bool {
	return isLocal(url) && known == nil && r.o.Indexed != nil
}

// mustBeIndexed refuses a file that is not among the documents of the run.
func (r *run) mustBeIndexed(ctx context.Context, url string) error {
	indexed, err := r.o.Indexed(ctx, url)
	if err == nil && !indexed {
		err = &citewell.Error{Code: citewell.CodeNotFound, Op: "agent.read",
			Message: "no indexed document has this address", Hint: "search for it: its result has its address"}
	}
	return err
}

// toOriginal says whether the call's toolset keeps to SGR's contract.
func toOriginal(ctx context.Context) bool {
	set := tool.CallerOf(ctx).Toolset
	return set != nil && set.Original
}
