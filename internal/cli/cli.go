// Package cli is the command line: commands, flags, progress, exit codes.
//
// Flow: arguments → command → App → results on stdout; progress and logs on
// stderr. Exit codes: 0 ok, 1 failed, 2 usage, 3 partial, 4 denied. With --json an
// error is one object on stdout.
// Concurrency: one command a process; the first interrupt cancels it, the second
// ends the process.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/config"
	"github.com/spf13/cobra"
)

// Main runs the command line and returns its exit code.
func Main(version string, args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt then ends the process as usual
	return run(ctx, &env{version: version, stdout: os.Stdout, stderr: os.Stderr, environ: os.Environ()}, args)
}

// env is what every command shares: where to write, and the global flags.
type env struct {
	version        string
	stdout, stderr io.Writer
	environ        []string

	configFile string
	sets       []string
	logLevel   string
	noColor    bool
	json       bool // set by the command that has --json
}

func run(ctx context.Context, e *env, args []string) int {
	root := newRoot(e)
	root.SetArgs(args)
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return citewell.ExitOK
	}
	return e.fail(err)
}

func newRoot(e *env) *cobra.Command {
	root := &cobra.Command{
		Use:   "citewell",
		Short: "Ask a question; get an answer whose every citation can be checked",
		Long: "Ask a question; get an answer whose every citation can be checked.\n\n" +
			"New here? Run: citewell demo",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage(err.Error(), "see "+cmd.CommandPath()+" --help")
	})
	flags := root.PersistentFlags()
	flags.StringVar(&e.configFile, "config", "", "configuration `FILE`; default ./citewell.yaml, then the user's own")
	flags.StringArrayVar(&e.sets, "set", nil, "one setting, as in --set fetch.cache_ttl=1h (`key=value`, repeatable)")
	flags.StringVar(&e.logLevel, "log-level", "error", "`LEVEL` of the log on stderr: debug, info, warn, error")
	flags.BoolVar(&e.noColor, "no-color", false, "no colours, no redrawn lines")
	root.AddCommand(newDemo(e), newSearch(e), newFetch(e), newIndex(e), newVerify(e), newDoctor(e), newConfig(e), newVersion(e))
	return root
}

func unknownCommand(cmd *cobra.Command, name string) error {
	hint := "see " + cmd.CommandPath() + " --help"
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return usage(fmt.Sprintf("there is no command %q", name), hint)
}

func usage(message, hint string) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Message: message, Hint: hint}
}

// exactly is cobra.ExactArgs with a message that names what is missing.
func exactly(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return usage(what+" is missing", "as in: "+cmd.Use)
		case len(args) > 1:
			return usage("one "+what+" only, not "+fmt.Sprint(len(args)), "put it in quotes where it has spaces")
		}
		return nil
	}
}

// jsonFlag gives a command its --json.
func (e *env) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&e.json, "json", false, "the result, or the error, as one JSON object on stdout")
}

// load reads the configuration and says its warnings.
func (e *env) load() (config.Loaded, error) {
	loaded, err := config.Load(config.Options{File: e.configFile, Sets: e.sets, Environ: e.environ})
	if err != nil {
		return loaded, err
	}
	for _, warning := range loaded.Warnings {
		fmt.Fprintln(e.stderr, "warning:", warning)
	}
	return loaded, nil
}

// open loads the configuration and opens the parts.
func (e *env) open(ctx context.Context) (*app.App, error) {
	loaded, err := e.load()
	if err != nil {
		return nil, err
	}
	return e.openWith(ctx, loaded)
}

func (e *env) openWith(ctx context.Context, loaded config.Loaded) (*app.App, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(e.logLevel)); err != nil {
		return nil, usage(fmt.Sprintf("--log-level is %q; it must be debug, info, warn or error", e.logLevel), "")
	}
	log := slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: level}))
	return app.Open(ctx, app.Options{Config: loaded, Version: e.version, Log: log})
}

// fail says an error and returns its exit code.
func (e *env) fail(err error) int {
	view := citewell.View(err)
	if e.json {
		e.writeJSON(map[string]citewell.ErrorView{"error": view})
	} else if _, shown := errors.AsType[alreadyShown](err); !shown {
		fmt.Fprintf(e.stderr, "citewell: %s: %s\n", view.Code, view.Message)
		if view.Hint != "" {
			fmt.Fprintln(e.stderr, "  "+view.Hint)
		}
	}
	return view.Code.Row().Exit
}

// alreadyShown is an error whose explanation is in the result that was printed.
type alreadyShown struct{ error }

func (a alreadyShown) Unwrap() error { return a.error }

func (e *env) writeJSON(v any) error {
	encoder := json.NewEncoder(e.stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}
