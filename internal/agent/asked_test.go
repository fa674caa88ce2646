package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
)

const (
	germanPage = "https://reiher.example/zahl"
	germanText = "Im Frühjahr 2024 zählten die Wärter am See 312 Graureiher. Die Kolonie wurde im Jahr 1987 " +
		"gegründet, und sie ist die älteste im Land."
	germanReport = "Im Frühjahr 2024 zählten die Wärter am See 312 Graureiher [2]. Die Kolonie wurde im Jahr 1987 " +
		"gegründet, und sie ist die älteste im Land [2]."
	englishCount = "In the spring of 2024 the wardens counted 312 grey herons at Alder Lake [1]. The colony was " +
		"founded in 1987 [1]."
)

// wishing runs a task over herons in English and in German, and gives what came of it.
func wishing(t *testing.T, task agent.Task, o func(*agent.Options), replies ...reply) (agent.Result, *script) {
	t.Helper()
	pages := newShelf()
	pages.pages = map[string]string{"https://heron.example/count": pages.pages["https://heron.example/count"],
		germanPage: germanText}
	both := call("extract_page_content_tool", args{"reasoning": "x",
		"urls": []string{"https://heron.example/count", germanPage}})
	m := &script{replies: append([]reply{calls(searchFor("herons")), calls(both)}, replies...)}
	options := pages.options(agent.ShapeToolCalling, m)
	if o != nil {
		o(&options)
	}
	a, err := agent.New(options)
	if err != nil {
		t.Fatal(err)
	}
	task.ID = "test_1"
	r, err := a.Run(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	return r, m
}

// wasTold says whether the model was shown words before its last answer.
func wasTold(m *script, words string) bool {
	return slices.ContainsFunc(m.asked[len(m.asked)-1].Messages, func(m agent.Message) bool {
		return strings.Contains(m.Content, words)
	})
}

// The language that is asked for wins over the task's own, in the prompt and in the check;
// a text in another is sent back once, and what is wrong is a remark: no sentence of it
// counts as unproven.
func TestTheLanguageThatIsAskedFor(t *testing.T) {
	german := func(o *agent.Options) { o.Wishes.Language = "de" }
	for name, test := range map[string]struct {
		task    agent.Task
		options func(*agent.Options)
		text    string
		remark  string // after it was sent back once and came again
	}{
		"by the task": {task: agent.Task{Text: "How many herons were counted, and since when are they there? " +
			"Please answer in German."}, text: "de"},
		"by the run": {task: agent.Task{Text: "How many herons were counted, and since when are they there?",
			Wishes: agent.Wishes{Language: "de"}}, text: "de"},
		"by the setting": {task: agent.Task{Text: "How many herons were counted, and since when are they there?"},
			options: german, text: "de"},
		"task before setting": {task: agent.Task{Text: "How many herons were counted? Answer in English."},
			options: german, text: "en"},
		"its own": {task: agent.Task{Text: "How many herons were counted, and since when are they there?"},
			text: "en"},
		"of no language": {task: agent.Task{Text: "Rust vs Go"}, text: "de"},
		"another than the own": {task: agent.Task{Text: "How many herons were counted, and since when are they there?"},
			text: "de", remark: "the text is in German, and English was asked for"},
		"another than asked": {task: agent.Task{Text: "How many herons were counted? Answer in German."}, text: "en",
			remark: "the text is in English, and German was asked for"},
	} {
		t.Run(name, func(t *testing.T) {
			content, want := map[string]string{"de": germanReport, "en": englishCount}[test.text], 4
			answers := []reply{calls(reportCall(content))}
			if test.remark != "" {
				answers, want = append(answers, answers[0]), 5
			}
			r, m := wishing(t, test.task, test.options, append(answers, calls(finalCall("The report is written.")))...)
			if r.Outcome != runstore.RunAnswered || len(r.Report.Unverified) != 0 || len(m.asked) != want ||
				strings.Join(r.Report.Remarks, "|") != test.remark {
				t.Fatalf("%s: %s, after %d calls: %+v\n%s", r.Outcome, r.Reason, len(m.asked), r.Report, told(m))
			}
			if !wasTold(m, test.remark) {
				t.Errorf("the model was told %s", told(m))
			}
			if said := strings.Contains(m.asked[0].Messages[0].Content,
				"answers and reports in German"); said != (test.options != nil && test.text == "de" ||
				strings.Contains(test.task.Text, "German") || test.task.Wishes.Language == "de") {
				t.Errorf("the system prompt speaks of German: %v", said)
			}
		})
	}
}

// A report that lacks headings of the outline is sent back once, and names the lens of its run.
func TestAnOutline(t *testing.T) {
	task := agent.Task{Text: "How many herons were counted?", Lens: "birds",
		Wishes: agent.Wishes{Outline: "1. The count\n2. The colony\n"}}
	whole := "## The count\n\nIn the spring of 2024 the wardens counted 312 grey herons at Alder Lake " +
		"[1].\n\n### the " +
		"colony\n\nThe colony was founded in 1987 [1].\n"
	for name, test := range map[string]struct {
		first string
		asked int
	}{
		"whole":  {whole, 4},
		"titled": {"## The colony\n\nThe colony was founded in 1987 [1].\n", 5},
		"mended": {"## The count\n\nThe wardens counted 312 grey herons at Alder Lake in the spring of 2024 [1].\n", 5},
	} {
		t.Run(name, func(t *testing.T) {
			answers := []reply{calls(reportCall(test.first)), calls(reportCall(whole)),
				calls(finalCall("The report is written."))}
			if test.first == whole {
				answers = answers[1:]
			}
			task := task
			if name == "titled" {
				task.Wishes.Outline = "# The herons\n## The count\n## The colony\n"
			}
			r, m := wishing(t, task, nil, answers...)
			if r.Outcome != runstore.RunAnswered || len(m.asked) != test.asked || len(r.Report.Remarks) != 0 ||
				r.Report.Lens != "birds" {
				t.Errorf("%s after %d calls: %+v\n%s", r.Outcome, len(m.asked), r.Report, told(m))
			}
			if !strings.Contains(m.asked[0].Messages[0].Content, "## The count\n## The colony") {
				t.Errorf("the system prompt has no outline:\n%s", m.asked[0].Messages[0].Content)
			}
			if lacks := map[string]string{"mended": "## The colony", "titled": "## The count"}[name]; lacks != "" &&
				!wasTold(m, "has headings that the text lacks: "+lacks+"\n") &&
				!wasTold(m, "has headings that the text lacks: "+lacks+".") {
				t.Errorf("told %s", told(m))
			}
		})
	}
}

// A final answer in place of the report is held to the outline too, and says what it lacks.
func TestAnOutlineThatIsAnsweredShort(t *testing.T) {
	task := agent.Task{Text: "How many herons were counted?",
		Wishes: agent.Wishes{Outline: "## The count\n## The colony\n"}}
	short := calls(finalCall("In the spring of 2024 the wardens counted 312 grey herons at Alder Lake [1]."))
	r, m := wishing(t, task, nil, short, short)
	if r.Outcome != runstore.RunAnswered || len(m.asked) != 4 || r.Report == nil || len(r.Report.Remarks) != 1 ||
		!strings.Contains(r.Report.Remarks[0], "## The count; ## The colony") {
		t.Errorf("%s after %d calls: %+v\n%s", r.Outcome, len(m.asked), r.Report, told(m))
	}
}

// Nothing is searched or read before the user has answered to the plan, also beside it in
// one turn; what was answered reaches the model.
func TestAPlanThatWaits(t *testing.T) {
	plan := call("generate_plan_tool", args{"reasoning": "x", "research_goal": "Count the herons",
		"planned_steps": []string{"search", "read", "write"}, "search_strategies": []string{"by name", "by place"}})
	pages := newShelf()
	m := &script{replies: []reply{calls(searchFor("herons")), calls(plan, searchFor("herons")), calls(readHerons),
		calls(heronFinal)}}
	o := pages.options(agent.ShapeToolCalling, m)
	o.Own = []string{"web_search_tool", "extract_page_content_tool"} // the plan joins by itself
	answer := ""
	var questions []string
	o.Ask = func(_ context.Context, q agent.Question) (string, error) {
		questions = append(questions, q.Text)
		if n := pages.searches.Load(); n != 0 {
			t.Errorf("%d searches before the answer", n)
		}
		if answer == "" {
			return "", agent.ErrWaiting
		}
		return answer, nil
	}
	a, err := agent.New(o)
	if err != nil {
		t.Fatal(err)
	}
	task := agent.Task{ID: "test_1", Text: heronTask, Wishes: agent.Wishes{ApprovePlan: true}}
	r, err := a.Run(t.Context(), task)
	if err != nil || r.State != runstore.RunWaiting || r.Question == nil || len(r.Question.Questions) != 1 {
		t.Fatalf("%v %+v", err, r)
	}
	if want := "The plan: Count the herons\n1. search\n2. read\n3. write\nGo on with this plan? Say yes, or what to " +
		"change."; r.Question.Text != want {
		t.Errorf("asked %q", r.Question.Text)
	}
	if len(m.asked) != 2 {
		t.Errorf("asked the model %d times", len(m.asked))
	}
	answer = "yes, and look at 1987 too"
	if r, err = a.Run(t.Context(), task); err != nil || r.Outcome != runstore.RunAnswered {
		t.Fatalf("%v %+v\n%s", err, r, told(m))
	}
	if last := m.asked[2].Messages; !strings.Contains(last[len(last)-1].Content, answer) || len(questions) != 2 {
		t.Errorf("asked %q; the model was shown %+v", questions, last[len(last)-1])
	}
	if refused := m.asked[1].Messages; !strings.Contains(refused[len(refused)-1].Content,
		"call generate_plan_tool first") {
		t.Errorf("the first search was told %+v", refused[len(refused)-1])
	}
}

func TestWishesCheck(t *testing.T) {
	for name, w := range map[string]agent.Wishes{"language": {Language: "Klingon"},
		"long": {Outline: strings.Repeat("x", agent.MaxOutline+1)}} {
		if err := w.Check(); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
	w := agent.Wishes{Language: " Deutsch ", Outline: "# A\nfree words\n## B"}
	if err := w.Check(); err != nil || w.Language != "de" {
		t.Errorf("%v %+v", err, w)
	}
}
