package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/citewell/citewell/internal/testing/score"
)

// A twoPart is a question with a second one behind it that points back to what it is about.
type twoPart struct {
	text, second string
	answers      []string // of the second; none where the article is about other things
}

// How many of the second parts are to be answered, and how many may be where nothing answers:
// a little beside what doc/bench.md has.
const (
	leastRight = 0.80
	mostWrong  = 0.35
	mostAsked  = 60 // questions of each sort
)

var (
	asksOf = regexp.MustCompile(`(?i)^(what|who|when|where|which|how|why|in what|in which)\b`)
	nameOf = regexp.MustCompile(`(?:the )?\b[A-Z][\p{L}'-]+(?: (?:of |and |the )*[A-Z0-9][\p{L}0-9'-]+)*`)
)

// twoParts joins questions of a paragraph that name the same thing, and each with a question
// about another article's thing: "and in what year was it elected to chair?".
func twoParts(t *testing.T, file, docs string) (answered, unanswered []twoPart) {
	t.Helper()
	var articles []struct {
		Title      string
		Paragraphs []struct {
			Text      string
			Questions []struct {
				Question string
				Answers  []string
			}
		}
	}
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &articles)
	}
	if err != nil {
		t.Fatal(err)
	}
	join := func(first, second, name string, answers []string) twoPart {
		second = strings.Replace(strings.TrimRight(second, "? "), name, "it", 1)
		second = strings.ToLower(second[:1]) + second[1:]
		return twoPart{strings.TrimRight(first, "? ") + ", and " + second + "?", second, answers}
	}
	for i, article := range articles {
		page := "# " + article.Title + "\n"
		other := articles[(i+1)%len(articles)].Paragraphs
		for n, p := range article.Paragraphs {
			page += "\n" + p.Text + "\n"
			for at, q := range p.Questions {
				names := nameOf.FindAllString(q.Question, -1)
				// the first is its first word
				if len(q.Answers) == 0 || !asksOf.MatchString(q.Question) || len(names) < 2 {
					continue
				}
				for _, q2 := range p.Questions[at+1:] {
					if len(q2.Answers) > 0 && asksOf.MatchString(q2.Question) &&
						strings.Contains(q2.Question, names[1]) {
						answered = append(answered, join(q.Question, q2.Question, names[1], q2.Answers))
					}
				}
				if elsewhere := other[n%len(other)].Questions; len(elsewhere) > 0 {
					q2 := elsewhere[at%len(elsewhere)].Question
					if names := nameOf.FindAllString(q2, -1); asksOf.MatchString(q2) && len(names) == 2 {
						unanswered = append(unanswered, join(q.Question, q2, names[1], nil))
					}
				}
			}
		}
		if err := os.WriteFile(filepath.Join(docs, fmt.Sprintf("%d.md", i)), []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return every(answered), every(unanswered)
}

// every takes as many as are asked, from all over the list.
func every(list []twoPart) (some []twoPart) {
	for i := range min(mostAsked, len(list)) {
		some = append(some, list[i*len(list)/min(mostAsked, len(list))])
	}
	return some
}

// A second question that points back to the first one's subject shares all words of that, which
// makes nothing that is said of the subject an answer to it. The first line of the log is of
// seconds that the documents answer, the other of those about something else.
func TestTwoParts(t *testing.T) {
	if testing.Short() || score.RaceDetector {
		t.Skip("measures quality for half a minute")
	}
	docs := t.TempDir()
	answered, unanswered := twoParts(t, realpart.Data(t, "answers-squad", "articles.json"), docs)
	answerer, err := BenchAnswerer(t.Context(), docs)
	if err != nil {
		t.Fatal(err)
	}
	defer answerer.Close()
	ask := func(list []twoPart) (right, under, named float64) {
		for _, q := range list {
			b, err := answerer.Brief(t.Context(), q.text)
			if err != nil {
				t.Fatal(err)
			}
			has, is := false, false
			for _, f := range b.Findings {
				is = is || strings.EqualFold(f.Topic, q.second)
				has = has || slices.ContainsFunc(q.answers, func(a string) bool {
					return strings.Contains(strings.ToLower(f.Text), strings.ToLower(a))
				})
			}
			each := 1 / float64(len(list))
			if has {
				right += each
			}
			if is {
				under += each
			}
			if strings.Contains(strings.Join(b.Gaps, " "), q.second) {
				named += each
			}
		}
		return right, under, named
	}
	right, under, named := ask(answered)
	t.Logf("%d answered: %.3f have the answer, %.3f findings under the second part, %.3f name it as a gap",
		len(answered), right, under, named)
	if right < leastRight {
		t.Errorf("%.3f of the second parts are answered, least is %.2f", right, leastRight)
	}
	_, under, named = ask(unanswered)
	t.Logf("%d unanswered: %.3f findings under the second part, %.3f name it as a gap", len(unanswered), under, named)
	if under > mostWrong {
		t.Errorf("%.3f of the second parts that nothing answers have findings, most is %.2f", under, mostWrong)
	}
}
