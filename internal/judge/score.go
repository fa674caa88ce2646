package judge

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/citewell/citewell"
)

// The rule by which a judge is believed. Of the last forty canaries of a kind, it may let at most
// one false one in ten pass and refuse at most one true one in five, counted up: of one to ten false
// ones one may pass, of eleven to twenty two, of forty four.
const (
	lastOf     = 40
	falseInTen = 10
	trueInFive = 5
	scoreTTL   = 24 * time.Hour // after that a judge is believed until it fails again
)

// A Score is how a judge did at its last canaries, the oldest first.
type Score struct {
	Passed  []bool `json:"passed"`  // of each false one, whether it passed as supported
	Refused []bool `json:"refused"` // of each true one, whether it was not supported
}

// Believed reports whether a judge with this score is believed. One without a score is.
func (s Score) Believed() bool {
	return count(s.Passed) <= allowed(len(s.Passed), falseInTen) &&
		count(s.Refused) <= allowed(len(s.Refused), trueInFive)
}

// String says the score in words.
func (s Score) String() string { return s.report("").Score() }

// report counts the score of the judge that has this name.
func (s Score) report(name string) citewell.JudgeReport {
	return citewell.JudgeReport{Name: name, Falsehoods: len(s.Passed), Passed: count(s.Passed),
		Truths: len(s.Refused), Refused: count(s.Refused), Believed: s.Believed()}
}

func allowed(n, in int) int { return (n + in - 1) / in }

func count(of []bool) (n int) {
	for _, b := range of {
		if b {
			n++
		}
	}
	return n
}

// With is the score with further canaries.
func (s Score) With(further Score) Score {
	last := func(a, b []bool) []bool {
		all := append(append([]bool{}, a...), b...)
		return all[max(0, len(all)-lastOf):]
	}
	return Score{last(s.Passed, further.Passed), last(s.Refused, further.Refused)}
}

// refuted says what is wrong with a judge by the canaries of one call alone; empty where nothing
// is. Half of the false ones, or more than half of the true ones, are too many: a page may have
// talked it into them.
func (s Score) refuted() string {
	if p := count(s.Passed); p > 0 && 2*p >= len(s.Passed) || 2*count(s.Refused) > len(s.Refused) {
		return "in this call it " + s.String()
	}
	return ""
}

// key is where the score of the endpoint, model, protocol and version of the prompt is kept.
func (j *Judge) key() string {
	version := citewell.SHA256([]byte(rules + string(schema)))
	return "judge:" + citewell.SHA256([]byte(strings.Join([]string{j.o.Endpoint, j.model(), j.o.Protocol, version},
		"\x00")))
}

// Report is how far the judge is believed.
func (j *Judge) Report(ctx context.Context) citewell.JudgeReport {
	return j.Score(ctx).report(j.Name())
}

// Score is how the judge did so far; Score.Believed says what follows.
func (j *Judge) Score(ctx context.Context) Score {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.load(ctx)
}

func (j *Judge) load(ctx context.Context) Score {
	if j.o.Cache == nil {
		return j.score
	}
	value, _, ok, err := j.o.Cache.CacheGet(ctx, j.key())
	var s Score
	if err != nil || !ok || json.Unmarshal(value, &s) != nil {
		return Score{} // a cache that fails has nothing
	}
	return Score{}.With(s)
}

// note keeps what came of further canaries.
func (j *Judge) note(ctx context.Context, further Score, afresh bool) Score {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := further
	if !afresh {
		s = j.load(ctx).With(further)
	}
	j.score = s
	if j.o.Cache != nil {
		if value, err := json.Marshal(s); err == nil {
			if err := j.o.Cache.CachePut(ctx, j.key(), value, scoreTTL); err != nil {
				j.o.Log("the judge's score is not kept", err)
			}
		}
	}
	return s
}
