package citewell_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestVulndbScript has govulncheck find in the database that the script makes what a
// program calls, and not what its version is free of.
func TestVulndbScript(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	clone, db, program := t.TempDir(), filepath.Join(t.TempDir(), "db"), t.TempDir()
	report := func(id, fixed string) string {
		return `{"schema_version": "1.3.1", "id": "` + id +
			`", "modified": "2026-01-02T03:04:05Z", "published": "2026-01-02T03:04:05Z", "summary": "made for a test",
			"details": "made for a test", "affected": [{"package": {"name": "stdlib", "ecosystem": "Go"},
			"ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}` + fixed + `]}],
			"ecosystem_specific": {"imports": [{"path": "net/url", "symbols": ["Parse"]}]}}],
			"database_specific": {"url": "https://vulnerabilities.example/` + id + `"}}`
	}
	for path, content := range map[string]string{
		filepath.Join(clone, "data", "osv", "GO-2026-9001.json"): report("GO-2026-9001", ""),
		filepath.Join(clone, "data", "osv", "GO-2026-9002.json"): report("GO-2026-9002", `, {"fixed": "1.2.0"}`),
		filepath.Join(program, "go.mod"):                         "module example\n\ngo 1.26\n",
		filepath.Join(program, "main.go"): "package main\n\nimport \"net/url\"\n\nfunc main() " +
			"{ url.Parse(\"\") }\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), "go", "run", "scripts/vulndb.go", clone,
		db).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	modfile, err := filepath.Abs("go.tool.mod")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "tool", "-modfile="+modfile, "govulncheck", "-C", program, "-db",
		"file://"+filepath.ToSlash(db), "./...")
	out, err := cmd.CombinedOutput()
	if said := string(out); cmd.ProcessState.ExitCode() != 3 || !strings.Contains(said, "GO-2026-9001") ||
		strings.Contains(said, "GO-2026-9002") || !strings.Contains(said, "url.Parse") {
		t.Errorf("govulncheck: %v\n%s", err, said)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "run", "scripts/vulndb.go", program,
		db).CombinedOutput(); err == nil {
		t.Errorf("a folder that is no clone was taken: %s", out)
	}
}
