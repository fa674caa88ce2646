package measure

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/sheet"
	"github.com/citewell/citewell/internal/testing/benchtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Contestants take turns, each first in some round, and what each took is kept apart.
func TestTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order strings.Builder
		runner := func(name string, d time.Duration) func(context.Context) error {
			return func(context.Context) error { order.WriteString(name); time.Sleep(d); return nil }
		}
		took, err := takeTurns(t.Context(), 3, runner("a", 2*time.Second), runner("b", 6*time.Second))
		if err != nil || order.String() != "abbaab" {
			t.Fatalf("order %s, %v", order.String(), err)
		}
		if got := ratio(took[1].wall, took[0].wall); got != 3 {
			t.Errorf("ratio %v", got)
		}
		if got := medianOf(took[0].wall); got != 2 {
			t.Errorf("median %v", got)
		}
	})
	broken := errors.New("broken")
	if _, err := takeTurns(t.Context(), 1, func(context.Context) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := takeTurns(ctx, 2, func(context.Context) error {
		cancel()
		return nil
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A folder that is not the set it should be is refused by name, with what was
// expected.
func TestBadFolders(t *testing.T) {
	whole := map[string]string{"corpus.jsonl": `{"_id":"1","text":"a heron"}`,
		"queries.jsonl": `{"_id":"q","text":"heron"}`, "qrels.tsv": "q\t1\t1\n"}
	with := func(name, content string) map[string]string {
		files := map[string]string{name: content}
		for n, c := range whole {
			if n != name {
				files[n] = c
			}
		}
		return files
	}
	for _, test := range []struct {
		name    string
		read    func(dir string) error
		files   map[string]string
		code    citewell.Code
		message string
	}{
		{"no_pages", pagesIn, map[string]string{"ground-truth.json": "{}"}, citewell.CodeNotFound, "has no html"},
		{"no_truth", pagesIn, map[string]string{"html/1.html": "x"}, citewell.CodeNotFound, "has no ground truth"},
		{"nothing_marked", pagesIn, map[string]string{"html/1.html": "x", "ground-truth.json": "{}"},
			citewell.CodeNotFound, "has no marked page"},
		{"page_missing", pagesIn, map[string]string{"html/1.html": "x", "ground-truth.json": `{"2":{}}`},
			citewell.CodeNotFound, "html/2.html.gz"},
		{"leads_out", pagesIn, map[string]string{"html/1.html": "x", "ground-truth.json": `{"../1":{}}`},
			citewell.CodeInvalidArgument, "no name of a page"},
		{"no_json", pagesIn, map[string]string{"html/1.html": "x", "ground-truth.json": `[`},
			citewell.CodeInvalidArgument, "ground-truth.json cannot be read"},
		{"no_kind", pagesIn, map[string]string{"html/1.html": "x", "ground-truth/1.json": `{}`},
			citewell.CodeInvalidArgument, "_internal.page_type.primary"},
		{"no_gzip", pagesIn, map[string]string{"html/1.html.gz": "x", "ground-truth.json": `{"1":{}}`},
			citewell.CodeInvalidArgument, "1.html.gz cannot be read"},
		{"no_corpus", retrievalIn, map[string]string{"queries.jsonl": "", "qrels.tsv": ""}, citewell.CodeNotFound,
			"has no corpus.jsonl"},
		{"bad_line", retrievalIn, with("corpus.jsonl", "{}\n{"), citewell.CodeInvalidArgument, "line 2 of"},
		{"bad_score", retrievalIn, with("qrels.tsv", "query\ttext\tscore\nq\t1\tmuch\n"), citewell.CodeInvalidArgument,
			"line 2 of"},
		{"no_judgement", retrievalIn, with("qrels.tsv", "other\t1\t1\n"), citewell.CodeNotFound,
			"query with a judgement"},
		{"no_texts", proseIn, map[string]string{"README.md": ""}, citewell.CodeNotFound, "has no texts"},
	} {
		err := test.read(benchtest.Folder(t, test.files))
		if view := citewell.View(err); view.Code != test.code || !strings.Contains(view.Message, test.message) {
			t.Errorf("%s: got %s: %s", test.name, view.Code, view.Message)
		}
	}
	if err := pagesIn("/nowhere/at/all"); citewell.CodeOf(err) != citewell.CodeNotFound ||
		!strings.Contains(citewell.View(err).Hint, "ground-truth.json") {
		t.Errorf("got %v", err)
	}
}

func pagesIn(dir string) error { _, _, err := readPages(context.Background(), dir); return err }

func retrievalIn(dir string) error { _, err := readRetrieval(dir); return err }

func proseIn(dir string) error { _, err := readProse(context.Background(), dir, Reader{}); return err }

// One reader takes the page as it is, the halves are told apart, and a peer that is
// not there says how to get it.
func TestExtraction(t *testing.T) {
	dir := benchtest.Folder(t, map[string]string{
		"ground-truth.json": `{"0a": {"articleBody": "one two three four five", "url": "https://a.example/"}, "0b": {"articleBody": "six seven eight nine ten"}}`,
		"html/0a.html":      "one two three four five", "html/0b.html": "menu",
	})
	read := func(what string) Reader {
		return Reader{Name: "citewell", Read: func(_ context.Context, url string, body []byte) (string, error) {
			if string(body) == "menu" {
				return what, errors.New("unreadable")
			}
			return string(body), nil
		}}
	}
	halves := [2]Reader{read("six seven eight nine ten"), read("wrong half")}
	r, err := Extraction(t.Context(), dir, Readers{Ours: read(""), Halves: &halves}, Options{Rounds: 1})
	if err != nil {
		t.Fatal(err)
	}
	ours := benchtest.Row(t, r, 0, "citewell")
	benchtest.WantFigure(t, ours, "precision", 1) // the page without text is left out
	benchtest.WantFigure(t, ours, "recall", 0.5)
	benchtest.WantFigure(t, ours, "errors", 1)
	benchtest.WantFigure(t, ours, "exact", 0.5)
	benchtest.WantFigure(t, benchtest.Row(t, r, 0, "citewell, unseen half"), "f1", 1)
	if parse := benchtest.Row(t, r, 1, "parse only (x/net/html)"); parse.Origin != sheet.Limit ||
		parse.Figures["of_parse"] != 1 {
		t.Errorf("parse %+v", parse)
	}
	for _, row := range r.Tables[0].Rows {
		if row.Origin == sheet.Published {
			t.Errorf("published figures are of other pages: %+v", row)
		}
	}
}

// Kinds have a figure each, and snippets are looked for.
func TestExtractionByKind(t *testing.T) {
	dir := benchtest.Folder(t, map[string]string{
		"ground-truth/0001.json": `{"url":"https://a.example/","ground_truth":{"main_content":"the cat sat","with":["cat sat","dog"],"without":["menu"]},"_internal":{"page_type":{"primary":"forum"}}}`,
		"ground-truth/0002.json": `{"ground_truth":{"main_content":"alone"},"_internal":{"page_type":{"primary":"listing"}}}`,
		"html/0001.html":         "The cat sat. Menu", "html/0002.html": "",
	})
	whole := Reader{Name: "whole", Read: func(_ context.Context, _ string, body []byte) (string, error) {
		return string(body), nil
	}}
	r, err := Extraction(t.Context(), dir, Readers{Ours: whole, Peers: []Reader{whole}}, Options{Rounds: 1})
	if err != nil {
		t.Fatal(err)
	}
	got := benchtest.Row(t, r, 0, "whole")
	benchtest.WantFigure(t, got, "f1_forum", 6.0/7)
	benchtest.WantFigure(t, got, "f1_listing", 0)
	benchtest.WantFigure(t, got, "f1", 3.0/7)
	benchtest.WantFigure(t, got, "with", 0.5)
	benchtest.WantFigure(t, got, "without", 0)
}
