package agent

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/internal/notation"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/rank"
)

// end makes the run over. What it came to is kept first, so that its citations can be checked again.
func (r *run) end(ctx context.Context, state runstore.RunState, outcome runstore.RunOutcome) error {
	if err := r.sync(ctx); err != nil {
		return err
	}
	r.outcome = outcome
	if r.reason = r.because(outcome, r.report); r.report != nil {
		r.explain(outcome, r.report)
		if r.o.Archive != nil {
			if err := r.o.Archive.PutBrief(ctx, r.report.Brief()); err != nil {
				return &brokenError{fmt.Errorf("agent: report: %w", err)}
			}
		}
	}
	r.become(state)
	r.tell("over", "", string(outcome), r.reason)
	return nil
}

// because says in a person's words why a run with this outcome has no whole answer, with
// the settings that have to do with it; empty where it has one.
func (r *run) because(outcome runstore.RunOutcome, report *citewell.Report) string {
	why := r.shortOf(outcome, report)
	if outcome == runstore.RunAnswered || outcome == runstore.RunModelFailed {
		return why
	}
	for _, setting := range slices.Sorted(maps.Keys(r.bars)) {
		if !strings.Contains(why, setting) { // the reason may have been said before
			why += fmt.Sprintf("; a call of %s was refused, which %s could allow", r.bars[setting], setting)
		}
	}
	return strings.TrimPrefix(why, "; ")
}

// shortOf says why such a run has no whole answer, as far as it ended by itself.
func (r *run) shortOf(outcome runstore.RunOutcome, report *citewell.Report) string {
	marked := 0
	if report != nil {
		marked = len(report.Unverified)
	}
	switch {
	case outcome == runstore.RunAnswered:
		return ""
	case settings[r.reason] != "":
		return r.reason + " (" + settings[r.reason] + ")"
	case r.reason != "":
		return r.reason
	case r.closing != "" && outcome == runstore.RunOverBudget:
		return r.closing + " (" + settings[r.closing] + ")"
	case report != nil && report.Reason != "":
		return strings.TrimSuffix(report.Reason, quotedInstead)
	case outcome == runstore.RunPartial && marked > 0:
		return fmt.Sprintf("what is marked ⚠ (%d) is not borne out by the sources", marked)
	case outcome == runstore.RunPartial && report != nil && len(report.Sources) == 0: // the answer behind it holds
		return "the report cites no source that was found"
	case outcome == runstore.RunNoSources && marked > 0: // a greeting needs none
		return "it cites no source that was found, and nothing in it is proven"
	}
	return ""
}

// explain writes into a report what it comes to, and why. A report that is no whole answer is no
// surer than medium, and one without sources low, whatever its model says.
func (r *run) explain(outcome runstore.RunOutcome, report *citewell.Report) {
	quoted := strings.HasSuffix(report.Reason, quotedInstead)
	report.Outcome, report.Reason = string(outcome), r.because(outcome, report)
	if quoted {
		report.Reason += quotedInstead
	}
	switch {
	case report.Confidence == "" || outcome == runstore.RunAnswered:
	case outcome == runstore.RunNoSources:
		report.Confidence = confidenceLow
	case report.Confidence == confidenceHigh:
		report.Confidence = confidenceMedium
	}
}

// settings are those that say when a run has to come to an end, by the reason.
var settings = map[string]string{
	closingBudget:   "budget.tokens, budget.usd",
	errWall.Error(): "budget.tokens, budget.usd",
	closingTime:     "budget.wall_time",
	reasonTime:      "budget.wall_time",
	reasonSteps:     "execution.max_iterations",
}

// Bounds of what an answer that code writes is made from.
const (
	snippetsUsed = 10
	pagesUsed    = 3 // that are read for it, where none was
)

// finish ends a run whose model did not: with the report it has written, or with what the sources say that were read.
func (r *run) finish(ctx context.Context, reason string, outcome runstore.RunOutcome) error {
	r.key, r.reason = fmt.Sprintf("t%d/finish", r.turn), reason
	state := runstore.RunCompleted
	if outcome == runstore.RunModelFailed {
		state = runstore.RunFailed
	}
	if r.report != nil {
		if outcome == runstore.RunPartial {
			outcome = r.outcomeOf(r.report)
		}
		r.answer = r.report.Content
		return r.end(ctx, state, outcome)
	}
	if outcome != runstore.RunOverBudget && r.pagesRead() == 0 {
		if err := r.readBest(ctx); err != nil {
			return err
		}
	}
	v, err := r.quoted(ctx)
	if err != nil {
		return err
	}
	v.instead = reason + quotedInstead
	if len(v.findings) == 0 {
		if outcome == runstore.RunPartial {
			outcome = runstore.RunNoSources
		}
		r.answer = "No answer: " + reason + ", and no source was read that says anything on the task."
		return r.end(ctx, runstore.RunFailed, outcome)
	}
	answer, err := r.reportOf(ctx, r.task, "", v)
	if err != nil {
		return err
	}
	if err := r.keepAnswer(ctx, answer); err != nil {
		return err
	}
	r.answer = v.content
	return r.end(ctx, state, outcome)
}

// quotedInstead is said of an answer that code wrote.
const quotedInstead = "; what follows are the words of the sources, as a search quotes them"

// orQuoted gives what the sources say in place of a text that cites none of them, though it
// states what would need it, and was sent back for that: nothing in it is proven.
func (r *run) orQuoted(ctx context.Context, v verified) (verified, error) {
	states := slices.ContainsFunc(v.unverified, func(u citewell.UnverifiedPhrase) bool {
		return u.Problem != problemNoCitation
	})
	if r.outside || len(v.findings) > 0 || !states || r.pagesRead() == 0 {
		return v, nil
	}
	q, err := r.quoted(ctx)
	if err != nil || len(q.findings) == 0 {
		return v, err
	}
	q.instead = "what the model wrote cites no source that was found, and is left out" + quotedInstead
	return q, nil
}

// readBest reads the sources whose titles and snippets say most of the task: what is
// quoted from a page is proven, what a search said of it is not.
func (r *run) readBest(ctx context.Context) error {
	var said []citewell.Passage
	for _, s := range r.sources.list[:min(len(r.sources.list), snippetsUsed)] {
		said = append(said, citewell.Passage{Source: s.N, Text: s.Title + ". " + s.Snippet})
	}
	var best []int
	for _, scored := range rank.Passages(r.task, said, rank.Options{Language: text.Language(r.task)}) {
		if best = append(best, said[scored.Index].Source); len(best) == pagesUsed {
			break
		}
	}
	return r.readCited(ctx, best)
}

// quoted answers the task in the words of the sources: what a brief of the same question
// would quote of them, each with its number.
func (r *run) quoted(ctx context.Context) (verified, error) {
	v := verified{findings: []citewell.Finding{}, unverified: []citewell.UnverifiedPhrase{},
		language: text.Language(r.task)}
	if err := r.sync(ctx); err != nil {
		return v, err
	}
	read := r.pagesRead() > 0
	var texts []brief.Text
	for i, s := range r.sources.list {
		if !read && i < snippetsUsed {
			if err := r.settleSnippet(ctx, s); err != nil {
				return v, err
			}
		}
		if s.settled && read == s.wasRead() {
			doc := s.doc
			doc.Passages = s.passages
			texts = append(texts, brief.Text{Source: s.Source, Document: doc})
		}
	}
	for _, f := range brief.Quote(r.task, texts) {
		var numbers []int
		for _, c := range f.Citations {
			numbers = append(numbers, c.N)
		}
		shown, removed := r.prepared(f.Text, numbers)
		f.Topic, f.Text, f.Why = "", shown, nil
		v.findings, v.removed = append(v.findings, f), append(v.removed, removed...)
		if v.content != "" {
			v.content += "\n"
		}
		v.content += "- "
		place := citewell.Place{Start: len(v.content), Finding: len(v.findings) - 1}
		v.content += fmt.Sprintf("“%s” %s", shown, notation.Numbers(numbers...))
		place.End = len(v.content)
		v.places = append(v.places, place)
	}
	return v, nil
}
