package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/testing/realpart"
)

// installDeb installs the deb into a system of its own that has nothing else; dpkg runs the
// package's scripts with DPKG_ROOT set to it.
func installDeb(t *testing.T, r *release) (dpkg func(args ...string) string, root string) {
	t.Helper()
	if os.Getuid() != 0 {
		realpart.Lacking(t, "dpkg installs as root alone")
	}
	program, root := need(t, "dpkg"), t.TempDir()
	for _, dir := range []string{"updates", "info"} {
		if err := os.MkdirAll(filepath.Join(root, "var/lib/dpkg", dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	dpkg = func(args ...string) string {
		t.Helper()
		return must(t, root, program, append([]string{"--root=" + root, "--force-script-chrootless"}, args...)...)
	}
	dpkg("--install", r.path(r.debName(r.targets[0])))
	return dpkg, root
}

func TestDeb(t *testing.T) {
	r := made(t)
	dpkg, root := installDeb(t, r)
	exists := func(path string) bool {
		_, err := os.Stat(filepath.Join(root, path))
		return err == nil
	}
	if status := dpkg("--status", "citewell"); !strings.Contains(status, "Status: install ok installed") ||
		!strings.Contains(status, "Version: 0.1.0~rc.1\n") {
		t.Error(status)
	}
	if changed := dpkg("--verify", "citewell"); changed != "" {
		t.Errorf("dpkg misses %s", changed)
	}
	if deb := r.path(r.debName(r.targets[0])); must(t, root, need(t, "dpkg-deb"), "--field", deb,
		"Maintainer") != maintainer+"\n" {
		t.Error("it has another maintainer")
	}
	if exists("etc/systemd/system") {
		t.Error("a unit is enabled")
	}
	tryOut(t, r, started(t, filepath.Join(root, "usr/bin/citewell")))
	checkManual(t, filepath.Join(root, "usr/share/man/man1"))
	must(t, root, filepath.Join(root, "usr/bin/citewell"), "--config", "etc/citewell/citewell.yaml", "config", "check")
	if !strings.Contains(read(t, root, "etc/passwd"), "citewell:x:") {
		t.Error("there is no user citewell")
	}
	for _, folder := range []string{"var/lib/citewell", "var/cache/citewell"} {
		if info, err := os.Stat(filepath.Join(root, folder)); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", folder, info, err)
		}
	}
	dpkg("--remove", "citewell")
	if exists("usr/bin/citewell") || !exists("etc/citewell/citewell.yaml") || !exists("var/lib/citewell") {
		t.Error("remove takes the binary, and leaves the configuration and what was kept")
	}
	dpkg("--purge", "citewell")
	if exists("etc/citewell/citewell.yaml") || !exists("var/lib/citewell") {
		t.Error("purge takes the configuration, and leaves what was kept")
	}
}

// systemd has nothing to say against the units, and counts them among the safe ones.
func TestUnits(t *testing.T) {
	r, analyze := made(t), need(t, "systemd-analyze")
	_, root := installDeb(t, r)
	for _, unit := range units {
		text := read(t, root, "usr/lib/systemd/system", unit.Name)
		file := filepath.Join(t.TempDir(), strings.Replace(unit.Name, "@", "@8011", 1))
		text = strings.Replace(text, "/usr/bin/citewell", filepath.Join(root, "usr/bin/citewell"), 1)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		said := verifyUnit(t, analyze, file)
		if said != "" {
			t.Errorf("%s: %s", unit.Name, said)
		}
		exposure := must(t, root, analyze, "security", "--offline=true", "--threshold=20", "--no-pager", file)
		if !strings.Contains(exposure, "Overall exposure level") {
			t.Errorf("%s: %s", unit.Name, exposure)
		}
		if err := os.WriteFile(file, []byte(text+"NoSuchKey=1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if verifyUnit(t, analyze, file) == "" {
			t.Errorf("%s: systemd-analyze takes a key that there is not", unit.Name)
		}
	}
}

// verifyUnit returns what systemd has to say of one unit file; of an unknown key it says so,
// and ends well.
func verifyUnit(t *testing.T, analyze, file string) string {
	t.Helper()
	out, err := exec.Command(analyze, "verify", "--man=no", "--recursive-errors=no", file).CombinedOutput()
	if err != nil {
		return string(out) + err.Error()
	}
	return string(out)
}

func TestRPM(t *testing.T) {
	r, rpm, root := made(t), need(t, "rpm"), t.TempDir()
	path := r.path(r.rpmName(r.targets[0]))
	must(t, root, rpm, "--checksig", "--nosignature", path)
	if scripts := must(t, root, rpm, "-qp", "--scripts", path); !strings.Contains(scripts,
		strings.TrimSpace(afterInstall)) {
		t.Errorf("the scripts are %s", scripts)
	}
	if settings := must(t, root, rpm, "-qp", "--configfiles", path); settings != "/etc/citewell/citewell.yaml\n" {
		t.Errorf("the configuration files are %s", settings)
	}
	if os.Getuid() != 0 {
		realpart.Lacking(t, "rpm installs as root alone")
	}
	there := []string{"--root", root, "--dbpath", "/var/lib/rpm", "--nodeps", "--noscripts"}
	must(t, root, rpm, append(there[:4:4], "--initdb")...)
	must(t, root, rpm, append(there, "--install", path)...)
	tryOut(t, r, started(t, filepath.Join(root, "usr/bin/citewell")))
	checkManual(t, filepath.Join(root, "usr/share/man/man1"))
	must(t, root, rpm, append(there, "--verify", "--nouser", "--nogroup", "citewell")...)
}
