package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// nearby is how many letters a mistyped name may differ by to be recognised.
const nearby = 2

func usage(message, hint string) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Message: message, Hint: hint}
}

// asUsage makes a mistake in the arguments of what cobra says about them.
func asUsage(cmd *cobra.Command, err error) error {
	if _, ours := errors.AsType[*citewell.Error](err); ours {
		return err
	}
	message := err.Error()
	if m := exclusive.FindStringSubmatch(message); m != nil {
		message = "--" + strings.ReplaceAll(m[1], " ", " and --") + " exclude each other"
	}
	if m := superfluous.FindStringSubmatch(message); m != nil {
		message = cmd.CommandPath() + " takes no argument, and " + m[1] + " is one"
	}
	return usage(message, "see "+cmd.CommandPath()+" --help")
}

// exclusive and superfluous are how cobra says it.
var (
	exclusive   = lazyregexp.New(`none of the others can be; \[(.*)\] were all set`)
	superfluous = lazyregexp.New(`^unknown command (".*") for `)
)

func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// flagError names the flag that is most like an unknown one.
func flagError(cmd *cobra.Command, err error) error {
	if ours, ok := errors.AsType[*citewell.Error](err); ok {
		return ours
	}
	hint := "see " + cmd.CommandPath() + " --help"
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		flags := &cobra.Command{SuggestionsMinimumDistance: nearby}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			flags.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
		})
		if near := nearest(unknown.GetSpecifiedName(), flags); len(near) > 0 {
			hint = "did you mean --" + strings.Join(near, " or --") + "?"
		}
	}
	message := err.Error()
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		flag := wrong.GetFlag()
		switch flag.Value.Type() {
		case "int":
			message = fmt.Sprintf("--%s must be a whole number, not %q", flag.Name, wrong.GetValue())
		case "duration":
			message = fmt.Sprintf("--%s must be a time such as 500ms, 20s or 1m, not %q", flag.Name, wrong.GetValue())
		}
	}
	return usage(message, hint)
}

// nearest gives what a mistyped name was meant to be: those that it begins, or the one
// most like it. A short name is as much like several.
func nearest(name string, among *cobra.Command) []string {
	near := among.SuggestionsFor(name)
	begun := slices.DeleteFunc(slices.Clone(near), func(s string) bool { return !strings.HasPrefix(s, name) })
	if len(begun) > 0 {
		return begun
	}
	if best := text.Nearest(name, near); best != "" && len(name) > 2*nearby {
		return []string{best}
	}
	return near
}

// noSuchCommand is for a command that only has others below it.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "see " + cmd.CommandPath() + " --help"
	cmd.SuggestionsMinimumDistance = nearby
	if near := nearest(args[0], cmd); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return usage(fmt.Sprintf("there is no command %q", strings.TrimSpace(
		strings.TrimPrefix(cmd.CommandPath()+" "+args[0], "citewell "))), hint)
}

// exactly is cobra.ExactArgs with a message that names what is missing.
func exactly(what ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		last := len(what) - 1
		switch {
		case len(args) <= last:
			return usage(what[len(args)]+" is missing", usageLine(cmd))
		case len(args) > last+1:
			return usage(fmt.Sprintf("one %s only, not %d", what[last], len(args)-last),
				usageLine(cmd)+"; quote what has spaces")
		}
		return nil
	}
}

func usageLine(cmd *cobra.Command) string {
	return "as in: " + strings.TrimSuffix(cmd.UseLine(), " [flags]")
}

// newHelp is cobra's help command, but a topic that is not there is an error.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil {
				return asUsage(cmd.Root(), err)
			}
			if len(rest) > 0 {
				return noSuchCommand(about, rest)
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// complete offers a shell the values of a flag.
func complete(cmd *cobra.Command, flag string, values ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // a flag of that name was not added before
	}
}
