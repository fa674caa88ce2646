package cite_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/citewell/citewell/cite"
)

type labelledPair struct {
	Conflict bool   `json:"conflict"`
	A        string `json:"a"`
	B        string `json:"b"`
	LangA    string `json:"lang_a"`
	LangB    string `json:"lang_b"`
	AboutA   string `json:"about_a"`
	AboutB   string `json:"about_b"`
	Note     string `json:"note"`
}

func (p labelledPair) statements() (a, b cite.Statement) {
	return cite.Statement{Text: p.A, Lang: p.LangA, About: p.AboutA}, cite.Statement{Text: p.B, Lang: p.LangB, About: p.AboutB}
}

func labelledPairs(t *testing.T) []labelledPair {
	t.Helper()
	file, err := os.Open("testdata/conflicts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var pairs []labelledPair
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var p labelledPair
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		pairs = append(pairs, p)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return pairs
}

func TestClashKeysGroupWhatAgrees(t *testing.T) {
	clash := func(a, b string) cite.Clash {
		c, ok := cite.Conflict(cite.Statement{Text: a, Lang: "en"}, cite.Statement{Text: b, Lang: "en"})
		if !ok {
			t.Fatalf("no conflict: %s | %s", a, b)
		}
		return c
	}
	other := "The plant opened on 2 September 2019."
	if a, b := clash("The plant opened on 14 May 2019.", other), clash("The plant was opened on May 14, 2019.", other); a.KeyA != b.KeyA || a.KeyA != "2019-05-14" || a.KeyB == a.KeyA {
		t.Errorf("keys %q, %q against %q", a.KeyA, b.KeyA, a.KeyB)
	}
	other = "The bridge is 900 m long."
	if a, b := clash("The bridge is 1.2 km long.", other), clash("The bridge is 1,200 metres long.", other); a.KeyA != b.KeyA || a.KeyB == a.KeyA {
		t.Errorf("keys %q, %q against %q", a.KeyA, b.KeyA, a.KeyB)
	}
}

// The pairs were labelled by hand. A shown disagreement that is none costs a
// reader's trust, a missed one is what they have today: hence the two floors.
func TestConflictOnLabelledPairs(t *testing.T) {
	pairs := labelledPairs(t)
	if len(pairs) < 60 {
		t.Fatalf("only %d pairs", len(pairs))
	}
	var found, right, conflicts int
	for _, p := range pairs {
		a, b := p.statements()
		clash, ok := cite.Conflict(a, b)
		if _, back := cite.Conflict(b, a); back != ok {
			t.Errorf("not symmetrical: %s | %s", p.A, p.B)
		}
		if ok && (!strings.Contains(p.A, clash.A) || !strings.Contains(p.B, clash.B) || clash.Subject == "") {
			t.Errorf("clash %+v is not in the words of %s | %s", clash, p.A, p.B)
		}
		if p.Conflict {
			conflicts++
		}
		if ok {
			found++
			if p.Conflict {
				right++
			}
		}
		if ok != p.Conflict {
			t.Logf("conflict %v, labelled %v (%s): %s | %s  %+v", ok, p.Conflict, p.Note, p.A, p.B, clash)
		}
	}
	precision, recall := float64(right)/float64(max(found, 1)), float64(right)/float64(conflicts)
	t.Logf("%d pairs, %d conflicts: precision %.3f, recall %.3f", len(pairs), conflicts, precision, recall)
	if precision < 0.95 || recall < 0.8 {
		t.Errorf("precision %.3f (floor 0.95), recall %.3f (floor 0.8)", precision, recall)
	}
}
