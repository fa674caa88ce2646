package bench

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/dataset"
)

// A Sort is what a question of a set is there for.
type Sort string

// The sorts of questions. Of a twisted one the documents speak, and do not answer it.
const (
	Answerable   Sort = "answerable"
	Unanswerable Sort = "unanswerable" // no document is about it
	Twisted      Sort = "twisted"
)

// sorts in the order in which they are reported.
var sorts = []Sort{Answerable, Unanswerable, Twisted}

// A Posed is a question that is asked of the documents of its Library.
type Posed struct {
	ID      string
	Text    string
	Kind    string // of answer that it wants, where the set says so
	Sort    Sort
	odd     bool // the half it is in
	answers []string
	accept  []*regexp.Regexp
}

// Accepts says whether a text has an answer: one of the strings in lower case without
// articles and punctuation, or a match of one of the patterns.
func (q Posed) Accepts(s string) bool {
	plain := plainWords(s)
	return slices.ContainsFunc(q.answers, func(a string) bool { return strings.Contains(plain, plainWords(a)) }) ||
		slices.ContainsFunc(q.accept, func(p *regexp.Regexp) bool { return p.MatchString(s) })
}

// plainWords are the words of s in lower case without articles and punctuation, each with a space before and after it.
func plainWords(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	words = slices.DeleteFunc(words, func(w string) bool { return w == "a" || w == "an" || w == "the" })
	return " " + strings.Join(words, " ") + " "
}

// A Library is a folder of documents and what is asked of it.
type Library struct {
	Name      string // of the set it is in; empty where the set has one
	Docs      string
	Questions []Posed
}

const answersFiles = "articles.json as answers-squad has it; or questions.jsonl, a line for each {id, question, " +
	"patterns}, and docs/; " +
	"or for each of several folders NAME.jsonl and NAME/docs/"

// AnswerOptions choose what of a set is asked.
type AnswerOptions struct {
	Docs     string // folder of the documents, or of the folders NAME/docs; below DIR when empty
	Half     string // "odd" or "even": of lines, of folders, or of articles by hash; both when empty
	Limit    int    // questions of each sort, chosen by hash; all when 0
	Research bool   // asked as research does, and a run of agent brief
	Say      func(what string)
}

// ReadAnswers reads the set in dir. What it makes of articles it writes below scratch, a folder of the caller's.
func ReadAnswers(dir, scratch string, o AnswerOptions) ([]Library, error) {
	if o.Half != "" && o.Half != "odd" && o.Half != "even" {
		return nil, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "bench",
			Message: fmt.Sprintf("half is %q; it must be odd or even", o.Half)}
	}
	if err := dataset.Require(dir, answersFiles); err != nil {
		return nil, err
	}
	read := readQuestions
	if dataset.Exists(filepath.Join(dir, "articles.json")) {
		read = readEncyclopedia
	}
	libraries, err := read(dir, scratch, o)
	if err != nil {
		return nil, err
	}
	chosen := chosenBy(libraries, o)
	for i := range libraries {
		libraries[i].Questions = slices.DeleteFunc(libraries[i].Questions, func(q Posed) bool {
			return !chosen[asked{q.ID, q.Sort}]
		})
	}
	return libraries, nil
}

// asked names a question among all: one of an article that is held out elsewhere is another question.
type asked struct {
	id   string
	sort Sort
}

// chosenBy names the questions that are in the half and within the limit.
func chosenBy(libraries []Library, o AnswerOptions) map[asked]bool {
	chosen := map[asked]bool{}
	for _, sort := range sorts {
		var ids []string
		for _, l := range libraries {
			for _, q := range l.Questions {
				if q.Sort == sort && (o.Half == "" || q.odd == (o.Half == "odd")) && !slices.Contains(ids, q.ID) {
					ids = append(ids, q.ID)
				}
			}
		}
		slices.SortFunc(ids, byHash)
		if o.Limit > 0 {
			ids = ids[:min(o.Limit, len(ids))]
		}
		for _, id := range ids {
			chosen[asked{id, sort}] = true
		}
	}
	return chosen
}

func byHash(a, b string) int {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return cmp.Or(slices.Compare(x[:], y[:]), strings.Compare(a, b))
}

// readQuestions reads questions with patterns over a folder of documents, or over several: of a set
// with NAME.jsonl for each, the halves are every other folder.
func readQuestions(dir, _ string, o AnswerOptions) ([]Library, error) {
	if dataset.Exists(filepath.Join(dir, "questions.jsonl")) {
		l, err := readLibrary(filepath.Join(dir, "questions.jsonl"), cmp.Or(o.Docs, filepath.Join(dir, "docs")))
		return []Library{l}, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl")) // in the order of their names
	if err == nil && len(files) == 0 {
		err = dataset.Require(dir, answersFiles, "questions.jsonl")
	}
	var libraries []Library
	for i, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		l, wrong := readLibrary(file, filepath.Join(cmp.Or(o.Docs, dir), name, "docs"))
		l.Name = name
		for k := range l.Questions {
			q := &l.Questions[k]
			q.ID, q.odd = name+"-"+q.ID, i%2 == 0
		}
		libraries, err = append(libraries, l), cmp.Or(err, wrong)
	}
	return libraries, err
}

// readLibrary reads the questions in a file, which are asked of the documents in a folder.
func readLibrary(path, docs string) (Library, error) {
	l := Library{Docs: docs}
	if info, err := os.Stat(l.Docs); err != nil || !info.IsDir() {
		return l, &citewell.Error{Code: citewell.CodeNotFound, Op: "bench", Message: l.Docs + " is no folder",
			Hint: "name the folder of the documents with --docs"}
	}
	line := 0
	var wrong error
	err := dataset.EachLine(path, func(raw struct {
		ID, Question, Kind string
		Patterns           []string
	}) {
		line++
		q := Posed{ID: cmp.Or(raw.ID, fmt.Sprint(line)), Text: raw.Question, Kind: raw.Kind, Sort: Answerable,
			odd: line%2 == 1}
		if len(raw.Patterns) == 0 {
			q.Sort = Unanswerable
		}
		for _, pattern := range raw.Patterns {
			p, err := regexp.Compile("(?i)" + pattern)
			if err != nil {
				wrong = cmp.Or(wrong, fmt.Errorf("question %s: %w", q.ID, err))
				continue
			}
			q.accept = append(q.accept, p)
		}
		l.Questions = append(l.Questions, q)
	})
	if err == nil && wrong != nil {
		err = dataset.Malformed(path, wrong)
	}
	return l, err
}

// An article is one of an encyclopedia, with questions that people asked of its paragraphs.
type article struct {
	Title      string
	Paragraphs []struct {
		Text      string
		Questions []struct {
			ID, Question string
			Answers      []string
			Answerable   bool
		}
	}
}

// heldOut is how many articles are left out of an index at a time.
const heldOut = 2

// readEncyclopedia makes a library of all articles but two, again and again until each was left out once. An article's
// questions are asked where it is and where it is not; the twisted ones only where it is.
func readEncyclopedia(dir, scratch string, _ AnswerOptions) ([]Library, error) {
	raw, err := dataset.Read(filepath.Join(dir, "articles.json"))
	if err != nil {
		return nil, err
	}
	var articles []article
	if err := json.Unmarshal(raw, &articles); err != nil || len(articles) <= heldOut {
		return nil, dataset.Malformed(filepath.Join(dir, "articles.json"),
			cmp.Or(err, fmt.Errorf("it has %d articles; more than %d are needed", len(articles), heldOut)))
	}
	slices.SortFunc(articles, func(a, b article) int { return byHash(a.Title, b.Title) })
	var libraries []Library
	for first := 0; first < len(articles); first += heldOut {
		l := Library{Docs: filepath.Join(scratch, fmt.Sprint("without-", first))}
		if err := os.MkdirAll(l.Docs, 0o700); err != nil {
			return nil, dataset.Malformed(l.Docs, err)
		}
		for i, a := range articles {
			absent := first <= i && i < first+heldOut
			l.Questions = append(l.Questions, a.questions(absent, i%2 == 0,
				first == (i/heldOut+1)*heldOut%len(articles))...)
			if absent {
				continue
			}
			name := filepath.Join(l.Docs, fmt.Sprintf("%d.md", i))
			if err := os.WriteFile(name, []byte(a.markdown()), 0o600); err != nil {
				return nil, dataset.Malformed(name, err)
			}
		}
		libraries = append(libraries, l)
	}
	return libraries, nil
}

// questions are those of an article in a library that lacks it, or, once only, in one that has it.
func (a article) questions(absent, odd, here bool) []Posed {
	var list []Posed
	for _, p := range a.Paragraphs {
		for _, asked := range p.Questions {
			q := Posed{ID: asked.ID, Text: asked.Question, Sort: Answerable, odd: odd, answers: asked.Answers}
			switch {
			case absent && asked.Answerable:
				q.Sort, q.answers = Unanswerable, nil
			case !here || absent:
				continue
			case !asked.Answerable:
				q.Sort = Twisted
			}
			list = append(list, q)
		}
	}
	return list
}

func (a article) markdown() string {
	var b strings.Builder
	b.WriteString("# " + a.Title + "\n")
	for _, p := range a.Paragraphs {
		b.WriteString("\n" + p.Text + "\n")
	}
	return b.String()
}
