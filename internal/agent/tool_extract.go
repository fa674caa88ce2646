package agent

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent/internal/door"
	"github.com/citewell/citewell/internal/outcomes"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/internal/weburl"
)

type extractInput struct {
	Reasoning string   `json:"reasoning" jsonschema:"why these pages"`
	URLs      []string `json:"urls" jsonschema:"of search results or pages read" bounds:"1..5"`
	From      int      `json:"from,omitempty" jsonschema:"byte of the text to show from; -1: what was not shown yet" default:"-1" bounds:"-1..100000000"`
	About     string   `json:"about,omitempty" jsonschema:"a phrase, to see the passages nearest to it" bounds:"..300"`
}

type extractOutput struct {
	Pages []extractedPage `json:"pages"`

	work *extractWork
}

// An extractWork are pages on their way, and what they are read for.
type extractWork struct {
	wish  wish
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
	t := own(extractTool, "Read pages", tool.Hints{ReadOnly: true, OpenWorld: true},
		func(ctx context.Context, r *run, in extractInput) (extractOutput, error) {
			w := &extractWork{wish: wish{from: in.From, about: strings.TrimSpace(in.About),
				task: r.task + "\n" + in.Reasoning, limit: r.share(ctx, len(in.URLs))}}
			for i, u := range in.URLs {
				p := &pageRead{key: fmt.Sprintf("%s/page%d", r.key, i), url: strings.TrimSpace(u)}
				known := r.sources.find(p.url)
				if known != nil {
					p.copied = known.Work
				}
				p.named = r.readsNamed(p.url, known)
				switch _, err := weburl.Parse(p.url); {
				case err != nil && !(isLocal(p.url) && known != nil) && !p.named:
					v := citewell.View(err)
					p.err = door.Refuse(v.Code, door.Echo(v.Message), door.Echo(v.Hint))
				case known != nil && known.wasRead():
					p.key = ""
				case !p.named && !r.mayFetch(p.url):
					p.err = door.Refuse(citewell.CodeConfirmationRequired, door.Ours("this address is in none of the "+
						"user's words, search results, tools' results and pages read"),
						door.Ours("search for the page, or for another that links to it; an address is read "+
							"once one of "+
							"these gives it"))
				case r.usage.Fetches >= r.o.Budget.Fetches:
					p.err = door.Refuse(citewell.CodeBudgetExhausted, door.Echo(usedUp(r.o.Budget.Fetches, "fetch")),
						door.Text{})
				default:
					r.usage.Fetches++
				}
				w.reads = append(w.reads, p)
			}
			return extractOutput{[]extractedPage{}, w}, nil
		})
	t.Beyond = []string{"from", "about"}
	return t
}

// Text is empty: what the model reads is made by settle.
func (o extractOutput) Text() string { return "" }

func (o extractOutput) fetch(ctx context.Context, r *run) { fetchAll(ctx, r, o.work.reads) }

// fetchAll reads pages at once; those with an error or without a key are settled.
func fetchAll(ctx context.Context, r *run, reads []*pageRead) {
	var all sync.WaitGroup
	for _, p := range reads {
		if p.err == nil && p.key != "" {
			all.Go(func() { p.fetch(ctx, r) })
		}
	}
	all.Wait()
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
			blocks = append(blocks, door.Ours("%s: %s\n%s", number, door.Echo(oneLine(p.url)),
				r.door.Error(wordsOf(p.url), door.Ours("error of the page"), err)))
			continue
		}
		if toOriginal(ctx) {
			s.seen = nil
		}
		shown, note, isNew := s.show(o.work.wish)
		if toOriginal(ctx) { // SGR's tool gives the same again
			note = door.Ours("(%s of %s bytes shown)", door.Number(len(shown)), door.Number(len(s.doc.Text)))
		}
		r.news = r.news || isNew
		head := fmt.Sprintf("[%d] %s - %s", s.N, oneLine(s.Title), s.URL)
		if s.Date != "" {
			head += "\nDated " + s.Date
		}
		if s.Warning != "" {
			head += "\nWarning: " + s.Warning
		}
		o.work.pages = append(o.work.pages, extractedPage{N: s.N, Title: oneLine(s.Title), URL: s.URL, Text: shown,
			Length: len(s.doc.Text)})
		blocks = append(blocks, door.Ours("%s\n%s", r.door.Foreign(door.Noted, door.Ours("page %s", door.Number(s.N)),
			strings.TrimSpace(head+"\n\n"+shown)), note))
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
	if p.err == nil && s != nil && s.wasRead() {
		return s, nil
	}
	if p.err != nil {
		// gone since: what was read then stands
		if s != nil && s.former != nil && !s.settled && !isBroken(p.err) && ctx.Err() == nil {
			return s, r.settleFormer(ctx, s)
		}
		if s != nil && !s.settled {
			s.failed, s.Outcome = citewell.View(p.err).Message, outcomes.OfFetch(p.err)
		}
		return s, p.err
	}
	if s == nil {
		s = r.number(oneLine(p.got.Doc.Title), p.url, "", "", nil)
	}
	if s.settled { // cited by its snippet before: what was cited stays
		return s, door.Refuse(citewell.CodeInvalidArgument, door.Ours("a report has cited this source by its snippet "+
			"already"), door.Text{})
	}
	return s, r.settle(ctx, s, p.got.Page, p.got.document())
}
