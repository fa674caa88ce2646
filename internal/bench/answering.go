package bench

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/dataset"
	"github.com/citewell/citewell/internal/relevance"
	"github.com/citewell/citewell/internal/sheet"
	"github.com/citewell/citewell/internal/text"
)

// An Answerer answers questions from the documents that it was opened on.
type Answerer struct {
	Brief    func(ctx context.Context, question string) (citewell.Brief, error)
	Research func(ctx context.Context, question string) (citewell.Brief, error)
	// of the documents that are found for it, best first
	Texts  func(ctx context.Context, question string) ([]string, error)
	Looked func(ctx context.Context, b citewell.Brief) (Looked, error) // what a brief or research was made from
	Close  func() error
}

// A Miss is a question that did not go as it should.
type Miss struct {
	ID       string `json:"id"`
	Sort     Sort   `json:"sort"`
	Kind     string `json:"kind,omitempty"`
	Question string `json:"question"`
	Lost     Stage  `json:"lost,omitempty"`
	Right    int    `json:"right,omitempty"`   // which finding answers, from 1; 0 is none
	Wanted   string `json:"wanted,omitempty"`  // an answer, or its pattern
	Given    string `json:"given,omitempty"`   // the first finding; empty is none
	Nearest  string `json:"nearest,omitempty"` // what was read instead, where there is no finding
}

// An AnswersReport also has the questions that did not go as they should.
type AnswersReport struct {
	sheet.Report
	Misses []Miss `json:"misses,omitempty"`
}

// asking is what one question came to.
type asking struct {
	question Posed
	library  string
	findings []string
	right    []int     // those that answer, from 1
	chances  []float64 // of the findings, as they say themselves
	lost     Stage     // where the answer was lost; empty where the first finding answers
	shared   float64   // share of the question's words that an answer in what was looked at has; -1 where none was seen
	nearest  string
	plain    []string // the best sentences by BM25, as many as a brief has findings at most
	rightBy  []int    // the same for those
}

// atOnce is how many questions are asked side by side; it changes no figure.
const atOnce = 2

// Answers asks the questions of the set in dir of its documents, as search --docs or research does, and counts where
// the answer stands. Beside it stand the best sentences by BM25 of the documents that are found.
func Answers(ctx context.Context, dir string, open func(ctx context.Context, docs string) (Answerer, error),
	o AnswerOptions) (AnswersReport, error) {
	scratch, err := os.MkdirTemp("", "citewell-bench-")
	if err != nil {
		return AnswersReport{}, dataset.Malformed(scratch, err)
	}
	defer os.RemoveAll(scratch)
	libraries, err := ReadAnswers(dir, scratch, o)
	if err != nil {
		return AnswersReport{}, err
	}
	var all []asking
	for _, l := range libraries {
		if o.Say != nil {
			o.Say(fmt.Sprintf("asking %d questions of %s", len(l.Questions), l.Docs))
		}
		asked, err := askAll(ctx, l, open, o)
		if err != nil {
			return AnswersReport{}, err
		}
		all = append(all, asked...)
	}
	if len(all) == 0 {
		return AnswersReport{}, dataset.Malformed(dir, fmt.Errorf("it has no question"))
	}
	r := AnswersReport{Report: sheet.Report{Schema: sheet.Schema, Name: "answers", Data: dir,
		Tables: []sheet.Table{answersTable(all, o)}}}
	for _, more := range []sheet.Table{refusalsTable(all), byName(all, "library", func(a asking) string {
		return a.library
	}),
		byName(all, "kind of answer", func(a asking) string { return a.question.Kind }), sharedTable(all),
		lossTable(all), chanceTable(all)} {
		if len(more.Rows) > 0 {
			r.Tables = append(r.Tables, more)
		}
	}
	for _, a := range all {
		if a.missed() {
			r.Misses = append(r.Misses, a.miss())
		}
	}
	return r, nil
}

func askAll(ctx context.Context, l Library, open func(context.Context, string) (Answerer, error),
	o AnswerOptions) (all []asking, err error) {
	if len(l.Questions) == 0 {
		return nil, nil
	}
	answerer, err := open(ctx, l.Docs)
	if err != nil {
		return nil, err
	}
	defer func() { err = cmp.Or(err, answerer.Close()) }()
	answer := answerer.Brief
	if o.Research {
		answer = answerer.Research
	}
	all = make([]asking, len(l.Questions))
	var plain plainSentences
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, q := range l.Questions {
		group.Go(func() error {
			b, err := answer(ctx, q.Text)
			if err != nil {
				return fmt.Errorf("question %s: %w", q.ID, err)
			}
			texts, err := answerer.Texts(ctx, q.Text)
			if err != nil {
				return fmt.Errorf("question %s: %w", q.ID, err)
			}
			a := asking{question: q, library: l.Name, plain: plain.best(q.Text, texts)}
			for _, f := range b.Findings {
				a.findings = append(a.findings, f.Text)
				if f.Why != nil {
					a.chances = append(a.chances, f.Why.Chance)
				}
			}
			if len(b.Nearest) > 0 {
				a.nearest = b.Nearest[0].Text
			}
			a.right, a.rightBy = rightOf(q, a.findings), rightOf(q, a.plain)
			if q.Sort == Answerable {
				looked, err := answerer.Looked(ctx, b)
				if err != nil {
					return fmt.Errorf("question %s: %w", q.ID, err)
				}
				a.lost, a.shared = lostAt(a, looked)
			}
			all[i] = a
			return nil
		})
	}
	return all, group.Wait()
}

// rightOf says which of the texts answer a question, from 1.
func rightOf(q Posed, texts []string) (right []int) {
	for i, t := range texts {
		if q.Accepts(t) {
			right = append(right, i+1)
		}
	}
	return right
}

// plainSentences ranks sentences by BM25 and nothing else. A text is cut once.
type plainSentences struct {
	mu  sync.Mutex
	cut map[string][]plainSentence
}

type plainSentence struct {
	text  string
	terms []string
}

const plainFindings = 6 // what a brief has at most on one aspect

func (p *plainSentences) best(question string, texts []string) []string {
	var all []plainSentence
	for _, t := range texts {
		all = append(all, p.sentencesOf(t)...)
	}
	docs := make([][]string, len(all))
	for i, s := range all {
		docs[i] = s.terms
	}
	scores := relevance.BM25(text.Terms(question, text.Language(question)), docs)
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	var best []string
	for _, i := range order[:min(plainFindings, len(order))] {
		if scores[i] > 0 {
			best = append(best, all[i].text)
		}
	}
	return best
}

func (p *plainSentences) sentencesOf(document string) []plainSentence {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known, ok := p.cut[document]; ok {
		return known
	}
	lang := text.Language(document)
	var list []plainSentence
	for _, span := range text.Sentences(document) {
		s := document[span.Start:span.End]
		list = append(list, plainSentence{s, text.Terms(s, lang)})
	}
	if p.cut == nil {
		p.cut = map[string][]plainSentence{}
	}
	p.cut[document] = list
	return list
}

// standing are the shares of questions by where their answer stands, how many texts were given
// for one, and the share of those that answer it.
func standing(all []asking, right func(asking) []int, given func(asking) []string) map[string]float64 {
	f := map[string]float64{"questions": float64(len(all)), "first": 0, "three": 0, "any": 0, "none": 0}
	texts, answers := 0, 0
	for _, a := range all {
		at := right(a)
		for key, is := range map[string]bool{"first": len(at) > 0 && at[0] == 1, "three": len(at) > 0 && at[0] <= 3,
			"any": len(at) > 0, "none": len(given(a)) == 0} {
			if is {
				f[key] += 1 / float64(len(all))
			}
		}
		texts, answers = texts+len(given(a)), answers+len(at)
	}
	f["each"], f["right"] = float64(texts)/float64(max(len(all), 1)), float64(answers)/float64(max(texts, 1))
	return f
}

func ours(a asking) []int          { return a.right }
func findingsOf(a asking) []string { return a.findings }
func ofSort(all []asking, s Sort) []asking {
	return slices.DeleteFunc(slices.Clone(all), func(a asking) bool { return a.question.Sort != s })
}

var standingColumns = []sheet.Column{{Key: "questions", Title: "questions"},
	{Key: "first", Title: "in the first", Decimals: 3}, {Key: "three", Title: "in three", Decimals: 3},
	{Key: "any", Title: "in any", Decimals: 3}, {Key: "none", Title: "no finding", Decimals: 3},
	{Key: "each", Title: "findings a question", Decimals: 1}, {Key: "right", Title: "of them right", Decimals: 3}}

func answersTable(all []asking, o AnswerOptions) sheet.Table {
	note := "findings of a brief, no model"
	if o.Research {
		note = "findings of research, no model"
	}
	asked := ofSort(all, Answerable)
	return sheet.Table{Title: fmt.Sprintf("Where the answer stands: %d questions that the documents answer",
		len(asked)), Columns: standingColumns,
		Rows: []sheet.Row{
			{Name: "citewell", Origin: sheet.Measured, Figures: standing(asked, ours, findingsOf), Note: note},
			{Name: "best BM25 sentence", Origin: sheet.Measured, Note: fmt.Sprintf("the %d best sentences of the "+
				"documents that local finds", plainFindings),
				Figures: standing(asked, func(a asking) []int { return a.rightBy }, func(a asking) []string {
					return a.plain
				})},
		}}
}

// refusalsTable says how often something is given as a finding where nothing answers.
func refusalsTable(all []asking) sheet.Table {
	t := sheet.Table{Title: "Where no document answers", Columns: []sheet.Column{
		{Key: "questions", Title: "questions"}, {Key: "findings", Title: "with findings", Decimals: 3},
		{Key: "each", Title: "findings a question", Decimals: 1}}}
	notes := map[Sort]string{Unanswerable: "nothing that is indexed is about it",
		Twisted: "of a paragraph that is indexed, changed so that it does not answer"}
	for _, sort := range sorts[1:] {
		asked := ofSort(all, sort)
		if len(asked) == 0 {
			continue
		}
		f := standing(asked, ours, findingsOf)
		t.Rows = append(t.Rows, sheet.Row{Name: string(sort), Origin: sheet.Measured, Note: notes[sort],
			Figures: map[string]float64{"questions": f["questions"], "findings": 1 - f["none"], "each": f["each"]}})
	}
	return t
}

func (a asking) missed() bool {
	if a.question.Sort == Answerable {
		return len(a.right) == 0 || a.right[0] != 1
	}
	return len(a.findings) > 0
}

func (a asking) miss() Miss {
	q := a.question
	m := Miss{ID: q.ID, Sort: q.Sort, Kind: q.Kind, Question: q.Text, Lost: a.lost,
		Wanted: strings.Join(q.answers, " / "), Nearest: a.nearest}
	for _, p := range q.accept {
		m.Wanted = strings.TrimPrefix(m.Wanted+" / "+strings.TrimPrefix(p.String(), "(?i)"), " / ")
	}
	if len(a.findings) > 0 {
		m.Given = a.findings[0]
	}
	if len(a.right) > 0 {
		m.Right = a.right[0]
	}
	return m
}
