package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/runstore"
)

// A file may show a reader more than a check of its citations looks at: another title, a section of its own, a key that
// stands twice. Where the store keeps the brief, the whole file is held against it.

// tampered adds to v what a file has otherwise than what was written: the store's brief or
// report, or, with none kept, what the file carries.
func tampered(ctx context.Context, a *app.App, kept *report.Record, f verified, v *cite.Verification) error {
	base, problems := f.record, f.stray
	if kept != nil {
		moment := f.stamp
		if !f.record.Empty() {
			moment = momentOf(f.record)
		}
		var err error
		if base, err = stamped(ctx, a, *kept, moment); err != nil {
			return err
		}
	}
	if kept != nil && !f.record.Empty() {
		problems = nil // the comparison tells them too
		path, same, err := difference(base, f)
		if err != nil {
			return err
		}
		if !same {
			problems = []cite.Problem{{Code: cite.ProblemChanged, Message: path + " is not as it was written"}}
		}
	}
	if !isJSON(f.data) {
		file := string(f.data)
		problems = append(base.Changes(file, f.stamp), problems...)
		markAltered(v, base.Altered(file))
	}
	v.Problems = append(problems, v.Problems...)
	v.OK = v.OK && len(v.Problems) == 0
	return nil
}

// markAltered fails the citations of the statements that the file has otherwise, each with what it said.
func markAltered(v *cite.Verification, altered map[string]string) {
	for i := range v.Citations {
		c := &v.Citations[i]
		if said, ok := altered[c.Statement]; ok {
			c.OK = false
			c.Problems = append(c.Problems, cite.Problem{Code: cite.ProblemChanged,
				Message: fmt.Sprintf("the file has it otherwise; it was written as %.300q", said)})
		}
	}
}

// momentOf is the stamp of a file that carries its record: what the record says of the moment it was written, which
// is how long the answer took, whether the cache gave it, how much of it is shown, the style of its list of
// references, and the outcome of a run, which may have come after the file.
func momentOf(r report.Record) (s report.Stamp) {
	var list *citewell.References
	if r.Report != nil {
		s.Outcome, list = r.Report.Outcome, r.Report.References
	} else {
		s.Compact, s.Cached, s.WallMS, list = r.Compact, r.Brief.Coverage.Cache, r.Brief.Coverage.WallMS,
			r.Brief.References
	}
	if list != nil {
		s.Style = list.Style
	}
	return s
}

// stamped is what is kept as a file with that stamp has it. The list of references is made anew: one that the store
// would not give is a change, whoever wrote the hash.
func stamped(ctx context.Context, a *app.App, kept report.Record, s report.Stamp) (r report.Record, err error) {
	if kept.Report != nil {
		of := *kept.Report
		if outcome := runstore.RunOutcome(s.Outcome); slices.Contains(runstore.RunOutcomes, outcome) {
			of.Outcome = s.Outcome
		}
		if of.References = nil; s.Style != "" {
			of, err = report.WithReferences(ctx, of, a.Store, s.Style)
		}
		return report.Record{Report: &of}, err
	}
	of := *kept.Brief
	if s.Cached {
		of.Coverage.Cache, of.Coverage.WallMS = true, s.WallMS
	}
	if of.References = nil; s.Style != "" {
		of, err = report.BriefWithReferences(ctx, of, a.Store, s.Style)
	}
	return report.Record{Brief: &of, Compact: s.Compact}, err
}

// difference gives the path of the first thing that a file has otherwise as data than
// was written. A JSON file is taken as its readers take it, with keys that are none of
// ours; the error that a brief without an answer was printed with is one of them.
func difference(was report.Record, f verified) (path string, same bool, err error) {
	is := f.data
	if !isJSON(is) {
		if is, err = json.Marshal(f.record.Content()); err != nil {
			return "", false, fmt.Errorf("verify: the file's data cannot be compared: %w", err)
		}
	}
	kept, err := json.Marshal(was.Content())
	if err != nil {
		return "", false, fmt.Errorf("verify: what is kept cannot be compared: %w", err)
	}
	file := generic(is)
	if fields, ok := file.(map[string]any); ok && isErrorView(fields["error"]) {
		delete(fields, "error")
	}
	path, same = firstDifference(generic(kept), file, "")
	return path, same, nil
}

// isErrorView reports whether a value is the error that a brief without an answer was printed with.
func isErrorView(value any) bool {
	fields, ok := value.(map[string]any)
	return ok && fields["code"] == string(citewell.CodeAllProvidersFailed)
}

// briefHexID is the id of what is no run.
var briefHexID = lazyregexp.New(`^[0-9a-f]{32}$`)

func isJSON(data []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) }

func generic(data []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil
	}
	return value
}

// firstDifference gives the path of the first thing that two JSON values have otherwise.
func firstDifference(a, b any, path string) (string, bool) {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok {
			return path, false
		}
		keys := slices.Sorted(maps.Keys(a))
		for key := range b {
			if _, known := a[key]; !known {
				keys = append(keys, key)
			}
		}
		for _, key := range keys {
			if at, same := firstDifference(a[key], b[key], path+"."+key); !same {
				return at, false
			}
		}
		return "", true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return path, false
		}
		for i := range a {
			if at, same := firstDifference(a[i], b[i], fmt.Sprintf("%s[%d]", path, i)); !same {
				return at, false
			}
		}
		return "", true
	}
	return path, a == b
}
