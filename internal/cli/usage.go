package cli

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/citewell/citewell"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// nearby is how many letters a mistyped name may differ by to be recognised.
const nearby = 2

func usage(message, hint string) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Message: message, Hint: hint}
}

// asUsage makes a mistake in the arguments of what cobra says about them.
func asUsage(err error) error {
	if _, ours := errors.AsType[*citewell.Error](err); ours {
		return err
	}
	message := err.Error()
	if m := exclusive.FindStringSubmatch(message); m != nil {
		message = "--" + strings.ReplaceAll(m[1], " ", " and --") + " exclude each other"
	}
	return usage(message, "see citewell --help")
}

// exclusive is how cobra says it.
var exclusive = regexp.MustCompile(`none of the others can be; \[(.*)\] were all set`)

func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// flagError names the flag that is most like an unknown one.
func flagError(cmd *cobra.Command, err error) error {
	hint := "see " + cmd.CommandPath() + " --help"
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		flags := &cobra.Command{SuggestionsMinimumDistance: nearby}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			flags.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
		})
		if near := flags.SuggestionsFor(unknown.GetSpecifiedName()); len(near) > 0 {
			hint = "did you mean --" + strings.Join(near, " or --") + "?"
		}
	}
	return usage(err.Error(), hint)
}

// noSuchCommand is for a command that only has others below it.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "see " + cmd.CommandPath() + " --help"
	cmd.SuggestionsMinimumDistance = nearby
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return usage(fmt.Sprintf("there is no command %q", strings.TrimSpace(strings.TrimPrefix(cmd.CommandPath()+" "+args[0], "citewell "))), hint)
}

// exactly is cobra.ExactArgs(1) with a message that names what is missing.
func exactly(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return usage(what+" is missing", "as in: "+strings.TrimSuffix(cmd.UseLine(), " [flags]"))
		case len(args) > 1:
			return usage(fmt.Sprintf("one %s only, not %d", what, len(args)), "put it in quotes where it has spaces")
		}
		return nil
	}
}

// newHelp is cobra's help command, but a topic that is not there is an error.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil {
				return asUsage(err)
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
