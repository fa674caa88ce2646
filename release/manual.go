package main

import (
	"bytes"
	"io"
	"strings"
	"time"

	"github.com/citewell/citewell/internal/cli"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// writeManual makes the manual pages, one a command, and the completions of each shell.
// bench measures Citewell and completion prints what a package installs: neither is a user's page.
func writeManual(version string, at time.Time) (pages, completions []file, err error) {
	root := cli.Commands(version)
	root.DisableAutoGenTag = true
	for shell, generate := range map[string]func(io.Writer) error{
		"citewell.bash": func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"_citewell":     root.GenZshCompletion,
		"citewell.fish": func(w io.Writer) error { return root.GenFishCompletion(w, true) },
		"citewell.ps1":  root.GenPowerShellCompletionWithDesc,
	} {
		var script bytes.Buffer
		if err := generate(&script); err != nil {
			return nil, nil, err
		}
		completions = append(completions, file{Path: shell, Mode: 0o644, Data: script.Bytes()})
	}
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" || cmd.Name() == "bench" {
			root.RemoveCommand(cmd)
		}
	}
	header := &doc.GenManHeader{Title: "CITEWELL", Section: "1", Date: &at, Source: "Citewell " + version,
		Manual: "Citewell"}
	if err := addPages(&pages, root, header); err != nil {
		return nil, nil, err
	}
	return sorted(pages), sorted(completions), nil
}

// addPages adds the page of a command and of those below it.
func addPages(pages *[]file, cmd *cobra.Command, header *doc.GenManHeader) error {
	if cmd.Hidden || cmd.Name() == "help" {
		return nil
	}
	own := *header
	base := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	own.Title = strings.ToUpper(base)
	var page bytes.Buffer
	if err := doc.GenMan(cmd, &own, &page); err != nil {
		return err
	}
	*pages = append(*pages, file{Path: base + ".1", Mode: 0o644, Data: page.Bytes()})
	for _, sub := range cmd.Commands() {
		if err := addPages(pages, sub, header); err != nil {
			return err
		}
	}
	return nil
}
