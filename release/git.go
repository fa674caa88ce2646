package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// output runs a command in a folder, with more environment, and returns what it writes.
func output(dir string, environ []string, command string, args ...string) ([]byte, error) {
	cmd := exec.Command(command, args...)
	var said bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), environ...), &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s%s", command, strings.Join(args, " "), err, said.Bytes(), out)
	}
	return out, nil
}

func git(source string, args ...string) (string, error) {
	out, err := output(source, nil, "git", args...)
	return strings.TrimSpace(string(out)), err
}

// versionOf is the version that is typed, else what git says of the commit. Of a tree with
// changes git cannot say it, so that what a version holds can be had again.
func versionOf(source, typed string) (Version, error) {
	if typed != "" {
		return parseVersion(typed)
	}
	changes, err := git(source, "status", "--porcelain")
	if err != nil {
		return Version{}, err
	}
	if changes != "" {
		return Version{}, fmt.Errorf("there are changes that no commit has; commit them, or name a version with "+
			"-version:\n%s", changes)
	}
	if tag, err := git(source, "describe", "--tags", "--long", "--match", "v[0-9]*"); err == nil {
		return parseVersion(tag)
	}
	count, err := git(source, "rev-list", "--count", "HEAD") // there is no tag yet
	if err != nil {
		return Version{}, err
	}
	commit, err := git(source, "rev-parse", "--short", "HEAD")
	if err != nil {
		return Version{}, err
	}
	return parseVersion("v0.0.0-" + count + "-g" + commit)
}

func commitTime(source string) (time.Time, error) {
	out, err := git(source, "log", "-1", "--format=%ct")
	if err != nil {
		return time.Time{}, err
	}
	seconds, err := strconv.ParseInt(out, 10, 64)
	return time.Unix(seconds, 0).UTC(), err
}
