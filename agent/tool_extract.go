package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/agent/internal/door"
	"github.com/citewell/citewell/rank"
	"github.com/citewell/citewell/text"
	"github.com/citewell/citewell/tool"
	"github.com/citewell/citewell/weburl"
)

type extractInput struct {
	Reasoning string   `json:"reasoning" jsonschema:"why these pages"`
	URLs      []string `json:"urls" jsonschema:"1 to 5 URLs from search results or pages read" bounds:"1..5"`
}

type extractOutput struct {
	Pages []extractedPage `json:"pages"`

	work *extractWork
}

// An extractWork are pages on their way, and what they are read for.
type extractWork struct {
	about string
	reads []*pageRead
	pages []extractedPage
}

type extractedPage struct {
	N       int    `json:"n,omitempty"`
	Title   string `json:"title,omitempty"`
	URL     string `json:"url"`
	Text    string `json:"text,omitempty"`
	Length  int    `json:"length,omitempty"` // of the whole text, in bytes
	Problem string `json:"problem,omitempty"`
}

// newExtract admits pages: those that are read already cost nothing, and those whose
// address is from nowhere are not fetched.
func newExtract() *tool.Tool {
	return own(extractTool, "Read pages", tool.Hints{ReadOnly: true, OpenWorld: true}, func(_ context.Context, r *run, in extractInput) (extractOutput, error) {
		w := &extractWork{about: r.task + "\n" + in.Reasoning}
		for i, u := range in.URLs {
			p := &pageRead{key: fmt.Sprintf("%s/page%d", r.key, i), url: strings.TrimSpace(u)}
			known := r.sources.find(p.url)
			if known != nil {
				p.copied = known.Work
			}
			switch _, err := weburl.Parse(p.url); {
			case err != nil && !(isLocal(p.url) && known != nil):
				v := citewell.View(err)
				p.err = door.Refuse(v.Code, door.Echo(v.Message), door.Echo(v.Hint))
			case known != nil && known.read():
				p.key = ""
			case !r.mayFetch(p.url):
				p.err = door.Refuse(citewell.CodeConfirmationRequired, door.Ours("this address is in none of the user's words, search results, tools' results and pages read"),
					door.Ours("search for the page, or for another that links to it; an address is read once one of these gives it"))
			case r.usage.Fetches >= r.o.Budget.Fetches:
				p.err = door.Refuse(citewell.CodeBudgetExhausted, door.Echo(usedUp(r.o.Budget.Fetches, "fetch")), door.Text{})
			default:
				r.usage.Fetches++
			}
			w.reads = append(w.reads, p)
		}
		return extractOutput{[]extractedPage{}, w}, nil
	})
}

// Text is empty: what the model reads is made by settle.
func (o extractOutput) Text() string { return "" }

func (o extractOutput) fetch(ctx context.Context, r *run) { fetchAll(ctx, r, o.work.reads) }

// fetchAll reads pages at once; those with an error or without a key are settled.
func fetchAll(ctx context.Context, r *run, reads []*pageRead) {
	done := make(chan struct{})
	under := 0
	for _, p := range reads {
		if p.err == nil && p.key != "" {
			under++
			go func() {
				p.fetch(ctx, r)
				done <- struct{}{}
			}()
		}
	}
	for range under {
		<-done
	}
}

// failed is never needed: each page says for itself why it was not read.
func (o extractOutput) failed(r *run, err error) door.Text {
	return r.door.Error(door.Public, door.Ours("error of %s", door.Name(extractTool)), err)
}

func (o extractOutput) settle(ctx context.Context, r *run) (door.Text, error) {
	blocks := []door.Text{door.Ours("Extracted Page Content:")}
	for _, p := range o.work.reads {
		s, err := r.took(ctx, p)
		if isBroken(err) {
			return door.Text{}, err
		}
		if err != nil {
			r.incomplete = true
			page := extractedPage{URL: p.url, Problem: citewell.View(err).Message}
			number := door.Ours("not read")
			if s != nil {
				page.N, page.URL = s.N, s.URL
				number = door.Ours("[%s] not read", door.Number(s.N))
			}
			o.work.pages = append(o.work.pages, page)
			blocks = append(blocks, door.Ours("%s: %s\n%s", number, door.Echo(oneLine(p.url)), r.door.Error(wordsOf(p.url), door.Ours("error of the page"), err)))
			continue
		}
		shown := preview(s, o.work.about, r.o.Limits.ContentLimit)
		head := fmt.Sprintf("[%d] %s - %s", s.N, oneLine(s.Title), s.URL)
		if s.Date != "" {
			head += "\nDated " + s.Date
		}
		if s.Warning != "" {
			head += "\nWarning: " + s.Warning
		}
		o.work.pages = append(o.work.pages, extractedPage{N: s.N, Title: oneLine(s.Title), URL: s.URL, Text: shown, Length: len(s.doc.Text)})
		blocks = append(blocks, door.Ours("%s\n(%s of %s bytes shown)", r.door.Foreign(door.Noted, door.Ours("page %s", door.Number(s.N)), head+"\n\n"+shown),
			door.Number(min(len(shown), len(s.doc.Text))), door.Number(len(s.doc.Text))))
	}
	return door.Join(blocks), nil
}

func (o extractOutput) shown() any {
	return extractOutput{Pages: append([]extractedPage{}, o.work.pages...)}
}

// took settles a page that was fetched, and tells of it. A URL that the run did not know
// gets a number once it was read. The source is nil where it has none.
func (r *run) took(ctx context.Context, p *pageRead) (*source, error) {
	s, err := r.settleRead(ctx, p)
	if p.tried && !isBroken(err) && ctx.Err() == nil {
		e := Event{Kind: "fetch", Iteration: r.iteration, Name: p.url, Fetch: p.fetched(s)}
		if e.Number = e.Fetch.N; p.err != nil {
			e.Text = citewell.View(p.err).Message
		}
		r.told.say(e)
	}
	return s, err
}

func (r *run) settleRead(ctx context.Context, p *pageRead) (*source, error) {
	s := r.sources.find(p.url)
	if p.err == nil && s != nil && s.read() {
		return s, nil
	}
	if p.err != nil {
		if s != nil && s.former != nil && !s.settled && !isBroken(p.err) && ctx.Err() == nil { // gone since: what was read then stands
			return s, r.settleFormer(ctx, s)
		}
		if s != nil && !s.settled {
			s.failed, s.Outcome = citewell.View(p.err).Message, citewell.FetchOutcomeOf(p.err)
		}
		return s, p.err
	}
	if s == nil {
		s = r.number(oneLine(p.got.Doc.Title), p.url, "", "", nil)
	}
	if s.settled { // cited by its snippet before: what was cited stays
		return s, door.Refuse(citewell.CodeInvalidArgument, door.Ours("a report has cited this source by its snippet already"), door.Text{})
	}
	return s, r.settle(ctx, s, p.got.Page, p.got.document())
}

// preview is the part of a source's text that a model is shown: all of it, or the
// passages that say most about the subject, in the order of the text.
func preview(s *source, about string, limit int) string {
	if len(s.doc.Text) <= limit {
		return s.doc.Text
	}
	ranked := rank.Passages(about, s.passages, rank.Options{Language: text.Language(about), Languages: func(int) string { return s.doc.Language }})
	order := make([]int, 0, len(s.passages))
	for _, scored := range ranked {
		order = append(order, scored.Index)
	}
	for i := range s.passages {
		if !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	var chosen []int
	room := limit
	for _, i := range order {
		if n := len(s.passages[i].Text) + 4; n <= room {
			chosen, room = append(chosen, i), room-n
		}
	}
	if len(chosen) == 0 {
		return tool.Shorten(s.doc.Text, limit)
	}
	slices.Sort(chosen)
	var b strings.Builder
	last := -1
	for _, i := range chosen {
		switch {
		case last < 0 && i > 0:
			b.WriteString("[…]\n")
		case last >= 0 && i > last+1:
			b.WriteString("\n[…]\n")
		case last >= 0:
			b.WriteString("\n\n")
		}
		b.WriteString(s.passages[i].Text)
		last = i
	}
	return b.String()
}
