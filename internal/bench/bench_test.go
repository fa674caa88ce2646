package bench

import (
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/benchtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A folder that is not the set it should be is refused by name, with what was expected.
func TestBadFolders(t *testing.T) {
	for _, test := range []struct {
		name    string
		files   map[string]string
		code    citewell.Code
		message string
	}{
		{"no_documents", map[string]string{"questions.jsonl": "{}"}, citewell.CodeNotFound, "docs is no folder"},
		{"no_questions", map[string]string{"docs/a.md": "a"}, citewell.CodeNotFound, "has no questions.jsonl"},
		{"no_pattern", map[string]string{"docs/a.md": "a", "questions.jsonl": `{"id":"q7","patterns":["("]}`},
			citewell.CodeInvalidArgument, "question q7"},
		{"few_articles", map[string]string{"articles.json": "[]"}, citewell.CodeInvalidArgument, "0 articles"},
	} {
		_, err := ReadAnswers(benchtest.Folder(t, test.files), "", AnswerOptions{})
		if view := citewell.View(err); view.Code != test.code || !strings.Contains(view.Message, test.message) {
			t.Errorf("%s: got %s: %s", test.name, view.Code, view.Message)
		}
	}
}
