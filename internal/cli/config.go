package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/telemetry"
	"github.com/spf13/cobra"
)

func newConfig(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Write, check and show the configuration",
		Args:  noSuchCommand,
		RunE:  showHelp,
	}
	initialize := &cobra.Command{
		Use: "init", Short: "Write a commented configuration file to start from (./citewell.yaml, or --config FILE)",
		Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error { return e.configInit() },
	}
	check := &cobra.Command{
		Use: "check", Short: "List every mistake in the configuration", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			loaded, err := e.loadAndWarn(math.MaxInt)
			if err == nil {
				err = cmp.Or(app.CheckProviders(loaded.Config), telemetry.Check(loaded.Config))
			}
			if err != nil {
				return err
			}
			warnings, err := agentplan.CheckTools(loaded.Config)
			if err == nil {
				var further []string
				further, err = agentplan.Check(loaded)
				warnings = append(warnings, further...)
			}
			for _, warning := range warnings {
				fmt.Fprintln(e.stderr, "warning:", clean(warning))
			}
			if err != nil {
				return err
			}
			warnings = append(append([]string{}, loaded.Warnings...), warnings...)
			return e.say(map[string]any{"ok": true, "file": loaded.File, "warnings": warnings}, "ok: %s, %s",
				cmp.Or(loaded.File, "no file"), count(len(warnings), "warning"))
		},
	}
	show := &cobra.Command{
		Use: "show", Short: "Show every setting and its origin; keys are redacted", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return e.configShow() },
	}
	e.hiddenJSON(cmd)
	e.jsonFlag(initialize)
	e.jsonFlag(check)
	e.jsonFlag(show)
	cmd.AddCommand(initialize, check, show)
	return cmd
}

func (e *env) configInit() error {
	name := cmp.Or(e.configFile, config.LocalFile)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return &citewell.Error{Code: citewell.CodePermissionDenied,
			Message: "cannot make the folder of " + name, Err: err}
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return usage(name+" exists and is left as it is", "name another file with --config")
	}
	if err == nil {
		_, err = file.WriteString(config.Template)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return &citewell.Error{Code: citewell.CodePermissionDenied, Message: name + " cannot be written", Err: err}
	}
	return e.say(map[string]string{"file": name}, "wrote %s", name)
}

func (e *env) configShow() error {
	loaded, err := e.load()
	if err != nil {
		return err
	}
	settings := app.Settings(loaded)
	if e.json {
		return e.writeJSON(map[string]any{"file": loaded.File, "data": loaded.Paths.Data, "cache": loaded.Paths.Cache,
			"settings": settings})
	}
	fmt.Fprintf(e.stdout, "file   %s\ndata   %s\ncache  %s\n\n", cmp.Or(loaded.File, "no file"), loaded.Paths.Data,
		loaded.Paths.Cache)
	table := tabwriter.NewWriter(e.stdout, 0, 4, 2, ' ', 0)
	for _, s := range settings {
		fmt.Fprintf(table, "%s\t%s\t%s\n", s.Key, clean(s.Value), s.Origin)
	}
	return table.Flush()
}
