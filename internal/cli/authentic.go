package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/report"
	"github.com/citewell/citewell/store"
)

// A file may show a reader more than a check of its citations looks at: another
// title, a section of its own, a key that stands twice. Where the store keeps the
// brief, the whole file is held against it.

// tampered names what a file has otherwise than the kept brief. Of a run the store keeps
// as a brief what its citations hang on, and that was compared already; kept is the
// whole of its report, nil where it is no run's or has none.
func tampered(brief citewell.Brief, kept *citewell.Report, data []byte) []cite.Problem {
	switch run := !briefHexID.MatchString(brief.ID); {
	case run && kept == nil:
		return nil
	case run && isJSON(data):
		return tamperedRunJSON(*kept, data)
	case run:
		return tamperedRun(*kept, string(data))
	case isJSON(data):
		return tamperedJSON(brief, data)
	}
	return tamperedMarkdown(brief, string(data))
}

// briefHexID is the id of what is no run.
var briefHexID = regexp.MustCompile(`^[0-9a-f]{32}$`)

func isJSON(data []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) }

func changed(format string, args ...any) []cite.Problem {
	return []cite.Problem{{Code: cite.ProblemChanged, Message: fmt.Sprintf(format, args...)}}
}

// tamperedJSON compares two briefs as data. How long the answer took and whether the
// cache gave it is of the moment it was printed.
func tamperedJSON(kept citewell.Brief, data []byte) []cite.Problem {
	encoded, err := json.Marshal(kept)
	if err != nil {
		return changed("the kept brief cannot be compared")
	}
	was, is := generic(encoded), generic(data)
	for _, brief := range []any{was, is} {
		if fields, ok := brief.(map[string]any); ok {
			delete(fields, "error")
			if coverage, ok := fields["coverage"].(map[string]any); ok {
				delete(coverage, "cache")
				delete(coverage, "wall_ms")
			}
		}
	}
	if path, same := firstDifference(was, is, ""); !same {
		return changed("%s is not as it was written", path)
	}
	return nil
}

func generic(data []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil
	}
	return value
}

// tamperedRunJSON compares two reports as data. The outcome of the run may have come
// after the file.
func tamperedRunJSON(kept citewell.Report, data []byte) []cite.Problem {
	encoded, err := json.Marshal(kept)
	if err != nil {
		return changed("the kept report cannot be compared")
	}
	was, is := generic(encoded), generic(data)
	for _, report := range []any{was, is} {
		if fields, ok := report.(map[string]any); ok {
			delete(fields, "outcome")
		}
	}
	if path, same := firstDifference(was, is, ""); !same {
		return changed("%s is not as the run has it", path)
	}
	return nil
}

var runOutcome = regexp.MustCompile(`(?m)^Run \S+, outcome ([a-z_]+), text `)

// tamperedRun compares a file with the report of its run as it is rendered. The outcome
// of the run may have come after the file. The last such line is the report's own: its
// content may have one too.
func tamperedRun(kept citewell.Report, file string) []cite.Problem {
	if all := runOutcome.FindAllStringSubmatch(file, -1); len(all) > 0 {
		if outcome := all[len(all)-1][1]; slices.Contains(store.RunOutcomes, store.RunOutcome(outcome)) {
			kept.Outcome = outcome
		}
	}
	is, was := tidyLines(file), tidyLines(report.OfRun(kept))
	at := 0
	for at < len(was) && at < len(is) && was[at] == is[at] {
		at++
	}
	if at == len(was) && at == len(is) {
		return nil
	}
	return changed("line %d was written as %.300s and is %.300s", at+1, lineAt(was, at), lineAt(is, at))
}

// lineAt is a line as it is told of.
func lineAt(lines []string, at int) string {
	if at < len(lines) {
		return strconv.Quote(lines[at])
	}
	return "the end"
}

// firstDifference gives the path of the first thing that two JSON values have
// otherwise.
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

// repeatedKey gives a key that stands twice in one object, in whatever letter case:
// readers differ in which of the two they take.
func repeatedKey(data []byte) (key string, repeated bool) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	type level struct {
		seen  map[string]bool // nil in a list
		value bool            // a value comes next, not a key
	}
	var levels []level
	for {
		token, err := decoder.Token()
		if err != nil {
			return "", false // io.EOF; what is no JSON is refused elsewhere
		}
		last := len(levels) - 1
		switch t := token.(type) {
		case json.Delim:
			switch t {
			case '{':
				levels = append(levels, level{seen: map[string]bool{}})
			case '[':
				levels = append(levels, level{})
			default:
				levels = levels[:last]
				if last--; last >= 0 {
					levels[last].value = false
				}
			}
			continue
		case string:
			if last >= 0 && levels[last].seen != nil && !levels[last].value {
				folded := strings.ToLower(t)
				if levels[last].seen[folded] {
					return t, true
				}
				levels[last].seen[folded], levels[last].value = true, true
				continue
			}
		}
		if last >= 0 {
			levels[last].value = false
		}
	}
}

var wallTime = regexp.MustCompile(`(?m)^- Total wall time: (\d{1,6})\.(\d)s`)

// tamperedMarkdown compares a file with the kept brief as it is rendered: whole or
// compact, fresh or from the cache.
func tamperedMarkdown(kept citewell.Brief, file string) []cite.Problem {
	is := tidyLines(file)
	if m := wallTime.FindStringSubmatch(file); m != nil {
		seconds, _ := strconv.ParseInt(m[1], 10, 64) // digits, and few
		tenths, _ := strconv.ParseInt(m[2], 10, 64)
		kept.Coverage.WallMS = seconds*1000 + tenths*100
	}
	furthest, was := -1, ""
	for _, compact := range []bool{false, true} {
		for _, cached := range []bool{false, true} {
			kept.Coverage.Cache = cached
			lines := tidyLines(report.Markdown(kept, report.Options{Compact: compact, Verification: true}))
			at := 0
			for at < len(lines) && at < len(is) && lines[at] == is[at] {
				at++
			}
			if at == len(lines) && at == len(is) {
				return nil
			}
			if at > furthest {
				furthest, was = at, lineAt(lines, at)
			}
		}
	}
	return changed("line %d was written as %.300s and is %.300s", furthest+1, was, lineAt(is, furthest))
}

// tidyLines takes away what programs do to a text without changing it.
func tidyLines(s string) []string {
	s = strings.TrimRight(strings.ReplaceAll(strings.TrimPrefix(s, "\ufeff"), "\r\n", "\n"), "\n ")
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t")
	}
	return lines
}
