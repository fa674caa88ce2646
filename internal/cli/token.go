package cli

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/server/access"
	"github.com/spf13/cobra"
)

func newToken(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Create, list and revoke the tokens of citewell serve",
		Long: "Once a token exists, every call of citewell serve needs one, on this machine too. Tokens are\n" +
			"kept as hashes; a running server sees a change within a second.",
		Args: noSuchCommand,
		RunE: showHelp,
	}
	e.hiddenJSON(cmd)
	cmd.AddCommand(newTokenCreate(e), newTokenList(e), newTokenRevoke(e))
	return cmd
}

func newTokenCreate(e *env) *cobra.Command {
	made := access.Token{Scopes: []string{access.ScopeAll}}
	var lifetime time.Duration
	var budget []string
	cmd := &cobra.Command{
		Use:   "create NAME",
		Short: "Create a token and print it once",
		Long: "A token belongs to a tenant, whose runs, sources, index and graph no other tenant can reach. A\n" +
			"token owns what it begins: other tokens of the tenant do not see it. A token of the scope admin\n" +
			"sees, answers, cancels and deletes the runs of every token of its tenant; all does not. The\n" +
			"command line on this machine belongs to the tenant default.\n" +
			"A budget is the token's, not the tenant's. tokens, usd and searches start again at 00:00 UTC;\n" +
			"runs counts those that have not ended.",
		Example: "  citewell token create laptop\n  citewell token create ann --tenant acme --scope api --budget " +
			"tokens=1000000 --budget usd=5",
		Args: exactly("NAME"),
		RunE: func(_ *cobra.Command, args []string) error {
			tokens, err := e.tokens()
			if err != nil {
				return err
			}
			made.Name = args[0]
			if made.Budget, err = access.ParseBudget(budget); err != nil {
				return err
			}
			token, err := tokens.Create(made, lifetime)
			if err != nil {
				return err
			}
			return e.say(map[string]string{"name": args[0], "token": token}, "%s", token)
		},
	}
	cmd.Flags().StringSliceVar(&made.Scopes,
		"scope", made.Scopes, "what the token may do (`SCOPE`, repeatable): "+strings.Join(access.Scopes, ", "))
	cmd.Flags().StringVar(&made.Tenant, "tenant", access.DefaultTenant,
		"the token's tenant: small letters, digits, _ and -")
	cmd.Flags().StringArrayVar(&budget, "budget", nil,
		"what it may spend in a UTC day, or runs at once, such as tokens=1000000 (`KEY=AMOUNT`, repeatable): "+
			strings.Join(access.BudgetKeys, ", "))
	cmd.Flags().DurationVar(&lifetime, "expires", 0, "how long the token is valid, such as 720h; default: for ever")
	complete(cmd, "scope", access.Scopes...)
	e.jsonFlag(cmd)
	return cmd
}

func newTokenList(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the tokens by name",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			tokens, err := e.tokens()
			if err != nil {
				return err
			}
			list := tokens.List()
			if e.json {
				for i := range list {
					list[i].SHA256 = ""
				}
				return e.writeJSON(map[string][]access.Token{"tokens": list})
			}
			for _, t := range list {
				until := "for ever"
				if !t.ExpiresAt.IsZero() {
					until = "until " + t.ExpiresAt.Format(time.RFC3339)
				}
				if _, err := fmt.Fprintf(e.stdout, "%s\t%s\t%s\t%s\t%s\n", clean(t.Name), strings.Join(t.Scopes, ","),
					t.Tenant, until, cmp.Or(t.Budget.String(), "no budget")); err != nil {
					return err
				}
			}
			return nil
		},
	}
	e.jsonFlag(cmd)
	return cmd
}

func newTokenRevoke(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "revoke NAME",
		Short: "Revoke a token",
		Args:  exactly("NAME"),
		RunE: func(_ *cobra.Command, args []string) error {
			tokens, err := e.tokens()
			if err != nil {
				return err
			}
			if err := tokens.Revoke(args[0]); err != nil {
				return err
			}
			if len(tokens.List()) == 0 {
				fmt.Fprintln(e.stderr, "that was the last token: nothing opens citewell serve any more; delete",
					tokens.File(), "to serve without tokens")
			}
			return nil
		},
	}
	e.jsonFlag(cmd)
	return cmd
}

func (e *env) tokens() (*access.Tokens, error) {
	loaded, err := e.load()
	if err != nil {
		return nil, err
	}
	if loaded.Config.Server.Listen == "" {
		return nil, &citewell.Error{Code: citewell.CodeInvalidConfig, Message: "server.listen is empty"}
	}
	return access.Load(app.TokensFile(loaded))
}
