package main

import (
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVersionForms(t *testing.T) {
	for described, want := range map[string][4]string{ // Stamp, Semver, Python, Linux
		"v0.1.0":                   {"0.1.0", "0.1.0", "0.1.0", "0.1.0"},
		"0.1.0":                    {"0.1.0", "0.1.0", "0.1.0", "0.1.0"},
		"v0.1.0-0-gabc1234":        {"0.1.0", "0.1.0", "0.1.0", "0.1.0"},
		"v1.2.3-rc.1":              {"1.2.3-rc.1", "1.2.3-rc.1", "1.2.3rc1", "1.2.3~rc.1"},
		"v1.2.3-alpha.12":          {"1.2.3-alpha.12", "1.2.3-alpha.12", "1.2.3a12", "1.2.3~alpha.12"},
		"v0.1.0-5-gabc1234":        {"0.1.1-dev.5+gabc1234", "0.1.1-dev.5", "0.1.1.dev5", "0.1.1~dev.5"},
		"v0.2.0-beta.2-7-gabc1234": {"0.2.0-beta.2.7+gabc1234", "0.2.0-beta.2.7", "0.2.0b2.post7", "0.2.0~beta.2.7"},
	} {
		v, err := parseVersion(described)
		if err != nil {
			t.Errorf("%s: %v", described, err)
			continue
		}
		if diff := cmp.Diff(want, [4]string{v.Stamp(), v.Semver(), v.Python(), v.Linux()}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", described, diff)
		}
	}
	for _, wrong := range []string{"", "v", "5861cda", "0.1", "v0.1.0-dirty", "v0.1.0-rc1", "v01.2.3", "v0.1.0\n"} {
		if v, err := parseVersion(wrong); err == nil {
			t.Errorf("%q is taken for %s", wrong, v.Semver())
		}
	}
}

// dpkg and pip order the versions of a history as it went.
func TestVersionsOrder(t *testing.T) {
	history := []string{"v0.1.0-alpha.1", "v0.1.0-alpha.1-3-gab", "v0.1.0-beta.1", "v0.1.0-rc.1", "v0.1.0-rc.1-2-gab",
		"v0.1.0-rc.2", "v0.1.0", "v0.1.0-9-gab", "v0.1.1"}
	dpkg, python := need(t, "dpkg"), need(t, "python3")
	for i, later := range history[1:] {
		before, after := mustVersion(t, history[i]), mustVersion(t, later)
		if err := exec.Command(dpkg, "--compare-versions", before.Linux(), "lt", after.Linux()).Run(); err != nil {
			t.Errorf("dpkg: %s is not before %s", before.Linux(), after.Linux())
		}
		code := "import sys; from pip._vendor.packaging.version import Version as V; sys.exit(not V(sys.argv[1]) < " +
			"V(sys.argv[2]))"
		if out, err := exec.Command(python, "-c", code, before.Python(), after.Python()).CombinedOutput(); err != nil {
			t.Errorf("pip: %s is not before %s: %s", before.Python(), after.Python(), out)
		}
	}
}

func mustVersion(t *testing.T, described string) Version {
	t.Helper()
	v, err := parseVersion(described)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
