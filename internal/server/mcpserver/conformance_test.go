package mcpserver

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/server/access"
	"github.com/citewell/citewell/internal/testing/mcptest"
	"github.com/citewell/citewell/internal/tool"
)

// notApplicable are the server scenarios of the suite that say nothing about this
// server, each with the reason.
var notApplicable = map[string]string{
	"sep-2640-skills-directory":   "the extension skills: we offer tools, and no folders of skills",
	"sep-2640-skills-enumeration": "the same",
	"sep-2640-skills-manifest":    "the same",
	"tasks-lifecycle": "the extension tasks: the SDK does not speak it, and no call of ours outlives a " +
		"client's patience yet",
	"tasks-capability-negotiation": "the same",
	"tasks-wire-fields":            "the same",
	"tasks-request-state-removal":  "the same",
	"tasks-mrtr-input":             "the same",
	"tasks-request-headers":        "the same",
	"tasks-dispatch-and-envelope":  "the same",
	"tasks-status-notifications":   "the same",
	"tasks-required-task-error":    "the same",
	"tasks-mrtr-composition":       "the same",
}

// suiteTime bounds a suite that hangs; it takes some seconds.
const suiteTime = 10 * time.Minute

// TestConformance lets the official suite loose on the server, once for each
// revision that it knows: every scenario is run, and every check holds.
func TestConformance(t *testing.T) {
	tools := mcptest.Find(t)
	set := fixtureSet()
	server := httptest.NewUnstartedServer(nil)
	door, err := access.New(access.Options{Listen: server.Listener.Addr().String(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = door.For(access.ScopeMCP, Handler(func(string) (*tool.Toolset, error) {
		return set, nil
	}, Options{Version: "v0.0.0-test", more: fixtures}))
	server.Start()
	defer server.Close()

	scenarios := scenariosOf(t, tools)
	ran := map[string]bool{}
	for _, revision := range []string{"2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			results := t.TempDir()
			ctx, cancel := context.WithTimeout(t.Context(), suiteTime)
			defer cancel()
			run := tools.Conformance(ctx, "server", "--url", server.URL, "--suite", "all", "--spec-version", revision,
				"--output-dir", results)
			run.Dir, run.WaitDelay = results, time.Minute
			out, err := run.CombinedOutput()
			if err != nil {
				t.Errorf("the suite ends with %v and says\n%s", err, out)
			}
			for name, checks := range checksOf(t, results) {
				ran[name+" "+revision] = true
				for _, c := range checks {
					if c.Status != "SUCCESS" && c.Status != "INFO" {
						t.Errorf("%s: %s: %s: %s %.500s", name, c.ID, c.Status, c.ErrorMessage, c.Details)
					}
				}
			}
		})
	}
	for name, revisions := range scenarios {
		if reason := notApplicable[name]; reason != "" {
			continue
		}
		for _, revision := range revisions {
			if !ran[name+" "+revision] {
				t.Errorf("%s was not run for %s, and no reason is given", name, revision)
			}
		}
	}
}

var scenarioLine = regexp.MustCompile(`(?m)^  - (\S+) \[([^\]]*)\]$`)

// scenariosOf are the suite's scenarios for servers, with their revisions.
func scenariosOf(t *testing.T, tools *mcptest.Tools) map[string][]string {
	out, err := tools.Conformance(t.Context(), "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	servers, _, _ := strings.Cut(string(out), "Client scenarios")
	scenarios := map[string][]string{}
	for _, m := range scenarioLine.FindAllStringSubmatch(servers, -1) {
		scenarios[m[1]] = strings.Split(m[2], ",")
	}
	if len(scenarios) < 60 {
		t.Fatalf("the suite lists %d scenarios for servers:\n%s", len(scenarios), out)
	}
	return scenarios
}

// A check is one line of a scenario's report.
type check struct {
	ID, Status, ErrorMessage string
	Details                  json.RawMessage
}

var reportName = regexp.MustCompile(`^server-(.*)-\d{4}-\d\d-\d\dT`)

// checksOf are the reports in a folder, by scenario.
func checksOf(t *testing.T, dir string) map[string][]check {
	files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if err != nil {
		t.Fatal(err)
	}
	reports := map[string][]check{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var checks []check
		if err := json.Unmarshal(data, &checks); err != nil || len(checks) == 0 {
			t.Fatalf("%s: %v, %d checks", file, err, len(checks))
		}
		folder := filepath.Base(filepath.Dir(file))
		m := reportName.FindStringSubmatch(folder)
		if m == nil {
			t.Fatalf("%s: of which scenario?", folder)
		}
		reports[m[1]] = slices.Concat(reports[m[1]], checks)
	}
	return reports
}
