package cli

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/rogpeppe/go-internal/testscript"
)

// A label is what is right of a statement.
type label struct {
	Statement string `json:"statement"`
	Verdict   string `json:"verdict"`
	Quote     string `json:"quote"`
	Reason    string `json:"reason"`
}

// A labelled judge answers by the labels that it knows, and takes what stands in a passage word for
// word for true; all else is not stated. An answer that is always the same is given to all.
type labelled struct {
	known  map[string]label
	always string
}

// newLabelled is a judge that is right of the shipped examination and of further statements.
func newLabelled(further []label) (*labelled, error) {
	file, err := os.Open(filepath.Join(testdata, "..", "..", "judge", "exam.jsonl"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	j := &labelled{known: map[string]label{}}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var pair struct {
			Truth              bool
			Statement, Passage string
		}
		if err := json.Unmarshal(lines.Bytes(), &pair); err != nil {
			return nil, err
		}
		if pair.Truth {
			j.known[pair.Statement] = label{Verdict: "supported", Quote: pair.Passage}
		}
	}
	for _, l := range further {
		j.known[l.Statement] = l
	}
	return j, nil
}

func (j *labelled) reply(_ int, a modeltest.Asked) modeltest.Reply {
	said := a.Last()
	var asked struct {
		Statements []struct {
			N        int
			Text     string
			Passages []struct {
				N    int
				Text string
			}
		}
	}
	if from, to := strings.IndexByte(said, '{'), strings.LastIndexByte(said, '}'); from < 0 || json.Unmarshal([]byte(said[from:to+1]), &asked) != nil {
		return modeltest.Fails(400, "that is nothing to judge")
	}
	texts, verdicts := map[int]string{}, []map[string]any{}
	for _, s := range asked.Statements {
		v := map[string]any{"n": s.N, "differs": "", "verdict": "not_stated", "passage": 0, "quote": "", "reason": ""}
		for _, p := range s.Passages {
			if texts[p.N] == "" {
				texts[p.N] = p.Text
			}
			if strings.Contains(texts[p.N], s.Text) || j.always != "" {
				v["verdict"], v["quote"], v["passage"] = "supported", texts[p.N], p.N
			}
		}
		if l, ok := j.known[s.Text]; ok {
			v["verdict"], v["quote"], v["reason"] = l.Verdict, l.Quote, l.Reason
		}
		if j.always != "" {
			v["verdict"] = j.always
		}
		verdicts = append(verdicts, v)
	}
	answer, err := json.Marshal(map[string]any{"verdicts": verdicts})
	if err != nil {
		return modeltest.Fails(500, err.Error())
	}
	return modeltest.Says(string(answer))
}

// judgeServers are those of scripts, by their addresses.
var judgeServers sync.Map

// judge right FILE|always VERDICT starts a judge and configures it: one that is right by the labels of
// FILE, JSON Lines, or one that gives all statements the same verdict. judge down stops it, judge
// asked N says that the judge got N requests until now.
func cmdJudge(ts *testscript.TestScript, neg bool, args []string) {
	if args[0] == "asked" || args[0] == "down" {
		started, ok := judgeServers.Load(ts.Getenv("CITEWELL__JUDGE__BASE_URL"))
		if !ok {
			ts.Fatalf("no judge was started")
		}
		m := started.(*modeltest.Server)
		if args[0] == "down" {
			m.Follow(modeltest.InOrder(modeltest.Fails(401, "go away")))
			return
		}
		if want, err := strconv.Atoi(args[1]); err != nil || len(m.Asked()) != want {
			ts.Fatalf("the judge was asked %d times", len(m.Asked()))
		}
		return
	}
	var list []label
	if args[0] == "right" {
		for line := range strings.Lines(ts.ReadFile(args[1])) {
			var l label
			ts.Check(json.Unmarshal([]byte(line), &l))
			list = append(list, l)
		}
	}
	j, err := newLabelled(list)
	ts.Check(err)
	if args[0] == "always" {
		j.always = args[1]
	}
	m := modeltest.New()
	m.Script, m.Models = j.reply, `{"data":[{"id":"arbiter","max_model_len":32768}]}`
	ts.Defer(m.Close)
	for name, value := range map[string]string{"USE": "auto", "MODEL": "arbiter", "BASE_URL": m.Base()} {
		ts.Setenv("CITEWELL__JUDGE__"+name, value)
	}
	judgeServers.Store(m.Base(), m)
}
