package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent/internal/door"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/rank"
)

// FreshFor is how long ago the page of a former source may have been fetched to count as read; an older one is fetched
// again when it is wanted. It is as long as a fetch keeps an answer at most without asking the server again.
const FreshFor = 24 * time.Hour

// Bounds of what the model is shown of the former sources before it asks.
const (
	formerListed = 100 // sources
	formerShown  = 3   // of which the best passages are shown
)

// A formerEntry is a former source as the journal keeps it.
type formerEntry struct {
	Source citewell.Source `json:"source"`
	Kept   *gotten         `json:"kept,omitempty"` // its text; nil where it had none
}

// goOn takes over the sources of the run that this one goes on from: by their numbers, with the addresses seen there,
// and read where their text is fresh. What the former run kept is journalled, so that this run needs it no more.
func (r *run) goOn(ctx context.Context, from func(context.Context) ([]Former, error)) error {
	kept, err := outside(ctx, r, Call{Key: "from", Kind: CallLocal, Name: "former run"},
		func(ctx context.Context) ([]formerEntry, error) {
			list, err := from(ctx)
			entries := make([]formerEntry, len(list))
			for i, f := range list {
				entries[i].Source = f.Source
				if f.Doc.Text != "" {
					got := gottenOf(f.page(), f.Doc)
					entries[i].Kept = &got
				}
			}
			return entries, err
		})
	switch {
	case isBroken(err) || ctx.Err() != nil:
		return orDone(ctx, err)
	case err != nil:
		r.reason = citewell.View(err).Message
		r.answer = "No answer: " + r.reason + "."
		return r.end(ctx, runstore.RunFailed, runstore.RunNoSources)
	}
	for i, k := range kept {
		if k.Source.N != i+1 {
			return &citewell.Error{Code: citewell.CodeStoreFailed, Op: "agent",
				Message: fmt.Sprintf("source %d of the former run has the number %d", i+1, k.Source.N)}
		}
		if err := r.takeOver(ctx, k); err != nil {
			return err
		}
	}
	if len(kept) > 0 {
		r.say(RoleUser, r.formerSources(ctx).Shown())
	}
	return nil
}

// page is what is known of the page of a former source.
func (f Former) page() citewell.Page {
	return citewell.Page{URL: f.URL, FinalURL: f.FinalURL, SHA256: f.PageSHA256, FetchedAt: f.FetchedAt,
		Outcome: f.Outcome, Archived: f.Archived}
}

// takeOver gives a former source its number, and its text where that is fresh.
func (r *run) takeOver(ctx context.Context, k formerEntry) error {
	s := r.number(k.Source.Title, k.Source.URL, k.Source.Snippet, k.Source.Date, k.Source.Work)
	if s.N != k.Source.N {
		return &citewell.Error{Code: citewell.CodeStoreFailed, Op: "agent",
			Message: fmt.Sprintf("sources %d and %d of the former run are one page", s.N, k.Source.N)}
	}
	s.Class, s.Host = k.Source.Class, k.Source.Host
	r.seen[s.key] = true
	words := k.Source.Title + "\n" + k.Source.Snippet
	if isResult(s.URL) { // the title has the model's own words
		s.whose, words = r.wordsOfFormer(k), k.Source.Snippet
	}
	r.door.Note(s.whose, words)
	if k.Kept == nil {
		return nil
	}
	// what a tool said then nobody can fetch
	stale := k.Kept.Page.FetchedAt.Before(r.began.Add(-FreshFor)) && !isResult(s.URL)
	if s.former = k.Kept; stale && s.former.Doc.Extractor != snippetExtractor {
		r.door.Note(s.whose, k.Kept.Doc.Text) // which the former answer may tell of
		for _, l := range k.Kept.Doc.Links {
			r.mark(l.URL)
		}
		return nil
	}
	return r.settleFormer(ctx, s)
}

// wordsOfFormer is whose words a former result of a tool says: those of a tool that the
// operator calls public now are public, as in the run that called it.
func (r *run) wordsOfFormer(k formerEntry) door.Source {
	if k.Kept != nil && strings.Contains(k.Kept.Doc.Text, localScheme) {
		return door.Private
	}
	if slices.ContainsFunc(r.o.Extra, func(t *tool.Tool) bool {
		return strings.HasPrefix(k.Source.URL, resultsOf(t)) && !t.SaysPrivate()
	}) {
		return door.Public
	}
	return door.Private
}

// settleFormer makes the text that a source had in the former run its text in this one.
func (r *run) settleFormer(ctx context.Context, s *source) error {
	return r.settle(ctx, s, s.former.Page, s.former.document())
}

// formerSources tells the model what the conversation has found so far: each source in a
// line, and what those say of the task that have most to do with it.
func (r *run) formerSources(ctx context.Context) door.Text {
	var list strings.Builder
	var said []citewell.Passage
	for i, s := range r.sources.list {
		if i < formerListed {
			fmt.Fprintf(&list, "[%d] %s - %s", s.N, oneLine(s.Title), s.URL)
			if s.wasRead() {
				fmt.Fprintf(&list, " (read %s)", s.FetchedAt.UTC().Format(time.DateOnly))
			}
			list.WriteString("\n")
		}
		if s.settled {
			said = append(said, s.passages...)
		}
	}
	told := []door.Text{door.Ours("The conversation has these sources so far. They keep their numbers and can be "+
		"cited; those that were read cost nothing to read again. Search only for what they do not say.\n%s",
		r.door.Foreign(door.Noted, door.Ours("sources"), strings.TrimSpace(list.String())))}
	best := map[int]bool{}
	for _, scored := range rank.Passages(r.task, said, rank.Options{Language: text.Language(r.task)}) {
		n := said[scored.Index].Source
		if len(best) == formerShown || best[n] {
			continue
		}
		best[n] = true
		s := r.sources.number(n)
		shown, note, _ := s.show(wish{from: -1, task: r.task, limit: r.share(ctx, formerShown)})
		told = append(told, door.Ours("[%s] says on the task:\n%s\n%s", door.Number(n),
			r.door.Foreign(door.Noted, door.Ours("page %s", door.Number(n)), shown), note))
	}
	return door.Join(told)
}
