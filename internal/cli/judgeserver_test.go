package cli

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/citewell/citewell/internal/testing/judgetest"
	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/rogpeppe/go-internal/testscript"
)

// judgeExamination is the examination that ships.
var judgeExamination = filepath.Join(testdata, "..", "..", "judge", "exam.jsonl")

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
	var list []judgetest.Label
	if args[0] == "right" {
		for line := range strings.Lines(ts.ReadFile(args[1])) {
			var l judgetest.Label
			ts.Check(json.Unmarshal([]byte(line), &l))
			list = append(list, l)
		}
	}
	j, err := judgetest.New(judgeExamination, list...)
	ts.Check(err)
	if args[0] == "always" {
		j.Always = args[1]
	}
	m := modeltest.New()
	m.Script, m.Models = j.Reply, `{"data":[{"id":"arbiter","max_model_len":32768}]}`
	ts.Defer(m.Close)
	for name, value := range map[string]string{"USE": "auto", "MODEL": "arbiter", "BASE_URL": m.Base()} {
		ts.Setenv("CITEWELL__JUDGE__"+name, value)
	}
	judgeServers.Store(m.Base(), m)
}
