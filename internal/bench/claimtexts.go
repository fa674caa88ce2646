package bench

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/dataset"
)

// A reference locates evidence in another data set: a paragraph of answers-squad, or a stretch of a page
// of demo-web, from the words From to the words To.
type reference struct {
	Squad *struct {
		Article   string
		Paragraph int
	} `json:"squad"`
	Page string `json:"page"`
	From string `json:"from"`
	To   string `json:"to"`
}

func (r reference) refers() bool { return r.Squad != nil || r.Page != "" }

// resolve sets the evidence of rows with a reference. texts is the folder of the data sets.
func resolve(rows []claimRow, texts string) error {
	if texts == "" {
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "bench",
			Message: "the claims refer to texts of answers-squad and demo-web, and no folder with these is named",
			Hint:    "name it with --texts DIR"}
	}
	for _, read := range []func([]claimRow, string) error{resolveArticles, resolvePages} {
		if err := read(rows, texts); err != nil {
			return err
		}
	}
	return nil
}

func resolveArticles(rows []claimRow, texts string) error {
	if !slices.ContainsFunc(rows, func(r claimRow) bool { return r.Squad != nil }) {
		return nil
	}
	dir := filepath.Join(texts, "answers-squad")
	articles, err := ArticleTexts(dir)
	if err != nil {
		return err
	}
	for i := range rows {
		if r := &rows[i]; r.Squad != nil {
			paragraphs := articles[r.Squad.Article]
			if r.Squad.Paragraph < 0 || r.Squad.Paragraph >= len(paragraphs) {
				return dataset.Malformed(dir, fmt.Errorf("row %d refers to paragraph %d of %q, which is not there",
					i+1, r.Squad.Paragraph, r.Squad.Article))
			}
			r.Title, r.Evidence = r.Squad.Article, &paragraphs[r.Squad.Paragraph]
		}
	}
	return nil
}

func resolvePages(rows []claimRow, texts string) error {
	if !slices.ContainsFunc(rows, func(r claimRow) bool { return r.Page != "" }) {
		return nil
	}
	dir := filepath.Join(texts, "demo-web")
	pages, titles, err := DemoPages(dir, nil)
	if err != nil {
		return err
	}
	for i := range rows {
		if r := &rows[i]; r.Page != "" {
			page := plainText(r.Page, pages[r.Page])
			start := strings.Index(page, r.From)
			end := strings.Index(page, r.To) + len(r.To)
			if start < 0 || end < start+len(r.From) || end < len(r.To) {
				return dataset.Malformed(dir, fmt.Errorf("row %d refers to a stretch of %s that is not there",
					i+1, r.Page))
			}
			r.Title, r.Evidence = titles[r.Page], new(page[start:end])
		}
	}
	return nil
}

// ArticleTexts returns the paragraphs of each article of a data set like answers-squad, by title.
func ArticleTexts(dir string) (map[string][]string, error) {
	name := filepath.Join(dir, "articles.json")
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil, dataset.Malformed(name, err)
	}
	var articles []struct {
		Title      string
		Paragraphs []struct{ Text string }
	}
	if err := json.Unmarshal(raw, &articles); err != nil {
		return nil, dataset.Malformed(name, err)
	}
	all := map[string][]string{}
	for _, a := range articles {
		for _, p := range a.Paragraphs {
			all[a.Title] = append(all[a.Title], p.Text)
		}
	}
	return all, nil
}

// DemoPages returns the files of a data set like demo-web that takes selects, or all if it is nil, and their titles.
func DemoPages(dir string, takes func(path string) bool) (pages map[string][]byte, titles map[string]string,
	err error) {
	name := filepath.Join(dir, "manifest.json")
	var manifest []struct{ Path, Title string }
	raw, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(raw, &manifest)
	}
	if err != nil {
		return nil, nil, dataset.Malformed(name, err)
	}
	pages, titles = map[string][]byte{}, map[string]string{}
	for _, m := range manifest {
		titles[m.Path] = m.Title
	}
	name = filepath.Join(dir, "pages.tar.gz")
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, dataset.Malformed(name, err)
	}
	defer file.Close()
	zipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, nil, dataset.Malformed(name, err)
	}
	for archive := tar.NewReader(zipped); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return pages, titles, nil
		}
		if err != nil {
			return nil, nil, dataset.Malformed(name, err)
		}
		if takes != nil && !takes(header.Name) {
			continue
		}
		if pages[header.Name], err = io.ReadAll(io.LimitReader(archive, dataset.MaxFile)); err != nil {
			return nil, nil, dataset.Malformed(name, err)
		}
	}
}

// plainText returns the text of an HTML page, or the whole of another file, with single spaces.
func plainText(name string, body []byte) string {
	if !strings.HasSuffix(name, ".html") {
		return strings.Join(strings.Fields(string(body)), " ")
	}
	var words []string
	hidden := ""
	for tokens := html.NewTokenizer(strings.NewReader(string(body))); ; {
		switch tokens.Next() {
		case html.ErrorToken:
			return strings.Join(words, " ")
		case html.StartTagToken:
			if tag, _ := tokens.TagName(); string(tag) == "script" || string(tag) == "style" {
				hidden = string(tag)
			}
		case html.EndTagToken:
			if tag, _ := tokens.TagName(); string(tag) == hidden {
				hidden = ""
			}
		case html.TextToken:
			if hidden == "" {
				words = append(words, strings.Fields(string(tokens.Text()))...)
			}
		}
	}
}
