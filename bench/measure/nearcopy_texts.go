package measure

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/bench"
	"github.com/citewell/citewell/internal/dataset"
	"github.com/citewell/citewell/internal/text"
)

// A prose is a text of which near-copies are made.
type prose struct{ id, title, body, lang string }

// half is 0 for texts that may be tuned on and 1 for those that are reported.
func (p prose) half() int { return int(hashOf(p.id) % 2) }

func hashOf(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	sum := h.Sum64()
	return sum ^ sum>>29 // the low bits of FNV alone follow the last letter
}

const proseFiles = "corpus.jsonl.gz ({_id, title, text}), articles.json ([{title, paragraphs: [{text}]}]), " +
	"pages.tar.gz with manifest.json, or manual pages in de, fr, ru and zh_CN"

// readProse recognises the set by its files.
func readProse(ctx context.Context, dir string, read Reader) ([]prose, error) {
	if err := dataset.Require(dir, proseFiles); err != nil {
		return nil, err
	}
	for _, kind := range []struct {
		file string
		read func(context.Context, string, Reader) ([]prose, error)
	}{{"corpus.jsonl.gz", proseOfCorpus}, {"articles.json", proseOfArticles}, {"pages.tar.gz", proseOfPages},
		{"de/man1", proseOfManuals}, {"fr/man1", proseOfManuals}} {
		if dataset.Exists(filepath.Join(dir, kind.file)) {
			texts, err := kind.read(ctx, dir, read)
			slices.SortFunc(texts, func(a, b prose) int {
				return cmp.Or(cmp.Compare(hashOf("order "+a.id), hashOf("order "+b.id)), strings.Compare(a.id, b.id))
			})
			return texts, err
		}
	}
	return nil, dataset.Lacks(dir, "texts", proseFiles)
}

func proseOfCorpus(_ context.Context, dir string, _ Reader) ([]prose, error) {
	var texts []prose
	err := dataset.EachLine(filepath.Join(dir, "corpus.jsonl"), func(t struct {
		ID    string `json:"_id"`
		Title string `json:"title"`
		Text  string `json:"text"`
	}) {
		texts = append(texts, prose{t.ID, t.Title, t.Text, "en"})
	})
	return texts, err
}

func proseOfArticles(_ context.Context, dir string, _ Reader) ([]prose, error) {
	articles, err := bench.ArticleTexts(dir)
	if err != nil {
		return nil, err
	}
	var texts []prose
	for title, paragraphs := range articles {
		for i, body := range paragraphs {
			texts = append(texts, prose{fmt.Sprintf("%s %d", title, i), title, body, "en"})
		}
	}
	return texts, nil
}

func proseOfPages(ctx context.Context, dir string, read Reader) ([]prose, error) {
	pages, titles, err := bench.DemoPages(dir, func(path string) bool { return strings.HasSuffix(path, ".html") })
	if err != nil {
		return nil, err
	}
	var texts []prose
	for name, body := range pages {
		said, err := read.Read(ctx, "https://demo.example/"+name, body)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil { // a page that cannot be read is no text
			texts = append(texts, prose{name, titles[name], said, "en"})
		}
	}
	return texts, nil
}

// proseOfManuals reads manual pages of the languages other than English.
func proseOfManuals(ctx context.Context, dir string, _ Reader) ([]prose, error) {
	var texts []prose
	for _, lang := range []string{"de", "fr", "ru", "zh"} {
		folder := filepath.Join(dir, map[bool]string{true: "zh_CN", false: lang}[lang == "zh"])
		pages, err := filepath.Glob(filepath.Join(folder, "man*", "*.gz"))
		if err != nil {
			return nil, dataset.Malformed(folder, err)
		}
		for _, name := range pages {
			if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
				continue // another name of the same page
			}
			raw, err := dataset.Read(strings.TrimSuffix(name, ".gz"))
			if err != nil {
				return nil, err
			}
			title, _, _ := strings.Cut(filepath.Base(name), ".")
			texts = append(texts, prose{lang + " " + filepath.Base(name), title, manualText(string(raw)), lang})
		}
	}
	return texts, ctx.Err()
}

var (
	fontChange = regexp.MustCompile(`\\f(?:.|\(..|\[[^\]]*\])`)
	roffMarks  = strings.NewReplacer(`\-`, "-", `\(aq`, "'", `\(dq`, `"`, `\&`, "", `\,`, "", `\/`, "", `\ `, " ", `\~`,
		" ", `\:`, "", `\|`, "", `\^`, "", `\.`, ".", `\(em`, "—", `\(en`, "–")
)

// manualText is the running text of a manual page: lines without requests, joined where
// nothing stands between them. What has marks left that are not read is dropped.
func manualText(page string) string {
	var paragraphs []string
	var lines []string
	end := func() {
		if joined := strings.Join(lines, " "); !strings.Contains(joined, `\`) && len(lines) > 0 {
			paragraphs = append(paragraphs, joined)
		}
		lines = nil
	}
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '.' || line[0] == '\'' {
			end()
			continue
		}
		lines = append(lines, roffMarks.Replace(fontChange.ReplaceAllString(line, "")))
	}
	end()
	return strings.Join(paragraphs, "\n\n")
}

// around is how much text a near-copy is held against, in characters.
const around = 700

// statements are the sentences of a text that can be changed, each with the text around
// it.
func (p prose) statements() (sentences, evidence []string) {
	spans := text.Sentences(p.body)
	for i, span := range spans {
		s := strings.Join(strings.Fields(p.body[span.Start:span.End]), " ")
		// translations leave sentences as they were
		if !isStatement(s, tongues[p.lang]) || p.lang != "en" && text.Language(s) != p.lang {
			continue
		}
		from, to := i, i+1
		for size := utf8.RuneCountInString(p.body[span.Start:span.End]); size < around &&
			(from > 0 || to < len(spans)); {
			if from > 0 {
				from--
				size += utf8.RuneCountInString(p.body[spans[from].Start:spans[from].End])
			}
			if to < len(spans) {
				size += utf8.RuneCountInString(p.body[spans[to].Start:spans[to].End])
				to++
			}
		}
		sentences = append(sentences, s)
		evidence = append(evidence, p.body[spans[from].Start:spans[to-1].End])
	}
	return sentences, evidence
}

// isStatement says whether s is one whole sentence in words.
func isStatement(s string, t tongue) bool {
	first, _ := utf8.DecodeRuneInString(s)
	least, most := 40, 300
	if t.unspaced {
		least, most = 12, 100
	}
	n := utf8.RuneCountInString(s)
	ends := strings.HasSuffix(s, ".") || strings.HasSuffix(s, "。")
	return n >= least && n <= most && ends && (unicode.IsUpper(first) || t.unspaced) &&
		!strings.ContainsAny(s, "{}|<>=;\\`")
}
