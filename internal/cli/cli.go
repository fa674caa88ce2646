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
	"log"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/config"
	"github.com/spf13/cobra"
)

// Main runs the command line and returns its exit code.
func Main(version string, args []string) int {
	collectLate()
	hideProcess()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt then ends the process as usual
	log.SetOutput(io.Discard)    // net/http prints there what a server said out of turn
	e := &env{version: version, environ: os.Environ(), stdin: os.Stdin, stdout: &output{w: os.Stdout},
		stderr: &console{w: os.Stderr}}
	return e.run(ctx, args)
}

// Commands is the tree of commands of that version, for those who write about it: manual
// pages and completions. It is not meant to be executed.
func Commands(version string) *cobra.Command {
	return (&env{version: version, stdout: &output{w: io.Discard}, stderr: &console{w: io.Discard}}).newRoot(nil)
}

// env is what every command shares: where to read and write, and the global flags.
type env struct {
	version string
	environ []string
	stdin   io.Reader
	stdout  *output
	stderr  *console
	typed   typed // on stdin, as answers to questions

	configFile string
	sets       []string
	logLevel   slog.Level
	logFormat  app.LogFormat
	noColor    bool

	json    bool            // set by the command that has --json
	style   string          // of the references that the report carries; set by the command that has --references
	record  bool            // the report carries its record; set by the command that has --record
	began   bool            // the arguments were right and the command does its work
	command string          // that does it, as citewell search
	serves  bool            // the command goes on until it is ended
	secrets config.Redactor // of the configuration, once it is loaded
	opened  *app.App        // the last that was opened; its command closes it
}

func (e *env) run(ctx context.Context, args []string) int {
	cmd, err := e.newRoot(args).ExecuteContextC(ctx)
	code := e.ended(ctx, cmd, err, args)
	if e.opened == nil {
		return code
	}
	// why, behind whatever came of it
	if missed := e.opened.Replayed(); missed != nil && citewell.CodeOf(err) != citewell.CodeNotRecorded {
		e.json = false // standard output has the command's own result
		return e.fail(missed)
	}
	return code
}

// ended says what went wrong, if anything did, and returns the exit code.
func (e *env) ended(ctx context.Context, cmd *cobra.Command, err error, args []string) int {
	if e.stdout.err != nil {
		err = e.stdout.err
	}
	switch {
	case err == nil:
		return citewell.ExitOK
	case !e.began:
		if end := slices.Index(args, "--"); end >= 0 {
			args = args[:end] // no flag comes after it
		}
		e.json = e.json || slices.Contains(args, "--json")
		err = asUsage(cmd, err)
	// it says what became of its work
	case ctx.Err() != nil && citewell.View(err).Code == citewell.CodeCanceled && citewell.View(err).Hint != "":
	case ctx.Err() != nil:
		err = &citewell.Error{Code: citewell.CodeCanceled, Message: "interrupted",
			Hint: "finished work is kept", Err: err}
	}
	return e.fail(err)
}

func (e *env) newRoot(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "citewell",
		Short: "Ask a question; get an answer whose every citation can be checked",
		Long: "Ask a question; get an answer whose every citation can be checked.\n\n" +
			"New here? Run: citewell demo",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       buildVersion(e.version),
		Args:          noSuchCommand,
		RunE:          showHelp,
	}
	root.SetArgs(args)
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp())
	level, format := "error", string(app.LogText)
	flags := root.PersistentFlags()
	flags.StringVar(&e.configFile, "config", "", "configuration `FILE`; default ./citewell.yaml, then the user's own")
	flags.StringArrayVar(&e.sets, "set", nil, "set one setting, such as fetch.cache_ttl=1h (`key=value`, repeatable)")
	flags.StringVar(&level, "log-level", level, "`LEVEL` of the log on stderr: debug, info, warn, error")
	flags.StringVar(&format, "log-format", format, "`FORMAT` of the log on stderr: text, json")
	flags.BoolVar(&e.noColor, "no-color", false, "no colours, no redrawn lines")
	e.hiddenJSON(root)
	complete(root, "log-level", "debug", "info", "warn", "error")
	complete(root, "log-format", string(app.LogText), string(app.LogJSON))
	root.AddCommand(
		newDemo(e),
		newSearch(e),
		newResearch(e),
		newAsk(e),
		newRuns(e),
		newWatch(e),
		newFetch(e),
		newIndex(e),
		newStore(e),
		newTools(e),
		newCall(e),
		newMCP(e),
		newServe(e),
		newWorker(e),
		newToken(e),
		newVerify(e),
		newCheck(e),
		newBench(e),
		newDoctor(e),
		newConfig(e),
		newVersion(e),
	)
	root.InitDefaultCompletionCmd(args...)
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Args, cmd.RunE = noSuchCommand, showHelp
		}
	}
	root.PersistentPreRunE = func(*cobra.Command, []string) error {
		if err := e.logLevel.UnmarshalText([]byte(level)); err != nil {
			return usage(fmt.Sprintf("--log-level is %q; it must be debug, info, warn or error", level), "")
		}
		if e.logFormat = app.LogFormat(format); !slices.Contains(app.LogFormats, e.logFormat) {
			return usage(fmt.Sprintf("--log-format is %q; it must be text or json", format), "")
		}
		return nil
	}
	e.watch(root)
	return root
}

// watch notes when a command's own work begins: what fails before is a mistake in the arguments, whoever found it.
func (e *env) watch(cmd *cobra.Command) {
	if work := cmd.RunE; work != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			e.began, e.command = true, cmd.CommandPath()
			return work(cmd, args)
		}
	}
	for _, sub := range cmd.Commands() {
		e.watch(sub)
	}
}

// maxWarnings is how many warnings of the configuration every command says; of more,
// such as SGR's example files have, it says where they are named.
const maxWarnings = 3

// load reads the configuration and says its warnings.
func (e *env) load() (config.Loaded, error) {
	return e.loadAndWarn(maxWarnings)
}

func (e *env) loadAndWarn(most int) (config.Loaded, error) {
	loaded, err := config.Load(config.Options{File: e.configFile, Sets: e.sets, Environ: e.environ})
	if err != nil {
		return loaded, err
	}
	e.secrets = config.NewRedactor(loaded.Config)
	if n := len(loaded.Warnings); n > most {
		file := ""
		if e.configFile != "" {
			file = " --config " + shellQuote(e.configFile)
		}
		fmt.Fprintf(e.stderr, "warning: the configuration has %s: citewell%s config check\n", count(n, "warning"),
			clean(file))
		return loaded, nil
	}
	for _, warning := range loaded.Warnings {
		fmt.Fprintln(e.stderr, "warning:", clean(warning))
	}
	return loaded, nil
}

// open loads the configuration and opens the parts.
func (e *env) open(ctx context.Context) (*app.App, error) {
	loaded, err := e.load()
	if err != nil {
		return nil, err
	}
	return e.openAs(ctx, app.Options{Config: loaded})
}

// openWithoutStore loads the configuration and opens the parts but for the store.
func (e *env) openWithoutStore(ctx context.Context) (*app.App, error) {
	loaded, err := e.load()
	if err != nil {
		return nil, err
	}
	return e.openAs(ctx, app.Options{Config: loaded, WithoutStore: true})
}

// openAs opens the parts with those options that are the same for every command.
func (e *env) openAs(ctx context.Context, o app.Options) (*app.App, error) {
	o.Version, o.Log, o.LogLevel, o.LogFormat = buildVersion(e.version), e.stderr, e.logLevel, e.logFormat
	if !e.serves {
		o.Command = e.command
	}
	o.Record, o.Replay = e.getenv(recordVariable), e.getenv(replayVariable)
	a, err := app.Open(ctx, o)
	e.opened = a
	return a, err
}

// The files of a recording are no settings: a citewell.yaml in a folder that somebody
// else made could otherwise write one, or give answers of its own.
const (
	recordVariable = "CITEWELL_RECORD"
	replayVariable = "CITEWELL_REPLAY"
)

// fail says an error and returns its exit code.
func (e *env) fail(err error) int {
	view := citewell.View(err)
	exit := view.Code.Row().Exit
	if _, shown := errors.AsType[alreadyShown](err); shown {
		return exit
	}
	view.Message, view.Hint = e.secrets.String(view.Message), e.secrets.String(view.Hint)
	if e.json && e.writeJSON(map[string]citewell.ErrorView{"error": view}) == nil {
		return exit
	}
	about := ""
	if typed, ok := errors.AsType[*citewell.Error](err); ok && view.Category == citewell.CategoryUnavailable &&
		strings.Contains(typed.Op, ".") && !strings.Contains(view.Message, "\n") {
		about = " (" + e.secrets.String(typed.Op) + ")" // step and target, as in fetch.get example.com
	}
	fmt.Fprintf(e.stderr, "citewell: %s: %s%s\n", view.Code, cleanText(view.Message), clean(about))
	for _, hint := range []string{view.Hint, commandHints[view.Code]} {
		if hint != "" {
			fmt.Fprintln(e.stderr, "  "+cleanText(hint))
		}
	}
	return exit
}

// commandHints name the command that helps, where an error of a package says what helps:
// packages know no command line.
var commandHints = map[citewell.Code]string{
	citewell.CodeProviderNotConfigured: "citewell doctor says which providers could be switched on; citewell index " +
		"DIR lets your own documents answer",
	citewell.CodeAllProvidersFailed: "citewell doctor tries each provider",
}

// alreadyShown is an error whose explanation is in the result that was printed.
type alreadyShown struct{ error }

func (a alreadyShown) Unwrap() error { return a.error }

// jsonFlag gives a command its --json.
func (e *env) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&e.json, "json", false, "print the result, or the error, as one JSON object on stdout")
}

// hiddenJSON is for a command that has others below it: where one of those is
// mistyped, the error is still in the form that was asked for.
func (e *env) hiddenJSON(cmd *cobra.Command) {
	e.jsonFlag(cmd)
	if err := cmd.Flags().MarkHidden("json"); err != nil {
		panic(err) // jsonFlag did not add it
	}
}

func (e *env) writeJSON(v any) error {
	encoder := json.NewEncoder(e.stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// show prints a result: as JSON where that is wanted, else as print does.
func (e *env) show(v any, print func() error) error {
	if e.json {
		return e.writeJSON(v)
	}
	return print()
}

// say prints a result that is one line in words.
func (e *env) say(v any, format string, args ...any) error {
	return e.show(v, func() error {
		_, err := fmt.Fprintf(e.stdout, format+"\n", args...)
		return err
	})
}

func (e *env) getenv(name string) string {
	for _, pair := range e.environ {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}

// An output is standard output that remembers why it could not be written.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if err != nil && o.err == nil {
		o.err = &citewell.Error{Code: citewell.CodeStoreFailed, Op: "write",
			Message: "the result could not be written to standard output", Hint: "is the disk full?", Err: err}
	}
	return n, err
}
