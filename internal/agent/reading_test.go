//go:build unix

package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
)

// longPage is a page of some 60,000 bytes: a paragraph for each number, in a script of
// three bytes a character, one of them about the lighthouse.
func longPage() string {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "Paragraph %d. 湖边的芦苇每年冬天由基金会的看守人收割，第%d段。Reeds are cut there in winter by the wardens.\n\n", i,
			i)
	}
	return strings.Replace(b.String(), "Paragraph 300.", "Paragraph 300. The lighthouse of Hallvik has 42 steps.", 1)
}

// Stacks are a shelf whose pages have passages, and of which a search finds nothing.
type stacks struct{ *shelf }

func (l stacks) Search(context.Context, citewell.Query) ([]citewell.Result, error) { return nil, nil }

func (l stacks) Read(ctx context.Context, url string) (citewell.Page, citewell.Document, error) {
	page, doc, err := l.shelf.Read(ctx, url)
	doc.Passages = nil
	doc.Passages = extract.Passages(doc)
	return page, doc, err
}

// readingOf has a model read a page, once for each of the calls, and gives what it was shown of each.
func readingOf(t *testing.T, window, limit int, calling ...args) []string {
	t.Helper()
	s := newShelf()
	const long = "https://long.example/"
	s.pages[long] = longPage()
	m := &script{window: window}
	for _, c := range calling {
		c["reasoning"], c["urls"] = "for the reeds", []string{long}
		m.replies = append(m.replies, calls(call("extract_page_content_tool", c)))
	}
	m.replies = append(m.replies, calls(finalCall("Nothing is known of it.")))
	o := s.options(agent.ShapeToolCalling, m)
	o.Reader = stacks{s}
	o.Limits = agent.Limits{MaxIterations: 40, ContentLimit: limit}
	run(t, o, "What is done with the reeds? "+long)
	var shown []string
	for _, message := range m.asked[len(m.asked)-1].Messages {
		if message.Role == agent.RoleTool {
			shown = append(shown, message.Content)
			if !utf8.ValidString(message.Content) {
				t.Errorf("a character was cut: %q", message.Content)
			}
		}
	}
	return shown
}

// What one call shows of a page is an eighth of the model's window, at least 1,500 bytes and
// at most 20,000; what the user has set goes before.
func TestAShareOfTheWindow(t *testing.T) {
	for _, c := range []struct{ window, limit, most int }{{0, 0, 3072}, {32_000, 0, 12_000}, {200_000, 0, 20_000},
		{200_000, 700, 700}} {
		shown := readingOf(t, c.window, c.limit, args{"from": 0})[0]
		if got := len(shown); got > c.most+400 || got < c.most*8/10 || !strings.Contains(shown, "(bytes 0 to ") {
			t.Errorf("window %d, limit %d: %d bytes, want some %d: %s", c.window, c.limit, got, c.most,
				shown[max(len(shown)-200, 0):])
		}
	}
}

// The same call again shows what was not shown before, until nothing is left.
func TestThePageIsReadOn(t *testing.T) {
	var many []args
	for range 10 {
		many = append(many, args{})
	}
	shown := readingOf(t, 200_000, 0, many...)
	all := strings.Join(shown, "\n")
	for i := range 400 {
		if !strings.Contains(all, fmt.Sprintf("Paragraph %d.", i)) {
			t.Errorf("paragraph %d was not shown", i)
		}
	}
	if !strings.Contains(shown[0], "The passages nearest to the task: ") ||
		!strings.Contains(shown[1], "The next part: ") ||
		!strings.Contains(all, "with them all of the page was shown") ||
		!strings.Contains(shown[len(shown)-1], "All of the page was shown before") {
		t.Errorf("%s", all)
	}
}

// A call may ask for a place, also one within a character, and for a subject.
func TestAPlaceAndASubject(t *testing.T) {
	at := strings.Index(longPage(), "湖边")
	shown := readingOf(t, 32_000, 600, args{"from": at + 1}, args{"about": "steps of the lighthouse"},
		args{"about": "zeppelin"}, args{"from": 90_000_000}, args{"from": at + 1})
	if !strings.Contains(shown[0], fmt.Sprintf("(bytes %d to ", at)) || !strings.Contains(shown[0], "\n湖边") {
		t.Errorf("from within a character: %s", shown[0])
	}
	if !strings.Contains(shown[1], "The lighthouse of Hallvik has 42 steps.") ||
		!strings.Contains(shown[1], "nearest to what was asked for") || strings.Contains(shown[1], "Paragraph 7.") {
		t.Errorf("about the lighthouse: %s", shown[1])
	}
	if !strings.Contains(shown[2], "No passage has these words") || !strings.Contains(shown[4], "\n湖边") {
		t.Errorf("about nothing: %s\nagain: %s", shown[2], shown[4])
	}
}

// An indexed file that is named is read, and is private; a file that is not indexed is not.
func TestANamedFileIsRead(t *testing.T) {
	named := func(url string) agent.ToolCall {
		return call("extract_page_content_tool", args{"reasoning": "it was named", "urls": []string{url}})
	}
	for name, indexed := range map[string]func(context.Context, string) (bool, error){
		"indexed": func(_ context.Context, url string) (bool, error) { return url == noteURL, nil },
		"none":    nil,
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf()
			s.pages[noteURL], s.pages["file:///home/u/other.txt"] = noteText,
				"Another text of the user's, which is not indexed."
			m := &script{replies: []reply{calls(named(noteURL), named("file:///home/u/other.txt")),
				calls(searchFor("Kestrel-9b1f44")), calls(finalCall("The project is called Kestrel-9b1f44 [1]."))}}
			o := s.options(agent.ShapeToolCalling, m)
			o.Indexed, o.Searcher, o.Reader = indexed, stacks{s}, stacks{s}
			r := run(t, o, "What is the project called? See "+noteURL)
			if indexed == nil {
				if len(r.Sources) != 0 || r.Private {
					t.Errorf("%+v", r)
				}
				return
			}
			if r.Outcome != runstore.RunAnswered || !r.Private || len(r.Sources) != 1 || r.Sources[0].URL != noteURL {
				t.Errorf("%+v", r)
			}
			var shown strings.Builder
			for _, message := range m.asked[len(m.asked)-1].Messages {
				shown.WriteString(message.Content)
			}
			if !strings.Contains(shown.String(), "no indexed document has this address") ||
				!strings.Contains(shown.String(), string(citewell.CodeBlockedByPolicy)) {
				t.Errorf("%s", shown.String())
			}
		})
	}
}
