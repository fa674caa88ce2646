package cli

import (
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"strings"

	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/rogpeppe/go-internal/testscript"
)

// quizzed is a researcher that is asked a set of questions, and grades itself. It
// answers all with the date of Larch 2.0, finds nothing on spoons, asks back about
// trees, and fails at thunder. As a judge it answers in verse where the target is
// a poem.
func quizzed(n int, a modeltest.Asked) modeltest.Reply {
	words := conversation(a)
	if strings.HasPrefix(words, "You grade an answer") {
		return graded(words)
	}
	switch {
	case strings.Contains(words, "thunder"):
		return modeltest.Fails(http.StatusUnauthorized, "no such key")
	case strings.Contains(words, "spoons"):
		return researcher{mode: "lost"}.reply(n, a)
	case strings.Contains(words, "tree"):
		return researcher{mode: "asks"}.reply(n, a)
	}
	return researcher{}.reply(n, a)
}

// conversation is all that was said, the model's own calls left out.
func conversation(a modeltest.Asked) string {
	var b strings.Builder
	messages, _ := a.Body["messages"].([]any)
	for _, m := range messages {
		message, _ := m.(map[string]any)
		if text, _ := message["content"].(string); message["role"] != "tool" {
			b.WriteString(text + "\n")
		}
	}
	return b.String()
}

var shownToJudge = regexp.MustCompile(`(?s)<<<DATA \S+ \| ([a-z ]+)>>>\n(.*?)\n<<<END`)

func graded(words string) modeltest.Reply {
	shown := map[string]string{}
	for _, part := range shownToJudge.FindAllStringSubmatch(words, -1) {
		shown[part[1]] = part[2]
	}
	grade := "incorrect"
	switch target, given := shown["target"], shown["given answer"]; {
	case target == "poem":
		return modeltest.Says("Roses are red, and so is the answer.")
	case strings.Contains(given, target):
		grade = "correct"
	case strings.Contains(given, "do not say"):
		grade = "not_attempted"
	}
	answer, err := json.Marshal(map[string]string{"reason": "That is what it says.", "grade": grade})
	if err != nil {
		panic(err) // two strings
	}
	return modeltest.Says(string(answer))
}

// What differs between two benches that found the same: times, and tokens, which are
// estimated here and count random boundaries.
var (
	tableSeconds = regexp.MustCompile(`(?m) +\d+\.\d +\d+\.\d$`)
	tableTokens  = regexp.MustCompile(`(?m)^(  (?:a question|all|grading all)) +\d+ +\d+ +\d+`)
)

// steadytables FILE NEW writes the tables of a bench without that.
func cmdSteadyTables(ts *testscript.TestScript, neg bool, args []string) {
	tables := tableSeconds.ReplaceAllString(ts.ReadFile(args[0]), "  <s>  <s>")
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(tableTokens.ReplaceAllString(tables, "$1  <in>  <out>  <tokens>")),
		0o600))
}
