// Package doctor tests for real what Citewell depends on: each provider with a search, the model with a question, the
// store with a write and a read.
//
// Flow: [Probe] → run side by side, each with its deadline → [Finding] in order. A part is ok only if it was called.
// Concurrency: Examine waits for every probe that it started.
package doctor

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/citewell/citewell"
)

// Timeout bounds one probe that has no limit of its own.
const Timeout = 20 * time.Second

// PartJudge is the part of the probe that examines the judge, and partProvider that of one that tries a provider.
const (
	PartJudge    = "judge"
	partProvider = "provider"
)

// A Probe tries one thing. Try says what it saw, and fails with a typed error.
type Probe struct {
	Part  string // provider, model, judge, store, sandbox, guard
	Name  string
	Off   string        // why it is not tried; then it is no failure
	Limit time.Duration // how long it may take; Timeout when 0
	Try   func(ctx context.Context) (Answer, error)
}

// An Answer is what a probe saw of a thing that works.
type Answer struct {
	Detail string
	Doubt  string // why it works less well than it should; empty where it does not
	Hint   string // what helps against the doubt
}

// A State is what came of a probe.
type State string

// A part that is switched off or not configured is off, not failed; a warning is
// for what answers, but not as it should.
const (
	OK      State = "ok"
	Warning State = "warning"
	Failed  State = "failed"
	Off     State = "off"
)

// A Finding is what one probe found.
type Finding struct {
	Part      string        `json:"part"`
	Name      string        `json:"name"`
	State     State         `json:"state"`
	Code      citewell.Code `json:"code,omitempty"`
	Detail    string        `json:"detail,omitempty"`
	Hint      string        `json:"hint,omitempty"`
	ElapsedMS int64         `json:"elapsed_ms"`
}

// Examine runs all probes at once and returns what each found, in their order.
func Examine(ctx context.Context, probes []Probe) []Finding {
	findings := make([]Finding, len(probes))
	var wg sync.WaitGroup
	for i, p := range probes {
		findings[i] = Finding{Part: p.Part, Name: p.Name, State: Off, Detail: p.Off}
		if p.Off != "" {
			continue
		}
		wg.Go(func() {
			began := time.Now()
			ctx, cancel := context.WithTimeout(ctx, cmp.Or(p.Limit, Timeout))
			defer cancel()
			answer, err := p.Try(ctx)
			f := &findings[i]
			f.State, f.Detail, f.ElapsedMS = OK, answer.Detail, time.Since(began).Milliseconds()
			if answer.Doubt != "" {
				f.State, f.Hint = Warning, answer.Hint
				f.Detail = strings.TrimPrefix(f.Detail+"; "+answer.Doubt, "; ")
			}
			if err != nil {
				view := citewell.View(err)
				f.State, f.Code, f.Detail, f.Hint = Failed, view.Code, view.Message, view.Hint
			}
		})
	}
	wg.Wait()
	return findings
}

// Healthy says whether nothing that was tried failed.
func Healthy(findings []Finding) bool {
	return !slices.ContainsFunc(findings, func(f Finding) bool { return f.State == Failed })
}

// Unreached names the providers whose hosts have no address, if there are two or more and no other provider was tried
// but local: then the network fails, and not they.
func Unreached(findings []Finding, local string) (names []string) {
	for _, f := range findings {
		switch {
		case f.Part != partProvider || f.State == Off || f.Name == local:
		case f.Code != citewell.CodeDNSFailed:
			return nil
		default:
			names = append(names, f.Name)
		}
	}
	if len(names) < 2 {
		return nil
	}
	return names
}
