package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/text"
)

const (
	minRunPart = 4  // letters of an id that may stand for the whole
	nearRuns   = 3  // named where an id is not known
	uuidLength = 36 // the end of a run's id
)

// uuidOf is the part of a run's id that no other run has.
func uuidOf(id string) string { return id[max(0, len(id)-uuidLength):] }

// shortID is what a run can be called by on a terminal.
func shortID(id string) string {
	short, _, _ := strings.Cut(uuidOf(id), "-")
	return short
}

// findRun gives the run that a person means: by its id, by the beginning of the id or of its UUID, or by its end.
func findRun(ctx context.Context, runs *app.Runs, name string) (job.Status, error) {
	status, err := runs.Status(ctx, name)
	if citewell.CodeOf(err) != citewell.CodeNotFound {
		return status, err
	}
	if len(name) < minRunPart {
		return status, usage(fmt.Sprintf("%q is too short for a part of a run's id; %d letters are needed", name,
			minRunPart), "citewell runs list has them all")
	}
	var all, meant []string
	for cursor := ""; ; {
		page, next, err := runs.List(ctx, runstore.RunQuery{Limit: runstore.MaxRunPage, Cursor: cursor})
		if err != nil {
			return status, err
		}
		for _, run := range page {
			all = append(all, run.ID)
			if strings.HasPrefix(run.ID, name) || strings.HasPrefix(uuidOf(run.ID), name) ||
				strings.HasSuffix(run.ID, name) {
				meant = append(meant, run.ID)
			}
		}
		if cursor = next; cursor == "" {
			break
		}
	}
	switch len(meant) {
	case 1:
		return runs.Status(ctx, meant[0])
	case 0:
		return status, noSuchRun(name, all)
	}
	more := ""
	if len(meant) > 5 {
		more = fmt.Sprintf(" and %d more", len(meant)-5)
	}
	return status, usage(fmt.Sprintf("%d runs are meant by %.80q", len(meant), name),
		"they are "+strings.Join(meant[:min(5, len(meant))], ", ")+more)
}

// idCalled is the id of the kept brief or run that a name means: its whole id, the beginning of a brief's, or for a run
// what findRun takes. not_found where the store has none, or has no such thing.
func (e *env) idCalled(ctx context.Context, a *app.App, name string) (string, error) {
	if briefID.MatchString(name) {
		return name, nil
	}
	if a.Store == nil || len(name) < minRunPart {
		return "", &citewell.Error{Code: citewell.CodeNotFound,
			Message: fmt.Sprintf("no brief or run is called %.120q", name)}
	}
	runs, err := a.Runs(ctx)
	if err != nil {
		return "", err
	}
	run, noRun := findRun(ctx, runs, name)
	if noRun == nil || citewell.CodeOf(noRun) != citewell.CodeNotFound {
		return run.ID, noRun
	}
	const enough = 5
	briefs, err := a.Store.BriefIDs(ctx, name, enough)
	switch {
	case err != nil:
		return "", err
	case len(briefs) == 0:
		return "", noRun
	case len(briefs) > 1:
		return "", usage(fmt.Sprintf("several briefs are meant by %q", name), "they are "+strings.Join(briefs, ", "))
	}
	return briefs[0], nil
}

// noSuchRun names the runs, newest first, that a name is nearest to.
func noSuchRun(name string, all []string) error {
	hint := "there are no runs yet"
	if len(all) > 0 {
		parts := make([]string, len(all))
		for i, id := range all {
			parts[i] = shortID(id)
		}
		hint = "the newest: " + strings.Join(all[:min(nearRuns, len(all))], ", ") + ";"
		if best := text.Nearest(shortID(name), parts); best != "" {
			hint = "did you mean " + all[slices.Index(parts, best)] + "?"
		}
		hint += " citewell runs list has them all"
	}
	return &citewell.Error{Code: citewell.CodeNotFound, Op: "runs",
		Message: fmt.Sprintf("there is no run %.120q", name), Hint: hint}
}
