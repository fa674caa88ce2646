package judge

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/llm"
)

// small answers as bespoke-minicheck does: it takes what the document has word for word for true,
// and what statements say that are right.
type small struct {
	scripted
	mu    sync.Mutex
	asked []string
}

func (*small) Name() string { return "bespoke-MiniCheck:7b" }

func (s *small) Chat(_ context.Context, r llm.Request) (llm.Reply, error) {
	prompt := r.Messages[0].Content
	s.mu.Lock()
	s.asked = append(s.asked, prompt)
	s.mu.Unlock()
	document, claim, _ := strings.Cut(strings.TrimPrefix(prompt, "Document: "), "\nClaim: ")
	if strings.Contains(document, claim) {
		return llm.Reply{Text: "Yes"}, nil
	}
	for _, known := range statements {
		if known.text == claim && known.right == "supported" {
			return llm.Reply{Text: "Yes."}, nil
		}
	}
	return llm.Reply{Text: "No"}, nil
}

func TestMinicheck(t *testing.T) {
	model := &small{}
	list := inquiriesOf(statements)
	list[0].Text += " Monks sold honey there." // the second sentence is nowhere
	opinions, err := New(Options{Model: model}).Ask(t.Context(), Question{}, list, nil)
	want := []string{"partly", "unsupported", "supported", "unsupported", "supported", "unsupported", "unsupported",
		"supported"}
	if d := cmp.Diff(want, verdictsOf(opinions)); d != "" || err != nil {
		t.Error(d, err)
	}
	if want := "Trains carried slate from the quarries of Penhollow to the coast."; opinions[4].Quote != want {
		t.Errorf("%q", opinions[4].Quote)
	}
	if want := "Document: " + valley[2] + "\nClaim: " + statements[4].text; !strings.Contains(strings.Join(model.asked,
		"\x00"), want) {
		t.Error("the prompt is another:", model.asked[0])
	}
}

func TestClassify(t *testing.T) {
	labels := []string{"ENTAILMENT", "contradiction", "Neutral"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Inputs [][2]string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || r.URL.Path != "/predict" ||
			len(asked.Inputs) > 32 {
			t.Error(r.URL.Path, err)
		}
		answer := [][]llm.Label{}
		for _, pair := range asked.Inputs {
			best := 2
			if strings.Contains(pair[0], pair[1]) {
				best = 0
			}
			for _, known := range statements {
				if known.text == pair[1] && valley[known.passage] == pair[0] {
					best = map[string]int{"supported": 0, "contradicted": 1, "not_stated": 2}[known.right]
				}
			}
			answer = append(answer, []llm.Label{{Label: labels[(best+1)%3], Score: .1},
				{Label: labels[best], Score: .8}, {Label: labels[(best+2)%3], Score: .1}})
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	}))
	defer server.Close()
	guard, err := egress.NewGuard(egress.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := llm.NewClassifier(llm.ClassifierOptions{BaseURL: server.URL, Model: "nli", Guard: guard})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	list := inquiriesOf(statements)
	list[4].Passages = append([]cite.Shown{{Passage: citewell.Passage{
		Source: 9, Text: "Something else entirely is told here."}}}, list[4].Passages...)
	opinions, err := New(Options{Classifier: c}).Ask(t.Context(), Question{}, list, nil)
	want := []string{"supported", "contradicted", "supported", "unsupported", "supported", "contradicted",
		"unsupported", "supported"}
	if d := cmp.Diff(want, verdictsOf(opinions)); d != "" || err != nil {
		t.Error(d, err)
	}
	labels = []string{"LABEL_0", "LABEL_1", "LABEL_2"}
	_, err = New(Options{Classifier: c}).Ask(t.Context(), Question{}, list, nil)
	if citewell.CodeOf(err) != citewell.CodeInvalidConfig || !strings.Contains(err.Error(), "LABEL_") {
		t.Error(err)
	}
}

// A real client over the wire: its answer is no JSON at first, and is asked for again by llm.
func TestOverTheWire(t *testing.T) {
	tries := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost { // it is asked for its window
			http.NotFound(w, r)
			return
		}
		tries++
		var body struct {
			Messages []struct{ Content string }
			Format   struct {
				Type string
			} `json:"response_format"`
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		w.Header().Set("Content-Type", "application/json")
		said := `{"verdicts": [{"n": 1, "verdict"`
		if tries > 1 {
			content := body.Messages[1].Content
			var data wire
			if err := json.Unmarshal([]byte(content[strings.Index(content, "\n")+1:strings.LastIndex(content, "\n")]),
				&data); err != nil {
				t.Error(err)
			}
			answer, _ := json.Marshal(map[string]any{"verdicts": right(data)})
			said = string(answer)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{
			map[string]any{"message": map[string]any{"role": "assistant", "content": said}, "finish_reason": "stop"}}})
	}))
	defer server.Close()
	guard, err := egress.NewGuard(egress.Options{})
	if err != nil {
		t.Fatal(err)
	}
	client, err := llm.New(llm.Options{BaseURL: server.URL + "/v1", Model: "m", Guard: guard})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	list := inquiriesOf([]asked{statements[0], statements[2], statements[4], statements[7]})
	opinions, err := New(Options{Model: client}).Ask(t.Context(), Question{}, list, nil)
	if d := cmp.Diff([]string{"supported", "supported", "supported", "supported"}, verdictsOf(opinions)); err != nil ||
		tries != 2 || d != "" {
		t.Log(d, tries, err)
		t.Fail()
	}
}
