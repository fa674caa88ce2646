package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A Version is one version in the forms that the formats want. They order alike: a commit
// after v0.1.0 is newer than 0.1.0 and older than 0.1.1, a commit after a candidate newer
// than the candidate and older than the next.
type Version struct {
	major, minor, patch int
	stage               string // alpha, beta or rc; empty for a release
	stageNumber         int
	ahead               int    // commits since the tag
	commit              string // abbreviated; empty on the tag itself
}

var describedForm = regexp.MustCompile(
	`^v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-(alpha|beta|rc)\.(0|[1-9]\d*))?(?:-(\d+)-g([0-9a-f]+))?$`)

// parseVersion reads a tag, as v0.1.0 or 0.2.0-rc.1, or what `git describe --long` says of a commit.
func parseVersion(described string) (Version, error) {
	m := describedForm.FindStringSubmatch(described)
	if m == nil {
		return Version{}, fmt.Errorf("%q is no version: write it as 0.1.0 or 0.1.0-rc.1 (alpha, beta or rc)", described)
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(m[i]) // digits or nothing
		return n
	}
	v := Version{number(1), number(2), number(3), m[4], number(5), number(6), m[7]}
	if v.ahead == 0 {
		v.commit = ""
	}
	return v, nil
}

// number is the version that the commits lead to: the tag's own, or the patch after a release.
func (v Version) number() string {
	patch := v.patch
	if v.ahead > 0 && v.stage == "" {
		patch++
	}
	return fmt.Sprintf("%d.%d.%d", v.major, v.minor, patch)
}

// Semver is the form of npm, MCP and archives: 0.1.0, 0.1.0-rc.1, 0.1.1-dev.5, 0.1.0-rc.1.5.
func (v Version) Semver() string {
	var ids []string
	switch {
	case v.stage != "":
		ids = append(ids, v.stage, strconv.Itoa(v.stageNumber))
	case v.ahead > 0:
		ids = append(ids, "dev")
	}
	if v.ahead > 0 {
		ids = append(ids, strconv.Itoa(v.ahead))
	}
	if len(ids) == 0 {
		return v.number()
	}
	return v.number() + "-" + strings.Join(ids, ".")
}

// Stamp is what the binary says of itself: Semver and, off a tag, the commit.
func (v Version) Stamp() string {
	if v.commit == "" {
		return v.Semver()
	}
	return v.Semver() + "+g" + v.commit
}

// Python is the form of PEP 440: 0.1.0, 0.1.0rc1, 0.1.1.dev5, 0.1.0rc1.post5.
func (v Version) Python() string {
	short := map[string]string{"alpha": "a", "beta": "b", "rc": "rc"}[v.stage]
	switch {
	case short != "" && v.ahead > 0:
		return fmt.Sprintf("%s%s%d.post%d", v.number(), short, v.stageNumber, v.ahead)
	case short != "":
		return fmt.Sprintf("%s%s%d", v.number(), short, v.stageNumber)
	case v.ahead > 0:
		return fmt.Sprintf("%s.dev%d", v.number(), v.ahead)
	}
	return v.number()
}

// Linux is the form of deb and rpm, where what follows a ~ comes before: 0.1.0~rc.1.
func (v Version) Linux() string { return strings.Replace(v.Semver(), "-", "~", 1) }
