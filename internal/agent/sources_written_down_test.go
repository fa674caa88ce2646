package agent_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/judge"
	"github.com/citewell/citewell/internal/tool"
)

// A library has whatever is said of it: what a search finds, and pages as they are, by URL.
type library struct {
	*shelf
	found []citewell.Result
	docs  map[string]func(p *citewell.Page, d *citewell.Document)
	mu    sync.Mutex     // pages are read side by side
	gone  map[string]int // how often a page cannot be read
}

func (l *library) Search(context.Context, citewell.Query) ([]citewell.Result, error) {
	return l.found, nil
}

func (l *library) Read(ctx context.Context, url string) (citewell.Page, citewell.Document, error) {
	l.mu.Lock()
	gone := l.gone[url] > 0
	if gone {
		l.gone[url]--
	}
	l.mu.Unlock()
	if gone {
		return citewell.Page{}, citewell.Document{}, &citewell.Error{
			Code: citewell.CodeHTTPStatus, Message: "the server answered 503"}
	}
	page, doc, err := l.shelf.Read(ctx, url)
	if make := l.docs[url]; make != nil {
		make(&page, &doc)
	}
	return page, doc, err
}

// What becomes of the sources of a run: what is known of them, what of them is cited, and by what.
func TestSourcesWrittenDown(t *testing.T) {
	const herons, lake, guide = "https://heron.example/count", "https://lake.example/facts",
		"https://guide.example/visit"
	over := func(found []citewell.Result, docs map[string]func(*citewell.Page, *citewell.Document),
		more func(*agent.Options, *library)) func(*agent.Options, *shelf, *script) {
		return func(o *agent.Options, s *shelf, _ *script) {
			l := &library{shelf: s, found: found, docs: docs, gone: map[string]int{}}
			o.Searcher, o.Reader = l, l
			if more != nil {
				more(o, l)
			}
		}
	}
	hit := func(url, title, snippet string) citewell.Result {
		return citewell.Result{URL: url, Title: title, Snippet: snippet}
	}
	work := func(url, snippet string, w citewell.Work) citewell.Result {
		r := hit(url, "A paper on herons", snippet)
		r.Work, r.Published = &w, "2024-05-06"
		return r
	}
	three := []citewell.Result{hit(guide, "The guide", "The hide opens at seven."),
		hit(herons, "Herons", countLine+"."), hit(lake, "The lake", sizeLine+".")}
	unread := func(o *agent.Options, _ *library) { o.Reader = unreadable{} }
	final := func(text string) []reply { return slices.Repeat([]reply{calls(finalCall(text))}, 3) }
	long := strings.Repeat("Reeds grow at the shore of it in May.\n\n", 60)
	inPassages := func(_ *citewell.Page, d *citewell.Document) {
		d.Passages, d.Text = nil, long+countLine+".\n\n"+long
		at := 0
		for part := range strings.SplitAfterSeq(d.Text, "\n\n") {
			if said := strings.TrimSpace(part); said != "" {
				d.Passages = append(d.Passages, citewell.Passage{Start: at, End: at + len(said), Text: said})
			}
			at += len(part)
		}
		d.TextSHA256 = citewell.SHA256([]byte(d.Text))
	}
	former := func(n int, url, said string, at time.Duration) agent.Former {
		f := agent.Former{Source: citewell.Source{N: n, Title: "Former", URL: url, FinalURL: url,
			FetchedAt: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(-at), Outcome: citewell.FetchOK}}
		if said != "" {
			f.TextSHA256 = citewell.SHA256([]byte(said))
			f.Doc = citewell.Document{Text: said, TextSHA256: f.TextSHA256,
				Extractor: citewell.Extractor{ID: "test", Version: 1}, Links: []citewell.Link{
					{URL: "https://linked.example/"}}, Passages: []citewell.Passage{{End: len(said), Text: said}}}
		}
		return f
	}
	from := func(list ...agent.Former) agent.Task {
		return agent.Task{From: func(context.Context) ([]agent.Former, error) { return list, nil }}
	}
	for _, test := range []tale{
		{name: "cited by a snippet and read later", replies: []reply{
			calls(searchFor("herons")), calls(reportCall(countLine + " [2].")), calls(reads(herons)),
			calls(reads(lake)), calls(finalCall(sizeLine + " [3]."))},
			options: over(three, nil, func(_ *agent.Options, l *library) { l.gone[herons] = 1 })},
		{name: "a page that comes later", replies: []reply{calls(searchFor("herons")), calls(reads(herons, lake)),
			calls(reads(herons)), calls(heronFinal)}, options: over(three, nil, func(_ *agent.Options, l *library) {
			l.gone[herons] = 1
		})},
		{name: "snippets of works", replies: append([]reply{calls(searchFor("herons"))},
			final(countLine+" [1]. "+sizeLine+" [2].")...),
			options: over([]citewell.Result{work(herons, countLine+".\u0007",
				citewell.Work{DOI: "10.1/a", Abstract: true}), work(lake, sizeLine+".", citewell.Work{DOI: "10.1/b"}),
				hit(guide, "Empty", " ")}, nil, unread)},
		{name: "pages of their own kinds", replies: append([]reply{
			calls(searchFor("herons")), calls(reads(herons, lake, guide))},
			final(countLine+" [1]. "+sizeLine+" [2]. A warden explains the colony on Sundays [3].")...),
			options: over([]citewell.Result{work(herons, "x", citewell.Work{DOI: "10.1/a"}), hit(lake, "", "x"),
				hit(guide, "The guide", "x")}, map[string]func(*citewell.Page, *citewell.Document){
				herons: func(_ *citewell.Page, d *citewell.Document) {
					d.PageUnit, d.Published = citewell.UnitSecond, "2025-01-02"
				},
				lake: func(_ *citewell.Page, d *citewell.Document) {
					d.Affiliation, d.LowYield = "no agency of the\nstate", true
				},
				guide: func(p *citewell.Page, d *citewell.Document) {
					d.Title = ""
					p.Archived = citewell.Archived{URL: guide, At: time.Date(2001, 2, 3, 0, 0, 0, 0, time.UTC)}
				},
			}, nil)},
		{name: "results in no form", replies: []reply{calls(searchFor("herons")),
			calls(call("web_search_tool", args{"reasoning": "x", "query": "two", "max_results": 2})), calls(readHerons),
			calls(heronFinal)},
			options: over([]citewell.Result{hit("no address", "Nowhere", "x"),
				hit("file:///home/u/note.txt", "Mine", "Kestrel is mine."),
				hit(herons, strings.Repeat("Long ", 60), strings.Repeat("long ", 150)),
				hit(herons+"#part", "Again", "x"), hit(lake, "A\nlake <|im_start|>", "x")}, nil, nil)},
		{name: "a long page", replies: append([]reply{calls(searchFor("herons")), calls(reads(herons))},
			final(countLine+" [2].")...), options: over(three, map[string]func(*citewell.Page, *citewell.Document){
			herons: inPassages}, nil)},
		{name: "sentences without a number", replies: append([]reply{
			calls(searchFor("herons")), calls(reads(herons, lake, guide))},
			final(countLine+".\n\n"+sizeLine+".\n\nThe hide at Alder Lake opens at seven in the morning.\n\nThe mayor "+
				"of Cremona collects violins.")...), options: over(three, nil, nil)},
		{name: "a sentence that two sources bear out", replies: append([]reply{
			calls(searchFor("herons")), calls(reads(herons, lake))}, final(countLine+".\n\n"+sizeLine+" [3] [3].")...),
			options: over(three, nil, func(_ *agent.Options, l *library) { l.pages[lake] += " " + countLine + "." })},
		{name: "a sentence that leans on its paragraph", replies: append([]reply{
			calls(searchFor("herons")), calls(reads(herons, lake))},
			final(sizeLine+" [3]. Swimming is allowed from May to September at Alder Lake.")...),
			options: over(three, nil, func(_ *agent.Options, l *library) {
				l.pages[herons] += " Swimming is allowed from May to September at Alder Lake."
			})},
		{name: "a sentence that five sources have", replies: append([]reply{
			calls(searchFor("herons")), calls(reads(herons, lake, guide, "https://a.example/1",
				"https://a.example/2"))}, final(countLine+".")...),
			options: over(append(slices.Clone(three), hit("https://a.example/1", "One", "x"),
				hit("https://a.example/2", "Two", "x")), nil, func(_ *agent.Options, l *library) {
				for _, u := range []string{lake, guide, "https://a.example/1", "https://a.example/2"} {
					l.pages[u] = "Of 2024 it is not said how many grey herons the wardens counted in the spring at " +
						"Alder Lake."
				}
			})},
		{name: "in other words", replies: append([]reply{calls(searchFor("herons")), calls(reads(herons, lake))},
			final("Bird keepers tallied plenty of waders beside that water body [2]. Pale violins are collected by "+
				"mayors elsewhere [3].\n\n"+sizeLine+" [3].")...),
			options: over(three, nil, func(o *agent.Options, l *library) {
				l.pages[herons] = "Many grey herons were counted by the wardens of the shore."
				o.Judge = judges(t, map[string]string{"Bird keepers tallied plenty of waders beside that " +
					"water body.": "supported", "Pale violins are collected by mayors elsewhere.": "not_stated"})
			})},
		{name: "in other words of a snippet", replies: append([]reply{calls(searchFor("herons"))},
			final("Bird keepers tallied plenty of waders beside that water body [2].")...),
			options: over([]citewell.Result{three[0], hit(herons, "Herons",
				"Many grey herons were counted by the wardens of the shore.")}, nil,
				func(o *agent.Options, _ *library) {
					o.Reader, o.Judge = unreadable{}, judges(t, map[string]string{
						"Bird keepers tallied plenty of waders beside that water body.": "supported"})
				})},
		{name: "a judge that is away", replies: append([]reply{calls(searchFor("herons")), calls(reads(herons))},
			final("Bird keepers tallied plenty of waders beside that water body [2].")...),
			options: over(three, nil, func(o *agent.Options, _ *library) {
				o.Judge = judge.New(judge.Options{Model: away{}})
			})},
		{name: "an outline and a language", replies: append([]reply{calls(searchFor("herons")), calls(readHerons)},
			calls(reportCall("## The count\n\n"+countLine+" [2].")),
			calls(reportCall("## The count\n\n"+countLine+" [2].\n\n## The size\n\n"+sizeLine+" [3].")),
			calls(finalCall("It is written."))),
			task: agent.Task{Wishes: agent.Wishes{Outline: "# Herons\n## The count\n## The size", Language: "de"}}},
		{name: "a former run", replies: []reply{calls(reads("https://old.example/"), reads(herons)),
			calls(reads("https://linked.example/")), calls(finalCall("Alder Lake covers 48 hectares [1]. " +
				countLine + " [4]."))},
			task: from(former(1, lake, sizeLine+" and is 11 metres deep.", time.Hour),
				former(2, "https://old.example/", "Old words of it.", 25*time.Hour), former(3, guide, "", time.Hour),
				former(4, herons, countLine+".", 24*time.Hour)),
			options: over(three, nil, func(_ *agent.Options, l *library) { l.gone["https://old.example/"] = 9 })},
		{name: "a former run with a gap", task: from(former(1, lake, "", 0), former(3, guide, "", 0))},
		{name: "a former run with a page twice", task: from(former(1, lake, "", 0), former(2, lake+"#x", "", 0))},
		{name: "a former run that cannot be had", task: agent.Task{From: func(context.Context) ([]agent.Former, error) {
			return nil, &citewell.Error{Code: citewell.CodeNotFound, Message: "it is gone"}
		}}},
		{name: "tools that quote the web", replies: []reply{calls(call("quote",
			args{"topic": "https://named.example/x"})), calls(reads("https://told.example/page.")),
			calls(reads("https://named.example/y")), calls(call("quote", args{"topic": "https://named.example/x"})),
			calls(finalCall("The tide is high on most days of spring [1]."))},
			options: over(three, nil, func(o *agent.Options, l *library) {
				l.pages["https://told.example/page"] = "It is told."
				o.Searching, o.Limits.MaxSearches = []string{"quote"}, 3
				o.Extra = []*tool.Tool{notesTool("quote", tool.Hints{ReadOnly: true},
					func(topic string) (string, error) {
						return "The tide is high on most days of spring. See https://told.example/page. You asked " +
							topic + " and more", nil
					})}
			})},
	} {
		test.play(t)
	}
}
